//! Compaction: deciding which neighbouring runs become one, and doing it (SPEC 10.5).

use std::sync::Arc;

use super::merge::Merge;
use super::run::Run;
use super::writer::Writer;
use crate::{Error, Result};

/// Runs of a tier that are merged into one of the next.
const FAN_IN: usize = 4;
/// Documents of the lowest tier.
const TIER_BASE: u64 = 65_536;
/// A run is rewritten when one document in so many of it is deleted.
const DEAD_SHARE: u64 = 5;

/// Neighbouring runs that are to become one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactionPlan {
    /// The manifest generation it is for.
    pub(super) generation: u64,
    /// The first of the runs.
    pub(super) first: usize,
    /// How many.
    pub(super) len: usize,
    /// Levels of the scheme wanted instead of the one chosen by count.
    pub(super) levels: Option<Vec<u8>>,
}

impl CompactionPlan {
    /// The runs from `first` on, which are the last ones.
    pub(super) fn of_last(generation: u64, first: usize, len: usize) -> Self {
        Self { generation, first, len, levels: None }
    }

    /// Number of runs that become one.
    pub fn runs(&self) -> usize {
        self.len
    }
}

/// What a compaction did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compacted {
    /// Runs before.
    pub runs_before: usize,
    /// Runs after: one, or none if nothing was left.
    pub runs_after: usize,
    /// Bytes of their files before.
    pub bytes_before: u64,
    /// Bytes after.
    pub bytes_after: u64,
    /// Deleted documents that were dropped.
    pub documents_dropped: u64,
    /// Fingerprints that no document has any more.
    pub fingerprints_dropped: u64,
}

/// What a plan looks at of a run.
#[derive(Clone, Copy, Debug)]
struct Weight {
    documents: u64,
    dead: u64,
}

impl Weight {
    fn tier(self) -> u32 {
        let mut tier = 0;
        let mut documents = self.documents / TIER_BASE;
        while documents >= FAN_IN as u64 {
            documents /= FAN_IN as u64;
            tier += 1;
        }
        tier
    }
}

/// Whether the largest run is not rewritten for the sake of a few small ones.
fn is_balanced(runs: &[Weight]) -> bool {
    let largest = runs.iter().map(|run| run.documents).max().unwrap_or(0);
    let all: u64 = runs.iter().map(|run| run.documents).sum();
    largest <= 3 * (all - largest)
}

/// Chooses runs to merge, as (first, len): four or more neighbours of a tier or below, the lowest tier
/// first; or else one with many deleted documents.
fn choose(runs: &[Weight]) -> Option<(usize, usize)> {
    let top = runs.iter().map(|run| run.tier()).max()?;
    for tier in 0..=top {
        let mut first = 0;
        for end in 0..=runs.len() {
            if end < runs.len() && runs[end].tier() <= tier {
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

fn weights(writer: &Writer) -> Vec<Weight> {
    let dead = writer.snapshot().deleted.clone() - writer.dropped();
    let below = |number: u64| if number == 0 { 0 } else { dead.rank(number - 1) };
    let weight = |run: &Arc<Run>| {
        let dead = below(run.entry.high) - below(run.entry.low);
        Weight { documents: run.entry.documents, dead: dead.min(run.entry.documents) }
    };
    writer.snapshot().runs.iter().map(weight).collect()
}

impl Writer {
    /// The next compaction that is worth its work, if any: a pure look at the runs.
    pub fn plan_compaction(&self) -> Option<CompactionPlan> {
        let (first, len) = choose(&weights(self))?;
        Some(CompactionPlan { generation: self.view().generation(), first, len, levels: None })
    }

    /// A compaction that makes one run of all, without deleted documents. `None` if that is how it is.
    pub fn plan_full_compaction(&self) -> Option<CompactionPlan> {
        let weights = weights(self);
        let done = weights.len() < 2 && weights.iter().all(|run| run.dead == 0);
        let len = weights.len();
        (!done).then(|| CompactionPlan { generation: self.view().generation(), first: 0, len, levels: None })
    }

    /// Makes one run of those that the plan names and drops their deleted documents.
    ///
    /// # Errors
    /// [`Error::OverLimit`] if there is no space for the new files; [`Error::Cancelled`]; damage of what
    /// is merged. The database is then as before.
    pub fn compact(&mut self, plan: &CompactionPlan) -> Result<Compacted> {
        self.commit()?;
        let outcome = self.compact_runs(plan);
        self.guard(outcome)
    }

    fn compact_runs(&mut self, plan: &CompactionPlan) -> Result<Compacted> {
        if plan.generation != self.view().generation() {
            let what = "the runs have changed since this compaction was planned: plan again".into();
            return Err(Error::Document { id: "compaction".into(), why: what });
        }
        let runs: Vec<Arc<Run>> = self.snapshot().runs[plan.first..plan.first + plan.len].to_vec();
        let sizes = |run: &nddb_format::manifest::RunEntry| {
            run.postings.length + run.segments.iter().map(|file| file.length).sum::<u64>()
        };
        let mut done = Compacted {
            runs_before: runs.len(),
            bytes_before: runs.iter().map(|run| sizes(&run.entry)).sum(),
            ..Compacted::default()
        };
        self.need_space(done.bytes_before * 11 / 10)?;
        let mut manifest = self.snapshot().manifest.clone();
        let documents: u64 = runs.iter().map(|run| run.entry.documents).sum();
        let scheme = match &plan.levels {
            Some(levels) => self.scheme_of(levels)?,
            None => self.scheme_for(documents)?,
        };
        let (threads, memory_limit) = self.means();
        let (dir, deleted, watch) = self.merge_parts();
        let merge = Merge { dir, runs: &runs, deleted, scheme, threads, memory_limit };
        let dropped = merge.survey()?;
        let first_file = manifest.next_file;
        manifest.next_file += merge.files();
        let made = merge.run(first_file, &dropped, watch);
        let entry = made.inspect_err(|_| self.drop_files(first_file, &manifest))?;
        done.documents_dropped = dropped.documents;
        done.fingerprints_dropped = dropped.fingerprints.len() as u64;
        done.runs_after = usize::from(entry.is_some());
        done.bytes_after = entry.as_ref().map_or(0, sizes);
        manifest.runs.splice(plan.first..plan.first + plan.len, entry);
        // Whatever is deleted in these number ranges stands in no run any more.
        let mut gone = Vec::new();
        for run in &runs {
            let mut deleted = self.snapshot().deleted.iter();
            deleted.advance_to(run.entry.low);
            gone.extend(deleted.take_while(|&number| number < run.entry.high));
        }
        self.publish(manifest, gone)?;
        self.retire_cancelled()?;
        Ok(done)
    }

    /// Gives every run the scheme of these levels, or the planner's choice for its size; later runs too.
    ///
    /// # Errors
    /// As [`Writer::compact`].
    pub fn reshape(&mut self, levels: Option<&[u8]>) -> Result<Vec<Compacted>> {
        self.commit()?;
        self.set_levels(levels)?;
        let mut done = Vec::new();
        for first in (0..self.snapshot().runs.len()).rev() {
            let run = &self.snapshot().runs[first];
            let wanted = match levels {
                Some(levels) => self.scheme_of(levels)?,
                None => self.scheme_for(run.entry.documents)?,
            };
            if run.entry.scheme != wanted {
                let levels = Some(wanted.levels().to_vec());
                let plan = CompactionPlan { generation: self.view().generation(), first, len: 1, levels };
                done.push(self.compact(&plan)?);
            }
        }
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(documents: &[u64]) -> Vec<Weight> {
        documents.iter().map(|&documents| Weight { documents, dead: 0 }).collect()
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
        let run = |dead| Weight { documents: 1000, dead };
        assert_eq!(choose(&[run(0), run(199)]), None);
        assert_eq!(choose(&[run(0), run(200)]), Some((1, 1)));
    }

    #[test]
    fn the_number_of_runs_stays_logarithmic() {
        let mut runs: Vec<Weight> = Vec::new();
        let mut most = 0;
        for _ in 0..4000 {
            runs.push(Weight { documents: 262_144, dead: 0 });
            while let Some((first, len)) = choose(&runs) {
                let documents = runs[first..first + len].iter().map(|run| run.documents).sum();
                runs.splice(first..first + len, [Weight { documents, dead: 0 }]);
            }
            most = most.max(runs.len());
        }
        assert!(most <= 24, "{most} runs of a billion documents");
    }
}
