//! The column families, and the options of RocksDB for them.

use nddb_format::record::FAMILIES;
use rocksdb::{
    BlockBasedIndexType, BlockBasedOptions, Cache, ColumnFamilyDescriptor, DBCompressionType, DBRecoveryMode,
    DEFAULT_COLUMN_FAMILY_NAME, Options, SliceTransform,
};

/// Memory for cached blocks of the catalog, including filters and indexes, in bytes. It does not grow with the catalog:
/// blocks that are not cached are read again, usually from the page cache.
pub(super) const CACHE_SIZE: usize = 96 << 20;
/// Size of a block of an index or filter, in bytes.
const METADATA_BLOCK_SIZE: usize = 4 << 10;
/// Size in bytes of a block of the families that have a row for each document. Opening reads ahead the index, which has
/// an entry for each block, so larger blocks make opening faster.
const LARGE_BLOCK_SIZE: usize = 16 << 10;
/// Size in bytes of a block of `documents`, the family with the most bytes. Its blocks are compressed, and usually read
/// in order, because comparisons and answers use summaries instead.
const DOCUMENTS_BLOCK_SIZE: usize = 128 << 10;
/// Level of zstd: higher levels save only another hundredth.
const ZSTD_LEVEL: i32 = 1;
/// The window bits given to zstd: this value means the default of the level.
const WINDOW_BITS: i32 = -14;
/// Number of entries of an index from one whole key to the next.
const INDEX_RESTART: i32 = 16;
/// Memory for rows not yet in a sorted file, in bytes. A reader replays up to this amount when it opens.
const BUFFER_SIZE: usize = 32 << 20;
/// Size of the first level of sorted files, in bytes.
const LEVEL_SIZE: u64 = 1 << 30;
/// Maximum size of a sorted file made by merging, in bytes. Opening the catalog opens every file.
pub(crate) const MERGED_SIZE: u64 = 4 << 30;

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
    /// All families.
    pub(super) const ALL: [Self; 10] = [
        Self::Prints,
        Self::Documents,
        Self::Ids,
        Self::Megashingles,
        Self::Pieces,
        Self::Digests,
        Self::Sources,
        Self::Batches,
        Self::Deleted,
        Self::Meta,
    ];

    pub(super) fn name(self) -> &'static str {
        FAMILIES[self as usize]
    }
}

pub(super) fn database_options() -> Options {
    let mut options = Options::default();
    // For readers: files deleted meanwhile must stay open.
    options.set_max_open_files(-1);
    // After a flipped bit in the log, the default mode would open the catalog with only half of the synced rows.
    options.set_wal_recovery_mode(DBRecoveryMode::TolerateCorruptedTailRecords);
    options.set_db_write_buffer_size(BUFFER_SIZE);
    options.set_max_total_wal_size(2 * BUFFER_SIZE as u64);
    options.set_keep_log_file_num(2);
    options.set_stats_dump_period_sec(0);
    options.set_skip_stats_update_on_db_open(true);
    options
}

/// Returns all families with their options. Options of sorted files must be the same at every opening, or lookups lose
/// their filters.
pub(super) fn families(cache: &Cache) -> Vec<ColumnFamilyDescriptor> {
    let all = Family::ALL.map(|family| ColumnFamilyDescriptor::new(family.name(), family_options(family, cache)));
    // RocksDB would give its default family a separate cache.
    let mut unused = Options::default();
    unused.set_block_based_table_factory(&table_options(cache));
    all.into_iter().chain([ColumnFamilyDescriptor::new(DEFAULT_COLUMN_FAMILY_NAME, unused)]).collect()
}

/// Returns a cache whose table grows with its contents: a table of the full size would be zeroed at every opening.
pub(super) fn new_cache() -> Cache {
    Cache::new_hyper_clock_cache(CACHE_SIZE, 0)
}

fn table_options(cache: &Cache) -> BlockBasedOptions {
    let mut table = BlockBasedOptions::default();
    table.set_block_cache(cache);
    table.set_format_version(5);
    // Indexes and filters are partitioned into blocks that are read on demand and share the cache with all others:
    // opening a large file reads no more than opening a small one.
    table.set_cache_index_and_filter_blocks(true);
    table.set_index_type(BlockBasedIndexType::TwoLevelIndexSearch);
    table.set_partition_filters(true);
    table.set_metadata_block_size(METADATA_BLOCK_SIZE);
    table.set_pin_top_level_index_and_filter(false);
    // RocksDB reads ahead the whole index of each file that it opens; with delta-encoded keys it is a third as large.
    table.set_index_block_restart_interval(INDEX_RESTART);
    table
}

pub(super) fn family_options(family: Family, cache: &Cache) -> Options {
    let mut options = Options::default();
    let mut table = table_options(cache);
    options.set_target_file_size_base(MERGED_SIZE);
    options.set_max_bytes_for_level_base(LEVEL_SIZE);
    match family {
        // Compression halves prints and ids. Its cost: adding scattered ids to many stored ones takes a third longer,
        // because each reads a block.
        Family::Documents | Family::Ids | Family::Prints => {
            options.set_compression_type(DBCompressionType::Zstd);
            // The level's window and strategy, and no dictionary.
            options.set_compression_options(WINDOW_BITS, ZSTD_LEVEL, 0, 0);
        }
        // Keys are hashes, and blocks already omit their common prefixes.
        _ => options.set_compression_type(DBCompressionType::None),
    }
    // All row keys of a hash share a prefix, so one filter look-up tells whether the hash is new. Ids have no filter,
    // because RocksDB reads all filters ahead whenever a catalog is opened (a gigabyte for a billion ids), and only a
    // writer would use them.
    let prefix = match family {
        Family::Megashingles => Some(SliceTransform::create_fixed_prefix(8)),
        Family::Pieces => Some(SliceTransform::create_fixed_prefix(5)),
        Family::Digests => Some(SliceTransform::create_fixed_prefix(16)),
        _ => None,
    };
    if let Some(prefix) = prefix {
        table.set_bloom_filter(10.0, false);
        table.set_whole_key_filtering(false);
        options.set_prefix_extractor(prefix);
    }
    match family {
        Family::Documents => table.set_block_size(DOCUMENTS_BLOCK_SIZE),
        Family::Ids | Family::Prints => table.set_block_size(LARGE_BLOCK_SIZE),
        _ => {}
    }
    options.set_block_based_table_factory(&table);
    options
}
