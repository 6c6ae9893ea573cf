//! Copies of files that a server sends whole only, in temporary files without names.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::failure::Failure;
use crate::version::Version;

/// A copy of a whole file.
#[derive(Debug)]
pub(crate) struct Spool {
    file: File,
    size: u64,
    /// What the server said of the file.
    pub(crate) version: Version,
}

impl Spool {
    /// Makes an empty temporary file.
    pub(crate) fn file() -> io::Result<File> {
        tempfile::tempfile()
    }

    /// Keeps a file that was filled.
    pub(crate) fn new(file: File, version: Version) -> io::Result<Self> {
        let size = file.metadata()?.len();
        Ok(Self { file, size, version })
    }

    /// Returns the error that no copy can be made.
    pub(crate) fn failed(error: &io::Error) -> io::Error {
        let folder = tempfile::env::temp_dir();
        let told = format!("the server sends it whole only, and no copy of it can be made in {}", folder.display());
        Failure::of(error.kind(), format!("{told}: {error}; choose another folder for temporary files (TMPDIR)"))
    }

    /// Returns the size in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Reads bytes at an offset.
    pub(crate) fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        self.file.read_at(out, offset)
    }
}
