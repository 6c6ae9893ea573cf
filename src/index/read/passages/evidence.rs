//! Which parts are evidence of a passage, and which documents are compared for it: the rules of a database, and of an
//! engine that sorts and joins tables instead.

use std::cmp::Reverse;

use nddb_format::parts::{PART_WORDS, Parts};

use super::chain::Asked;
use super::{Passage, PassageLimits};
use crate::Result;

/// Greatest number of documents of a part that are looked at: the oldest.
pub const LIST_MAX: usize = 80;
/// Greatest number of documents that are compared with a text.
pub const COMPARED_MAX: usize = 1 << 10;
/// Within this distance in words a frequent part may belong to the same passage.
const NEAR: u32 = 128;

/// Returns whether so many documents, the oldest that have a part, are more different texts than the limit. Texts whose
/// fingerprints are within `k` bits count once, those without a known one each. The sites of the documents do not
/// matter: what all pages of one site have is boilerplate, too.
///
/// # Errors
/// Those of `fingerprint`.
pub fn is_frequent(
    limits: &PassageLimits,
    k: u8,
    documents: usize,
    mut fingerprint: impl FnMut(usize) -> Result<Option<u64>>,
) -> Result<bool> {
    let most = limits.texts.min(LIST_MAX - 1);
    let (mut texts, mut others): (Vec<u64>, usize) = (Vec::new(), 0);
    for index in (0..documents).filter(|_| documents > most) {
        match fingerprint(index)? {
            Some(one) if texts.iter().any(|text| (text ^ one).count_ones() <= u32::from(k)) => {}
            Some(one) => texts.push(one),
            None => others += 1,
        }
        if texts.len() + others > most {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the passages that two texts have in common. Parts of the one asked for with a hash beside it begin none.
#[must_use]
pub fn passages(limits: &PassageLimits, (asked, frequent): (&Parts, Vec<u64>), stored: &Parts) -> Vec<Passage> {
    Asked::new(asked, frequent).passages(stored, limits)
}

/// The parts that a document has in common with a text, without those that are frequent.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// Their number.
    pub parts: u32,
    /// The place of one of them in the text.
    pub at: u32,
}

impl Evidence {
    /// Returns whether a document has enough parts in common to be compared, given the sorted places of frequent parts
    /// in the text. A document that [`is_short`] has in any case.
    #[must_use]
    pub fn is_enough(&self, limits: &PassageLimits, frequent: &[u32]) -> bool {
        let next = frequent.partition_point(|&place| place + NEAR < self.at);
        let is_near_frequent = || frequent.get(next).is_some_and(|&place| place <= self.at + NEAR);
        self.parts > 1 || limits.min_words <= PART_WORDS as u32 || is_near_frequent()
    }
}

/// Returns whether a document of so many terms may have no second part.
#[must_use]
pub fn is_short(tokens: Option<u32>) -> bool {
    tokens.is_none_or(|tokens| tokens <= 2 * PART_WORDS as u32)
}

/// Returns the numbers of the documents to compare, ascending, and how many are left out: of documents with so many
/// parts in common those with the most, then the oldest.
#[must_use]
pub fn most_in_common(documents: Vec<(u32, u64)>) -> (Vec<u64>, u64) {
    let mut ordered: Vec<_> = documents.into_iter().map(|(parts, number)| (Reverse(parts), number)).collect();
    ordered.sort_unstable();
    let left_out = ordered.len().saturating_sub(COMPARED_MAX) as u64;
    ordered.truncate(COMPARED_MAX);
    let mut numbers: Vec<u64> = ordered.into_iter().map(|(_, number)| number).collect();
    numbers.sort_unstable();
    (numbers, left_out)
}
