//! A frame table: the blocks that stand on many pages of a site, by hashes.

use nddb_format::FormatError;
use nddb_format::frames::Frames;
use serde_json::{Map, Value};

use super::file::{self, List, WriteError, start};
use crate::output::Output;

/// A frame table.
pub(super) struct File<'a>(Frames<&'a [u8]>);

impl<'a> File<'a> {
    /// Opens it, which checks every rule.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, FormatError> {
        Frames::open(bytes).map(Self)
    }
}

impl file::File for File<'_> {
    fn head(&self) -> Map<String, Value> {
        let mut head = start("frame table", self.0.as_bytes());
        head.insert("recipe".into(), self.0.recipe().into());
        head.insert("count".into(), self.0.len().into());
        head
    }

    fn write_long_parts(&self, output: &mut Output) -> Result<(), WriteError> {
        let mut entries = List::begin(output, "entries")?;
        for (site, block) in self.0.entries() {
            entries.push(&format!("[\"{site:016x}\",\"{block:016x}\"]"))?;
        }
        entries.end()?;
        Ok(())
    }

    fn summary(&self) -> Vec<(&'static str, String)> {
        let mut sites: Vec<u64> = self.0.entries().map(|(site, _)| site).collect();
        sites.dedup();
        vec![("sites", sites.len().to_string())]
    }
}
