//! A remote output: written to a temporary file, and sent when it is complete, so that no part of it is ever seen.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

/// A remote object that is being written.
pub(crate) struct Upload {
    path: PathBuf,
    file: File,
    /// The length that was sent.
    sent: Option<u64>,
}

impl Upload {
    /// Begins an object.
    pub(crate) fn begin(path: &Path) -> io::Result<Self> {
        nddb_remote::check_writable(path)?;
        Ok(Self { path: path.to_owned(), file: tempfile::tempfile()?, sent: None })
    }

    /// Returns another handle to write by.
    pub(crate) fn writer(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Sends what was written, unless it was sent before.
    pub(crate) fn send(&mut self) -> io::Result<()> {
        let length = self.file.metadata()?.len();
        if self.sent != Some(length) {
            // Writing goes on at the end, where reading leaves the offset that both share.
            self.file.rewind()?;
            nddb_remote::upload(&self.path, &mut self.file, &mut |_| true)?;
            self.sent = Some(length);
        }
        Ok(())
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
