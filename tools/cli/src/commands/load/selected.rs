//! `--select`: the records of archives that an index names.

use std::path::PathBuf;

use nddb::archive::{Inputs, Selected, Selection};
use serde_json::{Value, json};

use super::skipped::Skipped;
use crate::failure::{Code, Failure, Result, Told};
use crate::quantity::{counted, grouped};

/// Maximum number of names of archives in a message.
const NAMED: usize = 3;

/// The records of the inputs that an index selects.
pub(super) struct Choice {
    archives: u64,
    ranges: u64,
    unnamed: u64,
    absent: Vec<(String, u64)>,
}

impl Choice {
    /// Reads the index, and finds its archives among the inputs. Inputs that the index does not name are omitted.
    pub(super) fn make(index: &[PathBuf], inputs: Inputs) -> Result<(Inputs, Self)> {
        let hint = "an index has columns warc_filename, warc_record_offset and warc_record_length";
        let refused = |error: nddb::archive::ArchiveError| match Failure::from(error) {
            Failure::Told(told) => told.hint(hint).into(),
            other => other,
        };
        let selection = Selection::read(index).map_err(refused)?;
        let Selected { inputs, ranges, unnamed, absent } = selection.choose(inputs)?;
        let choice = Self { archives: inputs.located.len() as u64, ranges, unnamed, absent };
        if inputs.located.is_empty() {
            let message = match choice.absent.len() as u64 {
                0 => "the index has no rows, so no record is selected".to_owned(),
                count => format!(
                    "none of {} of the index is among the inputs: {}",
                    counted(count, "archive"),
                    choice.names()
                ),
            };
            return Err(Told::new(Code::Failed, message)
                .hint("name the archives or the folder that they are in; they are known by the ends of their paths")
                .into());
        }
        Ok((inputs, choice))
    }

    /// Returns the names of the first absent archives.
    fn names(&self) -> String {
        let names: Vec<&str> = self.absent.iter().take(NAMED).map(|(name, _)| name.as_str()).collect();
        names.join(", ") + if self.absent.len() > NAMED { ", ..." } else { "" }
    }

    /// Lists the absent archives.
    pub(super) fn list(&self, skipped: &mut Skipped) -> Result<()> {
        self.absent.iter().try_for_each(|(name, ranges)| skipped.write_absent(name, *ranges))
    }

    pub(super) fn is_whole(&self) -> bool {
        self.absent.is_empty()
    }

    fn absent_ranges(&self) -> u64 {
        self.absent.iter().map(|(_, ranges)| ranges).sum()
    }

    pub(super) fn value(&self) -> Value {
        json!({
            "archives": self.archives,
            "records": self.ranges,
            "archives_absent": self.absent.len(),
            "records_absent": self.absent_ranges(),
            "inputs_unnamed": self.unnamed,
        })
    }

    /// Returns the end of the summary.
    pub(super) fn summary(&self) -> String {
        let mut text =
            format!("; selected {} of {}", counted(self.ranges, "record"), counted(self.archives, "archive"));
        if !self.absent.is_empty() {
            let count = counted(self.absent.len() as u64, "archive");
            let ranges = grouped(self.absent_ranges());
            text += &format!("; {count} with {ranges} more not among the inputs: {}", self.names());
        }
        text
    }
}
