//! Checking a set, and making damaged tables again from others.

use std::path::Path;

use nddb_format::manifest::{Manifest, RunEntry};

use super::{ATTEMPTS, FingerprintSet, SetWriter, manifest_of};
use crate::disk::dir::{Dir, FileKind};
use crate::maintain::check::{CheckReport, Findings, Wrong, open_segment, verify_segment};
use crate::maintain::rebuild::restore_segment;
use crate::runs::build::in_parallel;
use crate::spill::progress::{Progress, Ticker};
use crate::{Error, NextStep, Result};

/// Reads a whole segment.
fn verify(dir: &Dir, entry: &RunEntry, ordinal: usize, ticker: &Ticker<'_>) -> Result<Vec<Wrong>> {
    match open_segment(dir, entry, ordinal) {
        Ok(segment) => verify_segment(&segment, &entry.segments[ordinal], ticker),
        Err(wrong) => Ok(vec![wrong.of_the_file()?]),
    }
}

/// Reads all segments of a manifest, some at a time. Returns what is wrong with each table of each run.
fn verify_all(dir: &Dir, manifest: &Manifest, threads: usize, ticker: &Ticker<'_>) -> Result<Vec<Vec<Vec<Wrong>>>> {
    ticker.start("check files", Some(manifest.files().map(|file| file.length).sum()), "bytes")?;
    let tables = manifest.runs.iter().flat_map(|run| (0..run.segments.len()).map(move |ordinal| (run, ordinal)));
    let tables: Vec<(&RunEntry, usize)> = tables.collect();
    let verify_one = |index: usize| verify(dir, tables[index].0, tables[index].1, ticker);
    let mut wrongs = in_parallel(tables.len(), threads, &verify_one)?.into_iter();
    Ok(manifest.runs.iter().map(|run| wrongs.by_ref().take(run.segments.len()).collect()).collect())
}

impl FingerprintSet {
    /// Checks a set: all checksums, the order, keys, filters, counts and digests of all tables. Faults are in the
    /// report; they are not errors.
    ///
    /// # Errors
    /// [`Error::NotADatabase`], [`Error::Newer`], [`Error::Cancelled`], [`Error::Busy`]; errors that say nothing about
    /// the set, such as a missing permission.
    pub fn check(
        path: impl AsRef<Path>,
        threads: usize,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<CheckReport> {
        let dir = Dir::open(path.as_ref())?;
        let ticker = Ticker::new(watch);
        for _ in 0..ATTEMPTS {
            let mut findings = Findings::new(dir.root(), dir.catalog());
            let mut report = CheckReport::default();
            match manifest_of(&dir) {
                Ok(manifest) => {
                    let wrongs = verify_all(&dir, &manifest, threads, &ticker)?;
                    let is_sound = wrongs.iter().flatten().all(Vec::is_empty);
                    if !is_sound && manifest_of(&dir)?.generation != manifest.generation {
                        continue;
                    }
                    for (run, wrongs) in manifest.runs.iter().zip(wrongs) {
                        tell(&dir, run, wrongs, &mut findings);
                    }
                    report.generation = Some(manifest.generation);
                    report.runs = manifest.runs.len() as u64;
                    report.files = manifest.files().count() as u64;
                    report.bytes = manifest.files().map(|file| file.length).sum();
                    report.fingerprints =
                        manifest.runs.iter().map(|run| run.fingerprints * run.segments.len() as u64).sum();
                }
                Err(error @ (Error::Corrupt { .. } | Error::Inconsistent { .. })) => {
                    findings.push(&dir.manifest_path(), error.into(), AGAIN.into(), false);
                }
                Err(error) => return Err(error),
            }
            (report.faults, report.omitted, report.notes) = (findings.faults, findings.omitted, findings.notes);
            return Ok(report);
        }
        Err(Error::Busy { path: dir.root().into() })
    }
}

/// What to do against damage that the set itself cannot repair.
const AGAIN: &str = "it cannot be made again from the set itself: load its fingerprints again into a new set";

/// Adds what is wrong with the tables of a run.
fn tell(dir: &Dir, run: &RunEntry, wrongs: Vec<Vec<Wrong>>, findings: &mut Findings) {
    let repairable = wrongs.iter().any(Vec::is_empty);
    let next = if repairable { NextStep::Repair(dir.root().into()) } else { AGAIN.into() };
    for (file, wrongs) in run.segments.iter().zip(wrongs) {
        let path = dir.path(file.number, FileKind::Segment);
        wrongs.into_iter().for_each(|wrong| findings.push(&path, wrong, next.clone(), repairable));
    }
}

impl SetWriter {
    /// Makes damaged and missing tables again, each from a sound one of its run: the same set gives the same bytes.
    /// Returns the number of these tables.
    ///
    /// # Errors
    /// [`Error::BeyondRepair`] if no table of a run is sound: the other runs are repaired then; errors of the disk.
    pub fn rebuild(&mut self) -> Result<u64> {
        let (mut next, mut made, mut lost) = (self.manifest.clone(), 0, None);
        let ticker = Ticker::new(&mut *self.watch);
        let wrongs = verify_all(&self.dir, &self.manifest, 1, &ticker)?;
        for (run, wrongs) in next.runs.iter_mut().zip(wrongs) {
            let damaged = (0..wrongs.len()).filter(|&table| !wrongs[table].is_empty());
            let Some(sound) = wrongs.iter().position(Vec::is_empty) else {
                lost = Some(self.dir.path(run.segments[0].number, FileKind::Segment));
                continue;
            };
            for ordinal in damaged {
                self.dir.need_space(run.segments[ordinal].length)?;
                let at = (&self.dir, next.next_file);
                let (file, _) = restore_segment(at, run, sound, ordinal, self.memory_limit, &ticker)?;
                if file.identity != run.segments[ordinal].identity {
                    let what = "its identity in MANIFEST is not that of the fingerprints of the other tables".into();
                    return Err(Error::Inconsistent { path: self.dir.path(file.number, FileKind::Segment), what });
                }
                run.segments[ordinal] = file;
                (next.next_file, made) = (next.next_file + 1, made + 1);
            }
        }
        if made > 0 {
            self.publish(next)?;
        }
        match lost {
            Some(path) => Err(Error::BeyondRepair { path, what: "no table of its run is sound".into() }),
            None => Ok(made),
        }
    }
}
