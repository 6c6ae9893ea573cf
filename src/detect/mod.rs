//! Detection: what is a near-duplicate of what, by the methods of four papers.
//!
//! It owns the decisions over what the lower floors know: which pairs are candidates, what is known of a pair
//! ([`Evidence`]), which rule decides it ([`Rules`]), and what follows: groups, clusters, figures. A method is a
//! source of candidates and a rule; each can be run alone, and any rule can verify the pairs of another.
//!
//! It imports `text`, `sketch`, `archive` and `store`, and must never import RocksDB, open a file or print. Nothing in
//! it is quadratic in the size of a group, and nothing needs memory for all documents beyond a few bytes each.

mod bands;
mod bits;
mod buckets;
mod classes;
mod clusters;
mod collection;
mod context;
mod cosine;
mod crowds;
mod draw;
pub mod eval;
mod evidence;
mod gathering;
mod groups;
mod judge;
mod keyed;
pub mod lcs;
mod measure;
pub mod measures;
mod method;
mod needs;
pub mod online;
mod options;
mod pair;
mod pairs;
mod parts;
mod ratios;
mod readings;
mod repeats;
mod resemblance;
mod room;
mod row;
mod rules;
mod similar;
mod source;
#[cfg(test)]
mod support;
mod text_options;
mod text_summary;
mod texts;
pub mod tune;

pub use clusters::{Cluster, ClusterOptions, ClusterSummary, Clusters, Keep, UnknownKeep, cluster};
pub use collection::{Collection, Held, b_similarity, c_similarity};
pub use draw::Draw;
pub use evidence::Evidence;
pub use method::{Method, UnknownMethod};
pub use needs::check;
pub use online::{Alike, Alikes, Judgement, Online};
pub use options::{GROUP_LIMIT, PairOptions};
pub use pair::{Group, Kind, Line, Pair, PairSummary, Verified};
pub use pairs::pairs;
pub use ratios::{GROUP_WORDS, GROUPS, Ratios, UnknownRatio};
pub use room::Room;
pub use row::Row;
pub use rules::{Decision, Rules};
pub use text_options::{SetOptions, ShingleOptions};
pub use text_summary::{SetSummary, ShingleSummary};
pub use texts::{Part, Unread};
