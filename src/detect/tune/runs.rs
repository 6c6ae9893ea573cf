//! Runs of the method shingles with samples of shingles that were read once.

use super::super::classes::Classes;
use super::super::collection::Collection;
use super::super::method::Method;
use super::super::options::PairOptions;
use super::super::pair::PairSummary;
use super::super::pairs::Found;
use super::super::ratios::Ratios;
use super::super::readings::Readings;
use super::super::resemblance::ShingleSets;
use super::counts::Tally;
use crate::Result;
use crate::store::{Ticker, View};

/// Runs of the method with samples of the same shingles.
pub(super) struct Runs<'a, 't> {
    view: View<'a>,
    collection: &'a Collection,
    options: PairOptions,
    sets: &'a ShingleSets,
    /// The half that each document is in: pairs across the halves are left out.
    half: fn(&Collection, u32) -> usize,
    /// The pairs of all shingles, sorted.
    truth: Vec<u64>,
    ticker: &'a Ticker<'t>,
}

impl<'a, 't> Runs<'a, 't> {
    /// Finds what all shingles return, at the resemblance of the options.
    pub(super) fn new(
        view: View<'a>,
        collection: &'a Collection,
        options: PairOptions,
        sets: &'a ShingleSets,
        half: fn(&Collection, u32) -> usize,
        ticker: &'a Ticker<'t>,
    ) -> Result<Self> {
        let options = PairOptions { expand: true, verify_lcs: false, ..options };
        let mut runs = Self { view, collection, options, sets, half, truth: Vec::new(), ticker };
        let mut truth = Vec::new();
        runs.pairs(Ratios::ALL, 0, &mut |a, b| truth.push(both(a, b)))?;
        truth.sort_unstable();
        runs.truth = truth;
        Ok(runs)
    }

    /// The pairs of one run, of documents with different texts: of equal ones one goes on (Ye et al. 2007, 4.1).
    fn pairs(&self, ratios: Ratios, remainder: u32, found: &mut dyn FnMut(u32, u32)) -> Result<()> {
        let readings = Readings::of_shingles(self.sets.resample(ratios, remainder));
        let text = |ordinal| readings.sketch(ordinal);
        let mut classes = Classes::new(self.collection, Method::Shingles, &text, &self.options.room)?;
        classes.part_identical(self.collection);
        let run = self
            .ticker
            .lend(|watch| Found::of(self.view, self.collection, &self.options, readings, classes, false, watch))?;
        run.decide(self.collection, &self.options, self.ticker, &mut PairSummary::default(), &mut |pair| {
            if !pair.evidence.identical {
                found(pair.a, pair.b);
            }
            Ok(())
        })
    }

    /// What a sampling returns, on average over its remainders.
    pub(super) fn tally(&self, ratios: Ratios) -> Result<Tally> {
        let remainders = ratios.groups().iter().copied().max().unwrap_or(1);
        let mut mean = Tally::default();
        for remainder in 0..remainders {
            let mut tally = Tally::default();
            let group = |ordinal: u32| self.sets.words(ordinal).map_or(0, Ratios::group);
            self.pairs(ratios, remainder, &mut |a, b| {
                let sides = [a, b].map(|ordinal| (self.half)(self.collection, ordinal));
                if sides[0] == sides[1] {
                    let (half, group) = (sides[0], group(a).min(group(b)));
                    let is_correct = self.truth.binary_search(&both(a, b)).is_ok();
                    tally.returned[half][group] += 1.0;
                    tally.correct[half][group] += f64::from(u8::from(is_correct));
                }
            })?;
            let samples = self.sets.resample(ratios, remainder);
            for ordinal in 0..self.collection.len() {
                let kept = samples.hashes(ordinal).count();
                tally.shingles[(self.half)(self.collection, ordinal)][group(ordinal)] += kept as f64;
            }
            mean.add(&tally, 1.0 / f64::from(remainders));
        }
        Ok(mean)
    }
}

fn both(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}
