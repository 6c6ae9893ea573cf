//! Temporary files without names, which vanish with the process.
#![expect(unsafe_code, reason = "a memory map")]

use std::fs::File;
use std::io::Write;
#[cfg(unix)]
use std::os::unix::fs::FileExt;
#[cfg(windows)]
use std::os::windows::fs::FileExt;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use crate::{Error, Result};

/// A file without a name.
#[derive(Debug)]
pub struct TempFile {
    file: File,
    folder: PathBuf,
}

impl TempFile {
    /// Creates a file in `folder`.
    pub fn create(folder: &Path) -> Result<Self> {
        let file = tempfile::tempfile_in(folder).map_err(Error::io("make a temporary file in", folder))?;
        Ok(Self { file, folder: folder.into() })
    }

    /// Appends bytes.
    pub fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(Error::io("write a temporary file in", &self.folder))
    }

    /// Reads up to `buffer.len()` bytes at `offset`; returns the number read, fewer only at the end.
    pub(crate) fn read(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        let mut read = 0;
        while read < buffer.len() {
            let (left, offset) = (&mut buffer[read..], offset + read as u64);
            #[cfg(unix)]
            let outcome = self.file.read_at(left, offset);
            #[cfg(windows)]
            let outcome = self.file.seek_read(left, offset);
            match outcome.map_err(Error::io("read a temporary file in", &self.folder))? {
                0 => break,
                more => read += more,
            }
        }
        Ok(read)
    }

    /// Ends writing and maps the file: the system caches what fits in memory.
    pub fn map(self) -> Result<TempMap> {
        let size = self.file.metadata().map_err(Error::io("look at a temporary file in", &self.folder))?.len();
        if size == 0 {
            return Ok(TempMap(None));
        }
        // SAFETY: the file has no name and its only handle is dropped here: no other code can change it.
        let map = unsafe { Mmap::map(&self.file) }.map_err(Error::io("map a temporary file in", &self.folder))?;
        Ok(TempMap(Some(map)))
    }
}

/// The mapped bytes of a temporary file.
#[derive(Debug, Default)]
pub struct TempMap(Option<Mmap>);

impl AsRef<[u8]> for TempMap {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        self.0.as_deref().unwrap_or_default()
    }
}
