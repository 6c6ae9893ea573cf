//! The lock of a folder: one process at a time writes there.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use super::place::is_at;
use super::steps::step;
use crate::{Error, Result};

/// The file in the folder that is locked.
pub(super) const LOCK: &str = "LOCK";

/// The lock of a folder; the kernel releases it when the process ends, however it ends.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
    path: PathBuf,
    /// The process that locked it.
    process: u32,
}

impl Lock {
    /// Locks a folder for this process, described by `holder`.
    ///
    /// # Errors
    /// [`Error::Locked`] if another process has locked it.
    pub(super) fn take(folder: &Path, holder: &str) -> Result<Self> {
        let path = folder.join(LOCK);
        loop {
            let file = step("lock the file", &path)
                .and_then(|()| OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path));
            let mut file = file.map_err(Error::io("open the lock", &path))?;
            match file.try_lock() {
                Ok(()) => (),
                Err(TryLockError::WouldBlock) => {
                    let mut holder = String::new();
                    let _ = (&mut file).take(1000).read_to_string(&mut holder);
                    let holder = if holder.is_empty() { "unknown".into() } else { holder.trim().to_owned() };
                    return Err(Error::Locked { path: folder.into(), holder });
                }
                Err(TryLockError::Error(error)) => return Err(Error::io("lock the file", &path)(error)),
            }
            // Who held it before may have removed it meanwhile: then it locks nothing.
            if is_at(&file, &path).map_err(Error::io("look at the file", &path))? {
                // The description is for messages only; a lock without one is as good.
                let _ = file.set_len(0).and_then(|()| file.write_all(holder.as_bytes()));
                return Ok(Self { file, path, process: std::process::id() });
            }
        }
    }

    /// Returns whether its path still leads to the file that is locked.
    pub(super) fn is_at_its_path(&self) -> Result<bool> {
        is_at(&self.file, &self.path).map_err(Error::io("look at the file", &self.path))
    }

    /// Fails in a forked child of the process that locked it, whose lock it is.
    pub(super) fn check_process(&self) -> Result<()> {
        if self.process == std::process::id() {
            return Ok(());
        }
        let path = self.path.parent().unwrap_or(&self.path).to_owned();
        Err(Error::Locked { path, holder: format!("process {}, which has forked this one", self.process) })
    }

    /// Removes the file: whoever waits for this lock begins anew.
    pub(super) fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

impl Drop for Lock {
    /// Closing the file is not enough: a process just forked by another thread holds the same lock until it runs
    /// its own program. In a forked child it must be enough: the lock is the parent's.
    fn drop(&mut self) {
        if self.process == std::process::id() {
            let _ = self.file.unlock();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_ends_although_another_has_inherited_its_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = Lock::take(folder.path(), "the first").expect("free");
        // As in a forked process until it runs its own program.
        let inherited = lock.file.try_clone().expect("a descriptor");
        let refused = Lock::take(folder.path(), "the second").err();
        assert!(matches!(&refused, Some(Error::Locked { holder, .. }) if holder == "the first"), "{refused:?}");
        drop(lock);
        assert!(Lock::take(folder.path(), "the second").is_ok());
        drop(inherited);
    }

    #[test]
    fn a_forked_child_neither_uses_nor_ends_the_lock_of_its_parent() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = Lock::take(folder.path(), "the parent").expect("free");
        // What a fork makes of it.
        let file = lock.file.try_clone().expect("a descriptor");
        let inherited = Lock { file, path: lock.path.clone(), process: lock.process + 1 };
        let refused = inherited.check_process().err();
        assert!(matches!(&refused, Some(Error::Locked { path, .. }) if path == folder.path()), "{refused:?}");
        drop(inherited);
        let refused = Lock::take(folder.path(), "another").err();
        assert!(matches!(&refused, Some(Error::Locked { holder, .. }) if holder == "the parent"), "{refused:?}");
        lock.check_process().expect("the parent's own");
    }

    #[test]
    fn a_lock_that_its_holder_removed_is_taken_anew() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = Lock::take(folder.path(), "the first").expect("free");
        let opened = File::open(folder.path().join(LOCK)).expect("there");
        first.remove();
        assert!(!is_at(&opened, &folder.path().join(LOCK)).expect("looked at"), "the name leads nowhere");
        let second = Lock::take(folder.path(), "the second").expect("another file");
        drop(first);
        let refused = Lock::take(folder.path(), "the third").err();
        assert!(matches!(&refused, Some(Error::Locked { holder, .. }) if holder == "the second"), "{refused:?}");
        drop(second);
    }
}
