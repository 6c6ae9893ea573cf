//! Comparison of the pairs of a perhaps-similar set.

use nddb_index::Result;
use nddb_verdict::SetOptions;

use super::lists::Signed;
use super::sets::Sets;
use crate::candidates::comparison::{ByMethod, ComparisonCache};
use crate::candidates::context::{Context, Take};
use crate::candidates::source::PairSource;
use crate::pair::Cut;
use crate::text_summary::SetSummary;

/// Source of the pairs within perhaps-similar sets whose texts are near-duplicates by a text comparison.
pub(crate) struct Similar<'a> {
    pub(crate) cache: ComparisonCache<'a, ByMethod>,
    pub(crate) options: SetOptions,
    pub(crate) signed: Option<Signed>,
    pub(crate) summary: &'a mut SetSummary,
}

/// The comparison of one set.
struct Work<'a, 'b, 'c> {
    context: &'a Context<'b>,
    cache: &'a mut ComparisonCache<'c, ByMethod>,
    /// Remaining number of comparisons.
    left: u64,
    done: u64,
}

impl PairSource for Similar<'_> {
    fn candidates(&mut self, context: &Context<'_>, found: &mut Take<'_>) -> Result<Vec<Cut>> {
        let Some(signed) = self.signed.take() else { return Ok(Vec::new()) };
        let (options, collection) = (&self.options, context.collection);
        context.ticker.start("perhaps-similar sets", None, "comparisons")?;
        let takes = |ordinal| context.classes.leader(ordinal) == ordinal;
        let site = |ordinal| collection.row(ordinal).site;
        let sets = Sets::new(signed, options, context.resources, &takes, &site, self.summary)?;
        let mut cuts = Vec::new();
        sets.each(&mut |set| {
            let len = set.len() as u64;
            self.cache.clear();
            let left = options.comparisons.saturating_mul(len);
            let mut work = Work { context, cache: &mut self.cache, left, done: 0 };
            // Clusters need all pairs, too: they must not depend on documents that are added later.
            let whole = if options.exhaustive || context.options.expand || context.stable {
                work.exhaustive(set, found)?
            } else {
                work.leaders(set, found)?
            };
            let summary = &mut *self.summary;
            summary.sets += 1;
            summary.largest = summary.largest.max(len);
            summary.compared += work.done;
            if !whole {
                summary.limited += 1;
                let founder = set.iter().copied().min().unwrap_or_default();
                cuts.push(Cut { founder, len, index: 0 });
            }
            context.ticker.add(work.done)
        })?;
        cuts.sort_unstable();
        Ok(cuts)
    }
}

impl Work<'_, '_, '_> {
    /// Returns whether two documents are near; `None` if no comparison is left.
    fn near(&mut self, a: u32, b: u32) -> Option<bool> {
        self.left = self.left.checked_sub(1)?;
        self.done += 1;
        Some(self.cache.compare(a, b).is_some_and(|found| found.verdict.is_near()))
    }

    /// Compares all pairs. Returns whether the limit allowed all comparisons.
    fn exhaustive(&mut self, set: &[u32], found: &mut Take<'_>) -> Result<bool> {
        for (index, &a) in set.iter().enumerate() {
            for &b in &set[index + 1..] {
                match self.near(a, b) {
                    Some(near) => found(a, b, near)?,
                    None => return Ok(false),
                }
            }
            self.context.ticker.add(0)?;
        }
        Ok(true)
    }

    /// Compares each leader with all remaining members. Returns whether the limit allowed all comparisons.
    fn leaders(&mut self, set: &[u32], found: &mut Take<'_>) -> Result<bool> {
        let mut rest: Vec<u32> = set.to_vec();
        let mut others = Vec::new();
        while let [leader, all @ ..] = &rest[..] {
            others.clear();
            for &other in all {
                match self.near(*leader, other) {
                    Some(near) => {
                        found(*leader, other, near)?;
                        if !near {
                            others.push(other);
                        }
                    }
                    None => return Ok(false),
                }
            }
            std::mem::swap(&mut rest, &mut others);
            self.context.ticker.add(0)?;
        }
        Ok(true)
    }
}
