//! Documents for tests, with sketches that are near each other by the measures of every method.
#![allow(clippy::disallowed_methods, reason = "tests make files")]

use nddb_format::{Fingerprint, record::Record};
pub use nddb_test_support::{Random, texts};

use nddb_index::spill::resources::Resources;
use nddb_index::{Config, Document, Reader, Result, View, Writer};

use nddb_verdict::Method;
use nddb_verdict::methods::{Identity, IdentityOf};

use super::Collection;
use crate::options::PairOptions;

/// A document of a test.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its id.
    pub id: String,
    /// Its fingerprint, if it has one.
    pub fingerprint: Option<u64>,
    /// Its sketches.
    pub record: Record,
}

impl Page {
    /// A page unlike all others.
    pub fn new(id: &str, random: &mut Random) -> Self {
        let mut words = || std::array::from_fn(|_| random.next());
        let record = Record { supershingles: Some(words()), projection: Some(words()), ..Record::default() };
        let mut page = Self { id: id.into(), fingerprint: Some(random.next()), record };
        page.record.min_bytes = Some(Box::new(std::array::from_fn(|_| random.next() as u8)));
        page.record.tokens = Some(10 + random.below(1000));
        page.record.digest = Some(u128::from(random.next()).to_be_bytes());
        page.record.site = Some(format!("site{}", random.below(6)));
        page
    }

    /// A page that is near this one by some measures.
    pub fn near(&self, id: &str, random: &mut Random) -> Self {
        let mut page = Self { id: id.into(), ..self.clone() };
        let other = Self::new(id, random);
        if random.below(4) > 0 {
            page.record.site = other.record.site;
        }
        if random.below(3) == 0 {
            return page;
        }
        page.record.digest = other.record.digest;
        page.record.tokens = other.record.tokens;
        let (kept, flips) = (random.below(8), [0, 0, 4, 12, 20, 40][random.below(6) as usize]);
        for position in 0..6usize {
            if random.below(6) >= kept
                && let (Some(mine), Some(theirs)) = (&mut page.record.supershingles, &other.record.supershingles)
            {
                mine[position] = theirs[position];
            }
        }
        // If two of five min-values differ, about half of the pairs are near-duplicates.
        let changed = [0, 1, 4, 4, 5, 10][random.below(6) as usize];
        if let (Some(mine), Some(theirs)) = (&mut page.record.min_bytes, &other.record.min_bytes) {
            for position in 0..84 {
                if random.below(10) < changed {
                    mine[position] = theirs[position];
                }
            }
        }
        for _ in 0..flips {
            let bit = random.below(384);
            if let Some(projection) = &mut page.record.projection {
                projection[(bit / 64) as usize] ^= 1 << (bit % 64);
            }
        }
        let flips = random.below(6);
        page.fingerprint =
            page.fingerprint.map(|print| (0..flips).fold(print, |print, _| print ^ 1 << random.below(64)));
        page
    }

    /// Returns the document.
    pub fn document(&self) -> Document {
        let mut document = Document::bare(&self.id, Fingerprint(self.fingerprint.unwrap_or(0))).expect("an id");
        *document.record_mut() = Record { id: self.id.clone(), ..self.record.clone() };
        if self.fingerprint.is_none() { document.without_print() } else { document }
    }
}

/// Pages, many of them near each other; some lack sketches, some have one token or none.
pub fn pages(len: usize, seed: u64) -> Vec<Page> {
    let mut random = Random(seed);
    let mut pages: Vec<Page> = Vec::new();
    for index in 0..len {
        let id = format!("{:x}-{index}", random.below(256));
        let mut page = match pages.len() {
            len if len > 0 && random.below(4) > 0 => {
                // Most pages are near one of a few pages, so that groups are large.
                let of = if random.below(2) == 0 { random.below(len.min(8) as u64) } else { random.below(len as u64) };
                pages[of as usize].near(&id, &mut random)
            }
            _ => Page::new(&id, &mut random),
        };
        match random.below(40) {
            0 => page.record = Record { digest: Some([7; 16]), tokens: Some(0), ..Record::default() },
            1 => page.record = Record::default(),
            2 => page.record.site = None,
            // A page with other sketches has another text.
            5 => (page.record.min_bytes, page.record.digest) = (None, Some([5; 16].map(|_| random.next() as u8))),
            3 => (page.record.supershingles, page.record.digest) = (None, Some([3; 16].map(|_| random.next() as u8))),
            4 => (page.fingerprint, page.record.digest) = (None, None),
            _ => (),
        }
        if page.record.tokens == Some(0) {
            page.fingerprint = None;
        }
        pages.push(page);
    }
    pages
}

/// A database of these pages, half of them in a run.
pub fn database(folder: &std::path::Path, pages: &[Page]) -> Result<Reader> {
    let path = folder.join("db");
    let mut writer = Writer::create(&path, &Config::within(3)?.recipe("web/1"))?;
    for (index, page) in pages.iter().enumerate() {
        writer.insert(page.document())?;
        if index == pages.len() / 2 {
            writer.commit()?;
            writer.flush()?;
        }
    }
    writer.close()?;
    Reader::open(&path)
}

/// A collection of all documents of a reader, in little memory.
pub fn collection(reader: &Reader, resources: &Resources) -> Collection {
    Collection::build(reader.view(), resources, &mut |_| true).expect("a collection")
}

/// The method with this name and its default parameters; `identity of content` is identity with that parameter.
pub fn named(name: &str) -> Box<dyn Method> {
    match name {
        "identity of content" => Identity { of: IdentityOf::Content }.into(),
        _ => name.parse().expect("a method"),
    }
}

/// The method with this name. If it compares projections, `complete` tells whether it finds all that differ in 12 bits.
pub fn completed(name: &str, complete: bool) -> Box<dyn Method> {
    let mut method = named(name);
    if method.has_parameter("complete") {
        method.set("complete", &complete.to_string()).expect("a flag");
    }
    method
}

/// Options with little memory, so that sorts use files, and several threads.
pub fn options(method: impl Into<Box<dyn Method>>) -> PairOptions {
    let resources = Resources { memory_limit: 0, threads: 3, ..Resources::default() };
    PairOptions { resources, ..PairOptions::new(method) }
}

/// Documents in a database, and their collection.
pub struct Corpus {
    writer: Writer,
    collection: Collection,
}

impl Corpus {
    /// Loads a file of documents into a new database.
    pub fn load(path: &std::path::Path, database: &std::path::Path, config: &Config, resources: &Resources) -> Self {
        let mut writer = Writer::create(database, config).expect("a database");
        crate::ingest::Loader::new(&mut writer).load(&[path]).expect("documents");
        let collection = Collection::build(writer.view(), resources, &mut |_| true).expect("documents");
        Self { writer, collection }
    }

    /// The database.
    pub fn view(&self) -> View<'_> {
        self.writer.view()
    }

    /// The documents.
    pub fn collection(&self) -> &Collection {
        &self.collection
    }
}

/// Writes these texts to a file of JSON lines.
pub fn documents(folder: &std::path::Path, texts: &[String]) -> std::path::PathBuf {
    let line = |(index, text): (usize, &String)| {
        format!("{{\"id\":\"d{index:04}\",\"text\":\"{text}\",\"url\":\"http://site{}.org/{index}\"}}\n", index % 3)
    };
    let lines: String = texts.iter().enumerate().map(line).collect();
    let path = folder.join("documents.jsonl");
    std::fs::write(&path, lines).expect("the folder is writable");
    path
}

/// A database of these texts, read from a file of JSON lines.
pub fn corpus(folder: &std::path::Path, texts: &[String]) -> Corpus {
    let path = documents(folder, texts);
    // This recipe compares whole texts, not only their content.
    let config = Config::within(3).expect("a k").recipe("web/1");
    let resources = Resources { memory_limit: 0, folder: folder.into(), ..Resources::default() };
    Corpus::load(&path, &folder.join("texts.nddb"), &config, &resources)
}

/// All pairs that a method finds with `expand`, as ordinals, the lower one first, and the totals.
pub fn expanded(
    corpus: &Corpus,
    options: &PairOptions,
) -> (std::collections::BTreeSet<(u32, u32)>, crate::pair::PairSummary) {
    let options = PairOptions { expand: true, ..options.clone() };
    let mut found = std::collections::BTreeSet::new();
    let summary = super::pairs(corpus.view(), corpus.collection(), &options, &mut |_| true, &mut |line| {
        if let crate::pair::Line::Pair(pair) = line {
            assert!(found.insert((pair.a.min(pair.b), pair.a.max(pair.b))), "a pair comes once");
        }
        Ok(())
    });
    (found, summary.expect("pairs"))
}
