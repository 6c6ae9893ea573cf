//! Pairs and clusters of documents without a database: the steps of the search as functions over tables, for engines
//! that sort and join tables. A database uses the same code, so the rules are the same.
//!
//! [`properties`] returns the keys by which documents are joined; [`Postings`] and [`NearTables`] find candidate pairs
//! in rows that are sorted by key; [`decided`] decides about a pair; [`Stars`] and [`Choose`] find the founders; and
//! [`Clusters::given`](super::Clusters::given) makes the clusters of whole stars. [`PartLists`], [`part_candidates`] and
//! [`passages_of`] find passages in common.

mod keys;
mod near;
mod parts;
mod postings;
mod properties;
mod stars;

pub use keys::{candidate_keys, compared};
pub use near::{NearTables, Printed};
pub use parts::{CommonPart, PartCandidates, PartLists, PartPosting, part_candidates, part_postings, passages_of};
pub use postings::{Posting, Postings};
pub use properties::{Decided, Properties, content_hash, decided, properties};
pub use stars::{Choose, Stars};
