//! Simhash of the main contents of labelled pairs (Huang et al. 2008, 4 compares texts without their noise).

use std::collections::HashMap;

use nddb_dedup::{Collection, PairOptions, TextScope};
use nddb_evaluate::eval::Gold;
use nddb_index::spill::ticker::Ticker;
use nddb_index::{Progress, Result, View};
use nddb_page::sketch::{Features, simhash_of};
use nddb_page::text::{Page, tokens};

use super::texts::LabelledTexts;

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
