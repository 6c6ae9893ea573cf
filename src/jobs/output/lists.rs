//! A folder of lists that are published together.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::PoisonError;

use super::file::{OutputFile, Sealed, sync_folder};
use super::folder::OutputFolder;
use super::list::{Complete, ListTally};
use super::{OutputError, Result};

/// The content of the summary while the lists are replaced.
pub const UNFINISHED: &[u8] = b"{\"unfinished\": true}\n";

/// A folder of lists that are published together. First a summary is published that says [`UNFINISHED`], then the
/// lists, then the summary that has the number of lines, the size and the hash of each. So lists of two runs are never
/// taken for those of one: between the first and the last step the summary tells it.
#[derive(Debug)]
pub struct OutputLists {
    folder: OutputFolder,
    summary: String,
    /// Names that an earlier run may have left.
    earlier: Vec<String>,
    complete: Complete<Sealed>,
}

impl OutputLists {
    pub(super) fn open(folder: OutputFolder, summary: &str, earlier: &[&str]) -> Self {
        let earlier = earlier.iter().map(|&name| name.to_owned()).collect();
        Self { folder, summary: summary.into(), earlier, complete: Complete::default() }
    }

    /// Begins a list. By [`OutputFile::finish`] it is complete; it gets its name by [`OutputLists::publish`].
    ///
    /// # Errors
    /// As [`Outputs::file`](super::Outputs::file).
    pub fn begin(&self, name: &str) -> Result<OutputFile> {
        Ok(self.folder.file(Path::new(name))?.create()?.in_list(name, self.complete.clone()))
    }

    /// Returns the lists that are complete, by name.
    #[must_use]
    pub fn tallies(&self) -> Vec<(String, ListTally)> {
        let complete = self.complete.lock().unwrap_or_else(PoisonError::into_inner);
        complete.iter().map(|(name, (_, tally))| (name.clone(), *tally)).collect()
    }

    /// Publishes all lists, and the summary with this content at last.
    ///
    /// # Errors
    /// [`OutputError`], each of its kinds. If some lists have their names and others do not, the summary in the folder
    /// says [`UNFINISHED`].
    pub fn publish(self, summary: &[u8]) -> Result<()> {
        let to = self.folder.file(Path::new(&self.summary))?;
        // Both are on the disk before anything is replaced, because it may be full.
        let write = |content: &[u8]| {
            let mut file = to.create()?;
            file.write_all(content).map_err(|error| file.failed(error))?;
            file.seal()
        };
        let (unfinished, whole) = (write(UNFINISHED)?, write(summary)?);
        let replaces = whole.replaces();
        unfinished.publish_quietly()?;
        let complete = std::mem::take(&mut *self.complete.lock().unwrap_or_else(PoisonError::into_inner));
        let is_new = |name: &String| !complete.contains_key(name);
        self.earlier.iter().filter(|name| is_new(name)).try_for_each(|name| self.remove(name))?;
        for (sealed, _) in complete.into_values() {
            sealed.rename()?;
        }
        if self.folder.is_local() {
            sync_folder(self.folder.path()).map_err(OutputError::io(self.folder.path()))?;
        }
        whole.publish_telling(replaces)
    }

    /// Removes a file of an earlier run.
    fn remove(&self, name: &str) -> Result<()> {
        let path = self.folder.path().join(name);
        let removed = if self.folder.is_local() { fs::remove_file(&path) } else { nddb_remote::remove(&path) };
        match removed {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(OutputError::Io { path, source: error }),
            _ => Ok(()),
        }
    }
}
