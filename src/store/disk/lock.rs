//! The lock of a folder: one process at a time writes there.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::steps::step;
use crate::{Error, Result};

/// The file in the folder that is locked.
pub(super) const LOCK: &str = "LOCK";

/// The lock of a folder; the kernel releases it when the process ends, however it ends.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
    path: PathBuf,
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
                return Ok(Self { file, path });
            }
        }
    }

    /// Removes the file: whoever waits for this lock begins anew.
    pub(super) fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

impl Drop for Lock {
    /// Closing the file is not enough: a process just forked by another thread holds the same lock until it runs
    /// its own program.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

/// Returns whether a path leads to an open file or folder.
pub(super) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(there) => {
            let held = file.metadata()?;
            Ok((there.dev(), there.ino()) == (held.dev(), held.ino()))
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(false),
        Err(error) => Err(error),
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
