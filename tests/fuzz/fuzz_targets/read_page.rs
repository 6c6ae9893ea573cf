//! Any bytes as a page: its character set, its text and content, its terms and names, and all its sketches.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nddb_page::sketch::{Recipe, SHINGLE_WORDS, Sampling, SignatureRules, shingles, signatures};
use nddb_page::text::{Page, PageKind, canonical_words, folded_text, page_content, text_blocks, title};

const CHARSETS: [Option<&str>; 8] =
    [None, Some("utf-8"), Some("utf-16le"), Some("big5"), Some("iso-2022-jp"), Some("gb18030"), Some("x"), None];

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, body)) = bytes.split_first() else { return };
    let kind = if first & 8 == 0 { PageKind::Html } else { PageKind::Text };
    let url = (first & 16 != 0).then_some("http://www.site.example/a/b.html?c=d");
    let page = Page { kind, charset: CHARSETS[usize::from(first & 7)], url, body };
    let main = Recipe::default();
    let sketch = main.sketch(&page);
    assert_eq!(sketch.fingerprint, main.explain(&page).fingerprint, "an explanation is that of the sketch");
    let content = page_content(&page);
    let has_words = !content.hashes().is_empty();
    assert_eq!((sketch.min_hash.is_some(), sketch.projection.is_some()), (has_words, has_words));
    let words = canonical_words(&page);
    let shingles = shingles(&words, SHINGLE_WORDS, Sampling::ALL);
    assert!(shingles.len() <= words.len() && shingles.is_empty() == words.is_empty());
    let _ = (signatures(&folded_text(&page), &SignatureRules::default()), text_blocks(&page), title(&page));
});
