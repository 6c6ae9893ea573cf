//! A deleted set: the numbers of deleted documents that runs still hold.

use nddb_cli::frame::Output;
use nddb_format::{FormatError, deleted};
use serde_json::{Map, Value};

use super::file::{self, List, WriteError, start};

/// A decoded deleted set.
pub(super) struct DecodedDeleted<'a> {
    bytes: &'a [u8],
    numbers: Vec<u64>,
}

impl<'a> DecodedDeleted<'a> {
    /// Decodes it, which checks every rule.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, FormatError> {
        Ok(Self { bytes, numbers: deleted::decode(bytes)?.into_iter().collect() })
    }
}

impl file::DecodedFile for DecodedDeleted<'_> {
    fn head(&self) -> Map<String, Value> {
        let mut head = start("deleted set", self.bytes);
        head.insert("count".into(), self.numbers.len().into());
        head
    }

    fn write_long_parts(&self, output: &mut Output) -> Result<(), WriteError> {
        let mut numbers = List::begin(output, "numbers")?;
        for number in &self.numbers {
            numbers.push(&number.to_string())?;
        }
        numbers.end()?;
        Ok(())
    }

    fn summary(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}
