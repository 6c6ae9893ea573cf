//! Candidate keys of single documents, the same keys as in a database, and the comparison of two documents.

use nddb_format::document_keys::KeyKinds;
use nddb_index::{Document, Error, Key, Result};
use nddb_page::sketch::mix::split_mix;
use nddb_verdict::{Candidates, DocumentPair, Known, Method};

use crate::candidates::lookup;

/// Compares two documents by their sketches.
pub fn compared<R>(a: &Document, b: &Document, judge: impl FnOnce(&DocumentPair<'_>) -> R) -> R {
    let sites = [a, b].map(|document| document.record().site.as_deref());
    let same_site = sites[0].zip(sites[1]).map(|(a, b)| a == b);
    judge(&DocumentPair::new(&known(a), &known(b), same_site))
}

fn known(document: &Document) -> Known {
    let print = (!document.is_unprinted()).then(|| document.fingerprint());
    Known::of(document.record(), print)
}

/// Returns the candidate keys of a document. Any two near-duplicates by the method that a database with these kinds of
/// keys would find share a key. Two unrelated documents share a key by chance with probability 2^-64 per pair of keys.
///
/// # Errors
/// [`Error::Method`] if the method compares texts.
pub fn candidate_keys(document: &Document, kinds: KeyKinds, method: &dyn Method) -> Result<Vec<u64>> {
    needs_no_text(method)?;
    let mut keys: Vec<u64> =
        lookup::keys_of(document.record(), kinds, &method.keys()).into_iter().map(number).collect();
    if let Candidates::Near(within) = method.candidates()
        && !document.is_unprinted()
    {
        keys.extend(groups(document.fingerprint().0, within));
    }
    keys.sort_unstable();
    keys.dedup();
    Ok(keys)
}

/// Rejects a method that compares texts.
pub(super) fn needs_no_text(method: &dyn Method) -> Result<()> {
    if method.needs_text() {
        return Err(Error::Method {
            method: method.name(),
            why: "it compares texts, but only sketches are given".into(),
        });
    }
    Ok(())
}

/// Cuts a fingerprint into k + 1 groups of bits: two fingerprints within k bits have at least one equal group.
fn groups(bits: u64, within: u32) -> impl Iterator<Item = u64> {
    let len = u64::from(within.min(63)) + 1;
    (0..len).map(move |index| {
        let (low, high) = (64 * index / len, 64 * (index + 1) / len);
        let group = bits >> low & (u64::MAX >> (64 - (high - low)));
        mixed(3 + index, group)
    })
}

/// A key as a number; equal for equal keys of a kind.
fn number(key: Key) -> u64 {
    match key {
        Key::Megashingle(value) => mixed(0, value),
        Key::Piece(index, bytes) => mixed(1, u64::from(index) << 32 | u64::from(u32::from_le_bytes(bytes))),
        Key::Digest(bytes) => {
            let (low, high) = bytes.split_at(8);
            let half = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
            mixed(2, mixed(2, half(high)) ^ half(low))
        }
    }
}

fn mixed(kind: u64, value: u64) -> u64 {
    split_mix(value, kind)
}

#[cfg(test)]
mod tests {
    use nddb_index::Fingerprint;
    use nddb_page::sketch::Recipe;
    use nddb_page::text::Page;
    use nddb_verdict::methods::{Hamming, Lcs, Model};

    use super::*;
    use crate::document_of_page;

    fn document(id: &str, text: &str) -> Document {
        document_of_page(id, &Page::text(text), &Recipe::default()).expect("a document")
    }

    fn share(a: &Document, b: &Document, method: &dyn Method) -> bool {
        let recipe = Recipe::default();
        let keys = |document| candidate_keys(document, recipe.keys(), method).expect("keys");
        let others = keys(b);
        keys(a).iter().any(|key| others.contains(key))
    }

    #[test]
    fn prints_within_so_many_bits_share_a_group_however_the_bits_lie() {
        for within in 0..8_u32 {
            for first in 0..64_u32 {
                let flipped = (0..within).fold(0_u64, |mask, at| mask | 1 << ((first + 19 * at) % 64));
                let a = Document::bare("a", Fingerprint(0x0123_4567_89ab_cdef)).expect("a document");
                let b = Document::bare("b", Fingerprint(0x0123_4567_89ab_cdef ^ flipped)).expect("a document");
                assert!(share(&a, &b, &Hamming::within(within)), "{within} bits from {first}");
            }
        }
        let far = Document::bare("b", Fingerprint(!0x0123_4567_89ab_cdef)).expect("a document");
        let near = Document::bare("a", Fingerprint(0x0123_4567_89ab_cdef)).expect("a document");
        assert!(!share(&near, &far, &Hamming::within(3)), "no group is equal");
    }

    #[test]
    fn near_duplicates_share_a_key_and_their_evidence_is_what_the_rule_takes() {
        // The words consist of letters, because the content ignores digits.
        let letters = |seed: u64| (0..8).map(move |at| char::from(b'a' + (split_mix(seed, at) % 26) as u8));
        let words: Vec<String> = (0..300).map(|seed| letters(seed).collect()).collect();
        let (a, b) = (document("a", &words.join(" ")), document("b", &words[4..].join(" ")));
        let c = document("c", &words.iter().rev().map(|word| format!("x{word}")).collect::<Vec<_>>().join(" "));
        assert!(share(&a, &b, &Model::default()), "bands");
        assert!(!share(&a, &c, &Model::default()), "nothing in common");
        let known = |pair: &DocumentPair<'_>| (pair.identical(), pair.agreement());
        let (identical, agreement) = compared(&a, &b, known);
        assert!(!identical && agreement > Some(60), "{agreement:?}");
        assert!(compared(&a, &a, |pair| pair.identical()));
    }

    #[test]
    fn methods_of_texts_have_no_keys() {
        let outcome = candidate_keys(&document("a", "a b c"), Recipe::default().keys(), &Lcs::default());
        assert!(matches!(outcome, Err(Error::Method { .. })), "{outcome:?}");
    }
}
