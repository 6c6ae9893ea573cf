//! The command as its users run it: what it prints, where, and how it ends.
#![allow(clippy::disallowed_methods, reason = "tests make files")]

mod add;
mod against;
mod audit;
mod bad_input;
mod batches;
mod cluster;
#[cfg(feature = "parquet")]
mod cuts;
mod dedup;
mod eval;
mod examples;
mod files;
mod filter;
#[cfg(feature = "parquet")]
mod filtered_tables;
mod guides;
mod helper;
mod hints;
mod hostile;
mod ids;
mod judged;
mod kept_apart;
mod kinds_of_ids;
mod layouts;
mod limits;
mod lists;
mod load;
mod maintain;
mod outputs;
mod pages;
mod pairs;
mod papers;
mod parts;
mod plan;
mod query;
mod read;
#[cfg(feature = "parquet")]
mod reference;
mod remote;
mod report;
mod revisits;
#[cfg(feature = "parquet")]
mod selected;
mod set;
#[cfg(feature = "parquet")]
mod shards;
mod show;
mod signals;
mod sources;
#[cfg(feature = "parquet")]
mod tables;
mod texts;
mod threads;
mod wacz;
