//! Writing of an archive with revisit records in place of pages. All other bytes are copied.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use crate::filter::Cursor;
use crate::input;
use crate::output::Destination;
use crate::packed::{PackedFile, Packing};
use nddb_archive::Options;

use super::decide::{Here, Revisit};
use super::{RevisitInput, RevisitsSummary, record};
use crate::error::{JobError, Result};

/// Copies an input to an output.
pub(super) fn copy(
    (number, opened): (usize, &RevisitInput),
    revisits: &HashMap<Here, Revisit>,
    to: &Destination,
    progress: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<RevisitsSummary> {
    let RevisitInput { path, options, packing, .. } = opened;
    let mut counts = RevisitsSummary::default();
    let mut input = open(path, options)?;
    let mut copying =
        Copying { path, cursor: Cursor::begin(path, *packing)?, out: PackedFile::create(to, Packing::Plain)? };
    let packed = |record, packing| record::packed(record, packing).map_err(|error| JobError::reading(path, &error));
    // The bytes of the revisit record that replaces the record before, if it becomes one.
    let mut instead: Option<Vec<u8>> = None;
    while let Some(entry) = input.next()? {
        let begin = entry.position.offset;
        copying.write(instead.take(), begin)?;
        counts.records += 1;
        if let Some(whole) = input.whole_record() {
            let revisit = revisits.get(&(number, begin));
            if let Some((revisit, http)) = revisit.zip(whole.http()) {
                instead = Some(packed(record::bytes(whole, &http, revisit), *packing)?);
                let count = if revisit.is_identical { &mut counts.identical } else { &mut counts.near };
                *count += 1;
            }
        }
        if counts.records.is_multiple_of(1 << 8) {
            progress(counts.records)?;
        }
    }
    counts.bytes_in = input::size(path);
    copying.write(instead, counts.bytes_in)?;
    counts.bytes_out = copying.out.finish()?;
    Ok(counts)
}

/// Opens an input that keeps its records.
pub(super) fn open(path: &Path, options: &Options) -> Result<nddb_archive::Input> {
    let mut input = nddb_archive::Input::open(path, options)?;
    input.keep_records();
    Ok(input)
}

struct Copying<'a> {
    path: &'a Path,
    cursor: Cursor<'a>,
    out: PackedFile,
}

impl Copying<'_> {
    /// Writes a record that ends at this offset of the input, or what replaces it.
    fn write(&mut self, instead: Option<Vec<u8>>, end: u64) -> Result<()> {
        match instead {
            Some(bytes) => {
                self.out.write_all(&bytes).map_err(|error| JobError::passing(self.path, error))?;
                Ok(self.cursor.pass_over(end, &mut self.out)?)
            }
            None => Ok(self.cursor.pass(end, Some(&mut self.out))?),
        }
    }
}
