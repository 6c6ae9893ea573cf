//! The hashes of terms in lower case (Manku et al. 2: "case-folding").

use xxhash_rust::xxh3::xxh3_64;

use crate::text::Tokens;
use crate::text::short::ShortAscii;

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
    use crate::text::folded::FoldedHasher;
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
