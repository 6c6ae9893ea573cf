//! Paths of archives.

use nddb_format::record::Archive;

use super::Writer;
use crate::Result;

impl Writer {
    /// Changes the paths of archives that were moved, in one commit, so that their pages can be read again. Numbers of
    /// no archive are ignored.
    ///
    /// # Errors
    /// Errors of the disk; errors of [`Writer::commit`] for staged documents.
    pub fn move_archives(&mut self, paths: &[(u32, String)]) -> Result<()> {
        self.commit()?;
        let mut counters = self.counters;
        counters.commits += 1;
        let mut commit = self.catalog.begin();
        for (number, path) in paths {
            if let Some(archive) = self.catalog.archive(*number)? {
                commit.archive(*number, &Archive { path: path.clone(), ..archive });
            }
        }
        commit.counters(&counters);
        let written = commit.write();
        self.guard(written)?;
        self.counters = counters;
        Ok(())
    }
}
