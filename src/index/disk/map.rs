//! Read-only memory maps, and other calls to the system that need `unsafe`.
#![expect(unsafe_code, reason = "memory maps and calls to the system")]

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use memmap2::{Advice, Mmap, UncheckedAdvice};

use super::guard::{Guard, page_size};
use crate::prefetch::prefetch;
use crate::{Error, Result};

/// No footer is larger, in bytes.
const FOOTER: usize = 64;
/// Number of bytes of a file that are tried to learn whether it is in the page cache.
const SAMPLES: usize = 32;
/// Maximum number of bytes that are fetched from memory at a time.
const FETCHED: usize = 2048;
/// One of this many fetches from memory looks whether its page is still in the page cache.
const LOOKED: u32 = 64;

/// A file mapped read-only, guarded against SIGBUS. Files of runs never change once a manifest names
/// them, and stay readable when they are unlinked.
#[derive(Debug)]
pub(crate) struct Mapped {
    map: Mmap,
    path: PathBuf,
    guard: Guard,
    /// Whether the file is in the page cache, as far as is known, so that there is nothing to read ahead.
    cached: AtomicBool,
    /// Number of fetches from memory.
    fetches: AtomicU32,
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
        // SAFETY: files of runs are written once, before they are named by a manifest, and never again;
        // damage by others is caught by checksums, truncation by the guard.
        let map = unsafe { Mmap::map(&file) }.map_err(Error::io("map the file", path))?;
        let guard = Guard::new(map.as_ptr() as usize, map.len()).ok_or_else(|| Error::OverLimit {
            what: "mapped files",
            need: 1 << 16,
            have: 1 << 16,
        })?;
        let cached = AtomicBool::new(is_cached(&file, map.len()));
        let mapped = Self { map, path: path.into(), guard, cached, fetches: AtomicU32::new(0) };
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
    /// (Measured: to ask the system takes longer than a page fault that finds its page.)
    #[inline]
    pub(crate) fn fetch(&self, offset: usize, size: usize) {
        if self.cached.load(Ordering::Relaxed) && self.is_still_cached(offset) {
            // The processor continues by itself in bytes that are read in order.
            (0..size.min(FETCHED)).step_by(64).for_each(|line| prefetch(&self.map, offset + line));
        } else {
            self.will_need(offset, size);
        }
    }

    /// Looks from time to time whether a page of a file that was in the page cache has been dropped.
    fn is_still_cached(&self, offset: usize) -> bool {
        if !self.fetches.fetch_add(1, Ordering::Relaxed).is_multiple_of(LOOKED) {
            return true;
        }
        let (page, mut found) = (self.map.as_ptr().wrapping_add(offset & !(page_size() - 1)), 0u8);
        // SAFETY: the call reads no memory, and writes one byte for the one page.
        let answered = unsafe { libc::mincore(page.cast_mut().cast(), 1, &mut found) } == 0;
        let cached = answered && found & 1 == 1;
        self.cached.store(cached, Ordering::Relaxed);
        cached
    }

    /// Asks the system to read these bytes ahead.
    pub(crate) fn will_need(&self, offset: usize, size: usize) {
        let _ = self.map.advise_range(Advice::WillNeed, offset, size.min(self.map.len().saturating_sub(offset)));
    }

    /// Tells the system that reads jump, as those of probes do: read-ahead would fetch unused pages.
    pub(crate) fn random(&self) {
        let _ = self.map.advise(Advice::Random);
    }

    /// Tells the system that the file is about to be read sequentially.
    pub(crate) fn sequential(&self) {
        let _ = self.map.advise(Advice::Sequential);
    }

    /// Drops the pages of this mapping from the process (not from the page cache).
    pub(crate) fn forget(&self) {
        // SAFETY: the mapping is private and read-only: dropped pages are read again from the file.
        let _ = unsafe { self.map.unchecked_advise(UncheckedAdvice::DontNeed) };
    }

    /// Drops the pages of these bytes, as [`Mapped::forget`] does.
    pub(crate) fn forget_range(&self, bytes: std::ops::Range<usize>) {
        // SAFETY: as in `forget`.
        let _ = unsafe { self.map.unchecked_advise_range(UncheckedAdvice::DontNeed, bytes.start, bytes.len()) };
    }
}

impl AsRef<[u8]> for Mapped {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        &self.map
    }
}

/// Returns the free bytes of the file system of `path`.
pub(crate) fn free_space(path: &Path) -> io::Result<u64> {
    let path = CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other)?;
    // SAFETY: the path ends with a NUL and the structure is written by the call before it is read.
    let stats = unsafe {
        let mut stats: libc::statvfs = std::mem::zeroed();
        if libc::statvfs(path.as_ptr(), &mut stats) != 0 {
            return Err(io::Error::last_os_error());
        }
        stats
    };
    Ok(stats.f_bavail.saturating_mul(stats.f_frsize))
}

/// Returns whether a sample of the bytes of a file is in the page cache, as far as the system tells.
fn is_cached(file: &File, size: usize) -> bool {
    let (mut byte, step) = (0u8, (size - 1) / SAMPLES);
    let part = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    (0..SAMPLES).all(|sample| {
        let offset = (step * sample) as libc::off_t;
        // SAFETY: the descriptor is open, and the call writes at most one byte, where `part` says.
        1 == unsafe { libc::preadv2(file.as_raw_fd(), &part, 1, offset, libc::RWF_NOWAIT) }
    })
}

/// Asks the system to fetch the first and the last bytes of a file, without waiting. This is a hint: failure is
/// ignored.
pub(crate) fn fetch_ends(path: &Path, first: u64, last: u64) {
    let Ok(file) = super::regular::open(path) else { return };
    let len = file.metadata().map_or(0, |metadata| metadata.len());
    for (start, size) in [(len.saturating_sub(last), last), (0, first)] {
        if size > 0 {
            let (start, size) = (start as libc::off_t, size as libc::off_t);
            // SAFETY: the descriptor is open, and the call reads and writes no memory of this process.
            let _ = unsafe { libc::posix_fadvise(file.as_raw_fd(), start, size, libc::POSIX_FADV_WILLNEED) };
        }
    }
}

/// Raises this process's soft limit of open files to the hard one. Returns the new limit.
///
/// # Errors
/// The error of the system.
pub fn raise_open_files() -> io::Result<u64> {
    // SAFETY: the structure is written by the first call before it is read, and only read by the second.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        if libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) != 0 {
            return Err(io::Error::last_os_error());
        }
        let raised = libc::rlimit { rlim_cur: limit.rlim_max, ..limit };
        let now = if libc::setrlimit(libc::RLIMIT_NOFILE, &raised) == 0 { raised } else { limit };
        Ok(now.rlim_cur)
    }
}
