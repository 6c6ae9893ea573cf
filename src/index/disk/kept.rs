//! The sorted file that the catalog is ingesting. A name of it is kept until RocksDB's list of sorted files is durable.

use std::fs;
use std::path::{Path, PathBuf};

use super::copy::link_or_hold;
use super::dir::{Dir, TMP};
use super::files::sync_folder;
use super::steps::step;
use crate::{Error, Result};

/// Its name in the folder for files that are not yet part of the database.
const KEPT: &str = "taken-in.sst";

impl Dir {
    /// Durably renames a sorted file of [`Dir::scratch`] to the name under which it is kept until the catalog has
    /// ingested it, and returns its path.
    pub(crate) fn keep(&self, file: &Path) -> Result<PathBuf> {
        let folder = self.scratch()?;
        let path = folder.join(KEPT);
        let renamed = step("rename the file", &path).and_then(|()| fs::rename(file, &path));
        renamed.map_err(Error::io("rename the file", &path))?;
        sync_folder(&folder)?;
        Ok(path)
    }

    /// Returns the length of the kept file; `None` if there is none.
    pub(crate) fn kept(&self) -> Option<u64> {
        fs::symlink_metadata(self.kept_path()).ok().filter(fs::Metadata::is_file).map(|metadata| metadata.len())
    }

    /// Gives the kept file a name in the catalog, durably.
    pub(crate) fn put_back(&self, name: &str) -> Result<()> {
        self.check_place()?;
        let to = self.catalog().join(name);
        if let Some(mut held) = link_or_hold(&self.kept_path(), &to)? {
            held.copy(&to, &mut |_| Ok(()))?;
        }
        sync_folder(&self.catalog())
    }

    /// Links a new name to the kept file.
    pub(crate) fn show_kept(&self, to: &Path) -> Result<()> {
        let from = self.lasting_path().join(TMP).join(KEPT);
        std::os::unix::fs::symlink(from, to).map_err(Error::io("link the file", to))
    }

    fn kept_path(&self) -> PathBuf {
        self.root().join(TMP).join(KEPT)
    }
}
