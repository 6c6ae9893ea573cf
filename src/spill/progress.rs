//! Progress of long work, and the caller's say in it.

/// How far a long piece of work has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub phase: &'static str,
    /// How much of it is done.
    pub done: u64,
    /// How much there is, where that is known.
    pub total: Option<u64>,
    /// What is counted.
    pub unit: &'static str,
}

/// Called now and then during long work; `false` asks it to stop at the next safe point.
pub type Watch = Box<dyn FnMut(&Progress) -> bool + Send>;
