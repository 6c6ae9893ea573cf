//! Compaction: replacing neighbouring runs by one.

use std::ops::Range;
use std::sync::Arc;

use nddb_format::manifest::RunEntry;

use super::plan::{CompactionPlan, Weight, choose, choose_next, rewrites_of};
use super::writer::Writer;
use crate::disk::bugs::{Bug, bug};
use crate::ranges::deleted_in;
use crate::runs::build::files_of;
use crate::runs::merge::{Merge, survey};
use crate::runs::run::Run;
use crate::{Error, Result};

/// The result of a compaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compacted {
    /// Number of runs before.
    pub runs_before: usize,
    /// Number of runs after: one, or none if nothing was left.
    pub runs_after: usize,
    /// Bytes of the files before.
    pub bytes_before: u64,
    /// Bytes of the files after.
    pub bytes_after: u64,
    /// Number of deleted documents that were dropped.
    pub documents_dropped: u64,
    /// Number of fingerprints without a document that were dropped.
    pub fingerprints_dropped: u64,
}

fn weights(writer: &Writer, busy: &dyn Fn(&Run) -> bool) -> Vec<Weight> {
    let (deleted, dropped) = (&writer.snapshot().deleted, writer.dropped());
    let weight = |run: &Arc<Run>| {
        let numbers = run.entry.low..run.entry.high;
        let dead = deleted_in(deleted, numbers.clone()) - deleted_in(dropped, numbers);
        let (documents, rewrites) = (run.entry.documents, run.entry.rewrites);
        Weight { documents, dead: dead.min(documents), rewrites, busy: busy(run) }
    };
    writer.snapshot().runs.iter().map(weight).collect()
}

impl Writer {
    /// Returns the next worthwhile compaction, if any. Only the sizes of the runs are read.
    pub fn plan_compaction(&self) -> Option<CompactionPlan> {
        self.plan_compaction_from(0)
    }

    /// Returns the next compaction of the runs from `first` on.
    pub(super) fn plan_compaction_from(&self, first: usize) -> Option<CompactionPlan> {
        let runs = self.snapshot().runs.get(first..)?;
        let (first, len) = choose(weights(self, &|_| false).get(first..)?, self.thresholds.tier)?;
        Some(CompactionPlan::of(&runs[first..first + len]))
    }

    /// Returns the next merge in the background, of runs that are not `busy`.
    pub(super) fn next_merge(&self, busy: &dyn Fn(&Run) -> bool) -> Option<Range<usize>> {
        choose_next(&weights(self, busy), self.thresholds.tier)
    }

    /// Returns a compaction of all runs to one without deleted documents; `None` if that is already the state.
    pub fn plan_full_compaction(&self) -> Option<CompactionPlan> {
        let runs = &self.snapshot().runs;
        let numbers = 0..self.snapshot().manifest.complete;
        let dead = deleted_in(&self.snapshot().deleted, numbers.clone()) > deleted_in(self.dropped(), numbers);
        (runs.len() > 1 || dead).then(|| CompactionPlan::of(runs))
    }

    /// Replaces the runs of the plan by one and drops their deleted documents.
    ///
    /// # Errors
    /// [`Error::StalePlan`] if its runs were merged otherwise meanwhile; [`Error::OverLimit`] if there is no space for
    /// the new files; [`Error::Cancelled`]; damage of the inputs. The database is then as before.
    pub fn compact(&mut self, plan: &CompactionPlan) -> Result<Compacted> {
        // Otherwise merges in progress would replace the runs.
        self.cancel_merges();
        self.commit()?;
        self.cancel_merges();
        let outcome = self.compact_runs(plan);
        self.guard(outcome)
    }

    fn compact_runs(&mut self, plan: &CompactionPlan) -> Result<Compacted> {
        let Some(found) = plan.find(&self.snapshot().runs) else {
            return Err(Error::StalePlan { path: self.merge_parts().0.root().into() });
        };
        let runs: Vec<Arc<Run>> = self.snapshot().runs[found.clone()].to_vec();
        let mut done = Compacted {
            runs_before: runs.len(),
            bytes_before: runs.iter().map(|run| run.entry.size()).sum(),
            ..Compacted::default()
        };
        let numbers = match (runs.first(), runs.last()) {
            (Some(first), Some(last)) => first.entry.low..last.entry.high,
            _ => 0..0,
        };
        let (dir, deleted, _) = self.merge_parts();
        let dropped = survey(dir, &runs, deleted)?;
        // Chosen by the number of remaining documents, so that the next compaction makes the same choice.
        let documents = runs.iter().map(|run| run.entry.documents).sum::<u64>() - dropped.documents;
        let scheme = match &plan.levels {
            Some(levels) => self.scheme_of(levels)?,
            None => self.scheme_for(documents)?,
        };
        let (threads, memory_limit) = self.resources();
        let rewrites = rewrites_of(&runs, self.thresholds.tier);
        let files = files_of(&scheme);
        let first_file = self.take_files(files);
        let (dir, deleted, watch) = self.merge_parts();
        let merge = Merge { dir, runs: &runs, deleted, scheme, threads, memory_limit, rewrites };
        if merge.changes_nothing(&dropped) {
            // Deleted documents with these numbers were dropped earlier, and their rows were not removed.
            self.retire_dropped(numbers, None);
            (done.runs_after, done.bytes_after) = (runs.len(), done.bytes_before);
            return Ok(done);
        }
        let need = merge.size();
        let merged = dir.need_space(need).and_then(|()| merge.run(first_file, &dropped, watch));
        let entry = merged.inspect_err(|_| self.drop_files(first_file, files))?;
        done.documents_dropped = dropped.documents;
        done.fingerprints_dropped = dropped.fingerprints.len() as u64;
        done.runs_after = usize::from(entry.is_some());
        done.bytes_after = entry.as_ref().map_or(0, RunEntry::size);
        let mut manifest = self.snapshot().manifest.clone();
        let is_wrong = bug(Bug::OtherInputs, self.view().dir.root()) && found.end < manifest.runs.len();
        let found = if is_wrong { found.start..found.end + 1 } else { found };
        manifest.runs.splice(found, entry);
        self.publish(manifest, numbers)?;
        Ok(done)
    }

    /// Gives every run, including later ones, the scheme of these levels, or the planner's choice for its size.
    ///
    /// # Errors
    /// Errors of [`Writer::compact`].
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
                let mut plan = CompactionPlan::of(&self.snapshot().runs[first..=first]);
                plan.levels = levels;
                done.push(self.compact(&plan)?);
            }
        }
        Ok(done)
    }
}
