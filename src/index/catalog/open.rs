//! The open catalog: for writing, or for reading beside a writer.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use rocksdb::{Cache, ColumnFamily, DB, ErrorKind, InfoLogger, LogLevel, Options};

use super::families::{Family, database_options, families, new_cache};
use super::intervals::Intervals;
use super::listed;
use super::logs::{self, is_log, log_number};
use super::recent::RecentRecords;
use super::torn::torn;
use crate::disk::dir::{self, Dir};
use crate::disk::{copy, map};
use crate::process::OfProcess;
use crate::{Error, Result};

/// From this number of files on, several threads open them.
const MANY_FILES: usize = 100;
/// The file that names the list of all others.
const CURRENT: &str = "CURRENT";
/// Number of bytes at the end of a sorted file that opening it reads.
const END: u64 = 8 << 10;
/// Errors of the system that say nothing about the files of a catalog.
const OF_SYSTEM: [i32; 10] = [
    libc::ENOSPC,
    libc::EDQUOT,
    libc::EFBIG,
    libc::EACCES,
    libc::EPERM,
    libc::EROFS,
    libc::EMFILE,
    libc::ENFILE,
    libc::ENOMEM,
    libc::ESTALE,
];
/// The folder for RocksDB's own log, which it does not write.
const NO_LOG: &str = "/dev/null";
/// RocksDB's message for a missing file.
const MISSING: &str = "No such file or directory";
/// Attempts to catch up with a writer that moves its files.
const ATTEMPTS: usize = 64;
/// How often a state may differ from the list that it has followed.
const DIFFERENCES: usize = 8;

/// An open catalog.
pub(crate) struct Catalog {
    pub(super) db: OfProcess<DB>,
    pub(super) dir: Dir,
    pub(super) path: PathBuf,
    /// The path given to RocksDB, which creates and removes files by this path at any time, on its own threads.
    lasting: PathBuf,
    cache: Cache,
    pub(super) recent_records: RecentRecords,
    intervals: RwLock<Arc<Intervals>>,
    /// Whether a copy of the folder without torn log ends is open instead; such a catalog does not follow a writer.
    is_fixed: bool,
    /// Number of the newest log when a secondary instance last caught up; the greatest number if there was none.
    followed: u64,
    /// The files at the time of the last check that the state consists of the sorted files in the list.
    compared: Vec<OsString>,
    /// Whether opening for writing restored a lost sorted file.
    pub(crate) put_back: bool,
}

nddb_format::debug_fields!(Catalog: path);

impl Catalog {
    /// Creates the catalog of a new database, with all its column families.
    pub(crate) fn create(dir: &Dir) -> Result<Self> {
        let mut options = database_options();
        options.create_if_missing(true);
        options.create_missing_column_families(true);
        options.set_error_if_exists(true);
        Self::open_primary(dir, &options, "be created")
    }

    /// Opens the catalog for writing.
    pub(crate) fn open(dir: &Dir) -> Result<Self> {
        let path = dir.catalog();
        let names = names_in(&path)?;
        let torn = torn(&path, &names)?;
        logs::check(&path, &names, &torn)?;
        for end in torn {
            dir.check_place()?;
            copy::cut(&path.join(end.name), end.length as u64)?;
        }
        listed::check_log(&path)?;
        let put_back = listed::put_back(dir)?;
        let catalog = Self::open_primary(dir, &database_options(), "be opened")?;
        Ok(Self { put_back, ..catalog })
    }

    fn open_primary(dir: &Dir, options: &Options, action: &'static str) -> Result<Self> {
        let (cache, path, lasting) = (new_cache(), dir.catalog(), dir.lasting_catalog());
        let db = DB::open_cf_descriptors(options, &lasting, families(&cache));
        let mut catalog = Self::of(db.map_err(failed_as(action, &path, &lasting))?, dir, cache);
        catalog.read_intervals(true)?;
        Ok(catalog)
    }

    fn of(db: DB, dir: &Dir, cache: Cache) -> Self {
        Self {
            db: OfProcess::new(db),
            dir: dir.clone(),
            path: dir.catalog(),
            lasting: dir.lasting_catalog(),
            cache,
            recent_records: RecentRecords::default(),
            intervals: RwLock::default(),
            is_fixed: false,
            followed: u64::MAX,
            compared: Vec::new(),
            put_back: false,
        }
    }

    /// Opens the catalog for reading, whether or not a writer is active; writes nothing in its folder.
    pub(crate) fn open_secondary(dir: &Dir) -> Result<Self> {
        Self::open_secondary_with(dir, new_cache())
    }

    /// Asks the system to fetch the bytes that opening the catalog reads, without waiting. RocksDB itself would wait
    /// for the end of each file in turn, and then for its whole index, which it reads ahead.
    pub(crate) fn fetch(path: &Path) {
        for name in dir::names(path).unwrap_or_default() {
            let kind = Path::new(&name).extension();
            if is_log(&name) || kind.is_some_and(|kind| kind == "sst") {
                map::fetch_ends(&path.join(name), 0, END);
            }
        }
    }

    /// Opens the catalog for reading a second time, sharing the block cache.
    pub(crate) fn open_again(&self) -> Result<Self> {
        Self::open_secondary_with(&self.dir, self.cache.clone())
    }

    fn open_secondary_with(dir: &Dir, cache: Cache) -> Result<Self> {
        let (path, lasting) = (dir.catalog(), dir.lasting_catalog());
        let names = names_in(&path)?;
        let torn = torn(&path, &names)?;
        logs::check(&path, &names, &torn)?;
        listed::check_log(&path)?;
        let mut options = database_options();
        // Otherwise RocksDB writes a log of its own, for which it needs a folder. (The callback is for fatal errors.)
        options.set_info_logger(InfoLogger::new_callback_logger(LogLevel::Fatal, |_, _| ()));
        // Otherwise RocksDB starts 300 threads to open a few files.
        if names.len() < MANY_FILES {
            options.set_max_file_opening_threads(1);
        }
        let lost = listed::lost(dir)?;
        // What a writer will mend when it opens the database, a reader mends in a folder of links.
        let mended = match torn.is_empty() && lost.is_none() {
            true => None,
            false => {
                let folder = tempfile::Builder::new().prefix("nddb-reader-").tempdir();
                let folder = folder.map_err(Error::io("create a temporary folder in", &tempfile::env::temp_dir()))?;
                let ends: Vec<(OsString, usize)> = torn.into_iter().map(|end| (end.name, end.length)).collect();
                copy::show_cut(&lasting, &folder.path().join("catalog"), &ends)?;
                if let Some(name) = lost {
                    dir.show_kept(&folder.path().join("catalog").join(name))?;
                }
                Some(folder)
            }
        };
        let shown = mended.as_ref().map_or_else(|| lasting.clone(), |folder| folder.path().join("catalog"));
        let db = DB::open_cf_descriptors_as_secondary(&options, shown.as_path(), Path::new(NO_LOG), families(&cache))
            .map_err(failed_as("be opened for reading", &path, &lasting))?;
        let mut catalog = Self { is_fixed: mended.is_some(), ..Self::of(db, dir, cache) };
        if catalog.is_fixed {
            listed::difference(&shown, &catalog.live_files()?)?.map_or(Ok(()), Err)?;
        }
        // All files are open now: without names, these vanish with the process, however that ends.
        drop(mended);
        catalog.catch_up()?;
        catalog.read_intervals(true)?;
        Ok(catalog)
    }

    /// Catches up with the current state of the writer. Returns whether every log since the last time has been read.
    ///
    /// RocksDB reads first the list of sorted files and then the logs. A log that the writer archives in between is
    /// found in neither, and a missing sorted file leaves its family unchanged, so families would be in different
    /// states without an error. So the read is repeated until no file was added or removed meanwhile.
    ///
    /// Logs are removed in their order. If the newest log of the last time still exists, no unread log was removed.
    /// Otherwise rows that such a log removed may reappear, because a compaction drops the record of the removal while
    /// this instance still has the row in memory. Only a newly opened catalog is right then.
    pub(crate) fn catch_up(&mut self) -> Result<bool> {
        if self.is_fixed {
            return Ok(false);
        }
        let (mut before, mut differences) = (self.files()?, 0);
        for _ in 0..ATTEMPTS {
            self.db.try_catch_up_with_primary().map_err(self.failed("follow the writer"))?;
            let after = self.files()?;
            if after == before {
                if let Some(error) = self.difference(&after)? {
                    // The list may have changed since.
                    differences += 1;
                    if differences == DIFFERENCES {
                        return Err(error);
                    }
                    continue;
                }
                let logs = || after.iter().filter_map(|name| log_number(name));
                let whole = logs().any(|number| number == self.followed);
                self.followed = logs().max().unwrap_or(u64::MAX);
                self.compared = after;
                self.read_intervals(false)?;
                return Ok(whole);
            }
            before = after;
        }
        Err(Error::Busy { path: self.path.clone() })
    }

    /// Compares the sorted files of the state, which are among these files, with the list. Returns the fault; `None` if
    /// they are those of the list.
    fn difference(&self, files: &[OsString]) -> Result<Option<Error>> {
        if files == self.compared {
            return Ok(None);
        }
        listed::difference(&self.path, &self.live_files()?)
    }

    /// Returns the names of the current logs, sorted files and lists of sorted files.
    fn files(&self) -> Result<Vec<OsString>> {
        let mut names = dir::names(&self.path)?;
        names.retain(|name| is_log(name) || name.to_str().is_some_and(|name| name.ends_with(".sst")));
        Ok(names)
    }

    /// Returns the names of the sorted files that make up the state.
    pub(super) fn live_files(&self) -> Result<BTreeSet<OsString>> {
        let files = self.db.live_files().map_err(self.failed("list its files"))?;
        Ok(files.into_iter().map(|file| file.name.trim_start_matches('/').into()).collect())
    }

    /// Reads the intervals; with `anew`, also the numbers in them that are gone. The latter is not needed while
    /// `purged` of the manifest is unchanged, because these numbers are still in the deleted set.
    fn read_intervals(&mut self, anew: bool) -> Result<()> {
        let (rows, before) = (self.interval_rows()?, self.intervals());
        if !anew && rows == before.all() {
            return Ok(());
        }
        let gone = if anew { self.gone()? } else { before.gone().clone() };
        let overlap = || Error::Inconsistent { path: self.path.clone(), what: "two intervals overlap".into() };
        let intervals = Intervals::new(rows, gone).ok_or_else(overlap)?;
        self.intervals = RwLock::new(Arc::new(intervals));
        Ok(())
    }

    /// Returns the intervals.
    pub(super) fn intervals(&self) -> Arc<Intervals> {
        self.intervals.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Applies the changes made to the rows of intervals.
    pub(super) fn change_intervals(&self, change: impl FnOnce(&mut Intervals)) {
        change(Arc::make_mut(&mut self.intervals.write().unwrap_or_else(PoisonError::into_inner)));
    }

    pub(super) fn family(&self, family: Family) -> &ColumnFamily {
        self.db.cf_handle(family.name()).expect("all families are opened together")
    }

    pub(super) fn failed(&self, action: &'static str) -> impl FnOnce(rocksdb::Error) -> Error {
        failed_as(action, &self.path, &self.lasting)
    }

    pub(super) fn corrupt(&self) -> impl FnOnce(nddb_format::FormatError) -> Error {
        Error::format(&self.path)
    }
}

/// Returns the names of the files of a catalog; an error if the file by which RocksDB recognises a database is missing,
/// or if one is a link, which RocksDB would follow.
fn names_in(path: &Path) -> Result<Vec<OsString>> {
    let names = dir::names_of_files(path)?;
    match names.iter().any(|name| name == CURRENT) {
        true => Ok(names),
        false => Err(Error::Missing { path: path.join(CURRENT) }),
    }
}

/// Returns the error of the system that a message of RocksDB quotes.
fn of_system(text: &str) -> Option<io::Error> {
    let is_in_text = |error: &io::Error| {
        let message = error.to_string();
        text.contains(message.split(" (os error").next().unwrap_or(&message))
    };
    OF_SYSTEM.into_iter().map(io::Error::from_raw_os_error).find(is_in_text)
}

/// An error of RocksDB as one of the catalog.
pub(super) fn failed(action: &'static str, path: &Path) -> impl FnOnce(rocksdb::Error) -> Error {
    failed_as(action, path, path)
}

/// Like [`failed`], for a catalog that RocksDB knows by the path `lasting`.
fn failed_as(action: &'static str, path: &Path, lasting: &Path) -> impl FnOnce(rocksdb::Error) -> Error {
    move |source| {
        let path = path.to_owned();
        // RocksDB's errors have a kind and a text, and an error of the system is recognisable only by the text.
        let text = source.as_ref().replace(&*lasting.to_string_lossy(), &path.to_string_lossy());
        if let Some(source) = of_system(&text) {
            return Error::Catalog { action, path, damaged: false, source: Box::new(source) };
        }
        // Errors of the catalog itself, not of a sorted file that is being ingested.
        let is_missing = text.contains(MISSING) && path.join(CURRENT).exists();
        let damaged = source.kind() == ErrorKind::Corruption || is_missing;
        Error::Catalog { action, path, damaged, source: text.into() }
    }
}
