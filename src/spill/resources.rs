//! Resources to work in.

use std::path::PathBuf;

/// Memory for what is sorted, unless the caller says otherwise.
const MEMORY: u64 = 512 << 20;

/// Resources to work in: detection over more documents than memory holds goes through temporary files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Bytes of memory for what is sorted and looked up, about; besides it, some bytes for each document
    /// and the pages of files that the system keeps.
    pub memory_limit: u64,
    /// Folder for temporary files.
    pub folder: PathBuf,
}

impl Default for Resources {
    fn default() -> Self {
        Self { memory_limit: MEMORY, folder: tempfile::env::temp_dir() }
    }
}
