//! Candidate pairs by resemblance: pairs of documents that share one of their rarest shingles.

use std::collections::HashSet;

use nddb_index::Result;
use nddb_index::spill::sort::{Sorted, Sorter};

use nddb_verdict::Ratios;

use super::read::ShingleSets;
use crate::candidates::context::{Context, Take};
use crate::candidates::source::PairSource;
use crate::pair::Cut;
use crate::text_summary::ShingleSummary;

/// Receiver of a shingle, its posting list and the number of postings.
type Visit<'a> = dyn FnMut([u64; 2], &[u64], u64) -> Result<()> + 'a;

/// A posting: one of the documents that share a shingle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sharing {
    /// Ordinal of the document.
    pub document: u32,
    /// Number of shingles that the document keeps at the current ratio.
    pub len: u64,
    /// Whether the current ratio is the document's own sampling ratio, which then is the coarser ratio of each of its
    /// pairs.
    pub is_coarse: bool,
}

impl Sharing {
    /// Returns whether two documents are compared at the current ratio and may reach this resemblance.
    pub fn may_reach(&self, other: &Sharing, threshold: f64) -> bool {
        let (less, more) = (self.len.min(other.len), self.len.max(other.len));
        less as f64 >= threshold * more as f64 - ROUNDING && (self.is_coarse || other.is_coarse)
    }
}

/// Receiver of the documents that share a shingle, ascending.
type VisitBucket<'a> = dyn FnMut(&[Sharing]) -> Result<()> + 'a;

/// Documents between two reports of progress.
const REPORT: u32 = 1 << 10;
/// Upper bound of the rounding error of a floating-point product that should be an integer.
const ROUNDING: f64 = 1e-9;

/// Source of pairs whose resemblance may reach the threshold.
pub struct Resembling<'a> {
    /// Least resemblance of a pair.
    pub least: f64,
    /// Shingles of the documents.
    pub sets: &'a mut ShingleSets,
    /// Counts of shingles.
    pub summary: &'a mut ShingleSummary,
}

/// Shingles of more than one document, by document.
type Shared = Sorted<4>;

impl PairSource for Resembling<'_> {
    fn candidates(&mut self, context: &Context<'_>, found: &mut Take<'_>) -> Result<Vec<Cut>> {
        let (mut cuts, least) = (Vec::new(), self.least);
        self.buckets(context, &mut |documents| bucket(context, least, documents, &mut cuts, found))?;
        cuts.sort_unstable();
        Ok(cuts)
    }
}

impl Resembling<'_> {
    /// For each ratio at which pairs are compared, passes on the lists of documents that share one of their rarest
    /// shingles.
    pub fn buckets(&mut self, context: &Context<'_>, visit: &mut VisitBucket<'_>) -> Result<()> {
        let shared = self.shared(context)?;
        *self.summary = self.sets.summary;
        for ratio in Ratios::each() {
            if context.classes.leaders().any(|leader| self.sets.ratio(leader) == Some(ratio)) {
                Level { context, least: self.least, sets: self.sets, ratio }.buckets(&shared, visit)?;
            }
        }
        Ok(())
    }

    /// Returns the shared shingles as (document, number of postings, shingle), the rarest of each document first.
    /// Shingles that only one document has are dropped, and, if a limit is set, shingles that too many documents have.
    fn shared(&mut self, context: &Context<'_>) -> Result<Shared> {
        let (resources, collection) = (context.resources, context.collection);
        let mut sorter = Sorter::<3>::new(&resources.folder, resources.memory_limit / 4);
        context.ticker.start("sort shingles", Some(collection.len().into()), "documents")?;
        for leader in context.classes.leaders() {
            for hash in self.sets.hashes(leader) {
                sorter.push([(hash >> 64) as u64, hash as u64, leader.into()])?;
            }
            context.tick(leader, REPORT)?;
        }
        let sorted = sorter.finish();
        let stop = self.sets.method().stop.unwrap_or(u64::MAX);
        let mut shared = Sorter::<4>::new(&resources.folder, resources.memory_limit / 4);
        let mut stopped = HashSet::new();
        // Two passes: the number of postings of a shingle is known only at the end of its rows.
        let mut counts = Counts { sorted: &sorted };
        counts.each(&mut |[high, low], documents, count| {
            if count > stop {
                stopped.insert(u128::from(high) << 64 | u128::from(low));
            } else if count > 1 {
                for &document in documents {
                    shared.push([document, count, high, low])?;
                }
            }
            Ok(())
        })?;
        self.sets.stop(stopped);
        Ok(shared.finish())
    }
}

/// Posting lists of shingles.
struct Counts<'a> {
    sorted: &'a Sorted<3>,
}

impl Counts<'_> {
    fn each(&mut self, visit: &mut Visit<'_>) -> Result<()> {
        let (mut last, mut documents) = ([0; 2], Vec::new());
        self.sorted.each(&mut |rows| {
            for &[high, low, document] in rows {
                if last != [high, low] && !documents.is_empty() {
                    visit(last, &documents, documents.len() as u64)?;
                    documents.clear();
                }
                last = [high, low];
                documents.push(document);
            }
            Ok(())
        })?;
        if documents.is_empty() { Ok(()) } else { visit(last, &documents, documents.len() as u64) }
    }
}

/// The pairs that are compared at one ratio, the coarser ratio of the two documents.
struct Level<'a, 'b> {
    context: &'a Context<'b>,
    least: f64,
    sets: &'a ShingleSets,
    ratio: u32,
}

impl Level<'_, '_> {
    fn buckets(&self, shared: &Shared, visit: &mut VisitBucket<'_>) -> Result<()> {
        let resources = self.context.resources;
        // Shingle, document, and the number of shingles of the document.
        let mut prefixes = Sorter::<4>::new(&resources.folder, resources.memory_limit / 4);
        let (mut last, mut list) = (None, Vec::new());
        shared.each(&mut |rows| {
            for &[ordinal, _, high, low] in rows {
                if let Some(before) = last.replace(ordinal).filter(|&before| before != ordinal) {
                    self.prefix(before, &mut list, &mut prefixes)?;
                }
                list.push([high, low]);
            }
            Ok(())
        })?;
        if let Some(last) = last {
            self.prefix(last, &mut list, &mut prefixes)?;
        }
        self.context.ticker.start("candidates", None, "shingles")?;
        let (mut last, mut documents) = ([0; 2], Vec::new());
        prefixes.finish().each(&mut |rows| {
            for &[high, low, document, len] in rows {
                if last != [high, low] {
                    visit(&documents)?;
                    documents.clear();
                }
                last = [high, low];
                let is_coarse = self.sets.ratio(document as u32) == Some(self.ratio);
                documents.push(Sharing { document: document as u32, len, is_coarse });
            }
            self.context.ticker.add(rows.len() as u64)
        })?;
        visit(&documents)
    }

    /// Adds the prefix of a document (its rarest shingles). `list` has its shared shingles, the rarest first.
    fn prefix(&self, ordinal: u64, list: &mut Vec<[u64; 2]>, prefixes: &mut Sorter<4>) -> Result<()> {
        let sampling = Ratios::sampling(self.ratio, self.sets.method().remainder);
        let is_kept = |[_, low]: &[u64; 2]| sampling.keeps(u128::from(*low));
        if self.sets.ratio(ordinal as u32).is_some_and(|ratio| ratio <= self.ratio) {
            let len = self.sets.hashes(ordinal as u32).filter(|&hash| sampling.keeps(hash)).count();
            let needed = (self.least * len as f64 - ROUNDING).ceil() as usize;
            // Shingles of this document alone are the rarest, and give no candidates.
            let alone = len - list.iter().filter(|hash| is_kept(hash)).count();
            let first = (len + 1).saturating_sub(needed).saturating_sub(alone);
            for &[high, low] in list.iter().filter(|hash| is_kept(hash)).take(first) {
                prefixes.push([high, low, ordinal, len as u64])?;
            }
        }
        list.clear();
        Ok(())
    }
}

/// Passes on those candidate pairs of the posting list of one shingle that may reach the least resemblance.
fn bucket(
    context: &Context<'_>,
    least: f64,
    documents: &[Sharing],
    cuts: &mut Vec<Cut>,
    found: &mut Take<'_>,
) -> Result<()> {
    let limit = context.limit;
    let is_cut = documents.len() > limit;
    let compared = match (is_cut, context.stable) {
        (false, _) => documents.len(),
        (true, true) => limit,
        (true, false) => 1,
    };
    if is_cut {
        cuts.push(Cut { founder: documents[0].document, len: documents.len() as u64, index: 0 });
    }
    for (at, a) in documents[..compared].iter().enumerate() {
        let end = if at == 0 { documents.len() } else { compared };
        for b in documents[at + 1..end].iter().filter(|b| a.may_reach(b, least)) {
            found(a.document, b.document, true)?;
        }
    }
    Ok(())
}
