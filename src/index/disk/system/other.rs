//! Windows, and whatever is not Unix.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

/// A guarded range of addresses: the system does not truncate a file that is mapped.
#[derive(Debug)]
pub(in super::super) struct Guard;

impl Guard {
    pub(in super::super) fn new(_: usize, _: usize) -> Option<Self> {
        Some(Self)
    }

    #[inline]
    pub(in super::super) fn is_marked(&self) -> bool {
        false
    }
}

/// Opens a file, unless the path is a link or a folder; `None` if it is.
pub(in super::super) fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<Option<File>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if !metadata.is_file() => Ok(None),
        _ => options.open(path).map(Some),
    }
}

/// Makes sure that there is a folder. It cannot be held open.
pub(in super::super) fn open_folder(path: &Path) -> io::Result<Option<File>> {
    if fs::metadata(path)?.is_dir() { Ok(None) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

/// Returns what distinguishes a file from every other one at the same time, if the system tells.
pub(in super::super) fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}

/// Returns whether a file has no other names, as far as the system tells.
pub(in super::super) fn has_one_name(_: &Metadata) -> bool {
    true
}

/// Returns a path that leads to an open folder wherever it is moved, if the system has one.
pub(in super::super) fn path_of_open(_: &File) -> Option<PathBuf> {
    None
}

/// Returns whether a file is in the page cache: the system is not asked to read ahead, so this makes no difference.
pub(in super::super) fn is_cached(_: &File, _: usize) -> bool {
    true
}

/// Returns whether the page of these bytes is in the page cache.
pub(in super::super) fn is_page_cached(_: &Mmap, _: usize) -> bool {
    true
}

pub(in super::super) fn read_in_large_pieces(_: &Mmap, _: &File) -> bool {
    false
}

pub(in super::super) fn will_need(_: &Mmap, _: usize, _: usize) {}

pub(in super::super) fn random(_: &Mmap) {}

pub(in super::super) fn sequential(_: &Mmap) {}

pub(in super::super) fn forget(_: &Mmap, _: Range<usize>) {}

pub(in super::super) fn fetch(_: &File, _: u64, _: u64) {}

/// Returns the free bytes of the file system of `path`: not known, so nothing is refused for lack of space.
pub(in super::super) fn free_space(_: &Path) -> io::Result<u64> {
    Ok(u64::MAX)
}

/// Returns the limit of open files: there is none.
pub(in super::super) fn raise_open_files() -> io::Result<u64> {
    Ok(u64::MAX)
}
