//! The measurements of the papers on a collection.
//!
//! It owns the figures, not their drawing: each measurement is a plain struct of counts and a function that
//! takes them. Most are taken of all documents, from their fingerprints and stored sketches alone. Those that
//! compare texts ([`perhaps()`], [`straining()`], [`term_differences()`]) are taken of a sample ([`TextSample`]), since
//! texts are read again where they were loaded from. What needs labels is measured in [`crate::eval`], what
//! sampled shingles find in [`crate::tune`].

mod graph;
mod perhaps;
mod prints;
mod sample;
mod similarities;
mod sizes;
mod straining;
mod terms;
#[cfg(test)]
mod tests;

pub use graph::{Graph, graph};
pub use perhaps::{AtSignatures, Perhaps, SIGNATURE_STEPS, perhaps};
pub use prints::{BUCKETS, Hot, Prints, prints};
pub use sample::{SELECTED, TextSample, text_sample};
pub use similarities::{Grid, similarities};
pub use sizes::{Sizes, sizes};
pub use straining::{AtWindow, Straining, WINDOWS, comparison_times, straining};
pub use terms::{TERMS_MAX, TermDifferences, term_differences};
