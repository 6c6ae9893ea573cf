//! The documents whose texts are measured: a random sample, determined by a seed.

use std::collections::BinaryHeap;

use fixedbitset::FixedBitSet;
use nddb_dedup::{Collection, Kept, PairJob, PairOptions, Reach, TextSources, UnreadTexts, keep};
use nddb_index::spill::progress::Ticker;
use nddb_index::{Error, Progress, Result, View};
use nddb_verdict::methods::{Hamming, MinHash};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use nddb_evaluate::Draw;

/// Number of documents that are compared with all others of the sample: "we randomly selected 150 documents from the
/// whole repository for evaluation" (Huang et al. 2008, 4).
pub const SELECTED: usize = 150;

/// Documents drawn at random and near-duplicates of some of them, with the first 10 KB of each text.
///
/// Only one of several documents with equal texts can be drawn, and none without text. In a large collection, hardly
/// any two documents drawn are near each other. So near-duplicates (by sketches) of the first [`SELECTED`] documents
/// are read, too, at most as many as were drawn.
pub struct TextSample {
    /// Number of documents with different texts that could be drawn.
    pub drawn_from: u64,
    /// Documents that could not be read.
    pub unread: UnreadTexts,
    /// Documents drawn at random, ascending. All other documents of the sample are near one of these.
    drawn: Vec<u32>,
    selected: Vec<u32>,
    /// All documents whose texts were read, ascending.
    all: Vec<u32>,
    kept: Kept,
}

impl TextSample {
    /// All documents that were read, ascending.
    pub fn documents(&self) -> &[u32] {
        &self.all
    }

    /// Of these, the documents that were drawn at random.
    pub fn drawn(&self) -> &[u32] {
        &self.drawn
    }

    /// Of these, the documents that are compared with all others.
    pub fn selected(&self) -> &[u32] {
        &self.selected
    }

    /// The first 10 KB of the text of a document that was read.
    pub fn text(&self, ordinal: u32) -> &str {
        self.kept.get(ordinal).unwrap_or_default()
    }
}

/// Draws documents by a seed, and reads them. The options used are the part of a page that is its text, the distance of
/// hamming, and the resources.
///
/// # Errors
/// Damage of the database; errors of the disk; [`Error::Cancelled`].
pub fn text_sample(
    view: View<'_>,
    collection: &Collection,
    options: &PairOptions,
    documents: usize,
    seed: u64,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<TextSample> {
    let (drawn_from, drawn) = draw(collection, documents, seed);
    let selected: Vec<u32> = drawn.iter().copied().take(SELECTED).collect();
    let mut wanted = FixedBitSet::with_capacity(collection.len() as usize);
    drawn.iter().for_each(|&ordinal| wanted.insert(ordinal as usize));
    if drawn_from > drawn.len() as u64 && documents > 0 {
        for (a, b) in near(view, collection, options, &selected, Draw::new(documents, seed), watch)? {
            wanted.insert(a as usize);
            wanted.insert(b as usize);
        }
    }
    let ticker = Ticker::new(watch);
    let sources = TextSources::new(view, collection, options.part, &options.resources, &ticker)?;
    let mut all = Vec::new();
    let kept = keep(&sources, &wanted, &options.resources, &ticker, &mut |ordinal, _| {
        all.push(ordinal);
        Ok(())
    })?;
    all.sort_unstable();
    let read = |of: Vec<u32>| {
        let mut read: Vec<u32> = of.into_iter().filter(|ordinal| all.binary_search(ordinal).is_ok()).collect();
        read.sort_unstable();
        read
    };
    let (drawn, selected) = (read(drawn), read(selected));
    Ok(TextSample { drawn_from, unread: kept.unread, drawn, selected, all, kept })
}

/// Returns the number of documents with different texts, and the documents with the least hashes.
fn draw(collection: &Collection, documents: usize, seed: u64) -> (u64, Vec<u32>) {
    let (mut drawn, mut all) = (BinaryHeap::new(), 0);
    for ordinal in 0..collection.len() {
        let row = collection.row(ordinal);
        if collection.representative(ordinal) != ordinal || row.is_empty || row.digest.is_none() {
            continue;
        }
        all += 1;
        drawn.push((xxh3_64_with_seed(collection.id(ordinal).as_bytes(), seed), ordinal));
        if drawn.len() > documents {
            drawn.pop();
        }
    }
    (all, drawn.into_sorted_vec().into_iter().map(|(_, ordinal)| ordinal).collect())
}

/// Pairs of the selected documents with their near-duplicates by min-hash, or by hamming if there are no min-values.
fn near(
    view: View<'_>,
    collection: &Collection,
    options: &PairOptions,
    selected: &[u32],
    mut draw: Draw,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<Vec<(u32, u32)>> {
    let hamming = Hamming::within(view.settings().k.into());
    for method in [MinHash::default().into(), hamming.into()] {
        let options = PairOptions { method, expand: false, verify: None, ..options.clone() };
        let found = match PairJob::new(view, collection, &options, Reach::ALL, watch) {
            Err(Error::Method { .. }) => continue,
            other => other?,
        };
        let mut leaders = FixedBitSet::with_capacity(collection.len() as usize);
        selected.iter().for_each(|&ordinal| leaders.insert(found.classes.leader(ordinal) as usize));
        found.each(collection, &options, watch, &mut |pair| {
            if leaders.contains(pair.a as usize) || leaders.contains(pair.b as usize) {
                draw.push(pair.a, pair.b);
            }
            Ok(())
        })?;
        break;
    }
    Ok(draw.pairs())
}
