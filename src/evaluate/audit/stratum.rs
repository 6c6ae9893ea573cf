//! Strata: the sets of pairs from which an audit draws separately.

use std::fmt;

use crate::removals::Score;

nddb_format::named! {
    /// The decision about a pair.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum StratumKind {
        /// One document is removed because of the other.
        Removed = "removed",
        /// Near-duplicates that both stay: one may have content of its own, or too little content to be distinguished
        /// from others.
        Stays = "stays",
        /// Not near-duplicates, by a score not far below the threshold.
        Rejected = "rejected",
    }
}

/// A stratum: pairs with these properties are drawn separately from others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stratum {
    /// The decision.
    pub kind: StratumKind,
    /// The rule that decided, or the reason why a document stays.
    pub rule: String,
    /// The range of the score.
    pub score: String,
    /// Whether both documents are on one site.
    pub sites: &'static str,
    /// The size class of the cluster; `-` for pairs in no cluster.
    pub cluster: &'static str,
}

impl fmt::Display for Stratum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, rule, score, sites, cluster } = self;
        write!(f, "{}, {rule}, {score}, {sites}, cluster of {cluster}", kind.name())
    }
}

/// Bounds of the ranges of probability that divide removals into strata.
const BOUNDS: [f64; 6] = [0.0, 0.35, 0.5, 0.7, 0.9, 0.99];

/// Returns the range of a score. Ranges are coarser than in a report, so that each has enough pairs.
pub(super) fn range(score: Score) -> String {
    let Score::Probability(share) = score else { return score.bin().to_string() };
    let index = BOUNDS.iter().take_while(|&&bound| bound as f32 <= share).count().saturating_sub(1);
    let to = BOUNDS.get(index + 1).copied().unwrap_or(1.0);
    format!("probability {:.2} to {to:.2}", BOUNDS[index])
}

/// Returns the expected standard deviation of one answer about a pair with this score.
pub(super) fn spread(score: Score) -> f64 {
    match score {
        // Removing a copy of a text loses nothing, unless the page has more than its text, which a person must check.
        Score::Identical => 0.05,
        Score::Probability(share) => f64::from(share * (1.0 - share)).sqrt().max(0.1),
        _ => 0.4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubtful_scores_are_ranges_of_their_own_and_spread_most() {
        let of = |share| range(Score::Probability(share));
        assert_eq!([of(0.5), of(0.6999)], ["probability 0.50 to 0.70"; 2]);
        assert_eq!(
            [of(0.3), of(0.49), of(1.0)],
            ["probability 0.00 to 0.35", "probability 0.35 to 0.50", "probability 0.99 to 1.00"]
        );
        assert_eq!(range(Score::Identical), "equal texts");
        let spreads =
            [Score::Identical, Score::Probability(0.999), Score::Probability(0.8), Score::Probability(0.5)].map(spread);
        assert!(spreads.is_sorted() && spreads[3] == 0.5, "{spreads:?}");
    }
}
