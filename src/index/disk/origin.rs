//! ORIGIN: the identity of a restored database (SPEC.md 8.9).

use nddb_format::backup::BackupOrigin;

use super::copy::read_small;
use super::dir::{Dir, write_synced};
use crate::{Error, Result};

const ORIGIN: &str = "ORIGIN";

impl Dir {
    /// Returns where the database comes from; `None` if it was created.
    ///
    /// # Errors
    /// [`Error::Inconsistent`] if the file is damaged.
    pub(crate) fn origin(&self) -> Result<Option<BackupOrigin>> {
        let path = self.root().join(ORIGIN);
        let bytes = match read_small(&path) {
            Err(error) if error.is_missing_file() => return Ok(None),
            read => read?,
        };
        let what = "is damaged; without this file, backups count as those of the database from which this one was \
                    restored: if there are none beside them, remove it";
        BackupOrigin::decode(&bytes).map(Some).ok_or_else(|| Error::Inconsistent { path, what: what.into() })
    }

    /// Writes the origin of a restored database, durably except for its name.
    pub(crate) fn write_origin(&self, origin: &BackupOrigin) -> Result<()> {
        write_synced(&self.root().join(ORIGIN), origin.encode().as_bytes())
    }
}
