//! Trustable longest common subsequence: how much of one text stands in another, templates left aside (Huang, Wang, Li
//! 2008, 3.3 and 3.4).
//!
//! It owns the comparison of two texts, from characters to two numbers, and nothing else: who is compared with whom
//! stands elsewhere. A text is [prepared](Prepared) once and compared as often as wanted by a [`Comparer`]. The
//! definition is [`plain::compare`], and both give the same numbers.
//!
//! What the paper leaves open, and how it is closed here:
//!
//! * The elements of all sequences are characters (code points). |A|, |B|, |LCS|, |SES| and d(x) count them; units, 1
//!   for ASCII and 2 for others, count where the paper has bytes: the first 10 KB, the window, `min_text`, the gain of a
//!   round. A window is the fewest characters that have at least S units, so that its length follows from where it begins.
//! * Which of several longest common subsequences is taken: [`Myers`] says.
//! * A character of B that is inserted, filtered out or not, is mapped to where the match before it ends, and counts
//!   with the character of A there. What stands in B before the first match, or behind the last character of A, is in
//!   no region.
//! * Blocks are s = ceil(|A| / k) characters each; where that needs fewer than k, weights count those there are.
//! * An end is extended as long as the slope holds at each step. Of equally long regions the first is taken.
//! * A round cuts its region out of A and its matches out of B; no window reaches over a cut. So each round's sketches
//!   are parts of the first ones, and the early stop by their length never changes a verdict. |LCS| is the first round's.
//! * A text without characters has nothing in common with any other, not even with another such one.

mod again;
mod bits;
mod comparer;
mod likeness;
mod marks;
mod myers;
pub mod plain;
mod prepared;
mod region;
mod run;
mod sketch;
mod strain;
mod symbols;
#[cfg(test)]
mod tests;
mod windows;

pub use comparer::Comparer;
pub use likeness::Likeness;
pub use myers::Myers;
pub use prepared::Prepared;
pub use run::Run;
pub use symbols::Symbol;

/// Units of a text that are compared: its first 10 KB (Huang et al. 2008, 4).
pub const TEXT_UNITS: usize = 10 * 1024;

/// What the resemblance is a share of: the formula is lost in the copies of the paper.
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

/// How texts are compared; the defaults are the paper's. The thresholds stand in [`Rules`](super::Rules).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Units of a window, S: at least 1.
    pub window: usize,
    /// The greatest slope of a trustable region.
    pub slope: f64,
    /// Blocks of a text, k: at least 1.
    pub blocks: usize,
    /// How often a region is searched for, so that moved paragraphs are found.
    pub rounds: usize,
    /// Texts of fewer units are short: containment is not applied to them.
    pub min_text: usize,
    /// What the resemblance is a share of.
    pub denominator: Denominator,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { window: 16, slope: 0.1, blocks: 32, rounds: 4, min_text: 256, denominator: Denominator::Lcs }
    }
}

/// The units of a character (Huang et al. 2008, 4).
fn units(character: u32) -> usize {
    if character < 0x80 { 1 } else { 2 }
}
