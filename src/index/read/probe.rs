//! The probe: everything stored within some bits of a fingerprint (Manku 2007, 3).
//!
//! A dependent memory miss costs ten times as much as an independent one, so misses are always overlapped. A *lane* is
//! one prefix of the plan (see `plan`) of one run for one query:
//! 1. the filters of all lanes are read together, and lanes that have nothing in their range end;
//! 2. the other lanes search their block indexes together, each key being prefetched while others are compared;
//! 3. when a lane finds its block, the block is fetched (from disk, if it may be cold: all reads are in flight at
//!    once);
//! 4. the blocks are decoded, one after the other, from their restart points;
//! 5. fingerprints within k bits are collected, each from one entry of the plan, and resolved by their ranks
//!    in table 0 and the postings to document numbers, again all together.

use std::cell::RefCell;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Arc;

use nddb_format::block::{self, Approach, PARTS, Stretch, Stretches};
use nddb_format::cpu::{self, Compute};
use nddb_format::segment::{Guess, Search};
use nddb_format::{Fingerprint, Permuted};

pub use super::counters::Work;
use super::search;
use super::snapshot::Snapshot;
use crate::prefetch::prefetch;
use crate::runs::run::{Run, SegmentFile};
use crate::within::Within;
use crate::{Error, Result};

/// Number of queries of a batch in flight together.
const WINDOW: usize = 16;
/// Maximum number of lanes in flight together: their filters stay in the first-level cache.
const LANES: usize = 512;
/// Number of blocks of a long range that are decoded together.
const TOGETHER: u64 = 4;
/// Number of blocks whose decoding is interleaved.
const IN_TURN: usize = 5;

/// A stored document within the distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Match {
    /// Hamming distance to the query.
    pub distance: u32,
    /// Document number.
    pub number: u64,
    /// Fingerprint of the document.
    pub fingerprint: Fingerprint,
}

/// The result of a probe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// Number of live documents within the distance, also beyond the limit.
    pub count: u64,
    /// The matches, ascending by (distance, number): all of them, or the least up to the limit.
    pub matches: Vec<Match>,
}

/// One prefix in one table of one run for one query; or table 0, for a fingerprint found by another table.
#[derive(Clone, Copy)]
struct Lane {
    query: u32,
    run: u32,
    table: u32,
    /// Index of the plan's entry.
    entry: u32,
    /// Likely location of `low` in the block, in units of 1 / [`PARTS`].
    part: u32,
    low: Permuted,
    high: Permuted,
    permuted: Permuted,
    /// The block found, and the greatest block of the range.
    bounds: (u64, u64),
}

/// A search of the block index, key by key, by a lane whose directory is missing or undecided.
struct Looking {
    lane: u32,
    search: Search,
    /// Key of the block before, and of the block found.
    before: u64,
    key: u64,
}

/// Memory that a thread's probes reuse.
#[derive(Default)]
struct Scratch {
    lanes: Vec<Lane>,
    looking: Vec<Looking>,
    hits: Vec<Hit>,
    lookups: Vec<Lane>,
    collectors: Vec<Collector>,
    stretches: Stretches<IN_TURN>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Returns the likely location of a value between two keys, in units of 1 / [`PARTS`].
#[inline]
fn part_of(low: u64, before: u64, key: u64) -> u32 {
    let span = key.wrapping_sub(before) / PARTS as u64;
    (low.wrapping_sub(before) / (span + 1)).min(PARTS as u64 - 1) as u32
}

impl Looking {
    /// Compares the prefetched key and the keys in the same cache line. Returns whether the search continues.
    #[inline]
    fn step(&mut self, file: &SegmentFile, low: Permuted) -> Result<bool> {
        let Guess::Look(mut block) = self.search.next() else { return Ok(false) };
        loop {
            let key = file.key(block)?;
            if key < low {
                self.before = key.0
            } else {
                self.key = key.0
            }
            self.search.feed(block, key);
            match self.search.next() {
                Guess::Look(next) if next / 8 == block / 8 => block = next,
                Guess::Look(next) => {
                    file.prefetch_key(next);
                    return Ok(true);
                }
                Guess::Done => return Ok(false),
            }
        }
    }
}

/// Drops the lanes whose filters exclude their range.
fn sift(runs: &[Arc<Run>], lanes: &mut Vec<Lane>) -> Result<()> {
    for lane in lanes.iter() {
        lane.file(runs).prefetch_filter(lane.low, lane.high);
    }
    let mut outcome = Ok(());
    lanes.retain(|lane| match lane.file(runs).may_have(lane.low, lane.high) {
        Ok(may_have) => may_have,
        Err(error) => {
            outcome = Err(error);
            false
        }
    });
    outcome
}

/// Finds the blocks of all lanes together, and fetches them. Lanes that begin after the last block are dropped.
fn locate(runs: &[Arc<Run>], lanes: &mut Vec<Lane>, looking: &mut Vec<Looking>, work: &mut Work) -> Result<()> {
    looking.clear();
    for lane in lanes.iter() {
        if let Some(directory) = lane.file(runs).directory() {
            prefetch(directory.slot_of(lane.low), 0);
        }
    }
    for number in 0..lanes.len() {
        let lane = &mut lanes[number];
        let file = lane.file(runs);
        if let Some(index) = file.directory().and_then(|directory| directory.find(lane.low)) {
            let more = lane.found(file, index.block, (index.before, index.key), work);
            lanes.extend(more);
            continue;
        }
        let search = file.segment().search(lane.low);
        if let Guess::Look(block) = search.next() {
            file.prefetch_guess(block);
        }
        looking.push(Looking { lane: number as u32, search, before: 0, key: u64::MAX });
    }
    while !looking.is_empty() {
        let mut failed = None;
        let mut more = Vec::new();
        looking.retain_mut(|looking| {
            let lane = &mut lanes[looking.lane as usize];
            let file = lane.file(runs);
            match looking.step(file, lane.low) {
                Ok(true) => return true,
                Ok(false) => {
                    let block = looking.search.found().unwrap_or(u64::MAX);
                    more.extend(lane.found(file, block, (looking.before, looking.key), work));
                }
                Err(error) => failed = Some(error),
            }
            false
        });
        if let Some(error) = failed {
            return Err(error);
        }
        lanes.append(&mut more);
    }
    lanes.retain(|lane| lane.bounds.0 < lane.bounds.1);
    Ok(())
}

impl Scratch {
    /// Adds a lane, and reads all lanes when there are many.
    #[inline]
    fn push(&mut self, lane: Lane, runs: &[Arc<Run>], k: u32, work: &mut Work) -> Result<()> {
        self.lanes.push(lane);
        if self.lanes.len() < LANES { Ok(()) } else { self.read(runs, k, work) }
    }

    /// Adds the fingerprints within `k` bits in the ranges of all lanes to the hits, and empties the lanes.
    fn read(&mut self, runs: &[Arc<Run>], k: u32, work: &mut Work) -> Result<()> {
        let Self { lanes, looking, hits, stretches, .. } = self;
        let before = work.probes;
        work.probes += lanes.len() as u64;
        sift(runs, lanes)?;
        work.excluded += work.probes - before - lanes.len() as u64;
        locate(runs, lanes, looking, work)?;
        decode(runs, lanes, k, work, hits, stretches)?;
        lanes.clear();
        Ok(())
    }
}

impl Lane {
    /// Returns the lane of one value in table 0.
    fn of_value(query: u32, run: u32, value: u64) -> Self {
        let (at, bounds) = (Permuted(value), (0, 0));
        Self { query, run, table: 0, entry: 0, part: 0, low: at, high: at, permuted: at, bounds }
    }

    #[inline]
    fn file<'a>(&self, runs: &'a [Arc<Run>]) -> &'a SegmentFile {
        &runs[self.run as usize].segments[self.table as usize]
    }

    /// Records the block found, by the keys before it and of it, and fetches it, if it exists. Returns a lane for the
    /// next block, if the range continues there, so that it is fetched as well.
    #[inline]
    fn found(&mut self, file: &SegmentFile, block: u64, (before, key): (u64, u64), work: &mut Work) -> Option<Lane> {
        let len = file.segment().block_len();
        self.bounds = (block, len);
        if block >= len {
            return None;
        }
        self.part = part_of(self.low.0, before, key);
        if key >= self.high.0 || block + 1 == len {
            work.from_disk += file.prefetch_block(block, self.part as usize);
            return None;
        }
        self.bounds.1 = block + 1;
        work.from_disk += file.prefetch_blocks(block, self.part as usize, self.low, self.high);
        Some(Lane { part: 0, bounds: (block + 1, len), ..*self })
    }

    /// Returns the search in the block found for the lane's low end.
    #[inline]
    fn approach<'a>(&self, runs: &'a [Arc<Run>]) -> Result<Approach<'a>> {
        Ok(self.file(runs).block(self.bounds.0)?.approach(self.low.0, self.part as usize))
    }
}

/// A fingerprint within the distance, in one run.
#[derive(Clone)]
struct Hit {
    query: u32,
    run: u32,
    distance: u32,
    fingerprint: u64,
    /// Block and entry in table 0, if known.
    index: Option<(u64, usize)>,
    rank: u64,
    list: Range<u64>,
}

/// The documents of a key in the key table of one run.
#[derive(Clone, Debug)]
pub(crate) struct KeyList {
    /// Index of the key.
    pub(crate) query: usize,
    run: u32,
    /// Indexes of the numbers in the postings.
    list: Range<u64>,
}

/// Collects the least matches up to a limit, and counts all.
#[derive(Default)]
struct Collector {
    limit: usize,
    count: u64,
    heap: BinaryHeap<Match>,
    all: Vec<Match>,
}

impl Collector {
    fn new(limit: usize) -> Self {
        Self { limit, count: 0, heap: BinaryHeap::new(), all: Vec::new() }
    }

    /// Returns whether a match at this distance with this number would be kept.
    fn wants(&self, distance: u32, number: u64) -> bool {
        if self.limit == usize::MAX || self.heap.len() < self.limit {
            return self.limit > 0;
        }
        self.heap.peek().is_some_and(|worst| (distance, number) < (worst.distance, worst.number))
    }

    fn keep(&mut self, found: Match) {
        if self.limit == usize::MAX {
            self.all.push(found);
        } else {
            self.heap.push(found);
            if self.heap.len() > self.limit {
                self.heap.pop();
            }
        }
    }

    fn finish(mut self) -> Matches {
        self.all.extend(self.heap);
        self.all.sort_unstable();
        Matches { count: self.count, matches: self.all }
    }
}

impl Snapshot {
    /// Finds every live document within the distance of each query.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if the distance exceeds [`Within::MAX`] or a query the database's width; damage of the data
    /// read; [`Error::Cancelled`] if it was stopped.
    pub(crate) fn probe_many(&self, queries: &[Fingerprint], mut search: search::Search<'_>) -> Result<Vec<Matches>> {
        let (k, limit) = (search.within.0.into(), search.limit);
        self.check_query(queries, k)?;
        let mut answers = Vec::with_capacity(queries.len());
        let mut own = Work { queries: queries.len() as u64, ..Work::default() };
        let outcome = SCRATCH.with_borrow_mut(|scratch| {
            // Beyond the k of the tables, a query alone has many lanes, and takes long.
            let together = if k > u32::from(self.manifest.k) { 1 } else { WINDOW };
            queries.chunks(together).try_for_each(|window| {
                search.go_on()?;
                self.probe_window(window, k, limit, &mut own, &mut answers, scratch)
            })
        });
        self.counters.add(own);
        search.add(own);
        outcome.map(|()| answers)
    }

    /// Finds the `n` nearest live documents within the distance of a query: the least by (distance, number). The radius
    /// grows until it has as many documents.
    ///
    /// # Errors
    /// Errors of [`Snapshot::probe_many`].
    pub(crate) fn nearest(&self, query: Fingerprint, n: usize, mut search: search::Search<'_>) -> Result<Vec<Match>> {
        let within = search.within;
        let mut radius = if within > Within::MAX { within } else { within.min(Within(self.manifest.k)) };
        loop {
            let mut attempt = search.again().limit(n);
            attempt.within = radius;
            let mut found = self.probe_many(&[query], attempt)?;
            let Matches { count, matches } = found.pop().unwrap_or_default();
            if radius == within || count >= n as u64 {
                return Ok(matches);
            }
            // Each attempt may cost twice as much as the one before, so all together cost little more than the last.
            let most = 2.0 * self.predicted_ns(radius);
            let further = (radius.0 + 1..=within.0).map(Within);
            let cheap = further.take_while(|&next| self.predicted_ns(next) <= most).last();
            radius = cheap.unwrap_or(Within(radius.0 + 1));
        }
    }

    /// Predicts the time of a query in nanoseconds, if all files are in memory. A distance above [`Within::MAX`] counts
    /// as that.
    pub(crate) fn predicted_ns(&self, within: Within) -> f64 {
        let k = within.min(Within::MAX).0.into();
        let runs: f64 = self.runs.iter().map(|run| run.plan(k).nanoseconds).sum();
        runs + self.memtable.predicted_ns(k)
    }

    /// Refuses a distance or queries that no probe answers.
    pub(super) fn check_query(&self, queries: &[Fingerprint], k: u32) -> Result<()> {
        if k > Within::MAX.0.into() {
            return Err(Error::OutOfRange { what: "k", requested: k.into(), limit: Within::MAX.0.into() });
        }
        let greatest = nddb_format::fingerprint::low_mask(self.manifest.bits);
        match queries.iter().find(|query| query.0 > greatest) {
            Some(query) => Err(Error::OutOfRange { what: "the fingerprint", requested: query.0, limit: greatest }),
            None => Ok(()),
        }
    }

    fn probe_window(
        &self,
        queries: &[Fingerprint],
        k: u32,
        limit: usize,
        work: &mut Work,
        answers: &mut Vec<Matches>,
        scratch: &mut Scratch,
    ) -> Result<()> {
        scratch.lanes.clear();
        scratch.hits.clear();
        for (number, run) in (0..).zip(&self.runs) {
            let plan = run.plan(k);
            for (query, &fingerprint) in (0..).zip(queries) {
                run.note_query();
                for (index, entry) in (0..).zip(&plan.entries) {
                    let permuted = run.entry.scheme.tables()[entry.table()].permute(fingerprint);
                    let (table, bounds) = (entry.table() as u32, (0, 0));
                    entry.each(permuted.0, &mut |low, high| {
                        let (low, high) = (Permuted(low), Permuted(high));
                        let lane =
                            Lane { query, run: number, table, entry: index, part: 0, low, high, permuted, bounds };
                        scratch.push(lane, &self.runs, k, work)
                    })?;
                }
            }
        }
        scratch.read(&self.runs, k, work)?;
        let Scratch { looking, hits, lookups, collectors, stretches, .. } = scratch;
        collectors.clear();
        collectors.extend(queries.iter().map(|_| Collector::new(limit)));
        if !hits.is_empty() {
            look_up(&self.runs, hits, lookups, looking, work, stretches)?;
            for hit in hits.iter() {
                self.collect(hit, &mut collectors[hit.query as usize])?;
            }
        }
        for (query, collector) in queries.iter().zip(collectors.iter_mut()) {
            self.memtable.probe(query.0, k, |fingerprint, numbers| {
                let distance = (fingerprint ^ query.0).count_ones();
                for &number in numbers.iter().filter(|&&number| self.is_live(number)) {
                    collector.count += 1;
                    if collector.wants(distance, number) {
                        collector.keep(Match { distance, number, fingerprint: Fingerprint(fingerprint) });
                    }
                }
            });
        }
        answers.extend(collectors.drain(..).map(Collector::finish));
        Ok(())
    }

    /// Reads the document numbers of a hit.
    fn collect(&self, hit: &Hit, collector: &mut Collector) -> Result<()> {
        let run = &self.runs[hit.run as usize];
        let (distance, fingerprint) = (hit.distance, Fingerprint(hit.fingerprint));
        if !run.has_numbers() {
            collector.count += 1;
            if collector.wants(distance, 0) {
                collector.keep(Match { distance, number: 0, fingerprint });
            }
            return Ok(());
        }
        let postings = run.postings()?;
        let len = hit.list.end - hit.list.start;
        // A list of a million documents that are all live is counted by its length.
        let all_live = self.deleted.is_empty() && self.ranges.hidden().is_empty() || len > 64 && self.is_all_live(run);
        if all_live {
            collector.count += len;
        }
        postings.numbers(hit.list.clone(), |number| {
            if all_live {
                let wanted = collector.wants(distance, number);
                if wanted {
                    collector.keep(Match { distance, number, fingerprint });
                }
                return Ok(wanted);
            }
            if self.is_live(number) {
                collector.count += 1;
                if collector.wants(distance, number) {
                    collector.keep(Match { distance, number, fingerprint });
                }
            }
            Ok(true)
        })?;
        postings.check_readable()
    }

    /// Finds the lists of stored keys in the key tables of all runs, by (key, run).
    pub(crate) fn key_lists(&self, keys: &[u64]) -> Result<Vec<KeyList>> {
        let runs = &self.key_runs;
        if runs.is_empty() {
            return Ok(Vec::new());
        }
        SCRATCH.with_borrow_mut(|scratch| {
            scratch.lanes.clear();
            scratch.hits.clear();
            let mut work = Work::default();
            for (number, run) in (0..).zip(runs) {
                for (query, &key) in (0..).zip(keys) {
                    run.note_query();
                    scratch.push(Lane::of_value(query, number, key), runs, 0, &mut work)?;
                }
            }
            scratch.read(runs, 0, &mut work)?;
            let Scratch { looking, hits, lookups, stretches, .. } = scratch;
            hits.sort_unstable_by_key(|hit| (hit.query, hit.run));
            look_up(runs, hits, lookups, looking, &mut work, stretches)?;
            self.counters.add(work);
            let list = |hit: &Hit| KeyList { query: hit.query as usize, run: hit.run, list: hit.list.clone() };
            Ok(hits.iter().map(list).collect())
        })
    }

    /// Passes the numbers of a list that [`Snapshot::key_lists`] found to `visit`, until it returns `false`.
    pub(crate) fn each_of_list(&self, list: &KeyList, mut visit: impl FnMut(u64) -> bool) -> Result<()> {
        let postings = self.key_runs[list.run as usize].postings()?;
        postings.numbers(list.list.clone(), |number| Ok(visit(number)))?;
        postings.check_readable()
    }
}

/// Decodes the blocks of all lanes, several interleaved.
#[inline]
fn decode(
    runs: &[Arc<Run>],
    lanes: &[Lane],
    k: u32,
    work: &mut Work,
    hits: &mut Vec<Hit>,
    stretches: &mut Stretches<IN_TURN>,
) -> Result<()> {
    let mut groups = lanes.chunks_exact(IN_TURN);
    for group in &mut groups {
        let first = group[0].approach(runs)?;
        let mut approaches = [first; IN_TURN];
        for (approach, lane) in approaches.iter_mut().zip(group).skip(1) {
            *approach = lane.approach(runs)?;
        }
        stretches.decode(&approaches);
        for (index, (approach, lane)) in approaches.into_iter().zip(group).enumerate() {
            scan(runs, approach, stretches.lane(index), lane, k, work, hits)?;
        }
    }
    for lane in groups.remainder() {
        scan(runs, lane.approach(runs)?, Stretch::default(), lane, k, work, hits)?;
    }
    Ok(())
}

/// Collects the fingerprints of a lane's range within the distance, in its block and the following ones: those of long
/// ranges, four whole blocks at a time.
#[inline]
fn scan(
    runs: &[Arc<Run>],
    first: Approach<'_>,
    decoded: Stretch<'_>,
    lane: &Lane,
    k: u32,
    work: &mut Work,
    hits: &mut Vec<Hit>,
) -> Result<()> {
    let run = &runs[lane.run as usize];
    let file = &run.segments[lane.table as usize];
    let (scheme, ordinal) = (&run.entry.scheme, lane.table as usize);
    let (table, entry) = (&scheme.tables()[ordinal], &run.plan(k).entries[lane.entry as usize]);
    let mut take = |block: u64, index: usize, value: u64| {
        let difference = table.unpermute(Permuted(value ^ lane.permuted.0)).0;
        if entry.reports(scheme, difference) {
            hits.push(Hit {
                query: lane.query,
                run: lane.run,
                distance: difference.count_ones(),
                fingerprint: table.unpermute(Permuted(value)).0,
                index: (ordinal == 0).then_some((block, index)),
                rank: 0,
                list: 0..0,
            });
        }
    };
    let is_long = file.segment().blocks_in(lane.high.0 - lane.low.0) >= TOGETHER;
    let (mut number, mut begun) = (lane.bounds.0, Some((first, decoded)));
    let (mut values, mut kept) = (Vec::new(), Vec::new());
    while number < lane.bounds.1 {
        if is_long && number + TOGETHER <= lane.bounds.1 && file.key(number + TOGETHER - 1)? < lane.high {
            let four = [file.block(number)?, file.block(number + 1)?, file.block(number + 2)?, file.block(number + 3)?];
            values.clear();
            block::decode_four(&four, &mut values).map_err(Error::format(file.path()))?;
            kept.clear();
            cpu::run(Select { values: &values, query: lane.permuted.0, k, kept: &mut kept });
            for &position in kept.iter().filter(|&&position| values[position] >= lane.low.0) {
                let (mut block, mut index) = (0, position);
                while index >= four[block].len() {
                    (index, block) = (index - four[block].len(), block + 1);
                }
                take(number + block as u64, index, values[position]);
            }
            work.blocks += TOGETHER;
            work.entries += values.len() as u64;
            number += TOGETHER;
            begun = None;
            continue;
        }
        let (approach, stretch) = match begun.take() {
            Some(begun) => begun,
            None => (file.block(number)?.approach(lane.low.0, 0), Stretch::default()),
        };
        let (decoded, goes_on) =
            approach.probe(stretch, lane.high.0, lane.permuted.0, k, |index, value| take(number, index, value));
        work.blocks += 1;
        work.entries += decoded as u64;
        number += 1;
        if !goes_on {
            break;
        }
    }
    file.check_readable()
}

/// The selection of the values within k bits of a query, by their positions.
struct Select<'a> {
    values: &'a [u64],
    query: u64,
    k: u32,
    kept: &'a mut Vec<usize>,
}

impl Compute for Select<'_> {
    type Output = ();

    #[inline(always)]
    fn compute(self) {
        let near = |value: &u64| (value ^ self.query).count_ones() <= self.k;
        self.kept.extend(self.values.iter().enumerate().filter(|(_, value)| near(value)).map(|(position, _)| position));
    }
}

/// Resolves all hits from their fingerprints to their lists: first the entries of hits that table 0 did not find, then
/// ranks, directory and numbers. Each is prefetched for all hits before it is read. The hits of a set have no lists.
fn look_up(
    runs: &[Arc<Run>],
    hits: &mut [Hit],
    lookups: &mut Vec<Lane>,
    looking: &mut Vec<Looking>,
    work: &mut Work,
    stretches: &mut Stretches<IN_TURN>,
) -> Result<()> {
    if !runs.iter().all(|run| run.has_numbers()) {
        return Ok(());
    }
    lookups.clear();
    for (index, hit) in (0..).zip(hits.iter()).filter(|(_, hit)| hit.index.is_none()) {
        lookups.push(Lane::of_value(index, hit.run, hit.fingerprint));
    }
    let missing = lookups.len();
    locate(runs, lookups, looking, work)?;
    let postings = |lane: &Lane| runs[lane.run as usize].postings();
    for lane in lookups.iter() {
        postings(lane)?.prefetch_rank(lane.bounds.0);
    }
    // While the blocks are being fetched, prefetch the postings at the likely rank.
    for lane in lookups.iter_mut() {
        let rank = postings(lane)?.first_rank(lane.bounds.0)?;
        lane.high = Permuted(rank + lane.file(runs).entry_at(lane.part as usize));
        postings(lane)?.prefetch_list(lane.high.0);
    }
    for lane in lookups.iter() {
        postings(lane)?.prefetch_behind(lane.high.0)?;
    }
    for group in lookups.chunks(IN_TURN) {
        let mut approaches = [group[0].approach(runs)?; IN_TURN];
        for (approach, lane) in approaches.iter_mut().zip(group).skip(1) {
            *approach = lane.approach(runs)?;
        }
        let one = group.len() == 1;
        if !one {
            stretches.decode(&approaches);
        }
        for (index, (approach, lane)) in approaches.into_iter().zip(group).enumerate() {
            let stretch = if one { Stretch::default() } else { stretches.lane(index) };
            hits[lane.query as usize].index = approach.position(stretch).map(|entry| (lane.bounds.0, entry));
        }
    }
    work.blocks += missing as u64;
    for hit in hits.iter_mut() {
        let run = &runs[hit.run as usize];
        let Some((block, entry)) = hit.index else { return Err(lost(run, hit.fingerprint)) };
        let postings = run.postings()?;
        hit.rank = postings.first_rank(block)? + entry as u64;
        postings.prefetch_list(hit.rank);
    }
    for hit in hits.iter_mut() {
        let postings = runs[hit.run as usize].postings()?;
        hit.list = postings.list(hit.rank)?;
        postings.prefetch_number(hit.list.start);
    }
    Ok(())
}

#[cold]
fn lost(run: &Run, fingerprint: u64) -> Error {
    Error::Inconsistent {
        path: run.segments[0].path().to_owned(),
        what: format!(
            "table 0 does not hold fingerprint {}, which another table of its run does",
            Fingerprint(fingerprint)
        ),
    }
}
