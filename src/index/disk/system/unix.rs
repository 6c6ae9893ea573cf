//! Linux, macOS and other Unix systems.
#![expect(unsafe_code, reason = "calls to the system")]

use std::ffi::CString;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use memmap2::{Advice, Mmap, UncheckedAdvice};

/// Opens a file, unless the path is a link or a socket; `None` if it is. A pipe is opened without waiting.
pub(in super::super) fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<Option<File>> {
    match options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path) {
        Err(error) if matches!(error.raw_os_error(), Some(libc::ELOOP | libc::ENXIO)) => Ok(None),
        opened => opened.map(Some),
    }
}

/// Opens a folder.
pub(in super::super) fn open_folder(path: &Path) -> io::Result<Option<File>> {
    File::open(path).map(Some)
}

/// Returns what distinguishes a file from every other one at the same time.
pub(in super::super) fn identity(metadata: &Metadata) -> Option<(u64, u64)> {
    Some((metadata.dev(), metadata.ino()))
}

/// Returns whether a file has no other names.
pub(in super::super) fn has_one_name(metadata: &Metadata) -> bool {
    metadata.nlink() == 1
}

/// Returns a path that leads to an open folder wherever it is moved, if the system has one.
pub(in super::super) fn path_of_open(folder: &File) -> Option<PathBuf> {
    Some(PathBuf::from(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(folder))))
}

/// Asks the system to read these bytes ahead.
pub(in super::super) fn will_need(map: &Mmap, offset: usize, size: usize) {
    let _ = map.advise_range(Advice::WillNeed, offset, size);
}

/// Tells the system that reads jump.
pub(in super::super) fn random(map: &Mmap) {
    let _ = map.advise(Advice::Random);
}

/// Tells the system that the file is about to be read in order.
pub(in super::super) fn sequential(map: &Mmap) {
    let _ = map.advise(Advice::Sequential);
}

/// Drops the pages of these bytes from the process, not from the page cache.
pub(in super::super) fn forget(map: &Mmap, bytes: Range<usize>) {
    // SAFETY: the mapping is of a file and read-only: dropped pages are read again from the file.
    let _ = unsafe { map.unchecked_advise_range(UncheckedAdvice::DontNeed, bytes.start, bytes.len()) };
}

/// Returns the free bytes of the file system of `path`.
pub(in super::super) fn free_space(path: &Path) -> io::Result<u64> {
    let path = CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other)?;
    // SAFETY: the path ends with a NUL and the structure is written by the call before it is read.
    let stats = unsafe {
        let mut stats: libc::statvfs = std::mem::zeroed();
        if libc::statvfs(path.as_ptr(), &mut stats) != 0 {
            return Err(io::Error::last_os_error());
        }
        stats
    };
    #[allow(clippy::unnecessary_cast, reason = "it has 32 bits on some systems")]
    Ok((stats.f_bavail as u64).saturating_mul(stats.f_frsize as u64))
}

/// Raises this process's soft limit of open files to the hard one. Returns the new limit.
pub(in super::super) fn raise_open_files() -> io::Result<u64> {
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

#[cfg(target_os = "linux")]
pub(in super::super) use linux::*;
#[cfg(not(target_os = "linux"))]
pub(in super::super) use untold::*;

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::{File, read_to_string};
    use std::os::fd::AsRawFd;

    use memmap2::{Advice, Mmap};

    use super::super::guard::page_size;
    use super::forget;

    /// A file of a run may take one of this many parts of the available memory: a run has at most so many files.
    const FILES: u64 = 32;

    /// Number of bytes of a file that are tried to learn whether it is in the page cache.
    const SAMPLES: usize = 32;

    /// Returns whether a sample of the bytes of a file is in the page cache.
    pub(in super::super::super) fn is_cached(file: &File, size: usize) -> bool {
        let (mut byte, step) = (0u8, (size - 1) / SAMPLES);
        let part = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
        (0..SAMPLES).all(|sample| {
            let offset = (step * sample) as libc::off_t;
            // SAFETY: the descriptor is open, and the call writes at most one byte, where `part` says.
            1 == unsafe { libc::preadv2(file.as_raw_fd(), &part, 1, offset, libc::RWF_NOWAIT) }
        })
    }

    /// Returns whether the page of the byte at `offset` is in the page cache.
    pub(in super::super::super) fn is_page_cached(map: &Mmap, offset: usize) -> bool {
        let (page, mut found) = (map.as_ptr().wrapping_add(offset & !(page_size() - 1)), 0u8);
        // SAFETY: the call reads no memory, and writes one byte for the one page.
        let answered = unsafe { libc::mincore(page.cast_mut().cast(), 1, &mut found) } == 0;
        answered && found & 1 == 1
    }

    /// Lets the system read a file in large pieces where a page is missing, if there is memory for all of it. What was
    /// read in small pieces is dropped, because where one is in the page cache, no large one is made.
    pub(in super::super::super) fn read_in_large_pieces(map: &Mmap, file: &File) -> bool {
        if available().is_none_or(|bytes| map.len() as u64 > bytes / FILES) {
            return false;
        }
        forget(map, 0..map.len());
        // SAFETY: the descriptor is open, and the call reads and writes no memory of this process.
        let _ = unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
        map.advise(Advice::HugePage).is_ok()
    }

    /// Returns the bytes of memory that the system could give, within the limit of its control group.
    fn available() -> Option<u64> {
        let memory = read_to_string("/proc/meminfo").ok()?;
        let line = memory.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        let free = line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10;
        let limit = read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|limit| limit.trim().parse().ok());
        Some(limit.map_or(free, |limit: u64| limit.min(free)))
    }

    /// Asks the system to fetch bytes of a file, without waiting. This is a hint: failure is ignored.
    pub(in super::super::super) fn fetch(file: &File, start: u64, size: u64) {
        let (start, size) = (start as libc::off_t, size as libc::off_t);
        // SAFETY: the descriptor is open, and the call reads and writes no memory of this process.
        let _ = unsafe { libc::posix_fadvise(file.as_raw_fd(), start, size, libc::POSIX_FADV_WILLNEED) };
    }
}

/// Systems that do not tell what is in the page cache: each page is asked for before it is first read.
#[cfg(not(target_os = "linux"))]
mod untold {
    use std::fs::File;

    use memmap2::Mmap;

    pub(in super::super::super) fn is_cached(_: &File, _: usize) -> bool {
        false
    }

    pub(in super::super::super) fn is_page_cached(_: &Mmap, _: usize) -> bool {
        false
    }

    pub(in super::super::super) fn read_in_large_pieces(_: &Mmap, _: &File) -> bool {
        false
    }

    pub(in super::super::super) fn fetch(_: &File, _: u64, _: u64) {}
}
