use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::text::{Page, PageKind, canonical_words};

fn of(text: &str, width: usize) -> Shingles {
    shingles(&canonical_words(&Page::text(text)), width, Sampling::ALL)
}

fn every_sampling() -> Vec<Sampling> {
    let all = |ratio: u32| (0..ratio).filter_map(move |remainder| Sampling::new(ratio, remainder));
    [1, 2, 4, 8, 16, 32].into_iter().flat_map(all).collect()
}

#[test]
fn a_shingle_is_the_hash_of_its_words() {
    let mut expected = [xxh3_128(b"a b c"), xxh3_128(b"b c d"), xxh3_128(b"c d e")];
    expected.sort_unstable();
    assert_eq!(of("a b c\n d  e", 3).hashes(), expected);
    assert_eq!(of("a b c", 5).hashes(), [xxh3_128(b"a b c")], "fewer words than a shingle");
    assert_eq!(of("a", 5).hashes(), [xxh3_128(b"a")]);
    assert_eq!(of("a a a a", 0).hashes(), [xxh3_128(b"a")]);
    assert_eq!(xxh3_128(b""), 0x99aa_06d3_0147_98d8_6001_c324_468d_497f, "the hash is XXH3 as published");
}

#[test]
fn pages_without_words_resemble_nothing() {
    let none = of(" \n", 5);
    assert!(none.is_empty());
    assert_eq!(none.overlap(&none), Some(Overlap { shared: 0, union: 0 }));
    assert_eq!(Overlap { shared: 0, union: 0 }.resemblance().to_bits(), 0f64.to_bits());
    assert_eq!(none.overlap(&of("a b", 5)).map(|both| both.union), Some(1));
}

#[test]
fn resemblance_is_shared_over_all() {
    let (a, b) = (of("a b c d e", 2), of("a b c d f", 2));
    assert_eq!(a.overlap(&b), Some(Overlap { shared: 3, union: 5 }));
    assert_eq!(a.overlap(&a).map(Overlap::resemblance), Some(1.0));
}

#[test]
fn only_powers_of_two_up_to_32_sample() {
    for (ratio, remainder) in [(0, 0), (3, 0), (64, 0), (4, 4), (1, 1)] {
        assert_eq!(Sampling::new(ratio, remainder), None);
    }
    let at = |ratio, remainder| Sampling::new(ratio, remainder).unwrap_or_default();
    assert_eq!((at(16, 5).ratio(), at(16, 5).remainder()), (16, 5));
    assert_eq!(at(16, 5).coarser(at(4, 1)), Some(at(16, 5)));
    assert_eq!(at(4, 1).coarser(at(16, 5)), Some(at(16, 5)));
    assert_eq!(at(4, 2).coarser(at(16, 5)), None);
    assert_eq!(of("a b c", 2).resample(at(4, 2)).map(|part| part.sampling()), Some(at(4, 2)));
    let sampled = shingles(&canonical_words(&Page::text("a b c")), 2, at(4, 2));
    assert_eq!(sampled.resample(Sampling::ALL), None, "what is not kept does not come back");
    assert_eq!(sampled.overlap(&shingles(&canonical_words(&Page::text("a")), 2, at(4, 1))), None);
}

#[test]
fn a_long_page_that_repeats_itself_is_a_small_set() {
    let page = "one two three four five six ".repeat(60_000);
    let words = canonical_words(&Page::text(&page));
    assert_eq!(words.len(), 360_000);
    assert_eq!(shingles(&words, 5, Sampling::ALL).len(), 6);
    let numbers: String = (0..200_000).map(|n| format!("{n} ")).collect();
    let words = canonical_words(&Page::text(&numbers));
    assert_eq!(shingles(&words, 5, Sampling::ALL), plain(&words, 5, Sampling::ALL));
}

proptest! {
    #[test]
    fn the_fast_shingles_are_the_plain_ones(
        text in "([a-d]{1,2} |[中文] ){0,80}",
        width in 0usize..9,
    ) {
        let words = canonical_words(&Page::text(&text));
        for sampling in every_sampling() {
            prop_assert_eq!(shingles(&words, width, sampling), plain(&words, width, sampling));
        }
    }

    #[test]
    fn samples_nest_and_are_compared_at_the_coarser_ratio(
        left in "([a-d] ){0,80}",
        right in "([a-d] ){0,80}",
        a in 0usize..63,
        b in 0usize..63,
    ) {
        let samplings = every_sampling();
        let (a, b) = (samplings[a], samplings[b]);
        let (left, right) = (canonical_words(&Page::text(&left)), canonical_words(&Page::text(&right)));
        let found = shingles(&left, 3, a).overlap(&shingles(&right, 3, b));
        match a.coarser(b) {
            None => prop_assert_eq!(found, None),
            Some(coarser) => {
                let set = |words| -> BTreeSet<u128> { plain(words, 3, coarser).hashes().iter().copied().collect() };
                let (left_set, right_set) = (set(&left), set(&right));
                let shared = left_set.intersection(&right_set).count();
                let union = left_set.union(&right_set).count();
                prop_assert_eq!(found, Some(Overlap { shared, union }));
                let fine = shingles(&left, 3, if a == coarser { b } else { a });
                prop_assert_eq!(fine.resample(coarser), Some(shingles(&left, 3, coarser)));
            }
        }
    }

    #[test]
    fn no_bytes_make_the_shingles_fail(body in prop::collection::vec(any::<u8>(), 0..400), html in any::<bool>()) {
        let kind = if html { PageKind::Html } else { PageKind::Text };
        let words = canonical_words(&Page { kind, charset: None, url: None, body: &body });
        let found = shingles(&words, SHINGLE_WORDS, Sampling::ALL);
        prop_assert_eq!(found.is_empty(), words.is_empty());
    }
}
