//! The documents of a labelled set, in a database of their own.

use std::path::Path;

use nddb_archive::{ArchiveError, Entry, EntryContent, Input, Options, identity};
use nddb_dedup::{
    Collection, PairLoss, PairOptions, PairSummary, Resources, WordSource, document_of_page, document_with_words,
    share_key,
};
use nddb_index::{Config, Document, Fingerprint, Loaded, Progress, Result, View, Writer};
use nddb_page::sketch::Recipe;
use nddb_page::text::{SiteRule, host_of};
use nddb_verdict::Level;

use super::gold::{Gold, LabelledDocument};
use super::label::{Label, Labels};
use super::returned::Returned;
use crate::pair_counts::{Counted, count};

/// Called from time to time with the progress; returning `false` ends the work.
type Watch<'a> = &'a mut (dyn FnMut(&Progress) -> bool + Send);

/// The documents of a labelled set, loaded and ready for every method.
#[derive(Debug)]
pub struct Corpus {
    writer: Writer,
    collection: Collection,
    loaded: Loaded,
    skipped: Vec<String>,
}

/// Error: documents cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// The file of the documents cannot be read.
    #[error(transparent)]
    Archive(ArchiveError),
    /// The database cannot be made.
    #[error(transparent)]
    Store(nddb_index::Error),
}

impl From<ArchiveError> for CorpusError {
    fn from(error: ArchiveError) -> Self {
        CorpusError::Archive(error)
    }
}

impl From<nddb_index::Error> for CorpusError {
    fn from(error: nddb_index::Error) -> Self {
        CorpusError::Store(error)
    }
}

impl Corpus {
    /// Creates a database at `database`, where nothing may exist, and bulk-loads the documents of a file, read with
    /// these options. If an id occurs more than once, the last document is used. Unreadable entries are skipped.
    ///
    /// # Errors Errors of the file, if it cannot be opened or read to its end; errors of the disk;
    /// [`nddb_index::Error::Cancelled`].
    pub fn load(
        (documents, options): (&Path, &Options),
        database: &Path,
        config: &Config,
        recipe: &Recipe,
        resources: &Resources,
        watch: Watch<'_>,
    ) -> std::result::Result<Self, CorpusError> {
        let mut input = Input::open(documents, options)?;
        let identity = identity(documents).ok();
        let mut writer = Writer::create(database, config)?;
        // A stream cannot be read again.
        let unread = identity.map(|identity| identity.into_archive(options, None));
        let archive = writer.archives(unread.into_iter().collect(), &|_| false)?.pop();
        let keeps_words = writer.view().settings().keeps_words;
        let mut load = writer.bulk_load()?;
        load.unordered();
        if let Some((number, archive)) = &archive {
            load.progress(*number, archive.clone());
        }
        let (mut done, mut skipped) = (0, Vec::new());
        while let Some(entry) = input.next()? {
            match document(&entry, archive.as_ref().map(|(number, _)| *number), recipe, keeps_words) {
                Ok(Some(document)) => load.push(document)?,
                Ok(None) => {}
                Err(why) => skipped.push(why),
            }
            done += 1;
            if !watch(&Progress { phase: "reading", done, total: None, unit: "documents" }) {
                return Err(nddb_index::Error::Cancelled.into());
            }
        }
        let loaded = load.finish()?;
        let collection = Collection::build(writer.view(), resources, watch)?;
        Ok(Self { writer, collection, loaded, skipped })
    }

    /// The documents, in the form that methods read.
    pub fn collection(&self) -> &Collection {
        &self.collection
    }

    /// The database of the documents.
    pub fn view(&self) -> View<'_> {
        self.writer.view()
    }

    /// The numbers of documents loaded.
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// The reasons for skipped entries, one line each.
    pub fn skipped(&self) -> &[String] {
        &self.skipped
    }

    /// Joins labels with the documents.
    ///
    /// # Errors
    /// [`nddb_index::Error::Document`] for digits that are both a number id and a text id; damage of the database.
    pub fn gold(&self, labels: &Labels) -> Result<Gold> {
        gold(self.writer.view(), &self.collection, labels)
    }

    /// The address of a document.
    ///
    /// # Errors
    /// Damage of the database.
    pub fn url(&self, ordinal: u32) -> Result<Option<String>> {
        Ok(self.writer.view().get(self.collection.id(ordinal))?.and_then(|stored| stored.record.url))
    }

    /// Returns the share of the selected near-duplicate pairs that share a key of the method; identical pairs count as
    /// sharing. `None` if there is no such pair, or the method has no keys.
    pub fn recall_of_candidates(&self, options: &PairOptions, gold: &Gold, selected: &[bool]) -> Option<f64> {
        let has_keys = options.method.has_keys();
        let near =
            gold.pairs.iter().zip(selected).filter(|(pair, selected)| **selected && pair.label == Label::Correct);
        let found = near.map(|(pair, _)| {
            let identical = self.collection.representative(pair.a) == self.collection.representative(pair.b);
            identical || share_key(&self.collection, options, pair.a, pair.b)
        });
        let found: Vec<bool> = found.collect();
        let hits = found.iter().filter(|found| **found).count();
        (has_keys && !found.is_empty()).then(|| hits as f64 / found.len() as f64)
    }

    /// Whether this level removes either of two near-duplicates if the other one is kept, in a database that keeps
    /// words. Of documents without words it is not known, and they count as removable.
    ///
    /// # Errors
    /// Damage of the database.
    pub fn is_removable(&self, a: u32, b: u32, level: Level) -> Result<bool> {
        if self.collection.representative(a) == self.collection.representative(b) {
            return Ok(true);
        }
        let words = |ordinal: u32| {
            self.view().get(self.collection.id(ordinal)).map(|stored| stored.and_then(|stored| stored.record.words))
        };
        let (Some(a), Some(b)) = (words(a)?, words(b)?) else { return Ok(true) };
        let levels = PairLoss::of_texts(WordSource::Stored, &a, &b).levels;
        Ok(levels.iter().flatten().any(|least| *least <= level))
    }

    /// Like [`returned`], for these documents.
    ///
    /// # Errors
    /// Errors of [`nddb_dedup::pairs`].
    pub fn run<'a>(
        &self,
        options: &PairOptions,
        gold: &'a Gold,
        seed: u64,
        watch: Watch<'_>,
    ) -> Result<(Returned<'a>, PairSummary)> {
        returned(self.writer.view(), &self.collection, options, gold, seed, watch)
    }
}

/// Runs a method with its own candidates over all documents, and compares all pairs that it returns with the labels. If
/// pairs are too many to be listed, such as those of many copies of one page, they are counted.
///
/// # Errors
/// Errors of [`nddb_dedup::pairs`].
pub fn returned<'a>(
    view: View<'_>,
    collection: &Collection,
    options: &PairOptions,
    gold: &'a Gold,
    seed: u64,
    watch: Watch<'_>,
) -> Result<(Returned<'a>, PairSummary)> {
    let mut returned = Returned::new(gold, seed);
    let asked: Vec<(u32, u32)> = gold.pairs.iter().map(|pair| (pair.a, pair.b)).collect();
    let summary = count(view, collection, options, &asked, watch, &mut |counted| {
        match counted {
            Counted::Pair(a, b) => returned.push(a, b),
            Counted::PairBlock(block) => returned.push_block(&block),
        }
        Ok(())
    })?;
    Ok((returned, summary))
}

/// Joins labels with the documents of a database.
///
/// # Errors
/// [`nddb_index::Error::Document`] for digits that are both a number id and a text id; damage of the database.
pub fn gold(view: View<'_>, collection: &Collection, labels: &Labels) -> Result<Gold> {
    Gold::new(labels, &mut |named| {
        let id = named.find(&mut |id| Ok(collection.find(id).is_some()))?;
        let Some((ordinal, id)) = id.and_then(|id| Some((collection.find(&id)?, id))) else { return Ok(None) };
        let url = view.get(collection.id(ordinal))?.and_then(|stored| stored.record.url);
        let host = url.as_deref().and_then(host_of);
        let site = |rule: SiteRule| host.as_deref().map(|host| rule.site(host)).filter(|site| !site.is_empty());
        let sites = [site(SiteRule::Henzinger), site(SiteRule::Registrable)];
        Ok(Some(LabelledDocument { ordinal, id, sites }))
    })
}

/// Returns the document of an entry; `None` for a sound entry that is no document.
fn document(
    entry: &Entry,
    archive: Option<u32>,
    recipe: &Recipe,
    keeps_words: bool,
) -> std::result::Result<Option<Document>, String> {
    let of_page = if keeps_words { document_with_words } else { document_of_page };
    let position = entry.position;
    let made = match &entry.content {
        EntryContent::Page(page) => of_page(&page.id, &page.page(), recipe).map(|document| {
            let document = document.with_date(page.date).truncated(page.truncated);
            match archive {
                Some(archive) => document.with_source(archive, position.offset, position.inner, position.length),
                None => document,
            }
        }),
        EntryContent::Fingerprint { id, fingerprint, url } => {
            Document::bare(id, Fingerprint(*fingerprint)).map(|document| match url {
                Some(url) => document.with_url(url, recipe.site_of(url)),
                None => document,
            })
        }
        EntryContent::Sketch(_) => return Err("a sketch, and pages are compared".into()),
        EntryContent::Skipped { reason, detail } => {
            return Err(format!("at byte {}: {reason}: {detail}", position.offset));
        }
        EntryContent::Other(_) => return Ok(None),
    };
    made.map(Some).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use nddb_verdict::Method;
    use nddb_verdict::methods::{B, Combined, Hamming, Identity};

    use super::*;
    use crate::eval::label::Label;
    use crate::eval::score::splits;

    /// Documents of two sites with edits of every size; some are equal, one is empty, one has no address.
    fn lines() -> String {
        let mut lines = String::new();
        for number in 0..60u32 {
            let base: Vec<String> = (0..120).map(|word| format!("word{}of{}", word, number % 8)).collect();
            let mut words = base;
            // Every copy replaces more words than the one before it.
            for edit in 0..(number / 8) * (number % 5) {
                let index = (edit * 37 + number) as usize % words.len();
                words[index] = format!("edit{edit}by{number}");
            }
            let url = if number == 7 {
                String::new()
            } else {
                format!(",\"url\":\"http://www.site{}.org/{number}\"", number % 3)
            };
            let text = if number == 59 { String::new() } else { words.join(" ") };
            lines += &format!("{{\"id\":\"d{number}\",\"text\":\"{text}\"{url}}}\n");
        }
        lines + "not json\n"
    }

    /// By the definition: decides every pair of documents, and counts the labelled ones.
    #[test]
    fn a_method_scores_as_deciding_every_pair_by_its_rule_does() {
        let folder = tempfile::tempdir().expect("a folder");
        let docs = folder.path().join("docs.jsonl");
        std::fs::write(&docs, lines()).expect("the folder is writable");
        let resources = Resources { folder: folder.path().into(), ..Resources::default() };
        let corpus = Corpus::load(
            (&docs, &Options::default()),
            &folder.path().join("db"),
            &Config::within(7).expect("a k"),
            &Recipe::default(),
            &resources,
            &mut |_| true,
        )
        .expect("documents");
        assert_eq!((corpus.loaded().documents, corpus.skipped().len()), (60, 1));
        let mut labels = String::from("id1\tid2\tlabel\tkind\n");
        for a in 0..59u32 {
            for b in a + 1..59 {
                // Some pairs have no label.
                if (a + 3 * b) % 5 > 0 {
                    let label = if a % 8 != b % 8 {
                        "0"
                    } else if b % 7 == 0 {
                        "g"
                    } else {
                        "1"
                    };
                    labels += &format!("d{a}\td{b}\t{label}\tkind{}\n", b % 2);
                }
            }
        }
        labels += "d1\tnobody\t1\tkind0\n";
        let gold = corpus.gold(&Labels::read(labels.as_bytes()).expect("labels")).expect("a database");
        assert_eq!((gold.left_out, &gold.unknown[..]), (1, &["nobody".to_owned()][..]));
        let selected = gold.selected(None);
        let mut met = 0;
        let methods: [Box<dyn Method>; 5] = [
            Identity::default().into(),
            Hamming::default().into(),
            Hamming::within(7).into(),
            B::default().into(),
            Combined { c: 340, ..Combined::default() }.into(),
        ];
        for method in methods {
            let options = PairOptions { resources: resources.clone(), ..PairOptions::new(method.clone()) };
            let (returned, summary) = corpus.run(&options, &gold, 1, &mut |_| true).expect("pairs");
            let (mut counts, mut all, mut unlabelled) = (crate::eval::score::Counts::default(), 0, 0);
            let collection = corpus.collection();
            for a in 0..collection.len() {
                for b in a + 1..collection.len() {
                    let near = collection.compared(a, b, |pair| options.decider().judge(pair).is_near());
                    all += u64::from(near);
                    match gold.find(a, b) {
                        Some(index) => counts.add(gold.pairs[index].label, near),
                        None => unlabelled += u64::from(near),
                    }
                }
            }
            assert_eq!((returned.pairs(), returned.unlabelled()), (all, unlabelled), "{method}");
            assert_eq!(splits(&gold, &selected, returned.found())[0].counts, counts, "{method}");
            assert_eq!(summary.pairs, all);
            met += counts.found[Label::Correct as usize];
        }
        assert!(met > 0, "some pair is found");
    }
}
