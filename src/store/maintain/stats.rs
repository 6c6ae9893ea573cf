//! What is in a database, by counting what is counted already: nothing is read from front to back but
//! the numbers of pending batches.

use nddb_format::fields;
use nddb_format::manifest::{FileEntry, RunEntry};
use nddb_format::record::RangeState;
use nddb_format::scheme::Scheme;

use crate::Result;
use crate::store::disk::dir::Kind;
use crate::store::read::view::View;

/// What is in a database.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    /// Documents that everybody sees.
    pub documents: u64,
    /// Documents of pending batches, which nobody sees yet.
    pub pending: u64,
    /// Numbers in the deleted set: documents that were deleted or replaced, until compactions have dropped
    /// them and the set is written anew.
    pub deleted: u64,
    /// Distinct fingerprints of each run and of the memtable, summed.
    pub fingerprints: u64,
    /// The memtable: documents in the catalog that are in no run yet, deleted ones included.
    pub memtable_documents: u64,
    /// Its distinct fingerprints.
    pub memtable_fingerprints: u64,
    /// The runs, ascending by document numbers.
    pub runs: Vec<RunStats>,
    /// The schemes of the runs, in the order they first appear.
    pub schemes: Vec<SchemeStats>,
    /// Bytes by kind.
    pub bytes: BytesByKind,
    /// Version of the format that this library writes, and the least version of a reader of it.
    pub format: u16,
    /// Label of the recipe.
    pub recipe: String,
    /// Number of the manifest.
    pub generation: u64,
    /// Commits so far.
    pub commits: u64,
    /// The next document number.
    pub next_number: u64,
    /// Greatest distance answered.
    pub k: u8,
    /// Width of a fingerprint.
    pub bits: u8,
}

/// A run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunStats {
    /// Least document number of its range.
    pub low: u64,
    /// One more than its greatest.
    pub high: u64,
    /// Documents, deleted ones included.
    pub documents: u64,
    /// Distinct fingerprints.
    pub fingerprints: u64,
    /// How often, at most, a document of it has been rewritten by merges.
    pub rewrites: u8,
    /// Levels of its scheme.
    pub levels: Vec<u8>,
    /// Tables of its scheme.
    pub tables: usize,
    /// Restart interval of its scheme.
    pub restart: u16,
    /// Bytes of all its files.
    pub bytes: u64,
    /// Its files, the segments in the order of the tables and then the postings.
    pub files: Vec<FileStats>,
}

/// A file of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct FileStats {
    /// Its name under `runs/`.
    pub name: String,
    /// Its bytes.
    pub bytes: u64,
    /// For a segment: all its bits by its fingerprints.
    pub bits_per_fingerprint: Option<f64>,
}

/// A scheme that runs have.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemeStats {
    /// Its levels.
    pub levels: Vec<u8>,
    /// Its restart interval.
    pub restart: u16,
    /// Number of its tables.
    pub tables: usize,
    /// Runs that have it.
    pub runs: u64,
    /// Their fingerprints.
    pub fingerprints: u64,
    /// For each table: all bits of its segments, headers, indexes and footers counted, by its fingerprints.
    pub bits_per_fingerprint: Vec<f64>,
}

/// Where the space goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BytesByKind {
    /// Segments.
    pub segments: u64,
    /// Postings.
    pub postings: u64,
    /// The deleted set's file.
    pub deleted: u64,
    /// The catalog, with its log.
    pub catalog: u64,
    /// MANIFEST.
    pub manifest: u64,
}

impl BytesByKind {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.segments + self.postings + self.deleted + self.catalog + self.manifest
    }
}

impl View<'_> {
    /// What is in the database. Cheap, unless batches are pending: then their numbers are counted.
    ///
    /// # Errors
    /// Damage of the catalog.
    pub fn stats(&self) -> Result<Stats> {
        let (snapshot, settings) = (self.snapshot, self.settings);
        let manifest = &snapshot.manifest;
        let counters = self.catalog.counters()?;
        let pending = self.pending_documents()?;
        let memtable = &snapshot.memtable;
        let memtable_fingerprints = memtable.entries().count() as u64;
        let in_runs: u64 = manifest.runs.iter().map(|run| run.fingerprints).sum();
        let postings = manifest.runs.iter().map(|run| run.postings.length).sum();
        let segments = manifest.runs.iter().flat_map(|run| &run.segments).map(|file| file.length).sum();
        Ok(Stats {
            documents: counters.live.saturating_sub(pending),
            pending,
            deleted: snapshot.deleted.len(),
            fingerprints: in_runs + memtable_fingerprints,
            memtable_documents: memtable.len() as u64,
            memtable_fingerprints,
            runs: manifest.runs.iter().map(|run| self.run_stats(run)).collect(),
            schemes: scheme_stats(&manifest.runs),
            bytes: BytesByKind {
                segments,
                postings,
                deleted: manifest.deleted.map_or(0, |file| file.length),
                catalog: self.dir.catalog_size(),
                manifest: manifest.encode().len() as u64,
            },
            format: fields::FORMAT,
            recipe: settings.recipe.clone(),
            generation: manifest.generation,
            commits: counters.commits,
            next_number: counters.next_number,
            k: settings.k,
            bits: settings.bits,
        })
    }

    /// Documents of pending batches that are not deleted.
    fn pending_documents(&self) -> Result<u64> {
        let mut pending = 0;
        for numbers in self.snapshot.ranges.in_state(RangeState::Pending) {
            self.catalog.prints(numbers.start, &mut |number, _| {
                pending += u64::from(number < numbers.end && !self.snapshot.deleted.contains(number));
                Ok(number < numbers.end)
            })?;
        }
        Ok(pending)
    }

    fn run_stats(&self, run: &RunEntry) -> RunStats {
        let name = |file: &FileEntry, kind| {
            let path = self.dir.path(file.number, kind);
            path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let segments = run.segments.iter().map(|file| FileStats {
            name: name(file, Kind::Segment),
            bytes: file.length,
            bits_per_fingerprint: Some(bits_per(file.length, run.fingerprints)),
        });
        let postings = FileStats {
            name: name(&run.postings, Kind::Postings),
            bytes: run.postings.length,
            bits_per_fingerprint: None,
        };
        let files: Vec<FileStats> = segments.chain([postings]).collect();
        RunStats {
            low: run.low,
            high: run.high,
            documents: run.documents,
            fingerprints: run.fingerprints,
            rewrites: run.rewrites,
            levels: run.scheme.levels().to_vec(),
            tables: run.scheme.tables().len(),
            restart: run.scheme.restart(),
            bytes: files.iter().map(|file| file.bytes).sum(),
            files,
        }
    }
}

fn bits_per(bytes: u64, fingerprints: u64) -> f64 {
    bytes as f64 * 8.0 / fingerprints as f64
}

fn scheme_stats(runs: &[RunEntry]) -> Vec<SchemeStats> {
    let mut schemes: Vec<&Scheme> = Vec::new();
    for run in runs {
        if !schemes.contains(&&run.scheme) {
            schemes.push(&run.scheme);
        }
    }
    let stats = |scheme: &Scheme| {
        let runs: Vec<&RunEntry> = runs.iter().filter(|run| run.scheme == *scheme).collect();
        let fingerprints = runs.iter().map(|run| run.fingerprints).sum();
        let tables = scheme.tables().len();
        let bytes = |table: usize| runs.iter().map(|run| run.segments[table].length).sum();
        SchemeStats {
            levels: scheme.levels().to_vec(),
            restart: scheme.restart(),
            tables,
            runs: runs.len() as u64,
            fingerprints,
            bits_per_fingerprint: (0..tables).map(|table| bits_per(bytes(table), fingerprints)).collect(),
        }
    };
    schemes.into_iter().map(stats).collect()
}
