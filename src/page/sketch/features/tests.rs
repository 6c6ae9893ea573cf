use proptest::prelude::*;

use super::*;
use crate::sketch::Recipe;
use crate::text::{Page, PageKind, tokens};

fn of(text: &str) -> Tokens {
    tokens(&Page::text(text))
}

#[test]
fn the_default_features_are_those_of_the_web_recipe() {
    let page = Page::text("The quick brown Fox jumps over the lazy dog; Straße ΣΑΣ 中文字");
    let found = simhash_of(&tokens(&page), &Features::default());
    assert_eq!(found, Recipe::named("web").unwrap_or_default().sketch(&page).fingerprint);
}

#[test]
fn phrases_of_stop_words_and_cases() {
    let tokens = of("The cat and THE dog");
    let stop = StopWords::english();
    let features = Features { terms: 2, stop_words: Some(&stop), ..Features::default() };
    assert_eq!(features.hashes(&tokens), [features.hash_of(["Cat", "dog"])]);
    let long = Features { terms: 5, ..features };
    assert_eq!(long.hashes(&tokens), [features.hash_of(["cat", "dog"])], "fewer terms than a phrase");
    let cased = Features { fold_case: false, terms: 1, ..features };
    assert_eq!(cased.hashes(&of("the Cat")), [xxh3_64(b"Cat")]);
    let bytes: Vec<u8> = ["cat", "dog"].iter().flat_map(|term| xxh3_64(term.as_bytes()).to_le_bytes()).collect();
    assert_eq!(features.hash_of(["cat", "dog"]), xxh3_64(&bytes));
    assert_eq!(stop.hashes.len(), 33);
}

#[test]
fn forms_of_a_word_are_one_feature() {
    let (stop, english) = (StopWords::english(), Stemmer::of("english").expect("known"));
    let features = Features { stop_words: Some(&stop), stemmer: Some(&english), ..Features::default() };
    assert_eq!(features.hashes(&of("The pages AND page")), [xxh3_64(b"page"); 2]);
    let cased = Features { fold_case: false, ..features };
    assert_eq!(cased.hashes(&of("Pages")), [xxh3_64(b"page")]);
    let phrase = Features { terms: 2, ..features };
    assert_eq!(phrase.hashes(&of("comparing pages")), [phrase.hash_of(["compared", "page"])]);
}

#[test]
fn pages_without_features_have_fingerprint_zero() {
    let stop = StopWords::english();
    let features = Features { stop_words: Some(&stop), terms: 3, ..Features::default() };
    for text in ["", "...", "the The THE of"] {
        assert_eq!(simhash_of(&of(text), &features), 0, "{text:?}");
    }
    let nothing = WeightTable::new([], 0);
    assert_eq!(simhash_of(&of("one two"), &Features { weights: Some(&nothing), ..features }), 0);
}

#[test]
fn weights_decide_and_the_last_one_counts() {
    let (cat, dog) = (xxh3_64(b"cat"), xxh3_64(b"dog"));
    let table = WeightTable::new([(cat, 1), (dog, 5), (cat, 9)], 2);
    assert_eq!([table.weight(cat), table.weight(dog), table.weight(0)], [9, 5, 2]);
    let features = Features { weights: Some(&table), ..Features::default() };
    assert_eq!(simhash_of(&of("cat dog bird"), &features), cat, "9 > 5 + 2");
    assert_eq!(simhash_of(&of("cat dog dog"), &features), dog, "10 > 9");
    assert_eq!(simhash_of(&of("cat"), &Features { bits: 8, ..features }), cat & 0xff);
}

proptest! {
    #[test]
    fn the_fast_simhash_of_features_is_the_plain_one(
        text in "([a-dA-D]{1,2}(s|ing|S)? |the |[äÄΣ]{1,2} ){0,40}",
        terms in 0usize..8,
        fold_case in any::<bool>(),
        stops in any::<bool>(),
        stems in any::<bool>(),
        weighted in any::<bool>(),
        others in prop_oneof![Just(0u32), Just(1), any::<u32>()],
        bits in 0u32..70,
    ) {
        let tokens = of(&text);
        let (stop, stemmer) = (StopWords::new(["THE", "a"]), Stemmer::of("english").expect("known"));
        let (stop_words, stemmer) = (stops.then_some(&stop), stems.then_some(&stemmer));
        let mut features = Features { terms, fold_case, stop_words, stemmer, weights: None, bits };
        let weights = features.hashes(&tokens).into_iter().map(|hash| (hash, (hash >> 60) as u32)).step_by(2);
        let table = WeightTable::new(weights, others);
        features.weights = weighted.then_some(&table);
        prop_assert_eq!(simhash_of(&tokens, &features), plain(&tokens, &features));
    }

    #[test]
    fn no_bytes_make_the_features_fail(
        body in prop::collection::vec(any::<u8>(), 0..300),
        html in any::<bool>(),
        terms in 1usize..6,
    ) {
        let kind = if html { PageKind::Html } else { PageKind::Text };
        let tokens = tokens(&Page { kind, charset: None, url: None, body: &body });
        let features = Features { terms, ..Features::default() };
        prop_assert_eq!(simhash_of(&tokens, &features), plain(&tokens, &features));
    }
}
