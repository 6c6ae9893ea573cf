//! Detection methods, one file each, and the types they share.
//!
//! A method is one `Definition` in its own file and one line in `registry`, which generates the enum `Method` from
//! these lines. The online verdict, pairs, clusters, evaluation and help texts read the method from the registry.

mod b_similarity;
mod c_similarity;
mod combined;
mod cosine;
mod difference;
mod identity;
mod lcs;
mod min_hash;
mod model;
mod names;
mod shingles;
mod simhash;
mod split;
mod word_set;

pub(crate) mod asked;
pub(crate) mod decider;
pub(crate) mod default_method;
pub(crate) mod definition;
pub(crate) mod evidence;
pub(crate) mod known;
pub(crate) mod options;
pub(crate) mod pair;
pub(crate) mod ratios;
pub(crate) mod registry;
pub(crate) mod requirements;
pub(crate) mod rules;
pub(crate) mod sketches;
pub(crate) mod text_options;
pub(crate) mod text_summary;
pub(crate) mod traits;
pub(crate) mod verification;
