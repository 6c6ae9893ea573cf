//! Output lines of the groups and pairs that clusters are made from.

use std::collections::HashMap;

use nddb_index::spill::progress::Progress;
use nddb_index::{Result, View};

use crate::collection::Collection;
use crate::options::PairOptions;
use crate::pair::{Line, Pair, PairSummary};
use crate::pairs::{PairJob, Reach};

/// Passes on the groups and pairs of live documents as lines. Live documents whose representative is deleted are
/// compared anew. An oversized star has too many pairs, so only its pairs with the centre are passed on.
pub(crate) fn emit(
    view: View<'_>,
    collection: &Collection,
    found: &PairJob,
    centres: &Centres<'_>,
    options: &PairOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    emit: &mut dyn FnMut(Line) -> Result<()>,
) -> Result<PairSummary> {
    let mut left_out = PairSummary::default();
    let mut emit = |line: Line| match line {
        Line::Pair(pair) if centres.leave_out(&pair) => {
            left_out.pairs += 1;
            left_out.unverified += u64::from(pair.is_unread());
            Ok(())
        }
        line => emit(line),
    };
    let mut summary = if u64::from(collection.len()) == collection.held().documents {
        found.emit(collection, options, watch, &mut emit)?
    } else {
        let live = Collection::build(view, &options.resources, watch)?;
        let found = PairJob::new(view, &live, options, Reach::STABLE, watch)?;
        // Lines name documents by their ordinals in the collection of the caller.
        let there: Vec<u32> = (0..collection.len()).filter(|&ordinal| !collection.row(ordinal).is_deleted).collect();
        found.emit(&live, options, watch, &mut |line| {
            emit(match line {
                Line::Pair(mut pair) => {
                    (pair.a, pair.b) = (there[pair.a as usize], there[pair.b as usize]);
                    Line::Pair(pair)
                }
                Line::Group(mut group) => {
                    group.founder = there[group.founder as usize];
                    group.members.iter_mut().for_each(|member| *member = there[*member as usize]);
                    Line::Group(group)
                }
            })
        })?
    };
    summary.pairs -= left_out.pairs;
    summary.unverified -= left_out.unverified;
    Ok(summary)
}

/// The centres of clusters.
pub(crate) struct Centres<'a> {
    founder: &'a [u32],
    /// Oldest live member of each oversized star, by the founder of the star; the founder may be deleted.
    oversized: HashMap<u32, u32>,
}

impl<'a> Centres<'a> {
    /// Returns the centres. A star with more than `limit` members is oversized; `None` for connected components.
    pub(crate) fn new(collection: &Collection, founder: &'a [u32], limit: Option<usize>) -> Self {
        let mut oversized = HashMap::new();
        if let Some(limit) = limit {
            let live = || (0..).zip(founder).filter(|&(ordinal, _)| !collection.row(ordinal).is_deleted);
            let mut members = vec![0usize; founder.len()];
            live().for_each(|(_, &founder)| members[founder as usize] += 1);
            for (ordinal, &founder) in live().filter(|&(_, &founder)| members[founder as usize] > limit) {
                oversized.entry(founder).or_insert(ordinal);
            }
        }
        Self { founder, oversized }
    }

    fn leave_out(&self, pair: &Pair) -> bool {
        let ends = [pair.a, pair.b];
        let founder = |ordinal: u32| self.founder[ordinal as usize];
        let is_centre =
            |ordinal: u32| founder(ordinal) == ordinal || self.oversized.get(&founder(ordinal)) == Some(&ordinal);
        ends.iter().any(|&end| self.oversized.contains_key(&founder(end))) && !ends.into_iter().any(is_centre)
    }
}
