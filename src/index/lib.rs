//! The storage engine: fingerprints, keys and records of documents on disk.
//!
//! This crate has the database folder, the catalog, the memtable, runs (building, merging and checking them), the
//! probe, the one writer and the many readers. Within the crate, `disk` is the only user of `std::fs`, memory maps and
//! `unsafe`, and `catalog` the only user of RocksDB. The crate does not depend on pages or verdicts, prints nothing,
//! and does not read the environment.
//!
//! The path of a document: [`Document`] -> [`Writer::insert`] stages it -> [`Writer::commit`] makes it durable in
//! the catalog and visible in the memtable -> a flush moves the memtable into a run -> merges join neighbouring
//! runs. The path of a query: [`View::find`] -> `probe` over all runs and the memtable -> document numbers ->
//! records of the catalog.
#![deny(unsafe_code)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files"))]

mod catalog;
mod config;
mod disk;
mod document;
mod error;
mod keys;
mod maintain;
pub mod prefetch;
mod process;
mod ranges;
mod read;
mod runs;
pub mod spill;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod thresholds;
mod within;
mod write;

pub use catalog::{Kept, Key};
pub use config::Config;
pub use disk::checked::LastCheck;
pub use disk::map::raise_open_files;
pub use disk::staging::WorkFolder;
pub use document::{Document, Outcome, fitting};
pub use error::{Error, Result};
pub use keys::bands_of;
pub use maintain::backup::{
    BackupReport, BackupSummary, Retention, backup, backup_and_keep, restore, restored_from, verify_backup,
};
pub use maintain::check::{CheckOptions, CheckReport, Fault, check};
pub use maintain::rebuild::{RebuildOptions, RebuildWhat, Rebuilt, rebuild};
pub use maintain::stats::{BytesByKind, FileStats, RunStats, SchemeStats, Stats};
pub use nddb_format::Fingerprint;
pub use prefetch::prefetch;
pub use read::batch::{BatchMatch, BatchSummary};
pub use read::federation::{Federation, Part, PartedAnswer};
pub use read::probe::{Match, Matches, Work};
pub use read::reader::Reader;
pub use read::resolve::{Resolving, ScanRange};
pub use read::scan::{scan_blocks, scan_segment, scan_segments};
pub use read::scope::{Candidate, Found, Near, Scope, Sharing};
pub use read::shared::SharedReader;
pub use read::view::{Answer, Neighbor, Stored, View};
pub use runs::planner;
pub use runs::run::Verify;
pub use spill::progress::{Progress, Watch};
pub use within::Within;
pub use write::compaction::Compacted;
pub use write::load::{BulkLoad, Loaded, Repeat};
pub use write::plan::CompactionPlan;
pub use write::writer::Writer;
