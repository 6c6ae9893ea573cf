//! Sources of candidates, and what can be added to the evidence of a pair.

use super::bands::{Bands, ShortBands};
use super::buckets;
use super::context::{Context, Take};
use super::keyed::{Filter, Filtered, Keyed, Keys};
use crate::Result;
use crate::detect::collection::Collection;
use crate::detect::method::evidence::Evidence;
use crate::detect::method::name::Method;
use crate::detect::method::options::PairOptions;
use crate::detect::method::pair::Cut;
use crate::spill::mapped_rows::{MappedRows, MappedRowsWriter};
use crate::spill::sort::Sorter;
use crate::store::{View, Within};

/// Where the candidate pairs of a method come from.
///
/// It is asked for pairs of *leaders*: one document stands for each class of those that the method cannot
/// tell apart. All pairs that the method would decide to be near-duplicates must be among the candidates;
/// a pair may come more than once, and in either order. Pairs that were brought together, by a key that both share or
/// to have their texts compared, and are not near by it, are handed out too, once, to be counted.
pub(crate) trait Source {
    /// Hands candidates to `found`. Returns the groups of which not all pairs were looked at.
    fn candidates(&mut self, context: &Context<'_>, found: &mut Take<'_>) -> Result<Vec<Cut>>;
}

/// Adds to the evidence of pairs what the catalog does not know.
pub trait Verifier {
    /// Adds what is to be known of a pair. Pairs come in the order in which they are written: by the ids of
    /// both, bytewise, so that what was worked out before can be read along.
    fn add(&mut self, a: u32, b: u32, evidence: &mut Evidence) -> Result<()>;
}

/// Fingerprints within k bits, from the runs (Manku et al. 2007, 3).
pub(crate) struct Simhash;

impl Source for Simhash {
    fn candidates(&mut self, context: &Context<'_>, found: &mut Take<'_>) -> Result<Vec<Cut>> {
        let (resources, collection) = (context.resources, context.collection);
        let memory = resources.memory_limit / 4;
        context.ticker.start("sort fingerprints", None, "documents")?;
        let mut sorter = Sorter::<2>::new(&resources.folder, memory);
        for leader in context.classes.leaders() {
            if let Some(fingerprint) = collection.row(leader).fingerprint {
                sorter.push([fingerprint.0, leader.into()])?;
            }
        }
        let mut leaders = MappedRowsWriter::<2>::new(&resources.folder)?;
        sorter.finish().each(&mut |rows| rows.iter().try_for_each(|row| leaders.push(row)))?;
        let leaders = leaders.finish()?;
        let mut pairs = Sorter::<2>::new(&resources.folder, memory);
        let within = u8::try_from(context.options.rules.within).unwrap_or(u8::MAX);
        close_pairs(context, context.view, within, memory, &mut |a, b| pairs.push([a, b]))?;
        // Twice joined with the sorted fingerprints: by the lesser, then by the greater.
        let mut halves = Sorter::<2>::new(&resources.folder, memory);
        let mut cursor = Cursor { rows: &leaders, at: 0 };
        pairs.finish().each(&mut |rows| {
            rows.iter().try_for_each(|&[a, b]| match cursor.find(a) {
                Some(leader) => halves.push([b, leader.into()]),
                None => Ok(()),
            })
        })?;
        let mut cursor = Cursor { rows: &leaders, at: 0 };
        halves.finish().each(&mut |rows| {
            rows.iter().try_for_each(|&[b, a]| match cursor.find(b) {
                Some(leader) => found(a as u32, leader, true),
                None => Ok(()),
            })
        })?;
        Ok(Vec::new())
    }
}

fn close_pairs(
    context: &Context<'_>,
    view: View<'_>,
    within: u8,
    memory: u64,
    push: &mut dyn FnMut(u64, u64) -> Result<()>,
) -> Result<()> {
    context.ticker.lend(|watch| {
        let folder = &context.resources.folder;
        view.close_pairs(Within(within), memory, folder, watch, &mut |a, b| push(a.0, b.0)).map(drop)
    })
}

/// Reads sorted (fingerprint, ordinal) rows along with ascending questions.
struct Cursor<'a> {
    rows: &'a MappedRows<2>,
    at: usize,
}

impl Cursor<'_> {
    /// The ordinal of a fingerprint; a stored one that no live document has is not there.
    fn find(&mut self, fingerprint: u64) -> Option<u32> {
        while self.rows.get(self.at).is_some_and(|row| row[0] < fingerprint) {
            self.at += 1;
        }
        self.rows.get(self.at).filter(|row| row[0] == fingerprint).map(|row| row[1] as u32)
    }
}

/// Candidates that share a key of their sketches.
pub(crate) struct Shared(pub(crate) Keyed);

impl Source for Shared {
    fn candidates(&mut self, context: &Context<'_>, found: &mut Take<'_>) -> Result<Vec<Cut>> {
        let filter = Filter::new(context.options.method, self.0, &context.options.rules);
        buckets::pairs(context, Filtered { keyed: self.0, filter }, context.limit, found)
    }
}

/// Candidates that share a band of their min-values: of those of short shingles where documents have profiles.
struct SharedBands;

impl Source for SharedBands {
    fn candidates(&mut self, context: &Context<'_>, found: &mut Take<'_>) -> Result<Vec<Cut>> {
        let agreement = least_agreement(context.options);
        if context.collection.has_profiles() {
            return buckets::pairs(context, ShortBands { agreement }, context.limit, found);
        }
        buckets::pairs(context, Bands { agreement }, context.limit, found)
    }
}

/// The least number of equal min-values of a candidate; none by the model.
fn least_agreement(options: &PairOptions) -> u32 {
    if options.method == Method::MinHash { options.rules.agreement } else { 0 }
}

/// Whether a source without any limit would bring two documents together that are near.
pub fn share_key(collection: &Collection, options: &PairOptions, a: u32, b: u32) -> bool {
    let filter = Filter::new(options.method, Keyed::Megashingles, &options.rules);
    let sketch = |keyed| share(collection, Filtered { keyed, filter }, a, b);
    let pieces = Keyed::Pieces { complete: options.complete };
    match options.method {
        Method::B | Method::Combined => sketch(Keyed::Megashingles),
        Method::C => sketch(pieces),
        Method::Split => sketch(Keyed::Megashingles) || sketch(pieces),
        Method::MinHash | Method::Model => {
            let agreement = least_agreement(options);
            match collection.has_profiles() {
                true => share(collection, ShortBands { agreement }, a, b),
                false => share(collection, Bands { agreement }, a, b),
            }
        }
        // What resembles shares one of the rarest shingles.
        Method::Shingles => true,
        // Within k bits all are found; of texts, what was compared.
        Method::Identity | Method::Simhash | Method::Lcs | Method::Cosine => false,
    }
}

fn share<K: Keys>(collection: &Collection, keyed: K, a: u32, b: u32) -> bool {
    [a, b].iter().all(|&ordinal| keyed.is_known(&collection.row(ordinal)))
        && keyed.shared(&keyed.sketch(collection, a), &keyed.sketch(collection, b)) != 0
}

/// The sources of a method that compares sketches; none of one that reads texts.
pub(crate) fn sources(method: Method, complete: bool) -> Vec<Box<dyn Source>> {
    let pieces = || Box::new(Shared(Keyed::Pieces { complete })) as Box<dyn Source>;
    match method {
        Method::Identity | Method::Lcs | Method::Cosine | Method::Shingles => Vec::new(),
        Method::Simhash => vec![Box::new(Simhash)],
        Method::B | Method::Combined => vec![Box::new(Shared(Keyed::Megashingles))],
        Method::C => vec![pieces()],
        Method::Split => vec![Box::new(Shared(Keyed::Megashingles)), pieces()],
        Method::MinHash | Method::Model => vec![Box::new(SharedBands)],
    }
}
