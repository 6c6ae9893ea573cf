//! What the papers measure of a collection, from its fingerprints and stored sketches alone.
//!
//! It owns the figures, not their drawing: each measurement is a plain struct of counts and a function that
//! takes them in one pass. What needs the texts is measured elsewhere, on labelled pairs
//! ([`super::eval`]).

mod graph;
mod prints;
mod similarities;
mod sizes;

pub use graph::{Graph, graph};
pub use prints::{BUCKETS, Hot, Prints, prints};
pub use similarities::{Grid, similarities};
pub use sizes::{Sizes, sizes};
