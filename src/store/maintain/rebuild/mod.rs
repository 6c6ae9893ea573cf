//! Making damaged or missing files again: a segment from a sibling table of its run, byte for byte;
//! postings, runs, the deleted set and MANIFEST from the catalog (SPEC 10.9).
//!
//! Works on the folder and the catalog, for a database that has to be rebuilt cannot be opened. What is
//! made again gets new file numbers and a new generation, so that readers map it anew.
//!
//! Memory: a segment is sorted within the memory limit; of a run that is made from the catalog, up to
//! [`RUN_MAX`] documents are held at a time, and a larger one becomes several, which merges join again.

mod deletions;
mod run;

use std::path::Path;

use nddb_format::digest::Digest;
use nddb_format::manifest::{self, FileEntry, Manifest, RunEntry};
use roaring::RoaringTreemap;

use super::check::{State, Wrong, read_deleted};
use crate::spill::progress::Progress;
use crate::spill::ticker::Ticker;
use crate::store::catalog::Catalog;
use crate::store::disk::dir::{Dir, Kind};
use crate::{Error, Result};

/// Documents of a run that is made from the catalog: 16 bytes each are held.
const RUN_MAX: u64 = 1 << 24;
/// Rows between two reports of progress.
const ROWS: u64 = 1 << 16;

/// Which runs are made again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RebuildWhat {
    /// Those with missing or damaged files, and those that contradict the catalog.
    #[default]
    Damaged,
    /// All of them, from the catalog.
    All,
}

/// What a rebuild does, and with what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RebuildOptions {
    /// Which runs are made again.
    pub what: RebuildWhat,
    /// How this process is named to others that find the database locked.
    pub holder: String,
    /// How many files are read or made at a time.
    pub threads: usize,
    /// Bytes of memory for sorting a segment.
    pub memory_limit: u64,
}

impl Default for RebuildOptions {
    fn default() -> Self {
        let holder = format!("nddb rebuild, process {}", std::process::id());
        Self { what: RebuildWhat::default(), holder, threads: 1, memory_limit: 1 << 30 }
    }
}

/// What a rebuild did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// The generation that the database is at now.
    pub generation: u64,
    /// Runs that were kept as they are.
    pub runs_kept: u64,
    /// Segments made again from a sibling table, byte for byte as they were.
    pub segments: u64,
    /// Postings made again from the catalog.
    pub postings: u64,
    /// Runs made from the catalog.
    pub runs: u64,
    /// Documents in them.
    pub documents: u64,
    /// Fingerprints in them.
    pub fingerprints: u64,
    /// Runs that are gone: the catalog has no document of theirs.
    pub runs_dropped: u64,
    /// MANIFEST was lost and made again.
    pub manifest: bool,
    /// The deleted set was lost and made again.
    pub deletions: bool,
    /// Commits that the catalog has lost: their documents are gone, and the runs agree with that now.
    pub commits_lost: u64,
    /// The count of documents was corrected.
    pub counter: bool,
}

impl Rebuilt {
    /// Whether anything had to be done.
    pub fn is_changed(&self) -> bool {
        *self != Self { generation: self.generation, runs_kept: self.runs_kept, ..Self::default() }
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

/// A range of document numbers: a run's, or one that no run has.
#[derive(Clone, Debug)]
struct Slot {
    low: u64,
    high: u64,
    entry: Option<RunEntry>,
    /// What a run of it must hold: the printed documents that are not deleted.
    live: Tally,
}

/// A rebuild under way.
struct Rebuild<'a> {
    dir: &'a Dir,
    catalog: &'a Catalog,
    state: State,
    options: &'a RebuildOptions,
    ticker: &'a Ticker<'a>,
    /// The next manifest.
    manifest: Manifest,
    rebuilt: Rebuilt,
}

/// Brings the runs of a database back to what its catalog says.
///
/// # Errors
/// [`Error::NotADatabase`], [`Error::Locked`], [`Error::Newer`]; [`Error::Inconsistent`] if the catalog is
/// damaged, which nothing else can restore; [`Error::OverLimit`] without space for the new files;
/// [`Error::Cancelled`]. The database is then as before.
pub fn rebuild(
    path: impl AsRef<Path>,
    options: &RebuildOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<Rebuilt> {
    let dir = Dir::open_damaged(path.as_ref())?;
    let _lock = dir.lock(&options.holder)?;
    let ticker = Ticker::new(watch);
    let catalog = Catalog::open(&dir.catalog()).map_err(|error| beyond_repair(&dir, error))?;
    let settings = catalog.settings().map_err(|error| beyond_repair(&dir, error))?;
    let old = match crate::store::read::snapshot::read_manifest(&dir) {
        Ok(manifest) => Some(manifest),
        Err(error @ Error::Newer { .. }) => return Err(error),
        Err(_) => None,
    };
    if let Some(old) = &old
        && (old.catalog, old.bits, old.k) != (settings.catalog, settings.bits, settings.k)
    {
        let what = "MANIFEST and catalog do not belong together: put back the one that is of this database, or \
                    remove MANIFEST to have all runs made from this catalog";
        return Err(Error::Inconsistent { path: dir.root().into(), what: what.into() });
    }
    let manifest = match &old {
        Some(old) => old.clone(),
        None => Manifest::new(settings.bits, settings.k, settings.catalog),
    };
    let deleted = match &old {
        Some(Manifest { deleted: Some(file), .. }) => read_deleted(&dir, file).ok(),
        Some(_) => Some(RoaringTreemap::new()),
        None => None,
    };
    let deletions_lost = deleted.is_none();
    // A catalog that was put back has rows of deletions that later manifests had forgotten with their documents.
    let is_behind = manifest.commits > catalog.counters().map_err(|error| beyond_repair(&dir, error))?.commits;
    let (folded, file) = match deleted {
        Some(deleted) => (if is_behind { 0 } else { manifest.folded }, deleted),
        None => (0, deletions_in_files(&dir)?),
    };
    // Not before older deleted sets have been read.
    if let Some(old) = &old {
        dir.sweep(|number| old.files().any(|file| file.number == number))?;
    }
    let state = State::read(&catalog, folded, file).map_err(|error| beyond_repair(&dir, error))?;
    let rebuilt = Rebuilt { manifest: old.is_none(), ..Rebuilt::default() };
    let mut rebuild = Rebuild { dir: &dir, catalog: &catalog, state, options, ticker: &ticker, manifest, rebuilt };
    rebuild.go(deletions_lost)?;
    Ok(rebuild.rebuilt)
}

/// What all deleted sets under `runs/` that can be read hold together.
fn deletions_in_files(dir: &Dir) -> Result<RoaringTreemap> {
    let mut all = RoaringTreemap::new();
    for number in dir.numbers()?.1 {
        let set = dir.read(number, Kind::Deleted).ok().and_then(|bytes| nddb_format::deleted::decode(&bytes).ok());
        all |= set.unwrap_or_default();
    }
    Ok(all)
}

/// What cannot be restored from anything else.
fn beyond_repair(dir: &Dir, error: Error) -> Error {
    if matches!(error, Error::Cancelled | Error::Newer { .. }) {
        return error;
    }
    let reason = Wrong::from(error).what;
    let what = format!(
        "the catalog is damaged beyond repair ({reason}): runs are made from it, and nothing holds what it holds; \
         restore a backup of the database, or load its documents again into a new one"
    );
    Error::Inconsistent { path: dir.catalog(), what }
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
        // A manifest that was lost may never have named a deleted set.
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
        // Last: as long as the catalog is behind, nobody can write.
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

    /// Gives a manifest that was lost numbers above all that were used: nothing says how far they went, so
    /// both go on at the next multiple of 2^32.
    fn begin_anew(&mut self) -> Result<()> {
        let (mut greatest, _) = self.dir.numbers()?;
        self.catalog
            .deletions(0, &mut |generation, _| greatest = greatest.max(generation))
            .map_err(|error| beyond_repair(self.dir, error))?;
        if let Ok(bytes) = self.dir.read_manifest()
            && bytes.len() >= manifest::GENERATION.end()
        {
            // Believed as far as it can be true.
            let generation = manifest::GENERATION.get(&bytes);
            greatest = greatest.max(if generation >> 48 == 0 { generation } else { 0 });
        }
        let next = ((greatest >> 32) + 1) << 32;
        self.manifest.generation = next;
        self.manifest.next_file = next;
        // No other manifest of this database had it.
        self.manifest.purged = (next >> 32) as u32 | 1 << 31;
        self.manifest.complete = self.state.counters.next_number;
        self.manifest.commits = self.state.counters.commits;
        Ok(())
    }

    /// The number ranges of the runs and those between and behind them, up to S.
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

    /// Reads all prints: counts documents, and sums for each slot what must be in its run.
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

    /// Takes file numbers that were never used.
    fn take_files(&mut self, len: u64) -> u64 {
        let first = self.manifest.next_file;
        self.manifest.next_file += len;
        first
    }

    /// Makes the new manifest the database's.
    fn publish(&mut self, deletions_lost: bool) -> Result<()> {
        if !self.rebuilt.manifest {
            self.manifest.generation += 1;
            // Readers look at everything anew.
            self.manifest.purged = self.manifest.purged.wrapping_add(1);
        }
        if deletions_lost {
            self.manifest.deleted = None;
            // All rows so far are in the new file, or there is none to be in it.
            self.manifest.folded = self.manifest.generation - 1;
            if !self.state.deleted.is_empty() {
                self.manifest.deleted = Some(self.write_deleted()?);
            }
        }
        self.dir.replace_manifest(&self.manifest.encode())
    }

    fn write_deleted(&mut self) -> Result<FileEntry> {
        let bytes = nddb_format::deleted::encode(&self.state.deleted);
        self.dir.need_space(bytes.len() as u64)?;
        let number = self.take_files(1);
        let mut file = self.dir.create_file(number, Kind::Deleted)?;
        file.write(&bytes)?;
        let (length, checksum) = file.finish()?;
        self.dir.sync_runs()?;
        Ok(FileEntry { number, length, identity: 0, checksum })
    }
}
