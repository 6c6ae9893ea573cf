//! Passages in common with stored documents, as lines of JSON and rows.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use nddb_archive::{ArchiveError, Inputs, Options};
use nddb_dedup::ingest::{LoadError, Sketched, Skipped, sketch_archive};
use nddb_dedup::{Pages, Resources};
use nddb_format::parts::Parts;
use nddb_format::record::{Settings, digits_of, other_kind};
use nddb_index::{Error, Federation, PassageLimits, PassageMatch, Passages, Progress, Stored, View};
use nddb_page::sketch::{PART_WORDS, Recipe, page_words, placed_words};

use super::Query;
use super::asking::{Answering, Answers, Asking};
use super::passage_rows::{PairInParts, contained};
use super::texts::{PassageTexts, Seen, Texts, Words, words_in, words_of};
use crate::error::{Advice, JobError, Result};
use crate::fields;
use crate::json::{Id, Object};

/// Number of documents of inputs that are held to be looked up together.
const HELD: usize = 1024;

/// Which documents have enough in common.
#[derive(Clone, Copy, Debug)]
pub struct PassageOptions {
    /// Number of words of a passage.
    pub min_words: u32,
    /// The share of one of the two documents, 0 to 1, that is in common with the other.
    pub min_containment: f64,
    /// The purposes for which texts are read again.
    pub reading: PassageTexts,
}

impl Default for PassageOptions {
    fn default() -> Self {
        let min_words = PassageLimits::default().min_words;
        Self { min_words, min_containment: 0.0, reading: PassageTexts::default() }
    }
}

impl PassageOptions {
    /// Returns what counts as a passage.
    pub fn limits(&self) -> PassageLimits {
        PassageLimits { min_words: self.min_words, ..PassageLimits::default() }
    }

    /// Returns whether enough of one document is in common with the other; `words` are those of the one asked for.
    pub fn is_enough(&self, found: &PassageMatch, words: u32) -> bool {
        !found.passages.is_empty() && contained(found, words).iter().any(|share| *share >= self.min_containment)
    }
}

/// A database, and its name if there are several.
pub type Database<'a> = (Option<String>, View<'a>);

/// Names databases, and refuses those without parts.
///
/// # Errors
/// [`JobError::Mismatch`].
pub fn with_parts<'a>(views: impl Iterator<Item = (&'a Path, View<'a>)>) -> Result<Vec<Database<'a>>> {
    let views: Vec<_> = views.collect();
    views.iter().try_for_each(|(path, view)| refuse_without_parts(path, view.settings()))?;
    let is_one = views.len() == 1;
    Ok(views.into_iter().map(|(path, view)| ((!is_one).then(|| path.display().to_string()), view)).collect())
}

/// Refuses a database without parts.
///
/// # Errors
/// [`JobError::Mismatch`].
pub fn refuse_without_parts(path: &Path, settings: &Settings) -> Result<()> {
    if Recipe::of_any_version(&settings.recipe).is_some_and(|recipe| recipe.keys().parts) {
        return Ok(());
    }
    let message = format!("{}: its documents are stored without parts", path.display());
    Err(JobError::Mismatch { message, advice: Advice::CreateWithParts })
}

/// The recipe of files: all parts are kept.
pub(crate) fn whole() -> Recipe {
    Recipe::default().with_parts(1).unwrap_or_default()
}

/// Entries and files that are left out while the documents of files are looked up.
pub enum Noticed<'a> {
    /// A document is skipped.
    Skipped(Skipped<'a>),
    /// A file cannot be read, or not to its end.
    Unreadable(&'a ArchiveError),
}

/// Asks for the passages of each document of these inputs, as they are read. Nothing of them is stored. Returns whether
/// two ids may differ only in being a text and a number.
///
/// # Errors
/// Errors of the databases, and of the output; [`Error::Cancelled`] if `stop` returns `true`.
pub fn ask_inputs(
    inputs: &Inputs,
    asking: &mut Asking<'_, InParts<'_>>,
    noticed: &mut dyn FnMut(Noticed<'_>),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<bool> {
    let (mut held, mut failed) = (Vec::with_capacity(HELD), None);
    let (threads, mut kinds_of_numbers) = (asking.threads(), [false; 2]);
    for (number, located) in (0..).zip(&inputs.located) {
        let mut each = |sketched: Sketched<'_>| {
            match sketched {
                Sketched::Skipped(skipped) => noticed(Noticed::Skipped(skipped)),
                Sketched::Document(document) => {
                    let (fingerprint, unprinted) = (document.fingerprint(), document.is_unprinted());
                    let record = document.record().clone();
                    if other_kind(&record.id).is_some() {
                        kinds_of_numbers[usize::from(digits_of(&record.id).is_some())] = true;
                    }
                    held.push(Query::Outside(Box::new(Stored { number: 0, fingerprint, unprinted, record })));
                }
            }
            if held.len() == HELD {
                failed = asking.ask(&held).err();
                held.clear();
            }
            if failed.is_some() { Err(Error::Cancelled) } else { Ok(()) }
        };
        let read = sketch_archive(located, number, (whole(), false), &Options::default(), threads, stop, &mut each);
        if let Some(failure) = failed {
            return Err(failure);
        }
        match read {
            Ok(true) => {}
            Ok(false) => return Err(Error::Cancelled.into()),
            Err(LoadError::Archive(error)) => noticed(Noticed::Unreadable(&error)),
            Err(error) => return Err(JobError::Load(error)),
        }
    }
    asking.ask(&held)?;
    Ok(kinds_of_numbers == [true; 2])
}

/// Finds the passages that queries have in common with stored documents.
pub struct InParts<'a> {
    /// The databases, all with parts.
    pub databases: Vec<Database<'a>>,
    /// Which documents have enough in common.
    pub how: PassageOptions,
    /// Maximum number of matches that are listed of each query.
    pub limit: Option<usize>,
    /// Whether only queries with a match get a line, and their ids are collected.
    pub only_matched: bool,
    /// Where the texts of queries are that are not stored in the databases.
    pub texts: Texts<'a>,
    /// Number of queries of too few words to have a part.
    pub too_short: AtomicU64,
}

/// Returns whether a text has too few words to have a part.
fn is_too_short(parts: &Parts) -> bool {
    (parts.words as usize) < PART_WORDS
}

impl Answering for InParts<'_> {
    const PIECE: usize = 64;

    fn answer(&self, queries: &[Query]) -> Result<Answers> {
        Answers::in_lines(queries, self.only_matched, |query, out| self.line(query, out))
    }
}

/// A match, with the index of its database.
type DatabaseMatch = (usize, Seen);

impl InParts<'_> {
    /// Appends the answer to one query; returns the number of matches.
    fn line(&self, query: &Query, out: &mut Vec<u8>) -> Result<u64> {
        let asked = OnceCell::new();
        let (name, parts): (Cow<'_, str>, Option<Cow<'_, Parts>>) = match query {
            Query::Stored(_, stored) | Query::Outside(stored) => {
                (Cow::from(&stored.record.id), stored.record.parts.as_deref().map(Cow::Borrowed))
            }
            Query::Page(page) => {
                let words = if self.how.reading.any() { placed_words } else { page_words };
                let found = words(&page.file.page());
                let parts = found.parts();
                asked.get_or_init(|| Ok(found));
                (page.path.display().to_string().into(), Some(Cow::Owned(parts)))
            }
            Query::Missing(id) => (Cow::from(id), None),
            Query::Print(fingerprint) => (fingerprint.to_string().into(), None),
        };
        let is_short = parts.as_deref().is_some_and(is_too_short);
        self.too_short.fetch_add(is_short.into(), Ordering::Relaxed);
        let Some(parts) = parts.filter(|_| !is_short) else {
            let why = match query {
                Query::Missing(_) => "no such document",
                _ if is_short => "fewer than five words",
                _ => "it has no parts",
            };
            Object::append(out, |object| {
                write(&name, None, [0; 3], object);
                object.list("matches", [(); 0], |_, ()| ());
                object.field("error", why);
            });
            return Ok(0);
        };
        let mut found: Vec<DatabaseMatch> = Vec::new();
        let limits = self.how.limits();
        let read = |seen: &mut Seen, view: View<'_>| {
            seen.read(view, asked.get_or_init(|| self.words(query)), self.how.reading, &limits, None);
        };
        let views = self.databases.iter().map(|(_, view)| *view);
        let all = Passages::in_each(views, &parts, query.own(), &limits)?;
        for (index, one) in all.matches {
            let mut seen = Seen::from(one);
            if self.how.reading.verify {
                read(&mut seen, self.databases[index].1);
            }
            if self.how.is_enough(&seen.found, parts.words) {
                found.push((index, seen));
            }
        }
        found.sort_by_key(|(_, seen)| u32::MAX - seen.found.words);
        let count = found.len() as u64;
        found.truncate(self.limit.unwrap_or(usize::MAX));
        if self.how.reading.why {
            found.iter_mut().for_each(|(index, seen)| read(seen, self.databases[*index].1));
        }
        Object::append(out, |object| {
            write(&name, Some(parts.words), [count, all.left_out, all.frequent], object);
            object.list("matches", &found, |object, found| self.found(found, parts.words, object));
        });
        Ok(count)
    }

    /// Reads the words of a query again.
    fn words(&self, query: &Query) -> Words {
        match query {
            Query::Stored(part, stored) => words_of(self.databases[*part].1, stored),
            Query::Outside(stored) => self.texts.words(stored),
            _ => Err("it has no text".into()),
        }
    }

    /// Adds the fields of a match.
    // Reference of query: a match with `--parts`
    fn found(&self, (index, seen): &DatabaseMatch, words: u32, object: &mut Object<'_>) {
        let found = &seen.found;
        object.field("id", Id(&found.id));
        fields::write_db(self.databases[*index].0.as_deref(), object);
        object.field("url", found.url.as_deref());
        object.field("site", found.site.as_deref());
        object.field("words", found.words); // in common
        object.field("longest", found.longest()); // run of words in common
        let [of_query, of_match] = contained(found, words);
        object.field("query_contained", of_query); // share of the words of the query
        object.field("match_contained", of_match); // share of the words of the match
        // with `--verify` or `--why` the reason, if a text cannot be read again
        seen.write_unread(self.how.reading, object);
        // in order: see below
        // Reference of query: one of `passages`; with `--verify` also `equal`, the share of the words of its longer
        // side that are in common; with `--verify` or `--why` `query_characters` and `match_characters`, its ends in
        // code points: in the text as it was loaded, of markup in the text of `nddb text --whole`; with `--why`
        // `query_text` and `match_text`; all are null if a text cannot be read again
        object.list("passages", seen.passages(), |object, seen| {
            let [asked, stored] = seen.places();
            object.field("query", asked); // the first word and the one behind the last, from 0
            object.field("match", stored); // the same in the match
            object.field("words", seen.passage.words); // in common
            object.field("longest", seen.passage.longest); // run of words in common
            let names = [["query_characters", "match_characters"], ["query_text", "match_text"]];
            seen.write_told(names, self.how.reading, object);
        });
    }
}

/// Adds the fields before the matches.
// Reference of query: a line with `--parts`, before its `matches`
fn write(query: &str, words: Option<u32>, [count, left_out, frequent]: [u64; 3], object: &mut Object<'_>) {
    object.field("query", Id(query));
    object.field("words", words); // terms of the whole text
    object.field("count", count);
    // false if more than 1,024 documents share parts, or one part is in more than 80
    object.field("complete", left_out == 0);
    object.field("frequent", frequent); // parts of the query in too many texts to begin a passage
}

/// Finds the documents of a database that have passages in common with others.
struct Paired<'a> {
    view: View<'a>,
    limits: PassageLimits,
    numbers: Mutex<BTreeSet<u64>>,
}

impl Answering for Paired<'_> {
    const PIECE: usize = 64;

    fn answer(&self, queries: &[Query]) -> Result<Answers> {
        for query in queries {
            let Query::Stored(_, stored) = query else { continue };
            let Some(parts) = &stored.record.parts else { continue };
            let found = self.view.parts(parts, Some(stored.number), &self.limits)?.matches;
            let own = Some(stored.number).filter(|_| !found.is_empty());
            let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
            numbers.extend(found.iter().map(|found| found.number).chain(own));
        }
        Ok(Answers::default())
    }
}

/// Finds all pairs of documents of a database with passages in common.
struct PairsInParts<'a> {
    view: View<'a>,
    /// The pages of the documents, if texts are read.
    pages: Option<Pages>,
    how: PassageOptions,
    /// Whether pairs become rows of a table.
    as_rows: bool,
    /// Number of parts that were passed over, summed over all documents.
    frequent: AtomicU64,
    left_out: AtomicU64,
}

impl Answering for PairsInParts<'_> {
    const PIECE: usize = 64;

    fn answer(&self, queries: &[Query]) -> Result<Answers> {
        let mut answers = Answers::default();
        for query in queries {
            let Query::Stored(_, stored) = query else { continue };
            let Some(parts) = &stored.record.parts else { continue };
            let limits = self.how.limits();
            let found = self.view.parts(parts, Some(stored.number), &limits)?;
            self.frequent.fetch_add(found.frequent, Ordering::Relaxed);
            self.left_out.fetch_add(found.left_out, Ordering::Relaxed);
            let mut older: Vec<_> = found.matches.into_iter().filter(|found| found.number < stored.number).collect();
            older.sort_unstable_by_key(|found| found.number);
            let asked = OnceCell::new();
            for mut seen in older.into_iter().map(Seen::from) {
                if let Some(pages) = &self.pages {
                    let asked = asked.get_or_init(|| words_in(pages, self.view, stored));
                    seen.read(self.view, asked, self.how.reading, &limits, Some(pages));
                }
                if self.how.is_enough(&seen.found, parts.words) {
                    let pair = PairInParts { a: seen, b: stored.record.id.clone(), words: parts.words };
                    if self.as_rows {
                        answers.pairs.push(pair);
                    } else {
                        write_pair(&pair, self.how.reading, &mut answers.lines);
                    }
                    answers.matches += 1;
                }
            }
        }
        Ok(answers)
    }
}

/// Appends the line of a pair: the older document is `a`.
fn write_pair(PairInParts { a, b, words }: &PairInParts, reading: PassageTexts, out: &mut Vec<u8>) {
    let found = &a.found;
    // Reference of pairs: a pair with `--parts`, in the order in which the documents `b` were loaded; in TSV and
    // Parquet a row for each passage, with its ends as `a_start`, `a_end`, `a_start_character` and so on
    Object::append(out, |object| {
        object.field("a", Id(&found.id)); // the older document
        object.field("b", Id(b));
        object.field("words", found.words); // in common
        object.field("longest", found.longest()); // run of words in common
        let [of_b, of_a] = contained(found, *words);
        object.field("a_contained", of_a); // share of the words of `a`
        object.field("b_contained", of_b); // share of the words of `b`
        a.write_unread(reading, object);
        // each with `a`, `b`, `words`, `longest` and so on, as of `query --parts`
        object.list("passages", a.passages(), |object, seen| {
            let [of_b, of_a] = seen.places();
            object.field("a", of_a);
            object.field("b", of_b);
            object.field("words", seen.passage.words);
            object.field("longest", seen.passage.longest);
            seen.write_told([["b_characters", "a_characters"], ["b_text", "a_text"]], reading, object);
        });
    });
    out.push(b'\n');
}

/// Finds all pairs of documents of a database with passages in common, each once, in the order of the younger ones. If
/// texts are read, the documents are found first, so that each archive is read once.
///
/// # Errors
/// Errors of the database, and of the output; [`Error::Cancelled`] if `watch` returns `false`.
pub fn pairs_in_parts(
    view: View<'_>,
    (how, as_rows): (PassageOptions, bool),
    resources: &Resources,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    emit: &mut dyn FnMut(&Answers) -> nddb_index::Result<()>,
) -> Result<PairsFound> {
    let (threads, mut pages) = (resources.threads, None);
    if how.reading.any() {
        let paired = Paired { view, limits: how.limits(), numbers: Mutex::default() };
        Asking::new(&paired, threads, &|| false, &mut |_| Ok(())).ask_all(&Federation::of(view))?;
        let numbers = paired.numbers.into_inner().unwrap_or_else(PoisonError::into_inner);
        pages = Some(Pages::read(view, &numbers, resources, watch)?);
    }
    let [frequent, left_out] = Default::default();
    let pairs = PairsInParts { view, pages, how, as_rows, frequent, left_out };
    let mut asking = Asking::new(&pairs, threads, &|| false, emit);
    asking.ask_all(&Federation::of(view))?;
    let (documents, found) = asking.done();
    let [frequent, left_out] = [pairs.frequent, pairs.left_out].map(AtomicU64::into_inner);
    Ok(PairsFound { documents, pairs: found.matches, frequent, left_out })
}

/// The number of documents, and of their pairs with passages in common.
#[derive(Clone, Copy, Debug)]
pub struct PairsFound {
    /// Number of documents.
    pub documents: u64,
    /// Number of pairs.
    pub pairs: u64,
    /// Number of parts in too many texts to begin a passage, for each document that has it.
    pub frequent: u64,
    /// Number of documents and parts of which not all pairs were compared.
    pub left_out: u64,
}
