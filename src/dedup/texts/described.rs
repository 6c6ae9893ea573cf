//! Descriptions of documents for people: addresses from the catalog, and titles read again from the archives.

use fixedbitset::FixedBitSet;
use nddb_index::spill::mapped_rows::{MappedRows, MappedRowsWriter};
use nddb_index::spill::progress::{Progress, Ticker};
use nddb_index::spill::resources::Resources;
use nddb_index::spill::sort::Sorter;
use nddb_index::spill::temp_file::{TempFile, TempMap};
use nddb_index::{Result, View};
use nddb_page::text::title::title;

use super::sources::TextSources;
use crate::collection::Collection;
use crate::text_summary::UnreadTexts;

/// Size of the write buffer in bytes.
const BUFFER_SIZE: usize = 1 << 20;
/// Characters of a title that are kept.
const TITLE_MAX: usize = 300;
/// Kind of a text.
const URL: u64 = 0;
const TITLE: u64 = 1;

/// Addresses and titles of documents, in temporary files.
pub struct Descriptions {
    bytes: TempMap,
    /// For each ordinal, the offset and the size plus 1 of its address, then of its title; size 0 if there is none.
    rows: MappedRows<4>,
    /// Documents whose titles could not be read.
    pub unread: UnreadTexts,
}

impl Descriptions {
    /// Reads the addresses of the documents that `wanted` selects by ordinal, of a collection built from this view.
    /// With `titles`, reads up to 300 characters of each title, too, in archive order, each archive once.
    ///
    /// # Errors
    /// Damage of the catalog; errors of the disk; [`nddb_index::Error::Cancelled`].
    pub fn read(
        view: View<'_>,
        collection: &Collection,
        wanted: &dyn Fn(u32) -> bool,
        titles: bool,
        resources: &Resources,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        let ticker = Ticker::new(watch);
        let mut texts = Texts::new(resources)?;
        ticker.start("read addresses", Some(collection.len().into()), "documents")?;
        let (mut by_number, mut read) = (collection.by_number(), 0u32);
        view.each_record(true, &mut |number, _, record, _| {
            // Deleted documents may not be in the collection.
            let Some(ordinal) = by_number(number) else { return Ok(()) };
            if let Some(url) = record.url.filter(|_| wanted(ordinal)) {
                texts.push(ordinal, URL, &url)?;
            }
            read += 1;
            if read % (1 << 14) == 0 { ticker.add(1 << 14) } else { Ok(()) }
        })?;
        let mut unread = UnreadTexts::default();
        if titles {
            let sources = TextSources::new(view, collection, None, resources, &ticker)?;
            let mut bits = FixedBitSet::with_capacity(collection.len() as usize);
            (0..collection.len()).filter(|&ordinal| wanted(ordinal)).for_each(|ordinal| bits.insert(ordinal as usize));
            unread = sources.each_page(&bits, resources, &ticker, &mut |ordinal, page| {
                let Some(mut title) = title(&page.page()) else { return Ok(()) };
                if let Some((end, _)) = title.char_indices().nth(TITLE_MAX) {
                    title.truncate(end);
                }
                texts.push(ordinal, TITLE, &title)
            })?;
        }
        let (bytes, rows) = texts.finish(resources)?;
        Ok(Self { bytes, rows, unread })
    }

    /// Returns the address of a document that was selected.
    pub fn url(&self, ordinal: u32) -> Option<&str> {
        self.text(ordinal, URL)
    }

    /// Returns the title of a document that was selected, if titles were read and it has one.
    pub fn title(&self, ordinal: u32) -> Option<&str> {
        self.text(ordinal, TITLE)
    }

    fn text(&self, ordinal: u32, what: u64) -> Option<&str> {
        let row = self.rows.get(ordinal as usize)?;
        let (start, size) = (row[2 * what as usize], row[2 * what as usize + 1].checked_sub(1)?);
        std::str::from_utf8(self.bytes.as_ref().get(start as usize..(start + size) as usize)?).ok()
    }
}

/// Texts that are being written to files.
struct Texts {
    file: TempFile,
    buffer: Vec<u8>,
    end: u64,
    /// Ordinal, kind, offset, size.
    rows: Sorter<4>,
}

impl Texts {
    fn new(resources: &Resources) -> Result<Self> {
        let rows = Sorter::new(&resources.folder, resources.memory_limit / 4);
        Ok(Self { file: TempFile::create(&resources.folder)?, buffer: Vec::new(), end: 0, rows })
    }

    fn push(&mut self, ordinal: u32, what: u64, text: &str) -> Result<()> {
        let size = text.len() as u64;
        self.rows.push([ordinal.into(), what, self.end, size])?;
        self.end += size;
        self.buffer.extend_from_slice(text.as_bytes());
        if self.buffer.len() >= BUFFER_SIZE {
            self.file.append(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    fn finish(mut self, resources: &Resources) -> Result<(TempMap, MappedRows<4>)> {
        self.file.append(&self.buffer)?;
        let mut by_ordinal = MappedRowsWriter::<4>::new(&resources.folder)?;
        let mut last: Option<(u64, [u64; 4])> = None;
        self.rows.finish().each(&mut |rows| {
            for &[ordinal, what, start, size] in rows {
                if let Some((_, row)) = last.take_if(|(of, _)| *of != ordinal) {
                    by_ordinal.push(&row)?;
                }
                while last.is_none() && (by_ordinal.len() as u64) < ordinal {
                    by_ordinal.push(&[0; 4])?;
                }
                let (_, row) = last.get_or_insert((ordinal, [0; 4]));
                row[2 * what as usize..][..2].copy_from_slice(&[start, size + 1]);
            }
            Ok(())
        })?;
        if let Some((_, row)) = last {
            by_ordinal.push(&row)?;
        }
        Ok((self.file.map()?, by_ordinal.finish()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_by_their_documents_in_whatever_order_they_come() {
        let folder = tempfile::tempdir().expect("a folder");
        let resources = Resources { memory_limit: 0, folder: folder.path().into(), ..Resources::default() };
        let mut texts = Texts::new(&resources).expect("files");
        for (ordinal, what, text) in
            [(3, TITLE, "Drei"), (1, URL, "http://b/"), (3, URL, ""), (9, TITLE, "neun"), (1, TITLE, "Eins")]
        {
            texts.push(ordinal, what, text).expect("written");
        }
        let (bytes, rows) = texts.finish(&resources).expect("written");
        let found = Descriptions { bytes, rows, unread: UnreadTexts::default() };
        let all: Vec<_> = (0..12).map(|ordinal| (found.url(ordinal), found.title(ordinal))).collect();
        let mut wanted = vec![(None, None); 12];
        wanted[1] = (Some("http://b/"), Some("Eins"));
        wanted[3] = (Some(""), Some("Drei"));
        wanted[9] = (None, Some("neun"));
        assert_eq!(all, wanted);
    }
}
