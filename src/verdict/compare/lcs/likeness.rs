//! The result of a comparison: resemblance and containment.

use super::parameters::{Denominator, Parameters, Thresholds};

/// The similarity of two texts (Huang et al. 2008, 3.4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Likeness {
    /// TLCS / (|LCS| + |SES|), 0 to 1, or another [`Denominator`].
    pub resemblance: f64,
    /// TLCS / |A|, 0 to 1, A being the shorter text; `None` if A is short.
    pub containment: Option<f64>,
    /// Number of characters in the trustable parts of the longest common subsequence, over all rounds.
    pub trusted: usize,
    /// Whether the comparison stopped because the sketches are too short to reach the thresholds; then both numbers are
    /// 0.
    pub stopped: bool,
}

impl Likeness {
    /// Returns the result for texts of the lengths `lens`, the shorter first, whose sketches have `common`
    /// characters in common.
    pub(crate) fn new(parameters: &Parameters, lens: [usize; 2], short: bool, common: usize, trusted: usize) -> Self {
        let both = lens[0] + lens[1];
        let (part, whole) = match parameters.denominator {
            Denominator::Lcs => (trusted, both - common),
            Denominator::Ses => (trusted, trusted + both - 2 * common),
            Denominator::Tlcs => (trusted, both - trusted),
            Denominator::Dice => (2 * trusted, both),
        };
        let share = |part: usize, whole: usize| if part == 0 { 0.0 } else { part as f64 / whole as f64 };
        Self {
            resemblance: share(part, whole),
            containment: (!short).then(|| share(trusted, lens[0])),
            trusted,
            stopped: false,
        }
    }

    /// Returns the result for texts whose sketches are too short.
    pub(crate) fn stopped(short: bool) -> Self {
        Self { resemblance: 0.0, containment: (!short).then_some(0.0), trusted: 0, stopped: true }
    }

    /// Returns whether the shorter text has fewer units than `min_text`, so that containment is not applied.
    pub fn is_short(&self) -> bool {
        self.containment.is_none()
    }

    /// Returns whether one of the thresholds is exceeded.
    pub fn exceeds(&self, thresholds: &Thresholds) -> bool {
        self.resemblance > thresholds.resemblance
            || self.containment.is_some_and(|containment| containment > thresholds.containment)
    }
}
