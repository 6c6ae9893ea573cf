//! Passages of texts that stand in earlier ones: the words of all texts in a temporary file, and their parts, sorted.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::{Path, PathBuf};

use nddb_format::parts::PART_WORDS;
use nddb_index::Result;
use nddb_index::spill::mapped_rows::{MappedRows, MappedRowsWriter};
use nddb_index::spill::sort::Sorter;
use nddb_page::sketch::{PARTS_WINDOW_MAX, parts};

use super::common::{self, Lines};
use super::{Cut, CutOptions, MEMORY, words_of};

/// Numbers of documents with a part that are tried as the source of a later one: the first ones, and those that come
/// last before it.
const FIRST: usize = 8;
const LAST: usize = 4;
/// Documents between two reports.
const REPORTED: u64 = 1 << 12;

/// Reports numbers of documents done and of all; its error ends the work.
type Tick<'a> = dyn FnMut(u64, u64) -> Result<()> + 'a;

/// The words of all kept documents.
pub(super) struct Spool {
    folder: PathBuf,
    min_words: Option<u32>,
    /// Where the words of each document begin, and where the last ones end.
    starts: Vec<u64>,
    words: MappedRowsWriter<1>,
    /// The parts of texts: hash, document, first word.
    parts: Sorter<3>,
    lines: Option<Lines>,
}

/// The cuts of each document.
#[derive(Default)]
pub(super) struct Cuts {
    starts: Vec<u64>,
    /// A document, the first word and the one behind the last, in 32 bits each, and the document in which they stand.
    rows: MappedRows<3>,
    /// The first row of the documents that follow.
    next: usize,
    is_source: Vec<bool>,
    /// The hashes of the lines and paragraphs that are cut.
    common: Vec<u64>,
}

impl Spool {
    pub(super) fn new(how: &CutOptions, folder: &Path) -> Result<Self> {
        Ok(Self {
            folder: folder.to_owned(),
            min_words: how.parts,
            starts: vec![0],
            words: MappedRowsWriter::new(folder)?,
            parts: Sorter::new(folder, MEMORY),
            lines: how.common.map(|most| Lines::new(most, folder)),
        })
    }

    /// Adds the next document.
    pub(super) fn add(&mut self, document: u32, text: Option<&str>) -> crate::Result<()> {
        if let (Some(min_words), Some(text)) = (self.min_words, text) {
            let words = words_of(text).hashes();
            words.iter().try_for_each(|word| self.words.push(&[*word]))?;
            // Of a passage of so many words a part is selected in both texts.
            let window = (min_words as usize - PART_WORDS + 1).min(usize::from(PARTS_WINDOW_MAX)) as u8;
            let selected = parts(&words, window).selected;
            selected.iter().try_for_each(|part| self.parts.push([part.hash, document.into(), part.at.into()]))?;
        }
        if let (Some(lines), Some(text)) = (&mut self.lines, text) {
            lines.add(document, text)?;
        }
        self.starts.push(self.words.len() as u64);
        Ok(())
    }

    /// Decides what is cut, document by document: a passage if it stands in an earlier one of which nothing is cut.
    pub(super) fn decide(self, tick: &mut Tick<'_>) -> Result<Cuts> {
        let documents = self.starts.len() - 1;
        let mut is_whole = vec![true; documents];
        let common = self.lines.map_or(Ok(Vec::new()), |lines| lines.common(&mut is_whole))?;
        let places = candidates(self.parts, &self.folder)?;
        let words = Words { rows: self.words.finish()?, starts: self.starts };
        let mut rows = MappedRowsWriter::<3>::new(&self.folder)?;
        let mut is_source = vec![false; documents];
        let (min_words, sorted) = (self.min_words.unwrap_or(u32::MAX), places.finish());
        let (mut sorted, mut best) = (sorted.rows()?, None::<(u64, Passage)>);
        let (mut document, mut free, mut done) = (u32::MAX, 0, 0_u64);
        loop {
            let row = sorted.pop()?;
            // All sources of a place come together; the longest passage is taken.
            if let Some((place, passage)) = best.take_if(|(place, _)| row.is_none_or(|[next, _]| next != *place)) {
                let Passage { range, source } = passage;
                rows.push(&[place >> 32, u64::from(range.start) << 32 | u64::from(range.end), source.into()])?;
                (is_whole[document as usize], is_source[source as usize], free) = (false, true, range.end);
            }
            let Some([place, source]) = row else { break };
            let [(of, at), (source, source_at)] = [place, source].map(|row| ((row >> 32) as u32, row as u32));
            if of != document {
                (document, free) = (of, 0);
                done += 1;
                if done.is_multiple_of(REPORTED) {
                    tick(u64::from(document), documents as u64)?;
                }
            }
            if at < free || !is_whole[source as usize] {
                continue;
            }
            let range = words.equal((document, at, free), (source, source_at));
            let is_better = best.as_ref().is_none_or(|(_, best)| range.len() > best.range.len());
            if range.len() >= min_words as usize && is_better {
                best = Some((place, Passage { range, source }));
            }
        }
        Ok(Cuts { starts: words.starts, rows: rows.finish()?, next: 0, is_source, common })
    }
}

/// A passage of a document, and the earlier one in which it stands.
struct Passage {
    range: Range<u32>,
    source: u32,
}

/// The words of all documents.
struct Words {
    rows: MappedRows<1>,
    starts: Vec<u64>,
}

impl Words {
    fn word(&self, document: u32, at: u32) -> Option<u64> {
        let [start, end] = [0, 1].map(|next| self.starts[document as usize + next]);
        let index = start + u64::from(at);
        (index < end).then(|| self.rows.row(index as usize)[0])
    }

    /// Returns the words of a document around a place, from `free` on, that are equal to those around a place of
    /// another one.
    fn equal(&self, (of, at, free): (u32, u32, u32), (source, source_at): (u32, u32)) -> Range<u32> {
        let is_equal = |a: u32, b: u32| self.word(of, a).is_some_and(|word| self.word(source, b) == Some(word));
        let behind = (0..u32::MAX - at.max(source_at)).take_while(|&i| is_equal(at + i, source_at + i)).count() as u32;
        let most = (at - free).min(source_at);
        let before = (1..=most).take_while(|&i| is_equal(at - i, source_at - i)).count() as u32;
        at - before..at + behind
    }
}

/// Returns the places at which documents have a part of an earlier one, each with the place of that.
fn candidates(places: Sorter<3>, folder: &Path) -> Result<Sorter<2>> {
    let (sorted, mut found) = (places.finish(), Sorter::new(folder, MEMORY));
    let mut rows = sorted.rows()?;
    let (mut of, mut document) = (None, u64::MAX);
    let (mut first, mut last) = (Vec::<u64>::new(), VecDeque::<u64>::new());
    // The place of the document that is passed now.
    let mut own = None;
    while let Some([hash, next, at]) = rows.pop()? {
        if of != Some(hash) {
            (of, document, own) = (Some(hash), next, None);
            first.clear();
            last.clear();
        } else if next != document {
            document = next;
            match own.take() {
                Some(own) if first.len() < FIRST => first.push(own),
                Some(own) => {
                    last.push_back(own);
                    if last.len() > LAST {
                        last.pop_front();
                    }
                }
                None => {}
            }
        }
        let place = next << 32 | at;
        own.get_or_insert(place);
        first.iter().chain(&last).try_for_each(|&source| found.push([place, source]))?;
    }
    Ok(found)
}

impl Cuts {
    /// Returns whether passages of other documents stand in this one.
    pub(super) fn is_source(&self, document: u32) -> bool {
        self.is_source.get(document as usize).copied().unwrap_or(false)
    }

    /// Returns the passages of the next document: their words, and the document in which they stand.
    pub(super) fn next(&mut self, document: u32) -> Vec<(Range<u32>, u32)> {
        let mut found = Vec::new();
        while let Some([_, range, source]) = self.rows.get(self.next).filter(|[of, ..]| *of == u64::from(document)) {
            found.push(((range >> 32) as u32..range as u32, source as u32));
            self.next += 1;
        }
        found
    }

    /// Returns the number of words of a document.
    pub(super) fn words(&self, document: u32) -> usize {
        let ends = self.starts.get(document as usize..).and_then(|ends| Some((ends.first()?, ends.get(1)?)));
        ends.map_or(0, |(start, end)| (end - start) as usize)
    }

    /// Returns the common lines and paragraphs of a text.
    pub(super) fn common(&self, text: &str) -> Vec<Cut> {
        common::cuts(text, &self.common)
    }
}
