//! Near-duplicate detection by the methods of four papers.
//!
//! This module decides which pairs are candidates, gathers the evidence of each candidate pair ([`Evidence`]), applies
//! the decision rule of a method ([`Rules`]), and derives groups, clusters and counts from the decisions. A method is
//! a source of candidate pairs and a decision rule. Each method can run alone; trustable LCS can also verify the pairs
//! of another method.
//!
//! The module imports `text`, `sketch`, `archive` and `store`, and must never import RocksDB, open a file or print. No
//! algorithm here is quadratic in the size of a group, and memory per document is limited to a few bytes.

pub(crate) mod candidates;
mod cluster;
pub(crate) mod collection;
mod documents;
pub(crate) mod method;
pub(crate) mod online;
pub(crate) mod pairs;
#[cfg(any(test, feature = "testing"))]
pub mod support;
pub(crate) mod texts;

pub use cluster::{
    Cluster, ClusterOptions, ClusterSummary, Clusters, Keep, Member, MemberVerdict, Remove, UnknownKeep, UnknownRemove,
    cluster, cluster_with_members, is_thin_document,
};
pub use collection::row::Row;
pub use collection::{Collection, Numbered};
pub use documents::{
    Choose, Decided, NearTables, Posting, Postings, Printed, Properties, Stars, candidate_keys, content_hash, decided,
    evidence_of, properties,
};
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
pub use method::traits::{ALL_TRAITS, Model, REST, REST_WEIGHT, TRAITS, Trait, Traits, told};
pub use method::verification::Verification;
pub use online::{
    Bound, Edit, Judgement, NearDuplicate, NearDuplicates, OnlineDetector, PartedNearDuplicates, TermDifference,
    UnreadReason, bounds, content_difference, read_page, term_difference,
};
pub use pairs::judge::stored_pair;
pub use pairs::pairs;
pub use texts::Descriptions;

pub use crate::spill::resources::Resources;
