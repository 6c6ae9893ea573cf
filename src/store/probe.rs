//! The probe: everything stored within k bits of a fingerprint (Manku 2007, 3).
//!
//! A dependent memory miss costs ten times an independent one, so nothing is waited for alone. A *lane*
//! is one table of one run for one query:
//! 1. all lanes search their block index together, each look at a key fetched while the others look;
//! 2. as a lane finds its block, the block is fetched (from disk, if it may be cold: all reads fly at once);
//! 3. the blocks are decoded, one after the other, from their restart points;
//! 4. what is within k is collected, once a fingerprint, and led through its rank in table 0 and the
//!    postings to document numbers, again all together.

use std::collections::BinaryHeap;
use std::ops::Range;

use nddb_format::segment::{Guess, Search};
use nddb_format::{Fingerprint, Permuted};

use super::run::Run;
use super::snapshot::Snapshot;
use crate::{Error, Result};

/// Queries that are in flight together in a batch.
const WINDOW: usize = 16;

/// A stored document within the distance asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Match {
    /// Hamming distance to the query.
    pub distance: u32,
    /// Document number.
    pub number: u64,
    /// Its fingerprint.
    pub fingerprint: Fingerprint,
}

/// What a probe found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// Number of live documents within the distance, also beyond the limit.
    pub count: u64,
    /// The matches, ascending by (distance, number): all of them, or the least up to the limit.
    pub matches: Vec<Match>,
}

/// The work that probes did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Tables probed.
    pub probes: u64,
    /// Blocks decoded.
    pub blocks: u64,
    /// Entries decoded.
    pub entries: u64,
}

/// One table of one run for one query.
struct Lane<'a> {
    query: usize,
    run: &'a Run,
    table: usize,
    low: Permuted,
    high: Permuted,
    permuted: Permuted,
    search: Search,
    /// Key before the block found, for guessing where in the block to look.
    before: u64,
    key: u64,
}

impl<'a> Lane<'a> {
    fn new(run: &'a Run, table: usize, query: usize, low: Permuted, high: Permuted, permuted: Permuted) -> Self {
        let search = run.segments[table].segment().search(low);
        Self { query, run, table, low, high, permuted, search, before: 0, key: u64::MAX }
    }

    /// Fetches the key of the first look.
    #[inline]
    fn start(&self) {
        if let Guess::Look(block) = self.search.next() {
            self.run.segments[self.table].prefetch_key(block);
        }
    }

    /// Takes the look that was fetched and those that lie in the same cache line. Returns whether the
    /// search goes on; if not, the block it found has been fetched.
    #[inline]
    fn step(&mut self) -> Result<bool> {
        let file = &self.run.segments[self.table];
        let Guess::Look(mut block) = self.search.next() else { return Ok(false) };
        loop {
            let key = file.key(block)?;
            if key < self.low { self.before = key.0 } else { self.key = key.0 }
            self.search.feed(block, key);
            match self.search.next() {
                Guess::Look(next) if next / 8 == block / 8 => block = next,
                Guess::Look(next) => {
                    file.prefetch_key(next);
                    return Ok(true);
                }
                Guess::Done => break,
            }
        }
        if let Some(found) = self.search.found() {
            file.prefetch_block(found, self.part());
        }
        Ok(false)
    }

    /// Where in the block of 1,024 bytes the low end is likely to stand.
    #[inline]
    fn part(&self) -> usize {
        let span = (self.key - self.before) >> 10;
        (((self.low.0 - self.before) / (span + 1)) as usize).min(1023)
    }
}

/// Searches the block index of all lanes together.
fn locate(lanes: &mut [Lane<'_>], active: &mut Vec<u32>) -> Result<()> {
    lanes.iter().for_each(Lane::start);
    active.clear();
    active.extend(0..lanes.len() as u32);
    while !active.is_empty() {
        let mut kept = 0;
        for place in 0..active.len() {
            let lane = active[place];
            if lanes[lane as usize].step()? {
                active[kept] = lane;
                kept += 1;
            }
        }
        active.truncate(kept);
    }
    Ok(())
}

/// A fingerprint within the distance, in one run.
#[derive(Clone)]
struct Hit<'a> {
    query: usize,
    run: &'a Run,
    ordinal: usize,
    fingerprint: u64,
    distance: u32,
    /// Block and entry in table 0, where that is known.
    place: Option<(u64, usize)>,
    rank: u64,
    list: Range<u64>,
}

/// Collects the least matches up to a limit, and counts all.
struct Collector {
    limit: usize,
    count: u64,
    heap: BinaryHeap<Match>,
    all: Vec<Match>,
}

impl Collector {
    fn new(limit: Option<usize>) -> Self {
        Self { limit: limit.unwrap_or(usize::MAX), count: 0, heap: BinaryHeap::new(), all: Vec::new() }
    }

    /// Whether a match at this distance with this number would be kept.
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
    /// Finds every live document within `k` bits of each query.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if `k` or a query is above what the database holds; damage of whatever is read.
    pub(crate) fn probe_many(
        &self,
        queries: &[Fingerprint],
        k: u32,
        limit: Option<usize>,
        work: &mut Work,
    ) -> Result<Vec<Matches>> {
        self.check_query(queries, k)?;
        let mut answers = Vec::with_capacity(queries.len());
        for window in queries.chunks(WINDOW) {
            self.probe_window(window, k, limit, work, &mut answers)?;
        }
        Ok(answers)
    }

    fn check_query(&self, queries: &[Fingerprint], k: u32) -> Result<()> {
        if k > u32::from(self.manifest.k) {
            return Err(Error::OutOfRange { what: "k", asked: k.into(), limit: self.manifest.k.into() });
        }
        let greatest = nddb_format::fingerprint::low_mask(self.manifest.bits);
        match queries.iter().find(|query| query.0 > greatest) {
            Some(query) => Err(Error::OutOfRange { what: "the fingerprint", asked: query.0, limit: greatest }),
            None => Ok(()),
        }
    }

    fn probe_window(
        &self,
        queries: &[Fingerprint],
        k: u32,
        limit: Option<usize>,
        work: &mut Work,
        answers: &mut Vec<Matches>,
    ) -> Result<()> {
        let mut lanes = Vec::with_capacity(16 * queries.len());
        for run in &self.runs {
            for (query, &fingerprint) in queries.iter().enumerate() {
                for (table, definition) in run.entry.scheme.tables().iter().enumerate() {
                    let permuted = definition.permute(fingerprint);
                    let (low, high) = definition.range(permuted);
                    lanes.push(Lane::new(run, table, query, low, high, permuted));
                    // Equal fingerprints are found by any table.
                    if k == 0 {
                        break;
                    }
                }
            }
        }
        let mut active = Vec::with_capacity(lanes.len());
        locate(&mut lanes, &mut active)?;
        let mut hits = Vec::new();
        for lane in &lanes {
            decode(lane, k, work, &mut hits)?;
        }
        work.probes += lanes.len() as u64;
        distinct(&mut hits);
        look_up(&mut hits, &mut active, work)?;
        let mut collectors: Vec<Collector> = queries.iter().map(|_| Collector::new(limit)).collect();
        for hit in &hits {
            self.collect(hit, &mut collectors[hit.query])?;
        }
        for (query, collector) in queries.iter().zip(&mut collectors) {
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
        answers.extend(collectors.into_iter().map(Collector::finish));
        Ok(())
    }

    /// Reads the document numbers of a hit.
    fn collect(&self, hit: &Hit<'_>, collector: &mut Collector) -> Result<()> {
        let postings = &hit.run.postings;
        let (distance, fingerprint) = (hit.distance, Fingerprint(hit.fingerprint));
        let len = hit.list.end - hit.list.start;
        // A list of a million documents that are all live is counted by its length.
        let all_live = self.deleted.is_empty() && self.hidden.is_empty() || len > 64 && self.is_all_live(hit.run);
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
}

/// Decodes the block that a lane found, and those behind it while the range goes on.
#[inline]
fn decode<'a>(lane: &Lane<'a>, k: u32, work: &mut Work, hits: &mut Vec<Hit<'a>>) -> Result<()> {
    let Some(mut number) = lane.search.found() else { return Ok(()) };
    let file = &lane.run.segments[lane.table];
    let table = &lane.run.entry.scheme.tables()[lane.table];
    let query = table.unpermute(lane.permuted);
    loop {
        let block = file.block(number)?;
        let (decoded, goes_on) = block.probe(lane.low.0, lane.high.0, lane.permuted.0, k, |entry, value| {
            let fingerprint = table.unpermute(Permuted(value));
            hits.push(Hit {
                query: lane.query,
                run: lane.run,
                ordinal: lane.table,
                fingerprint: fingerprint.0,
                distance: fingerprint.distance(query),
                place: (lane.table == 0).then_some((number, entry)),
                rank: 0,
                list: 0..0,
            });
        });
        work.blocks += 1;
        work.entries += decoded as u64;
        number += 1;
        if !goes_on || number == file.segment().block_len() {
            return file.check_readable();
        }
    }
}

/// Keeps each fingerprint of a run once for each query; the one found in table 0, if there is one.
fn distinct(hits: &mut Vec<Hit<'_>>) {
    let key = |hit: &Hit<'_>| (hit.query, hit.run.entry.low, hit.fingerprint);
    if hits.len() > 1 {
        hits.sort_unstable_by_key(|hit| (key(hit), hit.ordinal));
        hits.dedup_by(|later, earlier| key(later) == key(earlier));
    }
}

/// Leads all hits from their fingerprints to their lists.
fn look_up(hits: &mut [Hit<'_>], active: &mut Vec<u32>, work: &mut Work) -> Result<()> {
    let missing: Vec<usize> = (0..hits.len()).filter(|&place| hits[place].place.is_none()).collect();
    let mut lanes: Vec<Lane<'_>> = missing
        .iter()
        .map(|&place| {
            let target = Permuted(hits[place].fingerprint);
            Lane::new(hits[place].run, 0, place, target, target, target)
        })
        .collect();
    locate(&mut lanes, active)?;
    for lane in &lanes {
        let file = &lane.run.segments[0];
        let lost = || Error::Inconsistent {
            path: file.path().to_owned(),
            what: format!("table 0 does not hold fingerprint {}, which another table of its run does", Fingerprint(lane.low.0)),
        };
        let block = lane.search.found().ok_or_else(lost)?;
        let entry = file.block(block)?.position(lane.low.0).ok_or_else(lost)?;
        hits[lane.query].place = Some((block, entry));
        work.blocks += 1;
    }
    for hit in hits.iter() {
        hit.run.postings.prefetch_rank(hit.block());
    }
    for hit in hits.iter_mut() {
        let entry = hit.place.map_or(0, |place| place.1);
        hit.rank = hit.run.postings.first_rank(hit.block())? + entry as u64;
        hit.run.postings.prefetch_list(hit.rank);
    }
    for hit in hits.iter_mut() {
        hit.list = hit.run.postings.list(hit.rank)?;
        hit.run.postings.prefetch_number(hit.list.start);
    }
    Ok(())
}

impl Hit<'_> {
    fn block(&self) -> u64 {
        self.place.map_or(0, |place| place.0)
    }
}
