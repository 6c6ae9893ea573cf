//! Holding many queries against a sequential pass over stored fingerprints (Manku 2007, 3.3).
//!
//! The paper builds its tables on the file of queries Q, in memory, and scans the file F of stored
//! fingerprints. Of the tables on Q, those that a million queries need for 3 of 64 bits are ten, each as
//! large as a cache. But F comes sorted. So fingerprints are split in two: what agrees with a query in
//! its topmost bits (16, for a million) in all or all but one is found among the hundreds of queries with
//! about the same topmost bits as the stored fingerprints at hand, by four small tables; whatever else is
//! within 3 bits differs in at most one of the other 48 bits and agrees in one half of these: two tables.

mod close;
mod index;
mod prefix;
mod sieve;

pub(crate) use index::QueryIndex;
pub(crate) use sieve::Sieve;

#[cfg(test)]
mod tests;
