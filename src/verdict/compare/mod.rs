//! Comparisons of two texts: trustable longest common subsequence, cosine, term differences.
//!
//! The comparisons return numbers; they contain no decision rules.

mod cosine;
pub mod lcs;
mod term_differences;

pub use cosine::Frequencies;
pub use term_differences::{Edit, TermDifference, content_difference, term_difference, whole_difference};
