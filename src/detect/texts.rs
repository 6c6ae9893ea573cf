//! The texts of documents, which the database does not keep: read again where each was loaded from.
//!
//! Two ways: a whole pass over all documents that are wanted, in the order in which they stand in their archives,
//! each archive once and from its beginning ([`Places::each`]); and single look-ups ([`Places::page`]). What a
//! pass reads is written to a temporary file ([`Kept`]), so that texts are compared in any order without being
//! held in memory.
//!
//! A text that cannot be read again is no error: the archive may have been moved, or written anew, or it was no
//! file. Such documents are counted by the reason ([`Unread`]), and what is said of them says so.

mod kept;
mod places;
#[cfg(test)]
mod tests;

pub(crate) use kept::{Kept, keep};
pub(crate) use places::Places;

use crate::archive::PageEntry;
use crate::sketch::Recipe;
use crate::store::View;
use crate::text::{Page, folded_text, main_text};

/// Documents whose texts were wanted and could not be read, by the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// It is not known where they were read: they came by themselves, from a stream, or as fingerprints.
    pub without_source: u64,
    /// Their archive is not where it was.
    pub moved: u64,
    /// Their archive is not the file that it was: its size, or its first or last 64 KB, have changed.
    pub changed: u64,
    /// Nothing that is a page stands where they stood, or their archive is damaged before it.
    pub damaged: u64,
}

impl Unread {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.without_source + self.moved + self.changed + self.damaged
    }

    /// The reasons in words, with the number of each that there is.
    pub fn reasons(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let all = [
            ("without a source", self.without_source),
            ("in an archive that is not where it was", self.moved),
            ("in an archive that has changed", self.changed),
            ("in a damaged archive", self.damaged),
        ];
        all.into_iter().filter(|(_, count)| *count > 0)
    }
}

/// Which part of a page is its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All that a visitor sees, as it is.
    Whole,
    /// Its main content, in lower case and each number as `0`: "removing off-topic noise first" (Huang et al. 2008,
    /// 3.1).
    Main,
}

impl Part {
    /// The part that the recipe of a database looks at.
    pub(crate) fn of(view: View<'_>) -> Self {
        Recipe::of_any_version(&view.settings().recipe).map_or(Part::Whole, |recipe| Self::of_recipe(&recipe))
    }

    /// The part that a recipe looks at.
    pub(crate) fn of_recipe(recipe: &Recipe) -> Self {
        if recipe.is_of_main_content() { Part::Main } else { Part::Whole }
    }

    /// The text of a page.
    pub(crate) fn text(self, page: &Page<'_>) -> String {
        match self {
            Part::Whole => folded_text(page),
            Part::Main => main_text(page),
        }
    }

    /// The text of a page that was read from an archive.
    pub(crate) fn text_of(self, entry: &PageEntry) -> String {
        let PageEntry { kind, charset, url, body, .. } = entry;
        self.text(&Page { kind: *kind, charset: charset.as_deref(), url: url.as_deref(), body })
    }
}
