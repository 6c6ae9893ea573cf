//! The lock of a folder: one process at a time writes there.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::place::is_at;
use super::regular;
use super::steps::step;
use super::system;
use crate::{Error, Result};

/// Interval at which a lock held by another process is tried again. (A blocking call to the kernel could not time out.)
const LOOK_AGAIN: Duration = Duration::from_millis(50);

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
    /// [`Error::Locked`] if another process has locked it, and still holds it after `wait`.
    pub(super) fn take_within(folder: &Path, holder: &str, wait: Duration) -> Result<Self> {
        let begin = Instant::now();
        loop {
            match Self::take(folder, holder) {
                Err(Error::Locked { path, holder, .. }) => {
                    let waited = begin.elapsed();
                    if waited >= wait {
                        // Without waiting, no waiting time is reported.
                        let waited = if wait.is_zero() { wait } else { waited };
                        return Err(Error::Locked { path, holder, waited });
                    }
                    std::thread::sleep(LOOK_AGAIN.min(wait - waited));
                }
                outcome => return outcome,
            }
        }
    }

    /// Locks a folder as [`Lock::take_within`] does, without waiting.
    ///
    /// # Errors
    /// [`Error::Locked`] if another process has locked it.
    pub(super) fn take(folder: &Path, holder: &str) -> Result<Self> {
        let path = folder.join(LOCK);
        loop {
            let file = step("lock the file", &path)
                .and_then(|()| regular::open_with(&path, OpenOptions::new().read(true).write(true).create(true)));
            let mut file = file.map_err(Error::io("open the lock", &path))?;
            match file.try_lock() {
                Ok(()) => (),
                Err(TryLockError::WouldBlock) => {
                    let mut holder = String::new();
                    let _ = (&mut file).take(1000).read_to_string(&mut holder);
                    let holder = if holder.is_empty() { "unknown".into() } else { holder.trim().to_owned() };
                    return Err(Error::Locked { path: folder.into(), holder, waited: Duration::ZERO });
                }
                Err(TryLockError::Error(error)) => return Err(Error::io("lock the file", &path)(error)),
            }
            // The previous holder may have removed the file meanwhile; then locking it has no effect.
            if is_at(&file, &path).map_err(Error::io("look at the file", &path))? {
                // The description is only for messages; a lock without it works as well. A file with other names could
                // belong to somebody else.
                if file.metadata().is_ok_and(|metadata| system::has_one_name(&metadata)) {
                    let _ = file.set_len(0).and_then(|()| file.write_all(holder.as_bytes()));
                }
                // The process may change its folder.
                let path = std::path::absolute(&path).map_err(Error::io("find the file", &path))?;
                return Ok(Self { file, path, process: std::process::id() });
            }
        }
    }

    /// Returns whether its path still leads to the file that is locked.
    pub(super) fn is_at_its_path(&self) -> Result<bool> {
        is_at(&self.file, &self.path).map_err(Error::io("look at the file", &self.path))
    }

    /// Returns this lock of a folder that was moved.
    pub(super) fn moved(mut self, folder: &Path) -> Self {
        let path = folder.join(LOCK);
        self.path = std::path::absolute(&path).unwrap_or(path);
        self
    }

    /// Fails in a forked child: the lock belongs to the process that took it.
    pub(super) fn check_process(&self) -> Result<()> {
        if self.process == std::process::id() {
            return Ok(());
        }
        let path = self.path.parent().unwrap_or(&self.path).to_owned();
        let holder = format!("process {}, which has forked this one", self.process);
        Err(Error::Locked { path, holder, waited: Duration::ZERO })
    }

    /// Removes the file: a process that waits for this lock starts again.
    pub(super) fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

impl Drop for Lock {
    /// Closing the file is not enough, because a process just forked by another thread holds the same lock until it
    /// runs its own program. In a forked child, only the file is closed, because the lock belongs to the parent.
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
        // A second handle, as in a forked process until it runs its own program.
        let inherited = lock.file.try_clone().expect("a descriptor");
        let refused = Lock::take(folder.path(), "the second").err();
        assert!(matches!(&refused, Some(Error::Locked { holder, .. }) if holder == "the first"), "{refused:?}");
        drop(lock);
        assert!(Lock::take(folder.path(), "the second").is_ok());
        drop(inherited);
    }

    #[test]
    fn a_lock_is_waited_for_up_to_a_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = Lock::take(folder.path(), "the first").expect("free");
        let wait = Duration::from_millis(120);
        let refused = Lock::take_within(folder.path(), "the second", wait).err();
        let Some(Error::Locked { holder, waited, .. }) = &refused else { panic!("{refused:?}") };
        assert!(holder == "the first" && *waited >= wait, "{refused:?}");
        let told = refused.map(|error| error.to_string()).unwrap_or_default();
        assert!(told.contains("the first") && told.contains("waited 0."), "{told}");
        std::thread::scope(|scope| {
            let patient = scope.spawn(|| Lock::take_within(folder.path(), "the second", Duration::from_secs(60)));
            std::thread::sleep(Duration::from_millis(80));
            drop(lock);
            patient.join().expect("no panic").expect("free after a while");
        });
    }

    #[test]
    fn a_forked_child_neither_uses_nor_ends_the_lock_of_its_parent() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = Lock::take(folder.path(), "the parent").expect("free");
        // The copy that a fork makes of the lock.
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
