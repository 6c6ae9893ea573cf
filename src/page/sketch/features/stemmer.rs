//! Stemming (Manku et al. 2): one term for the forms of a word.

use std::borrow::Cow;
use std::fmt;

use rust_stemmers::Algorithm;

/// A stemmer for one language, by its Snowball algorithm.
pub struct Stemmer {
    language: &'static str,
    stemmer: rust_stemmers::Stemmer,
}

/// The languages by their English names.
const LANGUAGES: [(&str, Algorithm); 18] = [
    ("arabic", Algorithm::Arabic),
    ("danish", Algorithm::Danish),
    ("dutch", Algorithm::Dutch),
    ("english", Algorithm::English),
    ("finnish", Algorithm::Finnish),
    ("french", Algorithm::French),
    ("german", Algorithm::German),
    ("greek", Algorithm::Greek),
    ("hungarian", Algorithm::Hungarian),
    ("italian", Algorithm::Italian),
    ("norwegian", Algorithm::Norwegian),
    ("portuguese", Algorithm::Portuguese),
    ("romanian", Algorithm::Romanian),
    ("russian", Algorithm::Russian),
    ("spanish", Algorithm::Spanish),
    ("swedish", Algorithm::Swedish),
    ("tamil", Algorithm::Tamil),
    ("turkish", Algorithm::Turkish),
];

impl Stemmer {
    /// Returns the stemmer of a language by its English name in lower case; `None` if there is none.
    pub fn of(language: &str) -> Option<Self> {
        let &(language, algorithm) = LANGUAGES.iter().find(|(name, _)| *name == language)?;
        Some(Self { language, stemmer: rust_stemmers::Stemmer::create(algorithm) })
    }

    /// Returns the names of all languages, ascending.
    pub fn languages() -> impl Iterator<Item = &'static str> {
        LANGUAGES.iter().map(|(name, _)| *name)
    }

    /// Returns the stem of a word in lower case.
    pub(super) fn stem<'w>(&self, word: &'w str) -> Cow<'w, str> {
        self.stemmer.stem(word)
    }
}

impl fmt::Debug for Stemmer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stemmer({})", self.language)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        let english = Stemmer::of("english").expect("known");
        // From the published description of the algorithm.
        let pairs = [("consigned", "consign"), ("consistency", "consist"), ("knives", "knive"), ("running", "run")];
        pairs.iter().for_each(|&(word, stem)| assert_eq!(english.stem(word), stem));
        assert_eq!(Stemmer::of("german").expect("known").stem("häusern"), "haus");
        assert!(Stemmer::of("English").is_none() && Stemmer::of("").is_none());
        assert_eq!(Stemmer::languages().count(), 18);
        assert!(Stemmer::languages().is_sorted());
    }

    proptest! {
        #[test]
        fn no_word_breaks_it(word in "\\PC{0,12}") {
            for language in Stemmer::languages() {
                Stemmer::of(language).expect("known").stem(&word);
            }
        }
    }
}
