//! Matching many queries against a sequential pass over stored fingerprints (Manku 2007, 3.3).
//!
//! The paper builds its tables on the file of queries Q, in memory, and scans the file F of stored fingerprints. A
//! million queries need ten tables on Q for 3 of 64 bits, each as large as a cache. But F is sorted. So matches are
//! found in two ways. Fingerprints that agree with a query in all, or all but one, of its topmost bits (16, for a
//! million queries) are found by four small tables of the few hundred queries whose topmost bits are nearly those of
//! the current stored fingerprints. All other matches within 3 bits differ in at most one of the other 48 bits, so they
//! agree in one half of these, and two tables find them. If there are two hundred times as many stored fingerprints as
//! queries, all matches are found by the first way, with tables of all queries near the current topmost bits. The more
//! stored fingerprints there are, the more topmost bits are used, and the smaller these tables become. Beyond 7 bits,
//! where no scheme has tables, queries are listed by fields of which some bits may differ (`wide`).

mod close;
mod index;
mod near;
mod prefix;
mod sieve;
mod wide;

pub(crate) use index::{QueryIndex, predicted_ns};
pub(crate) use sieve::Sieve;

#[cfg(test)]
mod tests;
