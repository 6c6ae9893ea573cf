//! The hashes of terms in lower case (Manku et al. 2: "case-folding").

use xxhash_rust::xxh3::xxh3_64;

use crate::text::Tokens;
use crate::text::short::ShortAscii;

/// Iterator over the hashes of terms in lower case (Unicode's, of no language), in their order.
pub struct LowerHashes<'a, T> {
    tokens: &'a Tokens,
    indexes: T,
    lower: String,
}

impl<'a> LowerHashes<'a, ()> {
    /// Returns those of all terms of a page.
    pub(crate) fn new(tokens: &'a Tokens) -> LowerHashes<'a, impl Iterator<Item = usize>> {
        LowerHashes { tokens, indexes: 0..tokens.len(), lower: String::new() }
    }

    /// Returns those of some terms of a page, by their indexes.
    pub(crate) fn at(tokens: &'a Tokens, indexes: &'a [u32]) -> LowerHashes<'a, impl Iterator<Item = usize>> {
        LowerHashes { tokens, indexes: indexes.iter().map(|&index| index as usize), lower: String::new() }
    }
}

impl<T: Iterator<Item = usize>> Iterator for LowerHashes<'_, T> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        let index = self.indexes.next()?;
        let (from, to) = self.tokens.spans()[index];
        Some(match ShortAscii::at(self.tokens.text().as_bytes(), from, to).map(ShortAscii::lower) {
            // Most terms are in lower case already: their hash is known.
            Some((_, false)) => self.tokens.hashes()[index],
            Some((lower, true)) => xxh3_64(&lower[..to - from]),
            None => self.lower(index),
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.indexes.size_hint()
    }
}

impl<T> LowerHashes<'_, T> {
    fn lower(&mut self, index: usize) -> u64 {
        let term = self.tokens.term(index);
        self.lower.clear();
        if term.is_ascii() {
            self.lower.push_str(term);
            self.lower.make_ascii_lowercase();
        } else if term.contains('Σ') {
            // Sigma, the one letter whose lower case depends on where in the word it is.
            self.lower.push_str(&term.to_lowercase());
        } else {
            self.lower.extend(term.chars().flat_map(char::to_lowercase));
        }
        xxh3_64(self.lower.as_bytes())
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
            prop_assert_eq!(LowerHashes::new(&tokens).collect::<Vec<_>>(), &expected[..]);
            let indexes: Vec<u32> = (0..tokens.len() as u32).step_by(2).collect();
            let expected: Vec<u64> = expected.into_iter().step_by(2).collect();
            prop_assert_eq!(LowerHashes::at(&tokens, &indexes).collect::<Vec<_>>(), expected);
        }
    }
}
