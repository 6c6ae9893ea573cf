//! The subcommands, one file each.

pub(crate) mod add;
pub(crate) mod audit;
pub(crate) mod batch;
pub(crate) mod batch_query;
pub(crate) mod check;
pub(crate) mod cluster;
pub(crate) mod compact;
pub(crate) mod completions;
pub(crate) mod create;
pub(crate) mod eval;
pub(crate) mod fp;
pub(crate) mod get;
pub(crate) mod lab;
pub(crate) mod load;
pub(crate) mod merge;
pub(crate) mod pairs;
pub(crate) mod plan;
pub(crate) mod query;
pub(crate) mod rebuild;
pub(crate) mod report;
pub(crate) mod reshape;
pub(crate) mod rm;
pub(crate) mod scan;
pub(crate) mod segment;
pub(crate) mod stats;
pub(crate) mod tune;
