//! Trustable longest common subsequence: how much of one text is in another, apart from templates (Huang, Wang, Li
//! 2008, 3.3 and 3.4).
//!
//! It owns the comparison of two texts, from characters to two numbers; which texts are compared is decided
//! elsewhere. A text is [prepared](Prepared) once and compared any number of times by a [`Comparer`]. The
//! definition is [`plain::compare`], and both give the same numbers.
//!
//! Decisions where the paper is silent:
//!
//! * The elements of all sequences are characters (code points). |A|, |B|, |LCS|, |SES| and d(x) count them; units,
//!   1 for ASCII and 2 for others, replace the paper's bytes: the first 10 KB, the window, `min_text`, the gain of
//!   a round. A window is the fewest characters with at least S units, so that its length follows from its
//!   beginning.
//! * [`Myers`] defines which of several longest common subsequences is taken.
//! * A character of B that is inserted, filtered out or not, is mapped to the end of the match before it, and
//!   counts with the character of A there. Characters of B before the first match, or after the last character of
//!   A, are in no region.
//! * Blocks are s = ceil(|A| / k) characters each; where fewer than k blocks cover A, weights count the existing
//!   ones.
//! * An end is extended as long as the slope holds at each step. Of equally long regions the first is taken.
//! * A round cuts its region out of A and its matches out of B; no window spans a cut. So each round's sketches are
//!   parts of the first ones, and the early stop by their length never changes a verdict. |LCS| is the first
//!   round's.
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
