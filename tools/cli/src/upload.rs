//! A remote output: written to a temporary file, and sent when it is complete, so that no part of it is ever seen.

use std::fs::File;
use std::io::{self, Seek};
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
        if !nddb_remote::is_listable(path) {
            let told = "an HTTP server cannot be written to; name a file, or an object of a store";
            return Err(io::Error::new(io::ErrorKind::Unsupported, told));
        }
        Ok(Self { path: path.to_owned(), file: tempfile::tempfile()?, sent: None })
    }

    /// Returns the file to write to.
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
