//! Parameters of a comparison, and the thresholds for its numbers.

/// Units of a text that are compared: its first 10 KB (Huang et al. 2008, 4).
pub const TEXT_UNITS: usize = 10 * 1024;

/// The denominator of the resemblance. It is a choice, because the formula is illegible in the copies of the paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Denominator {
    /// TLCS / (|LCS| + |SES|) = TLCS / (|A| + |B| - |LCS|).
    #[default]
    Lcs,
    /// TLCS / (TLCS + |SES|).
    Ses,
    /// TLCS / (|A| + |B| - TLCS).
    Tlcs,
    /// 2 TLCS / (|A| + |B|).
    Dice,
}

/// Parameters of a comparison; the defaults are the paper's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Length of a window in units, S: at least 1.
    pub window: usize,
    /// The greatest slope of a trustable region.
    pub slope: f64,
    /// Number of blocks of a text, k: at least 1.
    pub blocks: usize,
    /// Number of searches for a region. Further searches find moved paragraphs, which "some applications require"
    /// (Huang et al. 2008, 3), but lower the precision.
    pub rounds: usize,
    /// Texts with fewer units than this are short: containment is not applied to them.
    pub min_text: usize,
    /// The denominator of the resemblance.
    pub denominator: Denominator,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { window: 16, slope: 0.1, blocks: 32, rounds: 1, min_text: 256, denominator: Denominator::Lcs }
    }
}

/// Returns the units of a character (Huang et al. 2008, 4).
pub(super) fn units(character: u32) -> usize {
    if character < 0x80 { 1 } else { 2 }
}

/// Thresholds of a near-duplicate, one of which must be exceeded (Huang et al. 2008, 3.4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Resemblance, 0 to 1; 0.28 by default.
    pub resemblance: f64,
    /// Containment of the shorter text, 0 to 1; 0.7 by default.
    pub containment: f64,
}

impl Thresholds {
    /// Thresholds that every pair with something in common exceeds, so that no comparison stops early.
    pub const NONE: Self = Self { resemblance: 0.0, containment: 0.0 };
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { resemblance: 0.28, containment: 0.7 }
    }
}
