//! The verdict on one document, online: what stored documents it is a near-duplicate of, by a chosen method.
//!
//! It owns the way from one document to its matches: candidates by the keys that the catalog holds, evidence from
//! the records, the decision of [`Rules`](super::Rules), and the order of matches. The answers are the pairs that
//! [`pairs`](super::pairs()) finds with `expand`, no more and no fewer, as long as no key has more documents than
//! the group limit.

mod detector;
mod insert;
mod matches;
#[cfg(test)]
mod offline_tests;
mod page;
mod query;
#[cfg(test)]
mod tests;
mod verify;

pub use super::method::decider::bounds;
pub use super::method::evidence::Bound;
pub use crate::compare::term_differences::{Edit, TermDifference, content_difference, term_difference};
pub use detector::OnlineDetector;
pub use insert::Judgement;
pub use matches::{NearDuplicate, NearDuplicates};
pub use page::{UnreadReason, read_page};
