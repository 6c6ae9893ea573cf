//! Read-only memory maps.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use memmap2::{Mmap, MmapMut};

use super::system::{self, Guard};
use crate::prefetch::prefetch;
use crate::{Error, Result};

/// No footer is larger, in bytes.
const FOOTER: usize = 64;
/// Maximum number of bytes that are fetched from memory at a time.
const FETCHED: usize = 2048;
/// One of this many fetches from memory looks whether its page is still in the page cache.
const LOOKED: u32 = 64;
/// When one of this many parts of a file has been read from disk in small pieces, the whole file is read in large ones.
/// (Measured: the small ones have then taken about as long as the whole takes.)
const SMALL_PART: u64 = 16;
/// Bytes of a large piece.
const LARGE: usize = 2 << 20;

/// A file mapped read-only, guarded against SIGBUS. Files of runs never change once a manifest names
/// them, and stay readable when they are unlinked.
#[derive(Debug)]
pub(crate) struct Mapped {
    map: Mmap,
    /// Whether the memory is that of the file, whose pages can be read again.
    is_of_file: bool,
    path: PathBuf,
    guard: Guard,
    /// Whether the file is in the page cache, as far as is known, so that there is nothing to read ahead.
    cached: AtomicBool,
    /// Number of fetches from memory.
    fetches: AtomicU32,
    /// Bytes that were asked for from disk.
    asked: AtomicU64,
    /// Number of pages that may be found missing while the file is read in large pieces.
    spared: AtomicU32,
}

impl Mapped {
    /// Maps a file; `length`, if given, is its expected length.
    pub(crate) fn open(path: &Path, length: Option<u64>) -> Result<Self> {
        let file = super::regular::open(path).map_err(Error::io("open the file", path))?;
        let size = file.metadata().map_err(Error::io("look at the file", path))?.len();
        if length.is_some_and(|length| length != size) {
            let what = format!("has {size} bytes, the manifest says {}", length.unwrap_or(0));
            return Err(Error::Inconsistent { path: path.into(), what });
        }
        if size == 0 {
            return Err(Error::Inconsistent { path: path.into(), what: "is empty".into() });
        }
        let (map, is_of_file) = contents(&file, size).map_err(Error::io("map the file", path))?;
        let guard = Guard::new(map.as_ptr() as usize, map.len()).ok_or_else(|| Error::OverLimit {
            what: "mapped files",
            need: 1 << 16,
            have: 1 << 16,
        })?;
        let cached = AtomicBool::new(system::is_cached(&file, map.len()));
        let (fetches, asked, spared) = (AtomicU32::new(0), AtomicU64::new(0), AtomicU32::new(0));
        let mapped = Self { map, is_of_file, path: path.into(), guard, cached, fetches, asked, spared };
        mapped.random();
        // Opening reads the header and the footer.
        mapped.will_need(0, 1);
        let end = mapped.map.len().saturating_sub(FOOTER);
        mapped.will_need(end, FOOTER);
        Ok(mapped)
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Fails if a page of the file could not be read since it was mapped.
    #[inline]
    pub(crate) fn check_readable(&self) -> Result<()> {
        if self.guard.is_marked() {
            let what = "a page of the file could not be read from disk".into();
            return Err(Error::Inconsistent { path: self.path.clone(), what });
        }
        Ok(())
    }

    /// Fetches bytes that are about to be verified: from disk, or from memory if the file is in the page cache.
    /// (Measured: to ask the system takes longer than a page fault that finds its page.) Returns whether they are
    /// requested from disk.
    #[inline]
    pub(crate) fn fetch(&self, offset: usize, size: usize) -> bool {
        if self.cached.load(Ordering::Relaxed) && self.is_still_cached(offset) {
            // The processor continues by itself in bytes that are read in order.
            (0..size.min(FETCHED)).step_by(64).for_each(|line| prefetch(&self.map, offset + line));
            false
        } else {
            if !system::is_page_cached(&self.map, offset) {
                let (before, size) = (self.asked.fetch_add(size as u64, Ordering::Relaxed), size as u64);
                if (before..before + size).contains(&(self.map.len() as u64 / SMALL_PART)) {
                    self.read_in_large_pieces();
                }
            }
            self.will_need(offset, size);
            true
        }
    }

    /// From here on, what is not in memory is read in large pieces, if there is memory for all of it: the whole file is
    /// soon read, and a process maps large pieces by few page faults, this one and those after it.
    #[cold]
    fn read_in_large_pieces(&self) {
        let (pieces, file) = (self.map.len() / LARGE, super::regular::open(&self.path));
        if pieces > 0 && self.is_of_file && file.is_ok_and(|file| system::read_in_large_pieces(&self.map, &file)) {
            self.spared.store(pieces as u32 / 32 + 2, Ordering::Relaxed);
            self.cached.store(true, Ordering::Relaxed);
        }
    }

    /// Looks from time to time whether a page of a file that was in the page cache has been dropped.
    fn is_still_cached(&self, offset: usize) -> bool {
        if !self.fetches.fetch_add(1, Ordering::Relaxed).is_multiple_of(LOOKED) {
            return true;
        }
        let is_spared =
            || self.spared.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok();
        let cached = system::is_page_cached(&self.map, offset) || is_spared();
        self.cached.store(cached, Ordering::Relaxed);
        cached
    }

    /// Asks the system to read these bytes ahead.
    pub(crate) fn will_need(&self, offset: usize, size: usize) {
        system::will_need(&self.map, offset, size.min(self.map.len().saturating_sub(offset)));
    }

    /// Tells the system that reads jump, as those of probes do: read-ahead would fetch unused pages.
    pub(crate) fn random(&self) {
        system::random(&self.map);
    }

    /// Tells the system that the file is about to be read sequentially.
    pub(crate) fn sequential(&self) {
        system::sequential(&self.map);
    }

    /// Drops the pages of this mapping from the process (not from the page cache).
    pub(crate) fn forget(&self) {
        self.forget_range(0..self.map.len());
    }

    /// Drops the pages of these bytes, as [`Mapped::forget`] does.
    pub(crate) fn forget_range(&self, bytes: std::ops::Range<usize>) {
        if self.is_of_file {
            system::forget(&self.map, bytes);
        }
    }
}

impl AsRef<[u8]> for Mapped {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        &self.map
    }
}

/// Maps a file, or, if its file system cannot, reads it into memory. Returns whether it is mapped.
#[expect(unsafe_code, reason = "memory maps")]
fn contents(file: &File, size: u64) -> io::Result<(Mmap, bool)> {
    // SAFETY: files of runs are written once, before they are named by a manifest, and never again; damage by others is
    // caught by checksums, truncation by the guard.
    match unsafe { Mmap::map(file) } {
        Err(error) if is_unmappable(&error) => Ok((read(file, size)?, false)),
        mapped => Ok((mapped?, true)),
    }
}

/// Reads a file into memory that has no file.
fn read(mut file: &File, size: u64) -> io::Result<Mmap> {
    let mut bytes = MmapMut::map_anon(usize::try_from(size).map_err(io::Error::other)?)?;
    file.read_exact(&mut bytes)?;
    bytes.make_read_only()
}

/// Returns whether an error means that the file system has no maps.
fn is_unmappable(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Unsupported || cfg!(unix) && error.raw_os_error() == Some(libc::ENODEV)
}

/// Returns the free bytes of the file system of `path`.
pub(crate) fn free_space(path: &Path) -> io::Result<u64> {
    system::free_space(path)
}

/// Asks the system to fetch the first and the last bytes of a file, without waiting.
pub(crate) fn fetch_ends(path: &Path, first: u64, last: u64) {
    let Ok(file) = super::regular::open(path) else { return };
    let len = file.metadata().map_or(0, |metadata| metadata.len());
    for (start, size) in [(len.saturating_sub(last), last), (0, first)] {
        if size > 0 {
            system::fetch(&file, start, size);
        }
    }
}

/// Raises this process's soft limit of open files to the hard one. Returns the new limit.
///
/// # Errors
/// The error of the system.
pub fn raise_open_files() -> io::Result<u64> {
    system::raise_open_files()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_is_read_in_large_pieces_once_many_small_ones_were_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..2u32 << 20).flat_map(u32::to_le_bytes).collect();
        std::fs::write(&path, &bytes).expect("written");
        let file = File::open(&path).expect("opened");
        file.sync_all().expect("on disk");
        let mapped = Mapped::open(&path, None).expect("mapped");
        mapped.cached.store(false, Ordering::Relaxed);
        assert!(mapped.fetch(0, 4096));
        assert_eq!(mapped.asked.load(Ordering::Relaxed), 0, "it is in the page cache");
        // Without a disk, or with little memory, nothing is dropped.
        let is_dropped = system::read_in_large_pieces(&mapped.map, &file) && !system::is_page_cached(&mapped.map, 0);
        let asked = (0..2048).step_by(2).take_while(|page| mapped.fetch(4096 * page, 4096)).count();
        assert_eq!(asked, if is_dropped { 129 } else { 1024 });
        assert_eq!(mapped.cached.load(Ordering::Relaxed), is_dropped);
        assert!(mapped.map[..] == bytes[..]);
    }

    #[test]
    fn a_file_that_cannot_be_mapped_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
        std::fs::write(&path, &bytes).expect("written");
        let file = File::open(&path).expect("opened");
        let (mapped, is_of_file) = contents(&file, bytes.len() as u64).expect("mapped");
        assert!(is_of_file && mapped[..] == bytes[..]);
        assert!(read(&file, bytes.len() as u64).expect("read")[..] == bytes[..]);
        for unmappable in [io::Error::from_raw_os_error(libc::ENODEV), io::ErrorKind::Unsupported.into()] {
            assert!(is_unmappable(&unmappable), "{unmappable}");
        }
        assert!(!is_unmappable(&io::Error::from_raw_os_error(libc::ENOMEM)), "of too many maps");
        assert!(read(&file, 1).is_err(), "the file was read to its end before");
    }
}
