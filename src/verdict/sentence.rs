//! Why two documents are near or apart, in one sentence for people.

use nddb_page::sketch::Profile;

use crate::evidence::Evidence;
use crate::known::Known;
use crate::loss::{Estimate, Loss, PartLoss};
use crate::methods::Hamming;
use crate::names::Names;
use crate::pair::DocumentPair;
use crate::word_set::WordSet;

/// Greatest share of the words of the shorter title that the other title may lack if the two agree.
const TITLES_AGREE: f64 = 1.0 / 3.0;
/// Greatest value of the feature `numbers` of texts whose numbers agree.
const NUMBERS_AGREE: f64 = 0.05;
/// Least number of words of a content that stands beside the whole text.
const CONTENT_LEAST: usize = 30;
/// Least difference of the equal shares of content and whole text that is worth saying.
const APART: f64 = 0.1;
/// Share of equal words above which a difference is an exception.
const MOSTLY: f64 = 0.5;

/// Returns a sentence of at most 20 words about what two documents have in common: how much of their text is equal, and
/// whether titles and numbers agree. `losses` is what either loses if the other one is kept, if that is known;
/// otherwise the sentence is about sketches.
///
/// It is the one explanation of a pair that the command, its reports and the Python package print.
pub fn sentence(pair: &DocumentPair<'_>, losses: [Option<&Loss>; 2]) -> String {
    if pair.identical() {
        return "All words of the two texts are equal.".into();
    }
    let (equal, mostly, of_shorter) = match losses {
        [Some(a), Some(b)] if a.whole.lost + b.whole.lost == 0 => {
            return "Both texts have the same words, apart from case, punctuation and order.".into();
        }
        [Some(a), Some(b)] if a.whole.lost == 0 || b.whole.lost == 0 => {
            ("All words of the shorter text are in the longer one".to_owned(), true, true)
        }
        [Some(a), Some(b)] => {
            let whole = equal_share(&a.whole, &b.whole);
            (exactly(whole, [&a.content, &b.content]), whole >= MOSTLY, false)
        }
        _ => match Estimate::equal_share(pair.a, pair.b) {
            Some(share) => (format!("About {} of the text is equal", about(share)), share >= MOSTLY, false),
            None => return of_sketches(pair),
        },
    };
    let mut subjects = Subjects::default();
    subjects.compare_names(pair);
    match losses {
        // The longer text has numbers of its own, and says nothing of those of the shorter one.
        _ if of_shorter => {}
        [Some(a), Some(b)] => {
            let [numbers, negations] = [a.kinds.numbers + b.kinds.numbers, a.kinds.negations + b.kinds.negations];
            let have_numbers = numbers > 0 || has_numbers(pair.a) && has_numbers(pair.b);
            subjects.add("numbers", have_numbers.then_some(numbers == 0));
            subjects.add("negations", (negations > 0).then_some(false));
        }
        _ => {
            let have_numbers = has_numbers(pair.a) && has_numbers(pair.b);
            let evidence = pair.evidence_of_texts().filter(|_| have_numbers);
            subjects.add("numbers", evidence.map(|evidence: Evidence<'_>| evidence.numbers() <= NUMBERS_AGREE));
        }
    }
    equal + &subjects.clause(mostly) + "."
}

/// Returns how much of two texts is equal, and of their contents if that is more.
fn exactly(whole: f64, contents: [&PartLoss; 2]) -> String {
    let content = equal_share(contents[0], contents[1]);
    let stands = contents.iter().all(|content| content.words >= CONTENT_LEAST);
    match stands && content - whole >= APART {
        true => format!("{} of the content and {} of the whole text are equal", percent(content), percent(whole)),
        false => format!("{} of the text is equal", percent(whole)),
    }
}

/// Returns the share of the words of both texts that the other one has, too.
fn equal_share(a: &PartLoss, b: &PartLoss) -> f64 {
    1.0 - (a.lost + b.lost) as f64 / (a.words + b.words).max(1) as f64
}

/// Returns a sentence about two documents without profiles.
fn of_sketches(pair: &DocumentPair<'_>) -> String {
    match (pair.resemblance(), Hamming::distance(pair)) {
        (Some(share), _) => format!("About {} of the word sequences of both texts are equal.", about(share)),
        (None, Some(0)) => "The fingerprints are equal.".into(),
        (None, Some(1)) => "The fingerprints differ in 1 bit.".into(),
        (None, Some(bits)) => format!("The fingerprints differ in {bits} bits."),
        (None, None) => "Nothing is known by which the two can be compared.".into(),
    }
}

/// What agrees in both documents, and what differs.
#[derive(Default)]
struct Subjects {
    agree: Vec<&'static str>,
    differ: Vec<&'static str>,
}

impl Subjects {
    /// Adds a subject; `agrees` is `None` if it is not known.
    fn add(&mut self, subject: &'static str, agrees: Option<bool>) {
        match agrees {
            Some(true) => self.agree.push(subject),
            Some(false) => self.differ.push(subject),
            None => {}
        }
    }

    /// Adds titles, or what stands for them.
    fn compare_names(&mut self, pair: &DocumentPair<'_>) {
        let (Some(a), Some(b)) = (&pair.a.profile, &pair.b.profile) else { return };
        let are_siblings = Names::difference((a, &Names::of(a)), (b, &Names::of(b))).are_siblings;
        let [title, other] = [a, b].map(|profile: &Profile| WordSet::of(profile.title.all()));
        let have_titles = !title.is_empty() && !other.is_empty() && a.is_text == b.is_text;
        match (have_titles, a.is_text) {
            (true, false) => self.add("titles", Some(!are_siblings && title.lacking(&other) <= TITLES_AGREE)),
            (true, true) => self.add("first lines", Some(!are_siblings && title.lacking(&other) <= TITLES_AGREE)),
            (false, _) => self.add("addresses", are_siblings.then_some(false)),
        }
    }

    /// Returns the rest of a sentence; differences are exceptions if the texts are mostly equal.
    fn clause(&self, is_mostly_equal: bool) -> String {
        let list = |subjects: &[&str]| match subjects {
            [] => String::new(),
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            [one, ..] => (*one).to_owned(),
        };
        match (list(&self.agree), list(&self.differ)) {
            (agree, differ) if agree.is_empty() && differ.is_empty() => String::new(),
            (agree, differ) if differ.is_empty() => format!("; {agree} agree"),
            (agree, differ) if agree.is_empty() && is_mostly_equal => format!(", but {differ} differ"),
            (agree, differ) if agree.is_empty() => format!("; {differ} differ"),
            (agree, differ) => format!("; {agree} agree, {differ} differ"),
        }
    }
}

fn has_numbers(known: &Known) -> bool {
    known.profile.as_ref().is_some_and(|profile| profile.numbers.total > 0)
}

/// Returns a share of words that are not all equal, nor all different.
fn percent(share: f64) -> String {
    match (100.0 * share).round() {
        100.0 => "Over 99%".to_owned(),
        0.0 if share > 0.0 => "Under 1%".to_owned(),
        percent => format!("{percent:.0}%"),
    }
}

/// Returns an estimated share.
fn about(share: f64) -> String {
    format!("{:.0}%", (100.0 * share).clamp(1.0, 99.0))
}

#[cfg(test)]
mod tests {
    use nddb_format::Fingerprint;
    use nddb_page::sketch::Recipe;
    use nddb_page::text::{Page, compared_text};

    use super::*;
    use crate::loss::{Comparison, Kinds, Words};

    const URL: &str = "http://a.example/one";

    fn known(page: &Page<'_>) -> Known {
        Known::of(&Recipe::default().sketch(page).record("a", None), None)
    }

    /// The sentence from the words of two pages, and the one from their sketches.
    fn sentences(a: &Page<'_>, b: &Page<'_>) -> [String; 2] {
        let [known_a, known_b] = [known(a), known(b)];
        let pair = DocumentPair::new(&known_a, &known_b, None);
        let [words, other] = [a, b].map(|page| Words::of(&compared_text(page)));
        let Comparison { lost, added, .. } = Comparison::of(&words, &other);
        [sentence(&pair, [Some(&lost), Some(&added)]), sentence(&pair, [None, None])]
    }

    fn words(from: usize, to: usize) -> String {
        const LETTERS: &[u8] = b"bcdfghklmnprstvwz";
        let letter = |at: usize| char::from(LETTERS[at % LETTERS.len()]);
        (from..to).map(|at| format!("{}o{}a{} ", letter(at), letter(at / 17), letter(at / 289))).collect()
    }

    #[test]
    fn a_sentence_says_how_much_is_equal_and_what_agrees() {
        let page = |title: &str, body: &str| format!("<title>{title}</title><h1>{title}</h1><p>{body}.</p>");
        let body = |more: &str| format!("{} {more}", words(0, 196));
        let of = |title: &str, more: &str| page(title, &body(more));
        let fox = of("Red fox", "on 17 hills and more");
        for (other, exact, estimated) in [
            (of("Red fox", "on 17 hills and less"), "Over 99% of the text is equal; titles and numbers agree.", true),
            (
                of("Red fox", "on 71 hills and more"),
                "Over 99% of the text is equal; titles agree, numbers differ.",
                true,
            ),
            (
                of("Red fox", "on 71 hills, not more"),
                "99% of the text is equal; titles agree, numbers and negations differ.",
                false,
            ),
            (of("Blue whale", "on 17 hills and more"), "98% of the text is equal; numbers agree, titles differ.", true),
            (of("Blue whale", "on 9 seas"), "97% of the text is equal, but titles and numbers differ.", false),
            (page("Blue whale", &words(900, 1100)), "0% of the text is equal; titles and numbers differ.", false),
            (
                of("Red fox", "on 17 hills and more, as one says"),
                "All words of the shorter text are in the longer one; titles agree.",
                false,
            ),
            (
                of("RED FOX", "on 17 hills, and more!"),
                "Both texts have the same words, apart from case, punctuation and order.",
                false,
            ),
        ] {
            let page = |html| Page { url: Some(URL), ..Page::html(html) };
            let [found, sketched] = sentences(&page(&fox), &Page { url: Some("http://a.example/two"), ..page(&other) });
            assert_eq!(found, exact);
            assert!(!estimated || sketched.starts_with("About 9"), "{sketched}");
        }
        let [_, sketched] = sentences(&Page::html(&fox), &Page::html(&page("Blue whale", &words(900, 1100))));
        assert!(
            ["About 1%", "About 2%"]
                .map(|share| format!("{share} of the text is equal; titles differ."))
                .contains(&sketched)
        );
    }

    /// The frame of a page may differ where its content is equal.
    #[test]
    fn the_content_stands_beside_the_whole_text() {
        let sentence =
            |at: usize| format!("The {}, which is here, and {}. ", words(at, at + 9), words(at + 9, at + 18));
        let article: String = (0..10).map(|at| sentence(20 * at)).collect();
        let links = |from: usize| {
            (from..from + 60).map(|at| format!("<li><a href=/{at}>{}</a>", words(at, at + 1))).collect::<String>()
        };
        let page = |from: usize| format!("<nav>{}</nav><article><p>{article}</p></article>", links(from));
        let [found, _] = sentences(&Page::html(&page(1000)), &Page::html(&page(3000)));
        assert!(found.contains("of the content and") && found.ends_with("of the whole text are equal."), "{found}");
    }

    #[test]
    fn without_texts_the_sketches_are_compared() {
        let bare = |bits: u64| Known { fingerprint: Some(Fingerprint(bits)), ..Known::default() };
        let of = |a: &Known, b: &Known| sentence(&DocumentPair::new(a, b, None), [None, None]);
        assert_eq!(of(&bare(7), &bare(7)), "The fingerprints are equal.");
        assert_eq!(of(&bare(7), &bare(6)), "The fingerprints differ in 1 bit.");
        assert_eq!(of(&bare(7), &bare(0)), "The fingerprints differ in 3 bits.");
        assert_eq!(of(&Known::default(), &bare(0)), "Nothing is known by which the two can be compared.");
        let min_values = Known { min_bytes: Some([1; 84]), ..Known::default() };
        assert_eq!(of(&min_values, &min_values), "About 99% of the word sequences of both texts are equal.");
        let same = known(&Page::text(&words(0, 60)));
        assert_eq!(of(&same, &same), "All words of the two texts are equal.");
        let titled = |title: &str| format!("{title}\n\n{}", words(0, 200));
        let [found, _] = sentences(&Page::text(&titled("Red fox")), &Page::text(&titled("Blue whale")));
        assert!(found.ends_with("of the text is equal, but first lines differ."), "{found}");
    }

    /// Whatever is said of whatever agrees or differs.
    #[test]
    fn a_sentence_has_at_most_20_words() {
        let loss = |lost: usize, content: usize, kinds: Kinds| {
            let part = |lost, words| PartLoss { words, lost, passage: 0 };
            Loss { whole: part(lost, 500), content: part(content, 200), kinds, passages: Vec::new() }
        };
        let page = |title: &str, number: u32| format!("<title>{title}</title><p>{} of {number} hills.", words(0, 100));
        let mut seen = std::collections::BTreeSet::new();
        for (title, number) in [("Red fox", 1), ("Red fox", 2), ("Blue whale", 1), ("Blue whale", 2), ("", 3)] {
            let [a, b] = [page("Red fox", 1), page(title, number)];
            let [a, b] = [&a, &b].map(|html| known(&Page::html(html)));
            let pair = DocumentPair::new(&a, &b, None);
            for (lost, content) in [(0, 0), (1, 1), (200, 0), (200, 90), (500, 200), (499, 1)] {
                for (numbers, negations) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    let kinds = Kinds { numbers, negations, ..Kinds::default() };
                    let losses = [loss(lost, content, kinds), loss(lost.min(2), content.min(2), kinds)];
                    seen.insert(sentence(&pair, losses.each_ref().map(Some)));
                }
            }
            seen.insert(sentence(&pair, [None, None]));
        }
        assert!(seen.len() > 30, "{seen:?}");
        for sentence in seen {
            assert!(sentence.split(' ').count() <= 20, "{sentence}");
            assert!(
                sentence.ends_with('.') && sentence.starts_with(|c: char| c.is_uppercase() || c.is_numeric()),
                "{sentence}"
            );
        }
    }
}
