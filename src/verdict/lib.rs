//! Whether two documents are near-duplicates: methods, their evidence, and comparisons of texts.
//!
//! A method is one `Definition` in its own file and one line in `registry`, which generates the enum [`Method`] from
//! these lines. The online verdict, pairs, clusters, evaluation and help texts read the method from the registry.
//! Everything here is a pure function of the sketches and texts of two documents: no database, no file.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files"))]

mod asked;
mod b_similarity;
mod c_similarity;
mod combined;
pub mod compare;
mod cosine;
mod decider;
mod definition;
mod difference;
mod evidence;
mod identity;
mod known;
mod lcs;
mod min_hash;
mod model;
mod names;
mod registry;
mod rules;
mod shingles;
mod simhash;
mod sketches;
mod split;
mod traits;
mod verification;
mod word_set;

pub use asked::Asked;
pub use decider::{Decider, bounds};
pub use definition::{Besides, Candidates, Comparison, Definition, Keys, Least, OutOfReach};
pub use evidence::{Bound, Evidence};
pub use known::{Known, b_similarity, c_similarity, digest_of, is_without_terms};
pub use registry::{Method, UnknownMethod};
pub use rules::{Decision, Rules, Threshold};
pub use sketches::{Sketch, Sketches};
pub use traits::{
    ALL_TRAITS, Model, REST, REST_WEIGHT, TRAITS, Trait, Traits, resemblance, shared, shared_wholes, told,
};
pub use verification::Verification;
