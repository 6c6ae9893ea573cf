//! Resources for work that exceeds memory.

use std::path::PathBuf;

/// Default memory limit for sorting, in bytes.
const MEMORY: u64 = 512 << 20;

/// Resources for work on more documents than fit in memory; data beyond the memory limit goes to temporary files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Approximate bytes of memory for sorting and look-ups; a few bytes per document and the system's page cache are
    /// not included.
    pub memory_limit: u64,
    /// Folder of the temporary files.
    pub folder: PathBuf,
    /// Number of threads to work with. Results do not depend on it.
    pub threads: usize,
}

impl Default for Resources {
    fn default() -> Self {
        Self { memory_limit: MEMORY, folder: tempfile::env::temp_dir(), threads: 1 }
    }
}
