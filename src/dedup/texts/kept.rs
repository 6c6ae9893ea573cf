//! Texts in a temporary file, by ordinal.

use fixedbitset::FixedBitSet;
use nddb_index::Result;
use nddb_index::spill::mapped_rows::{MappedRows, MappedRowsWriter};
use nddb_index::spill::progress::Ticker;
use nddb_index::spill::resources::Resources;
use nddb_index::spill::sort::Sorter;
use nddb_index::spill::temp_file::{TempFile, TempMap};
use nddb_page::text::{DOCUMENT_UNITS, first_units};

use super::sources::TextSources;
use crate::text_summary::UnreadTexts;

/// Size of the write buffer in bytes.
const BUFFER_SIZE: usize = 1 << 20;

/// Texts by the ordinals of their documents: all of them, or the first 10 KB (Huang et al. 2008, 4).
pub struct Kept {
    bytes: TempMap,
    /// For each ordinal up to the last text kept: offset of the text, and its size plus 1 (0 if not kept), in bytes.
    sources: MappedRows<2>,
    /// Documents whose texts could not be read.
    pub unread: UnreadTexts,
}

impl Kept {
    /// Returns the text of a document; `None` if it was not kept.
    pub fn get(&self, ordinal: u32) -> Option<&str> {
        std::str::from_utf8(self.bytes_of(ordinal)?).ok()
    }

    /// Returns the bytes that were kept of a document.
    pub(super) fn bytes_of(&self, ordinal: u32) -> Option<&[u8]> {
        let [start, size] = self.sources.get(ordinal as usize)?;
        self.bytes.as_ref().get(start as usize..(start + size.checked_sub(1)?) as usize)
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
    let mut writer = KeptWriter::new(resources)?;
    let unread = sources.each_page(wanted, resources, ticker, &mut |ordinal, page| {
        let text = sources.part().text_of(&page);
        let text = first_units(&text, DOCUMENT_UNITS);
        writer.push(ordinal, text)?;
        visit(ordinal, text)
    })?;
    writer.finish(unread)
}

/// Writes texts to a temporary file, in any order of documents.
pub(crate) struct KeptWriter {
    file: TempFile,
    buffer: Vec<u8>,
    start: u64,
    sorter: Sorter<3>,
    folder: std::path::PathBuf,
}

impl KeptWriter {
    pub(crate) fn new(resources: &Resources) -> Result<Self> {
        let sorter = Sorter::new(&resources.folder, resources.memory_limit / 4);
        let (file, folder) = (TempFile::create(&resources.folder)?, resources.folder.clone());
        Ok(Self { file, buffer: Vec::new(), start: 0, sorter, folder })
    }

    pub(crate) fn push(&mut self, ordinal: u32, text: &str) -> Result<()> {
        self.push_bytes(ordinal, text.as_bytes())
    }

    pub(super) fn push_bytes(&mut self, ordinal: u32, bytes: &[u8]) -> Result<()> {
        let size = bytes.len() as u64;
        self.sorter.push([ordinal.into(), self.start, size + 1])?;
        self.start += size;
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER_SIZE {
            self.file.append(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    pub(crate) fn finish(mut self, unread: UnreadTexts) -> Result<Kept> {
        self.file.append(&self.buffer)?;
        let mut by_ordinal = MappedRowsWriter::<2>::new(&self.folder)?;
        self.sorter.finish().each(&mut |rows| {
            rows.iter().try_for_each(|&[ordinal, start, size]| {
                while (by_ordinal.len() as u64) < ordinal {
                    by_ordinal.push(&[0, 0])?;
                }
                by_ordinal.push(&[start, size])
            })
        })?;
        Ok(Kept { bytes: self.file.map()?, sources: by_ordinal.finish()?, unread })
    }
}
