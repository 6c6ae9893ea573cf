//! Jobs: flushes and merges on threads beside the writer. A job only writes files, under reserved numbers, and syncs
//! them; the writer publishes them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use roaring::RoaringTreemap;

use super::plan::CompactionPlan;
use crate::process::OfProcess;
use crate::runs::run::Run;
use crate::spill::progress::Watch;
use crate::{Error, Result};

/// The task of a job.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    /// A run of the documents `low..high` of a memtable.
    Flush(u64, u64),
    /// One run made from several.
    Merge(CompactionPlan),
}

/// The output of a job; no manifest names it yet.
pub(crate) struct Built {
    /// The run, unless it would be empty.
    pub(crate) run: Option<Arc<Run>>,
    /// The run to be merged is already as the merge would make it.
    pub(crate) unchanged: bool,
    /// The deleted documents that it left out.
    pub(crate) deleted: RoaringTreemap,
}

/// The progress of a job, and the request to stop.
#[derive(Default)]
struct Signals {
    done: AtomicU64,
    total: AtomicU64,
    stop: AtomicBool,
}

/// A running job. Dropping it stops it and waits.
pub(crate) struct Job {
    pub(crate) task: Task,
    /// The first of the file numbers reserved for it, and their number.
    pub(crate) files: (u64, u64),
    signals: Arc<Signals>,
    outcome: Receiver<Result<Built>>,
    thread: OfProcess<Option<JoinHandle<()>>>,
}

impl Job {
    /// Starts a job.
    ///
    /// # Errors
    /// [`Error::Io`] if no thread can be started.
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
            // If this fails, nobody is waiting for the job any more.
            let _ = sender.send(work(&mut watch));
        });
        let thread = thread.map_err(Error::io("begin a thread for", std::path::Path::new("runs")))?;
        Ok(Self { task, files, signals, outcome, thread: OfProcess::new(Some(thread)) })
    }

    /// Returns the outcome of the job, if it ends within this time.
    pub(crate) fn outcome(&mut self, within: Duration) -> Option<Result<Built>> {
        match self.outcome.recv_timeout(within) {
            Ok(outcome) => Some(outcome),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                let what = "a thread that was building a run ended early".into();
                Some(Err(Error::Inconsistent { path: "runs".into(), what }))
            }
        }
    }

    /// Returns the work done, and the total.
    pub(crate) fn progress(&self) -> (u64, u64) {
        (self.signals.done.load(Ordering::Relaxed), self.signals.total.load(Ordering::Relaxed))
    }

    /// Asks the job to stop at the next safe point.
    pub(crate) fn stop(&self) {
        self.signals.stop.store(true, Ordering::Relaxed);
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.stop();
        // The thread must end before the lock of the database is released, so that it writes no file later.
        if self.thread.is_ours() {
            let _ = self.thread.take().map(JoinHandle::join);
        }
    }
}

/// The jobs of a writer.
#[derive(Default)]
pub(crate) struct Jobs {
    /// Whether jobs do flushes and merges.
    pub(crate) on: bool,
    pub(crate) flush: Option<Job>,
    pub(crate) merges: Vec<Job>,
    /// The runs have changed since the last search for a merge.
    pub(crate) due: bool,
    /// The error of a job; no other is started until it has been reported.
    pub(crate) failed: Option<Error>,
}
