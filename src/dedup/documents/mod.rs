//! Documents that no database holds: what a search for pairs and clusters does, as functions of tables, for engines
//! that sort and join tables. The rules are those of a database: both call the same code.
//!
//! [`properties`] says of each document what it is joined by; [`Postings`] and [`NearTables`] find candidate pairs in
//! rows that are sorted by key; [`decided`] decides about a pair; [`Stars`] and [`Choose`] find the founders; and
//! [`Clusters::given`](super::Clusters::given) makes whole clusters of documents.

mod keys;
mod near;
mod postings;
mod properties;
mod stars;

pub use keys::{candidate_keys, compared};
pub use near::{NearTables, Printed};
pub use postings::{Posting, Postings};
pub use properties::{Decided, Properties, content_hash, decided, properties};
pub use stars::{Choose, Stars};
