//! The outputs of a run: files, folders of files, lists that belong together, remote objects, stdout.
//!
//! Each run registers what it reads, and then its outputs, in one [`Outputs`]. An output is refused if it is (by device
//! and inode, through links; by address in a store) something that the run reads, or another output of the run, or in
//! the folder of a database.
//!
//! # How a file is written
//!
//! A path that is a link stands for the file it leads to; the link stays. In the folder of that file, which is called
//! `OUT` here, these calls are made in this order:
//!
//! 1. `open(.OUT.nddb-lock, O_CREAT | O_NOFOLLOW)` and `flock` it: a second run to `OUT` ends here, and names the
//!    holder, whose description is in the file. Temporary files that are there already are those of a run that was
//!    killed, or whose power was cut: they are removed.
//! 2. `open(.OUT.RANDOM.nddb-part, O_CREAT | O_EXCL)`, with the mode of the file that will be replaced; `write`.
//! 3. `fsync` it, `rename` it to `OUT`, `fsync` the folder.
//! 4. `unlink(.OUT.nddb-lock)`.
//!
//! A run that fails removes its temporary file. One that is killed leaves `OUT` as it was, and what it leaves beside it
//! goes with the next run to `OUT`. Where folders are not the same to all processes (network file systems without
//! locks), two runs may both write, and the last to end wins; nothing is ever mixed.
//!
//! What the ending of a name says of the format is in [`format_of`], [`check_format`], [`check_list`],
//! [`check_page`] and [`check_copy`].
//!
//! A folder of outputs has one lock, `.nddb-lock` in it, for all of its files ([`OutputFolder`]); [`OutputLists`] are
//! published together. An object of a store is sent when it is complete. Devices, pipes, and file descriptors under
//! /dev and /proc are written directly, and so is stdout.

mod ending;
mod error;
mod file;
mod folder;
mod list;
mod lists;
mod target;

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nddb_archive::Located;

pub use self::ending::{check_copy, check_format, check_list, check_page, format_of};
pub use self::error::OutputError;
pub(crate) use self::file::sync_folder;
pub use self::file::{Destination, OutputFile};
pub use self::folder::OutputFolder;
pub use self::list::ListTally;
pub use self::lists::{OutputLists, UNFINISHED};
pub use self::target::is_nameless;
use self::target::{Identity, PathTarget};
use crate::lock::{Lock, Refused};

/// A `Result` of this module.
pub type Result<T> = std::result::Result<T, OutputError>;

/// What a run reads and writes. Clones are handles of one register.
#[derive(Clone, Debug, Default)]
pub struct Outputs(Arc<Mutex<Register>>);

#[derive(Debug, Default)]
struct Register {
    /// What other runs are told of this one.
    holder: String,
    /// What is read, and as what.
    read: HashMap<Identity, String>,
    /// What is written, and what named it.
    written: HashMap<Identity, String>,
    /// Files that have their names.
    published: HashMap<Identity, PathBuf>,
    /// Folders that are in no database.
    clear: HashSet<PathBuf>,
    /// Folders of outputs that this run holds, without links.
    held: Vec<PathBuf>,
    /// Files of earlier runs that were replaced.
    replaced: Vec<PathBuf>,
}

impl Outputs {
    /// Describes this run to others that find an output locked: process, host and command.
    pub fn hold_as(&self, holder: impl Into<String>) {
        self.register().holder = holder.into();
    }

    /// Notes a file or remote object that the run reads, with what it is to the user: "an input". It must not be an
    /// output that was registered before.
    pub fn reads(&self, read_as: &str, path: &Path) {
        if let Some(identity) = Identity::read(path) {
            self.register().read.entry(identity).or_insert_with(|| read_as.to_owned());
        }
    }

    /// Notes the inputs that the run reads, as [`Outputs::reads`] does.
    pub fn reads_inputs(&self, inputs: &[Located]) {
        inputs.iter().for_each(|input| self.reads("an input", &input.path));
    }

    /// Registers a file, a remote object, or stdout (`-`) as an output that `option` names, and locks it.
    ///
    /// # Errors
    /// [`OutputError`], each of its kinds; nothing was written.
    pub fn file(&self, option: &str, path: &Path) -> Result<Destination> {
        let target = self.register_target(option, path)?;
        let lock = match &target {
            PathTarget::File { folder, name } => Some(Arc::new(self.lock_file(path, folder, name)?)),
            _ => None,
        };
        Ok(Destination::new(path, target, lock, self.clone()))
    }

    /// Registers a folder of outputs, makes it unless it exists, and locks it.
    ///
    /// # Errors
    /// As [`Outputs::file`].
    pub fn folder(&self, option: &str, path: &Path) -> Result<OutputFolder> {
        OutputFolder::open(self, option, path)
    }

    /// Registers a folder of lists that are published together, the last one as `summary`, and locks the folder.
    /// `earlier` are the names that a run may write or not: those of an earlier run are removed at the end.
    ///
    /// # Errors
    /// As [`Outputs::file`].
    pub fn lists(&self, option: &str, path: &Path, summary: &str, earlier: &[&str]) -> Result<OutputLists> {
        Ok(OutputLists::open(self.folder(option, path)?, summary, earlier))
    }

    /// Returns stdout as an output, for a command that is not told where to write.
    #[must_use]
    pub fn stdout(&self) -> Destination {
        self.register().written.entry(Identity::Stdout).or_insert_with(|| "stdout".into());
        Destination::new(Path::new("stdout"), PathTarget::Stdout, None, self.clone())
    }

    /// Returns whether an output goes to stdout.
    #[must_use]
    pub fn is_stdout_taken(&self) -> bool {
        self.register().written.contains_key(&Identity::Stdout)
    }

    /// Returns the files of earlier runs that this one has replaced, in order.
    #[must_use]
    pub fn replaced(&self) -> Vec<PathBuf> {
        self.register().replaced.clone()
    }

    fn register(&self) -> MutexGuard<'_, Register> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Follows a path, and registers where it leads; refuses what must not be written.
    fn register_target(&self, option: &str, path: &Path) -> Result<PathTarget> {
        let target = PathTarget::of(path).map_err(OutputError::io(path))?;
        let option_of = || option.to_owned();
        let target = target.ok_or_else(|| OutputError::IsFolder { path: path.into(), option: option_of() })?;
        if let PathTarget::File { name, .. } = &target
            && target::is_reserved(name)
        {
            return Err(OutputError::Reserved { path: path.into() });
        }
        ending::check_compression(path)?;
        let mut register = self.register();
        let existing = target.existing();
        if let Some(read_as) = existing.as_ref().and_then(|identity| register.read.get(identity)) {
            return Err(OutputError::Input { path: path.into(), option: option_of(), read_as: read_as.clone() });
        }
        register.refuse_in_database(option, path, &target)?;
        let place = target.place();
        // Where names differ only in case, the file system may take another output to be the same.
        let published = existing.filter(|identity| register.is_published(identity)).map(|_| option_of());
        if let Some(other) = register.written.get(&place).cloned().or(published).filter(|_| !target.is_shared()) {
            return Err(OutputError::Twice { path: path.into(), option: option_of(), other });
        }
        register.written.insert(place, option_of());
        Ok(target)
    }

    /// Registers a folder of outputs by its path without links.
    fn register_folder(&self, option: &str, path: &Path, place: &Path) -> Result<()> {
        let mut register = self.register();
        register.refuse_database_around(option, path, place)?;
        let found = std::fs::metadata(place).map_err(OutputError::io(path))?;
        if let Some(other) = register.written.insert(Identity::of(&found), option.into()) {
            return Err(OutputError::Twice { path: path.into(), option: option.into(), other });
        }
        register.held.push(place.into());
        Ok(())
    }

    /// Locks a file for this run, and removes what a killed run left beside it.
    fn lock_file(&self, path: &Path, folder: &Path, name: &OsStr) -> Result<Lock> {
        let lock = self.lock(path, &folder.join(target::lock_name(name)))?;
        self.refuse_held(path, folder)?;
        if lock.is_sole {
            folder::sweep(folder, |stem| stem == target::stem(name));
        }
        Ok(lock)
    }

    /// Refuses what is below a folder that another run holds.
    fn refuse_held(&self, path: &Path, folder: &Path) -> Result<()> {
        let held = self.register().held.clone();
        let others = folder.ancestors().filter(|around| !held.iter().any(|own| own == around));
        match others.into_iter().find_map(|around| Lock::holder(&around.join(folder::LOCK))) {
            Some(holder) => Err(OutputError::Busy { path: path.into(), holder }),
            None => Ok(()),
        }
    }

    fn lock(&self, path: &Path, lock: &Path) -> Result<Lock> {
        let holder = self.register().holder.clone();
        Lock::take(lock, &holder).map_err(|refused| match refused {
            Refused::Held(holder) => OutputError::Busy { path: path.into(), holder },
            Refused::Io(source) => OutputError::Io { path: path.into(), source },
        })
    }

    /// Notes a file that has its final name now, and how the user named one that it replaced.
    fn published(&self, path: &Path, replaced: Option<&Path>) {
        let mut register = self.register();
        register.published.extend(Identity::read(path).map(|identity| (identity, path.to_owned())));
        register.replaced.extend(replaced.map(Path::to_owned));
    }
}

impl Register {
    /// Returns whether a file is one that this run gave its name, and that is there.
    fn is_published(&self, identity: &Identity) -> bool {
        self.published.get(identity).is_some_and(|path| Identity::read(path).as_ref() == Some(identity))
    }

    /// Refuses a file in the folder of a database.
    fn refuse_in_database(&mut self, option: &str, path: &Path, target: &PathTarget) -> Result<()> {
        match target.path() {
            Some(place) => self.refuse_database_around(option, path, target::folder_of(&place)),
            None => Ok(()),
        }
    }

    /// Refuses a folder, without links, that is a database or in one.
    fn refuse_database_around(&mut self, option: &str, path: &Path, folder: &Path) -> Result<()> {
        if self.clear.contains(folder) {
            return Ok(());
        }
        if let Some(database) = target::database_around(folder) {
            let database = database.to_owned();
            return Err(OutputError::InDatabase { path: path.into(), option: option.into(), database });
        }
        self.clear.insert(folder.to_owned());
        Ok(())
    }
}

#[cfg(test)]
mod tests;
