//! For developers of a verdict and readers of the papers: the tables and figures of each paper ([`paper`]) with their
//! measurements ([`measures`], [`labelled`], [`sampled`]), the fit of the constants of the default verdict to labelled
//! pairs ([`fit`]), the effect of settings on a user's own documents ([`tune`]), and files of features
//! ([`feature_file`]).
//!
//! It never prints and never opens a file: figures are plain data, pages are texts. The program `nddb-lab` does both,
//! with the options and messages of `nddb` (`nddb_cli::frame`).

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files"))]

pub mod feature_file;
pub mod fit;
pub mod labelled;
pub mod measures;
pub mod paper;
pub mod sampled;
pub mod tune;
