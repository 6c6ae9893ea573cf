//! Runs of the method shingles with samples of the same shingles, which are read once.

use nddb_dedup::{
    Classes, Collection, Context, Overlaps, PairOptions, Resembling, Resources, ShingleSets, ShingleSummary,
};
use nddb_index::spill::progress::Ticker;
use nddb_index::{Result, View};
use nddb_verdict::methods::Shingles;
use nddb_verdict::{GROUPS, Groups, Ratios};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::drawing::{Drawing, Shares};

/// Greatest number of pairs compared per run and group; of more pairs, a sample of this size is drawn by hash. A
/// share of such a sample is accurate to within 0.005.
pub const PAIRS_MAX: usize = 1 << 18;
/// Seed of the hashes by which pairs are drawn. Documents and halves are chosen with another seed.
const SEED: u64 = 1;

/// A document whose shingles were read.
#[derive(Clone, Copy, Debug)]
struct Member {
    ordinal: u32,
    half: usize,
    group: usize,
    /// Hash of its id, with reversed bits.
    hash: u64,
}

/// Runs of the method with samples of the same shingles, on one document of each identity set (Ye et al. 2007, 4.1).
pub struct Runs<'a, 't> {
    view: View<'a>,
    collection: &'a Collection,
    options: PairOptions,
    shingles: Shingles,
    sets: &'a ShingleSets,
    classes: Classes,
    members: Vec<Member>,
    /// The index among the members of each document.
    indexes: Vec<u32>,
    /// The drawn pairs by all shingles, sorted.
    truth: Vec<u64>,
    /// The share of pairs that are drawn.
    shares: Shares,
    /// Greatest number of pairs that are compared per run and group.
    most: usize,
    ticker: &'a Ticker<'t>,
}

/// Counts by half and group, as means over runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Number of returned pairs that were compared: all of them, or those that were drawn.
    pub drawn: [[f64; GROUPS]; 2],
    /// Number of returned pairs, estimated from those that were compared.
    pub returned: [[f64; GROUPS]; 2],
    /// Of these, pairs that the run with all shingles returns.
    pub correct: [[f64; GROUPS]; 2],
    /// Number of shingles that documents keep.
    pub shingles: [[f64; GROUPS]; 2],
}

impl Tally {
    /// Adds other counts, multiplied by `part`.
    pub fn add(&mut self, other: &Tally, part: f64) {
        let pairs = [
            (&mut self.drawn, &other.drawn),
            (&mut self.returned, &other.returned),
            (&mut self.correct, &other.correct),
            (&mut self.shingles, &other.shingles),
        ];
        for (sum, more) in pairs {
            let sum = sum.as_flattened_mut().iter_mut();
            sum.zip(more.as_flattened()).for_each(|(sum, more)| *sum += part * more);
        }
    }
}

/// A pair that a run returns.
struct Returned<'a> {
    ends: [&'a Member; 2],
    pair: u64,
    resemblance: f64,
}

/// A pair of a run, by [`Runs::run`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundPair {
    /// The two documents.
    pub pair: u64,
    /// The group of the smaller document.
    pub group: usize,
    /// The resemblance of their samples.
    pub resemblance: f64,
}

impl<'a, 't> Runs<'a, 't> {
    /// Finds the pairs that all shingles return at the resemblance of the method. Pairs across the halves are left out.
    pub fn new(
        view: View<'a>,
        collection: &'a Collection,
        (shingles, resources): (Shingles, &Resources),
        sets: &'a ShingleSets,
        (groups, half): (&Groups, fn(&Collection, u32) -> usize),
        most: usize,
        ticker: &'a Ticker<'t>,
    ) -> Result<Self> {
        let options = PairOptions { resources: resources.clone(), ..PairOptions::new(shingles.clone()) };
        let classes = Classes::of_texts(collection);
        let (mut members, mut indexes) = (Vec::new(), vec![0; collection.len() as usize]);
        for ordinal in classes.leaders() {
            if let Some(words) = sets.words(ordinal) {
                indexes[ordinal as usize] = members.len() as u32;
                members.push(Member {
                    ordinal,
                    half: half(collection, ordinal),
                    group: groups.of(words),
                    hash: xxh3_64_with_seed(collection.id(ordinal).as_bytes(), SEED).reverse_bits(),
                });
            }
        }
        let (truth, shares) = (Vec::new(), [1; GROUPS]);
        let mut runs =
            Self { view, collection, options, shingles, sets, classes, members, indexes, truth, shares, most, ticker };
        let mut truth = Vec::new();
        runs.shares = runs.pairs(Ratios::ALL, 0, ticker, &mut |returned| truth.push(returned.pair))?;
        truth.sort_unstable();
        runs.truth = truth;
        Ok(runs)
    }

    fn member(&self, ordinal: u32) -> &Member {
        &self.members[self.indexes[ordinal as usize] as usize]
    }

    /// Returns the drawn pairs of one run, and their share.
    fn pairs(
        &self,
        ratios: Ratios,
        remainder: u32,
        ticker: &Ticker<'_>,
        found: &mut dyn FnMut(Returned<'_>),
    ) -> Result<Shares> {
        let mut sets = self.sets.resample(ratios, remainder);
        let member = |ordinal: u32| (self.member(ordinal).group, self.member(ordinal).hash);
        let mut drawing = Drawing::new(self.most, self.shares, &member);
        let least = self.shingles.resemblance;
        let half = |ordinal: u32| self.member(ordinal).half;
        ticker.lend(|watch| {
            let context = Context {
                view: self.view,
                collection: self.collection,
                classes: &self.classes,
                options: &self.options,
                resources: &self.options.resources,
                stable: false,
                limit: usize::MAX,
                ticker: &Ticker::new(watch),
            };
            let mut source = Resembling { least, sets: &mut sets, summary: &mut ShingleSummary::default() };
            source.buckets(&context, &mut |documents| {
                drawing.take(documents, &|a, b| a.may_reach(b, least) && half(a.document) == half(b.document));
                Ok(())
            })
        })?;
        let (pairs, shares) = drawing.finish();
        ticker.start("decide", Some(pairs.len() as u64), "pairs")?;
        let mut overlaps = Overlaps::new(&sets, None);
        for &pair in &pairs {
            let [a, b] = [(pair >> 32) as u32, pair as u32];
            if let Some(resemblance) = overlaps.resemblance(a, b).filter(|resemblance| *resemblance >= least) {
                found(Returned { ends: [a, b].map(|ordinal| self.member(ordinal)), pair, resemblance });
            }
        }
        ticker.add(pairs.len() as u64)?;
        Ok(shares)
    }

    /// Returns all pairs of one run, sorted; `None` if not all of them were compared. Reports no progress, so that
    /// several threads may run at a time.
    pub fn run(&self, ratios: Ratios, remainder: u32) -> Result<Option<Vec<FoundPair>>> {
        let mut pairs = Vec::new();
        let shares = self.pairs(ratios, remainder, &Ticker::new(&mut |_| true), &mut |returned| {
            let Returned { ends: [a, b], pair, resemblance } = returned;
            pairs.push(FoundPair { pair, group: a.group.min(b.group), resemblance });
        })?;
        Ok((shares == [1; GROUPS]).then_some(pairs))
    }

    /// Returns the counts of a sampling, as means over its remainders.
    pub fn tally(&self, ratios: Ratios) -> Result<Tally> {
        self.tally_of(ratios, &mut |_| ())
    }

    /// Like [`Runs::tally`]; passes on the counts of each remainder.
    pub(super) fn tally_of(&self, ratios: Ratios, each: &mut dyn FnMut(&Tally)) -> Result<Tally> {
        let remainders = ratios.coarsest();
        let mut mean = Tally::default();
        for remainder in 0..remainders {
            let mut tally = Tally::default();
            let shares =
                self.pairs(ratios, remainder, self.ticker, &mut |Returned { ends: [a, b], pair, .. }| {
                    let (half, group) = (a.half, a.group.min(b.group));
                    let is_correct = self.truth.binary_search(&pair).is_ok();
                    tally.drawn[half][group] += 1.0;
                    tally.correct[half][group] += f64::from(u8::from(is_correct));
                })?;
            tally.returned = tally.drawn;
            for counts in [&mut tally.returned, &mut tally.correct] {
                for half in counts.iter_mut() {
                    half.iter_mut().zip(shares).for_each(|(count, share)| *count *= share as f64);
                }
            }
            let samples = self.sets.resample(ratios, remainder);
            for member in &self.members {
                tally.shingles[member.half][member.group] += samples.hashes(member.ordinal).count() as f64;
            }
            each(&tally);
            mean.add(&tally, 1.0 / f64::from(remainders));
        }
        Ok(mean)
    }
}
