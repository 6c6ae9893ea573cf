//! Pairs by the resemblance of their shingles (Ye, Wen, Ma 2007, 3 and 4, after Broder).
//!
//! Resemblance is the size of the intersection of two sets divided by that of their union; pairs of at least a
//! threshold t are wanted. The paper sorts (shingle, document) and counts for all pairs how many shingles they share,
//! which is quadratic in the documents that share a common one, so Broder also discards "common shingles which are
//! shared by more than 1,000 documents". Here shingles are dropped only if a limit is set. A pair of resemblance t
//! shares at least t * |A| shingles of A. So, with all shingles in one global order, the two documents must share a shingle among the
//! first |A| - ceil(t * |A|) + 1 of A and the corresponding prefix of B. With the rarest shingles first, few documents
//! share a prefix shingle; these candidate pairs are compared in full. The result is that of counting, with no pair
//! missing (a test compares them).
//!
//! **Samples** (4.4, 6). Documents may keep one shingle in n, where n depends on the number of words
//! ([`Ratios`](nddb_verdict::Ratios)).
//! Two documents are compared at the coarser of their ratios, and the above holds at each ratio.

mod join;
mod read;
#[cfg(test)]
mod tests;

pub use join::{Resembling, Sharing};
pub use read::{Overlaps, ShingleSets};
