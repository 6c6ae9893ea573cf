//! Precision of trustable longest common subsequence by the slope of its regions (Huang et al. 2008, 4, Figure 8).

use fixedbitset::FixedBitSet;
use nddb_dedup::{Collection, PairOptions, TextSources, UnreadTexts, keep};
use nddb_evaluate::eval::{Counts, Gold, Label};
use nddb_index::spill::progress::Ticker;
use nddb_index::{Progress, Result, View};
use nddb_verdict::compare::lcs::{Comparer, Likeness, Parameters, Prepared, Thresholds};
use nddb_verdict::methods::Lcs;

/// The slopes that are tried: "when the slope threshold increases from 0.02 to 0.2".
pub const SLOPES: [f64; 10] = [0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2];
/// "We adjusted the threshold of resemblance to maintain the recall at 0.90".
pub const RECALL: f64 = 0.9;

/// The results for all slopes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slopes {
    /// The result for each of [`SLOPES`].
    pub steps: Vec<AtSlope>,
    /// Number of labelled pairs with an unreadable text, which are in no figure.
    pub left_out: u64,
    /// Documents that could not be read.
    pub unread: UnreadTexts,
}

/// The result for one slope.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AtSlope {
    /// The greatest slope of a trustable region.
    pub slope: f64,
    /// Counts by both thresholds of the method lcs, resemblance and containment.
    pub usual: Counts,
    /// The greatest resemblance that a share of [`RECALL`] of the correct pairs reaches; `None` without a correct pair.
    pub resemblance: Option<f64>,
    /// Counts by this resemblance alone: "the measurement of containment was not used in this evaluation".
    pub adjusted: Counts,
}

/// Compares the selected labelled pairs with each slope. As in the paper, all pairs are treated as perhaps similar:
/// they are compared whether they share a signature or not.
///
/// # Errors
/// Damage of the database; errors of the disk; [`nddb_index::Error::Cancelled`].
pub fn by_slope(
    view: View<'_>,
    collection: &Collection,
    gold: &Gold,
    selected: &[bool],
    (options, lcs): (&PairOptions, &Lcs),
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<Slopes> {
    let ticker = Ticker::new(watch);
    let pairs = || gold.pairs.iter().zip(selected).filter(|(_, selected)| **selected).map(|(pair, _)| pair);
    let mut wanted = FixedBitSet::with_capacity(collection.len() as usize);
    pairs().flat_map(|pair| [pair.a, pair.b]).for_each(|ordinal| wanted.insert(ordinal as usize));
    let sources = TextSources::new(view, collection, options.part, &options.resources, &ticker)?;
    let kept = keep(&sources, &wanted, &options.resources, &ticker, &mut |_, _| Ok(()))?;
    // No comparison stops early, because all numbers are needed.
    let all = Thresholds::NONE;
    let mut comparers = SLOPES.map(|slope| Comparer::new(Parameters { slope, ..lcs.comparison }, &all));
    let mut found: Vec<Vec<(Label, Likeness)>> = vec![Vec::new(); SLOPES.len()];
    let mut made = Slopes { unread: kept.unread, ..Slopes::default() };
    ticker.start("slopes", Some(pairs().count() as u64), "pairs")?;
    for pair in pairs() {
        let Some((a, b)) = kept.get(pair.a).zip(kept.get(pair.b)) else {
            made.left_out += 1;
            continue;
        };
        let [a, b] = [a, b].map(|text| Prepared::new(text, &lcs.comparison));
        for (comparer, found) in comparers.iter_mut().zip(&mut found) {
            found.push((pair.label, comparer.compare(&a, &b)));
        }
        ticker.add(1)?;
    }
    made.steps = SLOPES.into_iter().zip(&found).map(|(slope, found)| at(slope, found, &lcs.thresholds)).collect();
    Ok(made)
}

fn at(slope: f64, found: &[(Label, Likeness)], thresholds: &Thresholds) -> AtSlope {
    let correct = found.iter().filter(|(label, _)| *label == Label::Correct);
    let mut resemblances: Vec<f64> = correct.map(|(_, likeness)| likeness.resemblance).collect();
    resemblances.sort_by(|a, b| b.total_cmp(a));
    let reached = (RECALL * resemblances.len() as f64).ceil() as usize;
    let resemblance = reached.checked_sub(1).map(|index| resemblances[index]);
    let mut made = AtSlope { slope, resemblance, ..AtSlope::default() };
    for (label, likeness) in found {
        made.usual.add(*label, likeness.exceeds(thresholds));
        made.adjusted.add(*label, resemblance.is_some_and(|least| likeness.resemblance >= least));
    }
    made
}
