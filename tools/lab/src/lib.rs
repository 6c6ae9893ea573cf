//! Evaluation and tuning: precision and recall by labelled pairs ([`eval`]), the fit of the constants of the default
//! verdict to these ([`fit`]), the measurements of the papers on a crawl ([`measures`]), a report of them ([`report`])
//! and the tables of each paper ([`paper`]), the effect of settings on a user's own documents ([`tune`]), and two
//! documents side by side ([`show`]).
//!
//! This crate imports the crates of the library; only the command imports it. It never prints and never opens a file:
//! figures are plain data, pages are texts.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files"))]

pub mod audit;
pub mod difference;
pub mod eval;
pub mod feature_file;
pub mod fit;
mod html;
mod language;
pub mod measures;
mod named_id;
mod pair_counts;
pub mod paper;
mod plot;
pub mod quantity;
pub mod removals;
pub mod report;
mod sampling;
pub mod show;
pub mod tsv;
pub mod tune;
mod word_diff;

pub use named_id::{NamedId, other_forms};
pub use plot::PlotError;
pub use sampling::Draw;
pub use word_diff::{DiffRow, DiffRun, WORD_DIFF_STYLE, WordDiff};
