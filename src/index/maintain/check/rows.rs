//! The rows of the catalog against each other and against the runs, in both directions, in bounded memory.
//!
//! Each *relation* has two sides that must have the same (document number, hash) pairs. Each side is read once, in
//! pieces on several threads, and summed into a digest for each bucket of numbers. If two digests differ, the pairs of
//! a few buckets are collected and compared one by one.

use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};

use nddb_format::digest::{Digest, identity};
use nddb_format::fingerprint::low_mask;
use nddb_format::record::{Record, ShownId};
use nddb_format::summaries::Summary;
use roaring::RoaringTreemap;

use super::files::{Joined, Wrong};
use super::findings::Findings;
use super::recall::Sample;
use super::state::{KnownNumbers, LiveState};
use crate::catalog::{Catalog, DocumentKeys, Family};
use crate::keys::{keys_of, summary_of};
use crate::runs::summaries::SummariesFile;
use crate::spill::parallel::each_in_order;
use crate::spill::progress::Ticker;
use crate::{Error, Result};

/// Maximum number of buckets of a relation.
const BUCKETS_MAX: u64 = 1 << 16;
/// Maximum number of document numbers whose pairs are collected to find the differing ones.
const GATHERED_MAX: u64 = 1 << 20;
/// Maximum number of differences named for each relation.
const NAMED_MAX: usize = 10;
/// Rows between two progress reports.
const ROWS: u64 = 1 << 16;
/// Least number of document numbers whose rows a thread reads at a time, and greatest number of such pieces.
const NUMBERS: u64 = if cfg!(test) { 16 } else { 1 << 12 };
const PIECES_MAX: u64 = 1 << 10;

/// A relation: two sides that must be equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    /// Runs, and prints of live documents below S: the hash is the fingerprint.
    Runs,
    /// Prints, and records.
    Records,
    /// Ids in records, and rows of ids.
    Ids,
    /// Megashingles of records, and their rows.
    Megashingles,
    /// Pieces of records, and their rows.
    Pieces,
    /// Content digests of records, and their rows.
    Digests,
    /// Stored keys of records, and key tables.
    Keys,
    /// Prints, and the fingerprints of summaries.
    SummaryPrints,
    /// Records, and the rest of summaries.
    Summaries,
}

const RELATIONS: [Relation; 9] = [
    Relation::Runs,
    Relation::Records,
    Relation::Ids,
    Relation::Megashingles,
    Relation::Pieces,
    Relation::Digests,
    Relation::Keys,
    Relation::SummaryPrints,
    Relation::Summaries,
];

/// A source that is read from front to back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowSource {
    Prints,
    Documents,
    Ids,
    Keys(Family),
    Runs,
    KeyTables,
    Summaries,
}

const SOURCES: [RowSource; 9] = [
    RowSource::Summaries,
    RowSource::Prints,
    RowSource::KeyTables,
    RowSource::Documents,
    RowSource::Ids,
    RowSource::Keys(Family::Megashingles),
    RowSource::Keys(Family::Pieces),
    RowSource::Keys(Family::Digests),
    RowSource::Runs,
];

impl RowSource {
    fn phase(self) -> &'static str {
        match self {
            Self::Prints => "check prints",
            Self::Documents => "check records",
            Self::Ids => "check ids",
            Self::Keys(_) => "check keys",
            Self::Runs => "compare runs",
            Self::KeyTables => "compare key tables",
            Self::Summaries => "compare summaries",
        }
    }
}

impl Relation {
    /// Returns the sources of the two sides.
    fn sources(self) -> [RowSource; 2] {
        match self {
            Self::Runs => [RowSource::Runs, RowSource::Prints],
            Self::Records => [RowSource::Prints, RowSource::Documents],
            Self::Ids => [RowSource::Documents, RowSource::Ids],
            Self::Megashingles => [RowSource::Documents, RowSource::Keys(Family::Megashingles)],
            Self::Pieces => [RowSource::Documents, RowSource::Keys(Family::Pieces)],
            Self::Digests => [RowSource::Documents, RowSource::Keys(Family::Digests)],
            Self::Keys => [RowSource::Documents, RowSource::KeyTables],
            Self::SummaryPrints => [RowSource::Prints, RowSource::Summaries],
            Self::Summaries => [RowSource::Documents, RowSource::Summaries],
        }
    }

    fn of(family: Family) -> Self {
        match family {
            Family::Megashingles => Self::Megashingles,
            Family::Pieces => Self::Pieces,
            _ => Self::Digests,
        }
    }

    /// Returns the fault for a pair that only the first or only the second side has.
    fn differences(self) -> [&'static str; 2] {
        match self {
            Self::Runs => ["a run holds it", "it is in no run"],
            Self::Records => ["has a fingerprint but no record", "has a record but no fingerprint"],
            Self::Ids => ["the row of its id does not refer to it", "ids has an id for it that its record lacks"],
            Self::Keys => ["a key of its record is not in its run", "its run has a key for it that its record lacks"],
            Self::SummaryPrints => ["its summary has another fingerprint", "it has a summary but no fingerprint"],
            Self::Summaries => ["its summary is not that of its record", "it has a summary but no record"],
            Self::Megashingles | Self::Pieces | Self::Digests => {
                ["no row for a key of its record refers to it", "a row for a key that its record lacks refers to it"]
            }
        }
    }

    fn location(self) -> &'static str {
        match self {
            Self::Runs | Self::Records | Self::Keys | Self::SummaryPrints | Self::Summaries => "prints",
            Self::Ids => "ids",
            Self::Megashingles => "megashingles",
            Self::Pieces => "pieces",
            Self::Digests => "digests",
        }
    }
}

/// Receives (relation, side, number, hash), on any thread and in any order.
type Visit<'v> = dyn Fn(Relation, usize, u64, u64) + Sync + 'v;

/// The digests of both sides of a relation, by buckets of numbers: the sums of the low and of the high halves.
struct Tally {
    shift: u32,
    sides: [Vec<[AtomicU64; 2]>; 2],
}

/// What a piece of a source tells besides its pairs.
#[derive(Default)]
struct Seen {
    rows: u64,
    /// Number of documents that are not deleted.
    counted: u64,
    wrongs: Vec<Wrong>,
    /// Fingerprints for the sample of queries.
    offered: Vec<u64>,
    /// Numbers of documents without a print, or with a summary.
    numbers: Vec<u64>,
}

impl Tally {
    /// Returns buckets for document numbers below `end`, and all others in the last bucket.
    fn new(end: u64) -> Self {
        let mut shift = 8;
        while end >> shift >= BUCKETS_MAX {
            shift += 1;
        }
        let len = (end >> shift) as usize + 1;
        let zeros = || std::iter::repeat_with(Default::default).take(len).collect();
        Self { shift, sides: [zeros(), zeros()] }
    }

    fn bucket(&self, number: u64) -> usize {
        ((number >> self.shift) as usize).min(self.sides[0].len() - 1)
    }

    fn add(&self, side: usize, number: u64, hash: u64) {
        let mut digest = Digest::default();
        digest.add_pair(hash, number);
        let [low, high] = &self.sides[side][self.bucket(number)];
        low.fetch_add(digest.0 as u64, Ordering::Relaxed);
        high.fetch_add((digest.0 >> 64) as u64, Ordering::Relaxed);
    }

    fn differing(&self) -> Vec<usize> {
        let digest =
            |side: usize, bucket: usize| self.sides[side][bucket].each_ref().map(|half| half.load(Ordering::Relaxed));
        (0..self.sides[0].len()).filter(|&bucket| digest(0, bucket) != digest(1, bucket)).collect()
    }
}

/// The checks made while the rows are read for the first time.
pub(crate) struct Look<'a> {
    pub(crate) findings: &'a mut Findings,
    pub(crate) known: Option<&'a KnownNumbers>,
    pub(crate) sample: &'a mut Sample,
    /// Number of documents that are not deleted.
    pub(crate) counted: u64,
    /// The last id, and the number of its visible documents.
    id: String,
    visible: u64,
}

impl<'a> Look<'a> {
    pub(crate) fn new(findings: &'a mut Findings, known: Option<&'a KnownNumbers>, sample: &'a mut Sample) -> Self {
        Self { findings, known, sample, counted: 0, id: String::new(), visible: 0 }
    }
}

/// All rows, and the runs that can be compared with them.
pub(crate) struct CheckedRows<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) state: &'a LiveState,
    /// The deleted set is complete, so that the live documents are known.
    pub(crate) lives_known: bool,
    pub(crate) runs: &'a [Joined<'a>],
    /// S of the manifest.
    pub(crate) complete: u64,
    /// Number ranges of runs that are damaged.
    pub(crate) left_out: &'a [Range<u64>],
    /// The key tables that can be compared with the records, as runs of keys.
    pub(crate) keys: &'a [Joined<'a>],
    /// Number ranges of runs with a damaged key table.
    pub(crate) keys_left_out: &'a [Range<u64>],
    /// The summaries that can be compared with the catalog.
    pub(crate) summaries: &'a [&'a SummariesFile],
    /// The documents that have a summary; empty until the summaries have been read.
    pub(crate) summarized: RwLock<RoaringTreemap>,
    /// The documents without a print, once the prints have been read.
    pub(crate) unprinted: RwLock<RoaringTreemap>,
    /// Number of pieces of a source that are read at a time.
    pub(crate) threads: usize,
    pub(crate) ticker: &'a Ticker<'a>,
}

fn read(set: &RwLock<RoaringTreemap>) -> RwLockReadGuard<'_, RoaringTreemap> {
    set.read().unwrap_or_else(PoisonError::into_inner)
}

fn add(set: &RwLock<RoaringTreemap>, numbers: Vec<u64>) {
    set.write().unwrap_or_else(PoisonError::into_inner).extend(numbers);
}

impl CheckedRows<'_> {
    /// Checks all relations. Returns the number of rows read.
    pub(crate) fn verify(&self, look: &mut Look<'_>) -> Result<u64> {
        let tallies: Vec<Tally> = RELATIONS.iter().map(|_| Tally::new(self.state.counters.next_number)).collect();
        let mut broken = Vec::new();
        let mut rows = 0;
        for source in SOURCES {
            let visit = |relation: Relation, side: usize, number: u64, hash: u64| {
                tallies[relation as usize].add(side, number, hash);
            };
            match self.read(source, &visit, Some(look)) {
                Ok(read) => rows += read,
                Err(Error::Cancelled) => return Err(Error::Cancelled),
                Err(error) => {
                    match &error {
                        Error::Corrupt { path, .. } | Error::Inconsistent { path, .. } if source == RowSource::Runs => {
                            let path = path.clone();
                            look.findings.run(&path, error);
                        }
                        _ => look.findings.catalog(error),
                    }
                    broken.push(source);
                }
            }
        }
        if self.lives_known && !broken.contains(&RowSource::Prints) && look.counted != self.state.counters.live {
            let what = format!("live is {}, there are {} documents", self.state.counters.live, look.counted);
            look.findings.run(self.catalog.path(), Wrong::new("meta, counters", what));
        }
        for relation in RELATIONS {
            if !relation.sources().iter().any(|source| broken.contains(source)) {
                self.locate(relation, &tallies[relation as usize], look.findings)?;
            }
        }
        Ok(rows)
    }

    /// Reads a source. Returns the number of its rows.
    fn read(&self, source: RowSource, visit: &Visit<'_>, mut look: Option<&mut Look<'_>>) -> Result<u64> {
        self.ticker.start(source.phase(), None, "rows")?;
        let mut rows = 0;
        let mut tick = || {
            rows += 1;
            if rows % ROWS == 0 { self.ticker.add(ROWS) } else { Ok(()) }
        };
        match source {
            RowSource::Prints => {
                let work = |numbers: RangeInclusive<u64>, seen: &mut Seen| self.prints(&numbers, visit, seen);
                return self.pieces(
                    |give| self.numbers().try_for_each(give),
                    work,
                    |seen| {
                        add(&self.unprinted, seen.numbers);
                        if let Some(look) = look.as_deref_mut() {
                            look.counted += seen.counted;
                            seen.wrongs.into_iter().for_each(|wrong| look.findings.catalog(wrong));
                            seen.offered.into_iter().for_each(|print| look.sample.offer(print));
                        }
                    },
                );
            }
            RowSource::Documents => {
                let known = look.as_ref().and_then(|look| look.known);
                let work = |numbers: RangeInclusive<u64>, seen: &mut Seen| self.documents(&numbers, known, visit, seen);
                return self.pieces(
                    |give| self.numbers().try_for_each(give),
                    work,
                    |seen| {
                        if let Some(look) = look.as_deref_mut() {
                            seen.wrongs.into_iter().for_each(|wrong| look.findings.catalog(wrong));
                        }
                    },
                );
            }
            RowSource::Ids => self.ids(visit, look, &mut tick)?,
            RowSource::Keys(family) => self.catalog.all_keys(family, &mut |hash, number| {
                tick()?;
                if !self.state.is_unfinished(number) {
                    visit(Relation::of(family), 1, number, identity(hash));
                }
                Ok(true)
            })?,
            RowSource::Runs if self.lives_known => self.pairs(self.runs, (Relation::Runs, 0), visit)?,
            RowSource::KeyTables if self.lives_known => self.pairs(self.keys, (Relation::Keys, 1), visit)?,
            RowSource::Summaries if self.lives_known => {
                for file in self.summaries {
                    self.summaries_of(file, visit)?;
                }
            }
            RowSource::Runs | RowSource::KeyTables | RowSource::Summaries => (),
        }
        Ok(rows)
    }

    /// Returns ranges of all document numbers, also of those that were never assigned.
    fn numbers(&self) -> impl Iterator<Item = RangeInclusive<u64>> + use<> {
        let end = self.state.counters.next_number;
        let step = (end / PIECES_MAX).max(NUMBERS);
        let last = end / step;
        (0..=last).map(move |piece| piece * step..=if piece == last { u64::MAX } else { (piece + 1) * step - 1 })
    }

    /// Reads the pieces that `drive` passes on, on several threads, and passes what they tell to `take`, in their
    /// order; what a piece tells before it fails, too. Returns the number of rows.
    fn pieces<I: Send>(
        &self,
        drive: impl FnOnce(&mut dyn FnMut(I) -> Result<()>) -> Result<()> + Send,
        work: impl Fn(I, &mut Seen) -> Result<()> + Sync,
        mut take: impl FnMut(Seen),
    ) -> Result<u64> {
        let mut rows = 0;
        each_in_order(
            self.threads,
            drive,
            || (),
            |(), piece| {
                let mut seen = Seen::default();
                let outcome = work(piece, &mut seen);
                Ok((seen, outcome))
            },
            |(seen, outcome)| {
                rows += seen.rows;
                self.ticker.add(seen.rows)?;
                take(seen);
                outcome
            },
        )?;
        Ok(rows)
    }

    /// Visits the pairs of counted documents in runs.
    fn pairs(&self, runs: &[Joined<'_>], (relation, side): (Relation, usize), visit: &Visit<'_>) -> Result<()> {
        let mut pieces = runs.iter().flat_map(|run| run.pieces().map(move |blocks| (run, blocks)));
        let work = |(run, blocks): (&Joined<'_>, Range<u64>), _: &mut Seen| {
            let mut pair = |hash, number| {
                if self.state.is_counted(number) {
                    visit(relation, side, number, hash);
                }
                Ok(())
            };
            run.each_pair_of(blocks, &mut pair, self.ticker)
        };
        self.pieces(|give| pieces.try_for_each(give), work, drop).map(drop)
    }

    /// Visits the summaries of live documents in a file.
    fn summaries_of(&self, file: &SummariesFile, visit: &Visit<'_>) -> Result<()> {
        let drive = |give: &mut dyn FnMut(Vec<u64>) -> Result<()>| {
            let mut numbers = Vec::new();
            file.numbers(&mut |number| {
                numbers.push(number);
                if numbers.len() as u64 == NUMBERS { give(std::mem::take(&mut numbers)) } else { Ok(()) }
            })?;
            give(numbers)
        };
        let work = |numbers: Vec<u64>, seen: &mut Seen| {
            for number in numbers.into_iter().filter(|&number| self.state.is_counted(number)) {
                let Some(range) = file.find(number)? else { continue };
                let summary = file.summary(range)?;
                seen.numbers.push(number);
                visit(Relation::SummaryPrints, 1, number, summary.fingerprint);
                visit(Relation::Summaries, 1, number, without_print(summary));
            }
            Ok(())
        };
        self.pieces(drive, work, |seen| add(&self.summarized, seen.numbers)).map(drop)
    }

    fn prints(&self, numbers: &RangeInclusive<u64>, visit: &Visit<'_>, seen: &mut Seen) -> Result<()> {
        let wide = !low_mask(self.state.settings.bits);
        let summarized = read(&self.summarized);
        self.catalog.prints(*numbers.start(), &mut |number, print| {
            if number > *numbers.end() {
                return Ok(false);
            }
            seen.rows += 1;
            let counted = self.state.is_counted(number);
            seen.counted += u64::from(counted);
            if number >= self.state.counters.next_number {
                seen.wrongs.push(Wrong::new(format!("prints, document {number}"), "its number was never assigned"));
            }
            if print.fingerprint & wide != 0 {
                let what = "its fingerprint has more bits than the database's";
                seen.wrongs.push(Wrong::new(format!("prints, document {number}"), what));
            }
            if !print.unprinted && self.state.is_visible(number) {
                seen.offered.push(print.fingerprint);
            }
            if print.unprinted {
                seen.numbers.push(number);
            }
            let left_out = || self.left_out.iter().any(|range| range.contains(&number));
            if self.lives_known && counted && !print.unprinted && number < self.complete && !left_out() {
                visit(Relation::Runs, 1, number, print.fingerprint);
            }
            if !self.state.is_unfinished(number) {
                visit(Relation::Records, 0, number, 0);
            }
            if summarized.contains(number) {
                visit(Relation::SummaryPrints, 0, number, print.fingerprint);
            }
            Ok(true)
        })
    }

    fn documents(
        &self,
        numbers: &RangeInclusive<u64>,
        known: Option<&KnownNumbers>,
        visit: &Visit<'_>,
        seen: &mut Seen,
    ) -> Result<()> {
        let catalog = self.catalog.path();
        let (summarized, unprinted) = (read(&self.summarized), read(&self.unprinted));
        self.catalog.all_records(*numbers.start(), &mut |number, value| {
            if number > *numbers.end() {
                return Ok(false);
            }
            seen.rows += 1;
            if self.state.is_unfinished(number) {
                return Ok(true);
            }
            let record = Record::decode(value).map_err(Error::format(catalog))?;
            if let Some(known) = known {
                let mut wrong = |what| seen.wrongs.push(Wrong::new(format!("documents, document {number}"), what));
                if let Some(batch) = record.batch.filter(|batch| !known.batches.contains(batch)) {
                    wrong(format!("came with batch {batch}, which does not exist"));
                }
                let archive = record.source.map(|source| source.archive);
                if let Some(archive) = archive.filter(|archive| !known.archives.contains(archive)) {
                    wrong(format!("is from archive {archive}, which does not exist"));
                }
            }
            visit(Relation::Records, 1, number, 0);
            visit(Relation::Ids, 0, number, identity(record.id.as_bytes()));
            if summarized.contains(number) && !self.catalog.is_of_interval(number) {
                visit(Relation::Summaries, 0, number, without_print(summary_of(0, &record, self.state.kinds)));
            }
            let sketches = record.min_bytes.is_some() || record.supershingles.is_some() || record.projection.is_some();
            if record.digest.is_none() && !sketches {
                return Ok(true);
            }
            let keys = keys_of(&record, self.state.kinds);
            if !unprinted.contains(number) {
                self.stored_keys(number, &keys, visit);
                return Ok(true);
            }
            // A key that occurs twice is one row.
            let mut rows: Vec<(Family, Vec<u8>)> = keys.rows(number).collect();
            rows.sort_unstable_by(|a, b| (a.0 as usize, &a.1).cmp(&(b.0 as usize, &b.1)));
            rows.dedup();
            for (family, key) in rows {
                visit(Relation::of(family), 0, number, identity(&key[..key.len() - 8]));
            }
            Ok(true)
        })
    }

    /// Visits the keys that the run of a document should have.
    fn stored_keys(&self, number: u64, keys: &DocumentKeys, visit: &Visit<'_>) {
        let left_out = self.keys_left_out.iter().any(|range| range.contains(&number));
        if !self.lives_known || !self.state.is_counted(number) || number >= self.complete || left_out {
            return;
        }
        let keys: BTreeSet<u64> = keys.stored().collect();
        keys.into_iter().for_each(|key| visit(Relation::Keys, 0, number, key));
    }

    fn ids(
        &self,
        visit: &Visit<'_>,
        mut look: Option<&mut Look<'_>>,
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        self.catalog.all_ids(&mut |id, number| {
            tick()?;
            if let Some(look) = look.as_deref_mut().filter(|_| self.lives_known) {
                if look.id != id {
                    look.id.clear();
                    look.id.push_str(id);
                    look.visible = 0;
                }
                look.visible += u64::from(self.state.is_visible(number));
                if look.visible == 2 && self.state.is_visible(number) {
                    let what = format!("has several live documents, {number} is one of them");
                    look.findings.catalog(Wrong::new(format!("ids, '{}'", ShownId(id)), what));
                }
            }
            if !self.state.is_unfinished(number) {
                visit(Relation::Ids, 1, number, identity(id.as_bytes()));
            }
            Ok(true)
        })
    }

    /// Finds the differing pairs of a relation whose digests differ.
    fn locate(&self, relation: Relation, tally: &Tally, findings: &mut Findings) -> Result<()> {
        let differing = tally.differing();
        if differing.is_empty() {
            return Ok(());
        }
        let gathered = &differing[..differing.len().min(((GATHERED_MAX >> tally.shift) as usize).max(1))];
        let [first, second] = relation.sources();
        let gather = |at: usize, source: RowSource| -> Result<Vec<(u64, u64)>> {
            let pairs = Mutex::new(Vec::new());
            let visit = |found: Relation, side: usize, number: u64, hash: u64| {
                if found == relation && side == at && gathered.binary_search(&tally.bucket(number)).is_ok() {
                    pairs.lock().unwrap_or_else(PoisonError::into_inner).push((number, hash));
                }
            };
            self.read(source, &visit, None)?;
            let mut pairs = pairs.into_inner().unwrap_or_else(PoisonError::into_inner);
            pairs.sort_unstable();
            Ok(pairs)
        };
        let (first, second) = (gather(0, first)?, gather(1, second)?);
        let mut named = 0;
        let mut last = None;
        for (number, side, hash) in differences(&first, &second) {
            // If a run has a document under another fingerprint, the document is also missing under the right one; the
            // same holds for summaries.
            let is_one = matches!(relation, Relation::Runs | Relation::SummaryPrints | Relation::Summaries);
            if is_one && last == Some(number) {
                continue;
            }
            if named == NAMED_MAX {
                let more = format!("there is more of this kind, in {} ranges of document numbers", differing.len());
                findings.note(format!("{}: {more}", relation.location()));
                break;
            }
            (named, last) = (named + 1, Some(number));
            self.name(relation, number, hash, side, findings)?;
        }
        Ok(())
    }

    fn name(&self, relation: Relation, number: u64, hash: u64, side: usize, findings: &mut Findings) -> Result<()> {
        let difference = relation.differences()[side];
        if matches!(relation, Relation::SummaryPrints | Relation::Summaries) {
            let covers = |file: &&&SummariesFile| {
                let header = file.file().header();
                (header.low..header.high).contains(&number)
            };
            let path = self.summaries.iter().find(covers).map_or(self.catalog.path(), |file| file.path());
            findings.run(path, Wrong::new(format!("document {number}"), difference));
            return Ok(());
        }
        if relation != Relation::Runs {
            findings.catalog(Wrong::new(format!("{}, document {number}", relation.location()), difference));
            return Ok(());
        }
        let what = match (side, self.catalog.print(number)?) {
            (0, None) => format!("{difference} under {hash:016x}, the catalog does not know it"),
            (0, Some(print)) if print.unprinted => {
                format!("{difference} under {hash:016x}, the catalog has no fingerprint of it")
            }
            (0, Some(print)) if print.fingerprint != hash => {
                format!("{difference} under {hash:016x}, the catalog under {:016x}", print.fingerprint)
            }
            (0, Some(_)) => format!("{difference} under {hash:016x} more than once"),
            _ => format!("its fingerprint is {hash:016x}, and {difference}"),
        };
        let run = self.runs.iter().find(|run| (run.entry.low..run.entry.high).contains(&number));
        let path = run.map_or_else(|| self.catalog.path().to_owned(), |run| run.postings.source().path().to_owned());
        findings.run(&path, Wrong::new(format!("document {number}"), what));
        Ok(())
    }
}

/// Returns a hash of a summary without its fingerprint.
fn without_print(summary: Summary<'_>) -> u64 {
    let mut bytes = Vec::new();
    Summary { fingerprint: 0, ..summary }.encode_into(&mut bytes);
    crc32fast::hash(&bytes).into()
}

/// Returns the pairs that only one of two sorted lists has, as (number, index of the list, hash), sorted.
fn differences(first: &[(u64, u64)], second: &[(u64, u64)]) -> Vec<(u64, usize, u64)> {
    let (mut a, mut b) = (0, 0);
    let mut found = Vec::new();
    while a < first.len() || b < second.len() {
        match (first.get(a), second.get(b)) {
            (Some(left), Some(right)) if left == right => (a, b) = (a + 1, b + 1),
            (Some(&left), right) if right.is_none_or(|&right| left < right) => {
                found.push((left.0, 0, left.1));
                a += 1;
            }
            (_, Some(&right)) => {
                found.push((right.0, 1, right.1));
                b += 1;
            }
            (_, None) => break,
        }
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_those_of_multisets() {
        let first = [(1, 1), (2, 5), (2, 5), (4, 0)];
        let second = [(1, 1), (2, 5), (3, 9), (4, 1), (7, 7)];
        let found = differences(&first, &second);
        assert_eq!(found, [(2, 0, 5), (3, 1, 9), (4, 0, 0), (4, 1, 1), (7, 1, 7)]);
        assert!(differences(&first, &first).is_empty() && differences(&[], &[]).is_empty());
    }

    #[test]
    fn a_tally_tells_which_stretch_of_numbers_differs() {
        let tally = Tally::new(100_000);
        for number in 0..100_000 {
            tally.add(0, number, number * 3);
            if number != 70_000 {
                tally.add(1, number, number * 3);
            }
        }
        assert_eq!(tally.differing(), [tally.bucket(70_000)]);
        tally.add(1, 70_000, 210_000);
        assert!(tally.differing().is_empty());
        assert!(Tally::new(1 << 40).sides[0].len() as u64 <= BUCKETS_MAX + 1);
        assert_eq!(tally.bucket(u64::MAX), tally.sides[0].len() - 1);
    }
}
