use nddb_page::sketch::{MIN_VALUES, Profile, Recipe, agreement, min_bytes};
use nddb_page::text::Page;

use super::*;
use crate::logistic::{Constants, log_odds};
use crate::methods::testing::page;
use crate::names::Names;
use crate::resemblances::{resemblance, shared_wholes};

fn of(a: &Profile, b: &Profile, agreement: u32) -> FeatureValues {
    FeatureValues::of(a, b, agreement)
}

/// The value of the feature of a name.
fn value(name: &str, features: &FeatureValues) -> f64 {
    let index = FEATURES.iter().position(|feature| feature.name == name).expect("a feature");
    features.values[index]
}

fn probability(a: &(Profile, [u8; MIN_VALUES]), b: &(Profile, [u8; MIN_VALUES])) -> f64 {
    Constants::MAIN.probability(&of(&a.0, &b.0, agreement(&a.1, &b.1)))
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
    let texts: Vec<String> =
        (0..600).map(|index| if index % 3 == 0 { format!("red{index}") } else { format!("red{index} fox") }).collect();
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
        let html = format!("<title>{name} (docs 2)</title><body><h1>Class {name}</h1><p>{name} is made. {frame}.</p>");
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
    let names = |a: &(Profile, _), b: &(Profile, _)| value("names", &of(&a.0, &b.0, 0));
    for headings in [2, 5, 9] {
        let (fox, whale) = (entry("FoxException", headings), entry("WhaleException", headings));
        assert_eq!(names(&fox, &whale), 1.0, "{headings} headings");
        assert!(probability(&fox, &whale) < 0.1, "{headings} headings: {}", probability(&fox, &whale));
        assert_eq!(names(&fox, &entry("FoxException", headings + 1)), 0.0, "one heading more");
        // On another host the headings count, too.
        let other = Profile { host: whale.0.host ^ 1, ..whale.0.clone() };
        assert!(value("names", &of(&fox.0, &other, 0)) < 0.3, "{headings} headings");
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
    let rest = |a: &Profile, b: &Profile| value("rest", &of(a, b, 84));
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
        let (texts, features) = (Evidence::of_texts(&a.0, &b.0, agreement), of(&a.0, &b.0, agreement));
        assert_eq!(FeatureValues::of_evidence(&texts.clone().with(&Names::of(&a.0), &Names::of(&b.0))), features);
        assert!(
            FeatureValues::of_evidence(&texts).values.iter().zip(features.values).all(|(least, value)| *least <= value)
        );
        for weights in [
            Constants::MAIN.weights,
            [1.0, -1.0, 5.0, -1.0, 0.0, -1.0],
            [1.0, -1.0, -1.0, 5.0, 1.0, 0.0],
            [0.0; FEATURE_COUNT],
        ] {
            let model = Constants { weights, ..Constants::MAIN };
            for least in [0.0, 0.1, 0.5, model.probability(&features), 0.9, 1.0] {
                let may_reach = model.may_reach(&texts, log_odds(least));
                assert!(may_reach || model.probability(&features) < least, "{weights:?} {least}");
                ruled_out[usize::from(may_reach)] += 1;
            }
        }
    }
    assert!(ruled_out[0] > 50 && ruled_out[1] > 50, "{ruled_out:?}");
}

#[test]
fn the_constants_are_those_that_the_fit_writes() {
    let written = include_str!("../../../benches/default_model.json");
    let written: serde_json::Value = serde_json::from_str(written).expect("JSON");
    assert_eq!(written["constant"], Constants::MAIN.constant);
    assert_eq!(written["weights"].as_object().map(serde_json::Map::len), Some(FEATURE_COUNT));
    for (of, weight) in FEATURES.iter().zip(Constants::MAIN.weights) {
        assert_eq!(written["weights"][of.name], weight, "{}", of.name);
    }
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
fn each_feature_says_something() {
    let (a, b) =
        (page("Red Fox", "Fox", "http://a.example/", &[]), page("Whale", "Blue", "http://b.example/", &[1, 9]));
    let features = of(&a.0, &b.0, agreement(&a.1, &b.1));
    let said = FEATURES.iter().zip(features.values).map(|(feature, value)| feature.describe(value));
    assert_eq!(said.collect::<std::collections::BTreeSet<String>>().len(), FEATURE_COUNT);
    let meanings: std::collections::BTreeSet<&str> = FEATURES.iter().map(|feature| feature.meaning).collect();
    assert_eq!(meanings.len(), FEATURE_COUNT);
}

/// A page whose words, and what counts as its content, are given: a list of links is no content, but a long text in it
/// may be part of the whole text.
fn sketched(html: &str, url: &str) -> (Profile, [u8; MIN_VALUES]) {
    let sketch = Recipe::default().sketch(&Page { url: Some(url), ..Page::html(html) });
    (sketch.profile.expect("a profile"), min_bytes(&sketch.min_hash.expect("min-values").values))
}

/// Texts of letters, because digits are no words of the content.
fn words(from: usize, len: usize) -> Vec<String> {
    let letter = |value: usize| char::from(b'a' + (value % 26) as u8);
    (from..from + len)
        .map(|word| format!("{}{}{}o", letter(word), letter(word / 26 + 3), letter(word / 676 + 7)))
        .collect()
}

fn article(title: &str, url: &str, words: &[String]) -> (Profile, [u8; MIN_VALUES]) {
    let paragraphs: String = words.chunks(60).map(|words| format!("<p>{}.</p>", words.join(" "))).collect();
    sketched(&format!("<title>{title}</title><main><h1>{title}</h1>{paragraphs}</main>"), url)
}

/// Names and numbers do not outweigh equal texts, unless the texts are so short that they may differ in the name alone.
#[test]
fn long_equal_texts_are_near_whatever_the_pages_are_called() {
    for (titles, len, expected) in [
        (["Storm hits the coast", "Government falls after vote"], 1500, true),
        (["Storm hits the coast", "Government falls after vote"], 600, true),
        (["Annual report 2001", "Annual report 2002"], 400, true),
        (["Universal Declaration 1993", "Universal Declaration 2006"], 1500, true),
        (["Storm hits the coast", "Government falls after vote"], 40, false),
    ] {
        let [a, b] = [0, 1].map(|at| article(titles[at], &format!("http://a.example/{at}.html"), &words(0, len)));
        let found = probability(&a, &b);
        assert_eq!(found >= 0.5, expected, "{titles:?}, {len} words: {found}");
    }
    // One word in a hundred is another one: three of a hundred sequences of three words differ in each text.
    let (text, mut edited) = (words(0, 1500), words(0, 1500));
    edited.iter_mut().step_by(100).for_each(|word| word.insert(0, 'x'));
    let [a, b] = [("Universal Declaration 1993", &text), ("Universal Declaration 2006", &edited)]
        .map(|(title, words)| article(title, &format!("http://a.example/{}", title.len() + words[0].len()), words));
    assert!(probability(&a, &b) >= 0.5, "{}", probability(&a, &b));
    let other =
        article("Government falls", "http://a.example/other", &[&words(0, 1000)[..], &words(5000, 500)].concat());
    assert!(probability(&a, &other) < 0.5, "a third is another text: {}", probability(&a, &other));
}

/// The whole text speaks for a pair if the contents were delimited differently.
#[test]
fn nearly_equal_whole_texts_are_near_whatever_counts_as_content() {
    let base = article("Point", "http://a.example/1/point.html", &words(0, 400));
    let other = article("Point", "http://a.example/2/point.html", &words(3000, 400));
    let mut jumped = base.clone();
    (jumped.0.short, jumped.0.terms, jumped.1) = (other.0.short, 120, other.1);
    assert!(probability(&base, &jumped) > 0.5, "{}", probability(&base, &jumped));
    assert!(probability(&base, &other) < 0.1, "{}", probability(&base, &other));
    let shares = base.0.bands().iter().zip(jumped.0.bands()).filter(|(a, b)| *a == b).count();
    assert!(shares > 0, "they are a candidate pair by their whole texts");
}

/// The first line of a plain text need not be its title.
#[test]
fn a_page_and_a_plain_text_are_not_compared_by_their_names() {
    let text = words(0, 90).join(" ");
    let sketch = |page: Page<'_>| Recipe::default().sketch(&page).profile.expect("a profile");
    let url = Some("http://a.example/readme.txt");
    let plain = sketch(Page { url, ..Page::text(&format!("Blue Whale\n\n{text}")) });
    let html = format!("<title>Red Fox</title><h1>Red Fox</h1><p>{text}.</p>");
    let page = sketch(Page { url: Some("http://a.example/fox.html"), ..Page::html(&html) });
    let features = of(&plain, &page, 84);
    assert_eq!((value("names", &features), value("siblings", &features)), (0.0, 0.0));
    let other = sketch(Page { url, ..Page::html(&html.replace("Red Fox", "Blue Whale")) });
    assert_eq!(value("siblings", &of(&other, &page, 84)), 1.0);
}
