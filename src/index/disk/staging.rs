//! A folder that gets its final name when it is complete.
//!
//! It is made inside another folder, `NAME.partial`, with a lock and a file that identifies the owner. So the remains
//! of an interrupted process can be distinguished from an unrelated folder that happens to have this name, and neither
//! lock nor owner file is in the published folder.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::dir::{names, refuse_contents, sync_folder, sync_parent};
use super::lock::{LOCK, Lock};
use super::steps::step;
use crate::{Error, Result};

/// The ending of the outer folder.
const PARTIAL: &str = ".partial";
/// The file in the outer folder that identifies its owner.
const MARK: &str = "nddb-partial";
/// The contents of that file, for people who find it.
const MARK_TEXT: &str =
    "nddb makes a backup or a database in this folder, or was interrupted: then it may be removed\n";
/// The folder in the making.
const WHOLE: &str = "whole";

/// An unfinished folder, beside its later name. It is removed if this value is dropped before the folder is published.
#[derive(Debug)]
pub(crate) struct Staging {
    target: PathBuf,
    outer: PathBuf,
    inner: PathBuf,
    lock: Lock,
}

impl Staging {
    /// Makes the folder, or empties one that an interrupted process left. It is locked for this process, described by
    /// `holder`.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`] if there is anything at `target`; [`Error::InTheWay`] if an unrelated folder exists
    /// where this one is to be made; [`Error::Locked`].
    pub(crate) fn create(target: &Path, holder: &str) -> Result<Self> {
        refuse_existing(target)?;
        let outer = partial_of(target).ok_or_else(|| Error::AlreadyExists { path: target.into() })?;
        match step("create the folder", &outer).and_then(|()| fs::create_dir(&outer)) {
            Ok(()) => mark(&outer)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !outer.join(MARK).is_file() {
                    // An interrupted process may have created only the empty folder.
                    let is_foreign = |_| Error::InTheWay { path: outer.clone(), target: target.into() };
                    refuse_contents(&outer, &[]).map_err(is_foreign)?;
                    mark(&outer)?;
                }
            }
            Err(error) => return Err(Error::io("create the folder", &outer)(error)),
        }
        let inner = outer.join(WHOLE);
        let staging = Self { target: target.into(), lock: Lock::take(&outer, holder)?, outer, inner };
        // Another process may have published it before this one had the lock.
        refuse_existing(target)?;
        for name in names(&staging.outer)?.into_iter().filter(|name| name != LOCK && name != MARK) {
            let path = staging.outer.join(name);
            let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.map_err(Error::io("remove the remains", &path))?;
        }
        Ok(staging)
    }

    /// Returns the path at which the folder is to be made.
    pub(crate) fn path(&self) -> &Path {
        &self.inner
    }

    /// Gives the folder its name, durably. Its files and folders are durable already.
    pub(crate) fn publish(self) -> Result<()> {
        sync_folder(&self.inner)?;
        refuse_existing(&self.target)?;
        let renamed = step("rename the folder", &self.target).and_then(|()| fs::rename(&self.inner, &self.target));
        renamed.map_err(Error::io("rename the folder", &self.target))?;
        sync_parent(&self.target)
    }
}

impl Drop for Staging {
    /// A published folder is no longer in the outer folder.
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.inner);
        let _ = fs::remove_file(self.outer.join(MARK));
        // Last: until then nobody else may begin.
        self.lock.remove();
        let _ = fs::remove_dir(&self.outer);
    }
}

/// Refuses to create a folder inside a database or backup to which it does not belong, because it would be taken for a
/// part of that.
///
/// # Errors
/// [`Error::Inside`].
pub(crate) fn refuse_inside(target: &Path, folder: &Path) -> Result<()> {
    let absolute = std::path::absolute(target).map_err(Error::io("look at", target))?;
    let folder = fs::canonicalize(folder).map_err(Error::io("look at", folder))?;
    // Names below the last folder that exists cannot be links.
    match absolute.ancestors().skip(1).find_map(|above| fs::canonicalize(above).ok()) {
        Some(above) if above.starts_with(&folder) => Err(Error::Inside { path: target.into(), folder }),
        _ => Ok(()),
    }
}

/// Removes a published folder. The folder first gets the name and the mark of an unfinished folder, so that its remains
/// after an interruption are never taken for a complete one.
///
/// # Errors
/// [`Error::Io`], also if there is a folder `NAME.partial`.
pub(crate) fn remove_published(folder: &Path) -> Result<()> {
    let partial = partial_of(folder).ok_or_else(|| Error::AlreadyExists { path: folder.into() })?;
    mark(folder)?;
    let renamed = step("rename the folder", folder).and_then(|()| fs::rename(folder, &partial));
    renamed.map_err(Error::io("rename the folder", folder))?;
    sync_parent(folder)?;
    fs::remove_dir_all(&partial).map_err(Error::io("remove the folder", &partial))
}

/// Returns the path of the outer folder, in which a folder is made.
fn partial_of(target: &Path) -> Option<PathBuf> {
    let mut name = OsString::from(target.file_name()?);
    name.push(PARTIAL);
    Some(target.with_file_name(name))
}

/// Writes the file that identifies the owner of a folder.
fn mark(outer: &Path) -> Result<()> {
    let path = outer.join(MARK);
    let written = step("create the file", &path).and_then(|()| fs::write(&path, MARK_TEXT));
    written.map_err(Error::io("create the file", &path))
}

fn refuse_existing(target: &Path) -> Result<()> {
    match fs::symlink_metadata(target) {
        Ok(_) => Err(Error::AlreadyExists { path: target.into() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Error::io("look at", target)(error)),
    }
}
