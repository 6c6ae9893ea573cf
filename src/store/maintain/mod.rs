//! Maintenance: checking, rebuilding, and statistics.

pub(crate) mod check;
pub(crate) mod rebuild;
pub(crate) mod stats;
