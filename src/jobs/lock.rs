//! Lock files beside what is written. The kernel releases a lock when its process ends, however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::OFlags;

/// A process that only looks whether a lock is held holds it for a moment: so often, and after such a pause, a lock is
/// tried again.
const TRIES: u32 = 4;
const PAUSE: Duration = Duration::from_millis(20);

/// Longest text about a holder that is read.
const HOLDER_MAX: u64 = 1000;

/// A lock file that this process holds. It is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    path: PathBuf,
    /// The file was there, and nobody held it: its process was killed.
    pub(crate) was_left: bool,
    /// No other process has the lock: false where the file system has no locks.
    pub(crate) is_sole: bool,
    /// The folder was made for the lock and for what it protects: it goes with the lock if it is still empty.
    pub(crate) made_folder: bool,
}

/// Why a lock is not taken.
#[derive(Debug)]
pub(crate) enum Refused {
    /// Another process holds it, which says so of itself.
    Held(String),
    Io(io::Error),
}

impl Lock {
    /// Takes a lock for a process that is described by `holder`.
    pub(crate) fn take(path: &Path, holder: &str) -> Result<Self, Refused> {
        let mut tries = 0;
        loop {
            let (mut file, was_left) = match open(path, OpenOptions::new().read(true).write(true).create_new(true)) {
                Ok(file) => (file, false),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    match open(path, OpenOptions::new().read(true).write(true)) {
                        Ok(file) => (file, true),
                        // Its holder has just removed it.
                        Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                        Err(error) => return Err(Refused::Io(error)),
                    }
                }
                Err(error) => return Err(Refused::Io(error)),
            };
            match file.try_lock() {
                Ok(()) => (),
                Err(TryLockError::WouldBlock) if tries < TRIES => {
                    tries += 1;
                    std::thread::sleep(PAUSE);
                    continue;
                }
                Err(TryLockError::WouldBlock) => return Err(Refused::Held(holder_in(&file))),
                // A file system without locks: the names of temporary files are random, so nothing is mixed.
                Err(TryLockError::Error(_)) => {
                    return Ok(Self { file, path: path.into(), was_left: false, is_sole: false, made_folder: false });
                }
            }
            // The previous holder may have removed the file meanwhile; then locking it has no effect.
            if !is_at(&file, path) {
                continue;
            }
            // The text is only for messages; a lock without it works as well.
            let _ = file.set_len(0).and_then(|()| file.write_all(holder.as_bytes()));
            return Ok(Self { file, path: path.into(), was_left, is_sole: true, made_folder: false });
        }
    }

    /// Releases the lock and leaves its file: what it protects is still there.
    pub(crate) fn leave(mut self) {
        self.path = PathBuf::new();
    }

    /// Returns what the holder of a lock says of itself; `None` if no other process holds it.
    pub(crate) fn holder(path: &Path) -> Option<String> {
        let file = open(path, OpenOptions::new().read(true)).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(holder_in(&file)),
            _ => None,
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if is_at(&self.file, &self.path) {
            let _ = std::fs::remove_file(&self.path);
            if let Some(folder) = self.path.parent().filter(|_| self.made_folder) {
                let _ = std::fs::remove_dir(folder);
            }
        }
        let _ = self.file.unlock();
    }
}

/// Opens a regular file, and neither follows a link nor waits for the other end of a pipe.
fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = options.custom_flags(flags.bits().cast_signed()).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("is no regular file")) }
}

fn holder_in(file: &File) -> String {
    let mut text = String::new();
    let _ = file.take(HOLDER_MAX).read_to_string(&mut text);
    if text.trim().is_empty() { "another process".into() } else { text.trim().into() }
}

/// Returns whether a path leads to an open file.
fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), std::fs::symlink_metadata(path)) {
        (Ok(held), Ok(there)) => (held.dev(), held.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_process_is_told_who_holds_a_lock() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        assert_eq!(Lock::holder(&path), None);
        let first = Lock::take(&path, "the first").expect("free");
        assert!(!first.was_left);
        assert!(matches!(Lock::take(&path, "the second"), Err(Refused::Held(holder)) if holder == "the first"));
        assert_eq!(Lock::holder(&path).as_deref(), Some("the first"));
        drop(first);
        assert!(!path.exists() && Lock::holder(&path).is_none());
        assert!(!Lock::take(&path, "the second").expect("free").was_left);
    }

    #[test]
    fn a_lock_that_is_left_has_its_file_for_the_next_process() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        Lock::take(&path, "the first").expect("free").leave();
        assert_eq!((path.is_file(), Lock::holder(&path)), (true, None));
        assert!(Lock::take(&path, "the next").expect("free").was_left);
    }

    #[test]
    fn a_lock_that_nobody_holds_was_left_by_a_process_that_was_killed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        std::fs::write(&path, "pid 1").expect("written");
        assert!(Lock::take(&path, "the next").expect("free").was_left);
        assert!(!path.exists());
    }

    #[test]
    fn a_link_or_a_folder_in_the_way_is_not_touched() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, other) = (folder.path().join("lock"), folder.path().join("other"));
        std::fs::write(&other, "mine").expect("written");
        std::os::unix::fs::symlink(&other, &path).expect("linked");
        assert!(matches!(Lock::take(&path, "holder"), Err(Refused::Io(_))));
        assert_eq!(std::fs::read(&other).expect("there"), b"mine");
        std::fs::remove_file(&path).expect("removed");
        std::fs::create_dir(&path).expect("made");
        assert!(matches!(Lock::take(&path, "holder"), Err(Refused::Io(_))) && path.is_dir());
    }
}
