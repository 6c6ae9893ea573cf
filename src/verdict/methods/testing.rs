//! Documents for the tests of methods.

use nddb_format::Fingerprint;
use nddb_page::sketch::{MIN_VALUES, Profile, Recipe, min_bytes};
use nddb_page::text::Page;

use crate::known::Known;

/// Two documents with `b` equal supershingles and `c` equal bits of their projections.
pub(crate) fn similar(b: u32, c: u32) -> (Known, Known) {
    let different = |index: u32| (384 - c).saturating_sub(64 * index).min(64);
    let of = |supershingles, projection| Known {
        supershingles: Some(supershingles),
        projection: Some(projection),
        ..Known::default()
    };
    let one = of([1; 6], [0; 6]);
    let bits = |index: u32| if different(index) == 0 { 0 } else { u64::MAX >> (64 - different(index)) };
    let other =
        of(std::array::from_fn(|index| u64::from((index as u32) < b)), std::array::from_fn(|index| bits(index as u32)));
    (one, other)
}

/// A document of this text by the recipe `main`.
pub(crate) fn profiled(text: &str) -> Known {
    let sketch = Recipe::default().sketch(&Page::text(text));
    let fingerprint = Fingerprint(sketch.fingerprint);
    Known::of(&sketch.record("a", None), Some(fingerprint))
}

/// The sketches of a page of 200 words; the words at some indexes are replaced.
pub(crate) fn page(title: &str, heading: &str, url: &str, replaced: &[usize]) -> (Profile, [u8; MIN_VALUES]) {
    let word = |index: usize| match replaced.contains(&index) {
        true => format!("other{index} "),
        false => format!("word{index} "),
    };
    let text: Vec<String> =
        (0..4).map(|part| format!("<p>{}.</p>", (50 * part..50 * part + 50).map(word).collect::<String>())).collect();
    let html = format!("<title>{title}</title><body><h1>{heading}</h1>{}", text.concat());
    let sketch = Recipe::default().sketch(&Page { url: Some(url), ..Page::html(&html) });
    (sketch.profile.expect("a profile"), min_bytes(&sketch.min_hash.expect("min-values").values))
}
