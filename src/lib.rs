//! A persistent on-disk index of document fingerprints, for finding near-duplicates in continuously growing crawls.
//!
//! It answers "which stored fingerprints are within k bits of this one?" with full recall, in microseconds, from
//! any number of processes, while one of them writes.
//!
//! ```
//! use nddb::sketch::Recipe;
//! use nddb::text::Page;
//! use nddb::{Config, Document, Outcome, Reader, Within, Writer};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("crawl.nddb");
//! let recipe = Recipe::default();
//! let mut writer = Writer::create(&path, &Config::within(3)?)?;
//! let page = Page::html("<p>The quick brown fox jumps over the lazy dog</p>");
//! let first = Document::from_page("first", &page, &recipe)?;
//! let fingerprint = first.fingerprint();
//! assert_eq!(writer.insert(first)?, Outcome::New);
//! writer.commit()?; // durable, and visible to every reader that refreshes
//!
//! let reader = Reader::open(&path)?; // any process, beside the writer
//! for found in reader.probe(fingerprint, Within(3))? {
//!     println!("{} at {} bits", found.id, found.distance);
//! }
//! # assert_eq!(reader.probe(fingerprint, Within(3))?.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod archive;
pub mod compare;
mod config;
pub mod detect;
mod error;
pub mod ingest;
#[doc(hidden)]
pub mod internals;
mod parallel;
mod prefetch;
pub mod sketch;
mod spill;
mod store;
pub mod text;

pub use config::Config;
pub use error::{Error, Result};
pub use nddb_format::Fingerprint;
pub use spill::progress::{Progress, Watch};
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub use store::testing;
pub use store::{
    Answer, BackupReport, BackupSummary, BatchMatch, BatchSummary, BulkLoad, BytesByKind, CheckOptions, CheckReport,
    Compacted, CompactionPlan, Document, Fault, Federation, FileStats, Loaded, Match, Matches, Neighbor, Outcome, Part,
    PartedAnswer, Reader, RebuildOptions, RebuildWhat, Rebuilt, Repeat, Resolving, RunStats, ScanRange, SchemeStats,
    SharedReader, Stats, Stored, Verify, View, Within, Work, Writer, backup, check, planner, raise_open_files, rebuild,
    restore, scan_blocks, scan_segment, verify_backup,
};

/// What the interface shows of the file format: the records of the catalog, schemes, and why bytes are refused.
pub mod format {
    pub use nddb_format::FormatError;
    pub use nddb_format::record::{Archive, Batch, BatchState, Head, Reading, Record, Settings, SourcePosition};
    pub use nddb_format::scheme::Scheme;
}

/// The examples of README.md are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
