//! The choice of neighbouring runs to merge: pure functions of their sizes.

use std::ops::Range;
use std::sync::Arc;

use crate::runs::run::Run;

/// Number of runs of a tier that are merged into one run of the next tier.
const FAN_IN: usize = 4;
/// Up to this number of runs are left unmerged, whatever their sizes.
const RUNS_MIN: usize = 5;
/// A run is not rewritten together with younger runs whose total size is this many times smaller.
const UNBALANCED_MAX: u64 = 16;
/// A run is rewritten when one in this many of its documents is deleted.
const DEAD_SHARE: u64 = 5;

/// A plan to replace neighbouring runs by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactionPlan {
    /// The runs, by the file numbers of their postings.
    pub(crate) runs: Vec<u64>,
    /// Levels of the new run's scheme, if not chosen by its size.
    pub(crate) levels: Option<Vec<u8>>,
}

impl CompactionPlan {
    /// Returns the plan for these neighbours.
    pub(crate) fn of(runs: &[Arc<Run>]) -> Self {
        Self { runs: runs.iter().map(|run| run.entry.postings.number).collect(), levels: None }
    }

    /// Returns the number of runs in the plan.
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Returns whether a run is in the plan.
    pub(crate) fn names(&self, run: &Run) -> bool {
        self.runs.contains(&run.entry.postings.number)
    }

    /// Returns the indexes of the plan's runs among `runs`.
    pub(crate) fn find(&self, runs: &[Arc<Run>]) -> Option<Range<usize>> {
        let Some(first) = self.runs.first() else { return Some(0..0) };
        let first = runs.iter().position(|run| run.entry.postings.number == *first)?;
        let found = first..first + self.runs.len();
        let named = runs.get(found.clone())?.iter().map(|run| run.entry.postings.number);
        named.eq(self.runs.iter().copied()).then_some(found)
    }
}

/// The properties of a run that decide on merges.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    pub(super) documents: u64,
    pub(super) dead: u64,
    /// The greatest number of merges that have rewritten a document of it.
    pub(super) rewrites: u8,
    /// The run is being merged.
    pub(super) busy: bool,
}

impl Weight {
    fn tier(self, base: u64) -> u32 {
        let mut tier = 0;
        let mut documents = self.documents / base;
        while documents >= FAN_IN as u64 {
            documents /= FAN_IN as u64;
            tier += 1;
        }
        tier
    }
}

/// Returns whether the small runs are together large enough to justify rewriting the largest run.
fn is_balanced(runs: &[Weight]) -> bool {
    let largest = runs.iter().map(|run| run.documents).max().unwrap_or(0);
    let all: u64 = runs.iter().map(|run| run.documents).sum();
    largest <= 3 * (all - largest)
}

/// Chooses runs to merge, as (first, len): four or more neighbours of a tier or below, the lowest tier first; otherwise
/// one run with many deleted documents. Runs in the lowest tier have about `base` documents.
pub(super) fn choose(runs: &[Weight], base: u64) -> Option<(usize, usize)> {
    let top = runs.iter().map(|run| run.tier(base)).max()?;
    for tier in 0..=top {
        let mut first = 0;
        for end in 0..=runs.len() {
            if end < runs.len() && runs[end].tier(base) <= tier {
                continue;
            }
            if end - first >= FAN_IN && is_balanced(&runs[first..end]) {
                return Some((first, end - first));
            }
            first = end + 1;
        }
    }
    let worst = runs.iter().position(|run| run.dead * DEAD_SHARE >= run.documents.max(1));
    worst.map(|first| (first, 1))
}

/// Returns how often a document may be rewritten in a database of this size: log4(documents / base) + 2.
fn rewrites_max(documents: u64, base: u64) -> u32 {
    (documents / base).max(1).ilog(4) + 2
}

/// Returns the level of a run: a run that was loaded as a whole counts like a run of the same size that was merged from
/// small ones. Rewriting runs below a quarter of `base` costs almost nothing.
fn level(run: &Weight, base: u64) -> u32 {
    let by_size = (4 * run.documents / base).max(1).ilog(4);
    by_size.max(run.rewrites.into())
}

/// Chooses neighbours to merge, except those being merged.
///
/// Levels never rise from an older run to a younger one. If there are more runs than permitted rewrites, the shortest
/// tail of runs is merged whose result stays below the level of the run before it. With r rewrites, w runs cover as
/// many loads of one size as there are ways of choosing r of w + r (Bentley and Saxe 1980, binomial transform; Mathieu
/// et al. 2014, binomial merge compaction). When no tail is allowed, two small neighbours are merged.
pub(super) fn choose_next(runs: &[Weight], base: u64) -> Option<Range<usize>> {
    let documents = runs.iter().map(|run| run.documents).sum();
    let rewrites = rewrites_max(documents, base);
    let first = runs.iter().rposition(|run| run.busy).map_or(0, |last| last + 1);
    let idle = &runs[first..];
    let len = idle.len() + usize::from(first > 0);
    if len > (rewrites as usize).max(RUNS_MIN) && idle.len() > 1 {
        let mut levels: Vec<u32> = idle.iter().map(|run| level(run, base)).collect();
        for index in (1..levels.len()).rev() {
            levels[index - 1] = levels[index - 1].max(levels[index]);
        }
        let mut tail = idle[idle.len() - 1].documents;
        for index in (0..idle.len() - 1).rev() {
            let before = if index > 0 { levels[index - 1] } else { rewrites };
            let run = idle[index].documents;
            if levels[index] < before && run <= UNBALANCED_MAX * tail {
                return Some(first + index..runs.len());
            }
            tail += run;
        }
        let pair = |index: &usize| idle[*index].documents + idle[index + 1].documents;
        let index = first + (0..idle.len() - 1).rev().min_by_key(pair)?;
        return Some(index..index + 2);
    }
    let worst = runs.iter().position(|run| !run.busy && run.dead * DEAD_SHARE >= run.documents.max(1));
    worst.map(|index| index..index + 1)
}

/// Returns how often documents will have been rewritten once these runs are merged.
pub(super) fn rewrites_of(runs: &[Arc<Run>], base: u64) -> u8 {
    let documents = runs.iter().map(|run| run.entry.documents).sum();
    rewritten(runs.iter().map(|run| run.entry.rewrites), documents, base)
}

fn rewritten(rewrites: impl Iterator<Item = u8>, documents: u64, base: u64) -> u8 {
    rewrites.max().unwrap_or(0).saturating_add(u8::from(4 * documents >= base))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The base of all tiers here.
    const BASE: u64 = 65_536;

    fn choose(runs: &[Weight]) -> Option<(usize, usize)> {
        super::choose(runs, BASE)
    }

    fn choose_next(runs: &[Weight]) -> Option<Range<usize>> {
        super::choose_next(runs, BASE)
    }

    fn weight(documents: u64, dead: u64) -> Weight {
        Weight { documents, dead, rewrites: 0, busy: false }
    }

    fn runs(documents: &[u64]) -> Vec<Weight> {
        documents.iter().map(|&documents| weight(documents, 0)).collect()
    }

    #[test]
    fn four_neighbours_of_a_tier_are_merged_and_fewer_are_not() {
        let small = 200_000;
        assert_eq!(choose(&runs(&[small; 3])), None);
        assert_eq!(choose(&runs(&[small; 4])), Some((0, 4)));
        assert_eq!(choose(&runs(&[small * 100, small, small, small, small])), Some((1, 4)));
        assert_eq!(choose(&runs(&[small, small, small * 100, small, small])), None);
        assert_eq!(choose(&runs(&[small * 16, small * 16, small * 4, small * 16, small, small, small])), Some((0, 7)));
        assert_eq!(choose(&[]), None);
    }

    #[test]
    fn a_run_with_many_deleted_documents_is_rewritten() {
        let run = |dead| weight(1000, dead);
        assert_eq!(choose(&[run(0), run(199)]), None);
        assert_eq!(choose(&[run(0), run(200)]), Some((1, 1)));
    }

    #[test]
    fn the_number_of_runs_stays_logarithmic() {
        let mut runs: Vec<Weight> = Vec::new();
        let mut most = 0;
        for _ in 0..4000 {
            runs.push(weight(262_144, 0));
            while let Some((first, len)) = choose(&runs) {
                let documents = runs[first..first + len].iter().map(|run| run.documents).sum();
                runs.splice(first..first + len, [weight(documents, 0)]);
            }
            most = most.max(runs.len());
        }
        assert!(most <= 24, "{most} runs of a billion documents");
    }

    /// Simulates loads of these sizes with merges after each. Returns the maximum number of runs, and the maximum
    /// number of rewrites of a document, observed and by the bound.
    fn live(loads: impl Iterator<Item = u64>, seen: &mut dyn FnMut(&[Weight])) -> (u8, f64) {
        let mut runs: Vec<Weight> = Vec::new();
        for documents in loads {
            runs.push(weight(documents, 0));
            while let Some(found) = choose_next(&runs) {
                let documents = runs[found.clone()].iter().map(|run| run.documents).sum();
                let rewrites = rewritten(runs[found.clone()].iter().map(|run| run.rewrites), documents, BASE);
                runs.splice(found, [Weight { rewrites, ..weight(documents, 0) }]);
            }
            seen(&runs);
        }
        let all: u64 = runs.iter().map(|run| run.documents).sum();
        let most = runs.iter().map(|run| run.rewrites).max().expect("some");
        (most, (all as f64 / BASE as f64).log(4.0) + 2.0)
    }

    #[test]
    fn days_of_equal_loads_leave_few_runs_and_rewrite_no_document_often() {
        let (mut days, mut most, mut sum) = (0, 0, 0);
        let (rewrites, bound) = live((0..400).map(|_| 20_000), &mut |runs| {
            days += 1;
            if days >= 300 {
                most = most.max(runs.len());
                sum += runs.len();
            }
        });
        assert!(f64::from(rewrites) <= bound, "{rewrites} rewrites, {bound} allowed");
        assert!(most <= 5 && sum <= 9 * 101 / 2, "{most} runs at most, {sum} in all");
    }

    #[test]
    fn flushes_of_ten_million_documents_are_rewritten_no_more_often_than_the_bound() {
        let (rewrites, bound) = live((0..40).map(|_| 262_144), &mut |runs| assert!(runs.len() <= 6, "{}", runs.len()));
        assert!(f64::from(rewrites) <= bound, "{rewrites} rewrites, {bound} allowed");
    }

    #[test]
    fn loads_of_any_size_leave_few_runs() {
        let sizes = (0..2000u64).map(|load| 10 + nddb_format::digest::mix(load) % (1 << (load % 20)));
        live(sizes, &mut |runs| assert!(runs.len() <= 8, "{}", runs.len()));
    }

    #[test]
    fn what_is_being_merged_is_left_alone() {
        let busy = Weight { busy: true, ..weight(1_000_000, 900_000) };
        assert_eq!(choose_next(&[busy, busy, weight(20_000, 0)]), None);
        let small: Vec<Weight> = [busy].into_iter().chain([weight(20_000, 0); 9]).collect();
        assert_eq!(choose_next(&small), Some(1..10));
        assert_eq!(choose_next(&[busy, weight(1000, 200)]), Some(1..2));
    }
}
