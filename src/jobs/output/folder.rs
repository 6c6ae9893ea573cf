//! A folder of outputs, each published when it is complete.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use nddb_remote::is_remote;

use super::file::Destination;
use super::target::{self, PathTarget};
use super::{OutputError, Outputs, Result};
use crate::lock::Lock;

/// The lock of a folder of outputs.
pub(super) const LOCK: &str = ".nddb-lock";

/// A folder of outputs that this run holds. A folder of a store is only a prefix, and no run holds it.
#[derive(Clone, Debug)]
pub struct OutputFolder {
    outputs: Outputs,
    option: String,
    path: PathBuf,
    held: Option<Arc<Held>>,
}

#[derive(Debug)]
struct Held {
    lock: Arc<Lock>,
    /// Folders from which the temporary files of a killed run were removed.
    swept: Mutex<HashSet<PathBuf>>,
}

impl OutputFolder {
    pub(super) fn open(outputs: &Outputs, option: &str, path: &Path) -> Result<Self> {
        super::ending::check_folder(path, option)?;
        let held = if is_remote(path) {
            nddb_remote::check_writable(path).map_err(OutputError::io(path))?;
            None
        } else {
            // Not even an empty folder is made in a database.
            let above = path.ancestors().find_map(|above| nonempty(above).canonicalize().ok());
            above.map_or(Ok(()), |above| outputs.register().refuse_database_around(option, path, &above))?;
            let made_folder = !path.exists();
            fs::create_dir_all(path).map_err(OutputError::io(path))?;
            let place = path.canonicalize().map_err(OutputError::io(path))?;
            outputs.register_folder(option, path, &place)?;
            let mut lock = outputs.lock(path, &place.join(LOCK))?;
            lock.made_folder = made_folder;
            outputs.refuse_held(path, &place)?;
            Some(Arc::new(Held { lock: Arc::new(lock), swept: Mutex::default() }))
        };
        Ok(Self { outputs: outputs.clone(), option: option.into(), path: path.into(), held })
    }

    /// Returns the path as the user gave it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Registers a file by its path below the folder, and makes the folders that it is in.
    ///
    /// # Errors
    /// As [`Outputs::file`].
    pub fn file(&self, name: &Path) -> Result<Destination> {
        let path = self.path.join(name);
        if self.held.is_some() {
            fs::create_dir_all(target::folder_of(&path)).map_err(OutputError::io(&path))?;
        }
        let target = self.outputs.register_target(&self.option, &path)?;
        if let (PathTarget::File { folder, name }, Some(held)) = (&target, &self.held) {
            if let Some(holder) = Lock::holder(&folder.join(target::lock_name(name))) {
                return Err(OutputError::Busy { path, holder });
            }
            held.sweep(folder);
        }
        let lock = self.held.as_ref().map(|held| held.lock.clone());
        Ok(Destination::new(&path, target, lock, self.outputs.clone()))
    }

    pub(super) fn is_local(&self) -> bool {
        self.held.is_some()
    }
}

/// Returns a path, or that of the current folder.
fn nonempty(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

impl Held {
    /// Removes what a killed run left in a folder, once.
    fn sweep(&self, folder: &Path) {
        let mut swept = self.swept.lock().unwrap_or_else(PoisonError::into_inner);
        if self.lock.is_sole && swept.insert(folder.to_owned()) {
            sweep(folder, |stem| Lock::holder(&folder.join(target::lock_of_stem(stem))).is_none());
        }
    }
}

/// Removes temporary files of killed runs from a folder: those whose stem is asked for.
pub(super) fn sweep(folder: &Path, is_wanted: impl Fn(&OsStr) -> bool) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && target::part_stem(&entry.file_name()).is_some_and(&is_wanted) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
