//! Texts in a temporary file, by ordinal.

use super::sources::TextSources;
use crate::Result;
use crate::detect::method::text_summary::UnreadTexts;
use crate::spill::mapped_rows::{MappedRows, MappedRowsWriter};
use crate::spill::resources::Resources;
use crate::spill::sort::Sorter;
use crate::spill::temp_file::{TempFile, TempMap};
use crate::spill::ticker::Ticker;
use crate::text::{DOCUMENT_UNITS, first_units};
use fixedbitset::FixedBitSet;

/// Size of the write buffer in bytes.
const BUFFER_SIZE: usize = 1 << 20;

/// The first 10 KB of texts (Huang et al. 2008, 4), by the ordinals of their documents.
pub struct Kept {
    bytes: TempMap,
    /// Offset of the text and its size plus 1 (0 if not kept), in bytes, for each ordinal up to the last text kept.
    sources: MappedRows<2>,
    /// Documents whose texts could not be read.
    pub unread: UnreadTexts,
}

impl Kept {
    /// Returns the text of a document; `None` if it was not kept.
    pub fn get(&self, ordinal: u32) -> Option<&str> {
        let [start, size] = self.sources.get(ordinal as usize)?;
        let size = size.checked_sub(1)?;
        std::str::from_utf8(self.bytes.as_ref().get(start as usize..(start + size) as usize)?).ok()
    }
}

/// Reads the requested documents and keeps the first 10 KB of each text; passes each to `visit` in the order of
/// reading.
pub fn keep(
    sources: &TextSources,
    wanted: &FixedBitSet,
    resources: &Resources,
    ticker: &Ticker<'_>,
    visit: &mut dyn FnMut(u32, &str) -> Result<()>,
) -> Result<Kept> {
    let (mut file, mut buffer, mut start) = (TempFile::create(&resources.folder)?, Vec::new(), 0);
    let mut sorter = Sorter::<3>::new(&resources.folder, resources.memory_limit / 4);
    let unread = sources.each(wanted, resources, ticker, &mut |ordinal, text| {
        let text = first_units(text, DOCUMENT_UNITS);
        let size = text.len() as u64;
        sorter.push([ordinal.into(), start, size + 1])?;
        start += size;
        buffer.extend_from_slice(text.as_bytes());
        if buffer.len() >= BUFFER_SIZE {
            file.append(&buffer)?;
            buffer.clear();
        }
        visit(ordinal, text)
    })?;
    file.append(&buffer)?;
    let mut by_ordinal = MappedRowsWriter::<2>::new(&resources.folder)?;
    sorter.finish().each(&mut |rows| {
        rows.iter().try_for_each(|&[ordinal, start, size]| {
            while (by_ordinal.len() as u64) < ordinal {
                by_ordinal.push(&[0, 0])?;
            }
            by_ordinal.push(&[start, size])
        })
    })?;
    Ok(Kept { bytes: file.map()?, sources: by_ordinal.finish()?, unread })
}
