//! The words that name a page, and the comparison of the names of two pages.

use nddb_page::sketch::Profile;

use super::word_set::WordSet;

/// Value of the trait `names` for two siblings that only their file names distinguish.
const FILE_NAME_SHARE: f64 = 2.0 / 3.0;

/// Greatest value of the trait `names` for pages that are no siblings, because one text may have several headlines.
const OTHER_NAMES: f64 = 0.6;

/// Factor of the trait `names` for pages with the same file name, such as two versions of a manual page.
const SAME_FILE: f64 = 0.5;

/// The words that name a page.
#[derive(Clone, PartialEq)]
pub(crate) struct Names {
    words: Titles,
    /// The numbers of the title.
    numbers: WordSet,
    /// All words of the file name, with numbers.
    file: WordSet,
    /// The words of the file name that are no numbers; `own_of_file` has those of them that occur in the page.
    file_name: WordSet,
    own_of_file: WordSet,
    /// Hashes of the host, and of host and path; 0 if unknown.
    host: u32,
    page: u32,
}

/// The words of a title and of headings.
#[derive(Clone, PartialEq)]
struct Titles {
    title: WordSet,
    /// The words of the title that also occur in the page. The name of a site in a title seldom does.
    own: WordSet,
    headings: WordSet,
    /// Own words and headings.
    all: WordSet,
}

impl Titles {
    fn new(title: WordSet, own: WordSet, headings: WordSet) -> Self {
        Self { all: own.with(&headings), title, own, headings }
    }

    /// Returns these words and, as own words of the title, its numbers.
    fn with(&self, numbers: &WordSet) -> Self {
        Self::new(self.title.with(numbers), self.own.with(numbers), self.headings.clone())
    }

    /// Returns the number of own words that do not name the other page. A word names the other page if its title has
    /// the word. Words in its headings count only if the headings have more than half of all own words, because a
    /// single word may belong to a heading that all pages of a template have.
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

impl Names {
    pub(crate) fn of(profile: &Profile) -> Self {
        let (title, own) = (WordSet::of(profile.title.plain()), WordSet::of(profile.title.own()));
        let words = Titles::new(title, own, WordSet::of(profile.headings.plain()));
        let numbers = WordSet::of(profile.title.numbers());
        let (file_name, own_of_file) = (WordSet::of(profile.address.plain()), WordSet::of(profile.address.own()));
        let file = WordSet::of(profile.address.all());
        let (host, page) = (profile.host, profile.page);
        Self { words, numbers, file, file_name, own_of_file, host, page }
    }

    /// Returns whether the two pages are siblings (pages of one host that name two different things), and the share of
    /// the words that name one page but not the other. Two captures of one address are the same page, whatever their
    /// names.
    pub(super) fn differences(&self, other: &Self) -> (bool, f64) {
        if self.page != 0 && self.page == other.page {
            return (false, 0.0);
        }
        let have_one_file = !self.file.is_empty() && self.file == other.file;
        let weight = if have_one_file { SAME_FILE } else { 1.0 };
        // Numbers in titles are numbers of chapters and issues, except if the file names are equal; then they are
        // versions.
        let are_numbered = !have_one_file
            && !self.numbers.is_empty()
            && !other.numbers.is_empty()
            && !self.numbers.is_same_as(&other.numbers);
        let numbered = are_numbered.then(|| [self.words.with(&self.numbers), other.words.with(&other.numbers)]);
        let [a, b] = numbered.as_ref().map_or([&self.words, &other.words], |[a, b]| [a, b]);
        let names = weight * a.all.lacking(&b.all);
        // Two texts without addresses whose titles differ only in numbers are different versions or chapters.
        let is_series = || are_numbered && self.words.title.is_same_as(&other.words.title);
        if self.host != other.host || self.host == 0 && !is_series() {
            return (false, names.min(OTHER_NAMES));
        }
        let are_titled = !a.title.is_empty() && !b.title.is_empty();
        let own = if are_titled { a.lacking(b).min(b.lacking(a)) } else { 0 };
        if own > 0 {
            let least = a.own.words().len().min(b.own.words().len());
            return (true, names.max(weight * own as f64 / least as f64));
        }
        let are_nameless = self.is_nameless() && other.is_nameless();
        if are_nameless && self.has_other_file_name(other) && other.has_other_file_name(self) {
            return (true, FILE_NAME_SHARE);
        }
        (false, names.min(OTHER_NAMES))
    }

    /// Returns whether the page has neither a title nor headings.
    fn is_nameless(&self) -> bool {
        self.words.title.is_empty() && self.words.headings.is_empty()
    }

    /// Returns whether the file name has a word that occurs in the page and not in the other file name.
    fn has_other_file_name(&self, other: &Self) -> bool {
        self.own_of_file.words().iter().any(|&word| !other.file_name.has(word))
    }
}
