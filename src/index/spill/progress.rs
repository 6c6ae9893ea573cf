//! Progress of long work on one or several threads, and cancellation by the caller.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Error, Result};

/// The progress of long work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The current phase.
    pub phase: &'static str,
    /// The number of units done.
    pub done: u64,
    /// The number of units in all, if known.
    pub total: Option<u64>,
    /// The unit that is counted.
    pub unit: &'static str,
}

/// Called from time to time during long work; returning `false` stops the work at the next safe point.
pub type Watch = Box<dyn FnMut(&Progress) -> bool + Send>;

/// Returns the watcher, or one that lets the work go on.
pub(crate) fn or_unwatched(
    watch: Option<&mut (dyn FnMut(&Progress) -> bool + Send)>,
) -> &mut (dyn FnMut(&Progress) -> bool + Send) {
    // A closure without state takes no memory.
    watch.unwrap_or_else(|| Box::leak(Box::new(|_: &Progress| true)))
}

/// Reports progress to a watcher, and forwards the watcher's request to stop.
pub struct Ticker<'a> {
    state: Mutex<TickerState<'a>>,
}

struct TickerState<'a> {
    watch: &'a mut (dyn FnMut(&Progress) -> bool + Send),
    progress: Progress,
}

impl<'a> Ticker<'a> {
    /// Returns a ticker for this watcher.
    pub fn new(watch: &'a mut (dyn FnMut(&Progress) -> bool + Send)) -> Self {
        let progress = Progress { phase: "", done: 0, total: None, unit: "" };
        Self { state: Mutex::new(TickerState { watch, progress }) }
    }

    fn state(&self) -> MutexGuard<'_, TickerState<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a phase.
    pub fn start(&self, phase: &'static str, total: Option<u64>, unit: &'static str) -> Result<()> {
        self.state().progress = Progress { phase, done: 0, total, unit };
        self.add(0)
    }

    /// Reports `done` more units; an error if the caller wants to stop.
    pub fn add(&self, done: u64) -> Result<()> {
        let mut state = self.state();
        state.progress.done += done;
        let progress = state.progress;
        if (state.watch)(&progress) { Ok(()) } else { Err(Error::Cancelled) }
    }

    /// Lends the watcher to work that reports by itself.
    pub fn lend<T>(&self, work: impl FnOnce(&mut (dyn FnMut(&Progress) -> bool + Send)) -> T) -> T {
        work(self.state().watch)
    }
}
