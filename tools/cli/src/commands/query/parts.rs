//! The databases that a query searches.

use std::path::PathBuf;

use nddb::{Federation, Reader};

use crate::database;
use crate::failure::Result;

/// One database, or several that are searched as one.
pub(in crate::commands) struct Parts<'a> {
    pub(in crate::commands) federation: Federation<'a>,
    /// The path of each database as the user gave it; empty for a single database.
    pub(in crate::commands) names: Vec<String>,
}

impl<'a> Parts<'a> {
    pub(in crate::commands) fn new(dbs: &[PathBuf], readers: &[&'a Reader]) -> Result<Self> {
        let names = dbs.iter().filter(|_| dbs.len() > 1).map(|path| path.display().to_string()).collect();
        Ok(Self { federation: database::federation(dbs, readers)?, names })
    }

    /// Returns the name of a part, if there are several.
    pub(in crate::commands) fn name(&self, part: usize) -> Option<&str> {
        self.names.get(part).map(String::as_str)
    }
}
