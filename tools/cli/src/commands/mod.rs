//! The subcommands, one file each.

pub(crate) mod add;
pub(crate) mod against;
pub(crate) mod audit;
#[allow(clippy::disallowed_methods, reason = "it copies the files of a backup from and to a store")]
pub(crate) mod backup;
pub(crate) mod batch;
pub(crate) mod check;
pub(crate) mod cluster;
pub(crate) mod compact;
pub(crate) mod create;
pub(crate) mod dedup;
pub(crate) mod eval;
pub(crate) mod export;
pub(crate) mod filter;
pub(crate) mod fp;
pub(crate) mod generate;
pub(crate) mod get;
pub(crate) mod load;
pub(crate) mod merge;
pub(crate) mod pairs;
pub(crate) mod plan;
pub(crate) mod query;
pub(crate) mod rebuild;
pub(crate) mod report;
pub(crate) mod revisits;
pub(crate) mod rm;
pub(crate) mod set;
pub(crate) mod show;
pub(crate) mod sources;
pub(crate) mod stats;
pub(crate) mod text;
