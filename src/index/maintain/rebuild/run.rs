//! Rebuilding a run, or some of its files.

use nddb_format::digest::Digest;
use nddb_format::manifest::{FileEntry, RunEntry};
use nddb_format::record::Settings;
use nddb_format::scheme::Scheme;
use nddb_format::segment::{Segment, Survey};
use nddb_format::{FormatError, Permuted};

use super::{ROWS, RUN_MAX, Rebuild, RebuildWhat, Slot, Tally, beyond_repair};
use crate::disk::dir::Dir;
use crate::disk::map::Mapped;
use crate::maintain::check::{Joined, open_postings, open_segment, unless_damaged, verify_paged, verify_segment};
use crate::runs::build::{Entry, files_of, in_parallel, run_size, write_postings, write_segment};
use crate::runs::contents::{Contents, run_of};
use crate::runs::planner;
use crate::spill::progress::Ticker;
use crate::spill::sort::Sorter;
use crate::{Error, Result};

/// Blocks decoded at a time.
const STRETCH: u64 = 1024;

impl Rebuild<'_> {
    /// Returns the runs for the documents of a slot: the existing one, if sound, or a repaired or a rebuilt one.
    pub(crate) fn slot(&mut self, slot: &Slot) -> Result<Vec<RunEntry>> {
        if self.options.what == RebuildWhat::Damaged
            && let Some(entry) = &slot.entry
            && let Some(mended) = self.mend(entry, slot)?
        {
            let (keys, summaries) = (self.mend_keys(&mended)?, self.mend_summaries(&mended)?);
            let mended = RunEntry { keys, summaries, ..mended };
            self.rebuilt.runs_kept += u64::from(mended == *entry);
            return Ok(vec![mended]);
        }
        let runs = self.make(slot)?;
        let whole = |run: RunEntry| {
            let (keys, summaries) = (self.make_keys(&run)?, self.make_summaries(&run)?);
            Ok(RunEntry { keys, summaries, ..run })
        };
        runs.into_iter().map(whole).collect()
    }

    /// Restores the files of a run that are missing or damaged. `None` if the remaining files do not suffice, or if
    /// the run is not that of the catalog.
    fn mend(&mut self, entry: &RunEntry, slot: &Slot) -> Result<Option<RunEntry>> {
        let size = entry.postings.length + entry.segments.iter().map(|file| file.length).sum::<u64>();
        self.ticker.start("check files", Some(size), "bytes")?;
        let tables = entry.segments.len();
        let (dir, ticker) = (self.dir, self.ticker);
        let sound = in_parallel(tables + 1, self.options.threads, &|index| {
            let wrongs = match entry.segments.get(index) {
                Some(file) => unless_damaged(open_segment(dir, entry, index))?
                    .map(|segment| verify_segment(&segment, file, ticker)),
                None => unless_damaged(open_postings(dir, entry))?
                    .map(|postings| verify_paged(&postings, &entry.postings, &|| postings.verify(), ticker)),
            };
            wrongs.map_or(Ok(false), |wrongs| Ok(wrongs?.is_empty()))
        })?;
        let Some(sibling) = sound[..tables].iter().position(|&sound| sound) else { return Ok(None) };
        let mut mended = entry.clone();
        for ordinal in (0..tables).filter(|&ordinal| !sound[ordinal]) {
            self.dir.need_space(entry.segments[ordinal].length)?;
            let (number, memory) = (self.take_files(1), self.options.memory_limit);
            let (file, survey) = restore_segment((self.dir, number), entry, sibling, ordinal, memory, self.ticker)?;
            if (survey.count(), survey.digest()) != (entry.fingerprints, entry.set_digest) {
                return Ok(None);
            }
            mended.segments[ordinal] = file;
        }
        if !sound[tables] {
            let Some((file, documents)) = self.restore_postings(&mended)? else { return Ok(None) };
            (mended.postings, mended.documents) = (file, documents);
        }
        if self.is_as_the_catalog_says(&mended, slot)? {
            self.rebuilt.segments += sound[..tables].iter().filter(|&&sound| !sound).count() as u64;
            self.rebuilt.postings += u64::from(!sound[tables]);
            return Ok(Some(mended));
        }
        Ok(None)
    }

    /// Builds the postings of a run whose segments are sound. Their contents are those from before, or else all
    /// documents of the catalog (including deleted ones) with fingerprints of the run. `None` if a fingerprint has no
    /// document.
    fn restore_postings(&mut self, entry: &RunEntry) -> Result<Option<(FileEntry, u64)>> {
        let Some(table) = unless_damaged(open_segment(self.dir, entry, 0))? else { return Ok(None) };
        let pairs = match self.pairs_of(entry)? {
            Some(pairs) => pairs,
            None => {
                let (mut pairs, high) = self.pairs(entry.low, entry.high, false)?;
                pairs.sort_unstable();
                if high < entry.high || !keep_held(&mut pairs, &table, self.ticker)? {
                    return Ok(None);
                }
                pairs
            }
        };
        let mut ranks = Vec::with_capacity(table.block_len() as usize);
        let mut rank = 0;
        for block in 0..table.block_len() {
            ranks.push(rank);
            let opened = table.block(block).map_err(|error| Error::format(table.source().path())(error))?;
            rank += opened.len() as u64;
        }
        self.dir.need_space(entry.postings.length + pairs.len() as u64 * 7)?;
        let number = self.take_files(1);
        let range = (entry.low, entry.high);
        let (file, survey) = write_postings(self.dir, number, range, entry.scheme.restart(), &ranks, &|sink| {
            let mut last = None;
            for &(fingerprint, number) in &pairs {
                if last.replace(fingerprint) != Some(fingerprint) {
                    sink(Entry::Fingerprint(fingerprint))?;
                }
                sink(Entry::Number(number))?;
            }
            Ok(())
        })?;
        self.dir.sync_runs()?;
        Ok(Some((file, survey.documents())))
    }

    /// Returns whether the live documents of a run are those of the catalog, and table 0 and postings agree.
    fn is_as_the_catalog_says(&self, entry: &RunEntry, slot: &Slot) -> Result<bool> {
        self.ticker.start("compare runs", Some(entry.fingerprints / 128), "blocks")?;
        Ok(self.live_pairs(entry)?.is_some_and(|live| live == slot.live))
    }

    /// Sums the live documents of a run, or of a key table as a run of keys; `None` if table 0 and postings disagree.
    pub(super) fn live_pairs(&self, entry: &RunEntry) -> Result<Option<Tally>> {
        let (Ok(table), Ok(postings)) = (open_segment(self.dir, entry, 0), open_postings(self.dir, entry)) else {
            return Ok(None);
        };
        let run = Joined { entry, table: &table, postings: &postings };
        if !run.verify(self.ticker)?.is_empty() {
            return Ok(None);
        }
        let mut live = Tally::default();
        let mut add = |fingerprint, number| {
            if self.state.is_counted(number) {
                live.add(fingerprint, number);
            }
            Ok(())
        };
        run.each_pair(&mut add, self.ticker)?;
        Ok(Some(live))
    }

    /// Builds runs from the catalog for the documents of a slot: with the same documents as before if all of them still
    /// exist, else with the live documents.
    fn make(&mut self, slot: &Slot) -> Result<Vec<RunEntry>> {
        let same = match &slot.entry {
            Some(entry) => self.pairs_of(entry)?,
            None => None,
        };
        let mut runs = Vec::new();
        if let Some(pairs) = same {
            runs.push(self.make_run(slot, (slot.low, slot.high), pairs)?);
        } else {
            let mut low = slot.low;
            while low < slot.high {
                let (pairs, high) = self.pairs(low, slot.high, true)?;
                if !pairs.is_empty() {
                    runs.push(self.make_run(slot, (low, high), pairs)?);
                }
                low = high;
            }
        }
        self.rebuilt.runs += runs.len() as u64;
        self.rebuilt.runs_dropped += u64::from(runs.is_empty() && slot.entry.is_some());
        self.rebuilt.documents += runs.iter().map(|run| run.documents).sum::<u64>();
        self.rebuilt.fingerprints += runs.iter().map(|run| run.fingerprints).sum::<u64>();
        Ok(runs)
    }

    fn make_run(&mut self, slot: &Slot, range: (u64, u64), pairs: Vec<(u64, u64)>) -> Result<RunEntry> {
        self.ticker.start("make run", Some(pairs.len() as u64), "documents")?;
        let scheme = match &slot.entry {
            Some(entry) => entry.scheme.clone(),
            None => self.scheme_for(pairs.len() as u64)?,
        };
        self.dir.need_space(run_size(&scheme, pairs.len() as u64, 0))?;
        let first = self.take_files(files_of(&scheme));
        let contents = Contents { pairs, ..Contents::default() };
        run_of(self.dir, first, &scheme, range, contents, self.options.threads, self.ticker)
    }

    /// Returns the scheme of a new run: the one fixed for the database, or the planner's.
    fn scheme_for(&self, documents: u64) -> Result<Scheme> {
        let Settings { bits, k, restart, levels, .. } = &self.state.settings;
        let chosen = planner::scheme_of_run((*bits, *k, *restart), levels.as_deref(), documents);
        chosen.map_err(Error::format(self.catalog.path()))
    }

    /// Returns the sorted pairs from which a run was built: including documents deleted since, or excluding those that
    /// a compaction left out. `None` if the catalog has other pairs, or too many.
    fn pairs_of(&self, entry: &RunEntry) -> Result<Option<Vec<(u64, u64)>>> {
        for live_only in [false, true] {
            let (mut pairs, high) = self.pairs(entry.low, entry.high, live_only)?;
            if high == entry.high && pairs.len() as u64 == entry.documents {
                pairs.sort_unstable();
                let mut set = Digest::default();
                let mut last = None;
                for &(fingerprint, _) in &pairs {
                    if last.replace(fingerprint) != Some(fingerprint) {
                        set.add_fingerprint(fingerprint);
                    }
                }
                if set == entry.set_digest {
                    return Ok(Some(pairs));
                }
            }
        }
        Ok(None)
    }

    /// Returns up to [`RUN_MAX`] printed documents with numbers in `low..high`, with deleted ones or without, and
    /// the number up to which these are complete.
    fn pairs(&self, low: u64, high: u64, live_only: bool) -> Result<(Vec<(u64, u64)>, u64)> {
        self.ticker.start("read catalog", None, "documents")?;
        let mut pairs = Vec::new();
        let mut end = high;
        let outcome = self.catalog.prints(low, &mut |number, print| {
            if number >= high {
                return Ok(false);
            }
            if pairs.len() as u64 == RUN_MAX {
                end = number;
                return Ok(false);
            }
            if !print.unprinted && (!live_only || self.state.is_counted(number)) {
                pairs.push((print.fingerprint, number));
                if (pairs.len() as u64).is_multiple_of(ROWS) {
                    self.ticker.add(ROWS)?;
                }
            }
            Ok(true)
        });
        outcome.map_err(|error| beyond_repair(self.dir, error))?;
        Ok((pairs, end))
    }
}

/// Keeps the sorted pairs whose fingerprints are in a table 0. Returns whether each of these fingerprints has a
/// pair.
fn keep_held(
    pairs: &mut Vec<(u64, u64)>,
    table: &Segment<Mapped>,
    ticker: &crate::spill::progress::Ticker<'_>,
) -> Result<bool> {
    let (mut at, mut kept, mut whole) = (0, 0, true);
    each_value(
        table,
        &mut |fingerprint| {
            while pairs.get(at).is_some_and(|pair| pair.0 < fingerprint) {
                at += 1;
            }
            whole &= pairs.get(at).is_some_and(|pair| pair.0 == fingerprint);
            while pairs.get(at).is_some_and(|pair| pair.0 == fingerprint) {
                pairs[kept] = pairs[at];
                (at, kept) = (at + 1, kept + 1);
            }
            Ok(())
        },
        ticker,
    )?;
    pairs.truncate(kept);
    Ok(whole)
}

/// Builds a segment from another table of the same run, under a new number. The same set gives the same bytes, except
/// that a segment of version 1 may get a filter.
pub(crate) fn restore_segment(
    (dir, number): (&Dir, u64),
    entry: &RunEntry,
    sibling: usize,
    ordinal: usize,
    memory_limit: u64,
    ticker: &Ticker<'_>,
) -> Result<(FileEntry, Survey)> {
    ticker.start("restore segment", Some(entry.fingerprints), "fingerprints")?;
    let (from, to) = (&entry.scheme.tables()[sibling], &entry.scheme.tables()[ordinal]);
    let source = open_segment(dir, entry, sibling).map_err(|wrong| Error::Inconsistent {
        path: dir.path(entry.segments[sibling].number, crate::disk::dir::FileKind::Segment),
        what: wrong.what,
    })?;
    let mut sorter = Sorter::new(&dir.scratch()?, memory_limit);
    let mut push = |value| sorter.push([to.permute(from.unpermute(Permuted(value))).0]);
    each_value(&source, &mut push, ticker)?;
    let permuted = sorter.finish();
    let (file, survey, _) = write_segment(dir, number, &entry.scheme, ordinal, &|sink| {
        permuted.each(&mut |rows| sink(rows.as_flattened()))
    })?;
    dir.sync_runs()?;
    Ok((file, survey))
}

/// Passes all values of a segment to `visit`, verifying each block.
fn each_value(segment: &Segment<Mapped>, visit: &mut dyn FnMut(u64) -> Result<()>, ticker: &Ticker<'_>) -> Result<()> {
    let mut values = Vec::new();
    let mut next = 0;
    while next < segment.block_len() {
        values.clear();
        let outcome: Result<(), FormatError> = segment.scan(next, STRETCH, &mut |stretch: &[u64]| {
            values.extend_from_slice(stretch);
            Ok(())
        });
        outcome.map_err(|error| Error::format(segment.source().path())(error))?;
        values.iter().try_for_each(|&value| visit(value))?;
        ticker.add(values.len() as u64)?;
        next += STRETCH;
    }
    segment.source().check_readable()
}
