//! Writing of an archive with revisit records in place of pages. All other bytes are copied.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use nddb::archive::Options;

use super::cdxj::Capture;
use super::decide::{Here, Revisit};
use super::{Counts, Opened, record};
use crate::commands::filter::records::Cursor;
use crate::failure::{Failure, Result};
use crate::inputs::{self, Packing};
use crate::output::{Counted, Published};

/// A record that has been read and not written; it ends where the next one begins.
#[derive(Default)]
struct Pending {
    /// The bytes of the revisit record that replaces it, if it becomes one.
    instead: Option<Vec<u8>>,
    capture: Option<Capture>,
    /// Number of bytes of the record without those up to the next one, if it is not compressed.
    length: Option<u64>,
}

/// Copies an input to an output. Lines of the index go to `lines`, if there is one.
pub(super) fn copy(
    (number, opened): (usize, &Opened),
    revisits: &HashMap<Here, Revisit>,
    output: &Path,
    mut lines: Option<&mut Vec<String>>,
    progress: &mut dyn FnMut(&Counts) -> Result<()>,
) -> Result<Counts> {
    let Opened { path, options, packing, .. } = opened;
    let mut counts = Counts::default();
    let mut input = open(path, options)?;
    let mut copying = Copying {
        cursor: Cursor::begin(path, *packing)?,
        out: Counted::new(Published::create(output, Packing::Plain)?),
        file: output.file_name().unwrap_or_default().to_string_lossy().into_owned(),
    };
    let mut pending = Pending::default();
    while let Some(entry) = input.next()? {
        let begin = entry.position.offset;
        copying.write(pending, begin, lines.as_deref_mut())?;
        pending = Pending::default();
        counts.records += 1;
        if let Some(whole) = input.whole_record() {
            let revisit = revisits.get(&(number, begin));
            if let Some((revisit, http)) = revisit.zip(whole.http()) {
                pending.instead = Some(record::packed(record::bytes(whole, &http, revisit), *packing)?);
                let count = if revisit.is_identical { &mut counts.identical } else { &mut counts.near };
                *count += 1;
            }
            if *packing == Packing::Plain {
                let length = pending.instead.as_ref().map(|bytes| (bytes.len() - record::END.len()) as u64);
                pending.length = Some(length.unwrap_or(entry.position.length));
            }
            pending.capture = lines.as_ref().and_then(|_| Capture::of(whole, pending.instead.is_some()));
        }
        if counts.records.is_multiple_of(1 << 8) {
            counts.bytes_in = begin;
            progress(&counts)?;
        }
    }
    counts.bytes_in = inputs::size(path);
    copying.write(pending, counts.bytes_in, lines)?;
    counts.bytes_out = copying.out.finish()?;
    Ok(counts)
}

/// Opens an input that keeps its records.
pub(super) fn open(path: &Path, options: &Options) -> Result<nddb::archive::Input> {
    let mut input = nddb::archive::Input::open(path, options)?;
    input.keep_records();
    Ok(input)
}

struct Copying<'a> {
    cursor: Cursor<'a>,
    out: Counted,
    /// The name of the output, for the index.
    file: String,
}

impl Copying<'_> {
    /// Writes a record that ends at this offset of the input.
    fn write(&mut self, pending: Pending, end: u64, lines: Option<&mut Vec<String>>) -> Result<()> {
        let begin = self.out.bytes();
        let length = match pending.instead {
            Some(bytes) => {
                self.out.write_all(&bytes).map_err(|error| Failure::unwritten(&error))?;
                let length = self.out.bytes() - begin;
                self.cursor.pass_over(end, &mut self.out)?;
                length
            }
            None => {
                self.cursor.pass(end, Some(&mut self.out))?;
                self.out.bytes() - begin
            }
        };
        if let Some((capture, lines)) = pending.capture.zip(lines) {
            let length = pending.length.unwrap_or(length);
            lines.push(capture.line(begin, length, &self.file));
        }
        Ok(())
    }
}
