//! A remote output: written to a temporary file, and sent when it is complete, so that no part of it is ever seen.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

/// A remote object that is being written.
#[derive(Debug)]
pub(super) struct Upload {
    path: PathBuf,
    file: File,
}

impl Upload {
    /// Begins an object.
    pub(super) fn begin(path: &Path) -> io::Result<Self> {
        nddb_remote::check_writable(path)?;
        Ok(Self { path: path.to_owned(), file: tempfile::tempfile()? })
    }

    /// Sends what was written.
    pub(super) fn send(mut self) -> io::Result<()> {
        self.file.rewind()?;
        nddb_remote::upload(&self.path, &mut self.file, &mut |_| true)
    }
}

impl Write for Upload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
