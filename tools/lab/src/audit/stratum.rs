//! What pairs are drawn apart by.

use std::fmt;

use crate::removals::Score;

/// What was decided of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// One document is removed because of the other.
    Removed,
    /// Near-duplicates, and both stay: one may have content of its own, or too little to be told from others.
    Stays,
    /// Told apart, by a score not far below the threshold.
    Rejected,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 3] = [Kind::Removed, Kind::Stays, Kind::Rejected];

    /// The name in label files.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Removed => "removed",
            Kind::Stays => "stays",
            Kind::Rejected => "rejected",
        }
    }
}

/// Pairs that are drawn apart from others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stratum {
    /// What was decided.
    pub kind: Kind,
    /// The rule that decided, or why a document stays.
    pub rule: String,
    /// The range of the score.
    pub score: String,
    /// Whether the two are on one site.
    pub sites: &'static str,
    /// The class of the cluster by its documents; `-` of pairs in no cluster.
    pub cluster: &'static str,
}

impl fmt::Display for Stratum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, rule, score, sites, cluster } = self;
        write!(f, "{}, {rule}, {score}, {sites}, cluster of {cluster}", kind.name())
    }
}

/// Bounds of the ranges of probability by which removals are drawn apart.
const BOUNDS: [f64; 6] = [0.0, 0.35, 0.5, 0.7, 0.9, 0.99];

/// Returns the range of a score: coarser than in a report, so that there is enough of each to draw from.
pub(super) fn range(score: Score) -> String {
    let Score::Probability(share) = score else { return score.bin().to_string() };
    let index = BOUNDS.iter().take_while(|&&bound| bound as f32 <= share).count().saturating_sub(1);
    let to = BOUNDS.get(index + 1).copied().unwrap_or(1.0);
    format!("probability {:.2} to {to:.2}", BOUNDS[index])
}

/// Returns the standard deviation that is expected of one answer about a pair of this score.
pub(super) fn spread(score: Score) -> f64 {
    match score {
        // Nothing is lost with a copy of a text, but that the text of the page is all there is has to be looked at.
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
