//! The jobs of nddb that write files.
//!
//! [`removed`] finds the documents to remove, and why. [`NamedId`] reads the ids of lists and arguments, [`tsv`] writes
//! them; [`quantity`] writes numbers for people.
//! [`output`] opens every file, folder and remote object that a command writes: it refuses those that the command
//! reads, lets two runs never write one output, and gives an output its name only when it is complete and durable.
//! [`scratch`] makes the folders of temporary files, which the next run removes if a run was killed.
//!
//! This crate never prints, and knows no command line.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "this crate writes the outputs")]

mod lock;
mod named_id;
pub mod output;
pub mod quantity;
pub mod removed;
pub mod scratch;
pub mod tsv;

pub use named_id::{NamedId, other_forms};
