//! The similarity of two documents, by the best known measure, and the ranges for counting it.

use std::fmt;

use nddb_dedup::Pair;

/// Bounds of the ranges of probability, the last one included in the last range.
pub const PROBABILITIES: [f64; 9] = [0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0];

/// Number of ranges of resemblance, each a tenth wide.
const TENTHS: u8 = 10;

/// The similarity of two documents: the first of these measures that is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Score {
    /// Their texts are equal.
    Identical,
    /// The probability by the model that they are near-duplicates, 0 to 1.
    Probability(f32),
    /// The resemblance, or the share of equal min-values that estimates it, 0 to 1.
    Resemblance(f32),
    /// The distance of their fingerprints in bits.
    Distance(u32),
    /// Nothing is known.
    Unknown,
}

/// A range of scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScoreBin {
    /// Equal texts.
    Identical,
    /// The range of [`PROBABILITIES`] that begins at this index.
    Probability(u8),
    /// The range of resemblance that begins at this many tenths.
    Resemblance(u8),
    /// This distance in bits.
    Distance(u32),
    /// Nothing is known.
    Unknown,
}

impl Score {
    /// Returns the score of a pair.
    pub fn of(pair: &Pair) -> Self {
        let measures = &pair.measures;
        if pair.identical {
            return Score::Identical;
        }
        let resemblance = measures.share("resemblance").map(|share| Score::Resemblance(share as f32));
        let probability = measures.share("probability").map(|share| Score::Probability(share as f32));
        probability.or(resemblance).or(measures.count("distance").map(Score::Distance)).unwrap_or(Score::Unknown)
    }

    /// Returns the probability of near-duplicates, if the model gives one.
    pub fn probability(self) -> Option<f64> {
        match self {
            Score::Identical => Some(1.0),
            Score::Probability(share) => Some(share.into()),
            _ => None,
        }
    }

    /// Returns the range of the score.
    pub fn bin(self) -> ScoreBin {
        match self {
            Score::Identical => ScoreBin::Identical,
            Score::Probability(share) => {
                // Shares are stored with few digits, so the bound is rounded, too. A bound belongs to the range that it
                // begins.
                let begun = PROBABILITIES.iter().take_while(|&&bound| bound as f32 <= share).count();
                ScoreBin::Probability(begun.saturating_sub(1).min(PROBABILITIES.len() - 2) as u8)
            }
            Score::Resemblance(share) => ScoreBin::Resemblance(((share * f32::from(TENTHS)) as u8).min(TENTHS - 1)),
            Score::Distance(bits) => ScoreBin::Distance(bits),
            Score::Unknown => ScoreBin::Unknown,
        }
    }
}

impl fmt::Display for ScoreBin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ScoreBin::Identical => write!(f, "equal texts"),
            ScoreBin::Probability(index) => {
                let [from, to] = [index, index + 1].map(|index| PROBABILITIES[usize::from(index)]);
                write!(f, "probability {from:.2} to {to:.2}")
            }
            ScoreBin::Resemblance(tenths) => write!(f, "resemblance 0.{tenths} to {:.1}", f64::from(tenths + 1) / 10.0),
            ScoreBin::Distance(bits) => write!(f, "distance {bits}"),
            ScoreBin::Unknown => write!(f, "unknown"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_in_the_range_that_its_bound_begins() {
        let of = |score: Score| score.bin().to_string();
        assert_eq!(of(Score::Probability(0.5)), "probability 0.50 to 0.60");
        assert_eq!(of(Score::Probability(0.949)), "probability 0.90 to 0.95");
        assert_eq!(of(Score::Probability(0.95)), "probability 0.95 to 0.99");
        assert_eq!(
            [of(Score::Probability(1.0)), of(Score::Probability(0.0))],
            ["probability 0.99 to 1.00", "probability 0.00 to 0.50"]
        );
        assert_eq!(of(Score::Resemblance(1.0)), "resemblance 0.9 to 1.0");
        assert_eq!(
            [of(Score::Identical), of(Score::Distance(3)), of(Score::Unknown)],
            ["equal texts", "distance 3", "unknown"]
        );
        assert_eq!(Score::Identical.probability(), Some(1.0));
        assert_eq!(Score::Distance(0).probability(), None);
    }
}
