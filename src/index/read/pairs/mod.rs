//! All pairs of stored fingerprints within k bits (Manku 2007, 3.1), from the runs.
//!
//! Every table of a run is sorted by the bits that its probes match exactly. So all pairs that a table can find are
//! in groups of neighbours with equal leading bits: one pass over each table finds them all, as streams. A pair is
//! reported by the first table whose leading bits agree, so each is reported once.
//!
//! Runs of the most frequent scheme are merged as they are read; the fingerprints of other runs and of the memtable
//! are permuted and sorted again, externally if necessary.

mod group;

use std::path::Path;
use std::sync::Arc;

use group::PrefixGroup;
use nddb_format::permutation::Table;
use nddb_format::scheme::Scheme;
use nddb_format::{Fingerprint, FormatError};

use crate::read::snapshot::Snapshot;
use crate::runs::merge::merged;
use crate::runs::run::Run;
use crate::spill::mapped_rows::{MappedRows, MappedRowsWriter};
use crate::spill::progress::{Progress, Ticker, or_unwatched};
use crate::spill::resources::Resources;
use crate::spill::sort::Sorter;
use crate::within::Within;
use crate::{Error, Result};

/// Fingerprints between two progress reports.
const REPORT: u64 = 1 << 18;

impl Snapshot {
    /// See `View::close_pairs`.
    pub(crate) fn close_pairs(
        &self,
        within: Within,
        resources: &Resources,
        watch: Option<&mut (dyn FnMut(&Progress) -> bool + Send)>,
    ) -> Result<impl Iterator<Item = Result<(Fingerprint, Fingerprint)>> + use<>> {
        if within.0 > self.manifest.k {
            return Err(Error::OutOfRange { what: "k", requested: within.0.into(), limit: self.manifest.k.into() });
        }
        let (folder, memory_limit) = (&*resources.folder, resources.memory_limit / 2);
        let scheme = self.common_scheme()?;
        let (same, other): (Vec<&Arc<Run>>, Vec<&Arc<Run>>) =
            self.runs.iter().partition(|run| run.entry.scheme.tables() == scheme.tables());
        let rest = self.rest(&other, memory_limit, folder)?;
        let stored = same.iter().map(|run| run.entry.fingerprints).sum::<u64>() + rest.len() as u64;
        let ticker = Ticker::new(or_unwatched(watch));
        ticker.start("pairs", Some(stored * scheme.tables().len() as u64), "fingerprints")?;
        let mut found = Sorter::<2>::new(folder, memory_limit).on(resources.threads);
        for (ordinal, table) in scheme.tables().iter().enumerate() {
            let sorted = permuted(&rest, table, memory_limit, folder)?;
            let mut group = PrefixGroup::new(&scheme, ordinal, within);
            let mut seen = 0;
            let mut emit = |a: u64, b: u64| found.push([a.min(b), a.max(b)]);
            let mut take = |values: &[u64]| {
                seen += values.len() as u64;
                if seen >= REPORT {
                    ticker.add(std::mem::take(&mut seen))?;
                }
                group.push(values, &mut emit)
            };
            pass(&same, ordinal, &sorted, &mut take)?;
            group.finish(&mut emit)?;
            same.iter().for_each(|run| run.segments[ordinal].segment().source().forget());
        }
        Ok(found.finish().into_rows()?.map(|row| row.map(|[a, b]| (Fingerprint(a), Fingerprint(b)))))
    }

    /// Returns the scheme of the runs with the most fingerprints; without runs, a cheap one.
    fn common_scheme(&self) -> Result<Scheme> {
        let runs = &self.runs;
        let weight = |scheme: &Scheme| -> u64 {
            let same = runs.iter().filter(|run| run.entry.scheme.tables() == scheme.tables());
            same.map(|run| run.entry.fingerprints).sum()
        };
        // Of equal weights, the first.
        match runs.iter().rev().map(|run| &run.entry.scheme).max_by_key(|scheme| weight(scheme)) {
            Some(scheme) => Ok(scheme.clone()),
            None => {
                let (bits, k) = (self.manifest.bits, self.manifest.k);
                let levels = if k + 2 <= bits { vec![k + 2] } else { Vec::new() };
                Scheme::new(bits, k, &levels, 0).map_err(Error::format(&self.path))
            }
        }
    }

    /// Returns the fingerprints of the memtable and of these runs, each at least once.
    fn rest(&self, runs: &[&Arc<Run>], memory_limit: u64, folder: &Path) -> Result<MappedRows<1>> {
        let mut sorter = Sorter::<1>::new(folder, memory_limit);
        for run in runs {
            let file = &run.segments[0];
            let mut failed = Ok(());
            let outcome: Result<(), FormatError> = file.segment().scan(0, u64::MAX, &mut |values: &[u64]| {
                if failed.is_ok() {
                    failed = values.iter().try_for_each(|&value| sorter.push([value]));
                }
                Ok(())
            });
            outcome.map_err(Error::format(file.path()))?;
            failed?;
            file.check_readable()?;
        }
        self.memtable.entries().try_for_each(|(print, _)| sorter.push([print]))?;
        distinct(sorter, folder)
    }
}

/// Returns the distinct rows of a sorter.
fn distinct(sorter: Sorter<1>, folder: &Path) -> Result<MappedRows<1>> {
    let mut writer = MappedRowsWriter::new(folder)?;
    let mut last = None;
    sorter.finish().each(&mut |rows| {
        for row in rows {
            if last.replace(*row) != Some(*row) {
                writer.push(row)?;
            }
        }
        Ok(())
    })?;
    writer.finish()
}

/// Returns fingerprints in the order of a table.
fn permuted(prints: &MappedRows<1>, table: &Table, memory_limit: u64, folder: &Path) -> Result<MappedRows<1>> {
    let mut sorter = Sorter::<1>::new(folder, memory_limit);
    prints.iter().try_for_each(|[print]| sorter.push([table.permute(Fingerprint(print)).0]))?;
    distinct(sorter, folder)
}

/// Passes all distinct values of a table to `take`, ascending.
fn pass(
    runs: &[&Arc<Run>],
    ordinal: usize,
    sorted: &MappedRows<1>,
    take: &mut dyn FnMut(&[u64]) -> Result<()>,
) -> Result<()> {
    if let ([run], 0) = (runs, sorted.len()) {
        let file = &run.segments[ordinal];
        file.segment().source().sequential();
        // An error of the format has no file name, so it is added here; other errors are passed on unchanged.
        let outcome = file.segment().scan(0, u64::MAX, &mut |values: &[u64]| take(values).map_err(Scanned::Other));
        outcome.map_err(|error| match error {
            Scanned::Format(error) => Error::format(file.path())(error),
            Scanned::Other(error) => error,
        })?;
        return file.check_readable();
    }
    let mut streams = merged(runs.iter().copied(), ordinal)?;
    let (mut sorted, mut stretch) = (sorted.iter().flatten().peekable(), Vec::with_capacity(4096));
    while let Some(value) = streams.head().into_iter().chain(sorted.peek().copied()).min() {
        while streams.head() == Some(value) {
            streams.pop()?;
        }
        while sorted.next_if_eq(&value).is_some() {}
        stretch.push(value);
        if stretch.len() == 4096 {
            take(&stretch)?;
            stretch.clear();
        }
    }
    take(&stretch)
}

/// The reason why a scan ended.
enum Scanned {
    Format(FormatError),
    Other(Error),
}

impl From<FormatError> for Scanned {
    fn from(error: FormatError) -> Self {
        Self::Format(error)
    }
}

#[cfg(test)]
mod tests;
