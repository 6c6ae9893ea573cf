//! The measurements of the papers on a collection.
//!
//! Each measurement is a plain struct of counts and a function that computes them; plots are drawn elsewhere. Most
//! measurements use all documents, with only their fingerprints and stored sketches. Those that compare texts
//! ([`perhaps()`], [`straining()`], [`term_differences()`]) use a sample ([`TextSample`]), since texts must be read
//! again from their archives. Measurements that need labels are in [`nddb_evaluate::eval`], those of sampled shingles in
//! [`crate::sampled`].

mod graph;
mod perhaps;
mod prints;
mod sample;
mod similarities;
mod straining;
mod terms;
#[cfg(test)]
mod tests;

pub use graph::{Graph, graph};
pub use perhaps::{AtSignatures, Perhaps, SIGNATURE_STEPS, perhaps};
pub use prints::{BUCKETS, Hot, Prints, prints};
pub use sample::{SELECTED, TextSample, text_sample};
pub use similarities::{Grid, similarities};
pub use straining::{AtWindow, Straining, WINDOWS, comparison_times, straining};
pub use terms::{TERMS_MAX, TermDifferences, term_differences};
