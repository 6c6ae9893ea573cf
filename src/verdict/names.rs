//! The words that name a page, and the comparison of the names of two pages.

use nddb_page::sketch::Profile;

use super::word_set::{Union, WordSet};

/// Value of the trait `names` for two siblings that only their file names distinguish.
const FILE_NAME_SHARE: f64 = 2.0 / 3.0;

/// Greatest value of the trait `names` for pages that are no siblings, because one text may have several headlines.
const OTHER_NAMES: f64 = 0.6;

/// Factor of the trait `names` for pages with the same file name, such as two versions of a manual page.
const SAME_FILE: f64 = 0.5;

/// How the names of two pages differ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Difference {
    /// Whether the two are siblings: pages of one host that name two different things.
    pub(crate) are_siblings: bool,
    /// The share of the words that name one page but not the other.
    pub(crate) lacking: f64,
}

/// The words that name a page.
#[derive(Clone, PartialEq)]
pub(crate) struct Names(Titles);

/// The words of a title and of headings.
#[derive(Clone, PartialEq)]
struct Titles {
    title: WordSet,
    /// The own words of the title, which also occur in the page. The name of a site in a title seldom does.
    own: WordSet,
    headings: WordSet,
}

impl Titles {
    /// Returns these words and, as own words of the title, its numbers.
    fn with(&self, numbers: impl Iterator<Item = u32> + Clone) -> Self {
        let and = |words: &WordSet| WordSet::of(words.words().iter().copied().chain(numbers.clone()));
        Self { title: and(&self.title), own: and(&self.own), headings: self.headings.clone() }
    }

    /// Returns the own words of the title and those of the headings.
    fn all(&self) -> Union<'_> {
        Union(&self.own, &self.headings)
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
        Self(Titles { title, own, headings: WordSet::of(profile.headings.plain()) })
    }

    /// Returns whether the names of two pages can differ. Two captures of one address are the same page, whatever their
    /// names. A plain text has no title, only first lines, so it is not compared with a page by names.
    pub(crate) fn are_compared(a: &Profile, b: &Profile) -> bool {
        (a.page == 0 || a.page != b.page) && a.is_text == b.is_text
    }

    /// Returns how the names of two pages differ.
    pub(crate) fn difference((a, of_a): (&Profile, &Self), (b, of_b): (&Profile, &Self)) -> Difference {
        if !Self::are_compared(a, b) {
            return Difference::default();
        }
        let have_one_file = a.address.total > 0 && is_same(a.address.all(), b.address.all());
        let weight = if have_one_file { SAME_FILE } else { 1.0 };
        // Numbers in titles are numbers of chapters and issues, except if the file names are equal; then they are
        // versions.
        let has_numbers = |profile: &Profile| profile.title.numbers().next().is_some();
        let are_numbered =
            !have_one_file && has_numbers(a) && has_numbers(b) && !is_same(a.title.numbers(), b.title.numbers());
        let with_numbers = |profile: &Profile, of: &Self| of.0.with(profile.title.numbers());
        let numbered = are_numbered.then(|| [with_numbers(a, of_a), with_numbers(b, of_b)]);
        let [x, y] = numbered.as_ref().map_or([&of_a.0, &of_b.0], |[x, y]| [x, y]);
        let names = weight * x.all().lacking(y.all());
        let no_siblings = Difference { are_siblings: false, lacking: names.min(OTHER_NAMES) };
        // Two texts without addresses whose titles differ only in numbers are different versions or chapters.
        let is_series = || are_numbered && of_a.0.title.is_same_as(&of_b.0.title);
        if a.host != b.host || a.host == 0 && !is_series() {
            return no_siblings;
        }
        let are_titled = !x.title.is_empty() && !y.title.is_empty();
        let own = if are_titled { x.lacking(y).min(y.lacking(x)) } else { 0 };
        if own > 0 {
            let least = x.own.words().len().min(y.own.words().len());
            return Difference { are_siblings: true, lacking: names.max(weight * own as f64 / least as f64) };
        }
        let are_nameless = of_a.is_nameless() && of_b.is_nameless();
        if are_nameless && has_other_file_name(a, b) && has_other_file_name(b, a) {
            return Difference { are_siblings: true, lacking: FILE_NAME_SHARE };
        }
        no_siblings
    }

    /// Returns whether the page has neither a title nor headings.
    fn is_nameless(&self) -> bool {
        self.0.title.is_empty() && self.0.headings.is_empty()
    }
}

/// Returns whether two lists of different words have the same words.
fn is_same(a: impl Iterator<Item = u32> + Clone, b: impl Iterator<Item = u32> + Clone) -> bool {
    a.clone().count() == b.clone().count() && a.clone().all(|word| b.clone().any(|other| other == word))
}

/// Returns whether the file name has a word that occurs in the page and not in the other file name.
fn has_other_file_name(page: &Profile, other: &Profile) -> bool {
    page.address.own().any(|word| other.address.plain().all(|theirs| theirs != word))
}

#[cfg(test)]
mod tests {
    use nddb_page::sketch::Recipe;
    use nddb_page::text::Page;

    use super::*;
    use crate::methods::testing::page;

    /// Whether two pages are siblings, 1 or 0, and the share of words that do not name both.
    fn values_of(a: &Profile, b: &Profile) -> [f64; 2] {
        let Difference { are_siblings, lacking } = Names::difference((a, &Names::of(a)), (b, &Names::of(b)));
        [f64::from(u8::from(are_siblings)), lacking]
    }

    /// File names count for pages without other names, if they are on one host and each has a word of its own.
    #[test]
    fn file_names_tell_siblings_apart_where_there_are_neither_titles_nor_headings() {
        let words: String = (0..50).map(|word| format!("frame{word} ")).collect();
        let profile = |url: &str, html: &str| {
            let own = if url.contains("sink") { "<p>A sink" } else { "<p>A source" };
            let html = format!("{html}{own} {words}.</p>");
            let page = Page { url: Some(url), ..Page::html(&html) };
            Recipe::default().sketch(&page).profile.expect("a profile")
        };
        let values = |a: &Profile, b: &Profile| values_of(a, b);
        let sink = profile("http://a.example/30/sink_config.html", "");
        for (url, siblings) in [
            ("http://a.example/30/source_config.html", 1.0),
            ("http://a.example/31/sink_config.html", 0.0),
            ("http://a.example/30/sink_config_print.html", 0.0),
            ("http://a.example/30/31.html", 0.0),
            // The file name has no word that occurs in the page.
            ("http://a.example/30/whale_config.html", 0.0),
            ("http://b.example/30/source_config.html", 0.0),
        ] {
            let other = profile(url, "");
            for values in [values(&sink, &other), values(&other, &sink)] {
                assert_eq!(values, [siblings, siblings * 2.0 / 3.0], "{url}");
            }
        }
        for markup in ["<title>Red fox</title>", "<h1>Red fox</h1>"] {
            let titled = profile("http://a.example/30/source_config.html", markup);
            assert_eq!(values(&sink, &titled)[0], 0.0, "{markup}");
        }
    }

    /// A name may be a word of a heading that a generator writes on all pages, and a title may be that of the site.
    #[test]
    fn headings_name_a_page_if_they_have_most_of_the_words_of_a_title() {
        let page = |title: &str, heading: &str| {
            let words: String = (0..90).map(|word| format!("word{word} ")).collect();
            let html = format!(
                "<title>{title} in animals - Site</title><h1>{heading}</h1><p>{words} in animals.</p>\
                <h2>Fox Implementations</h2>"
            );
            let url = format!("http://a.example/{}", title.to_lowercase());
            Recipe::default().sketch(&Page { url: Some(&url), ..Page::html(&html) }).profile.expect("one")
        };
        let siblings = |a: &Profile, b: &Profile| values_of(a, b)[0];
        assert_eq!(siblings(&page("Fox", "Fox"), &page("Whale", "Whale")), 1.0);
        assert_eq!(siblings(&page("Fox", "Fox in animals"), &page("Boutique", "Boutique: fox in animals")), 0.0);
    }

    /// Two captures of one address are the same page, whatever their names, and one text may have several headlines.
    #[test]
    fn names_say_nothing_of_captures_of_one_page_and_little_elsewhere() {
        let profile = |name: &str, url: &str| page(name, name, url, &[]).0;
        let values = |a: &Profile, b: &Profile| values_of(a, b);
        let fox = profile("Red Fox", "http://a.example/news/1.html");
        for (url, expected) in [
            ("https://www.a.example/news/1.html", [0.0, 0.0]),
            ("http://a.example/news/2.html", [1.0, 1.0]),
            ("http://a.example/old/1.html", [1.0, 0.5]),
            ("http://b.example/story.html", [0.0, 0.6]),
        ] {
            let whale = profile("Blue Whale", url);
            assert_eq!((values(&fox, &whale), values(&whale, &fox)), (expected, expected), "{url}");
        }
    }

    /// Chapters, issues and versions of licences, with and without addresses.
    #[test]
    fn numbers_in_titles_name_pages_of_a_series() {
        let body: String = (0..120).map(|word| format!("word{} ", word % 97)).collect();
        let differences = |titles: [&str; 2], urls: Option<[&str; 2]>| {
            let [a, b] = [0, 1].map(|index| {
                let text = format!("{}\n\n{body}", titles[index]);
                let page = Page { url: urls.map(|urls| urls[index]), ..Page::text(&text) };
                Recipe::default().sketch(&page).profile.expect("a profile")
            });
            {
                let [are_siblings, lacking] = values_of(&a, &b);
                (are_siblings > 0.0, lacking)
            }
        };
        let urls = Some(["http://a.example/one", "http://a.example/two"]);
        let (are_siblings, names) = differences(["Chapter 1", "Chapter 2"], urls);
        assert!(are_siblings && names >= 0.5, "{names}");
        assert!(differences(["General License 2", "General License 3"], None).0);
        assert_eq!(differences(["Chapter 1", "Chapter 1"], urls), (false, 0.0));
        assert!(!differences(["Chapter 1", "Chapter 2"], Some(["http://a.example/x/one", "http://a.example/y/one"])).0);
        assert!(!differences(["Foxes 1", "Whales 2"], Some(["http://a.example/", "http://b.example/"])).0);
    }
}
