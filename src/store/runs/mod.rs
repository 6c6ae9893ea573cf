//! Runs: how they are read, built and merged, which tables they have; and the memtable, what is not yet in one.

pub(crate) mod build;
pub(crate) mod memtable;
pub(crate) mod merge;
pub mod planner;
pub(crate) mod run;
