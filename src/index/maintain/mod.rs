//! Maintenance: checking, rebuilding, backups, and statistics.

pub(crate) mod backup;
pub(crate) mod check;
pub(crate) mod rebuild;
pub(crate) mod stats;
