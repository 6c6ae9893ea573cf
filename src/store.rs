//! The engine: documents and fingerprints on disk.
//!
//! Owns: the database folder ([`dir`](self)), the catalog, the memtable, runs and their making, merging
//! and checking, the probe, the one writer and the many readers. Within it, `dir` is the only user of
//! `std::fs`, memory maps and `unsafe`, and `catalog` the only user of RocksDB.
//!
//! It must never import `detect`, print, or read the environment.
//!
//! The way of a document: [`Document`] -> [`Writer::insert`] stages it -> [`Writer::commit`] makes it
//! durable in the catalog and visible in the memtable -> a flush moves the memtable into a run -> merges
//! join neighbouring runs. The way of a query: [`View::find`] -> `probe` over all runs and the memtable
//! -> document numbers -> records of the catalog.

mod batch;
mod build;
mod catalog;
mod check;
mod compaction;
mod dir;
mod document;
mod load;
mod memtable;
mod merge;
mod pairs;
pub mod planner;
mod probe;
mod progress;
mod reader;
mod rebuild;
mod rows;
mod run;
mod scope;
mod snapshot;
mod sort;
mod stats;
mod sweep;
pub mod testing;
mod unite;
mod view;
mod words;
mod writer;

pub use batch::{BatchMatch, BatchSummary, scan_blocks, scan_segment};
pub(crate) use check::Ticker;
pub use check::{CheckOptions, CheckReport, Fault, check};
pub use compaction::{Compacted, CompactionPlan};
pub(crate) use dir::{TempFile, TempMap};
pub use document::{Document, Outcome, Verdict};
pub use load::{BulkLoad, Loaded};
pub use probe::{Match, Matches, Work};
pub use progress::{Progress, Watch};
pub use reader::Reader;
pub use rebuild::{RebuildOptions, RebuildWhat, Rebuilt, rebuild};
pub use run::Verify;
pub(crate) use scope::{Key, Near, Scope, Sharing};
pub(crate) use sort::{Sorted, Sorter};
pub use stats::{BytesByKind, FileStats, RunStats, SchemeStats, Stats};
pub use view::{Answer, Found, Stored, View, Within};
pub(crate) use words::{Words, WordsWriter};
pub use writer::Writer;
