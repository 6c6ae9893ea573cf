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
//!
//! Without the feature `catalog`, which needs RocksDB, there is the [`StaticIndex`] alone: the same runs and probes,
//! and no ids, records or changes.
#![deny(unsafe_code)]
#![cfg_attr(
    not(feature = "catalog"),
    allow(dead_code, unreachable_pub, reason = "parts of runs and folders serve databases alone")
)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files"))]

#[cfg(feature = "catalog")]
mod catalog;
mod config;
mod disk;
#[cfg(feature = "catalog")]
mod document;
mod error;
#[cfg(feature = "catalog")]
mod keys;
#[cfg(feature = "catalog")]
mod maintain;
mod next_step;
pub mod prefetch;
mod process;
mod ranges;
mod read;
mod runs;
#[cfg(feature = "catalog")]
mod set;
pub mod spill;
mod static_index;
#[cfg(all(feature = "catalog", any(test, feature = "testing")))]
pub mod testing;
mod thresholds;
mod within;
#[cfg(feature = "catalog")]
mod write;

pub use config::Config;
pub use disk::map::raise_open_files;
pub use error::{Error, Result};
pub use nddb_format::Fingerprint;
pub use next_step::NextStep;
pub use prefetch::prefetch;
pub use read::probe::{Match, Matches, Work};
pub use read::scan::{scan_blocks, scan_segment, scan_segments};
pub use read::search::Search;
pub use runs::planner;
pub use runs::run::Verify;
pub use spill::progress::{Progress, Watch};
pub use spill::resources::Resources;
pub use static_index::{StaticIndex, StaticIndexBuilder};
pub use within::Within;

#[cfg(feature = "catalog")]
mod of_databases {
    pub use crate::catalog::{Kept, Key};
    pub use crate::disk::checked::LastCheck;
    pub use crate::disk::staging::WorkFolder;
    pub use crate::document::{Document, Outcome, fitting};
    pub use crate::keys::{bands_of, content_of};
    pub use crate::maintain::backup::{
        BackupReport, BackupSummary, Retention, backup, backup_and_keep, restore, restored_from, verify_backup,
    };
    pub use crate::maintain::check::{CheckOptions, CheckReport, Fault, check};
    pub use crate::maintain::rebuild::{RebuildOptions, RebuildWhat, Rebuilt, rebuild};
    pub use crate::maintain::stats::{BytesByKind, FileStats, RunStats, SchemeStats, Stats};
    pub use crate::read::batch_ids::{BatchMatch, BatchMatches};
    pub use crate::read::federation::{Federation, Part, PartedAnswer};
    pub use crate::read::passages::{Passage, PassageLimits, PassageMatch, Passages, evidence};
    pub use crate::read::reader::Reader;
    pub use crate::read::resolve::{Resolving, ScanRange};
    pub use crate::read::rows::Stretch;
    pub use crate::read::scope::{Candidate, Found, Near, Scope, Sharing};
    pub use crate::read::shared::SharedReader;
    pub use crate::read::view::{Answer, Neighbor, Stored, View};
    pub use crate::set::{FingerprintSet, SetWriter};
    pub use crate::write::compaction::Compacted;
    pub use crate::write::load::{BulkLoad, LoadKeys, Loaded, Recall, Repeat};
    pub use crate::write::plan::CompactionPlan;
    pub use crate::write::writer::Writer;
}
#[cfg(feature = "catalog")]
pub use of_databases::*;
