//! Maintenance: checking, rebuilding, and what a database takes on disk.

pub(crate) mod check;
pub(crate) mod rebuild;
pub(crate) mod stats;
