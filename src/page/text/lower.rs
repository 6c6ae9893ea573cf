//! The hashes of terms in lower case (Manku et al. 2: "case-folding"), and of terms as they are compared.

use xxhash_rust::xxh3::xxh3_64;

use crate::text::Tokens;
use crate::text::folded::push_folded;
use crate::text::short::ShortAscii;

/// Hasher of [folded](crate::text::folded) terms: XXH3 (64 bits, seed 0).
#[derive(Debug, Default)]
pub(crate) struct FoldedHasher {
    term: String,
}

impl FoldedHasher {
    /// Returns the hash of the term in `text[from..to]`.
    #[inline]
    pub(crate) fn hash(&mut self, text: &str, from: usize, to: usize) -> u64 {
        match ShortAscii::at(text.as_bytes(), from, to) {
            Some(term) => xxh3_64(&term.lower().0[..to - from]),
            None => self.hash_of_any(&text[from..to]),
        }
    }

    fn hash_of_any(&mut self, term: &str) -> u64 {
        self.term.clear();
        push_folded(&mut self.term, term);
        xxh3_64(self.term.as_bytes())
    }
}

/// Returns the hashes of all terms of a page in lower case, in their order.
pub(crate) fn lower_hashes(tokens: &Tokens) -> impl Iterator<Item = u64> + '_ {
    let text = tokens.text();
    tokens.spans().iter().zip(tokens.hashes()).map(move |(&(from, to), &hash)| {
        match ShortAscii::at(text.as_bytes(), from, to).map(ShortAscii::lower) {
            // Most terms are in lower case already: their hash is known.
            Some((_, false)) => hash,
            Some((lower, true)) => xxh3_64(&lower[..to - from]),
            None => xxh3_64(text[from..to].to_lowercase().as_bytes()),
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::{Page, folded, tokens};

    proptest! {
        #[test]
        fn the_hashes_are_those_of_the_terms_in_lower_case(text in "([a-zA-ZäÄΣσİẞيىکك0-9]{1,20} ?){0,20}") {
            let tokens = tokens(&Page::text(&text));
            let expected: Vec<u64> =
                tokens.terms().map(|term| xxh3_64(term.to_lowercase().as_bytes())).collect();
            prop_assert_eq!(lower_hashes(&tokens).collect::<Vec<_>>(), &expected[..]);
            let mut hasher = FoldedHasher::default();
            let hashes = tokens.spans().iter().map(|&(from, to)| hasher.hash(tokens.text(), from, to));
            let expected: Vec<u64> = tokens.terms().map(|term| xxh3_64(folded(term).as_bytes())).collect();
            prop_assert_eq!(hashes.collect::<Vec<_>>(), expected);
        }
    }
}
