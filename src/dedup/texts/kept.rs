//! Texts in a temporary file, by ordinal, and the words of whole pages after them.

use fixedbitset::FixedBitSet;
use nddb_index::Result;
use nddb_index::spill::mapped_rows::{MappedRows, MappedRowsWriter};
use nddb_index::spill::resources::Resources;
use nddb_index::spill::sort::Sorter;
use nddb_index::spill::temp_file::{TempFile, TempMap};
use nddb_index::spill::ticker::Ticker;
use nddb_page::text::{DOCUMENT_UNITS, first_units, whole_words};

use super::sources::TextSources;
use crate::text_summary::UnreadTexts;

/// Size of the write buffer in bytes.
const BUFFER_SIZE: usize = 1 << 20;

/// The first 10 KB of texts (Huang et al. 2008, 4), by the ordinals of their documents.
pub struct Kept {
    bytes: TempMap,
    /// For each ordinal up to the last text kept: offset of the text, its size plus 1 (0 if not kept), and the size of
    /// the words after it, in bytes.
    sources: MappedRows<3>,
    /// Documents whose texts could not be read.
    pub unread: UnreadTexts,
}

impl Kept {
    /// Returns the text of a document; `None` if it was not kept.
    pub fn get(&self, ordinal: u32) -> Option<&str> {
        let [start, size, _] = self.sources.get(ordinal as usize)?;
        std::str::from_utf8(self.bytes(start, size.checked_sub(1)?)?).ok()
    }

    /// Returns the words of the whole page of a document, in the form of [`whole_words`]; `None` if they were not kept.
    pub(crate) fn words(&self, ordinal: u32) -> Option<Vec<u64>> {
        let [start, size, words] = self.sources.get(ordinal as usize)?;
        let bytes = self.bytes(start + size.checked_sub(1)?, words)?;
        let (words, _) = bytes.as_chunks::<8>();
        (!words.is_empty()).then(|| words.iter().map(|&word| u64::from_le_bytes(word)).collect())
    }

    fn bytes(&self, start: u64, size: u64) -> Option<&[u8]> {
        self.bytes.as_ref().get(start as usize..(start + size) as usize)
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
    keep_pages(sources, wanted, false, resources, ticker, visit)
}

/// Like [`keep`], and keeps the words of the whole pages, too, if requested.
pub(crate) fn keep_pages(
    sources: &TextSources,
    wanted: &FixedBitSet,
    with_words: bool,
    resources: &Resources,
    ticker: &Ticker<'_>,
    visit: &mut dyn FnMut(u32, &str) -> Result<()>,
) -> Result<Kept> {
    let (mut file, mut buffer, mut start) = (TempFile::create(&resources.folder)?, Vec::new(), 0);
    let mut sorter = Sorter::<4>::new(&resources.folder, resources.memory_limit / 4);
    let unread = sources.each_page(wanted, resources, ticker, &mut |ordinal, page| {
        let text = sources.part().text_of(&page);
        let text = first_units(&text, DOCUMENT_UNITS);
        let words = if with_words { whole_words(&page.page()) } else { Vec::new() };
        let (size, words_size) = (text.len() as u64, 8 * words.len() as u64);
        sorter.push([ordinal.into(), start, size + 1, words_size])?;
        start += size + words_size;
        buffer.extend_from_slice(text.as_bytes());
        words.iter().for_each(|word| buffer.extend_from_slice(&word.to_le_bytes()));
        if buffer.len() >= BUFFER_SIZE {
            file.append(&buffer)?;
            buffer.clear();
        }
        visit(ordinal, text)
    })?;
    file.append(&buffer)?;
    let mut by_ordinal = MappedRowsWriter::<3>::new(&resources.folder)?;
    sorter.finish().each(&mut |rows| {
        rows.iter().try_for_each(|&[ordinal, start, size, words]| {
            while (by_ordinal.len() as u64) < ordinal {
                by_ordinal.push(&[0, 0, 0])?;
            }
            by_ordinal.push(&[start, size, words])
        })
    })?;
    Ok(Kept { bytes: file.map()?, sources: by_ordinal.finish()?, unread })
}
