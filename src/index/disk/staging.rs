//! A folder that gets its name when it is whole.
//!
//! It is made inside another one, `NAME.partial`, with a lock and a file that says whose it is. So what an interrupted
//! process left can be told from a folder of somebody else that happens to be called so, and no trace of either is in
//! the folder that is published.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::dir::{names, refuse_contents, sync_folder, sync_parent};
use super::lock::{LOCK, Lock};
use super::steps::step;
use crate::{Error, Result};

/// The ending of the outer folder.
const PARTIAL: &str = ".partial";
/// The file in the outer folder that says whose it is.
const MARK: &str = "nddb-partial";
/// What the file says, to those who find it.
const MARK_TEXT: &str =
    "nddb makes a backup or a database in this folder, or was interrupted: then it may be removed\n";
/// The folder in the making.
const WHOLE: &str = "whole";

/// A folder in the making, beside its later name: removed if it is dropped before it is published.
#[derive(Debug)]
pub(crate) struct Staging {
    target: PathBuf,
    outer: PathBuf,
    inner: PathBuf,
    lock: Lock,
}

impl Staging {
    /// Makes the folder, or empties what an interrupted process left. It is locked for this process, described by
    /// `holder`.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`] if there is anything at `target`; [`Error::InTheWay`] if there is a folder of somebody
    /// else where this one is to be made; [`Error::Locked`].
    pub(crate) fn create(target: &Path, holder: &str) -> Result<Self> {
        refuse_existing(target)?;
        let Some(name) = target.file_name() else { return Err(Error::AlreadyExists { path: target.into() }) };
        let mut partial = OsString::from(name);
        partial.push(PARTIAL);
        let outer = target.with_file_name(partial);
        match step("create the folder", &outer).and_then(|()| fs::create_dir(&outer)) {
            Ok(()) => mark(&outer)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !outer.join(MARK).is_file() {
                    // An interrupted process may have come no further than to make it.
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

    /// Returns where the folder is to be made.
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
    /// What has been published is no longer in the outer folder.
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.inner);
        let _ = fs::remove_file(self.outer.join(MARK));
        // Last: until then nobody else may begin.
        self.lock.remove();
        let _ = fs::remove_dir(&self.outer);
    }
}

/// Says whose a folder is.
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
