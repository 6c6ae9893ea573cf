//! The words that name a page, and whether they tell it from another.

use super::word_set::WordSet;
use crate::sketch::{LeadingLines, Profile};

/// The least share of their names in which two siblings differ that only their addresses tell apart, or whose contents
/// say little: it does not matter how many words of a title all pages of a template have.
const SIBLING_SHARE: f64 = 2.0 / 3.0;

/// The words of title and headings that are no numbers.
#[derive(Clone, PartialEq)]
pub(crate) struct Names {
    title: WordSet,
    /// The words of the title that are the page's own, as the name of a site seldom is.
    own: WordSet,
    headings: WordSet,
    /// The words of the file name (of a brief page the path) of a page without a title and headings, and those that
    /// occur in the page.
    file_name: WordSet,
    own_of_file: WordSet,
    /// The words of the address of a brief page, with the numbers of its title, and those that its content has.
    address: WordSet,
    own_of_address: WordSet,
    has_all_of_address: bool,
    /// Own words and headings.
    all: WordSet,
    /// A hash of the host, 0 if unknown.
    host: u32,
    leading_lines: Option<LeadingLines>,
    is_text: bool,
    is_brief: bool,
}

impl Names {
    pub(crate) fn of(profile: &Profile) -> Self {
        let (title, own) = (WordSet::of(profile.title.plain()), WordSet::of(profile.title.own()));
        let headings = WordSet::of(profile.headings.plain());
        let (file_name, own_of_file) = (WordSet::of(profile.file_name.plain()), WordSet::of(profile.file_name.own()));
        Self {
            all: own.with(&headings),
            title,
            own,
            headings,
            file_name,
            own_of_file,
            address: WordSet::of(profile.title.of_address()),
            own_of_address: WordSet::of(profile.title.own_of_address()),
            has_all_of_address: profile.title.are_all_kept(),
            host: profile.host,
            leading_lines: profile.leading_lines,
            is_text: profile.is_text,
            is_brief: profile.is_brief(),
        }
    }

    /// Returns whether the names are those of two siblings of one template, and the share of the words that name one
    /// page and not the other. Plain text has no title, and as headings what its author marked as such: it has no name
    /// to compare with that of a page of markup. A site may have one content at two addresses; brief contents that
    /// differ are of two things.
    pub(super) fn differences(&self, other: &Self, do_contents_differ: bool) -> (bool, f64) {
        if self == other || self.is_text != other.is_text {
            return (false, 0.0);
        }
        if self.has_other_lines(other) {
            return (true, SIBLING_SHARE);
        }
        let are_titled = !self.title.is_empty() && !other.title.is_empty();
        let two_names = if are_titled { self.lacking(other).min(other.lacking(self)) } else { 0 };
        let are_of_one_host = self.host != 0 && self.host == other.host;
        let names = self.all.lacking(&other.all);
        if !are_of_one_host {
            return (false, names);
        }
        let least = self.own.words().len().min(other.own.words().len());
        let share = match two_names {
            0 if self.has_other_file_name(other) => SIBLING_SHARE,
            0 if do_contents_differ && self.has_other_address(other) => SIBLING_SHARE,
            0 => return (false, names),
            _ if self.is_brief && other.is_brief => SIBLING_SHARE.max(two_names as f64 / least as f64),
            _ => two_names as f64 / least as f64,
        };
        (true, names.max(share))
    }

    /// Returns whether leading lines tell two texts apart.
    fn has_other_lines(&self, other: &Self) -> bool {
        let lines = self.leading_lines.as_ref().zip(other.leading_lines.as_ref());
        lines.is_some_and(|(a, b)| a.are_other_than(b))
    }

    /// Returns whether each file name has an own word that the other one lacks.
    fn has_other_file_name(&self, other: &Self) -> bool {
        let lacks = |a: &Self, b: &Self| a.own_of_file.words().iter().any(|&word| !b.file_name.has(word));
        lacks(self, other) && lacks(other, self)
    }

    /// Returns whether both pages are brief, and one has an own word in its address that the other address lacks.
    fn has_other_address(&self, other: &Self) -> bool {
        let lacks = |a: &Self, b: &Self| {
            b.has_all_of_address && a.own_of_address.words().iter().any(|&word| !b.address.has(word))
        };
        let are_known = !self.own_of_address.is_empty() && !other.own_of_address.is_empty();
        are_known && (lacks(self, other) || lacks(other, self))
    }

    /// Returns the number of own words that do not name the other page. They do if its title has them, or its headings
    /// more than half of all own words: one may be a word of a heading that all pages of a template have.
    fn lacking(&self, other: &Self) -> usize {
        let own = self.own.words();
        let is_in_headings = |word: &&u32| other.headings.has(**word);
        let lacking = || own.iter().filter(|&&word| !other.title.has(word));
        match 2 * own.iter().filter(is_in_headings).count() > own.len() {
            true => lacking().filter(|word| !is_in_headings(word)).count(),
            false => lacking().count(),
        }
    }
}
