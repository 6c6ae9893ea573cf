//! Progress of long work, and cancellation by the caller.

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
