//! Names and blocks of files, and syncing of files and folders.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use super::bugs::{Bug, bug};
use super::regular;
use super::steps::step;
use super::system;
use crate::{Error, Result};

/// Returns the names in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Result<Vec<OsString>> {
    names_where(folder, |_| Ok(()))
}

/// Returns the names in a folder of files, sorted.
///
/// # Errors
/// [`Error::Io`] if one is neither a regular file nor a folder.
pub(crate) fn names_of_files(folder: &Path) -> Result<Vec<OsString>> {
    names_where(folder, |entry| match entry.file_type() {
        Ok(kind) if !kind.is_file() && !kind.is_dir() => {
            Err(Error::io("open the file", &entry.path())(regular::not_regular()))
        }
        // It may have been removed meanwhile.
        _ => Ok(()),
    })
}

fn names_where(folder: &Path, check: impl Fn(&fs::DirEntry) -> Result<()>) -> Result<Vec<OsString>> {
    let entries = fs::read_dir(folder).map_err(Error::io_of_part("list the folder", folder))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(Error::io("list the folder", folder))?;
        check(&entry)?;
        names.push(entry.file_name());
    }
    names.sort_unstable();
    Ok(names)
}

/// Passes the blocks of a file to `visit`, all but the last with `size` bytes. A file that no longer exists has no
/// blocks.
pub(crate) fn read_blocks(path: &Path, size: usize, visit: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut file = match regular::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(Error::io("open the file", path))?,
    };
    let mut block = Vec::with_capacity(size);
    loop {
        block.clear();
        (&mut file).take(size as u64).read_to_end(&mut block).map_err(Error::io("read the file", path))?;
        if block.is_empty() {
            return Ok(());
        }
        visit(&block)?;
    }
}

pub(super) const SYNC_FILE: &str = "sync the file";
pub(super) const SYNC_FOLDER: &str = "sync the folder";

/// Returns whether an error is that of an fsync: the state on disk is then unknown, whatever the error.
pub(crate) fn is_failed_sync(error: &Error) -> bool {
    matches!(error, Error::Io { action: SYNC_FILE | SYNC_FOLDER, .. })
}

pub(super) fn sync(file: &File, action: &'static str, path: &Path) -> Result<()> {
    step(action, path).and_then(|()| file.sync_all()).map_err(Error::io(action, path))
}

pub(super) fn sync_folder(path: &Path) -> Result<()> {
    if bug(Bug::FolderNotSynced, path) {
        return Ok(());
    }
    let folder = system::open_folder(path).map_err(Error::io("open the folder", path))?;
    // A system that cannot open a folder makes names durable by itself.
    folder.map_or(Ok(()), |folder| sync(&folder, SYNC_FOLDER, path))
}

/// Makes the name of a folder durable.
pub(super) fn sync_parent(path: &Path) -> Result<()> {
    match path.parent() {
        // The parent of a bare name is the working directory.
        Some(parent) if parent.as_os_str().is_empty() => sync_folder(Path::new(".")),
        Some(parent) => sync_folder(parent),
        None => Ok(()),
    }
}
