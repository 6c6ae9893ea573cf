//! Passages in common of documents without a database: from rows of parts, sorted by part, to candidate pairs.

use std::collections::BTreeMap;

use nddb_format::parts::Parts;
use nddb_index::evidence::{self, Evidence, LIST_MAX, is_short, most_in_common};
use nddb_index::{Document, PassageLimits, PassageMatch, Result};

/// A document in the list of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartPosting {
    /// The hash of the part.
    pub part: u64,
    /// Number of the document.
    pub number: u64,
    /// The fingerprint of the document.
    pub fingerprint: u64,
    /// The first place of the part in its text.
    pub at: u32,
    /// Whether the document may have no second part.
    pub is_short: bool,
}

/// A part that a document has in common with an older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommonPart {
    /// Number of the younger document.
    pub newer: u64,
    /// Number of the older document; that of the younger one for a part in too many texts to begin a passage.
    pub older: u64,
    /// The hash of the part.
    pub part: u64,
    /// Its first place in the younger document.
    pub at: u32,
    /// Whether the older document may have no second part.
    pub is_short: bool,
}

/// Returns a row for each part of a document; `None` if it was made by a recipe without parts.
pub fn part_postings(number: u64, document: &Document) -> Option<Vec<PartPosting>> {
    let record = document.record();
    let Some(Parts { selected, .. }) = record.parts.as_deref() else {
        return record.tokens.is_none().then(Vec::new);
    };
    let tokens = record.tokens.map(|tokens| u32::try_from(tokens).unwrap_or(u32::MAX));
    let (fingerprint, is_short) = (document.fingerprint().0, is_short(tokens));
    let posting = |(part, at)| PartPosting { part, number, fingerprint, at, is_short };
    let mut first = BTreeMap::new();
    for part in selected {
        first.entry(part.hash).or_insert(part.at);
    }
    Some(first.into_iter().map(posting).collect())
}

/// The lists of all parts, read one after the other.
#[derive(Debug)]
pub struct PartLists {
    k: u8,
    limits: PassageLimits,
    /// The oldest documents of the list.
    oldest: Vec<PartPosting>,
    /// Whether the part is in too many texts, as soon as that is known.
    is_frequent: Option<bool>,
}

impl PartLists {
    /// Returns empty lists. Texts within `k` bits count once where a part is in many.
    pub fn new(k: u8, limits: PassageLimits) -> Self {
        Self { k, limits, oldest: Vec::with_capacity(LIST_MAX), is_frequent: None }
    }

    /// Adds the next row; rows are sorted by part, then by number.
    ///
    /// # Errors
    /// Those of `found`.
    pub fn push(&mut self, next: PartPosting, found: &mut dyn FnMut(CommonPart) -> Result<()>) -> Result<()> {
        if self.oldest.first().is_some_and(|first| first.part != next.part) {
            self.end(found)?;
        }
        if self.oldest.len() < LIST_MAX {
            self.oldest.push(next);
            return Ok(());
        }
        if self.is_frequent.is_none() {
            self.decide(found)?;
        }
        self.common(next, LIST_MAX, found)
    }

    /// Ends the last list.
    ///
    /// # Errors
    /// Those of `found`.
    pub fn end(&mut self, found: &mut dyn FnMut(CommonPart) -> Result<()>) -> Result<()> {
        if self.is_frequent.is_none() {
            self.decide(found)?;
        }
        self.oldest.clear();
        self.is_frequent = None;
        Ok(())
    }

    fn decide(&mut self, found: &mut dyn FnMut(CommonPart) -> Result<()>) -> Result<()> {
        let fingerprint = |index: usize| Ok(Some(self.oldest[index].fingerprint));
        self.is_frequent = Some(evidence::is_frequent(&self.limits, self.k, self.oldest.len(), fingerprint)?);
        (0..self.oldest.len()).try_for_each(|index| self.common(self.oldest[index], index, found))
    }

    /// Passes on what a document has in common with the `older` oldest.
    fn common(&self, next: PartPosting, older: usize, found: &mut dyn FnMut(CommonPart) -> Result<()>) -> Result<()> {
        let PartPosting { part, number: newer, at, .. } = next;
        if self.is_frequent == Some(true) {
            return found(CommonPart { newer, older: newer, part, at, is_short: false });
        }
        self.oldest[..older]
            .iter()
            .try_for_each(|older| found(CommonPart { newer, older: older.number, part, at, is_short: older.is_short }))
    }
}

/// The older documents to compare with a document, ascending, and the parts that begin no passage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartCandidates {
    /// Numbers of documents.
    pub older: Vec<u64>,
    /// Hashes of parts, sorted.
    pub frequent: Vec<u64>,
}

/// Returns the candidates of a document, given all that it has in common with older ones.
pub fn part_candidates(common: &[CommonPart], limits: &PassageLimits) -> PartCandidates {
    let is_frequent = |one: &&CommonPart| one.older == one.newer;
    let (mut frequent, mut places): (Vec<u64>, Vec<u32>) =
        common.iter().filter(is_frequent).map(|one| (one.part, one.at)).unzip();
    frequent.sort_unstable();
    places.sort_unstable();
    let mut found: BTreeMap<u64, (Evidence, bool)> = BTreeMap::new();
    for one in common.iter().filter(|one| !is_frequent(one)) {
        found.entry(one.older).or_insert((Evidence { parts: 0, at: one.at }, one.is_short)).0.parts += 1;
    }
    found.retain(|_, (evidence, is_short)| *is_short || evidence.is_enough(limits, &places));
    let (older, _) =
        most_in_common(found.into_iter().map(|(number, (evidence, _))| (evidence.parts, number)).collect());
    PartCandidates { older, frequent }
}

/// Returns the older of two documents with the passages that they have in common, in the order of the younger one.
pub fn passages_of(newer: &Document, older: &Document, frequent: Vec<u64>, limits: &PassageLimits) -> PassageMatch {
    let (of_newer, of_older) = (parts_of(newer), parts_of(older));
    let record = older.record();
    let passages = evidence::passages(limits, (&of_newer, frequent), &of_older);
    PassageMatch {
        id: record.id.clone(),
        number: 0,
        url: record.url.clone(),
        site: record.site.clone(),
        words: passages.iter().map(|passage| passage.words).sum(),
        stored_words: of_older.words,
        passages,
    }
}

fn parts_of(document: &Document) -> Parts {
    document.record().parts.as_deref().cloned().unwrap_or_default()
}
