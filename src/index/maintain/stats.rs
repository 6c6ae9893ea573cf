//! Statistics of a database from counts that are stored already: only the numbers of pending batches are read one
//! by one.

use std::time::SystemTime;

use nddb_format::manifest::{FileEntry, RunEntry};
use nddb_format::record::RangeState;
use nddb_format::scheme::Scheme;

use crate::Result;
use crate::disk::checked::LastCheck;
use crate::disk::dir::FileKind;
use crate::read::view::View;

/// Statistics of a database.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    /// Number of visible documents.
    pub documents: u64,
    /// Number of documents of pending batches.
    pub pending: u64,
    /// Number of documents in the deleted set: deleted or replaced ones, until compactions have dropped them and
    /// the set is rewritten.
    pub deleted: u64,
    /// Number of distinct fingerprints of each run and of the memtable, summed.
    pub fingerprints: u64,
    /// Number of documents in the memtable: documents in the catalog that are in no run yet, deleted ones included.
    pub memtable_documents: u64,
    /// Number of distinct fingerprints in the memtable.
    pub memtable_fingerprints: u64,
    /// The runs, ascending by document numbers.
    pub runs: Vec<RunStats>,
    /// The schemes of the runs, in the order they first appear.
    pub schemes: Vec<SchemeStats>,
    /// Bytes by kind.
    pub bytes: BytesByKind,
    /// Version of the format that this library writes, and the least version of its readers.
    pub format: u16,
    /// Label of the recipe.
    pub recipe: String,
    /// Number of the manifest.
    pub generation: u64,
    /// Number of commits.
    pub commits: u64,
    /// When the catalog was written last: by a commit, a load or a merge. A copied file may have the time of copying.
    pub committed: Option<SystemTime>,
    /// When MANIFEST was published last: by a flush, a load, a compaction or a merge.
    pub published: Option<SystemTime>,
    /// The last check of the whole database, if one was recorded here.
    pub checked: Option<LastCheck>,
    /// The next document number.
    pub next_number: u64,
    /// Greatest distance that probes answer.
    pub k: u8,
    /// Width of a fingerprint, in bits.
    pub bits: u8,
}

/// Statistics of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunStats {
    /// Least document number of the range.
    pub low: u64,
    /// One more than the greatest document number of the range.
    pub high: u64,
    /// Number of documents, deleted ones included.
    pub documents: u64,
    /// Number of distinct fingerprints.
    pub fingerprints: u64,
    /// The greatest number of merges that have rewritten a document of the run.
    pub rewrites: u8,
    /// Levels of the scheme.
    pub levels: Vec<u8>,
    /// Number of tables of the scheme.
    pub tables: usize,
    /// Restart interval of the scheme.
    pub restart: u16,
    /// Bytes of all files.
    pub bytes: u64,
    /// The files: the segments in the order of the tables, the postings, those of the key table, the summaries.
    pub files: Vec<FileStats>,
}

/// Statistics of a file of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct FileStats {
    /// Name under `runs/`.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
    /// For a segment, bits of the file per fingerprint.
    pub bits_per_fingerprint: Option<f64>,
}

/// Statistics of the runs of a scheme.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemeStats {
    /// Levels of the scheme.
    pub levels: Vec<u8>,
    /// Restart interval of the scheme.
    pub restart: u16,
    /// Number of tables of the scheme.
    pub tables: usize,
    /// Number of runs with the scheme.
    pub runs: u64,
    /// Number of fingerprints in these runs.
    pub fingerprints: u64,
    /// For each table, bits of its segments (headers, indexes and footers included) for each fingerprint.
    pub bits_per_fingerprint: Vec<f64>,
}

/// Bytes on disk by kind of file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BytesByKind {
    /// Bytes of segments.
    pub segments: u64,
    /// Bytes of postings.
    pub postings: u64,
    /// Bytes of key tables.
    pub keys: u64,
    /// Bytes of summaries.
    pub summaries: u64,
    /// Bytes of the deleted set's file.
    pub deleted: u64,
    /// Bytes of the catalog, with its log.
    pub catalog: u64,
    /// Bytes of MANIFEST.
    pub manifest: u64,
}

impl BytesByKind {
    /// Returns the sum.
    pub fn total(&self) -> u64 {
        self.segments + self.postings + self.keys + self.summaries + self.deleted + self.catalog + self.manifest
    }
}

impl View<'_> {
    /// Returns the statistics of the database. This is cheap unless batches are pending, whose numbers must be counted.
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
        let key_tables = manifest.runs.iter().filter_map(|run| run.keys.as_ref());
        let keys = key_tables.map(|table| table.segment.length + table.postings.length).sum();
        let summaries = manifest.runs.iter().filter_map(|run| run.summaries).map(|file| file.length).sum();
        let segments = manifest.runs.iter().flat_map(|run| &run.segments).map(|file| file.length).sum();
        let (catalog, committed) = self.dir.catalog_size();
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
                keys,
                summaries,
                deleted: manifest.deleted.map_or(0, |file| file.length),
                catalog,
                manifest: manifest.encode().len() as u64,
            },
            format: nddb_format::fields::FORMAT,
            recipe: settings.recipe.clone(),
            generation: manifest.generation,
            commits: counters.commits,
            committed,
            published: self.dir.published()?,
            checked: self.dir.last_check(),
            next_number: counters.next_number,
            k: settings.k,
            bits: settings.bits,
        })
    }

    /// Returns the number of documents of pending batches that are not deleted.
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
            name: name(file, FileKind::Segment),
            bytes: file.length,
            bits_per_fingerprint: Some(bits_per(file.length, run.fingerprints)),
        });
        let postings = FileStats {
            name: name(&run.postings, FileKind::Postings),
            bytes: run.postings.length,
            bits_per_fingerprint: None,
        };
        let keys =
            run.keys.iter().flat_map(|table| {
                [(&table.segment, FileKind::Segment), (&table.postings, FileKind::Postings)].map(|(file, kind)| {
                    FileStats { name: name(file, kind), bytes: file.length, bits_per_fingerprint: None }
                })
            });
        let summaries = run.summaries.iter().map(|file| FileStats {
            name: name(file, FileKind::Summaries),
            bytes: file.length,
            bits_per_fingerprint: None,
        });
        let files: Vec<FileStats> = segments.chain([postings]).chain(keys).chain(summaries).collect();
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
