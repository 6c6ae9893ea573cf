//! How well near-duplicates are found: precision and recall on labelled pairs ([`eval`]), a report of a database
//! ([`report`]), a sample of removals to judge by hand ([`audit`]), and two documents side by side ([`show`]).
//!
//! This crate never prints and never writes a file: figures are plain data, pages are texts.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files"))]

pub mod audit;
pub mod calibration;
pub mod difference;
pub mod eval;
pub mod html;
mod pair_counts;
pub mod plot;
pub mod removals;
pub mod report;
mod sampling;
pub mod show;
mod word_diff;

pub use plot::PlotError;
pub use sampling::Draw;
pub use word_diff::{DiffRow, DiffRun, WORD_DIFF_STYLE, WordDiff};
