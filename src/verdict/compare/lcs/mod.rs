//! Trustable longest common subsequence: how much of one text is in another, apart from templates (Huang, Wang, Li
//! 2008, 3.3 and 3.4).
//!
//! This module compares two texts, given as characters, and returns two numbers; other modules choose the texts. A text
//! is [prepared](Prepared) once and compared any number of times by a [`Comparer`]. [`plain::compare`] is the
//! definition, and gives the same numbers.
//!
//! Decisions where the paper is silent:
//!
//! * The elements of all sequences are characters (code points). |A|, |B|, |LCS|, |SES| and d(x) count characters.
//!   Where the paper counts bytes, this module counts units, 1 for an ASCII character and 2 for others: for the first
//!   10 KB, the window, `min_text` and the gain of a round. A window is the fewest characters with at least S units, so
//!   its beginning determines its length.
//! * If there are several longest common subsequences, [`Myers`] defines which one is taken.
//! * An inserted character of B, whether filtered out or not, is mapped to the end of the match before it, and counts
//!   with the character of A there. Characters of B before the first match, or after the last character of A, are in no
//!   region.
//! * Each block has s = ceil(|A| / k) characters; if fewer than k blocks cover A, weights count only the existing
//!   blocks.
//! * An end of a region is extended as long as the slope holds at each step. Of equally long regions, the first is
//!   taken.
//! * A round cuts its region out of A and its matches out of B; no window spans a cut. So the sketches of each round
//!   are parts of the first sketches, and the early stop by their length never changes a verdict. |LCS| is taken from
//!   the first round.
//! * A text without characters has nothing in common with any other, not even with another empty one.

mod bit_table;
mod comparer;
mod filter;
mod later_rounds;
mod likeness;
mod myers;
mod parameters;
pub mod plain;
mod prepared;
mod region;
mod run;
mod sketch;
mod symbols;
#[cfg(test)]
mod tests;
mod window_set;
mod windows;

pub use parameters::{Denominator, Parameters, Thresholds};

pub use comparer::Comparer;
pub use likeness::Likeness;
pub use myers::Myers;
pub use parameters::TEXT_UNITS;
pub use prepared::Prepared;
