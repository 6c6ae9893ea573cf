//! The catalog: the only user of RocksDB (SPEC 9).
//!
//! Owns: the column families and their options, single rows and scans, commits of one synced write
//! batch, and the ingestion of sorted files. No type of RocksDB leaves this module.
//!
//! In a secondary instance, gets may return stale values (RocksDB 11.8): rows that never change are read by get,
//! all others by iterator.

mod cursors;
mod families;
mod intervals;
mod listed;
mod logs;
mod merge_files;
mod open;
mod pin;
mod read;
mod recent;
mod sorted_rows;
mod torn;
mod write_batch;

pub(crate) use cursors::{IdCursor, KeyCursor};
pub(crate) use families::{Family, MERGED_SIZE};
pub(crate) use intervals::Holding;
pub use intervals::Kept;
pub(crate) use open::Catalog;
pub(crate) use pin::Pinned;
pub(crate) use recent::Recent;
pub(crate) use sorted_rows::{RowOptions, SortedFile, SortedRows};
pub use write_batch::Key;
pub(crate) use write_batch::{Commit, DocumentKeys};
