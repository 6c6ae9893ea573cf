//! The traits of a pair of profiles: the features of the default model.
//!
//! Traits are computed from the two stored profiles alone, so the verdict on two documents does not depend on other
//! documents of the database.

use nddb_page::sketch::{Profile, WHOLE, resemblance_of, resemblance_of_many};

use super::names::Names;

/// Number of traits of a pair.
pub const TRAITS: usize = 6;

/// A trait: one feature of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trait {
    /// Name in machine-readable output.
    pub name: &'static str,
}

/// The traits, in the order of [`Traits::values`].
pub const ALL_TRAITS: [Trait; TRAITS] = [
    // Log-odds of the resemblance of the contents, from shingles of two terms.
    Trait { name: "content" },
    // Share of the words of the longer content that are absent from the other, minus a tenth; at least 0.
    Trait { name: "missing" },
    // 1 for siblings, else 0. Siblings are two pages of one host with different addresses, whose titles name different
    // things: each title has a word that occurs in its page and does not name the other page. For pages without titles
    // and headings, the file names are compared instead.
    Trait { name: "siblings" },
    // Share of the smaller set of title and heading words that is absent from the larger set, at most 0.6. For siblings
    // it is the share among the words of the titles if that is greater, because headings that occur on every page name
    // none of them. The value is halved for pages with the same file name.
    Trait { name: "names" },
    // Of the numbers of the page with fewer numbers, the count of those absent from the other page, relative to a
    // count that is high for a page of this length.
    Trait { name: "numbers" },
    // Share of the shorter whole text that is absent from the longer one, times the greater of the two shares of text
    // outside the content. If much of a page is not content, that part must not differ.
    Trait { name: "rest" },
];

/// Weight of the trait `rest`. It is chosen, not fitted, because labelled pages hardly ever have much differing text
/// outside their content, yet a verdict must not rest on a small part of a page. With this weight, two pages of equal
/// content are not near-duplicates if most of their text is outside the content and differs.
pub const REST_WEIGHT: f64 = -4.0;

/// Indexes of traits.
pub(crate) const SIBLINGS: usize = 2;
pub(crate) const NAMES: usize = 3;
/// Index of the trait `rest`.
pub const REST: usize = 5;

/// Values of the traits of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traits {
    /// One value for each of [`ALL_TRAITS`].
    pub values: [f64; TRAITS],
}

impl Traits {
    /// Returns the traits of two profiles; `agreement` is the number of equal min-values of long shingles, 0 to 84.
    pub fn of(a: &Profile, b: &Profile, agreement: u32) -> Self {
        Self::of_contents(a, b, agreement).named(&Names::of(a), &Names::of(b))
    }

    /// Returns the traits of two profiles with both traits of names at 0, their least value.
    pub(crate) fn of_contents(a: &Profile, b: &Profile, agreement: u32) -> Self {
        let long = resemblance_of(agreement);
        let [few, many] = [a.terms.min(b.terms), a.terms.max(b.terms)].map(f64::from);
        // If a content has only one short shingle, all low bits of its min-values agree with those of one in 256 other
        // contents, so they are no evidence.
        let short = if few <= ONE_SHINGLE && long < 1.0 { 0.0 } else { resemblance(a, b).unwrap_or(long) };
        let lengths = Lengths { few, many };
        let most = most_kept(lengths.kept(long), few);
        let short = lengths.resemblance(lengths.kept(short).min(most)).min(short);
        // Words that are absent from the other content may occur elsewhere in the other page, if the contents of the
        // two pages were delimited differently.
        let absent = (absent(a, b) / many.max(1.0)).clamp(1.0 - most, 1.0);
        let missing = lengths.missing(short, long).min(absent);
        let content = content(short.max((1.0 - absent) / (1.0 + absent)));
        let values = [content, (missing - SMALL).max(0.0), 0.0, 0.0, numbers(a, b, few), rest(a, b)];
        Self { values }
    }

    /// Returns these traits with the traits of names set from the names of the two pages.
    pub(crate) fn named(mut self, a: &Names, b: &Names) -> Self {
        let (are_siblings, names) = a.differences(b);
        self.values[SIBLINGS] = if are_siblings { 1.0 } else { 0.0 };
        self.values[NAMES] = names;
        self
    }
}

/// Returns the size of the intersection of two sets of these sizes, given their resemblance (Broder 1997, 2).
pub fn shared(resemblance: f64, a: f64, b: f64) -> f64 {
    resemblance * (a + b) / (1.0 + resemblance)
}

/// Returns the share of the whole text of the first page that occurs in the second, and the share of the second that
/// occurs in the first, 0 to 1, estimated from their shingles.
pub fn shared_wholes(a: &Profile, b: &Profile) -> [f64; 2] {
    let resemblance = whole_resemblance(a, b);
    let [x, y] = [a.whole_terms, b.whole_terms].map(f64::from);
    // If the lengths differ, a high estimate could exceed the shorter text.
    let shared = shared(resemblance, x, y).min(x).min(y);
    [x, y].map(|terms| shared / terms.max(1.0))
}

/// Returns the shares, 0 to 1, of the short and of the long shingles of the longer content that occur in the shorter
/// one. The share of short shingles is at most the one that is plausible for the share of long shingles, of which
/// `agreement` min-values are equal.
pub(super) fn content_shares(a: &Profile, b: &Profile, agreement: u32) -> [f64; 2] {
    let [few, many] = [a.terms.min(b.terms), a.terms.max(b.terms)].map(f64::from);
    let lengths = Lengths { few, many };
    let long = lengths.kept(resemblance_of(agreement));
    [resemblance(a, b).map_or(long, |short| lengths.kept(short).min(most_kept(long, few))), long]
}

/// Returns the value of the trait `rest`, 0 to 1: the share of the shorter whole text that is absent from the longer
/// one, times the greater of the two shares of text outside the content.
fn rest(a: &Profile, b: &Profile) -> f64 {
    let left_out =
        |profile: &Profile| 1.0 - (f64::from(profile.terms) / f64::from(profile.whole_terms.max(1))).min(1.0);
    let [one, other] = shared_wholes(a, b);
    (1.0 - one.max(other)) * left_out(a).max(left_out(b))
}

/// Number of terms up to which a content has at most one shingle of two terms.
const ONE_SHINGLE: f64 = 2.0;

/// Offset that keeps the log-odds of shares 0 and 1 finite.
const NEARLY: f64 = 0.05;

/// Share of words that may be absent without counting: a small edit.
const SMALL: f64 = 0.1;

/// Returns the log-odds of a resemblance, kept finite.
fn content(resemblance: f64) -> f64 {
    ((resemblance + NEARLY) / (1.0 + NEARLY - resemblance)).ln()
}

/// Numbers of terms of the shorter and the longer content.
#[derive(Clone, Copy)]
struct Lengths {
    few: f64,
    many: f64,
}

impl Lengths {
    /// Returns the share of the longer content that both have, given the resemblance.
    fn kept(self, resemblance: f64) -> f64 {
        (shared(resemblance, self.few, self.many) / self.many.max(1.0)).min(1.0)
    }

    /// Returns the resemblance, given the share of the longer content that both have.
    fn resemblance(self, kept: f64) -> f64 {
        let both = kept * self.many;
        (both / (self.few + self.many - both).max(1.0)).clamp(0.0, 1.0)
    }

    /// Returns the share of the words of the longer content that are absent from the shorter one, 0 to 1, estimated
    /// from the resemblances by short and long shingles.
    ///
    /// If a stretch of w words is absent, w + n - 1 shingles of n terms are absent: those that begin in the stretch,
    /// and n - 1 that reach into it. So each difference costs six more long shingles (n = 8) than short ones (n = 2).
    fn missing(self, short: f64, long: f64) -> f64 {
        let (short, long) = (self.kept(short), self.kept(long));
        1.0 - (short + (short - long).max(0.0) / 6.0).min(1.0)
    }
}

/// Returns the greatest plausible share of common short shingles of two contents, given the share of common long
/// shingles and the number of terms of the shorter content.
///
/// A long shingle remains if four disjoint short ones remain. If single words are replaced at random, the share of long
/// shingles is therefore the fourth power of the share of short ones; other kinds of differences leave fewer short
/// shingles for the same number of long ones. If a pair has more common short shingles, the vocabulary of both texts is
/// small, and common pairs of words are no evidence. The allowance covers sampling errors, and short texts, in which
/// one word belongs to half of the shingles.
fn most_kept(long: f64, few: f64) -> f64 {
    (long + 0.05 + 4.0 / few.max(1.0)).min(1.0).sqrt().sqrt()
}

/// Returns a high estimate of the number of terms of one whole text that are absent from the other: it assumes a
/// resemblance one standard error and 0.03 below the estimate.
fn absent(a: &Profile, b: &Profile) -> f64 {
    let resemblance = whole_resemblance(a, b);
    let error = (resemblance * (1.0 - resemblance) / WHOLE as f64).sqrt() + 0.03;
    let least = (resemblance - error).max(0.0);
    let [x, y] = [a.whole_terms, b.whole_terms].map(f64::from);
    (x.max(y) - shared(least, x, y)).max(0.0)
}

/// Returns the resemblance of the whole texts. If their shingles have different lengths, returns the least resemblance
/// that follows from the resemblance of the contents.
fn whole_resemblance(a: &Profile, b: &Profile) -> f64 {
    if a.classes[1] != b.classes[1] {
        let terms = |profile: &Profile| f64::from(profile.terms.min(profile.whole_terms));
        let both = resemblance(a, b).map_or(0.0, |resemblance| shared(resemblance, terms(a), terms(b)));
        return both / (f64::from(a.whole_terms) + f64::from(b.whole_terms) - both).max(1.0);
    }
    let equal: u32 = a.whole.iter().zip(&b.whole).map(|(a, b)| u32::from(a == b)).sum();
    resemblance_of_many(equal, WHOLE)
}

/// Returns a description of the value of the trait at an index of `ALL_TRAITS`.
pub(crate) fn told(index: usize, value: f64) -> String {
    let percent = |share: f64| format!("{:.0}%", 100.0 * share);
    match ALL_TRAITS[index].name {
        "content" => {
            let odds = value.exp();
            let share = ((1.0 + NEARLY) * odds - NEARLY) / (1.0 + odds);
            format!("{} of the short word sequences of both texts are common", percent(share.clamp(0.0, 1.0)))
        }
        "missing" if value > 0.0 => {
            format!("about {} of the words of the longer text are missing from the other", percent(value + SMALL))
        }
        "missing" => "at most a tenth of the words of the longer text are missing from the other".to_owned(),
        "siblings" if value > 0.0 => {
            "their titles (without titles, their addresses) name two different things".to_owned()
        }
        "siblings" => "their titles or addresses do not name two different things".to_owned(),
        "names" => {
            format!(
                "{} of the words that name one page (in title, headings or address) do not name the other",
                percent(value)
            )
        }
        "numbers" => format!("numbers on only one page: {} of a very high count", percent(value)),
        _ => format!("text outside the content on only one page: {} of the maximum", percent(value)),
    }
}

/// Returns the resemblance by short shingles, estimated from eight bits of each min-value and corrected for chance
/// agreement (Li and Koenig 2010); `None` if the shingles of the two have different lengths.
pub fn resemblance(a: &Profile, b: &Profile) -> Option<f64> {
    if a.classes[0] != b.classes[0] {
        return None;
    }
    // Bytes are counted in a byte, so that the compiler adds 32 at a time.
    let equal = a.short.iter().zip(&b.short).fold(0u8, |equal, (a, b)| equal + u8::from(a == b));
    Some(resemblance_of(equal.into()))
}

/// A high count of absent numbers for a page with few terms. The numbers of one date, time and version are half of it.
const MANY_NUMBERS: f64 = 12.0;

/// Number of terms of a page that raise the high count by one.
const TERMS_OF_NUMBER: f64 = 20.0;

/// Returns the value of the trait `numbers`, 0 to 1: how many numbers of the page with fewer numbers are absent from
/// the other page, relative to a count that is high for this many terms.
fn numbers(a: &Profile, b: &Profile, terms: f64) -> f64 {
    let Some(resemblance) = a.numbers.resemblance(&b.numbers) else { return 0.0 };
    let [x, y] = [a.numbers.total, b.numbers.total].map(f64::from);
    ((x.min(y) - shared(resemblance, x, y)).max(0.0) / (MANY_NUMBERS + terms / TERMS_OF_NUMBER)).min(1.0)
}

#[cfg(test)]
mod tests {
    use nddb_page::sketch::{MIN_VALUES, Recipe, agreement, min_bytes, resemblance_of};
    use nddb_page::text::Page;

    use super::*;
    use crate::logistic::{Constants, log_odds};

    /// A page of 200 words; the words at some indexes are replaced.
    fn page(title: &str, heading: &str, url: &str, replaced: &[usize]) -> (Profile, [u8; MIN_VALUES]) {
        let word = |index: usize| match replaced.contains(&index) {
            true => format!("other{index} "),
            false => format!("word{index} "),
        };
        let text: Vec<String> = (0..4)
            .map(|part| format!("<p>{}.</p>", (50 * part..50 * part + 50).map(word).collect::<String>()))
            .collect();
        let html = format!("<title>{title}</title><body><h1>{heading}</h1>{}", text.concat());
        let sketch = Recipe::default().sketch(&Page { url: Some(url), ..Page::html(&html) });
        (sketch.profile.expect("a profile"), min_bytes(&sketch.min_hash.expect("min-values").values))
    }

    fn probability(a: &(Profile, [u8; MIN_VALUES]), b: &(Profile, [u8; MIN_VALUES])) -> f64 {
        Constants::MAIN.probability(&Traits::of(&a.0, &b.0, agreement(&a.1, &b.1)))
    }

    /// Which pairs are near-duplicates: with scattered and concentrated differences, and with the same or another name.
    #[test]
    fn differences_are_judged_by_how_they_stand_and_what_the_pages_are_called() {
        let scattered: Vec<usize> = (0..20).map(|index| 10 * index + 3).collect();
        let few: Vec<usize> = (0..10).map(|index| 20 * index + 3).collect();
        let block: Vec<usize> = (55..85).collect();
        let small: Vec<usize> = (55..65).collect();
        let sentence: Vec<usize> = (55..61).collect();
        let spread: Vec<usize> = [20..25, 90..95, 160..165].into_iter().flatten().collect();
        let half: Vec<usize> = (0..100).collect();
        let third: Vec<usize> = (70..136).collect();
        let (site, other) = ("http://a.example/2", "http://b.example/2");
        for (name, replaced, url, expected) in [
            ("Red Fox", &[][..], site, true),
            ("Red Fox", &few[..], site, true),
            ("Red Fox", &scattered[..], site, true),
            ("Red Fox", &scattered[..], other, true),
            ("Red Fox", &small[..], site, true),
            ("Red Fox", &third[..], site, false),
            ("Red Fox", &third[..], other, false),
            ("Red Fox", &half[..], site, false),
            ("Red Fox", &half[..], other, false),
            ("Blue Whale", &[], site, false),
            ("Blue Whale", &small[..], site, false),
            // One text under two headlines.
            ("Blue Whale", &sentence[..], other, true),
            ("Blue Whale", &spread[..], site, false),
            ("Blue Whale", &spread[..], other, false),
            ("Blue Whale", &block[..], site, false),
            ("Blue Whale", &block[..], other, false),
            ("Blue Whale", &half[..], site, false),
        ] {
            let (a, b) = (page("Red Fox", "Red Fox", "http://a.example/1", &[]), page(name, name, url, replaced));
            let found = probability(&a, &b);
            assert_eq!(found >= 0.5, expected, "{name}, {} words, {url}: {found}", replaced.len());
            assert_eq!(found, probability(&b, &a), "either way round");
        }
    }

    /// Min-values of 32 bits distinguish pages that min-values of eight bits cannot.
    #[test]
    fn pages_of_a_word_or_two_are_near_only_those_of_the_same_words() {
        let sketch = |text: &str| {
            let sketch = Recipe::default().sketch(&Page::text(text));
            (sketch.profile.expect("a profile"), min_bytes(&sketch.min_hash.expect("min-values").values))
        };
        let texts: Vec<String> = (0..600)
            .map(|index| if index % 3 == 0 { format!("red{index}") } else { format!("red{index} fox") })
            .collect();
        let pages: Vec<_> = texts.iter().map(|text| sketch(text)).collect();
        let mut alike = 0;
        for (index, a) in pages.iter().enumerate() {
            assert!(probability(a, &sketch(&texts[index])) > 0.9, "{}", texts[index]);
            for b in &pages[..index] {
                alike += u32::from(resemblance(&a.0, &b.0) > Some(0.9));
                assert!(probability(a, b) < 0.1, "{:?} {:?}", a.0, b.0);
            }
        }
        assert!(alike > 300, "{alike} pairs have equal low bits");
    }

    /// Two siblings of one template differ in one word of title and content; the rest is the template.
    #[test]
    fn the_name_of_a_page_outweighs_the_template_that_it_shares() {
        let sibling = |name: &str, url: &str| {
            let frame: String = (0..120).map(|index| format!("frame{index} ")).collect();
            let html =
                format!("<title>{name} (docs 2)</title><body><h1>Class {name}</h1><p>{name} is made. {frame}.</p>");
            let sketch = Recipe::default().sketch(&Page { url: Some(url), ..Page::html(&html) });
            (sketch.profile.expect("a profile"), min_bytes(&sketch.min_hash.expect("min-values").values))
        };
        let fox = sibling("FoxSerializer", "http://a.example/1");
        assert!(probability(&fox, &sibling("WhaleSerializer", "http://a.example/2")) < 0.5);
        assert!(probability(&fox, &sibling("FoxSerializer", "http://a.example/3")) > 0.9);
        // A name is not mistaken for a word of the template whose hash has the same low 14 bits.
        let (name, word) = ("UnknownMemberIdException", "InvalidGroupIdException");
        assert!(probability(&sibling(name, "http://a.example/1"), &sibling(word, "http://a.example/2")) < 0.5);
    }

    /// Titles name the pages, however many headings a generator writes on each of its pages.
    #[test]
    fn headings_of_a_generator_do_not_dilute_a_name() {
        let entry = |name: &str, headings: usize| {
            let section = |index: usize| {
                let words: String = (0..20).map(|word| format!("frame{index}x{word} ")).collect();
                format!("<h3>Section{index} of{index}</h3><p>{words}.</p>")
            };
            let sections: String = (0..headings).map(section).collect();
            let html = format!(
                "<title>{name} (docs 2)</title><body><h1>Class {name}</h1><p>{name} is made with {name}.</p>{sections}"
            );
            let url = format!("http://a.example/{name}-{headings}.html");
            let page = Page { url: Some(&url), ..Page::html(&html) };
            let sketch = Recipe::default().sketch(&page);
            (sketch.profile.expect("a profile"), min_bytes(&sketch.min_hash.expect("min-values").values))
        };
        let names = |a: &(Profile, _), b: &(Profile, _)| Traits::of(&a.0, &b.0, 0).values[3];
        for headings in [2, 5, 9] {
            let (fox, whale) = (entry("FoxException", headings), entry("WhaleException", headings));
            assert_eq!(names(&fox, &whale), 1.0, "{headings} headings");
            assert!(probability(&fox, &whale) < 0.1, "{headings} headings: {}", probability(&fox, &whale));
            assert_eq!(names(&fox, &entry("FoxException", headings + 1)), 0.0, "one heading more");
            // On another host the headings count, too.
            let other = Profile { host: whale.0.host ^ 1, ..whale.0.clone() };
            assert!(Traits::of(&fox.0, &other, 0).values[3] < 0.3, "{headings} headings");
        }
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
        let values = |a: &Profile, b: &Profile| Traits::of(a, b, 84).values;
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
                assert_eq!(values[2..4], [siblings, siblings * 2.0 / 3.0], "{url}");
            }
        }
        for markup in ["<title>Red fox</title>", "<h1>Red fox</h1>"] {
            let titled = profile("http://a.example/30/source_config.html", markup);
            assert_eq!(values(&sink, &titled)[2], 0.0, "{markup}");
        }
    }

    /// A name may be a word of a heading that a generator writes on all pages, and a title may be that of the site.
    #[test]
    fn headings_name_a_page_if_they_have_most_of_the_words_of_a_title() {
        let page = |title: &str, heading: &str| {
            let words: String = (0..90).map(|word| format!("word{word} ")).collect();
            let html = format!(
                "<title>{title} in animals - Site</title><h1>{heading}</h1><p>{words}.</p><h2>Fox Implementations</h2>\
                <p>In animals.</p>"
            );
            let url = format!("http://a.example/{}", title.to_lowercase());
            Recipe::default().sketch(&Page { url: Some(&url), ..Page::html(&html) }).profile.expect("one")
        };
        let siblings = |a: &Profile, b: &Profile| Traits::of(a, b, 84).values[2];
        assert_eq!(siblings(&page("Fox", "Fox"), &page("Whale", "Whale")), 1.0);
        assert_eq!(siblings(&page("Fox", "Fox in animals"), &page("Boutique", "Boutique: fox in animals")), 0.0);
    }

    /// Two captures of one address are the same page, whatever their names, and one text may have several headlines.
    #[test]
    fn names_say_nothing_of_captures_of_one_page_and_little_elsewhere() {
        let profile = |name: &str, url: &str| page(name, name, url, &[]).0;
        let values = |a: &Profile, b: &Profile| Traits::of(a, b, 84).values[2..4].to_vec();
        let fox = profile("Red Fox", "http://a.example/news/1.html");
        for (url, expected) in [
            ("https://www.a.example/news/1.html", [0.0, 0.0]),
            ("http://a.example/news/2.html", [1.0, 1.0]),
            ("http://a.example/old/1.html", [1.0, 0.5]),
            ("http://b.example/story.html", [0.0, 0.6]),
        ] {
            let whale = profile("Blue Whale", url);
            assert_eq!((values(&fox, &whale), values(&whale, &fox)), (expected.to_vec(), expected.to_vec()), "{url}");
        }
    }

    /// Pages with equal content, and much other text that is equal or different.
    #[test]
    fn what_was_left_out_of_a_page_counts_where_it_differs() {
        let words = |name: &str, len: usize| (0..len).map(|word| format!("{name}{word} ")).collect::<String>();
        let profile = |rest: &str| {
            let html = format!("<p>{}.</p><aside class=related><p>{rest}.</p></aside>", words("content", 120));
            let sketch = Recipe::default().sketch(&Page::html(&html));
            (sketch.profile.expect("a profile"), min_bytes(&sketch.min_hash.expect("min-values").values))
        };
        let [one, other] = ["one", "other"].map(|name| profile(&words(name, 100)));
        assert_eq!(one.0.terms, 120, "the aside is left out");
        let rest = |a: &Profile, b: &Profile| Traits::of(a, b, 84).values[REST];
        assert_eq!(rest(&one.0, &one.0), 0.0);
        assert!((0.15..0.35).contains(&rest(&one.0, &other.0)), "{}", rest(&one.0, &other.0));
        let [shared, same] = [shared_wholes(&one.0, &other.0), shared_wholes(&one.0, &one.0)];
        assert!(shared.iter().all(|share| (0.3..0.75).contains(share)) && same == [1.0, 1.0], "{shared:?}");
        assert!(probability(&one, &other) < probability(&one, &one));
    }

    /// Texts with few different words are compared by the order of words, texts of numbers by their digits.
    #[test]
    fn texts_of_few_different_words_are_no_near_duplicates_for_that() {
        let mut random = nddb_test_support::Random(7);
        let mut made = |words: &[&str], len: usize| -> String {
            (0..len).map(|_| format!("{} ", words[random.index(words.len())])).collect()
        };
        let digits: Vec<String> = (0..10).map(|digit| digit.to_string()).collect();
        let digits: Vec<&str> = digits.iter().map(String::as_str).collect();
        for words in [&["A", "C", "G", "T"][..], &["yes", "no"], &["Am", "F", "C", "G", "Dm"], &digits] {
            for len in [60, 200, 1000] {
                let texts: Vec<String> = (0..6).map(|_| made(words, len)).collect();
                let sketch = |text: &String| {
                    let sketch = Recipe::default().sketch(&Page::text(text));
                    (sketch.profile.expect("a profile"), min_bytes(&sketch.min_hash.expect("min-values").values))
                };
                let pages: Vec<_> = texts.iter().map(sketch).collect();
                for (index, a) in pages.iter().enumerate() {
                    assert!(probability(a, &sketch(&texts[index])) > 0.9);
                    for b in &pages[..index] {
                        assert!(probability(a, b) < 0.5, "{words:?} {len}: {}", probability(a, b));
                    }
                }
            }
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
                Names::of(&Recipe::default().sketch(&page).profile.expect("a profile"))
            });
            a.differences(&b)
        };
        let urls = Some(["http://a.example/one", "http://a.example/two"]);
        let (are_siblings, names) = differences(["Chapter 1", "Chapter 2"], urls);
        assert!(are_siblings && names >= 0.5, "{names}");
        assert!(differences(["General License 2", "General License 3"], None).0);
        assert_eq!(differences(["Chapter 1", "Chapter 1"], urls), (false, 0.0));
        assert!(!differences(["Chapter 1", "Chapter 2"], Some(["http://a.example/x/one", "http://a.example/y/one"])).0);
        assert!(!differences(["Foxes 1", "Whales 2"], Some(["http://a.example/", "http://b.example/"])).0);
    }

    /// A text that repeats one word or one sentence differs from the text that repeats it twice as often.
    #[test]
    fn texts_that_repeat_themselves_are_compared_by_how_often_they_do() {
        for text in ["buffalo ", "the quick brown fox jumps over the lazy dog and is away "] {
            let pages = [3, 6, 12, 24, 48].map(|times| {
                let sketch = Recipe::default().sketch(&Page::text(&text.repeat(8 * times)));
                (sketch.profile.expect("a profile"), min_bytes(&sketch.min_hash.expect("min-values").values))
            });
            for (index, a) in pages.iter().enumerate() {
                assert!(probability(a, a) > 0.9);
                pages[..index].iter().for_each(|b| assert!(probability(a, b) < 0.5, "{text}: {}", probability(a, b)));
            }
        }
    }

    /// A pair that the contents rule out is also ruled out with names, whatever the weights.
    #[test]
    fn contents_that_are_too_far_apart_need_no_names() {
        let words: Vec<usize> = (0..200).collect();
        let pages: Vec<_> = [("Red Fox", 0), ("Red Fox", 20), ("Blue Whale", 5), ("Blue Whale", 90), ("", 200)]
            .map(|(name, replaced)| page(name, name, "http://a.example/", &words[..replaced]))
            .into();
        let mut ruled_out = [0, 0];
        for (a, b) in pages.iter().flat_map(|a| pages.iter().map(move |b| (a, b))) {
            let agreement = agreement(&a.1, &b.1);
            let (contents, traits) = (Traits::of_contents(&a.0, &b.0, agreement), Traits::of(&a.0, &b.0, agreement));
            assert_eq!(contents.named(&Names::of(&a.0), &Names::of(&b.0)), traits);
            assert!(contents.values.iter().zip(traits.values).all(|(least, value)| *least <= value));
            for weights in [
                Constants::MAIN.weights,
                [1.0, -1.0, 5.0, -1.0, 0.0, -1.0],
                [1.0, -1.0, -1.0, 5.0, 1.0, 0.0],
                [0.0; TRAITS],
            ] {
                let model = Constants { weights, ..Constants::MAIN };
                for least in [0.0, 0.1, 0.5, model.probability(&traits), 0.9, 1.0] {
                    let may_reach = model.may_reach(&contents, log_odds(least));
                    assert!(may_reach || model.probability(&traits) < least, "{weights:?} {least}");
                    ruled_out[usize::from(may_reach)] += 1;
                }
            }
        }
        assert!(ruled_out[0] > 50 && ruled_out[1] > 50, "{ruled_out:?}");
        let names = ALL_TRAITS.map(|of| of.name);
        assert_eq!((names[SIBLINGS], names[NAMES]), ("siblings", "names"));
    }

    #[test]
    fn the_constants_are_those_that_the_fit_writes() {
        let written = include_str!("../../benches/default_model.json");
        let written: serde_json::Value = serde_json::from_str(written).expect("JSON");
        assert_eq!(written["constant"], Constants::MAIN.constant);
        assert_eq!(written["weights"].as_object().map(serde_json::Map::len), Some(TRAITS));
        for (of, weight) in ALL_TRAITS.iter().zip(Constants::MAIN.weights) {
            assert_eq!(written["weights"][of.name], weight, "{}", of.name);
        }
    }

    /// Scattered replaced words count as many missing words as the same number in one stretch.
    #[test]
    fn missing_words_are_counted_by_both_lengths_of_shingles() {
        const LENGTHS: Lengths = Lengths { few: 200.0, many: 200.0 };
        let original = page("", "", "", &[]);
        let scattered: Vec<usize> = (0..20).map(|index| 10 * index + 3).collect();
        for (replaced, share) in [(scattered, 0.1), ((60..80).collect(), 0.1), ((60..120).collect(), 0.3)] {
            let other = page("", "", "", &replaced);
            let long = resemblance_of(agreement(&original.1, &other.1));
            let found = LENGTHS.missing(resemblance(&original.0, &other.0).expect("lengths are equal"), long);
            assert!((found - share).abs() < 0.08, "{share} {found}");
        }
        assert_eq!(LENGTHS.missing(1.0, 1.0), 0.0);
        assert_eq!(Lengths { few: 0.0, many: 0.0 }.missing(0.0, 0.0), 1.0);
    }

    #[test]
    fn one_profile_is_a_near_duplicate_of_itself_whatever_it_is() {
        for (title, heading, replaced) in [("", "", &[][..]), ("Red Fox", "Fox", &[1, 2]), ("A", "", &[])] {
            let a = page(title, heading, "http://a.example/", replaced);
            assert!(probability(&a, &a) > 0.9);
        }
        let thin = Recipe::default().sketch(&Page::text("one"));
        let thin = (thin.profile.expect("a profile"), min_bytes(&thin.min_hash.expect("min-values").values));
        assert!(probability(&thin, &thin) > 0.9);
    }

    #[test]
    fn each_trait_says_something_and_what_they_add_is_the_sum() {
        let (a, b) =
            (page("Red Fox", "Fox", "http://a.example/", &[]), page("Whale", "Blue", "http://b.example/", &[1, 9]));
        let traits = Traits::of(&a.0, &b.0, agreement(&a.1, &b.1));
        let told: std::collections::BTreeSet<String> =
            (0..TRAITS).map(|index| told(index, traits.values[index])).collect();
        assert_eq!(told.len(), TRAITS, "{told:?}");
        let sum = Constants::MAIN.constant + Constants::MAIN.parts(&traits).iter().sum::<f64>();
        assert!((1.0 / (1.0 + (-sum).exp()) - Constants::MAIN.probability(&traits)).abs() < 1e-12);
    }

    #[test]
    fn estimates_of_resemblance_are_corrected_for_chance() {
        let (a, b) = (page("", "", "", &[]), page("", "", "", &(0..200).collect::<Vec<_>>()));
        assert_eq!(resemblance(&a.0, &a.0), Some(1.0));
        assert!(resemblance(&a.0, &b.0) < Some(0.03));
    }
}
