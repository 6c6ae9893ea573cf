//! The number of terms in which near-duplicates differ (Henzinger 2006, results for algorithms B and C).

use std::collections::{BTreeMap, HashMap};

use fixedbitset::FixedBitSet;
use nddb_dedup::{Collection, PairOptions, TextSources, UnreadTexts};
use nddb_index::spill::mapped_rows::MappedRowsWriter;
use nddb_index::spill::progress::Ticker;
use nddb_index::{Progress, Result, View};
use nddb_page::text::{Page, Tokenizer};
use nddb_verdict::compare::lcs::Myers;

/// Greatest number of terms of a document that are compared: two longer documents with nothing in common would take
/// minutes.
pub const TERMS_MAX: usize = 50_000;

/// Counts of pairs by their term difference: "we executed the linux diff command over the two token sequences and used
/// the number of tokens that were returned". Deletions and insertions are counted, so a replaced term counts twice.
///
/// Terms are those of the text that the methods of the database read, without the addresses of images.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermDifferences {
    /// Number of pairs by the number of terms in which they differ.
    pub counts: BTreeMap<u64, u64>,
    /// Number of pairs with an unreadable text.
    pub unread: u64,
}

impl TermDifferences {
    /// Number of pairs that were compared.
    pub fn pairs(&self) -> u64 {
        self.counts.values().sum()
    }

    /// The mean difference.
    pub fn mean(&self) -> Option<f64> {
        let sum: u64 = self.counts.iter().map(|(difference, pairs)| difference * pairs).sum();
        (!self.counts.is_empty()).then(|| sum as f64 / self.pairs() as f64)
    }

    /// The median: the least difference that half of the pairs do not exceed.
    pub fn median(&self) -> Option<u64> {
        let (half, mut seen) = (self.pairs().div_ceil(2), 0);
        self.counts.iter().find_map(|(&difference, pairs)| {
            seen += pairs;
            (seen >= half).then_some(difference)
        })
    }

    /// The share of pairs with a smaller difference.
    pub fn below(&self, difference: u64) -> Option<f64> {
        let below: u64 = self.counts.range(..difference).map(|(_, pairs)| pairs).sum();
        (!self.counts.is_empty()).then(|| below as f64 / self.pairs() as f64)
    }
}

/// Measures the term differences of each list of pairs. Also returns how many documents could not be read.
///
/// # Errors
/// Damage of the database; errors of the disk; [`nddb_index::Error::Cancelled`].
pub fn term_differences(
    view: View<'_>,
    collection: &Collection,
    lists: &[&[(u32, u32)]],
    options: &PairOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<(Vec<TermDifferences>, UnreadTexts)> {
    let ticker = Ticker::new(watch);
    let resources = &options.resources;
    let mut wanted = FixedBitSet::with_capacity(collection.len() as usize);
    for &(a, b) in lists.iter().copied().flatten() {
        wanted.insert(a as usize);
        wanted.insert(b as usize);
    }
    let sources = TextSources::new(view, collection, options.part, resources, &ticker)?;
    let (mut terms, mut stand) = (MappedRowsWriter::<1>::new(&resources.folder)?, HashMap::new());
    let tokenizer = Tokenizer::new();
    let unread = sources.each(&wanted, resources, &ticker, &mut |ordinal, text| {
        let tokens = tokenizer.tokens(&Page::text(text));
        let start = terms.len();
        tokens.hashes().iter().take(TERMS_MAX).try_for_each(|&term| terms.push(&[term]))?;
        stand.insert(ordinal, start..terms.len());
        Ok(())
    })?;
    let terms = terms.finish()?;
    let get = |ordinal: u32| {
        let range = stand.get(&ordinal)?.clone();
        Some(range.map(|index| terms.row(index)[0]).collect::<Vec<u64>>())
    };
    let mut myers = Myers::new();
    ticker.start("differences of terms", Some(lists.iter().map(|list| list.len() as u64).sum()), "pairs")?;
    let mut made = Vec::new();
    for list in lists {
        let mut differences = TermDifferences::default();
        for &(a, b) in *list {
            match get(a).zip(get(b)).and_then(|(a, b)| myers.distance(&a, &b, usize::MAX)) {
                Some(edits) => *differences.counts.entry(edits as u64).or_default() += 1,
                None => differences.unread += 1,
            }
            ticker.add(1)?;
        }
        made.push(differences);
    }
    Ok((made, unread))
}
