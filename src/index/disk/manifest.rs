//! The atomic replacement of MANIFEST, which decides what runs a database has: `MANIFEST.tmp` is
//! written and synced, renamed, and the folder is synced.

use std::fs;

#[cfg(any(test, feature = "testing"))]
use super::bugs::{Bug, bug, hide_new_files};
use super::dir::{Dir, MANIFEST_TMP, write_synced};
use super::files::sync_folder;
use super::steps::step;
use crate::{Error, Result};

impl Dir {
    /// Reads MANIFEST.
    pub(crate) fn read_manifest(&self) -> Result<Vec<u8>> {
        let path = self.manifest_path();
        step("read the file", &path)
            .and_then(|()| super::regular::read_small(&path))
            .map_err(Error::io_of_part("read the file", &path))
    }

    /// Replaces MANIFEST: the one commit point of runs.
    pub(crate) fn replace_manifest(&self, bytes: &[u8]) -> Result<()> {
        self.prepare_manifest(bytes)?;
        self.install_manifest()
    }

    /// Writes the next MANIFEST beside the current one, durably.
    pub(crate) fn prepare_manifest(&self, bytes: &[u8]) -> Result<()> {
        self.check_place()?;
        write_synced(&self.root().join(MANIFEST_TMP), bytes)
    }

    /// Replaces the current MANIFEST by the prepared one. If this fails, either of them may be on disk.
    pub(crate) fn install_manifest(&self) -> Result<()> {
        self.check_place()?;
        let path = self.manifest_path();
        #[cfg(any(test, feature = "testing"))]
        let hidden = bug(Bug::ManifestBeforeRun, &path).then(|| hide_new_files(&self.runs())).flatten();
        let renamed = step("replace the file", &path).and_then(|()| fs::rename(self.root().join(MANIFEST_TMP), &path));
        renamed.map_err(Error::io("replace the file", &path))?;
        #[cfg(any(test, feature = "testing"))]
        if let Some((hidden, path)) = hidden {
            fs::rename(hidden, &path).map_err(Error::io("rename the file", &path))?;
        }
        sync_folder(self.root())
    }

    /// Returns when MANIFEST was published.
    #[cfg(feature = "catalog")]
    pub(crate) fn published(&self) -> Result<Option<std::time::SystemTime>> {
        super::copy::modified(&self.manifest_path())
    }
}
