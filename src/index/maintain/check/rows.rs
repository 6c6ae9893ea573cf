//! The rows of the catalog against each other and against the runs, in both directions, in bounded memory.
//!
//! Each *relation* has two sides that must have the same (document number, hash) pairs. Each side is read once, front
//! to back, and summed into a digest for each bucket of numbers. If two digests differ, the pairs of a few buckets are
//! collected and compared one by one.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;

use nddb_format::digest::{Digest, identity};
use nddb_format::fingerprint::low_mask;
use nddb_format::record::{Record, ShownId};
use nddb_format::summaries::Summary;
use roaring::RoaringTreemap;

use super::files::{Joined, Wrong};
use super::findings::Findings;
use super::recall::Sample;
use super::state::{Known, State};
use crate::catalog::{Catalog, DocumentKeys, Family};
use crate::keys::{keys_of, summary_of};
use crate::runs::summaries::SummariesFile;
use crate::spill::ticker::Ticker;
use crate::{Error, Result};

/// Maximum number of buckets of a relation.
const BUCKETS_MAX: u64 = 1 << 16;
/// Maximum number of document numbers whose pairs are collected to find the differing ones.
const GATHERED_MAX: u64 = 1 << 20;
/// Maximum number of differences named for each relation.
const NAMED_MAX: usize = 10;
/// Rows between two progress reports.
const ROWS: u64 = 1 << 16;

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
enum Source {
    Prints,
    Documents,
    Ids,
    Keys(Family),
    Runs,
    KeyTables,
    Summaries,
}

const SOURCES: [Source; 9] = [
    Source::Summaries,
    Source::Prints,
    Source::KeyTables,
    Source::Documents,
    Source::Ids,
    Source::Keys(Family::Megashingles),
    Source::Keys(Family::Pieces),
    Source::Keys(Family::Digests),
    Source::Runs,
];

impl Source {
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
    fn sources(self) -> [Source; 2] {
        match self {
            Self::Runs => [Source::Runs, Source::Prints],
            Self::Records => [Source::Prints, Source::Documents],
            Self::Ids => [Source::Documents, Source::Ids],
            Self::Megashingles => [Source::Documents, Source::Keys(Family::Megashingles)],
            Self::Pieces => [Source::Documents, Source::Keys(Family::Pieces)],
            Self::Digests => [Source::Documents, Source::Keys(Family::Digests)],
            Self::Keys => [Source::Documents, Source::KeyTables],
            Self::SummaryPrints => [Source::Prints, Source::Summaries],
            Self::Summaries => [Source::Documents, Source::Summaries],
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

/// Receives (relation, side, number, hash).
type Visit<'v> = dyn FnMut(Relation, usize, u64, u64) -> Result<()> + 'v;

/// The digests of both sides of a relation, by buckets of numbers.
struct Tally {
    shift: u32,
    sides: [Vec<Digest>; 2],
}

impl Tally {
    /// Returns buckets for document numbers below `end`, and all others in the last bucket.
    fn new(end: u64) -> Self {
        let mut shift = 8;
        while end >> shift >= BUCKETS_MAX {
            shift += 1;
        }
        let len = (end >> shift) as usize + 1;
        Self { shift, sides: [vec![Digest::default(); len], vec![Digest::default(); len]] }
    }

    fn bucket(&self, number: u64) -> usize {
        ((number >> self.shift) as usize).min(self.sides[0].len() - 1)
    }

    fn add(&mut self, side: usize, number: u64, hash: u64) {
        let bucket = self.bucket(number);
        self.sides[side][bucket].add_pair(hash, number);
    }

    fn differing(&self) -> Vec<usize> {
        (0..self.sides[0].len()).filter(|&bucket| self.sides[0][bucket] != self.sides[1][bucket]).collect()
    }
}

/// The checks made while the rows are read for the first time.
pub(crate) struct Look<'a> {
    pub(crate) findings: &'a mut Findings,
    pub(crate) known: Option<&'a Known>,
    pub(crate) sample: &'a mut Sample,
    /// Number of documents that are not deleted.
    pub(crate) counted: u64,
    /// The last id, and the number of its visible documents.
    id: String,
    visible: u64,
}

impl<'a> Look<'a> {
    pub(crate) fn new(findings: &'a mut Findings, known: Option<&'a Known>, sample: &'a mut Sample) -> Self {
        Self { findings, known, sample, counted: 0, id: String::new(), visible: 0 }
    }
}

/// All rows, and the runs that can be compared with them.
pub(crate) struct Rows<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) state: &'a State,
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
    pub(crate) summarized: RefCell<RoaringTreemap>,
    /// The documents without a print, once the prints have been read.
    pub(crate) unprinted: RefCell<RoaringTreemap>,
    pub(crate) ticker: &'a Ticker<'a>,
}

impl Rows<'_> {
    /// Checks all relations. Returns the number of rows read.
    pub(crate) fn verify(&self, look: &mut Look<'_>) -> Result<u64> {
        let mut tallies: Vec<Tally> = RELATIONS.iter().map(|_| Tally::new(self.state.counters.next_number)).collect();
        let mut broken = Vec::new();
        let mut rows = 0;
        for source in SOURCES {
            let mut visit = |relation: Relation, side: usize, number: u64, hash: u64| {
                tallies[relation as usize].add(side, number, hash);
                Ok(())
            };
            match self.read(source, &mut visit, Some(look)) {
                Ok(read) => rows += read,
                Err(Error::Cancelled) => return Err(Error::Cancelled),
                Err(error) => {
                    match &error {
                        Error::Corrupt { path, .. } | Error::Inconsistent { path, .. } if source == Source::Runs => {
                            let path = path.clone();
                            look.findings.run(&path, error);
                        }
                        _ => look.findings.catalog(error),
                    }
                    broken.push(source);
                }
            }
        }
        if self.lives_known && !broken.contains(&Source::Prints) && look.counted != self.state.counters.live {
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

    /// Reads a source from front to back. Returns the number of its rows.
    fn read(&self, source: Source, visit: &mut Visit<'_>, look: Option<&mut Look<'_>>) -> Result<u64> {
        self.ticker.start(source.phase(), None, "rows")?;
        let mut rows = 0;
        let mut tick = || {
            rows += 1;
            if rows % ROWS == 0 { self.ticker.add(ROWS) } else { Ok(()) }
        };
        match source {
            Source::Prints => self.prints(visit, look, &mut tick)?,
            Source::Documents => self.documents(visit, look, &mut tick)?,
            Source::Ids => self.ids(visit, look, &mut tick)?,
            Source::Keys(family) => self.catalog.all_keys(family, &mut |hash, number| {
                tick()?;
                if !self.state.is_unfinished(number) {
                    visit(Relation::of(family), 1, number, identity(hash))?;
                }
                Ok(true)
            })?,
            Source::Runs if self.lives_known => {
                for run in self.runs {
                    let mut pair = |fingerprint, number| {
                        if self.state.is_counted(number) {
                            visit(Relation::Runs, 0, number, fingerprint)
                        } else {
                            Ok(())
                        }
                    };
                    run.each_pair(&mut pair, self.ticker)?;
                }
            }
            Source::KeyTables if self.lives_known => {
                for run in self.keys {
                    let mut pair = |key, number| {
                        if self.state.is_counted(number) { visit(Relation::Keys, 1, number, key) } else { Ok(()) }
                    };
                    run.each_pair(&mut pair, self.ticker)?;
                }
            }
            Source::Summaries if self.lives_known => {
                for file in self.summaries {
                    self.summaries_of(file, visit)?;
                }
            }
            Source::Runs | Source::KeyTables | Source::Summaries => (),
        }
        Ok(rows)
    }

    /// Visits the summaries of live documents in a file.
    fn summaries_of(&self, file: &SummariesFile, visit: &mut Visit<'_>) -> Result<()> {
        let mut rows = 0;
        file.numbers(&mut |number| {
            rows += 1;
            if rows % ROWS == 0 {
                self.ticker.add(0)?;
            }
            let Some(range) = file.find(number)?.filter(|_| self.state.is_counted(number)) else { return Ok(()) };
            let summary = file.summary(range)?;
            self.summarized.borrow_mut().insert(number);
            visit(Relation::SummaryPrints, 1, number, summary.fingerprint)?;
            visit(Relation::Summaries, 1, number, without_print(summary))
        })
    }

    fn prints(
        &self,
        visit: &mut Visit<'_>,
        mut look: Option<&mut Look<'_>>,
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        let wide = !low_mask(self.state.settings.bits);
        self.catalog.prints(0, &mut |number, print| {
            tick()?;
            let counted = self.state.is_counted(number);
            if let Some(look) = look.as_deref_mut() {
                look.counted += u64::from(counted);
                if number >= self.state.counters.next_number {
                    look.findings
                        .catalog(Wrong::new(format!("prints, document {number}"), "its number was never assigned"));
                }
                if print.fingerprint & wide != 0 {
                    let what = "its fingerprint has more bits than the database's";
                    look.findings.catalog(Wrong::new(format!("prints, document {number}"), what));
                }
                if !print.unprinted && self.state.is_visible(number) {
                    look.sample.offer(print.fingerprint);
                }
            }
            if print.unprinted {
                self.unprinted.borrow_mut().insert(number);
            }
            let left_out = || self.left_out.iter().any(|range| range.contains(&number));
            if self.lives_known && counted && !print.unprinted && number < self.complete && !left_out() {
                visit(Relation::Runs, 1, number, print.fingerprint)?;
            }
            if !self.state.is_unfinished(number) {
                visit(Relation::Records, 0, number, 0)?;
            }
            if self.summarized.borrow().contains(number) {
                visit(Relation::SummaryPrints, 0, number, print.fingerprint)?;
            }
            Ok(true)
        })
    }

    fn documents(
        &self,
        visit: &mut Visit<'_>,
        mut look: Option<&mut Look<'_>>,
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        let catalog = self.catalog.path();
        self.catalog.all_records(0, &mut |number, value| {
            tick()?;
            if self.state.is_unfinished(number) {
                return Ok(true);
            }
            let record = Record::decode(value).map_err(Error::format(catalog))?;
            if let Some(look) = look.as_deref_mut()
                && let Some(known) = look.known
            {
                let location = || format!("documents, document {number}");
                if let Some(batch) = record.batch.filter(|batch| !known.batches.contains(batch)) {
                    look.findings
                        .catalog(Wrong::new(location(), format!("came with batch {batch}, which does not exist")));
                }
                let archive = record.source.map(|source| source.archive);
                if let Some(archive) = archive.filter(|archive| !known.archives.contains(archive)) {
                    look.findings
                        .catalog(Wrong::new(location(), format!("is from archive {archive}, which does not exist")));
                }
            }
            visit(Relation::Records, 1, number, 0)?;
            visit(Relation::Ids, 0, number, identity(record.id.as_bytes()))?;
            if self.summarized.borrow().contains(number) && !self.catalog.is_of_interval(number) {
                visit(Relation::Summaries, 0, number, without_print(summary_of(0, &record, self.state.kinds)))?;
            }
            let sketches = record.min_bytes.is_some() || record.supershingles.is_some() || record.projection.is_some();
            if record.digest.is_none() && !sketches {
                return Ok(true);
            }
            let keys = keys_of(&record, self.state.kinds);
            if !self.unprinted.borrow().contains(number) {
                return self.stored_keys(number, &keys, visit).map(|()| true);
            }
            // A key that occurs twice is one row.
            let mut rows: Vec<(Family, Vec<u8>)> = keys.rows(number).collect();
            rows.sort_unstable_by(|a, b| (a.0 as usize, &a.1).cmp(&(b.0 as usize, &b.1)));
            rows.dedup();
            for (family, key) in rows {
                visit(Relation::of(family), 0, number, identity(&key[..key.len() - 8]))?;
            }
            Ok(true)
        })
    }

    /// Visits the keys that the run of a document should have.
    fn stored_keys(&self, number: u64, keys: &DocumentKeys, visit: &mut Visit<'_>) -> Result<()> {
        let left_out = self.keys_left_out.iter().any(|range| range.contains(&number));
        if !self.lives_known || !self.state.is_counted(number) || number >= self.complete || left_out {
            return Ok(());
        }
        let keys: BTreeSet<u64> = keys.stored().collect();
        keys.into_iter().try_for_each(|key| visit(Relation::Keys, 0, number, key))
    }

    fn ids(
        &self,
        visit: &mut Visit<'_>,
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
                visit(Relation::Ids, 1, number, identity(id.as_bytes()))?;
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
        let mut sides = [Vec::new(), Vec::new()];
        for (side, source) in relation.sources().into_iter().enumerate() {
            let mut visit = |found: Relation, at: usize, number: u64, hash: u64| {
                if found == relation && at == side && gathered.binary_search(&tally.bucket(number)).is_ok() {
                    sides[side].push((number, hash));
                }
                Ok(())
            };
            self.read(source, &mut visit, None)?;
        }
        sides.iter_mut().for_each(|side| side.sort_unstable());
        let [first, second] = sides;
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
                let header = file.summaries().header();
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
        let mut tally = Tally::new(100_000);
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
