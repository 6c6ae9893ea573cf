//! Pairs by the resemblance of their shingles (Ye, Wen, Ma 2007, 3 and 4, after Broder).
//!
//! Resemblance is the size of the intersection of two sets divided by the size of their union; pairs whose resemblance
//! is at least a threshold t are wanted. The paper sorts (shingle, document) and counts for all pairs how many shingles
//! they share. This is quadratic in the number of documents that share a common shingle, so Broder also discards
//! "common shingles which are shared by more than 1,000 documents". Here shingles are dropped only if a limit is set.
//! Two documents of resemblance t share at least t * |A| shingles of A. So, if all shingles are in one global order,
//! the documents share a shingle among the first |A| - ceil(t * |A|) + 1 of A and the corresponding prefix of B. The
//! order puts the rarest shingles first, so few documents share a shingle of a prefix; these candidate pairs are
//! compared in full. The result is the same as by counting all pairs (a test compares the two).
//!
//! **Samples** (4.4, 6). Documents may keep one shingle in n, where n depends on the number of words
//! ([`Ratios`](nddb_verdict::Ratios)). Two documents are compared at the coarser of their two ratios, and the argument
//! above holds at each ratio.

mod join;
mod read;
#[cfg(test)]
mod tests;

pub use join::{Resembling, Sharing};
pub use read::{Overlaps, ShingleSets};
