//! Algorithm B on labelled pairs by the length and weight of its shingles (Henzinger 2006, 4).

use std::collections::HashMap;

use nddb_dedup::{Collection, PairOptions, TextScope};
use nddb_evaluate::eval::{Counts, Gold};
use nddb_index::spill::progress::Ticker;
use nddb_index::{Progress, Result, View};
use nddb_page::sketch::{Frequencies, MinHash, min_hash_of_shingles, shingle_hashes, split_mix};

use super::texts::LabelledTexts;

/// Supershingles of a page.
const SUPERSHINGLES: usize = 6;

/// What algorithm B finds by a choice of shingles.
#[derive(Clone, Debug, PartialEq)]
pub struct OfShingles {
    /// The choice, in words.
    pub name: &'static str,
    /// Labelled pairs by each least B-similarity, from 1 to 6.
    pub at_least: Vec<Counts>,
}

/// The choices: a name, the tokens in a shingle, and whether shingles are weighted.
const CHOICES: [(&str, usize, bool); 6] = [
    ("k = 8, as in the paper", 8, false),
    ("k = 3", 3, false),
    ("k = 5", 5, false),
    ("k = 12", 12, false),
    ("k = 8, weighted by inverse document frequency", 8, true),
    ("k = 5, weighted by inverse document frequency", 5, true),
];

/// Compares the labelled pairs of different texts by algorithm B with each choice of shingles.
/// A weighted shingle counts as many times as the natural logarithm of its inverse document frequency among the
/// documents of labelled pairs, rounded, and once at least. Pairs of which a text cannot be read are left out, and
/// their number is returned, too.
///
/// # Errors
/// Damage of the database; errors of the disk; [`nddb_index::Error::Cancelled`].
pub fn by_shingles(
    view: View<'_>,
    collection: &Collection,
    gold: &Gold,
    options: &PairOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<(Vec<OfShingles>, u64)> {
    let ticker = Ticker::new(watch);
    let texts = LabelledTexts::new(view, collection, gold, TextScope::Whole, options, &ticker)?;
    let mut frequencies = vec![Frequencies::default(); CHOICES.len()];
    texts.each_tokens(&mut |_, tokens| {
        for ((_, length, is_weighted), counted) in CHOICES.iter().zip(&mut frequencies) {
            if *is_weighted {
                counted.add(shingle_hashes(tokens.hashes(), *length));
            }
        }
    })?;
    let mut of: HashMap<u32, Vec<Option<MinHash>>> = HashMap::new();
    texts.each_tokens(&mut |ordinal, tokens| {
        let sketches = CHOICES.iter().zip(&frequencies).map(|((_, length, is_weighted), frequencies)| {
            let shingles = shingle_hashes(tokens.hashes(), *length);
            match is_weighted {
                false => min_hash_of_shingles(shingles.into_iter().map(|hash| hash as u32)),
                true => min_hash_of_shingles(shingles.into_iter().flat_map(|hash| copies(frequencies, hash))),
            }
        });
        of.insert(ordinal, sketches.collect());
    })?;
    let differ =
        gold.pairs.iter().filter(|pair| collection.representative(pair.a) != collection.representative(pair.b));
    let pairs: Vec<_> =
        differ.clone().filter_map(|pair| Some((pair.label, of.get(&pair.a)?, of.get(&pair.b)?))).collect();
    let figures = CHOICES.iter().enumerate().map(|(choice, &(name, ..))| {
        let mut at_least = vec![Counts::default(); SUPERSHINGLES];
        for (label, a, b) in &pairs {
            let equal = a[choice].as_ref().zip(b[choice].as_ref()).map_or(0, |(a, b)| equal(a, b));
            (1..).zip(&mut at_least).for_each(|(least, counts)| counts.add(*label, equal >= least));
        }
        OfShingles { name, at_least }
    });
    Ok((figures.collect(), (differ.count() - pairs.len()) as u64))
}

/// Returns as many different shingles in place of one as it weighs.
fn copies(frequencies: &Frequencies, hash: u64) -> impl Iterator<Item = u32> {
    let inverse = frequencies.documents().max(1) as f64 / frequencies.of(hash).max(1) as f64;
    (0..inverse.ln().round().max(1.0) as u64).map(move |copy| split_mix(hash, copy) as u32)
}

/// Returns the B-similarity: the number of equal supershingles.
fn equal(a: &MinHash, b: &MinHash) -> usize {
    a.supershingles.iter().zip(&b.supershingles).filter(|(a, b)| a == b).count()
}
