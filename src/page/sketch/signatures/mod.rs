//! The sentence signatures of a document (Huang, Wang, Li 3.1).
//!
//! "We fingerprint every sentence in the document using 128-bit MD5 fingerprinting function. We view
//! each fingerprint as a sequence of 16 bytes. By connecting the tail of the sequence to its head we
//! get a ring of bytes, in which every continuous 16 bytes starting at each one of the 16 bytes form
//! a derivative fingerprint. We define W as one of the n sets of derivative fingerprints of a
//! document (1 <= n <= 16). Given an integer m, all the signatures in W are treated as integers and
//! then grouped by their module on m. For each subset, we then choose a certain number of smallest
//! fingerprints from it to compute a signature: we transform the bit-string of each selected
//! fingerprint into a vector by project each 1-bit to w and each 0-bit to -w; we set w = 1 + log_e
//! l, where l is the length of the sentence, and we add the vectors together. The final signature is
//! created by setting every positive entry in the vector to 1 and every non-positive entry to 0."
//!
//! n = 16 and m = 7: at most 112 signatures. As specified here, where the paper leaves it open:
//!
//! * A fingerprint is a big-endian integer, and its rotation j begins with its byte j. W_j is a set:
//!   a sentence that is repeated counts once, at its first index.
//! * The paper does not give the number s of chosen fingerprints. Documents that differ in a sentence differ in the
//!   signatures for which that sentence is chosen, so a smaller s makes more documents perhaps similar. Here s = 4:
//!   with s = 2, sites of many alike pages become sets of more comparisons than are made (docs/PAPERS.md).
//! * l is in units ([`crate::text::units`]).
//! * "The sentences whose fingerprints are chosen to compute a signature should disperse in the
//!   document": [`SignatureRules::min_in_group`] and [`SignatureRules::min_gap`].
//!
//! **The same on every platform.** The logarithm of the standard library may differ in its last bit between
//! systems, and the sign of a sum near zero would change. Weights are whole numbers here, in units of 2^-32,
//! computed by squaring in integers: see [`weight`].

use md5::{Digest as _, Md5};

use crate::text::{Sentence, sentences};

/// Rotations of a fingerprint: the bytes of MD5.
const RING: u32 = 16;

/// Maximum number of fingerprints for which the signs of all bits are decided at once.
const MUX_MAX: usize = 6;

/// The parameters of signatures; the default is the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignatureRules {
    /// m: groups in a set. At least 1, or no signature is made.
    pub groups: u32,
    /// n: sets of derivative fingerprints, at most 16. The signatures of fewer sets are a prefix of those of more.
    pub rotations: u32,
    /// s: fingerprints chosen in a group, the smallest.
    pub smallest: usize,
    /// Least number of chosen fingerprints for which a group gives a signature; at least 1.
    pub min_in_group: usize,
    /// Minimum distance between any two chosen sentences, in units of text between their beginnings: a fingerprint
    /// whose sentence is nearer to a chosen one is skipped.
    pub min_gap: usize,
}

impl Default for SignatureRules {
    fn default() -> Self {
        SignatureRules { groups: 7, rotations: RING, smallest: 4, min_in_group: 1, min_gap: 0 }
    }
}

/// One signature of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signature {
    /// The group of the signature: rotation times m, plus the remainder.
    pub group: u32,
    /// The signature: documents with a common signature are perhaps similar.
    pub value: u128,
}

/// The fingerprint of a sentence.
#[derive(Clone, Copy, Debug)]
struct Print {
    value: u128,
    weight: i64,
    /// Units of text before the sentence, if a minimum distance between sentences is set.
    at: usize,
}

/// Returns the signatures of the first 10 KB of a text, best a [`folded_text`](crate::text::folded_text), in the
/// order of their groups (Huang et al. 3.1). A text without a sentence of more than 16 units has none; one with few
/// sentences has fewer than 112.
pub fn signatures(text: &str, rules: &SignatureRules) -> Vec<Signature> {
    let prints = prints(text, rules);
    let mut found = Vec::new();
    if rules.groups == 0 {
        return found;
    }
    let mut chosen: Vec<Vec<Print>> = vec![Vec::new(); rules.groups as usize];
    for rotation in 0..rules.rotations.min(RING) {
        chosen.iter_mut().for_each(Vec::clear);
        if rules.min_gap == 0 {
            for print in &prints {
                let turned = Print { value: print.value.rotate_left(8 * rotation), ..*print };
                keep_smallest(&mut chosen[remainder(turned.value, rules.groups)], turned, rules.smallest);
            }
        } else {
            disperse(&mut chosen, &prints, rotation, rules);
        }
        for (group, chosen) in (rotation * rules.groups..).zip(&chosen) {
            if chosen.len() >= rules.min_in_group.max(1) {
                found.push(Signature { group, value: combine(chosen) });
            }
        }
    }
    found
}

/// Computes [`signatures`] as the definition does (Huang et al. 3.1).
pub fn plain(text: &str, rules: &SignatureRules) -> Vec<Signature> {
    let mut set: Vec<Print> = Vec::new();
    for print in prints(text, rules) {
        if set.iter().all(|other| other.value != print.value) {
            set.push(print);
        }
    }
    let mut found = Vec::new();
    for rotation in 0..rules.rotations.min(RING) {
        let mut turned: Vec<Print> =
            set.iter().map(|print| Print { value: print.value.rotate_left(8 * rotation), ..*print }).collect();
        turned.sort_unstable_by_key(|print| print.value);
        for group in 0..rules.groups {
            let mut chosen: Vec<Print> = Vec::new();
            for print in turned.iter().filter(|print| print.value % u128::from(rules.groups) == u128::from(group)) {
                let disperses = chosen.iter().all(|other| other.at.abs_diff(print.at) >= rules.min_gap);
                if disperses && chosen.len() < rules.smallest {
                    chosen.push(*print);
                }
            }
            if !chosen.is_empty() && chosen.len() >= rules.min_in_group {
                found.push(Signature { group: rotation * rules.groups + group, value: signs(&chosen) });
            }
        }
    }
    found
}

/// Returns the fingerprints of the sentences of a text, in their order.
fn prints(text: &str, rules: &SignatureRules) -> Vec<Print> {
    let mut done = (0, 0);
    sentences(text)
        .map(|Sentence { text: sentence, at, units }| {
            if rules.min_gap > 0 {
                done = (at, done.1 + crate::text::units(&text[done.0..at]));
            }
            let value = u128::from_be_bytes(Md5::digest(sentence.as_bytes()).into());
            let weight = WEIGHTS.get(units).copied().unwrap_or_else(|| weight(units));
            Print { value, weight, at: done.1 }
        })
        .collect()
}

/// The weights of the most frequent lengths.
static WEIGHTS: [i64; 512] = {
    let mut weights = [0; 512];
    let mut len = 0;
    while len < weights.len() {
        weights[len] = weight(len);
        len += 1;
    }
    weights
};

/// Returns 1 + ln(len) in units of 2^-32, for a length of at least 1.
///
/// The integer part of the base-2 logarithm is the index of the highest bit. Fractional bits are computed one by one:
/// for a number between 1 and 2, the next bit is 1 exactly if its square is at least 2. All numbers are integers, and
/// each square is truncated to 63 fractional bits. 32 bits of the logarithm are computed, then multiplied by ln 2.
const fn weight(len: usize) -> i64 {
    /// ln 2 in units of 2^-32, rounded.
    const LN_2: u64 = 2_977_044_472;
    let len = if len == 0 { 1 } else { len as u64 };
    let mut log = len.ilog2() as u64;
    let mut number = len << len.leading_zeros();
    let mut bits = 0;
    while bits < 32 {
        let square = number as u128 * number as u128;
        let carry = (square >> 127) as u32;
        number = (square >> (63 + carry)) as u64;
        log = log << 1 | carry as u64;
        bits += 1;
    }
    let ln = (log as u128 * LN_2 as u128) >> 32;
    (1 << 32) + ln as i64
}

/// Returns `value` modulo `groups`, without a 128-bit division.
fn remainder(value: u128, groups: u32) -> usize {
    let (high, low) = ((value >> 64) as u64, value as u64);
    let by = |value: u64| if groups == 7 { value % 7 } else { value % u64::from(groups) };
    // 2^64 modulo m; no sum or product exceeds 64 bits.
    let shift = by(by(u64::MAX) + 1);
    by(by(high) * shift + by(low)) as usize
}

/// Keeps the `len` smallest distinct values, ascending.
fn keep_smallest(kept: &mut Vec<Print>, print: Print, len: usize) {
    if kept.len() >= len && kept.last().is_none_or(|last| last.value <= print.value) {
        return;
    }
    let at = kept.partition_point(|other| other.value < print.value);
    if kept.get(at).is_some_and(|other| other.value == print.value) {
        return;
    }
    kept.insert(at, print);
    kept.truncate(len);
}

/// Chooses in each group the smallest fingerprints whose sentences are far enough apart.
fn disperse(chosen: &mut [Vec<Print>], prints: &[Print], rotation: u32, rules: &SignatureRules) {
    let mut turned: Vec<Print> =
        prints.iter().map(|print| Print { value: print.value.rotate_left(8 * rotation), ..*print }).collect();
    // The sort is stable, so that the first occurrence of a repeated sentence comes first.
    turned.sort_by_key(|print| print.value);
    turned.dedup_by_key(|print| print.value);
    for print in turned {
        let group = &mut chosen[remainder(print.value, rules.groups)];
        if group.len() < rules.smallest && group.iter().all(|other| other.at.abs_diff(print.at) >= rules.min_gap) {
            group.push(print);
        }
    }
}

/// Returns the bits whose weighted sum is above zero.
fn combine(chosen: &[Print]) -> u128 {
    if chosen.len() > MUX_MAX {
        return signs(chosen);
    }
    // For each set of sentences that may have a 1 at a bit position: whether these sentences outweigh the others.
    let total: i64 = chosen.iter().map(|print| print.weight).sum();
    let mut words = [0u128; 1 << MUX_MAX];
    let words = &mut words[..1 << chosen.len()];
    let mut ones = [0; 1 << MUX_MAX];
    for (i, print) in chosen.iter().enumerate() {
        for set in 0..1 << i {
            ones[set | 1 << i] = ones[set] + print.weight;
        }
    }
    for (word, ones) in words.iter_mut().zip(ones) {
        *word = if 2 * ones > total { u128::MAX } else { 0 };
    }
    // Each bit position selects its set, one sentence a round, which halves the words that remain.
    let mut left = words.len();
    for print in chosen.iter().rev() {
        left /= 2;
        for set in 0..left {
            words[set] = words[set] & !print.value | words[set + left] & print.value;
        }
    }
    words[0]
}

/// Returns what [`combine`] returns, bit by bit.
fn signs(chosen: &[Print]) -> u128 {
    let mut value = 0;
    for position in 0..128 {
        let bit = |print: &Print| print.value >> position & 1 == 1;
        let sum: i64 = chosen.iter().map(|print| if bit(print) { print.weight } else { -print.weight }).sum();
        if sum > 0 {
            value |= 1 << position;
        }
    }
    value
}

#[cfg(test)]
mod tests;
