//! Rebuilding damaged or missing files: a segment from a sibling table of its run, byte for byte; postings, key
//! tables, summaries, runs, the deleted set and MANIFEST from the catalog.
//!
//! A rebuild uses the folder and the catalog directly, because a damaged database cannot be opened. Rebuilt files get
//! new file numbers and a new generation, so that readers map them anew.
//!
//! Memory: a segment is sorted within the memory limit. For a run built from the catalog, up to [`RUN_MAX`] documents
//! are in memory at a time; a larger run is built as several runs, which merges join again.

mod deletions;
mod keys;
mod run;

use std::path::Path;
use std::time::Duration;

use nddb_format::digest::Digest;
use nddb_format::manifest::{self, FileEntry, Manifest, RunEntry};
use roaring::RoaringTreemap;

use super::check::{LiveState, Wrong, read_deleted};
use crate::catalog::Catalog;
use crate::disk::dir::{Dir, FileKind};
use crate::read::snapshot::read_manifest;
use crate::spill::progress::{Progress, Ticker};
use crate::{Error, Result};
pub(crate) use run::restore_segment;

/// Maximum number of documents of a run built from the catalog: 16 bytes of memory each.
const RUN_MAX: u64 = 1 << 24;
/// Rows between two progress reports.
const ROWS: u64 = 1 << 16;
/// Maximum number of generations for each file or commit.
const GENERATIONS: u64 = 4;
/// Generations continue at a multiple of this when the last one is unknown.
const ROUND: u64 = 1000;

/// The runs to rebuild.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RebuildWhat {
    /// Runs with missing or damaged files, and those that contradict the catalog.
    #[default]
    Damaged,
    /// All runs, from the catalog.
    All,
}

/// Options of a rebuild.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RebuildOptions {
    /// The runs to rebuild.
    pub what: RebuildWhat,
    /// Description of this process for others that find the database locked.
    pub holder: String,
    /// How long to wait for another writer.
    pub lock_wait: Duration,
    /// Number of files read or written at a time.
    pub threads: usize,
    /// Memory for sorting a segment, in bytes.
    pub memory_limit: u64,
}

impl Default for RebuildOptions {
    fn default() -> Self {
        let holder = format!("nddb rebuild, process {}", std::process::id());
        Self { what: RebuildWhat::default(), holder, lock_wait: Duration::ZERO, threads: 1, memory_limit: 1 << 30 }
    }
}

/// The result of a rebuild.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// The new generation of the database.
    pub generation: u64,
    /// Number of runs kept as they are.
    pub runs_kept: u64,
    /// Number of segments rebuilt from a sibling table, byte for byte.
    pub segments: u64,
    /// Number of postings rebuilt from the catalog.
    pub postings: u64,
    /// Number of key tables rebuilt from the catalog.
    pub key_tables: u64,
    /// Number of files of summaries rebuilt from the catalog.
    pub summaries: u64,
    /// Number of runs rebuilt from the catalog.
    pub runs: u64,
    /// Number of documents in these runs.
    pub documents: u64,
    /// Number of fingerprints in these runs.
    pub fingerprints: u64,
    /// Number of runs dropped: the catalog has none of their documents.
    pub runs_dropped: u64,
    /// Whether MANIFEST was lost and rebuilt.
    pub manifest: bool,
    /// The deleted set was lost and rebuilt.
    pub deletions: bool,
    /// Number of commits that the catalog has lost: their documents are gone, and the rebuilt runs agree with the
    /// catalog.
    pub commits_lost: u64,
    /// Whether the sorted file that a load was ingesting when a write failed was restored to the catalog.
    pub sorted_file: bool,
    /// The count of documents was corrected.
    pub counter: bool,
    /// The reason why the catalog cannot be read to its end; `None` if it can. A rebuild cannot repair such damage,
    /// because the data of the catalog is stored nowhere else.
    pub unreadable: Option<String>,
}

impl Rebuilt {
    /// Returns whether anything was changed.
    pub fn is_changed(&self) -> bool {
        let (generation, runs_kept, unreadable) = (self.generation, self.runs_kept, self.unreadable.clone());
        *self != Self { generation, runs_kept, unreadable, ..Self::default() }
    }
}

/// Documents of a range of numbers, by count and digest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    documents: u64,
    pairs: Digest,
}

impl Tally {
    fn add(&mut self, fingerprint: u64, number: u64) {
        self.documents += 1;
        self.pairs.add_pair(fingerprint, number);
    }
}

/// A range of document numbers: of a run, or between runs.
#[derive(Clone, Debug)]
struct Slot {
    low: u64,
    high: u64,
    entry: Option<RunEntry>,
    /// The required contents of a run of the slot: the printed documents that are not deleted.
    live: Tally,
}

/// A rebuild in progress.
struct Rebuild<'a> {
    dir: &'a Dir,
    catalog: &'a Catalog,
    state: LiveState,
    options: &'a RebuildOptions,
    ticker: &'a Ticker<'a>,
    /// The next manifest.
    manifest: Manifest,
    rebuilt: Rebuilt,
}

/// Restores the runs of a database from its catalog.
///
/// # Errors
/// [`Error::NotADatabase`], [`Error::Locked`], [`Error::Newer`]; [`Error::BeyondRepair`] if the data from which runs
/// are made is itself damaged; [`Error::OverLimit`] without space for the new files; [`Error::Cancelled`]. The database
/// is then as before.
pub fn rebuild(
    path: impl AsRef<Path>,
    options: &RebuildOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<Rebuilt> {
    let dir = Dir::open_damaged(path.as_ref())?;
    if let Err(error @ Error::NotADatabase { .. }) = read_manifest(&dir) {
        return Err(error);
    }
    let dir = dir.locked_within(&options.holder, options.lock_wait)?;
    let ticker = Ticker::new(watch);
    let catalog = Catalog::open(&dir).map_err(|error| beyond_repair(&dir, error))?;
    let settings = catalog.settings().map_err(|error| beyond_repair(&dir, error))?;
    let old = match read_manifest(&dir) {
        Ok(manifest) => Some(manifest),
        Err(error) if error.is_of_environment() || matches!(error, Error::Newer { .. }) => return Err(error),
        Err(_) => None,
    };
    if let Some(old) = &old
        && (old.catalog, old.bits, old.k) != (settings.catalog, settings.bits, settings.k)
    {
        let what = "MANIFEST and catalog do not belong together: put back the one that is of this database, or \
                    remove MANIFEST to have all runs made from this catalog";
        return Err(Error::BeyondRepair { path: dir.root().into(), what: what.into() });
    }
    let manifest = match &old {
        Some(old) => old.clone(),
        None => Manifest::new(settings.bits, settings.k, settings.catalog),
    };
    let deleted = match &old {
        Some(Manifest { deleted: Some(file), .. }) => unless_obstacle(read_deleted(&dir, file))?,
        Some(_) => Some(RoaringTreemap::new()),
        None => None,
    };
    let deletions_lost = deleted.is_none();
    // A restored older catalog has rows of deletions that later manifests had forgotten with their documents.
    let is_behind = manifest.commits > catalog.counters().map_err(|error| beyond_repair(&dir, error))?.commits;
    let (folded, file) = match deleted {
        Some(deleted) => (if is_behind { 0 } else { manifest.folded }, deleted),
        None => (0, deletions_in_files(&dir)?),
    };
    // Only after older deleted sets have been read.
    if let Some(old) = &old {
        dir.sweep(|number| old.files().any(|file| file.number == number))?;
    }
    let state = LiveState::read(&catalog, folded, file).map_err(|error| beyond_repair(&dir, error))?;
    // This comes first, so that stopping it leaves everything unchanged.
    let unreadable = unreadable(&catalog, &ticker)?;
    let sorted_file = catalog.put_back;
    let rebuilt = Rebuilt { manifest: old.is_none(), sorted_file, unreadable, ..Rebuilt::default() };
    let mut rebuild = Rebuild { dir: &dir, catalog: &catalog, state, options, ticker: &ticker, manifest, rebuilt };
    rebuild.go(deletions_lost)?;
    Ok(rebuild.rebuilt)
}

/// Returns the union of all readable deleted sets under `runs/`.
fn deletions_in_files(dir: &Dir) -> Result<RoaringTreemap> {
    let mut all = RoaringTreemap::new();
    for number in dir.numbers()?.1 {
        let set = unless_obstacle(dir.read(number, FileKind::Deleted))?
            .and_then(|bytes| nddb_format::deleted::decode(&bytes).ok());
        all |= set.unwrap_or_default();
    }
    Ok(all)
}

/// Reads all rows of the catalog, including those from which no runs are made. Returns the reason if that fails.
fn unreadable(catalog: &Catalog, ticker: &Ticker<'_>) -> Result<Option<String>> {
    ticker.start("read catalog", None, "rows")?;
    let mut rows = 0;
    let outcome = catalog.every_row(&mut || {
        rows += 1;
        if rows % ROWS == 0 { ticker.add(ROWS) } else { Ok(()) }
    });
    match outcome {
        Ok(()) => Ok(None),
        Err(error) => Ok(Some(Wrong::from(error).of_the_file()?.what)),
    }
}

/// Returns what was read; `None` if it is damaged.
///
/// # Errors
/// Those that say nothing about what is stored.
fn unless_obstacle<T>(read: Result<T>) -> Result<Option<T>> {
    match read {
        Err(error) if error.is_of_environment() => Err(error),
        read => Ok(read.ok()),
    }
}

/// The error for damage that nothing else can restore.
fn beyond_repair(dir: &Dir, error: Error) -> Error {
    if error.is_of_environment() || matches!(error, Error::Newer { .. }) {
        return error;
    }
    if dir.is_unfinished() {
        return dir.never_made();
    }
    let reason = Wrong::from(error).what;
    let what = format!(
        "the catalog is damaged beyond repair ({reason}): the runs are made from the catalog and cannot replace it"
    );
    Error::BeyondRepair { path: dir.catalog(), what }
}

impl Rebuild<'_> {
    fn go(&mut self, deletions_lost: bool) -> Result<()> {
        let counters = self.state.counters;
        self.rebuilt.commits_lost = self.manifest.commits.saturating_sub(counters.commits);
        let lost = self.rebuilt.commits_lost > 0 || self.manifest.complete > counters.next_number;
        if self.rebuilt.manifest {
            self.begin_anew()?;
        }
        let mut slots = self.slots();
        let mut counted = self.count(&mut slots)?;
        if deletions_lost && counted != counters.live {
            self.infer_deletions()?;
            counted = self.count(&mut slots)?;
            if counted != counters.live {
                return Err(self.deletions_missing(counted));
            }
        }
        // A lost manifest may never have named a deleted set.
        self.rebuilt.deletions = deletions_lost && !self.state.deleted.is_empty();
        self.rebuilt.counter = counted != counters.live;
        let before = std::mem::take(&mut self.manifest.runs);
        for slot in &slots {
            let runs = self.slot(slot)?;
            self.manifest.runs.extend(runs);
        }
        let changed = self.manifest.runs != before;
        let any = changed || lost || deletions_lost || self.rebuilt.manifest;
        if any {
            self.publish(deletions_lost || lost)?;
        }
        self.rebuilt.generation = self.manifest.generation;
        // This comes last: while the catalog is behind the manifest, nobody can write.
        if lost || self.rebuilt.counter {
            let mut counters = counters;
            counters.next_number = counters.next_number.max(self.manifest.complete);
            counters.commits = counters.commits.max(self.manifest.commits);
            counters.live = counted;
            let mut commit = self.catalog.begin();
            commit.counters(&counters);
            commit.write()?;
        }
        if any {
            let manifest = &self.manifest;
            self.dir.sweep(|number| manifest.files().any(|file| file.number == number))?;
        }
        Ok(())
    }

    /// Chooses numbers for a lost manifest that are above all used ones, although the greatest used ones are unknown.
    /// File numbers must never be used again, so they continue above the next multiple of 2^32. Generations must not
    /// decrease. Nearly every generation has new files or follows a commit, so the numbers of files and commits bound
    /// the last generation.
    fn begin_anew(&mut self) -> Result<()> {
        let (file, _) = self.dir.numbers()?;
        let mut known = 0;
        self.catalog
            .deletions(0, &mut |generation, _| known = known.max(generation))
            .map_err(|error| beyond_repair(self.dir, error))?;
        if let Ok(bytes) = self.dir.read_manifest()
            && bytes.len() >= manifest::GENERATION.end()
        {
            // The generation in the file is used if it is plausible.
            let generation = manifest::GENERATION.get(&bytes);
            known = known.max(if generation >> 48 == 0 { generation } else { 0 });
        }
        let (epoch, files) = (file >> 32, file & u64::from(u32::MAX));
        let likely = files.saturating_add(self.state.counters.commits).saturating_mul(GENERATIONS);
        let generation = (known.max(likely) + 1).next_multiple_of(ROUND);
        self.manifest.generation = generation;
        // If this manifest is lost, too, file numbers indicate the last generation.
        self.manifest.next_file = ((epoch + 1) << 32) + (generation & u64::from(u32::MAX));
        // No other manifest of this database had it.
        self.manifest.purged = (epoch + 1) as u32 | 1 << 31;
        self.manifest.complete = self.state.counters.next_number;
        self.manifest.commits = self.state.counters.commits;
        self.manifest.intervals = self.catalog.has_intervals();
        Ok(())
    }

    /// Returns the number ranges of the runs and those between and after them, up to S.
    fn slots(&self) -> Vec<Slot> {
        let mut slots = Vec::new();
        let mut end = 0;
        let gap = |low, high| Slot { low, high, entry: None, live: Tally::default() };
        for entry in &self.manifest.runs {
            if end < entry.low {
                slots.push(gap(end, entry.low));
            }
            slots.push(Slot { entry: Some(entry.clone()), ..gap(entry.low, entry.high) });
            end = entry.high;
        }
        if end < self.manifest.complete {
            slots.push(gap(end, self.manifest.complete));
        }
        slots
    }

    /// Reads all prints: counts documents, and sums for each slot the required contents of its run.
    fn count(&self, slots: &mut [Slot]) -> Result<u64> {
        self.ticker.start("read catalog", None, "documents")?;
        slots.iter_mut().for_each(|slot| slot.live = Tally::default());
        let (mut counted, mut rows, mut at) = (0, 0, 0);
        let outcome = self.catalog.prints(0, &mut |number, print| {
            rows += 1;
            if rows % ROWS == 0 {
                self.ticker.add(ROWS)?;
            }
            if !self.state.is_counted(number) {
                return Ok(true);
            }
            counted += 1;
            while slots.get(at).is_some_and(|slot: &Slot| slot.high <= number) {
                at += 1;
            }
            if let Some(slot) = slots.get_mut(at).filter(|slot| slot.low <= number && !print.unprinted) {
                slot.live.add(print.fingerprint, number);
            }
            Ok(true)
        });
        outcome.map_err(|error| beyond_repair(self.dir, error))?;
        Ok(counted)
    }

    /// Reserves file numbers that were never used.
    fn take_files(&mut self, len: u64) -> u64 {
        let first = self.manifest.next_file;
        self.manifest.next_file += len;
        first
    }

    /// Publishes the new manifest.
    fn publish(&mut self, deletions_lost: bool) -> Result<()> {
        if !self.rebuilt.manifest {
            self.manifest.generation += 1;
            // Makes readers read everything again.
            self.manifest.purged = self.manifest.purged.wrapping_add(1);
        }
        if deletions_lost {
            self.manifest.deleted = None;
            // All rows so far are in the new file, or there are none.
            self.manifest.folded = self.manifest.generation - 1;
            if !self.state.deleted.is_empty() {
                self.manifest.deleted = Some(self.write_deleted()?);
            }
        }
        // Key tables and summaries are made last.
        self.dir.sync_runs()?;
        self.dir.replace_manifest(&self.manifest.encode())
    }

    fn write_deleted(&mut self) -> Result<FileEntry> {
        let bytes = nddb_format::deleted::encode(&self.state.deleted);
        self.dir.need_space(bytes.len() as u64)?;
        let number = self.take_files(1);
        let mut file = self.dir.create_file(number, FileKind::Deleted)?;
        file.write(&bytes)?;
        let (length, checksum) = file.finish()?;
        self.dir.sync_runs()?;
        Ok(FileEntry { number, length, identity: 0, checksum })
    }
}
