//! The jobs of nddb: files in, files out.
//!
//! [`dedup`] copies files without their near-duplicates, [`filter`] without the documents of lists; [`against`] finds the
//! documents of one collection in others; [`export()`] writes all documents in columns; [`clusters`] lists which to keep
//! and which to remove; [`revisits`] copies archives with revisit records in place of pages that repeat earlier ones.
//! [`answers`] answers queries of many documents, and [`opened_documents`] opens or loads these. [`removed`] finds the documents to
//! remove, and why. [`fields`] has the fields of documents, matches, pairs and members of clusters, and [`rows`] writes
//! them as lines of JSON, TSV or Parquet. [`lists`] reads lists; [`NamedId`] reads the ids of lists and arguments,
//! [`tsv`] writes them; [`quantity`] writes numbers for people. [`output`] opens every file, folder and remote object
//! that a command writes: it refuses those that the command reads, lets two runs never write one output, and gives an
//! output its name only when it is complete and durable. [`scratch`] makes the folders of temporary files, which the
//! next run removes if a run was killed.
//!
//! This crate never prints, and knows no command line.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "this crate writes the outputs")]

pub mod against;
pub mod answers;
pub mod clusters;
mod copies;
pub mod dedup;
mod error;
mod export;
pub mod fields;
pub mod filter;
pub mod input;
pub mod json;
pub mod lists;
mod lock;
mod named_id;
pub mod opened_documents;
pub mod output;
pub mod packed;
pub mod quantity;
pub mod removed;
pub mod revisits;
pub mod rows;
pub mod scratch;
pub mod temporary;
pub mod tsv;

pub use copies::{COPIES, Copies, CopyCounts};
pub use error::{Advice, JobError, Result, chain};
pub use export::export;
pub use named_id::{NamedId, other_forms};
