//! Near-duplicates in a database: loading, candidates, pairs, clusters and the online verdict.
//!
//! The crate loads archives ([`ingest`]), finds candidate pairs, gathers the evidence about each of them, applies the
//! decision rule of a method, and derives groups, clusters and counts from the decisions. Trustable LCS can also verify
//! the pairs of another method.
//!
//! The crate never imports RocksDB, never opens a file of the database and never prints. No algorithm here is quadratic
//! in the size of a group, and memory per document is limited to a few bytes.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files"))]

mod by_founder;
mod candidates;
mod cluster;
mod collection;
mod default_method;
mod document;
mod documents;
pub mod ingest;
mod online;
mod options;
mod pair;
mod pair_loss;
mod pairs;
mod passages;
mod requirements;
#[cfg(any(test, feature = "testing"))]
pub mod support;
mod text_scope;
mod text_summary;
mod texts;
mod verification;
mod words;

pub use cluster::{
    Cluster, ClusterOptions, ClusterSummary, Clusters, Keep, KnownLoss, Member, MemberDecision, MemberVerdict,
    Overrules, Surrounding, UnknownKeep, cluster, cluster_with_members, decide_stored, is_thin_document,
};
pub use collection::row::Row;
pub use collection::{Collection, Numbered};
pub use default_method::MethodChoice;
pub use document::{document_of_page, document_with_words};
pub use documents::{
    Choose, CommonPart, Decided, NearTables, PartCandidates, PartLists, PartPosting, Posting, Postings, Printed,
    Properties, Stars, candidate_keys, compared, content_hash, decided, part_candidates, part_postings, passages_of,
    properties,
};
pub use online::{
    Edit, Judgement, NearDuplicate, NearDuplicates, OnlineDetector, PartedNearDuplicates, TermDifference, UnreadReason,
    content_difference, read_page, term_difference, whole_difference,
};
pub use options::{GROUP_LIMIT, PairOptions, check};
pub use pair::{Group, GroupKind, Line, Pair, PairSummary, Verified};
pub use pair_loss::PairLoss;
pub use pairs::judge::stored_pair;
pub use pairs::{NearPairs, pairs, pairs_written};
pub use passages::{ExactPassage, exact_passages, stored_words};
pub use requirements::Held;
pub use text_scope::TextScope;
pub use text_summary::{SetSummary, ShingleSummary, UnreadTexts};
pub use texts::{Descriptions, Pages};
pub use verification::Verification;
pub use words::{UnknownWords, WordSource, WordsFrom};

pub use nddb_index::spill::busy::busiest as busiest_thread;
pub use nddb_index::spill::parallel::in_order;
pub use nddb_index::spill::resources::Resources;

// Items that only nddb-evaluate and nddb-lab use, to measure methods.
pub use candidates::context::Context;
pub use candidates::resemblance::{Overlaps, Resembling, Sharing, ShingleSets};
#[cfg(any(test, feature = "testing"))]
pub use candidates::similar::plain::plain as perhaps_similar_sets;
pub use candidates::similar::{Sets, Signed};
pub use candidates::source::{Verifier, share_key};
pub use collection::classes::{Classes, Members};
pub use pairs::collector::{CLASSES, TEXT, pairs_of};
pub use pairs::judge::{Judge, Judged};
pub use pairs::{PairJob, Reach};
pub use texts::{Kept, TextSources, keep};
