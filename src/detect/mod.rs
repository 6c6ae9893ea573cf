//! Detection: what is a near-duplicate of what, by the methods of four papers.
//!
//! It owns the decisions over what the lower floors know: which pairs are candidates, what is known of a pair
//! ([`Evidence`]), which rule decides it ([`Rules`]), and what follows: groups, clusters, figures. A method is a
//! source of candidates and a rule; each can be run alone, and any rule can verify the pairs of another.
//!
//! It imports `text`, `sketch`, `archive` and `store`, and must never import RocksDB, open a file or print. Nothing in
//! it is quadratic in the size of a group, and nothing needs memory for all documents beyond a few bytes each.

pub mod cosine;
pub mod difference;
mod evidence;
pub mod lcs;
mod method;
mod rules;

pub use evidence::Evidence;
pub use method::{Method, UnknownMethod};
pub use rules::{Decision, Rules};
