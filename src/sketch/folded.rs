//! The hashes of terms in lower case: the features of the `web` recipes (Manku et al. 2,
//! "case-folding").

use xxhash_rust::xxh3::xxh3_64;

use crate::text::{ShortAscii, Tokens};

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
        Some(match ShortAscii::new(term.as_bytes()).map(ShortAscii::lower) {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::{Page, tokens};

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
