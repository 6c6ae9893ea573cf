//! Folders of temporary files. What a killed process left is removed by the next one that makes such a folder there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::lock::{Lock, Refused};
use crate::output::sync_folder;

/// How the names of such folders begin.
const PREFIX: &str = ".nddb-temporary-";
/// The lock in such a folder.
const LOCK: &str = "LOCK";

/// A folder of temporary files, which is removed with this.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    /// Held until the folder is gone. `None` when it is being removed.
    lock: Option<Lock>,
}

impl Scratch {
    /// Makes a folder in another, and removes those of killed processes there.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn in_folder(parent: &Path) -> io::Result<Self> {
        sweep(parent);
        // Another process may take the folder to be left by a killed one until it is locked.
        for _ in 0..16 {
            let made = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
            match Lock::take(&made.path().join(LOCK), &format!("pid {}", std::process::id())) {
                Ok(lock) => {
                    // After a power cut, too, there is a lock beside what is to be removed.
                    let _ = sync_folder(made.path());
                    return Ok(Self { folder: made.keep(), lock: Some(lock) });
                }
                Err(Refused::Io(error)) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Err(_) => (),
            }
        }
        Err(io::Error::other("other processes remove the folder"))
    }

    /// Makes a folder with a copy of all that is read, and returns it with the path of the copy. The error of `read`
    /// and that of the disk are both errors of the copy.
    ///
    /// # Errors
    /// It cannot be made or written.
    pub fn with_copy(parent: &Path, read: &mut dyn io::Read) -> io::Result<(Self, PathBuf)> {
        let scratch = Self::in_folder(parent)?;
        let path = scratch.folder.join("copy");
        io::copy(read, &mut fs::File::create_new(&path)?)?;
        Ok((scratch, path))
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove(&self.folder, self.lock.take());
    }
}

/// Removes the folders that killed processes left in another.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes());
        if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let (folder, path) = (entry.path(), entry.path().join(LOCK));
        if !path.is_file() {
            // Only an empty one, which has not got its lock yet, or has lost it, goes by this.
            let _ = fs::remove_dir(&folder);
        } else if let Ok(lock) = Lock::take(&path, "")
            && lock.was_left
        {
            remove(&folder, Some(lock));
        }
    }
}

/// Removes a folder, the lock last: after a kill at any point, and if something cannot be removed, the next process
/// knows that the rest was left.
fn remove(folder: &Path, lock: Option<Lock>) {
    let mut is_empty = true;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name() == LOCK {
            continue;
        }
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let removed = if is_folder { fs::remove_dir_all(entry.path()) } else { fs::remove_file(entry.path()) };
        is_empty &= removed.is_ok();
    }
    if !is_empty {
        return lock.into_iter().for_each(Lock::leave);
    }
    let _ = sync_folder(folder);
    drop(lock);
    let _ = fs::remove_dir(folder);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_goes_with_the_next_one() {
        let parent = tempfile::tempdir().expect("a folder");
        let names = || fs::read_dir(parent.path()).expect("a folder").count();
        let killed = parent.path().join(format!("{PREFIX}killed"));
        fs::create_dir_all(killed.join("db")).expect("made");
        fs::write(killed.join("db/file"), "x").expect("written");
        fs::write(killed.join(LOCK), "pid 1").expect("written");
        fs::create_dir(parent.path().join(format!("{PREFIX}empty"))).expect("made");
        let living = Scratch::in_folder(parent.path()).expect("made");
        assert_eq!(names(), 1, "the killed one's and the empty one are gone");
        fs::write(living.path().join("file"), "x").expect("written");
        let next = Scratch::in_folder(parent.path()).expect("made");
        assert!(living.path().join("file").is_file() && names() == 2);
        let (copy, path) = Scratch::with_copy(parent.path(), &mut &b"a\nb\n"[..]).expect("copied");
        assert_eq!(fs::read(path).expect("there"), b"a\nb\n");
        drop((living, next, copy));
        assert_eq!(names(), 0);
    }
}
