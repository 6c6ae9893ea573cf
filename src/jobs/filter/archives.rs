//! The archives of a database among the inputs.

use std::cell::LazyCell;
use std::path::Path;

use nddb_archive::{Options, identity, path_of};
use nddb_format::record::Archive;
use nddb_index::View;

use crate::error::Result;
use crate::input;

/// Returns whether an archive was loaded from this file, or from what was there before.
fn is_path_of(archive: &Archive, file: &Path) -> bool {
    let path = path_of(&archive.path);
    path == file || input::is_same_file(&path, file)
}

/// The archives that a database knows, by their numbers.
pub(crate) struct Archives(Vec<(u32, Archive)>);

impl Archives {
    /// Those of no database.
    pub(super) fn none() -> Self {
        Self(Vec::new())
    }

    /// Those of this view.
    ///
    /// # Errors
    /// Damage of the database.
    pub(crate) fn read(view: View<'_>) -> Result<Self> {
        Ok(Self(view.archives()?))
    }

    /// Returns how an input is read: as when it was loaded.
    pub(crate) fn options(&self, input: &Path) -> Options {
        let size = LazyCell::new(|| input::size(input));
        // A file that was moved has its name and its size.
        let is_meant = |archive: &&Archive| {
            let path = path_of(&archive.path);
            path == input || (path.file_name() == input.file_name() && *size == archive.size)
        };
        let last = self.0.iter().rev().map(|(_, archive)| archive).find(is_meant);
        last.map_or_else(Options::default, |archive| Options::from_reading(archive.reading.as_ref()))
    }

    /// Returns the numbers of the archives that a file is: those under its path with its content, else all with that.
    /// It may have been loaded several times, by other options.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn numbers(&self, file: &Path) -> Result<Vec<u32>> {
        let size = input::size(file);
        if self.0.iter().all(|(_, archive)| archive.size != size) {
            return Ok(Vec::new());
        }
        let identity = identity(file)?;
        let all = || self.0.iter().filter(|(_, archive)| identity.is_of(archive));
        let here: Vec<u32> = all()
            .filter(|(_, archive)| is_path_of(archive, file) && identity.is_unmodified(archive))
            .map(|(number, _)| *number)
            .collect();
        // Under its own path, a file with another time has other content between its ends, or may have.
        let is_changed = self.0.iter().any(|(_, archive)| is_path_of(archive, file));
        Ok(if here.is_empty() && !is_changed { all().map(|(number, _)| *number).collect() } else { here })
    }

    /// Returns whether a file was loaded from this path, and was changed since.
    pub(super) fn is_changed(&self, file: &Path) -> Result<bool> {
        Ok(self.0.iter().any(|(_, archive)| is_path_of(archive, file)) && self.numbers(file)?.is_empty())
    }
}
