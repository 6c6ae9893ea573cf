//! Simhash of labelled pairs by the choice of features and their weights (Manku et al. 2007, 6.E).

use std::collections::HashMap;

use nddb_dedup::{Collection, PairOptions, TextScope};
use nddb_evaluate::eval::{Counts, Gold};
use nddb_index::spill::progress::Ticker;
use nddb_index::{Progress, Result, View};
use nddb_page::sketch::{Features, Frequencies, Stemmer, StopWords, WeightTable, simhash, simhash_of};
use nddb_page::text::Tokens;

use super::texts::LabelledTexts;

/// Greatest distance that is measured.
const DISTANCE_MAX: usize = 10;

/// What a choice of features finds.
#[derive(Clone, Debug, PartialEq)]
pub struct OfFeatures {
    /// The choice, in words.
    pub name: &'static str,
    /// Labelled pairs within each greatest distance, from 0 to 10 bits.
    pub within: Vec<Counts>,
    /// Mean number of bits in which a fingerprint differs from that of the first choice.
    pub changed: f64,
}

/// The choices: a name, the features, and how an occurrence is weighted.
type Choices<'a> = Vec<(&'static str, Features<'a>, Weight)>;

/// The weight of a feature in a page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// The number of its occurrences.
    Occurrences,
    /// 1, however often it occurs.
    One,
    /// The number of its occurrences times its inverse document frequency.
    Inverse,
}

/// Compares the fingerprints of the labelled pairs by each choice of features. The tokens of a page are those of the
/// recipe `web`; document frequencies are those of the documents of labelled pairs. Also returns the number of pairs
/// that are left out because a page could not be read.
///
/// # Errors
/// Damage of the database; errors of the disk; [`nddb_index::Error::Cancelled`].
pub fn by_features(
    view: View<'_>,
    collection: &Collection,
    gold: &Gold,
    options: &PairOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<(Vec<OfFeatures>, u64)> {
    let ticker = Ticker::new(watch);
    let texts = LabelledTexts::new(view, collection, gold, TextScope::Whole, options, &ticker)?;
    let (stop_words, stemmer) = (StopWords::english(), Stemmer::of("english"));
    let choices = choices(&stop_words, stemmer.as_ref());

    let mut frequencies = vec![Frequencies::default(); choices.len()];
    texts.each_tokens(&mut |_, tokens| {
        for ((_, features, weight), counted) in choices.iter().zip(&mut frequencies) {
            if *weight == Weight::Inverse {
                counted.add(features.hashes(tokens));
            }
        }
    })?;
    let weights: Vec<WeightTable> = frequencies.iter().map(Frequencies::inverse).collect();
    let mut fingerprints: HashMap<u32, Vec<u64>> = HashMap::new();
    texts.each_tokens(&mut |ordinal, tokens| {
        let of = choices.iter().zip(&weights).map(|((_, features, weight), table)| match weight {
            Weight::Occurrences => simhash_of(tokens, features),
            Weight::One => once(tokens, features),
            Weight::Inverse => simhash_of(tokens, &Features { weights: Some(table), ..*features }),
        });
        fingerprints.insert(ordinal, of.collect());
    })?;
    Ok(compared(&choices, gold, &fingerprints))
}

fn choices<'a>(stop_words: &'a StopWords, stemmer: Option<&'a Stemmer>) -> Choices<'a> {
    let terms = Features::default();
    let (stop_words, two) = (Some(stop_words), Features { terms: 2, ..terms });
    vec![
        ("terms, weighted by their number", terms, Weight::Occurrences),
        ("each term once", terms, Weight::One),
        ("inverse document frequency", terms, Weight::Inverse),
        ("upper and lower case", Features { fold_case: false, ..terms }, Weight::Occurrences),
        ("no stop words", Features { stop_words, ..terms }, Weight::Occurrences),
        ("English stems", Features { stemmer, ..terms }, Weight::Occurrences),
        ("no stop words, stems, inverse", Features { stop_words, stemmer, ..terms }, Weight::Inverse),
        ("phrases of 2 terms", two, Weight::Occurrences),
        ("phrases of 2 terms, inverse", two, Weight::Inverse),
        ("phrases of 3 terms", Features { terms: 3, ..terms }, Weight::Occurrences),
        ("phrases of 5 terms", Features { terms: 5, ..terms }, Weight::Occurrences),
    ]
}

/// Returns the simhash of a page of which each feature counts once.
fn once(tokens: &Tokens, features: &Features<'_>) -> u64 {
    let mut hashes = features.hashes(tokens);
    hashes.sort_unstable();
    hashes.dedup();
    simhash(hashes)
}

/// Counts the labelled pairs by the distance of their fingerprints.
fn compared(choices: &Choices<'_>, gold: &Gold, of: &HashMap<u32, Vec<u64>>) -> (Vec<OfFeatures>, u64) {
    let pairs: Vec<_> =
        gold.pairs.iter().filter_map(|pair| Some((pair.label, of.get(&pair.a)?, of.get(&pair.b)?))).collect();
    let figures = choices.iter().enumerate().map(|(choice, &(name, ..))| {
        let mut within = vec![Counts::default(); DISTANCE_MAX + 1];
        for (label, a, b) in &pairs {
            let distance = (a[choice] ^ b[choice]).count_ones() as usize;
            within.iter_mut().enumerate().for_each(|(k, counts)| counts.add(*label, distance <= k));
        }
        let changed: u32 = of.values().map(|prints| (prints[0] ^ prints[choice]).count_ones()).sum();
        OfFeatures { name, within, changed: f64::from(changed) / of.len().max(1) as f64 }
    });
    (figures.collect(), (gold.pairs.len() - pairs.len()) as u64)
}
