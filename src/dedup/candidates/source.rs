//! Candidate sources, and verifiers that judge a pair by its texts.

use nddb_index::spill::sort::{IndexedRows, Sorter};
use nddb_index::{Resources, Result, Within};
use nddb_page::sketch::mix::split_mix;
use nddb_verdict::{Candidates, DocumentPair, Keys, Sketch, TextVerdict};

use super::bands::{Bands, ProfileBands};
use super::buckets;
use super::contents::Contents;
use super::context::{Context, Take};
use super::keyed::{Filtered, KeyMaker, Keyed};
use crate::collection::Collection;
use crate::options::PairOptions;
use crate::pair::Cut;

/// A source of candidate pairs.
///
/// A source returns pairs of *leaders*. A leader represents a class of documents that the method cannot distinguish.
/// The candidates must include every pair that the method would find to be near-duplicates; a pair may occur more than
/// once and in either order. If the source compared a pair (by a shared key or by its texts) and rejected it, the pair
/// is passed on once, to be counted.
pub(crate) trait PairSource {
    /// Passes candidate pairs to `found`. Returns the keys whose documents were not all compared with each other.
    fn candidates(&mut self, context: &Context<'_>, found: &mut Take<'_>) -> Result<Vec<Cut>>;
}

/// A verifier judges a pair by the texts of its documents, which are not in the catalog.
pub trait Verifier {
    /// Judges a pair; the verdict is undecided if a text cannot be read. Pairs come in output order (bytewise order of
    /// both ids), so the verifier can merge them with stored results sorted in that order.
    fn judge(&mut self, a: u32, b: u32) -> Result<TextVerdict>;
}

/// Source of the pairs of fingerprints within k bits, found in the runs (Manku et al. 2007, 3).
pub(crate) struct Near {
    /// k, in bits.
    within: u32,
}

impl PairSource for Near {
    fn candidates(&mut self, context: &Context<'_>, found: &mut Take<'_>) -> Result<Vec<Cut>> {
        // All documents of a class have the same fingerprint.
        near_fingerprints(context, self.within, &|_| true, found)?;
        Ok(Vec::new())
    }
}

/// Source of the pairs of fingerprints within k bits that the method cannot decide because a document lacks a sketch.
pub(crate) struct Undecided {
    /// k, in bits.
    within: u32,
}

/// Up to this number of documents without a sketch are compared with all others one by one; the pairs of more documents
/// are found in the runs.
const SCANNED_MAX: usize = 64;

impl PairSource for Undecided {
    fn candidates(&mut self, context: &Context<'_>, found: &mut Take<'_>) -> Result<Vec<Cut>> {
        let (collection, decider) = (context.collection, context.options.decider());
        let lacks = |ordinal: u32| lacks(collection, context.options, ordinal);
        let mut take = |a: u32, b: u32, near: bool| {
            // Pairs of equal texts need no source, but leaders with equal texts are passed on, too: the other members
            // of their classes may have other texts.
            let is_left = |pair: &DocumentPair<'_>| decider.is_left_to_hamming(pair);
            if collection.compared(a, b, is_left) { found(a, b, near) } else { Ok(()) }
        };
        let few: Vec<u32> = context.classes.leaders().filter(|&leader| lacks(leader)).take(SCANNED_MAX + 1).collect();
        if few.len() > SCANNED_MAX {
            near_fingerprints(context, self.within, &lacks, &mut take)?;
            return Ok(Vec::new());
        }
        if few.is_empty() {
            return Ok(Vec::new());
        }
        for leader in context.classes.leaders() {
            let Some(fingerprint) = collection.row(leader).fingerprint else { continue };
            // A pair of two documents that both lack a sketch is passed on once.
            for &other in
                few.iter().filter(|&&other| other < leader || other > leader && few.binary_search(&leader).is_err())
            {
                let Some(theirs) = collection.row(other).fingerprint else { continue };
                if (fingerprint.0 ^ theirs.0).count_ones() <= self.within {
                    take(leader, other, true)?;
                }
            }
        }
        Ok(Vec::new())
    }
}

/// Passes on the pairs of leaders within this many bits, if `is_wanted` accepts at least one of the two.
fn near_fingerprints(
    context: &Context<'_>,
    within: u32,
    is_wanted: &dyn Fn(u32) -> bool,
    found: &mut Take<'_>,
) -> Result<()> {
    let (resources, collection) = (context.resources, context.collection);
    let memory = resources.memory_limit / 4;
    context.ticker.start("sort fingerprints", None, "documents")?;
    // The pairs stay in memory if they fit beside the rows that are sorted later.
    let mut sorter = Sorter::<2>::new(&resources.folder, 2 * memory);
    for leader in context.classes.leaders() {
        if let Some(fingerprint) = collection.row(leader).fingerprint {
            sorter.push([fingerprint.0, u64::from(!is_wanted(leader)) << 32 | u64::from(leader)])?;
        }
    }
    let leaders = Leaders(sorter.finish().indexed(&resources.folder)?);
    leaders.equal(found)?;
    let within = Within(u8::try_from(within).unwrap_or(u8::MAX));
    // Half of it is for the pairs.
    let granted = Resources { memory_limit: 2 * memory, ..resources.clone() };
    let pairs = context.ticker.lend(|watch| context.view.close_pairs(within, &granted, Some(watch)))?;
    // Two merge joins with the sorted fingerprints: by the lesser fingerprint, then by the greater.
    let mut halves = Sorter::<2>::new(&resources.folder, memory);
    let mut at = 0;
    for pair in pairs {
        let (a, b) = pair?;
        leaders.of(a.0, &mut at).try_for_each(|leader| halves.push([b.0, leader]))?;
    }
    let mut at = 0;
    halves.finish().each(&mut |rows| {
        rows.iter().try_for_each(|&[b, leader]| {
            let others = leaders.of(b, &mut at);
            // Wanted leaders come first.
            let mut others = others.take_while(|&other| is_wanted_row(leader) || is_wanted_row(other));
            others.try_for_each(|other| found(leader as u32, other as u32, true))
        })
    })
}

/// Returns whether the leader of a row is wanted.
fn is_wanted_row(row: u64) -> bool {
    row >> 32 == 0
}

/// Leaders sorted by fingerprint, wanted leaders first within each fingerprint.
struct Leaders(IndexedRows<2>);

impl Leaders {
    /// Returns the leaders with a fingerprint; a stored fingerprint without a live document has none. Fingerprints must
    /// be requested in ascending order; `at` is the position reached by the last request.
    fn of(&self, fingerprint: u64, at: &mut usize) -> impl Iterator<Item = u64> {
        while self.0.get(*at).is_some_and(|row| row[0] < fingerprint) {
            *at += 1;
        }
        let rows = (*at..).map_while(|index| self.0.get(index));
        rows.take_while(move |row| row[0] == fingerprint).map(|row| row[1])
    }

    /// Passes on the pairs of equal fingerprints.
    fn equal(&self, found: &mut Take<'_>) -> Result<()> {
        for (index, [fingerprint, leader]) in self.0.iter().enumerate().filter(|(_, row)| is_wanted_row(row[1])) {
            let others = (index + 1..).map_while(|index| self.0.get(index));
            let mut others = others.take_while(|row| row[0] == fingerprint);
            others.try_for_each(|row| found(leader as u32, row[1] as u32, true))?;
        }
        Ok(())
    }
}

/// Source of candidate pairs that share a key of their sketches.
pub(crate) struct Shared(pub(crate) Keys);

impl PairSource for Shared {
    fn candidates(&mut self, context: &Context<'_>, found: &mut Take<'_>) -> Result<Vec<Cut>> {
        match makers(self.0, context.collection) {
            Makers::Sketches(keys) => buckets::pairs(context, keys, context.limit, found),
            Makers::Profile(keys) => buckets::pairs(context, keys, context.limit, found),
            Makers::MinValues(keys) => buckets::pairs(context, keys, context.limit, found),
            Makers::Contents(keys) => buckets::pairs(context, keys, context.limit, found),
        }
    }
}

/// The key makers for the documents of a collection.
enum Makers {
    Sketches(Filtered),
    Profile(ProfileBands),
    MinValues(Bands),
    Contents(Contents),
}

fn makers(keys: Keys, collection: &Collection) -> Makers {
    match keys {
        Keys::Megashingles { supershingles, bits } => {
            Makers::Sketches(Filtered { keyed: Keyed::Megashingles, supershingles, bits })
        }
        Keys::Pieces { complete, bits } => {
            Makers::Sketches(Filtered { keyed: Keyed::Pieces { complete }, supershingles: 0, bits })
        }
        Keys::Bands { agreement } if collection.has_bands_of_profiles() => Makers::Profile(ProfileBands { agreement }),
        Keys::Bands { agreement } => Makers::MinValues(Bands { agreement }),
        Keys::Contents => Makers::Contents(Contents),
    }
}

/// Returns the keys by which the sources of a method find a document. Keys of different kinds are never equal.
pub(crate) fn keys_of(collection: &Collection, options: &PairOptions, ordinal: u32, out: &mut Vec<u64>) {
    out.clear();
    for (kind, keys) in (0u64..).zip(options.method.keys()) {
        let mut push = |key: u64| out.push(if kind == 0 { key } else { split_mix(key, kind) });
        match makers(keys, collection) {
            Makers::Sketches(keys) => each_key(collection, keys, ordinal, &mut push),
            Makers::Profile(keys) => each_key(collection, keys, ordinal, &mut push),
            Makers::MinValues(keys) => each_key(collection, keys, ordinal, &mut push),
            Makers::Contents(keys) => each_key(collection, keys, ordinal, &mut push),
        }
    }
}

fn each_key<K: KeyMaker>(collection: &Collection, keyed: K, ordinal: u32, push: &mut dyn FnMut(u64)) {
    if keyed.is_known(&collection.row(ordinal)) {
        keyed.keys(&keyed.sketch(collection, ordinal), u32::MAX, |_, key| push(key));
    }
}

/// Returns whether hamming decides the pairs of a document with others, because it lacks a sketch of the method.
pub(crate) fn lacks(collection: &Collection, options: &PairOptions, ordinal: u32) -> bool {
    let method = &options.method;
    let sketches = collection.row(ordinal).sketches();
    let is_known = sketches.suffice_for(method.compares()) && sketches.suffice_for(method.class());
    sketches.has(Sketch::Fingerprint) && !is_known
}

/// Returns whether a source without limits would compare these two near-duplicates.
pub fn share_key(collection: &Collection, options: &PairOptions, a: u32, b: u32) -> bool {
    // Near-duplicates by resemblance always share one of their rarest shingles.
    matches!(options.method.candidates(), Candidates::Shingles(_))
        || options.method.keys().into_iter().any(|keys| match makers(keys, collection) {
            Makers::Sketches(keys) => share(collection, keys, a, b),
            Makers::Profile(keys) => share(collection, keys, a, b),
            Makers::MinValues(keys) => share(collection, keys, a, b),
            Makers::Contents(keys) => share(collection, keys, a, b),
        })
}

fn share<K: KeyMaker>(collection: &Collection, keyed: K, a: u32, b: u32) -> bool {
    [a, b].iter().all(|&ordinal| keyed.is_known(&collection.row(ordinal)))
        && keyed.shared(&keyed.sketch(collection, a), &keyed.sketch(collection, b)) != 0
}

/// Returns the candidate sources of a method that compares sketches; empty for a method that reads texts.
pub(crate) fn sources(options: &PairOptions) -> Vec<Box<dyn PairSource>> {
    let mut sources: Vec<Box<dyn PairSource>> = match options.method.candidates() {
        Candidates::Near(within) => vec![Box::new(Near { within })],
        Candidates::Sharing(keys) => {
            keys.into_iter().map(|keys| Box::new(Shared(keys)) as Box<dyn PairSource>).collect()
        }
        Candidates::Identical | Candidates::Sets(_) | Candidates::Shingles(_) => Vec::new(),
    };
    if let Some(hamming) = options.decider().or_hamming {
        sources.push(Box::new(Undecided { within: hamming.k }));
    }
    sources
}
