//! Checking a whole database: every checksum, order, count and digest, runs and catalog against each other in both
//! directions, and, on request, the recall of a sample.
//!
//! The check reads MANIFEST, files and catalog, as far as they can be opened; it records damage and continues with the
//! next file. Like a reader, it locks nothing and changes nothing, and a writer may be active. Memory is bounded: files
//! are read block by block, and the rows of the catalog are compared by digests of ranges of document numbers.

mod files;
mod findings;
mod recall;
mod rows;
mod state;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};
use std::time::Duration;

use nddb_format::manifest::{FileEntry, Manifest, RunEntry};
use nddb_format::postings::Postings;
use nddb_format::segment::Segment;
use roaring::RoaringTreemap;

use crate::catalog::Catalog;
use crate::disk::checked::LastCheck;
use crate::disk::dir::{Dir, FileKind};
use crate::disk::map::Mapped;
use crate::read::snapshot::{Snapshot, refuse_set};
use crate::runs::build::in_parallel;
use crate::runs::run::Verify;
use crate::runs::summaries::SummariesFile;
use crate::spill::progress::Progress;
pub(crate) use crate::spill::progress::Ticker;
use crate::{Error, Result};
pub(crate) use files::{
    Joined, Wrong, open_postings, open_segment, open_summaries, unless_damaged, verify_paged, verify_segment,
};
pub use findings::Fault;
pub(crate) use findings::Findings;
use recall::Sample;
use rows::{CheckedRows, Look};
pub(crate) use state::LiveState;

/// Attempts to read a state before a writer replaces it by the next.
const ATTEMPTS: u32 = 64;
/// Attempts to open the catalog before its error counts as damage.
const CATALOG_ATTEMPTS: u32 = 8;

/// Options of a check besides reading everything once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckOptions {
    /// Number of queries near stored fingerprints whose answers are compared with those of a full scan.
    pub sample_recall: Option<u64>,
    /// Seed of the queries: the same seed gives the same queries for the same database.
    pub seed: u64,
    /// Number of files read at a time.
    pub threads: usize,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self { sample_recall: None, seed: 1, threads: 1 }
    }
}

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// The faults; none if the database is sound.
    pub faults: Vec<Fault>,
    /// Number of further faults in the same files that are not listed.
    pub omitted: u64,
    /// Observations that are not faults.
    pub notes: Vec<String>,
    /// The manifest that was checked, if it could be read.
    pub generation: Option<u64>,
    /// Number of files under `runs/` that were read.
    pub files: u64,
    /// Number of bytes of these files.
    pub bytes: u64,
    /// Number of runs.
    pub runs: u64,
    /// Number of fingerprints in all tables.
    pub fingerprints: u64,
    /// Number of rows of the catalog.
    pub rows: u64,
    /// Number of documents that are not deleted.
    pub documents: u64,
    /// Number of queries of the recall sample, if it was requested and possible.
    pub queries: Option<u64>,
    /// Number of documents that these queries find.
    pub matches: u64,
}

impl CheckReport {
    /// Returns whether there are no faults.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }

    /// Records in the folder of the database that it was checked now, for [`crate::Stats::checked`]. A folder that
    /// cannot be written to stays as it is.
    pub fn record(&self, path: impl AsRef<Path>) {
        if let Ok(dir) = Dir::open_damaged(path.as_ref()) {
            dir.record_check(&LastCheck::now(self.generation, self.faults.len() as u64 + self.omitted));
        }
    }
}

/// The parts of one generation that could be opened.
struct OpenGeneration {
    manifest: Result<Manifest>,
    runs: Vec<OpenRun>,
    /// The key tables, as runs of keys.
    key_entries: Vec<RunEntry>,
    keys: Vec<OpenRun>,
    /// The summaries of each run that has them.
    summaries: Vec<OpenSummaries>,
    deleted: Result<RoaringTreemap>,
}

/// The summaries of a run, as its entry names them.
struct OpenSummaries {
    entry: FileEntry,
    file: Result<SummariesFile, Wrong>,
}

/// The parts of a run that could be opened.
struct OpenRun {
    segments: Vec<Result<Segment<Mapped>, Wrong>>,
    postings: Result<Postings<Mapped>, Wrong>,
}

/// Checks a database. Faults are in the report; they are not errors.
///
/// # Errors
/// [`Error::NotADatabase`], [`Error::Newer`], [`Error::Cancelled`] if `watch` returned `false`, [`Error::Busy`]; errors
/// that say nothing about the database, such as a missing permission (see [`Error::is_of_environment`]).
pub fn check(
    path: impl AsRef<Path>,
    options: &CheckOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<CheckReport> {
    let dir = Dir::open_damaged(path.as_ref())?;
    dir.read_manifest().map_or(Ok(()), |bytes| refuse_set(&dir, &bytes))?;
    let mut findings = Findings::new(dir.root(), dir.catalog());
    let mut report = look(&dir, options, watch, &mut findings)?;
    if let Some(obstacle) = findings.obstacle.and_then(Arc::into_inner) {
        return Err(obstacle);
    }
    (report.faults, report.omitted, report.notes) = (findings.faults, findings.omitted, findings.notes);
    Ok(report)
}

/// Checks a database. Returns the counts of the report.
fn look(
    dir: &Dir,
    options: &CheckOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    findings: &mut Findings,
) -> Result<CheckReport> {
    let ticker = &Ticker::new(watch);
    let mut report = CheckReport::default();
    let (opened, catalog) = open(dir)?;
    let OpenGeneration { manifest, runs, key_entries, keys, summaries, deleted } = opened;
    let manifest = match manifest {
        Ok(manifest) => Some(manifest),
        Err(error @ Error::Newer { .. }) => return Err(error),
        Err(error) => {
            findings.run(&dir.manifest_path(), error);
            None
        }
    };
    let entries = manifest.as_ref().map_or(&[][..], |manifest| &manifest.runs);
    report.generation = manifest.as_ref().map(|manifest| manifest.generation);
    report.runs = entries.len() as u64;
    let deleted = match deleted {
        Ok(deleted) => Some(deleted),
        Err(error) => {
            let file = manifest.as_ref().and_then(|manifest| manifest.deleted).map_or(0, |file| file.number);
            findings.run(&dir.path(file, FileKind::Deleted), error);
            None
        }
    };
    report.fingerprints = entries.iter().map(|entry| entry.fingerprints * entry.segments.len() as u64).sum();
    let sound = verify_files(dir, entries, &runs, options, ticker, &mut report, findings)?;
    let (joined, left_out) = join(entries, &runs, &sound, options, ticker, findings)?;
    let sound = verify_files(dir, &key_entries, &keys, options, ticker, &mut report, findings)?;
    let (keys, keys_left_out) = join(&key_entries, &keys, &sound, options, ticker, findings)?;
    let summaries = verify_summary_files(dir, &summaries, options, ticker, &mut report, findings)?;
    if let Some(manifest) = &manifest {
        note_unnamed(dir, manifest, findings);
    }
    match catalog {
        Ok(catalog) => {
            let lives_known = manifest.is_some() && deleted.is_some();
            let file = deleted.unwrap_or_default();
            let folded = manifest.as_ref().map_or(0, |manifest| manifest.folded);
            match LiveState::read(&catalog, folded, file) {
                Ok(state) => {
                    let complete = manifest.as_ref().map_or(0, |manifest| manifest.complete);
                    let rows = CheckedRows {
                        catalog: &catalog,
                        state: &state,
                        lives_known,
                        runs: &joined,
                        complete,
                        left_out: &left_out,
                        keys: &keys,
                        keys_left_out: &keys_left_out,
                        summaries: &summaries,
                        unprinted: RwLock::default(),
                        summarized: RwLock::default(),
                        threads: options.threads,
                        ticker,
                    };
                    verify_catalog(dir, &rows, manifest.as_ref(), options, &mut report, findings)?;
                }
                Err(error) => findings.catalog(error),
            }
        }
        // The file that an interrupted load was ingesting; opening for writing restores it.
        Err(error) if !error.is_of_environment() && dir.is_unfinished() => return Err(dir.never_made()),
        Err(error @ Error::Missing { .. }) if dir.kept().is_some() => findings.run(&dir.catalog(), error),
        Err(error) => findings.catalog(error),
    }
    Ok(report)
}

/// Opens as much as possible of one generation, and the catalog as of it.
fn open(dir: &Dir) -> Result<(OpenGeneration, Result<Catalog>)> {
    let mut catalog = open_catalog(dir);
    for attempt in 0..ATTEMPTS {
        let before = dir.read_manifest();
        let opened = open_files(dir, before);
        catalog = catalog.and_then(|mut open| if open.catch_up()? { Ok(open) } else { open_catalog(dir) });
        let generation = |manifest: &Result<Manifest>| manifest.as_ref().ok().map(|manifest| manifest.generation);
        let after = dir.read_manifest().and_then(|bytes| decode(dir, &bytes));
        if generation(&after) == generation(&opened.manifest) {
            return Ok((opened, catalog));
        }
        pause(attempt);
    }
    Err(Error::Busy { path: dir.root().into() })
}

/// Opens the catalog. A writer that is moving its files can make this fail, which is not damage.
fn open_catalog(dir: &Dir) -> Result<Catalog> {
    for attempt in 0..CATALOG_ATTEMPTS {
        if let Ok(catalog) = Catalog::open_secondary(dir) {
            return Ok(catalog);
        }
        pause(attempt);
    }
    Catalog::open_secondary(dir)
}

fn pause(attempt: u32) {
    std::thread::sleep(Duration::from_micros(200 << attempt.min(9)));
}

fn decode(dir: &Dir, bytes: &[u8]) -> Result<Manifest> {
    Manifest::decode(bytes).map_err(Error::format(&dir.manifest_path()))
}

fn open_files(dir: &Dir, manifest: Result<Vec<u8>>) -> OpenGeneration {
    let manifest = manifest.and_then(|bytes| decode(dir, &bytes));
    let entries = manifest.as_ref().map_or(&[][..], |manifest| &manifest.runs);
    let open = |entry: &RunEntry| OpenRun {
        segments: (0..entry.segments.len()).map(|ordinal| open_segment(dir, entry, ordinal)).collect(),
        postings: open_postings(dir, entry),
    };
    let runs = entries.iter().map(open).collect();
    // The restart interval of a run in a manifest is valid.
    let key_entries: Vec<RunEntry> = entries.iter().filter_map(|entry| entry.key_run().ok()?).collect();
    let keys = key_entries.iter().map(open).collect();
    let summaries = entries.iter().filter_map(|entry| {
        entry.summaries.map(|file| OpenSummaries { entry: file, file: open_summaries(dir, entry, &file) })
    });
    let summaries = summaries.collect();
    let file = manifest.as_ref().ok().and_then(|manifest| manifest.deleted);
    let deleted = file.map_or_else(|| Ok(RoaringTreemap::new()), |file| read_deleted(dir, &file));
    OpenGeneration { manifest, runs, key_entries, keys, summaries, deleted }
}

/// Reads a deleted set's file.
pub(crate) fn read_deleted(dir: &Dir, file: &FileEntry) -> Result<RoaringTreemap> {
    let path = dir.path(file.number, FileKind::Deleted);
    let bytes = dir.read(file.number, FileKind::Deleted)?;
    let set = nddb_format::deleted::decode(&bytes).map_err(Error::format(&path))?;
    if (bytes.len() as u64, crc32fast::hash(&bytes)) != (file.length, file.checksum) {
        let what = "is not the file that the manifest describes".into();
        return Err(Error::Inconsistent { path, what });
    }
    Ok(set)
}

/// Whether each file of a run is sound.
struct Sound {
    segments: Vec<bool>,
    postings: bool,
}

/// Checks each file separately.
fn verify_files(
    dir: &Dir,
    entries: &[RunEntry],
    runs: &[OpenRun],
    options: &CheckOptions,
    ticker: &Ticker<'_>,
    report: &mut CheckReport,
    findings: &mut Findings,
) -> Result<Vec<Sound>> {
    // Key tables are separate entries.
    let size = |entry: &RunEntry| entry.postings.length + entry.segments.iter().map(|file| file.length).sum::<u64>();
    ticker.start("check files", Some(entries.iter().map(size).sum()), "bytes")?;
    // The postings of a run follow its segments.
    let files: Vec<(usize, usize)> =
        (0..).zip(entries).flat_map(|(run, entry)| (0..=entry.segments.len()).map(move |index| (run, index))).collect();
    let wrongs = in_parallel(files.len(), options.threads, &|file| {
        let (entry, run, index) = (&entries[files[file].0], &runs[files[file].0], files[file].1);
        match run.segments.get(index) {
            Some(Ok(segment)) => verify_segment(segment, &entry.segments[index], ticker),
            Some(Err(wrong)) => Ok(vec![wrong.clone()]),
            None => match &run.postings {
                Ok(postings) => verify_paged(postings, &entry.postings, &|| postings.verify(), ticker),
                Err(wrong) => Ok(vec![wrong.clone()]),
            },
        }
    })?;
    let (mut sound, mut wrongs) = (Vec::with_capacity(entries.len()), wrongs.into_iter());
    for entry in entries {
        let tables = entry.segments.len();
        let mut is_sound = Vec::with_capacity(tables + 1);
        for (index, wrongs) in wrongs.by_ref().take(tables + 1).enumerate() {
            let path = path_of(dir, entry, index);
            is_sound.push(wrongs.is_empty());
            wrongs.into_iter().for_each(|wrong| findings.run(&path, wrong));
        }
        report.files += tables as u64 + 1;
        report.bytes += size(entry);
        sound.push(Sound { postings: is_sound[tables], segments: is_sound[..tables].to_vec() });
    }
    Ok(sound)
}

/// Checks the files of summaries. Returns those that can be compared with the catalog.
fn verify_summary_files<'a>(
    dir: &Dir,
    all: &'a [OpenSummaries],
    options: &CheckOptions,
    ticker: &Ticker<'_>,
    report: &mut CheckReport,
    findings: &mut Findings,
) -> Result<Vec<&'a SummariesFile>> {
    ticker.start("check summaries", Some(all.iter().map(|one| one.entry.length).sum()), "bytes")?;
    let wrongs = in_parallel(all.len(), options.threads, &|index| match &all[index].file {
        Ok(file) => verify_paged(file.file(), &all[index].entry, &|| file.file().verify(), ticker),
        Err(wrong) => Ok(vec![wrong.clone()]),
    })?;
    let mut sound = Vec::with_capacity(all.len());
    for (OpenSummaries { entry, file }, wrongs) in all.iter().zip(wrongs) {
        sound.extend(file.as_ref().ok().filter(|_| wrongs.is_empty()));
        let path = dir.path(entry.number, FileKind::Summaries);
        wrongs.into_iter().for_each(|wrong| findings.run(&path, wrong));
        report.files += 1;
        report.bytes += entry.length;
    }
    Ok(sound)
}

/// Returns the path of a segment of a run, or, after the last one, of the postings.
fn path_of(dir: &Dir, entry: &RunEntry, index: usize) -> PathBuf {
    match entry.segments.get(index) {
        Some(file) => dir.path(file.number, FileKind::Segment),
        None => dir.path(entry.postings.number, FileKind::Postings),
    }
}

/// Checks table 0 and postings of each run against each other. Returns the runs that can be compared with the
/// catalog, and the number ranges of the others.
fn join<'a>(
    entries: &'a [RunEntry],
    runs: &'a [OpenRun],
    sound: &[Sound],
    options: &CheckOptions,
    ticker: &Ticker<'_>,
    findings: &mut Findings,
) -> Result<(Vec<Joined<'a>>, Vec<Range<u64>>)> {
    let (mut joined, mut left_out) = (Vec::new(), Vec::new());
    ticker.start("check postings", Some(entries.iter().map(|entry| entry.fingerprints / 128).sum()), "blocks")?;
    for ((entry, run), sound) in entries.iter().zip(runs).zip(sound) {
        let both = (run.segments.first(), &run.postings);
        if let (Some(Ok(table)), Ok(postings)) = both
            && sound.postings
            && sound.segments[0]
        {
            let run = Joined { entry, table, postings };
            let pieces: Vec<Range<u64>> = run.pieces().collect();
            let digests =
                in_parallel(pieces.len(), options.threads, &|index| run.sound_piece(pieces[index].clone(), ticker))?;
            // A run in which a piece is wrong is read again, to name all faults in the order of its blocks.
            let wrongs = if run.has_digest(digests) { Vec::new() } else { run.verify(ticker)? };
            if wrongs.is_empty() {
                joined.push(run);
                continue;
            }
            wrongs.into_iter().for_each(|wrong| findings.run(postings.source().path(), wrong));
        }
        findings.note(format!(
            "the run of the documents {}..{} is damaged and was not compared with the catalog",
            entry.low, entry.high
        ));
        left_out.push(entry.low..entry.high);
    }
    Ok((joined, left_out))
}

fn note_unnamed(dir: &Dir, manifest: &Manifest, findings: &mut Findings) {
    let named = |number: u64| manifest.files().any(|file| file.number == number);
    match dir.files_without(named) {
        Ok(files) => {
            for path in files {
                let why = "no manifest names it; the next opening for writing removes it";
                findings.note(format!("{}: {why}", path.display()));
            }
        }
        Err(error) => findings.run(dir.root(), error),
    }
}

/// Checks the catalog, alone and against the runs.
fn verify_catalog(
    dir: &Dir,
    rows: &CheckedRows<'_>,
    manifest: Option<&Manifest>,
    options: &CheckOptions,
    report: &mut CheckReport,
    findings: &mut Findings,
) -> Result<()> {
    let known = state::verify(rows.catalog, rows.state, manifest, findings);
    let mut sample = Sample::new(options.sample_recall.unwrap_or(0), options.seed);
    let mut look = Look::new(findings, known.as_ref(), &mut sample);
    report.rows = rows.verify(&mut look)?;
    report.documents = look.counted;
    if !rows.lives_known {
        findings.note("it is unknown which documents are deleted, so runs and catalog were not compared".into());
    }
    if options.sample_recall.is_none() {
        return Ok(());
    }
    let snapshot = manifest.map(|manifest| {
        let mut snapshot = Snapshot::open(dir, manifest.clone(), Verify::Always, None)?;
        snapshot.catch_up(rows.catalog)?;
        Ok(snapshot)
    });
    match snapshot {
        Some(Ok(snapshot)) => {
            let compared = recall::compare(rows.catalog, rows.state, &snapshot, &mut sample, findings, rows.ticker);
            match compared {
                Ok((queries, matches)) => (report.queries, report.matches) = (Some(queries), matches),
                Err(Error::Cancelled) => return Err(Error::Cancelled),
                Err(error) => findings.catalog(error),
            }
        }
        Some(Err(error)) if error.is_of_environment() => findings.catalog(error),
        Some(Err(Error::Io { .. } | Error::Missing { .. } | Error::Inconsistent { .. } | Error::Corrupt { .. }))
        | None => {
            findings.note("the database cannot be queried as it is: recall was not sampled".into());
        }
        Some(Err(error)) => findings.catalog(error),
    }
    Ok(())
}

#[cfg(test)]
mod tests;
