//! What the texts of documents say of their passages in common: exact borders, equal words, places and quotes.

use std::ops::Range;

use nddb_archive::{Inputs, Located, Options, Position, read_page};
use nddb_dedup::{Pages, exact_passages, stored_words};
use nddb_index::{Passage, PassageLimits, PassageMatch, Stored, View};
use nddb_page::sketch::{PageWords, placed_words};
use serde_json::Value;

use crate::error::chain;
use crate::json::Object;

/// The words of a document, or why they cannot be read.
pub(super) type Words = Result<PageWords, String>;

/// The purposes for which the texts of a query and of its matches are read again.
#[derive(Clone, Copy, Debug, Default)]
pub struct PassageTexts {
    /// Passages are found exactly.
    pub verify: bool,
    /// Passages are quoted.
    pub why: bool,
}

impl PassageTexts {
    /// Whether any text is read.
    pub(super) fn any(self) -> bool {
        self.verify || self.why
    }
}

/// Where the texts of queries are that are not stored in the databases.
pub enum Texts<'a> {
    /// In the archives of another database.
    Of(View<'a>),
    /// In inputs, by the archive number of each document.
    In(&'a [Located]),
}

impl<'a> Texts<'a> {
    /// Returns where the texts of inputs are.
    pub fn of(inputs: &'a Option<Inputs>) -> Self {
        Texts::In(inputs.as_ref().map_or(&[], |inputs| &inputs.located))
    }

    /// Reads the words of a document again.
    pub(super) fn words(&self, stored: &Stored) -> Words {
        let located = match self {
            Texts::Of(view) => return words_of(*view, stored),
            Texts::In(located) => *located,
        };
        let source = stored.record.source.ok_or("it was not read from a file")?;
        let located = located.get(source.archive as usize).ok_or("it was not read from a file")?;
        let position = Position { offset: source.offset, inner: source.inner, length: source.length };
        let entry = read_page(&located.path, &position, &Options::default()).map_err(|error| chain(&error))?;
        Ok(placed_words(&entry.page()))
    }
}

/// Reads the words of a stored document again.
pub(super) fn words_of(view: View<'_>, stored: &Stored) -> Words {
    match stored_words(view, stored) {
        Ok(Ok(words)) => Ok(words),
        Ok(Err(unread)) => Err(unread.to_string()),
        Err(error) => Err(chain(&error)),
    }
}

/// Returns the words of a stored document whose page was perhaps read before.
pub(super) fn words_in(pages: &Pages, view: View<'_>, stored: &Stored) -> Words {
    pages.words(view, stored).unwrap_or_else(|error| Err(chain(&error)))
}

/// A document with passages in common.
pub(super) struct Seen {
    /// The passages.
    pub(super) found: PassageMatch,
    /// What the texts say of each passage, or why they say nothing; `None` if they were not read.
    told: Option<Result<Vec<PassageQuotes>, String>>,
}

/// What texts say of a passage, of the document asked for first.
struct PassageQuotes {
    /// The share of equal words.
    equal: Option<f64>,
    characters: [Option<Range<u64>>; 2],
    quotes: [String; 2],
}

impl From<PassageMatch> for Seen {
    fn from(found: PassageMatch) -> Self {
        Self { found, told: None }
    }
}

impl Seen {
    /// Reads the text of the document, if it was not read before. With `verify`, the passages become those of the
    /// texts: perhaps none. Its page may be among those that were read before.
    pub(super) fn read(
        &mut self,
        view: View<'_>,
        asked: &Words,
        how: PassageTexts,
        limits: &PassageLimits,
        pages: Option<&Pages>,
    ) {
        if self.told.is_some() || !how.any() {
            return;
        }
        let found = &mut self.found;
        let mut read = || -> Result<Vec<PassageQuotes>, String> {
            let asked = asked.as_ref().map_err(|why| format!("the document asked for cannot be read: {why}"))?;
            let stored = view.get(&found.id).map_err(|error| chain(&error))?;
            let words = |stored| pages.map_or_else(|| words_of(view, &stored), |pages| words_in(pages, view, &stored));
            let stored = stored.ok_or("it is gone".to_owned()).and_then(words);
            let stored = stored.map_err(|why| format!("the match cannot be read: {why}"))?;
            let mut shares = vec![None; found.passages.len()];
            if how.verify {
                let exact = exact_passages(asked, &stored, &found.passages, limits);
                (found.passages, shares) = exact.into_iter().map(|exact| (exact.passage, Some(exact.equal))).unzip();
                found.words = found.passages.iter().map(|passage| passage.words).sum();
            }
            let told = |(passage, equal): (&Passage, Option<f64>)| {
                let sides = [(asked, &passage.asked), (&stored, &passage.stored)];
                let quote = |(words, range): (&PageWords, &Range<u32>)| words.quote(range.clone());
                let quotes = if how.why { sides.map(quote) } else { Default::default() };
                PassageQuotes { equal, characters: sides.map(|(words, range)| words.characters(range.clone())), quotes }
            };
            Ok(found.passages.iter().zip(shares).map(told).collect())
        };
        self.told = Some(read());
    }

    /// Returns the passages, each with what the texts say of it.
    pub(super) fn passages(&self) -> impl Iterator<Item = SeenPassage<'_>> {
        let told = self.told.as_ref().and_then(|told| told.as_ref().ok());
        let passages = self.found.passages.iter().enumerate();
        passages.map(move |(index, passage)| SeenPassage { passage, told: told.and_then(|told| told.get(index)) })
    }

    /// Adds why a text could not be read, if texts are read.
    pub(super) fn write_unread(&self, how: PassageTexts, object: &mut Object<'_>) {
        if how.any() {
            object.field("unread", self.told.as_ref().and_then(|told| told.as_ref().err().map(String::as_str)));
        }
    }
}

/// A passage, and what the texts say of it.
pub(super) struct SeenPassage<'a> {
    pub(super) passage: &'a Passage,
    told: Option<&'a PassageQuotes>,
}

impl SeenPassage<'_> {
    /// Returns its ends in words, in the document asked for and in the stored one.
    pub(super) fn places(&self) -> [Value; 2] {
        [&self.passage.asked, &self.passage.stored].map(|words| place(words.start, words.end))
    }

    /// Adds what texts say: the share of equal words, and under these names places and quotes, those of the document
    /// asked for first.
    pub(super) fn write_told(&self, names: [[&'static str; 2]; 2], how: PassageTexts, object: &mut Object<'_>) {
        if how.verify {
            object.field("equal", self.equal());
        }
        for (side, name) in names[0].into_iter().enumerate().filter(|_| how.any()) {
            object.field(name, self.characters(side).map(|range| place(range.start, range.end)));
        }
        for (side, name) in names[1].into_iter().enumerate().filter(|_| how.why) {
            object.field(name, self.quote(side));
        }
    }

    /// Returns the share of equal words, to three decimals, if passages are verified.
    pub(super) fn equal(&self) -> Option<f64> {
        self.told?.equal.map(|share| (share * 1e3).round() / 1e3)
    }

    /// Returns where it stands in one of the documents, in code points.
    pub(super) fn characters(&self, side: usize) -> Option<Range<u64>> {
        self.told?.characters[side].clone()
    }

    /// Returns its text in one of the documents, if it is quoted.
    pub(super) fn quote(&self, side: usize) -> Option<&str> {
        self.told.map(|told| &*told.quotes[side]).filter(|quote| !quote.is_empty())
    }
}

/// Returns the ends of a passage.
fn place<T: Into<Value>>(from: T, to: T) -> Value {
    Value::Array(vec![from.into(), to.into()])
}
