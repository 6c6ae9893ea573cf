//! Passages and lines that are cut from the texts of kept documents.
//!
//! The inputs are read twice. Of the first reading the words of each text are spooled ([`Spool`]), and it is decided
//! what goes ([`Cuts`]); the second cuts it. A passage is cut only if its words were found in an earlier document of
//! which nothing is cut, so that it stands in the output.

mod common;
mod json;
mod passages;

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;

use nddb_dedup::Resources;
use nddb_index::{Error, Progress};
use nddb_page::sketch::{PageWords, page_words, placed_words};
use nddb_page::text::Page;

pub(super) use self::json::{cut_line, text_of};
use self::passages::{Cuts, Spool};
use crate::error::{JobError, Result};
use crate::removed::{Because, CutAt, RemovedRows};

/// Least number of words of [`CutOptions::parts`]: fewer words are phrases, which many texts share.
pub const CUT_WORDS_MIN: u32 = 10;
/// Usual number of words of [`CutOptions::parts`].
pub const CUT_WORDS: u32 = 50;
/// Memory of a sorter in bytes.
const MEMORY: u64 = 256 << 20;

/// Which passages, lines and paragraphs are cut from the texts of kept documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CutOptions {
    /// Passages of at least so many words that stand in an earlier document of which nothing is cut.
    pub parts: Option<u32>,
    /// Lines and paragraphs that stand in more than so many documents.
    pub common: Option<u64>,
    /// The folder of temporary files; `None` is that of the system.
    pub temporary: Option<PathBuf>,
}

impl CutOptions {
    /// Returns whether anything is cut.
    #[must_use]
    pub fn any(&self) -> bool {
        self.parts.is_some() || self.common.is_some()
    }
}

/// Numbers of what was cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CutCounts {
    /// Passages, and lines and paragraphs.
    pub cuts: u64,
    /// Their words.
    pub words: u64,
    /// The documents from which they were cut.
    pub documents: u64,
}

/// Cuts passages, lines and paragraphs from the texts of kept documents, which come in the same order twice.
pub(crate) struct Cutter<'a> {
    phase: Phase,
    /// The number of the next document.
    next: u32,
    /// The ids of the documents in which passages stand.
    ids: HashMap<u32, String>,
    /// The list of removed documents, to which cuts are added.
    pub(super) rows: Option<RemovedRows<'a>>,
    pub(super) counts: CutCounts,
}

enum Phase {
    Reading(Spool),
    Cutting(Cuts),
}

/// A passage, line or paragraph that is cut from a text.
struct Cut {
    /// Where it stands, in bytes.
    range: Range<usize>,
    /// Number of its words.
    words: u64,
    /// The document in which it stands, too; `None` for a line or paragraph.
    source: Option<u32>,
}

impl<'a> Cutter<'a> {
    pub(super) fn new(how: &CutOptions, rows: Option<RemovedRows<'a>>) -> Result<Self> {
        if let Some(words) = how.parts.filter(|words| *words < CUT_WORDS_MIN) {
            return Err(JobError::options(format!("passages of {words} words: at least {CUT_WORDS_MIN} are cut")));
        }
        let folder = how.temporary.clone().unwrap_or_else(|| Resources::default().folder);
        let phase = Phase::Reading(Spool::new(how, &folder)?);
        Ok(Self { phase, next: 0, ids: HashMap::new(), rows, counts: CutCounts::default() })
    }

    /// Takes the next kept document, and returns where its text is cut, in bytes, in order. In the first reading
    /// nothing is cut. A document without a text that can be cut has none.
    pub(super) fn ranges(&mut self, id: Option<&str>, text: Option<&str>) -> Result<Vec<Range<usize>>> {
        let document = self.next;
        self.next = document.checked_add(1).ok_or_else(|| JobError::options("more than 2^32 documents"))?;
        let cuts = match &mut self.phase {
            Phase::Reading(spool) => return spool.add(document, text).map(|()| Vec::new()),
            Phase::Cutting(cuts) => cuts,
        };
        if cuts.is_source(document) {
            self.ids.insert(document, id.unwrap_or_default().to_owned());
        }
        let passages = cuts.next(document);
        let Some(text) = text else {
            return if passages.is_empty() { Ok(Vec::new()) } else { Err(changed()) };
        };
        let mut found = placed(text, &passages, cuts.words(document))?;
        found.extend(cuts.common(text));
        found.sort_by_key(|cut| (cut.range.start, cut.range.end));
        let (mut byte, mut begin) = (0, 0);
        for Cut { range, words, source } in &found {
            self.counts.cuts += 1;
            self.counts.words += words;
            if let Some(rows) = &mut self.rows {
                let kept = source.and_then(|source| self.ids.get(&source)).map(String::as_str);
                let rule = Some(if source.is_some() { "passage" } else { "common" });
                let count = |range: Range<usize>| text[range].chars().count() as u64;
                begin += count(byte..range.start);
                byte = range.start;
                let at = CutAt { begin, end: begin + count(range.clone()), words: *words };
                let because = Because { kept, rule, cut: Some(at), ..Because::default() };
                rows.write(id.unwrap_or_default(), &because, None)?;
            }
        }
        self.counts.documents += u64::from(!found.is_empty());
        let mut ranges: Vec<Range<usize>> = Vec::with_capacity(found.len());
        for Cut { range, .. } in found {
            match ranges.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => ranges.push(range),
            }
        }
        Ok(ranges)
    }

    /// Ends the first reading: decides what is cut.
    pub(super) fn decide(&mut self, watch: &mut (dyn FnMut(&Progress) -> bool + Send)) -> Result<()> {
        self.next = 0;
        let Phase::Reading(spool) = std::mem::replace(&mut self.phase, Phase::Cutting(Cuts::default())) else {
            return Ok(());
        };
        let mut tick = |done: u64, total: u64| {
            let progress = Progress { phase: "find what is cut", done, total: Some(total), unit: "documents" };
            if watch(&progress) { Ok(()) } else { Err(Error::Cancelled) }
        };
        self.phase = Phase::Cutting(spool.decide(&mut tick)?);
        Ok(())
    }
}

fn changed() -> JobError {
    JobError::input("the inputs were changed between the two readings: run it again on files at rest")
}

/// The words of a text, by which passages are found.
fn words_of(text: &str) -> PageWords {
    page_words(&Page::text(text))
}

/// Returns where passages stand that are given by their words, with the signs behind them and the space that follows.
fn placed(text: &str, passages: &[(Range<u32>, u32)], count: usize) -> Result<Vec<Cut>> {
    if passages.is_empty() {
        return Ok(Vec::new());
    }
    let words = placed_words(&Page::text(text));
    if words.hashes().len() != count {
        return Err(changed());
    }
    let (mut chars, mut at) = (text.char_indices(), 0);
    let mut byte = |to: u64| {
        let found = chars.nth(usize::try_from(to - at).unwrap_or(usize::MAX)).map_or(text.len(), |(byte, _)| byte);
        at = to + 1;
        found
    };
    let mut found = Vec::with_capacity(passages.len());
    for (range, source) in passages {
        let place = words.characters(range.clone()).ok_or_else(changed)?;
        let start = byte(place.start);
        let size = text[start..].char_indices().nth((place.end - place.start) as usize).map(|(at, _)| at);
        let end = size.map_or(text.len(), |size| start + size);
        let words = u64::from(range.end - range.start);
        found.push(Cut { range: start..end + trailing(&text[end..]), words, source: Some(*source) });
    }
    Ok(found)
}

/// Returns the size of the signs behind a passage, if no word follows them at once, and of the space behind these.
fn trailing(rest: &str) -> usize {
    let end = rest.find(|c: char| c.is_alphanumeric() || c.is_whitespace()).unwrap_or(rest.len());
    if rest[end..].starts_with(char::is_alphanumeric) {
        return 0;
    }
    let behind = rest[end..].find(|c: char| !c.is_whitespace()).unwrap_or(rest.len() - end);
    end + behind
}
