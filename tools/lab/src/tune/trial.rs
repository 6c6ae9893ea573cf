//! Recall and cost of each k, choice of features and method, on edits of a sample.

use std::collections::HashSet;
use std::hint::black_box;
use std::time::Instant;

use fixedbitset::FixedBitSet;
use nddb::detect::{Collection, Decider, DocumentPair, Known, TextScope, default_of};
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::{Fingerprint, Progress, Result, View};
use nddb_dedup::{TextSources, keep};
use nddb_index::spill::ticker::Ticker;
use nddb_page::sketch::{Features, Sampling, Shingles, Stemmer, StopWords, shingles, signatures, simhash_of};
use nddb_page::text::{CanonicalWords, tokens};
use nddb_verdict::compare::Frequencies;
use nddb_verdict::compare::lcs::Prepared;
use xxhash_rust::xxh3::xxh3_64;

use super::calibrate::TuneOptions;
use super::edits::{Edit, edited};

/// Least number of words of a text; shorter texts are too short for edits of one word in a hundred.
const WORDS_MIN: usize = 50;
/// Distances that are tried.
const WITHIN: [u32; 5] = [1, 3, 5, 7, 10];
/// Name of the simhash that distinguishes capital letters.
const CASE_KEPT: &str = "simhash, terms, case kept";
/// Number of times that comparisons are repeated for timing.
const REPEATS: usize = 8;

/// Returns the first 10 KB of the texts of documents with at least 50 words: those whose hashes with a seed are least.
///
/// # Errors
/// Damage of the database; errors of the disk; [`nddb::Error::Cancelled`].
pub fn sample(
    view: View<'_>,
    collection: &Collection,
    options: &TuneOptions,
    documents: usize,
    seed: u64,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<Vec<String>> {
    let ticker = Ticker::new(watch);
    let sources = TextSources::new(view, collection, options.part, &options.resources, &ticker)?;
    let mut order: Vec<(u64, u32)> = (0..collection.len())
        .filter(|&ordinal| collection.representative(ordinal) == ordinal && !collection.row(ordinal).is_empty)
        .map(|ordinal| (xxh3_64(collection.id(ordinal).as_bytes()) ^ seed, ordinal))
        .collect();
    order.sort_unstable();
    // Twice as many, because some texts are too short.
    order.truncate(2 * documents);
    let mut wanted = FixedBitSet::with_capacity(collection.len() as usize);
    order.iter().for_each(|&(_, ordinal)| wanted.insert(ordinal as usize));
    let kept = keep(&sources, &wanted, &options.resources, &ticker, &mut |_, _| Ok(()))?;
    let texts = order.iter().filter_map(|&(_, ordinal)| kept.get(ordinal));
    let long = texts.filter(|text| text.split_whitespace().count() >= WORDS_MIN);
    Ok(long.take(documents).map(str::to_owned).collect())
}

/// One way of deciding, and its results.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The method, or simhash with its features.
    pub name: String,
    /// The threshold of simhash.
    pub within: Option<u32>,
    /// Whether it is the default method of the recipe ([`default_of`]).
    pub is_default: bool,
    /// For each of [`Edit::ALL`], the share of texts whose edited version is found to be a near-duplicate.
    pub found: [f64; 6],
    /// Share of all pairs of different texts that are found to be near-duplicates. Some of them may be.
    pub others: f64,
    /// Microseconds per text to compute what is compared.
    pub sketch_us: f64,
    /// Microseconds of a comparison.
    pub compare_us: f64,
}

/// The results of all trials.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Number of texts.
    pub texts: usize,
    /// Number of pairs of different texts.
    pub pairs: usize,
    /// The results of each way of deciding.
    pub figures: Vec<Figure>,
    /// The settings that were not tried, each with the reason.
    pub left_out: Vec<String>,
}

/// Tries each k, choice of features and method on texts and their edited versions. Times are wall clock times.
///
/// # Errors
/// [`nddb::Error::Cancelled`].
pub fn trial(
    texts: &[String],
    recipe: &Recipe,
    options: &TuneOptions,
    seed: u64,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<Trial> {
    let words: Vec<&str> = texts.iter().flat_map(|text| text.split_whitespace()).collect();
    // Each text, followed by its edits.
    let mut all: Vec<String> = Vec::new();
    for (number, text) in (0u64..).zip(texts) {
        all.push(text.clone());
        all.extend((0u64..).zip(&Edit::ALL).map(|(edit, how)| edited(text, how, &words, seed ^ (number << 8 | edit))));
    }
    let ticker = Ticker::new(watch);
    ticker.start("try edits", None, "ways")?;
    let bench = Bench { all: &all, texts: texts.len() };
    let mut figures = Vec::new();
    let (english, stemmer) = (StopWords::english(), Stemmer::of("english"));
    let usual = Features::default();
    let default = default_of(Some(recipe));
    let mut left_out =
        vec!["split: an edit on its own site is judged as by combined, on another site as by c".to_owned()];
    for (name, features) in [
        ("simhash, terms", usual),
        (CASE_KEPT, Features { fold_case: false, ..usual }),
        ("simhash, terms, no stop words", Features { stop_words: Some(&english), ..usual }),
        ("simhash, terms, English stems", Features { stemmer: stemmer.as_ref(), ..usual }),
        ("simhash, 2 terms", Features { terms: 2, ..usual }),
        ("simhash, 3 terms", Features { terms: 3, ..usual }),
    ] {
        if name == CASE_KEPT && options.part.unwrap_or_else(|| TextScope::of_recipe(recipe)) == TextScope::Main {
            left_out.push(format!("{name}: main content is in lower case"));
            continue;
        }
        let simhash = |text: &str| simhash_of(&tokens(&Page::text(text)), &features);
        let (prints, cost) = bench.ready(&simhash);
        let is_recipe = recipe.terms() == Some(features.terms)
            && features.fold_case
            && features.stop_words.is_none()
            && features.stemmer.is_none();
        let is_own = default.is_by_distance() && is_recipe;
        for within in WITHIN {
            let near = |a: &u64, b: &u64| (a ^ b).count_ones() <= within;
            let is_default = is_own && within == options.k;
            let figure = bench.figure(name, &prints, cost, &mut { near });
            figures.push(Figure { within: Some(within), is_default, ..figure });
        }
        ticker.add(1)?;
    }
    let (sketches, cost) = bench.ready(&|text: &str| sketched(recipe, text));
    for method in &options.sketches {
        let name = method.name();
        let by_bands = matches!(name, "min-hash" | "model");
        let has = match name {
            "identity" => true,
            "min-hash" | "model" => recipe.has_profile(),
            _ => recipe.has_min_hash() && recipe.has_projection(),
        };
        if !has {
            let what = match name {
                "min-hash" => "bands of min-values",
                "model" => "profiles",
                _ => "min-values and projections",
            };
            left_out.push(format!("{method}: recipe {} has no {what}", recipe.name()));
            continue;
        }
        let decider = Decider::new(&**method, None, None);
        let near = |a: &Known, b: &Known| {
            (!by_bands || share_a_band(a, b)) && decider.judge(&DocumentPair::new(a, b, None)).is_near()
        };
        let figure = bench.figure(name, &sketches, cost, &mut { near });
        figures.push(Figure { is_default: name == default.name(), ..figure });
    }
    ticker.add(1)?;
    let TuneOptions { lcs, cosine, .. } = options;
    let signed = |text: &str| -> HashSet<u128> {
        signatures(text, &lcs.sets.signatures).iter().map(|signature| signature.value).collect()
    };
    let mut comparer = lcs.comparer();
    let (prepared, cost) = bench.ready(&|text: &str| (signed(text), Prepared::new(text, &lcs.comparison)));
    figures.push(bench.figure("lcs", &prepared, cost, &mut |a, b| {
        shared(&a.0, &b.0) && comparer.compare(&a.1, &b.1).exceeds(&lcs.thresholds)
    }));
    ticker.add(1)?;
    let (terms, cost) = bench.ready(&|text: &str| (signed(text), Frequencies::of_text(text)));
    let near = |a: &(HashSet<u128>, Frequencies), b: &(HashSet<u128>, Frequencies)| {
        shared(&a.0, &b.0) && a.1.cosine(&b.1) > cosine.cosine
    };
    figures.push(bench.figure("cosine", &terms, cost, &mut { near }));
    ticker.add(1)?;
    let (sets, cost) =
        bench.ready(&|text: &str| shingles(&CanonicalWords::of_text(text), options.shingles.words, Sampling::ALL));
    figures.push(bench.figure("shingles", &sets, cost, &mut |a: &Shingles, b| {
        a.overlap(b).is_some_and(|overlap| overlap.resemblance() >= options.shingles.resemblance)
    }));
    Ok(Trial { texts: texts.len(), pairs: bench.pairs(), figures, left_out })
}

/// Returns the sketches of a text that the catalog would store.
fn sketched(recipe: &Recipe, text: &str) -> Known {
    let sketch = recipe.sketch(&Page::text(text));
    let fingerprint = Fingerprint(sketch.fingerprint);
    Known::of(&sketch.record("text", None), Some(fingerprint))
}

/// Whether two documents would be candidates of min-hash or the model.
fn share_a_band(a: &Known, b: &Known) -> bool {
    let profiles = a.profile.as_ref().zip(b.profile.as_ref());
    profiles.is_some_and(|(a, b)| a.bands().iter().zip(b.bands()).any(|(a, b)| *a == b))
}

/// Whether two texts are perhaps similar.
fn shared(a: &HashSet<u128>, b: &HashSet<u128>) -> bool {
    a.iter().any(|value| b.contains(value))
}

/// Texts, each followed by its edits.
struct Bench<'a> {
    all: &'a [String],
    texts: usize,
}

impl Bench<'_> {
    /// Applies `make` to all texts; also returns the microseconds per text.
    fn ready<T>(&self, make: &dyn Fn(&str) -> T) -> (Vec<T>, f64) {
        let start = Instant::now();
        let made: Vec<T> = self.all.iter().map(|text| make(text)).collect();
        (made, start.elapsed().as_secs_f64() * 1e6 / self.all.len().max(1) as f64)
    }

    fn pairs(&self) -> usize {
        self.texts * self.texts.saturating_sub(1) / 2
    }

    /// Compares each text with its edits, and with all other texts.
    fn figure<T>(&self, name: &str, of: &[T], sketch_us: f64, near: &mut dyn FnMut(&T, &T) -> bool) -> Figure {
        let width = Edit::ALL.len() + 1;
        let mut found = [0usize; 6];
        let start = Instant::now();
        let repeats = if size_of::<T>() <= 16 { REPEATS } else { 1 };
        for _ in 0..repeats {
            for own in of.chunks(width) {
                for (found, edit) in found.iter_mut().zip(&own[1..]) {
                    *found += usize::from(near(&own[0], edit));
                }
            }
        }
        let mut others = 0;
        for a in 0..self.texts {
            for b in a + 1..self.texts {
                others += usize::from(black_box(near(&of[a * width], &of[b * width])));
            }
        }
        let compared = self.pairs() + repeats * self.texts * Edit::ALL.len();
        let share = |part: usize, of: usize| if of == 0 { 0.0 } else { part as f64 / of as f64 };
        Figure {
            name: name.into(),
            within: None,
            is_default: false,
            found: found.map(|found| share(found, self.texts * repeats)),
            others: share(others, self.pairs()),
            sketch_us,
            compare_us: start.elapsed().as_secs_f64() * 1e6 / compared.max(1) as f64,
        }
    }
}
