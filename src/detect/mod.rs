//! Detection: what is a near-duplicate of what, by the methods of four papers.
//!
//! It owns the decisions over what the lower floors know: which pairs are candidates, what is known of a pair
//! ([`Evidence`]), which rule decides it ([`Rules`]), and what follows: groups, clusters, figures. A method is a
//! source of candidates and a rule; each can be run alone, and any rule can verify the pairs of another.
//!
//! It imports `text`, `sketch`, `archive` and `store`, and must never import RocksDB, open a file or print. Nothing in
//! it is quadratic in the size of a group, and nothing needs memory for all documents beyond a few bytes each.

pub(crate) mod candidates;
mod cluster;
pub(crate) mod collection;
pub(crate) mod method;
pub(crate) mod online;
pub(crate) mod pairs;
#[cfg(any(test, feature = "testing"))]
pub mod support;
pub(crate) mod texts;

pub use cluster::{
    Cluster, ClusterOptions, ClusterSummary, Clusters, Keep, Remove, UnknownKeep, UnknownRemove, cluster,
};
pub use collection::Collection;
pub use collection::row::Row;
pub use method::default_method::MethodChoice;
pub use method::evidence::Evidence;
pub use method::options::{GROUP_LIMIT, PairOptions, check};
pub use method::pair::{Group, Kind, Line, Pair, PairSummary, Verified};
pub use method::ratios::{GROUP_WORDS, GROUPS, Ratios, UnknownRatio};
pub use method::registry::{Method, UnknownMethod};
pub use method::requirements::Held;
pub use method::rules::{Decision, Rules, Threshold};
pub use method::text_options::{SetOptions, ShingleOptions, TextScope};
pub use method::text_summary::{SetSummary, ShingleSummary, UnreadTexts};
pub use method::traits::{ALL_TRAITS, Model, TRAITS, Trait, Traits, told};
pub use online::{
    Bound, Edit, Judgement, NearDuplicate, NearDuplicates, OnlineDetector, TermDifference, UnreadReason, bounds,
    content_difference, read_page, term_difference,
};
pub use pairs::pairs;

pub use crate::spill::resources::Resources;
