//! Equality of pages and of their main contents (Manku et al. 2007, 6.D), and simhash of these (Huang et al. 2008, 4
//! compares texts without their noise).

use std::collections::HashMap;

use nddb_dedup::{Collection, PairOptions, TextScope};
use nddb_evaluate::eval::{Counts, Gold};
use nddb_index::spill::progress::Ticker;
use nddb_index::{Progress, Result, View};
use nddb_page::sketch::{Features, simhash_of};
use nddb_page::text::{Page, tokens};
use xxhash_rust::xxh3::xxh3_128;

use super::texts::LabelledTexts;

/// Counts of labelled pairs: pairs with equal texts count as found, all others as missed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// By the whole visible text.
    pub whole: Counts,
    /// By the main content, in lower case and with numbers as 0.
    pub main: Counts,
    /// Pairs of which a text could not be read.
    pub left_out: u64,
}

/// Compares the texts of the labelled pairs. An empty text equals no other.
///
/// # Errors
/// Damage of the database; errors of the disk; [`nddb_index::Error::Cancelled`].
pub fn contents(
    view: View<'_>,
    collection: &Collection,
    gold: &Gold,
    options: &PairOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<Contents> {
    let ticker = Ticker::new(watch);
    let digests = |scope: TextScope| {
        let mut digests = HashMap::new();
        LabelledTexts::new(view, collection, gold, scope, options, &ticker)?.each(&mut |ordinal, text| {
            digests.insert(ordinal, (!text.trim().is_empty()).then(|| xxh3_128(text.as_bytes())));
        })?;
        Ok::<_, nddb_index::Error>(digests)
    };
    let [whole, main] = [digests(TextScope::Whole)?, digests(TextScope::Main)?];
    let mut made = Contents::default();
    for pair in &gold.pairs {
        if [&whole, &main].iter().any(|digests| !digests.contains_key(&pair.a) || !digests.contains_key(&pair.b)) {
            made.left_out += 1;
            continue;
        }
        let is_equal = |of: &HashMap<u32, Option<u128>>| of[&pair.a].is_some() && of[&pair.a] == of[&pair.b];
        made.whole.add(pair.label, is_equal(&whole));
        made.main.add(pair.label, is_equal(&main));
    }
    Ok(made)
}

/// Returns which of the labelled pairs have simhashes (Manku et al. 2007, 2) within `k` bits, over the words of their
/// main contents, weighted by frequency. A pair of which a text cannot be read is not within.
///
/// # Errors
/// Damage of the database; errors of the disk; [`nddb_index::Error::Cancelled`].
pub fn content_simhash(
    view: View<'_>,
    collection: &Collection,
    gold: &Gold,
    options: &PairOptions,
    k: u32,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<Vec<bool>> {
    let ticker = Ticker::new(watch);
    let mut prints = HashMap::new();
    LabelledTexts::new(view, collection, gold, TextScope::Main, options, &ticker)?.each(&mut |ordinal, text| {
        let words = tokens(&Page::text(text));
        prints.insert(ordinal, (!words.is_empty()).then(|| simhash_of(&words, &Features::default())));
    })?;
    let print = |ordinal: u32| prints.get(&ordinal).copied().flatten();
    let within = |(a, b): (u64, u64)| (a ^ b).count_ones() <= k;
    Ok(gold.pairs.iter().map(|pair| print(pair.a).zip(print(pair.b)).is_some_and(within)).collect())
}
