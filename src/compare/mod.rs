//! Comparisons of two texts: trustable longest common subsequence, cosine, term differences, words.
//!
//! Pure: it returns numbers and has no rules, and must never import `store` or `detect`.

pub(crate) mod cosine;
pub mod lcs;
pub(crate) mod term_differences;
pub(crate) mod words;
