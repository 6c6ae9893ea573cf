//! Options of the methods that compare texts.

use nddb_archive::PageEntry;
use nddb_index::View;
use nddb_page::sketch::{Recipe, SHINGLE_WORDS, SignatureRules};
use nddb_page::text::{Page, content_text, folded_text};

use crate::ratios::Ratios;

/// Options of perhaps-similar sets; the defaults are those of Huang et al. 2008, where the paper gives a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetOptions {
    /// Rules by which signatures are made.
    pub signatures: SignatureRules,
    /// Greatest number of documents with one signature; more frequent signatures are dropped.
    pub most: u64,
    /// Greatest number of documents with one signature if more than half of them are of one site; more frequent
    /// signatures of this kind are dropped.
    pub most_of_site: u64,
    /// Whether all pairs of a set are compared, and not only each member with the leader; always on with `expand` and
    /// for clusters.
    pub exhaustive: bool,
    /// Greatest number of comparisons in a set per document of the set. Remaining pairs are not compared, and the set
    /// is reported.
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
    /// Returns the default limits, with all pairs of each set compared.
    pub fn exhaustive() -> Self {
        Self { exhaustive: true, comparisons: u64::MAX, ..Self::default() }
    }
}

/// Options of the method shingles. The threshold is in [`Rules`](nddb_verdict::Rules).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShingleOptions {
    /// Words in a shingle (Ye et al. 2007, 3.1).
    pub words: usize,
    /// Sampling ratios of documents.
    pub ratios: Ratios,
    /// Remainder of a kept shingle: its hash modulo the ratio.
    pub remainder: u32,
    /// Greatest number of documents with one shingle; more frequent shingles are dropped (Broder's rule: 1,000).
    pub stop: Option<u64>,
}

impl Default for ShingleOptions {
    fn default() -> Self {
        Self { words: SHINGLE_WORDS, ratios: Ratios::ALL, remainder: 0, stop: None }
    }
}

/// The part of a page that is compared as its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextScope {
    /// All visible text, unchanged.
    Whole,
    /// The main content, in lower case and with each number replaced by `0`: "removing off-topic noise first" (Huang et
    /// al. 2008, 3.1).
    Main,
}

impl TextScope {
    /// Returns the text scope of the recipe of a database.
    pub(crate) fn of(view: View<'_>) -> Self {
        Recipe::of_any_version(&view.settings().recipe).map_or(TextScope::Whole, |recipe| Self::of_recipe(&recipe))
    }

    /// Returns the text scope of a recipe.
    pub fn of_recipe(recipe: &Recipe) -> Self {
        if recipe.is_of_main_content() { TextScope::Main } else { TextScope::Whole }
    }

    /// Returns the text of a page.
    pub(crate) fn text(self, page: &Page<'_>) -> String {
        match self {
            TextScope::Whole => folded_text(page),
            TextScope::Main => content_text(page),
        }
    }

    /// Returns the text of a page that was read from an archive.
    pub(crate) fn text_of(self, entry: &PageEntry) -> String {
        self.text(&entry.page())
    }
}
