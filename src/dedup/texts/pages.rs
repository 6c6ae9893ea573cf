//! The pages of some documents, read in one pass, of which single ones are asked for in any order.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

use fixedbitset::FixedBitSet;
use nddb_index::spill::progress::{Progress, Ticker};
use nddb_index::spill::resources::Resources;
use nddb_index::{Result, Stored, View};
use nddb_page::sketch::{PageWords, placed_words};
use nddb_page::text::{Page, PageKind};

use super::kept::{Kept, KeptWriter};
use super::sources::TextSources;
use crate::collection::Collection;
use crate::online::read_page;
use crate::passages::kept_words;

/// The pages of documents, in a temporary file.
pub struct Pages {
    kept: Kept,
    /// By document numbers.
    ordinals: HashMap<u64, u32>,
    /// Why no page of an archive could be read, by its number.
    unread: Mutex<HashMap<Option<u32>, String>>,
}

impl Pages {
    /// Reads the pages of the documents with these numbers, in archive order, each archive once.
    ///
    /// # Errors
    /// Damage of the catalog; errors of the disk; [`nddb_index::Error::Cancelled`].
    pub fn read(
        view: View<'_>,
        numbers: &BTreeSet<u64>,
        resources: &Resources,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        let collection = Collection::with_deleted(view, resources, watch)?;
        let ticker = Ticker::new(watch);
        let mut by_number = collection.by_number();
        let ordinals: HashMap<u64, u32> =
            numbers.iter().filter_map(|&number| Some((number, by_number(number)?))).collect();
        let mut wanted = FixedBitSet::with_capacity(collection.len() as usize);
        wanted.extend(ordinals.values().map(|&ordinal| ordinal as usize));
        let sources = TextSources::new(view, &collection, None, resources, &ticker)?;
        let mut writer = KeptWriter::new(resources)?;
        let mut bytes = Vec::new();
        let unread = sources.each_page(&wanted, resources, &ticker, &mut |ordinal, page| {
            bytes.clear();
            put(&page.page(), &mut bytes);
            writer.push_bytes(ordinal, &bytes)
        })?;
        Ok(Self { kept: writer.finish(unread)?, ordinals, unread: Mutex::default() })
    }

    /// Returns the words of a document, with their places: those of its page, or else of the text that the database
    /// keeps. The inner result says why there are none.
    ///
    /// # Errors
    /// Damage of the catalog.
    pub fn words(&self, view: View<'_>, stored: &Stored) -> Result<Result<PageWords, String>> {
        let page = self.ordinals.get(&stored.number).and_then(|&ordinal| self.kept.bytes_of(ordinal)).and_then(page);
        if let Some(words) = page.map(|page| placed_words(&page)).or_else(|| kept_words(stored)) {
            return Ok(Ok(words));
        }
        let archive = stored.record.source.map(|source| source.archive);
        let mut unread = self.unread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(why) = unread.get(&archive) {
            return Ok(Err(why.clone()));
        }
        Ok(match read_page(view, &stored.record)? {
            Ok(entry) => Ok(placed_words(&entry.page())),
            Err(why) => Err(unread.entry(archive).or_insert(why.to_string()).clone()),
        })
    }
}

/// Appends a page: whether it is markup, its character set and its address behind their sizes, and its body.
fn put(page: &Page<'_>, out: &mut Vec<u8>) {
    out.push(u8::from(page.kind == PageKind::Html));
    for text in [page.charset, page.url] {
        let size = text.map_or(0, |text| text.len() as u32 + 1);
        out.extend_from_slice(&size.to_le_bytes());
        out.extend_from_slice(text.unwrap_or_default().as_bytes());
    }
    out.extend_from_slice(page.body);
}

/// Returns the page that [`put`] appended.
fn page(bytes: &[u8]) -> Option<Page<'_>> {
    fn text(bytes: &[u8]) -> Option<(Option<&str>, &[u8])> {
        let (size, rest) = bytes.split_first_chunk()?;
        let Some(size) = u32::from_le_bytes(*size).checked_sub(1) else { return Some((None, rest)) };
        let (text, rest) = rest.split_at_checked(size as usize)?;
        Some((Some(std::str::from_utf8(text).ok()?), rest))
    }
    let (kind, rest) = bytes.split_first()?;
    let (charset, rest) = text(rest)?;
    let (url, body) = text(rest)?;
    let kind = if *kind == 1 { PageKind::Html } else { PageKind::Text };
    Some(Page { kind, charset, url, body })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use nddb_index::Config;
    use nddb_test_support::Random;

    use super::*;
    use crate::passages::stored_words;
    use crate::support::Corpus;

    /// Bytes that this thread has read from files.
    fn bytes_read() -> Option<u64> {
        let all = std::fs::read_to_string("/proc/thread-self/io").ok()?;
        all.lines().find_map(|line| line.strip_prefix("rchar: "))?.parse().ok()
    }

    #[test]
    fn many_pages_of_one_compressed_stream_are_read_in_one_pass() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("pages.jsonl.gz");
        let file = std::fs::File::create(&path).expect("writable");
        let mut writer = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        let mut random = Random::seeded("pages of a stream");
        for id in 0..60 {
            let words: Vec<String> = (0..2000).map(|_| format!("{:x}", random.next())).collect();
            writeln!(writer, "{{\"id\":\"{id}\",\"text\":\"{}\"}}", words.join(" ")).expect("written");
        }
        writer.finish().expect("written");
        let size = std::fs::metadata(&path).expect("there").len();
        let resources = Resources { folder: folder.path().into(), ..Resources::default() };
        let corpus = Corpus::load(&path, &folder.path().join("db"), &Config::within(3).expect("a k"), &resources);
        let view = corpus.view();
        let mut all = Vec::new();
        view.each(&mut |stored| {
            all.push(stored);
            Ok(true)
        })
        .expect("sound");
        let numbers = all.iter().map(|stored| stored.number).collect();
        let before = bytes_read();
        let pages = Pages::read(view, &numbers, &resources, &mut |_| true).expect("read");
        let mut found = Vec::new();
        for stored in all.iter().rev() {
            found.push(pages.words(view, stored).expect("sound").expect("it is there"));
        }
        if let Some((before, after)) = before.zip(bytes_read()) {
            assert!(after - before < 3 * size, "{} bytes of a file of {size}", after - before);
        }
        for (stored, words) in all.iter().rev().zip(&found).step_by(20) {
            let expected = stored_words(view, stored).expect("sound").expect("it is there");
            assert_eq!(words.hashes(), expected.hashes());
            assert_eq!(words.characters(3..9), expected.characters(3..9));
        }
        // What cannot be read is told for each document, and no more is read.
        std::fs::remove_file(&path).expect("there");
        let pages = Pages::read(view, &numbers, &resources, &mut |_| true).expect("read");
        for stored in &all {
            let why = pages.words(view, stored).expect("sound").expect_err("it is gone");
            assert!(why.contains("pages.jsonl.gz"), "{why}");
        }
    }
}
