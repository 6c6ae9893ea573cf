//! The part of a page that methods compare as its text.

use nddb_archive::PageEntry;
use nddb_index::View;
use nddb_page::sketch::Recipe;
use nddb_page::text::{Page, content_text, whole_text};

nddb_format::named! {
    /// The part of a page that is compared as its text.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TextScope {
        /// The whole text that is compared: all that the page shows, and what it carries for scripts and for readers
        /// without scripts.
        Whole = "whole",
        /// The main content, in lower case and with each number replaced by `0`. The paper, too, removes text that has
        /// little to do with the topic of a document (Huang et al. 2008, 4).
        Main = "main",
    }
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
            TextScope::Whole => whole_text(page),
            TextScope::Main => content_text(page),
        }
    }

    /// Returns the text of a page that was read from an archive.
    pub(crate) fn text_of(self, entry: &PageEntry) -> String {
        self.text(&entry.page())
    }
}
