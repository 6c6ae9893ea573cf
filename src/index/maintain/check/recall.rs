//! The recall of a sample: queries near stored fingerprints, answered by the probe and by a full scan.

use nddb_format::Fingerprint;
use nddb_format::digest::{Digest, mix};

use super::files::Wrong;
use super::findings::Findings;
use super::state::LiveState;
use crate::Result;
use crate::catalog::Catalog;
use crate::read::snapshot::Snapshot;
use crate::spill::progress::Ticker;
use crate::within::Within;

/// Prints between two progress reports.
const ROWS: u64 = 1 << 14;

/// A seeded uniform sample of stored fingerprints by document.
#[derive(Debug)]
pub(crate) struct Sample {
    wanted: usize,
    offered: u64,
    state: u64,
    kept: Vec<u64>,
}

impl Sample {
    pub(crate) fn new(wanted: u64, seed: u64) -> Self {
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
        Self { wanted, offered: 0, state: mix(seed), kept: Vec::new() }
    }

    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state)
    }

    /// Offers a stored fingerprint to the sample (reservoir sampling).
    pub(crate) fn offer(&mut self, fingerprint: u64) {
        self.offered += 1;
        if self.wanted == 0 {
            return;
        }
        if self.kept.len() < self.wanted {
            self.kept.push(fingerprint);
            return;
        }
        let index = self.random() % self.offered;
        if let Some(kept) = usize::try_from(index).ok().and_then(|index| self.kept.get_mut(index)) {
            *kept = fingerprint;
        }
    }

    /// Returns queries: the sampled fingerprints with 0 to k bits flipped.
    fn queries(&mut self, bits: u8, k: u8) -> Vec<u64> {
        let kept = std::mem::take(&mut self.kept);
        let mut queries = Vec::with_capacity(kept.len());
        for (index, fingerprint) in kept.into_iter().enumerate() {
            let flips = (index % (usize::from(k) + 1)) as u32;
            let mut mask = 0u64;
            while mask.count_ones() < flips {
                mask |= 1 << (self.random() % u64::from(bits));
            }
            queries.push(fingerprint ^ mask);
        }
        queries
    }
}

/// The number of documents that a query finds, and the documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Answer {
    count: u64,
    pairs: Digest,
}

impl Answer {
    fn add(&mut self, fingerprint: u64, number: u64) {
        self.count += 1;
        self.pairs.add_pair(fingerprint, number);
    }
}

/// Runs all queries both ways. Returns (queries, documents found).
pub(crate) fn compare(
    catalog: &Catalog,
    state: &LiveState,
    snapshot: &Snapshot,
    sample: &mut Sample,
    findings: &mut Findings,
    ticker: &Ticker<'_>,
) -> Result<(u64, u64)> {
    let (bits, k) = (snapshot.manifest.bits, snapshot.manifest.k);
    let queries = sample.queries(bits, k);
    let mut wanted = vec![Answer::default(); queries.len()];
    if queries.is_empty() {
        return Ok((0, 0));
    }
    ticker.start("read all for recall", None, "documents")?;
    let mut rows = 0;
    catalog.prints(0, &mut |number, print| {
        rows += 1;
        if rows % ROWS == 0 {
            ticker.add(ROWS)?;
        }
        if !print.unprinted && state.is_visible(number) {
            for (query, answer) in queries.iter().zip(&mut wanted) {
                if (query ^ print.fingerprint).count_ones() <= u32::from(k) {
                    answer.add(print.fingerprint, number);
                }
            }
        }
        Ok(true)
    })?;
    ticker.start("probe for recall", Some(queries.len() as u64), "queries")?;
    let mut matches = 0;
    for (&query, wanted) in queries.iter().zip(&wanted) {
        matches += wanted.count;
        let probed = snapshot.probe_many(&[Fingerprint(query)], Within(k).into());
        let found = match probed {
            Ok(found) => found,
            Err(error) => {
                findings.run(snapshot_path(catalog), Wrong::from(error));
                continue;
            }
        };
        let mut answer = Answer::default();
        for found in found.iter().flat_map(|matches| &matches.matches) {
            answer.add(found.fingerprint.0, found.number);
        }
        if answer != *wanted {
            let what = format!(
                "the runs answer {} documents within {k} bits, reading all of the catalog {} of them",
                answer.count, wanted.count
            );
            findings.run(snapshot_path(catalog), Wrong::new(format!("query {}", Fingerprint(query)), what));
        }
        ticker.add(1)?;
    }
    Ok((queries.len() as u64, matches))
}

/// Returns the folder of the runs, for which a wrong answer is reported.
fn snapshot_path(catalog: &Catalog) -> &std::path::Path {
    catalog.path().parent().unwrap_or(catalog.path())
}
