//! Work beside the writer: a flush or a merge on a thread of its own (SPEC 10.13).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use roaring::RoaringTreemap;

use super::plan::CompactionPlan;
use crate::spill::progress::Watch;
use crate::store::runs::run::Run;
use crate::{Error, Result};

/// What a job makes.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    /// A run of the documents `low..high`, which a memtable holds.
    Flush(u64, u64),
    /// One run of several.
    Merge(CompactionPlan),
}

/// What a job has made; no manifest names it yet.
pub(crate) struct Built {
    /// The run, if anything is left for one.
    pub(crate) run: Option<Arc<Run>>,
    /// The runs that were to be merged are as they would become.
    pub(crate) unchanged: bool,
    /// The deleted documents that it left out.
    pub(crate) deleted: RoaringTreemap,
}

/// How far a job has come, and whether it is to stop.
#[derive(Default)]
struct Signals {
    done: AtomicU64,
    total: AtomicU64,
    stop: AtomicBool,
}

/// A job under way. When it is dropped it is stopped, and waited for.
pub(crate) struct Job {
    pub(crate) task: Task,
    /// The first of the file numbers that were taken for it, and how many.
    pub(crate) files: (u64, u64),
    signals: Arc<Signals>,
    outcome: Receiver<Result<Built>>,
    thread: Option<JoinHandle<()>>,
}

impl Job {
    /// Begins a job.
    ///
    /// # Errors
    /// [`Error::Io`] if there can be no thread.
    pub(crate) fn start(
        task: Task,
        files: (u64, u64),
        work: impl FnOnce(&mut Watch) -> Result<Built> + Send + 'static,
    ) -> Result<Self> {
        let signals = Arc::new(Signals::default());
        let of_job = signals.clone();
        let (sender, outcome) = channel();
        let thread = std::thread::Builder::new().name("nddb-runs".into()).spawn(move || {
            let mut watch: Watch = Box::new(move |progress| {
                of_job.done.store(progress.done, Ordering::Relaxed);
                of_job.total.store(progress.total.unwrap_or(0), Ordering::Relaxed);
                !of_job.stop.load(Ordering::Relaxed)
            });
            // Nobody waits for it any more if this fails.
            let _ = sender.send(work(&mut watch));
        });
        let thread = thread.map_err(Error::io("begin a thread for", std::path::Path::new("runs")))?;
        Ok(Self { task, files, signals, outcome, thread: Some(thread) })
    }

    /// What became of it, if it ends within this time.
    pub(crate) fn outcome(&mut self, within: Duration) -> Option<Result<Built>> {
        match self.outcome.recv_timeout(within) {
            Ok(outcome) => Some(outcome),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                let what = "a thread that made a run ended before it was done".into();
                Some(Err(Error::Inconsistent { path: "runs".into(), what }))
            }
        }
    }

    /// How much of it is done, and how much there is.
    pub(crate) fn progress(&self) -> (u64, u64) {
        (self.signals.done.load(Ordering::Relaxed), self.signals.total.load(Ordering::Relaxed))
    }

    /// Asks it to stop at the next safe point.
    pub(crate) fn stop(&self) {
        self.signals.stop.store(true, Ordering::Relaxed);
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.stop();
        // Its files are no longer written when the lock of the database is released.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// The jobs of a writer.
#[derive(Default)]
pub(crate) struct Jobs {
    /// Flushes and merges are made by jobs.
    pub(crate) on: bool,
    pub(crate) flush: Option<Job>,
    pub(crate) merges: Vec<Job>,
    /// The runs have changed since it was last looked what to merge.
    pub(crate) due: bool,
    /// Why a job failed; no other is begun until somebody was told.
    pub(crate) failed: Option<Error>,
}
