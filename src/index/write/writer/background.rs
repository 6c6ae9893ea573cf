//! Background flushes and merges, and their publication, between two commits.
//!
//! A job gets a copy of the deleted numbers and leaves these out. Numbers that are deleted while it works are in its
//! run and remain deleted. Other jobs, loads and deletions may replace the manifest meanwhile: the run of a flush is
//! added after the current runs, that of a merge replaces its inputs, and a merge whose inputs are gone is dropped.

use std::sync::Arc;
use std::time::Duration;

use super::Writer;
use crate::disk::dir::is_failed_sync;
use crate::runs::build::{files_of, run_size};
use crate::runs::contents::run_of;
use crate::runs::merge::{Merge, survey};
use crate::runs::run::{Run, Verify};
use crate::runs::summaries::summaries_size;
use crate::spill::progress::Ticker;
use crate::write::jobs::{Built, Job, Task};
use crate::write::plan::{CompactionPlan, rewrites_of};
use crate::{Error, Result};

/// Maximum number of merges at a time.
const MERGES_MAX: usize = 2;
/// Number of runs at which the writer waits for a merge.
const RUNS_MAX: usize = 40;
/// Interval at which a waiting writer asks the watcher whether to go on.
const MOMENT: Duration = Duration::from_millis(50);

impl Writer {
    /// Sets whether background threads do flushes and merges while documents are inserted and committed; merges then
    /// start as soon as they are worthwhile. The next commit publishes finished jobs. [`Writer::close`] waits for all
    /// jobs, unless the watcher stops it. Off by default.
    pub fn merge_in_background(&mut self, on: bool) {
        if !on {
            self.cancel_merges();
        }
        self.jobs.on = on;
        self.jobs.due = on;
    }

    /// Returns whether flushes and merges are done in the background.
    pub fn works_in_background(&self) -> bool {
        self.jobs.on
    }

    /// Starts moving all committed documents into a run. Without [`Writer::merge_in_background`] this is
    /// [`Writer::flush`]; with it, it waits only for the flush before.
    ///
    /// # Errors
    /// Errors of [`Writer::flush`].
    pub fn begin_flush(&mut self) -> Result<()> {
        if !self.jobs.on {
            return self.flush();
        }
        self.ready()?;
        let begun = self.finish_flush().and_then(|()| self.start_flush());
        self.guard(begun)
    }

    fn start_flush(&mut self) -> Result<()> {
        let (low, high) = (self.snapshot.manifest.complete, self.counters.next_number);
        if low == high {
            return Ok(());
        }
        let memtable = self.snapshot.memtable.freeze();
        // If an earlier flush failed, the frozen memtable does not contain the latest documents.
        let high = if self.snapshot.memtable.active_len() > 0 { memtable.end() } else { high };
        let scheme = self.scheme_for(memtable.len() as u64)?;
        let size = run_size(&scheme, memtable.len() as u64, memtable.keys_len() as u64);
        self.dir.need_space(size + summaries_size(memtable.summaries_size(), memtable.len() as u64, high - low))?;
        let files = (self.take_files(files_of(&scheme)), files_of(&scheme));
        let (dir, deleted, threads) = (self.dir.clone(), self.snapshot.deleted.clone(), self.threads);
        let job = Job::start(Task::Flush(low, high), files, move |watch| {
            let contents = memtable.contents(|number| number >= low && !deleted.contains(number));
            drop(memtable);
            let run = if contents.pairs.is_empty() {
                None
            } else {
                let ticker = Ticker::new(&mut **watch);
                let entry = run_of(&dir, files.0, &scheme, (low, high), contents, threads, &ticker)?;
                Some(Arc::new(Run::open(&dir, &entry, Verify::FirstTouch)?))
            };
            Ok(Built { run, unchanged: false, deleted })
        })?;
        self.jobs.flush = Some(job);
        Ok(())
    }

    /// Publishes finished jobs, and starts due ones.
    pub(crate) fn settle(&mut self) -> Result<()> {
        if !self.jobs.on || self.poisoned {
            return Ok(());
        }
        let settled = self.settle_jobs();
        self.guard(settled)
    }

    fn settle_jobs(&mut self) -> Result<()> {
        if let Some(outcome) = self.jobs.flush.as_mut().and_then(|job| job.outcome(Duration::ZERO)) {
            self.end_flush(outcome)?;
        }
        let mut index = 0;
        while let Some(job) = self.jobs.merges.get_mut(index) {
            match job.outcome(Duration::ZERO) {
                Some(outcome) => {
                    let job = self.jobs.merges.remove(index);
                    self.end_merge(&job, outcome)?;
                }
                None => index += 1,
            }
        }
        self.begin_merges()
    }

    /// Makes room in the memtable for another group, and among the runs.
    pub(super) fn make_room(&mut self) -> Result<()> {
        let full = self.snapshot.memtable.is_full(self.thresholds.memtable);
        if !self.jobs.on {
            return if full { self.flush() } else { Ok(()) };
        }
        self.settle()?;
        if full {
            // A failed flush is retried once; if the retry fails, too, there is no room.
            if let Some(error) = self.jobs.failed.take().filter(|_| self.jobs.flush.is_none()) {
                let retried = self.begin_flush().and_then(|()| {
                    let finished = self.finish_flush();
                    self.guard(finished)
                });
                retried.and_then(|()| if self.jobs.failed.take().is_some() { Err(error) } else { Ok(()) })?;
            }
            self.begin_flush()?;
        }
        while self.snapshot.runs.len() > RUNS_MAX && !self.jobs.merges.is_empty() {
            self.wait_for_merge()?;
            self.settle()?;
        }
        Ok(())
    }

    /// Waits a moment for a merge; an error if the caller wants to stop.
    fn wait_for_merge(&mut self) -> Result<()> {
        let Some(job) = self.jobs.merges.first_mut() else { return Ok(()) };
        let (done, total) = job.progress();
        if let Some(outcome) = job.outcome(MOMENT) {
            let job = self.jobs.merges.remove(0);
            let ended = self.end_merge(&job, outcome);
            return self.guard(ended);
        }
        self.report("merge", done, Some(total).filter(|&total| total > 0), "files")
    }

    /// Waits for the current flush and publishes it.
    pub(super) fn finish_flush(&mut self) -> Result<()> {
        let Some(job) = &mut self.jobs.flush else { return Ok(()) };
        match job.outcome(Duration::MAX) {
            Some(outcome) => self.end_flush(outcome),
            None => Ok(()),
        }
    }

    /// Stops merges; their runs stay as they are.
    pub(crate) fn cancel_merges(&mut self) {
        self.jobs.merges.iter().for_each(Job::stop);
        for job in std::mem::take(&mut self.jobs.merges) {
            let (first, len) = job.files;
            drop(job);
            self.drop_files(first, len);
        }
        self.jobs.due = true;
    }

    /// Waits for all jobs, including those that become due meanwhile, unless the caller wants to stop.
    pub(super) fn drain(&mut self) -> Result<()> {
        if !self.jobs.on {
            return Ok(());
        }
        let finished = self.finish_flush();
        self.guard(finished)?;
        loop {
            self.settle()?;
            if self.jobs.merges.is_empty() {
                break;
            }
            match self.wait_for_merge() {
                Err(Error::Cancelled) => {
                    self.cancel_merges();
                    break;
                }
                waited => waited?,
            }
        }
        match self.jobs.failed.take() {
            // Without space the runs stay as they are.
            None | Some(Error::OverLimit { .. }) => Ok(()),
            Some(error @ Error::Io { .. }) if error.is_over_limit() => Ok(()),
            Some(error) => Err(error),
        }
    }

    /// Records the error of a job. The documents are committed all the same; only after a failed fsync is the state on
    /// disk unknown.
    fn note_failure(&mut self, error: Error, (first, len): (u64, u64)) -> Result<()> {
        self.drop_files(first, len);
        match error {
            Error::Cancelled => Ok(()),
            error if is_failed_sync(&error) => Err(error),
            error => {
                self.jobs.failed.get_or_insert(error);
                Ok(())
            }
        }
    }

    fn end_flush(&mut self, outcome: Result<Built>) -> Result<()> {
        let Some(job) = self.jobs.flush.take() else { return Ok(()) };
        let Task::Flush(low, high) = job.task else { return Ok(()) };
        let built = match outcome {
            Ok(built) => built,
            Err(error) => return self.note_failure(error, job.files),
        };
        let mut manifest = self.snapshot.manifest.clone();
        manifest.runs.extend(built.run.iter().map(|run| run.entry.clone()));
        manifest.complete = high;
        self.publish_made(manifest, low..high, &built)
    }

    fn end_merge(&mut self, job: &Job, outcome: Result<Built>) -> Result<()> {
        let Task::Merge(plan) = &job.task else { return Ok(()) };
        self.jobs.due = true;
        let built = match outcome {
            Ok(built) => built,
            Err(error) => return self.note_failure(error, job.files),
        };
        let Some(found) = plan.find(&self.snapshot.runs) else {
            self.drop_files(job.files.0, job.files.1);
            return Ok(());
        };
        let runs = &self.snapshot.runs[found.clone()];
        let numbers = match (runs.first(), runs.last()) {
            (Some(first), Some(last)) => first.entry.low..last.entry.high,
            _ => return Ok(()),
        };
        if built.unchanged {
            self.drop_files(job.files.0, job.files.1);
            self.retire_dropped(numbers, Some(&built.deleted));
            return Ok(());
        }
        let mut manifest = self.snapshot.manifest.clone();
        manifest.runs.splice(found, built.run.iter().map(|run| run.entry.clone()));
        self.publish_made(manifest, numbers, &built)
    }

    fn publish_made(
        &mut self,
        manifest: nddb_format::manifest::Manifest,
        numbers: std::ops::Range<u64>,
        built: &Built,
    ) -> Result<()> {
        self.jobs.due = true;
        self.replace(manifest, None, built.run.clone())?;
        // Documents deleted while the job ran are in its run.
        self.retire_dropped(numbers, Some(&built.deleted));
        Ok(())
    }

    /// Starts merges as long as one is worthwhile.
    fn begin_merges(&mut self) -> Result<()> {
        while std::mem::take(&mut self.jobs.due) && self.jobs.merges.len() < MERGES_MAX && self.jobs.failed.is_none() {
            let busy = |run: &Run| {
                self.jobs.merges.iter().any(|job| matches!(&job.task, Task::Merge(plan) if plan.names(run)))
            };
            let Some(found) = self.next_merge(&busy) else { return Ok(()) };
            let plan = CompactionPlan::of(&self.snapshot.runs[found.clone()]);
            if let Err(error) = self.begin_merge(plan, self.snapshot.runs[found].to_vec()) {
                self.jobs.failed = Some(error);
                return Ok(());
            }
            self.jobs.due = true;
        }
        Ok(())
    }

    fn begin_merge(&mut self, plan: CompactionPlan, runs: Vec<Arc<Run>>) -> Result<()> {
        let documents: u64 = runs.iter().map(|run| run.entry.documents).sum();
        let scheme = self.scheme_for(documents)?;
        let (threads, memory_limit) = ((self.threads / 2).max(1), self.memory_limit / 2);
        let (dir, deleted) = (self.dir.clone(), self.snapshot.deleted.clone());
        let size = Merge {
            dir: &dir,
            runs: &runs,
            deleted: &deleted,
            scheme: scheme.clone(),
            threads,
            memory_limit,
            rewrites: 0,
        }
        .size();
        dir.need_space(size)?;
        let files = (self.take_files(files_of(&scheme)), files_of(&scheme));
        let rewrites = rewrites_of(&runs, self.thresholds.tier);
        let job = Job::start(Task::Merge(plan), files, move |watch| {
            let merge = Merge { dir: &dir, runs: &runs, deleted: &deleted, scheme, threads, memory_limit, rewrites };
            let dropped = survey(&dir, &runs, &deleted)?;
            if merge.changes_nothing(&dropped) {
                return Ok(Built { run: None, unchanged: true, deleted });
            }
            let entry = merge.run(files.0, &dropped, watch)?;
            let run = entry.map(|entry| Run::open(&dir, &entry, Verify::FirstTouch).map(Arc::new)).transpose()?;
            Ok(Built { run, unchanged: false, deleted })
        })?;
        self.jobs.merges.push(job);
        Ok(())
    }
}
