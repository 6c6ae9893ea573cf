//! A folder that gets its name when it is whole.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::dir::{Dir, LOCK, Lock, names, sync_folder, sync_parent};
use super::steps::step;
use crate::{Error, Result};

/// The ending of a folder that is not whole.
const PARTIAL: &str = ".partial";

/// A folder in the making, beside its later name: removed if it is dropped before it is published.
#[derive(Debug)]
pub(crate) struct Staging {
    target: PathBuf,
    path: PathBuf,
    _lock: Lock,
    is_published: bool,
}

impl Staging {
    /// Makes the folder, or empties what an interrupted process left. It is locked for this process, described by
    /// `holder`.
    pub(crate) fn create(target: &Path, holder: &str) -> Result<Self> {
        refuse_existing(target)?;
        let Some(name) = target.file_name() else { return Err(Error::AlreadyExists { path: target.into() }) };
        let mut partial = OsString::from(name);
        partial.push(PARTIAL);
        let path = target.with_file_name(partial);
        match step("create the folder", &path).and_then(|()| fs::create_dir(&path)) {
            Ok(()) => (),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let names = names(&path)?;
                if !names.is_empty() && !names.iter().any(|name| name == LOCK) {
                    return Err(Error::AlreadyExists { path });
                }
            }
            Err(error) => return Err(Error::io("create the folder", &path)(error)),
        }
        let lock = Dir::at(&path).lock(holder)?;
        for name in names(&path)?.into_iter().filter(|name| name != LOCK) {
            let path = path.join(name);
            let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.map_err(Error::io("remove the remains", &path))?;
        }
        // Another process may have published it before this one had the lock.
        refuse_existing(target)?;
        Ok(Self { target: target.into(), path, _lock: lock, is_published: false })
    }

    /// Returns the folder in the making.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the folder its name, durably. Its files and folders are durable already.
    pub(crate) fn publish(mut self, keep_lock: bool) -> Result<()> {
        sync_folder(&self.path)?;
        let renamed = step("rename the folder", &self.target).and_then(|()| fs::rename(&self.path, &self.target));
        renamed.map_err(Error::io("rename the folder", &self.target))?;
        self.is_published = true;
        sync_parent(&self.target)?;
        if !keep_lock {
            // It says nothing about a folder that is whole.
            let _ = fs::remove_file(self.target.join(LOCK));
        }
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.is_published {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

fn refuse_existing(target: &Path) -> Result<()> {
    match fs::symlink_metadata(target) {
        Ok(_) => Err(Error::AlreadyExists { path: target.into() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Error::io("look at", target)(error)),
    }
}
