//! Two texts -> numbers: trustable longest common subsequence, cosine, term differences.
//!
//! Pure: it returns numbers and knows no rules, and never imports `store` or `detect`.

pub(crate) mod cosine;
pub mod lcs;
pub(crate) mod terms;
