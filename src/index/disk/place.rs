//! A folder that is held open, and whether a path still leads to it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::system;
use crate::{Error, Result};

/// A folder that is held open. It remains the same folder whatever happens to its name. While it is held, no folder
/// created later can be mistaken for it.
#[derive(Debug)]
pub(super) struct HeldFolder {
    /// `None` if the system cannot hold a folder open; then any folder at the path is taken for it.
    folder: Option<File>,
    /// The path as given, and the same path from the root of the file system.
    given: PathBuf,
    path: PathBuf,
}

impl HeldFolder {
    /// Opens a folder.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let folder = system::open_folder(path).map_err(Error::io("open the folder", path))?;
        let whole = std::path::absolute(path).map_err(Error::io("find the folder", path))?;
        Ok(Self { folder, given: path.into(), path: whole })
    }

    /// Returns the path as it was given, for messages; from the root of the file system if the process has changed its
    /// folder since then.
    pub(super) fn path(&self) -> &Path {
        let leads_there = self.given == self.path || std::path::absolute(&self.given).is_ok_and(|now| now == self.path);
        if leads_there { &self.given } else { &self.path }
    }

    /// Returns whether the path still leads to the folder.
    pub(super) fn is_at_its_path(&self) -> Result<bool> {
        let Some(folder) = &self.folder else { return Ok(self.path.is_dir()) };
        is_at(folder, &self.path).map_err(Error::io("look at the folder", &self.path))
    }

    /// Returns a path that leads to the folder even after it has been moved and is valid only in this process; if the
    /// system has no such path, the path by which it was opened.
    pub(super) fn lasting_path(&self) -> PathBuf {
        let lasting = self
            .folder
            .as_ref()
            .and_then(|folder| system::path_of_open(folder).filter(|path| is_at(folder, path).unwrap_or(false)));
        lasting.unwrap_or_else(|| self.path.clone())
    }
}

/// Returns whether a path leads to an open file or folder; on a system that does not tell files apart, whether there is
/// one.
pub(super) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(there) => Ok(system::identity(&there) == system::identity(&file.metadata()?)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_held_is_known_again_wherever_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, moved) = (folder.path().join("a"), folder.path().join("b"));
        fs::create_dir(&path).expect("made");
        fs::write(path.join("file"), "first").expect("written");
        let place = HeldFolder::open(&path).expect("opened");
        assert!(place.is_at_its_path().expect("looked at"));
        fs::rename(&path, &moved).expect("moved");
        assert!(!place.is_at_its_path().expect("looked at"), "nothing is there");
        fs::create_dir(&path).expect("made");
        assert!(!place.is_at_its_path().expect("looked at"), "another one is there");
        if cfg!(target_os = "linux") {
            assert_eq!(fs::read(place.lasting_path().join("file")).expect("found"), b"first");
        }
        fs::remove_dir_all(&path).expect("removed");
        fs::rename(&moved, &path).expect("moved back");
        assert!(place.is_at_its_path().expect("looked at"));
    }
}
