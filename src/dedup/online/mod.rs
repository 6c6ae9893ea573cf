//! The online verdict: the stored near-duplicates of one document by a chosen method.
//!
//! The steps from a document to its matches: find candidates by the keys in the catalog, gather evidence from the
//! records, apply the method, and sort the matches. The matches are exactly the pairs that [`pairs`](super::pairs())
//! finds with `expand`, as long as no key has more postings than the group limit.

mod detector;
mod federation;
mod insert;
mod matches;
#[cfg(test)]
mod offline_tests;
mod page;
mod query;
#[cfg(test)]
mod tests;
mod verify;

pub use detector::OnlineDetector;
pub use federation::PartedNearDuplicates;
pub use insert::Judgement;
pub use matches::{NearDuplicate, NearDuplicates};
pub use nddb_verdict::compare::{Edit, TermDifference, content_difference, term_difference, whole_difference};
pub(crate) use page::has_digest;
pub use page::{UnreadReason, read_page};
