//! Sketches of degenerate and hostile pages: each has a defined result, and none fails.

use proptest::prelude::*;

use crate::sketch::features::{Features, simhash_of};
use crate::sketch::{Recipe, SHINGLE_WORDS, Sampling, SignatureRules, shingles, signatures};
use crate::text::{Page, PageKind, canonical_words, folded_text, page_content, tokens};

/// Returns the sizes of all sketches of a page: terms, min-values, projection, signatures, words, shingles.
fn sketch_sizes(page: &Page<'_>) -> (u64, bool, bool, usize, usize, usize) {
    let sketch = Recipe::default().sketch(page);
    let words = canonical_words(page);
    let signatures = signatures(&folded_text(page), &SignatureRules::default());
    let shingles = shingles(&words, SHINGLE_WORDS, Sampling::ALL);
    let (b, c) = (sketch.min_hash.is_some(), sketch.projection.is_some());
    (sketch.tokens, b, c, signatures.len(), words.len(), shingles.len())
}

#[test]
fn pages_without_text_have_no_sketch_and_are_told_apart_by_that() {
    for page in [Page::html(""), Page::text(" \n"), Page::html("<p><br></p><script>var a;</script>")] {
        assert_eq!(sketch_sizes(&page), (0, false, false, 0, 0, 0));
    }
    // Text without a letter or digit is compared by its symbols.
    let (terms, b, c, ..) = sketch_sizes(&Page::text("--- *** !!!"));
    assert_eq!((terms, b, c), (3, true, true));
}

#[test]
fn pages_shorter_than_a_shingle_are_one_shingle() {
    assert_eq!(sketch_sizes(&Page::text("token")), (1, true, true, 0, 1, 1));
    assert_eq!(sketch_sizes(&Page::html("<p>two <b>tokens</b>")), (2, true, true, 0, 2, 1));
    assert_eq!(sketch_sizes(&Page::text("four of these tokens")), (4, true, true, 16, 4, 1));
}

#[test]
fn pages_of_numbers_alone_are_compared_by_them() {
    let (terms, b, c, ..) = sketch_sizes(&Page::text("1 22 333"));
    assert_eq!((terms, b, c), (3, true, true));
    let of = |text: &str| Recipe::default().sketch(&Page::text(text)).fingerprint;
    assert_ne!(of("1 22 333"), of("4 55 666"));
    assert_eq!(of("1 words are more"), of("2 words are more"));
}

#[test]
fn languages_without_spaces_have_words() {
    let (terms, _, _, signatures, words, shingles) =
        sketch_sizes(&Page::text("北京大学是中华人民共和国的一所综合性大学,位于北京市海淀区。"));
    assert!(terms >= 10 && words > 10 && shingles == words - 4 && signatures == 16, "{terms} {words}");
}

#[test]
fn pages_of_50_mb_are_read_to_the_end() {
    let size = 50_000_000;
    let one = sketch_sizes(&Page::text(&"a".repeat(size)));
    assert_eq!(one, (1, true, true, 16, 1, 1));
    let sentence = "<p>A sentence with <i>markup</i> &amp; a number of words in it.</p>\n";
    let (terms, .., signatures, words, shingles) = sketch_sizes(&Page::html(&sentence.repeat(size / sentence.len())));
    let len = size / sentence.len();
    assert_eq!((terms as usize, words), (10 * len, 11 * len));
    assert_eq!((signatures, shingles), (31, 11), "one sentence, and its part where the 10 KB end");
    let tags = sketch_sizes(&Page::html(&"<p><".repeat(size / 4)));
    assert_eq!(tags, ((size / 4) as u64, true, true, 0, size / 4, 1));
}

#[test]
fn binary_that_poses_as_html_is_text_like_any_other() {
    let body: Vec<u8> = (0..300_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 23) as u8).collect();
    for charset in [None, Some("utf-8"), Some("utf-16"), Some("gb18030"), Some("iso-2022-jp")] {
        let page = Page { kind: PageKind::Html, charset, url: None, body: &body };
        let (terms, b, c, signatures, words, shingles) = sketch_sizes(&page);
        assert!(terms > 100 && b && c && signatures <= 112, "{charset:?}");
        assert!(words > 0 && (1..=words).contains(&shingles), "{charset:?}");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_a_sketch_fail(
        body in prop::collection::vec(any::<u8>(), 0..600),
        charset in prop::sample::select(vec![None, Some("utf-8"), Some("utf-16be"), Some("big5"), Some("x")]),
        html in any::<bool>(),
    ) {
        let kind = if html { PageKind::Html } else { PageKind::Text };
        let page = Page { kind, charset, url: Some("http://a.org/b"), body: &body };
        let (_, b, c, .., words, shingles) = sketch_sizes(&page);
        // A page that has terms has a content with terms.
        let has_words = !page_content(&page).hashes().is_empty();
        prop_assert_eq!((b, c), (has_words, has_words));
        prop_assert!(shingles <= words && (shingles > 0) == (words > 0));
        for recipe in Recipe::all() {
            prop_assert_eq!(recipe.explain(&page).fingerprint, recipe.sketch(&page).fingerprint);
        }
        let features = Features { terms: 3, ..Features::default() };
        let found = Recipe::named("web-3grams").map(|recipe| recipe.sketch(&page).fingerprint);
        prop_assert_eq!(found, Some(simhash_of(&tokens(&page), &features)));
    }
}
