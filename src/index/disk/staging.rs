//! A folder that gets its final name when it is complete.
//!
//! It is made inside another folder, `NAME.partial`, with a lock and a file that marks it as nddb's. So the remains of
//! an interrupted process can be distinguished from an unrelated folder that happens to have this name, and neither
//! lock nor mark is in the published folder. A published folder is removed in the same way: it is first moved to where
//! an unfinished one would be.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::dir::Dir;
use super::dir::MANIFEST;
use super::files::{names, sync_folder, sync_parent};
use super::lock::{LOCK, Lock};
use super::mark::{MARK, has_remains, mark};
use super::regular;
use super::steps::step;
use crate::{Error, Result};

/// The ending of the outer folder.
const PARTIAL: &str = ".partial";
/// The file that makes a folder a backup.
const BACKUP: &str = "BACKUP";
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
        refuse_existing(target).inspect_err(|_| {
            // A process that was interrupted after it gave the folder its name left the outer one.
            if partial_of(target).is_some_and(|outer| has_remains(&outer)) {
                drop(Self::beside(target, holder));
            }
        })?;
        let staging = Self::beside(target, holder)?;
        // Another process may have published it before this one had the lock.
        refuse_existing(target)?;
        Ok(staging)
    }

    /// Like [`Staging::create`], whatever is at `target`.
    fn beside(target: &Path, holder: &str) -> Result<Self> {
        let outer = partial_of(target).ok_or_else(|| Error::AlreadyExists { path: target.into() })?;
        let lock = loop {
            match step("create the folder", &outer).and_then(|()| fs::create_dir(&outer)) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(Error::io("create the folder", &outer)(error));
                }
                Err(_) if !has_remains(&outer) => {
                    // The process that had it may have just removed it.
                    if fs::symlink_metadata(&outer).is_ok() {
                        return Err(Error::InTheWay { path: outer, target: target.into() });
                    }
                }
                _ => match Lock::take(&outer, holder) {
                    Err(error) if error.is_missing_file() => (),
                    Err(error) => {
                        // Only if it is empty, as this process made it.
                        let _ = fs::remove_dir(&outer);
                        return Err(error);
                    }
                    Ok(lock) => break lock,
                },
            }
        };
        // Dropping this removes what has been made, if a step fails.
        let staging = Self { target: target.into(), inner: outer.join(WHOLE), lock, outer };
        mark(&staging.outer)?;
        for name in names(&staging.outer)?.into_iter().filter(|name| name != LOCK && name != MARK) {
            let path = staging.outer.join(name);
            let removed = if regular::is_folder(&path) { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.map_err(Error::io("remove the remains", &path))?;
        }
        // After a power cut, too, there is a mark beside what is made here.
        sync_folder(&staging.outer)?;
        Ok(staging)
    }

    /// Returns the path at which the folder is to be made.
    pub(crate) fn path(&self) -> &Path {
        &self.inner
    }

    /// Gives the folder its name, durably. Its files and folders are durable already.
    pub(crate) fn publish(self) -> Result<()> {
        self.rename()
    }

    fn rename(&self) -> Result<()> {
        sync_folder(&self.inner)?;
        refuse_existing(&self.target)?;
        let renamed = step("rename the folder", &self.target).and_then(|()| fs::rename(&self.inner, &self.target));
        renamed.map_err(Error::io("rename the folder", &self.target))?;
        // An error means that there is nothing.
        sync_parent(&self.target).inspect_err(|_| self.take_back())
    }

    /// Publishes a database that stays locked, and opens it by `open`. If that fails, there is no database.
    pub(crate) fn publish_locked<T>(self, dir: Dir, open: impl FnOnce(Dir) -> Result<T>) -> Result<T> {
        self.rename()?;
        dir.moved(&self.target).and_then(open).inspect_err(|_| self.take_back())
    }

    /// Takes the name from a folder that was published, or, on a disk too full for that, removes it.
    fn take_back(&self) {
        if fs::rename(&self.target, &self.inner).is_err() {
            // Without these it is neither a database nor a backup.
            for file in [MANIFEST, BACKUP] {
                let _ = fs::remove_file(self.target.join(file));
            }
            let _ = fs::remove_dir_all(&self.target);
        }
    }
}

/// A folder for work on a database, beside it. It is removed when this value is dropped, or, if the process is
/// interrupted, by the next one with the same work.
#[derive(Debug)]
pub struct WorkFolder(Staging);

impl WorkFolder {
    /// Makes the folder for some work on the database at `path`. It is locked for this process.
    ///
    /// # Errors
    /// [`Error::Locked`] if another process does the same work; errors of the disk.
    pub fn beside(path: &Path, work: &str) -> Result<Self> {
        let whole = std::path::absolute(path).map_err(Error::io("find the folder", path))?;
        let mut name = OsString::from(".");
        name.push(whole.file_name().unwrap_or_default());
        name.push(".");
        name.push(work);
        let holder = format!("nddb {work}, process {}", std::process::id());
        let staging = Staging::create(&whole.with_file_name(name), &holder)?;
        fs::create_dir(&staging.inner).map_err(Error::io("create the folder", &staging.inner))?;
        Ok(Self(staging))
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.0.inner
    }
}

impl Drop for Staging {
    /// A published folder is no longer in the outer folder.
    fn drop(&mut self) {
        if regular::is_folder(&self.inner) {
            let removed = fs::remove_dir_all(&self.inner).map_err(Error::io("remove the folder", &self.inner));
            if removed.and_then(|()| sync_folder(&self.outer)).is_err() {
                // The next process recognises the remains by the mark.
                return;
            }
        }
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

/// Removes a published folder. It becomes an unfinished one first, so that its remains after an interruption are never
/// taken for a complete one, and are removed by the next process.
///
/// # Errors
/// [`Error::Io`]; errors of [`Staging::create`] if `NAME.partial` is not nddb's or in use.
pub(crate) fn remove_published(folder: &Path, holder: &str) -> Result<()> {
    let staging = Staging::beside(folder, holder)?;
    let renamed = step("rename the folder", folder).and_then(|()| fs::rename(folder, &staging.inner));
    renamed.map_err(Error::io("rename the folder", folder))?;
    sync_parent(folder)?;
    fs::remove_dir_all(&staging.inner).map_err(Error::io("remove the folder", &staging.inner))?;
    sync_folder(&staging.outer)
}

/// Removes what interrupted processes have left in a folder, as far as it can be removed.
pub(crate) fn remove_remains(folder: &Path, holder: &str) -> Result<()> {
    for name in names(folder)? {
        let Some(target) = name.to_str().and_then(|name| name.strip_suffix(PARTIAL)) else { continue };
        if has_remains(&folder.join(&name)) {
            drop(Staging::beside(&folder.join(target), holder));
        }
    }
    Ok(())
}

/// Returns the path of the outer folder, in which a folder is made.
fn partial_of(target: &Path) -> Option<PathBuf> {
    let mut name = OsString::from(target.file_name()?);
    name.push(PARTIAL);
    Some(target.with_file_name(name))
}

fn refuse_existing(target: &Path) -> Result<()> {
    match fs::symlink_metadata(target) {
        Ok(_) => Err(Error::AlreadyExists { path: target.into() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Error::io("look at", target)(error)),
    }
}
