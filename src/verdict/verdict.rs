//! The verdict of a method about a pair.

/// Decision of a rule about a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Near-duplicates, by the rule of this name.
    Near(&'static str),
    /// Not near-duplicates by this method.
    Apart,
    /// Undecided: evidence that the method needs is absent.
    Unknown,
}

/// Decision about a pair, and how near the two are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The decision.
    pub decision: Decision,
    /// Similarity score of two near-duplicates; greater is nearer.
    pub score: u64,
}

impl Verdict {
    /// The verdict about a pair for which the method lacks evidence.
    pub const UNKNOWN: Self = Self { decision: Decision::Unknown, score: 0 };

    /// Returns the verdict of a rule: near-duplicates if the threshold is reached, undecided if this is unknown.
    pub(crate) fn of(reached: Option<bool>, rule: &'static str, score: u64) -> Self {
        let decision = match reached {
            Some(true) => Decision::Near(rule),
            Some(false) => Decision::Apart,
            None => Decision::Unknown,
        };
        Self { decision, score }
    }

    /// Returns the verdict of a rule that compares a number with a lower bound: near-duplicates if the number is at
    /// least the bound. The number is the score.
    pub(crate) fn at_least(value: Option<u32>, least: u32, rule: &'static str) -> Self {
        Self::of(value.map(|value| value >= least), rule, value.unwrap_or(0).into())
    }

    /// Returns whether the two are near-duplicates.
    pub fn is_near(&self) -> bool {
        matches!(self.decision, Decision::Near(_))
    }
}

/// Returns a share, 0 to 1, as an integer score, with steps far finer than the precision of any share.
pub(crate) fn share(value: f64) -> u64 {
    (value * (1u64 << 40) as f64) as u64
}
