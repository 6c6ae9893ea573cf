//! The hashes of terms in lower case: the features of the `web` recipes (Manku et al. 2,
//! "case-folding").

use xxhash_rust::xxh3::xxh3_64;

use crate::text::Tokens;

/// The hashes of a page's terms in lower case (Unicode's, of no language), in their order.
pub(crate) struct FoldedHashes<'a, T> {
    terms: T,
    hashes: std::slice::Iter<'a, u64>,
    folded: String,
}

impl<'a> FoldedHashes<'a, ()> {
    pub(crate) fn new(tokens: &'a Tokens) -> FoldedHashes<'a, impl Iterator<Item = &'a str>> {
        FoldedHashes { terms: tokens.terms(), hashes: tokens.hashes().iter(), folded: String::new() }
    }
}

impl<'a, T: Iterator<Item = &'a str>> Iterator for FoldedHashes<'a, T> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        let (term, &hash) = (self.terms.next()?, self.hashes.next()?);
        Some(match short_ascii(term.as_bytes()) {
            // Most terms are in lower case already: their hash is known.
            Some((_, false)) => hash,
            Some((folded, true)) => xxh3_64(&folded[..term.len()]),
            None => self.fold(term),
        })
    }
}

impl<T> FoldedHashes<'_, T> {
    fn fold(&mut self, term: &str) -> u64 {
        self.folded.clear();
        if term.is_ascii() {
            self.folded.push_str(term);
            self.folded.make_ascii_lowercase();
        } else if term.contains('Σ') {
            // The one letter whose lower case depends on its place.
            self.folded.push_str(&term.to_lowercase());
        } else {
            self.folded.extend(term.chars().flat_map(char::to_lowercase));
        }
        xxh3_64(self.folded.as_bytes())
    }
}

/// Returns a term of at most 16 bytes, all ASCII, in lower case, and whether that changed it: all
/// bytes at once, for terms are short and a loop over each would mispredict its end.
#[inline]
fn short_ascii(term: &[u8]) -> Option<([u8; 16], bool)> {
    const EACH: u128 = u128::from_le_bytes([1; 16]);
    let mut bytes = [0; 16];
    bytes.get_mut(..term.len())?.copy_from_slice(term);
    let word = u128::from_le_bytes(bytes);
    if word & (EACH * 0x80) != 0 {
        return None;
    }
    // No byte exceeds 127, so none of these sums reaches into the next byte.
    let from_a = word + EACH * (0x80 - b'A' as u128);
    let past_z = word + EACH * (0x80 - b'Z' as u128 - 1);
    let upper = from_a & !past_z & (EACH * 0x80);
    Some(((word | upper >> 2).to_le_bytes(), upper != 0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::{Page, tokens};

    #[test]
    fn every_ascii_character_folds_as_the_standard_library_folds_it() {
        for c in 0..128u8 {
            for place in 0..16 {
                let mut term = *b"Abcdefghijklmnop";
                term[place] = c;
                let expected = term.to_ascii_lowercase();
                let found = short_ascii(&term).map(|(folded, changed)| (folded.to_vec(), changed));
                assert_eq!(found, Some((expected.clone(), expected != term)));
            }
        }
        assert_eq!(short_ascii(&[b'a'; 17]), None);
        assert_eq!(short_ascii("é".as_bytes()), None);
    }

    proptest! {
        #[test]
        fn the_hashes_are_those_of_the_terms_in_lower_case(text in "([a-zA-ZäÄΣσİẞ0-9]{1,20} ?){0,20}") {
            let tokens = tokens(&Page::text(&text));
            let expected: Vec<u64> =
                tokens.terms().map(|term| xxh3_64(term.to_lowercase().as_bytes())).collect();
            prop_assert_eq!(FoldedHashes::new(&tokens).collect::<Vec<_>>(), expected);
        }
    }
}
