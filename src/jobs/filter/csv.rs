//! Rows of CSV, passed on byte for byte below their header.

use std::io::Write;

use nddb_archive::{EntryContent, Input, Located, Options};

use super::outs::Outs;
use super::remove_list::Fate;
use super::selection::{FilterCounts, Selection};
use crate::error::{JobError, Result};

/// The input, and how its rows are read.
pub(super) struct CsvRows<'a> {
    pub(super) located: &'a Located,
    pub(super) options: &'a Options,
}

impl CsvRows<'_> {
    /// Passes the rows on.
    pub(super) fn filter(
        self,
        selection: &mut Selection,
        outs: &mut Outs<'_>,
        progress: &mut dyn FnMut(&FilterCounts) -> Result<()>,
    ) -> Result<FilterCounts> {
        let mut counts = FilterCounts::default();
        let mut input = self.located.open(self.options)?;
        input.keep_records();
        // The header.
        self.write(&input, &mut outs.both())?;
        while let Some(entry) = input.next()? {
            let id = match &entry.content {
                EntryContent::Page(page) => Some(&page.id),
                EntryContent::Fingerprint { id, .. } => Some(id),
                _ => None,
            };
            let fate = match id {
                Some(id) => selection.decide(Some(id), Some(entry.position)),
                None => Fate::Kept,
            };
            match id {
                Some(_) => counts.add(fate),
                None => counts.without_id += 1,
            }
            self.write(&input, &mut outs.one(selection.leaves(fate)))?;
            counts.bytes = input.payload_bytes();
            if counts.rows.is_multiple_of(1 << 12) {
                progress(&counts)?;
            }
        }
        // Line ends after the last row.
        self.write(&input, &mut outs.both())?;
        counts.bytes = input.payload_bytes();
        Ok(counts)
    }

    /// Writes the bytes of the row that was read last.
    fn write(&self, input: &Input, to: &mut dyn Write) -> Result<()> {
        let written = to.write_all(input.row().unwrap_or_default());
        written.map_err(|error| JobError::passing(&self.located.path, error))
    }
}
