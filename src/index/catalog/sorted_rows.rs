//! Sorted rows that bypass the write-ahead log: files written in key order and ingested as a whole.

use std::path::{Path, PathBuf};

use rocksdb::{IngestExternalFileOptions, Options, SstFileWriter};

use super::families::{CACHE_SIZE, Family, family_options};
use super::open::{Catalog, failed};
use crate::disk::steps::step;
use crate::{Error, Result};

/// Options for writing files of rows of a family.
pub(crate) struct RowOptions(Family, Options);

impl RowOptions {
    /// The options that the catalog itself uses.
    pub(crate) fn new(family: Family) -> Self {
        Self(family, family_options(family, &rocksdb::Cache::new_lru_cache(CACHE_SIZE / 32)))
    }
}

/// A file of rows of one family in ascending key order.
pub(crate) struct SortedRows<'a> {
    writer: SstFileWriter<'a>,
    path: PathBuf,
    family: Family,
    rows: u64,
}

impl<'a> SortedRows<'a> {
    /// Returns a writer for a file in `folder`, on the file system of the catalog; the file is created with its
    /// first row.
    pub(crate) fn create(folder: &Path, options: &'a RowOptions, name: u64) -> Self {
        let RowOptions(family, options) = options;
        let path = folder.join(format!("{}-{name}.sst", family.name()));
        Self { writer: SstFileWriter::create(options), path, family: *family, rows: 0 }
    }

    /// Appends a row; keys ascend.
    pub(crate) fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        if self.rows == 0 {
            self.writer.open(&self.path).map_err(failed("begin a sorted file", &self.path))?;
        }
        self.rows += 1;
        self.writer.put(key, value).map_err(failed("write a sorted file", &self.path))
    }

    /// Ends the file; `None` if it has no row.
    pub(crate) fn finish(mut self) -> Result<Option<SortedFile>> {
        if self.rows == 0 {
            return Ok(None);
        }
        self.writer.finish().map_err(failed("end a sorted file", &self.path))?;
        Ok(Some(SortedFile { path: self.path, family: self.family }))
    }
}

/// A complete file of sorted rows, ready for ingestion.
pub(crate) struct SortedFile {
    path: PathBuf,
    family: Family,
}

impl SortedFile {
    /// Ingests the file into the catalog: its rows are durable and visible at once.
    ///
    /// RocksDB gives the file another name, records it in its list, and removes our name when the list is durable. If
    /// it cannot make the list durable, it removes its own name, although the list on disk may have it. In that case
    /// the next opening for writing restores the file, and no other file may be ingested before that.
    pub(crate) fn ingest(self, catalog: &Catalog) -> Result<()> {
        let path = catalog.dir.keep(&self.path)?;
        let mut options = IngestExternalFileOptions::default();
        options.set_move_files(true);
        let family = catalog.family(self.family);
        step("take in a sorted file", &catalog.path).map_err(Error::io("take in a sorted file", &catalog.path))?;
        let outcome = catalog.db.ingest_external_file_cf_opts(family, &options, vec![&path]);
        outcome.map_err(catalog.failed("take in a sorted file"))
    }
}
