//! Rows of CSV, passed on byte for byte below their header.

use std::io::Write;

use nddb::archive::{EntryContent, Input, Located, Options};

use super::lists::Fate;
use super::outs::Outs;
use super::selection::{Counts, Selection};
use crate::failure::{Failure, Result};

/// The input, and how its rows are read.
pub(super) struct Rows<'a> {
    pub(super) located: &'a Located,
    pub(super) options: &'a Options,
}

impl Rows<'_> {
    /// Passes the rows on.
    pub(super) fn filter(
        self,
        selection: &mut Selection,
        outs: &mut Outs<'_>,
        progress: &mut dyn FnMut(&Counts) -> Result<()>,
    ) -> Result<Counts> {
        let mut counts = Counts::default();
        let mut input = self.located.open(self.options)?;
        input.keep_records();
        // The header.
        write(&input, &mut outs.both())?;
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
            write(&input, &mut outs.one(selection.leaves(fate)))?;
            counts.bytes = input.payload_bytes();
            if counts.rows.is_multiple_of(1 << 12) {
                progress(&counts)?;
            }
        }
        // Line ends after the last row.
        write(&input, &mut outs.both())?;
        counts.bytes = input.payload_bytes();
        Ok(counts)
    }
}

fn write(input: &Input, to: &mut dyn Write) -> Result<()> {
    to.write_all(input.row().unwrap_or_default()).map_err(|error| Failure::unwritten(&error))
}
