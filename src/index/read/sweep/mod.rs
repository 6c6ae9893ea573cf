//! Matching many queries against a sequential pass over stored fingerprints (Manku 2007, 3.3).
//!
//! The paper builds its tables on the file of queries Q, in memory, and scans the file F of stored fingerprints. A
//! million queries need ten tables on Q for 3 of 64 bits, each as large as a cache. But F is sorted. So
//! fingerprints are split in two: those that agree with a query in all or all but one of its topmost bits (16, for
//! a million) are found among the hundreds of queries with nearly the topmost bits of the current stored
//! fingerprints, by four small tables; all others within 3 bits differ in at most one of the other 48 bits and
//! agree in one half of these: two tables.

mod close;
mod index;
mod prefix;
mod sieve;

pub(crate) use index::QueryIndex;
pub(crate) use sieve::Sieve;

#[cfg(test)]
mod tests;
