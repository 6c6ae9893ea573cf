//! The functions without the feature `cloud`: each returns an error.

use std::convert::Infallible;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::SystemTime;

use crate::Listed;
use crate::failure::Failure;

/// A remote object as a file: none can be opened.
pub struct RemoteFile(Infallible);

fn absent<T>() -> io::Result<T> {
    Err(Failure::of(
        io::ErrorKind::Unsupported,
        "this nddb was built without access to stores and servers: install a released package, or build it from its sources \
     with --features cloud",
    ))
}

impl RemoteFile {
    /// Refuses.
    ///
    /// # Errors
    /// Always.
    pub fn open(_: &Path) -> io::Result<Self> {
        absent()
    }

    /// Returns the size in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self.0 {}
    }

    /// Returns the time of the last modification.
    #[must_use]
    pub fn modified(&self) -> Option<SystemTime> {
        match self.0 {}
    }
}

impl Read for RemoteFile {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        match self.0 {}
    }
}

impl Seek for RemoteFile {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        match self.0 {}
    }
}

/// Refuses.
///
/// # Errors
/// Always.
pub fn list(_: &Path) -> io::Result<Vec<Listed>> {
    absent()
}

/// Refuses.
///
/// # Errors
/// Always.
pub fn remove(_: &Path) -> io::Result<()> {
    absent()
}

/// Refuses.
///
/// # Errors
/// Always.
pub fn upload(_: &Path, _: &mut dyn Read, _: &mut dyn FnMut(u64) -> bool) -> io::Result<()> {
    absent()
}
