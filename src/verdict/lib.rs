//! Decides whether two documents are near-duplicates: methods, their evidence, and comparisons of texts.
//!
//! A method is a struct that implements the trait [`Method`]; its fields are its parameters, and it has a file of its
//! own in `methods`. The online verdict, pairs, clusters, evaluation and help texts use only that trait. Everything
//! here is a pure function of the sketches and texts of two documents: no database, no file.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files"))]

mod column;
pub mod compare;
mod decider;
mod evidence;
mod features;
mod known;
mod logistic;
mod loss;
mod measures;
mod method;
pub mod methods;
mod names;
mod pair;
mod parameter;
mod perhaps_similar;
mod ratios;
mod resemblances;
mod sentence;
mod shingles;
mod sketches;
mod text_comparer;
mod verdict;
mod word_set;

pub use column::{Bound, Column, ColumnKind, Limit, Value};
pub use decider::{Decider, Explanation};
pub use features::{FEATURE_COUNT, FEATURES, Feature, FeatureValues};
pub use known::{Known, digest_of, is_without_terms};
pub use logistic::Constants;
pub use loss::{
    Comparison, DistinctWords, Estimate, Kinds, Level, Loss, Overlap, PartLoss, Reason, UnknownLevel, Words,
};
pub use measures::{Measures, columns};
pub use method::{Besides, Candidates, CloneMethod, Keys, Method, OutOfReach, Piece};
pub use methods::{UnknownMethod, b_similarity, c_similarity, default_of};
pub use pair::{Derived, DocumentPair};
pub use parameter::{Parameter, ParameterError, ParameterValue, Setting, outside};
pub use perhaps_similar::SetOptions;
pub use ratios::{GROUPS, Groups, Ratios, UnknownRatio};
pub use resemblances::{resemblance, shared, shared_wholes};
pub use sentence::sentence;
pub use sketches::{Sketch, Sketches};
pub use text_comparer::{PreparedText, TextComparer, TextVerdict};
pub use verdict::{Decision, Verdict};
