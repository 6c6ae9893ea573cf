//! Runs: reading, building and merging them, and choosing their tables; and the memtable, for documents in no run
//! yet.

pub(crate) mod build;
pub(crate) mod contents;
pub(crate) mod memtable;
pub(crate) mod merge;
pub(crate) mod plan;
pub mod planner;
#[cfg(feature = "catalog")]
pub(crate) mod records;
pub(crate) mod run;
mod seen;
pub(crate) mod summaries;
