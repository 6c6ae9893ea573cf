//! What can be asked of the methods that compare texts.

use super::ratios::Ratios;
use crate::archive::PageEntry;
use crate::sketch::{Recipe, SHINGLE_WORDS, SignatureRules};
use crate::store::View;
use crate::text::{Page, folded_text, main_text};

/// How perhaps-similar sets are made, and how much of them is compared; the defaults are the paper's, where it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetOptions {
    /// How signatures are made.
    pub signatures: SignatureRules,
    /// Signatures of more documents are dropped.
    pub most: u64,
    /// Signatures of more documents are dropped if more than half of these are of one site.
    pub most_of_site: u64,
    /// All pairs of a set are compared, not only each with the leader; with `expand`, and for clusters, they always are.
    pub exhaustive: bool,
    /// Comparisons in a set, for each document in it. What is left beyond that is not compared, and reported.
    pub comparisons: u64,
}

impl Default for SetOptions {
    fn default() -> Self {
        Self {
            signatures: SignatureRules::default(),
            most: 10_000,
            most_of_site: 400,
            exhaustive: false,
            comparisons: 1000,
        }
    }
}

impl SetOptions {
    /// The usual limits, with all pairs of each set compared.
    pub fn exhaustive() -> Self {
        Self { exhaustive: true, comparisons: u64::MAX, ..Self::default() }
    }
}

/// How pairs are found by their shingles. The threshold stands in [`Rules`](super::rules::Rules).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShingleOptions {
    /// Words in a shingle (Ye et al. 2007, 3.1).
    pub words: usize,
    /// How many shingles documents keep.
    pub ratios: Ratios,
    /// Which they keep: those whose hash leaves this, modulo the ratio.
    pub remainder: u32,
    /// Shingles of more documents are dropped (Broder's rule: 1,000).
    pub stop: Option<u64>,
}

impl Default for ShingleOptions {
    fn default() -> Self {
        Self { words: SHINGLE_WORDS, ratios: Ratios::ALL, remainder: 0, stop: None }
    }
}

/// Which part of a page is its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextScope {
    /// All that a visitor sees, as it is.
    Whole,
    /// Its main content, in lower case and each number as `0`: "removing off-topic noise first" (Huang et al. 2008,
    /// 3.1).
    Main,
}

impl TextScope {
    /// The part that the recipe of a database looks at.
    pub(crate) fn of(view: View<'_>) -> Self {
        Recipe::of_any_version(&view.settings().recipe).map_or(TextScope::Whole, |recipe| Self::of_recipe(&recipe))
    }

    /// The part that a recipe looks at.
    pub fn of_recipe(recipe: &Recipe) -> Self {
        if recipe.is_of_main_content() { TextScope::Main } else { TextScope::Whole }
    }

    /// The text of a page.
    pub(crate) fn text(self, page: &Page<'_>) -> String {
        match self {
            TextScope::Whole => folded_text(page),
            TextScope::Main => main_text(page),
        }
    }

    /// The text of a page that was read from an archive.
    pub(crate) fn text_of(self, entry: &PageEntry) -> String {
        self.text(&entry.page())
    }
}
