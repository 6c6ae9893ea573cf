//! Writing: the writer and its commits, bulk loads, compaction, merging of databases.

pub(crate) mod compaction;
pub(crate) mod jobs;
pub(crate) mod load;
mod merge_database;
pub(crate) mod plan;
pub(crate) mod writer;
