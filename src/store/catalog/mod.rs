//! The catalog: the only user of RocksDB (SPEC 9).
//!
//! Owns: the column families and their options, single rows and scans, commits of one synced write
//! batch, and the ingestion of sorted files. No type of RocksDB leaves this module.
//!
//! In a secondary instance, gets may return stale values (RocksDB 11.8): rows that never change are read by get,
//! all others by iterator.

mod commit;
mod ingest;
mod logs;
mod read;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use nddb_format::record::FAMILIES;
use rocksdb::{
    BlockBasedIndexType, BlockBasedOptions, Cache, ColumnFamily, ColumnFamilyDescriptor, DB, DBCompressionType,
    DBRecoveryMode, ErrorKind, LogLevel, Options, SliceTransform,
};

pub(crate) use commit::{Commit, DocumentKeys};
pub(crate) use ingest::{RowOptions, SortedFile, SortedRows};
pub(crate) use read::{IdCursor, KeyCursor};

use crate::{Error, Result};

/// Memory for cached blocks of the catalog, including filters and indexes, in bytes. It does not grow with the
/// catalog: other blocks are read again, as a rule from the page cache.
const CACHE_SIZE: usize = 96 << 20;
/// About the size of a block of RocksDB, by default.
const BLOCK_SIZE: usize = 4 << 10;
/// Memory for rows not yet in a sorted file, in bytes. A reader replays up to this amount when it opens.
const BUFFER_SIZE: usize = 32 << 20;
/// Target size of a sorted file in bytes: each file is opened with the catalog.
const FILE_SIZE: u64 = 512 << 20;

/// Number of files from which on several threads open them.
const MANY_FILES: usize = 100;
/// Attempts to catch up with a writer that moves its files.
const ATTEMPTS: usize = 64;

/// The column families, by their contents (SPEC 9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Family {
    /// number -> fingerprint and flags
    Prints,
    /// number -> record
    Documents,
    /// id, 0, number
    Ids,
    /// hash, number
    Megashingles,
    /// index, 4 bytes, number
    Pieces,
    /// content digest, number
    Digests,
    /// archive -> progress
    Sources,
    /// batches, number ranges, replaced documents
    Batches,
    /// generation, number
    Deleted,
    /// settings, counters
    Meta,
}

impl Family {
    fn name(self) -> &'static str {
        FAMILIES[self as usize]
    }
}

/// An open catalog.
pub(crate) struct Catalog {
    db: DB,
    path: PathBuf,
    cache: Cache,
    /// Number of the newest log when a secondary instance last caught up; the greatest number if there was none.
    followed: u64,
}

impl std::fmt::Debug for Catalog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Catalog").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Catalog {
    /// Creates the catalog of a new database, with all its column families.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let mut options = database_options();
        options.create_if_missing(true);
        options.create_missing_column_families(true);
        options.set_error_if_exists(true);
        Self::open_primary(path, &options, "be created")
    }

    /// Opens the catalog for writing.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        logs::check(path, &super::disk::dir::names(path)?)?;
        Self::open_primary(path, &database_options(), "be opened")
    }

    fn open_primary(path: &Path, options: &Options, action: &'static str) -> Result<Self> {
        let cache = new_cache();
        let db = DB::open_cf_descriptors(options, path, families(&cache)).map_err(failed(action, path))?;
        Ok(Self { db, path: path.into(), cache, followed: u64::MAX })
    }

    /// Opens the catalog for reading, beside a writer or without one; writes nothing in its folder.
    pub(crate) fn open_secondary(path: &Path) -> Result<Self> {
        Self::open_secondary_with(path, new_cache())
    }

    /// Opens the catalog for reading once more, sharing the block cache.
    pub(crate) fn open_again(&self) -> Result<Self> {
        Self::open_secondary_with(&self.path, self.cache.clone())
    }

    fn open_secondary_with(path: &Path, cache: Cache) -> Result<Self> {
        let names = super::disk::dir::names(path)?;
        logs::check(path, &names)?;
        let scratch = tempfile::Builder::new().prefix("nddb-reader-").tempdir();
        let scratch = scratch.map_err(Error::io("create a temporary folder in", &tempfile::env::temp_dir()))?;
        // Otherwise RocksDB logs a thousand lines of options, and starts 300 threads to open a few files.
        let mut options = database_options();
        options.set_log_level(LogLevel::Warn);
        if names.len() < MANY_FILES {
            options.set_max_file_opening_threads(1);
        }
        let db = DB::open_cf_descriptors_as_secondary(&options, path, scratch.path(), families(&cache))
            .map_err(failed("be opened for reading", path))?;
        // A secondary instance needs a folder for its log. The log is open now: without a name it vanishes with the
        // process, however that ends.
        drop(scratch);
        let mut catalog = Self { db, path: path.into(), cache, followed: u64::MAX };
        catalog.catch_up()?;
        Ok(catalog)
    }

    /// Catches up with the writer's present state. Returns whether every log since the last time has been read.
    ///
    /// RocksDB reads the list of sorted files first and the logs then. A log that the writer archives in between is
    /// in neither, and a missing sorted file leaves its family as it was: families would be of different states,
    /// without an error. So the read is repeated until no file was added or removed meanwhile.
    ///
    /// Logs are removed in their order. If the newest log of the last time still exists, no unread log was removed.
    /// Otherwise rows that such a log removed may show again, since a compaction drops the record of the removal while
    /// this instance still has the row in memory: only a catalog that is opened anew is right.
    pub(crate) fn catch_up(&mut self) -> Result<bool> {
        let mut before = self.files()?;
        for _ in 0..ATTEMPTS {
            self.db.try_catch_up_with_primary().map_err(failed("follow the writer", &self.path))?;
            let after = self.files()?;
            if after == before {
                let logs = || after.iter().filter_map(|name| log_number(name));
                let whole = logs().any(|number| number == self.followed);
                self.followed = logs().max().unwrap_or(u64::MAX);
                return Ok(whole);
            }
            before = after;
        }
        Err(Error::Busy { path: self.path.clone() })
    }

    /// Returns the names of the current logs, sorted files and lists of sorted files.
    fn files(&self) -> Result<Vec<OsString>> {
        let mut names = super::disk::dir::names(&self.path)?;
        names.retain(|name| is_log(name) || name.to_str().is_some_and(|name| name.ends_with(".sst")));
        Ok(names)
    }

    fn family(&self, family: Family) -> &ColumnFamily {
        self.db.cf_handle(family.name()).expect("all families are opened together")
    }

    fn failed(&self, action: &'static str) -> impl FnOnce(rocksdb::Error) -> Error {
        failed(action, &self.path)
    }

    fn corrupt(&self) -> impl FnOnce(nddb_format::FormatError) -> Error {
        Error::format(&self.path)
    }
}

/// Returns whether a file of a catalog is a log, or a list of sorted files, which RocksDB keeps as a log.
fn is_log(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.ends_with(".log") || name.starts_with("MANIFEST"))
}

/// Returns the number of a log of rows; numbers ascend from log to log.
fn log_number(name: &OsStr) -> Option<u64> {
    name.to_str()?.strip_suffix(".log")?.parse().ok()
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(rocksdb::Error) -> Error {
    let path = path.to_owned();
    move |source| {
        let damaged = source.kind() == ErrorKind::Corruption;
        Error::Catalog { action, path, damaged, source: Box::new(source) }
    }
}

fn database_options() -> Options {
    let mut options = Options::default();
    // For readers: files deleted meanwhile must stay open.
    options.set_max_open_files(-1);
    // The default mode opens with half of the synced rows after a flipped bit in the log.
    options.set_wal_recovery_mode(DBRecoveryMode::TolerateCorruptedTailRecords);
    options.set_db_write_buffer_size(BUFFER_SIZE);
    options.set_max_total_wal_size(2 * BUFFER_SIZE as u64);
    options.set_keep_log_file_num(2);
    options.set_stats_dump_period_sec(0);
    options.set_skip_stats_update_on_db_open(true);
    options
}

/// Returns all families with their options, which must be the same at every opening, or lookups lose their filters.
fn families(cache: &Cache) -> Vec<ColumnFamilyDescriptor> {
    let all = [
        Family::Prints,
        Family::Documents,
        Family::Ids,
        Family::Megashingles,
        Family::Pieces,
        Family::Digests,
        Family::Sources,
        Family::Batches,
        Family::Deleted,
        Family::Meta,
    ];
    all.into_iter().map(|family| ColumnFamilyDescriptor::new(family.name(), family_options(family, cache))).collect()
}

fn new_cache() -> Cache {
    Cache::new_hyper_clock_cache(CACHE_SIZE, BLOCK_SIZE)
}

fn family_options(family: Family, cache: &Cache) -> Options {
    let mut options = Options::default();
    let mut table = BlockBasedOptions::default();
    table.set_block_cache(cache);
    table.set_format_version(5);
    // Indexes and filters are partitioned into blocks that are read on demand and share the cache with all others:
    // opening a large file reads no more than opening a small one.
    table.set_cache_index_and_filter_blocks(true);
    table.set_index_type(BlockBasedIndexType::TwoLevelIndexSearch);
    table.set_partition_filters(true);
    table.set_metadata_block_size(BLOCK_SIZE);
    table.set_pin_top_level_index_and_filter(false);
    options.set_target_file_size_base(FILE_SIZE);
    options.set_max_bytes_for_level_base(2 * FILE_SIZE);
    // Sketches do not compress; ids and keys share prefixes, which the blocks omit already.
    options.set_compression_type(DBCompressionType::None);
    // All keys of an id or a hash share a prefix: one filter lookup tells whether it is new.
    let prefix = match family {
        Family::Ids => Some(SliceTransform::create("nddb.id", id_prefix, Some(has_id_prefix))),
        Family::Megashingles => Some(SliceTransform::create_fixed_prefix(8)),
        Family::Pieces => Some(SliceTransform::create_fixed_prefix(5)),
        Family::Digests => Some(SliceTransform::create_fixed_prefix(16)),
        _ => None,
    };
    if let Some(prefix) = prefix {
        table.set_bloom_filter(10.0, false);
        table.set_whole_key_filtering(false);
        options.set_prefix_extractor(prefix);
        options.set_memtable_prefix_bloom_ratio(0.05);
    }
    options.set_block_based_table_factory(&table);
    options
}

/// Returns the id and its NUL: the key without the number at its end.
fn id_prefix(key: &[u8]) -> &[u8] {
    match key.iter().position(|&byte| byte == 0) {
        Some(end) => &key[..=end],
        None => key,
    }
}

fn has_id_prefix(key: &[u8]) -> bool {
    key.contains(&0)
}
