//! Pairs by the resemblance of their shingles (Ye, Wen, Ma 2007, 3 and 4, after Broder).
//!
//! "Resemblance is the ratio of the intersection of two sets to their union"; pairs of at least a threshold t are
//! wanted. The paper sorts (shingle, document) and counts for all pairs how many shingles they share, which is
//! quadratic in the documents that share a common one, so Broder's "shingles that are shared by more than 1,000
//! documents" are dropped. Nothing is dropped here unless it is asked for. A pair of resemblance t shares at least
//! t * |A| shingles of A. So, all shingles in one order, the two must share one of the first
//! |A| - ceil(t * |A|) + 1 of A and of as many of B. With rare shingles first, few documents share these; what they
//! bring together is compared in full. The pairs are those of counting, none missing (a test compares them).
//!
//! **Samples** (4.3, 4.4). Documents may keep one shingle in n, n by the number of their words ([`Ratios`]). Two
//! documents are compared at the coarser of their samples, and all of the above holds at each ratio.

mod join;
mod read;
#[cfg(test)]
mod tests;

pub use join::{Resembling, Sharing};
pub use read::{Overlaps, ShingleSets};
