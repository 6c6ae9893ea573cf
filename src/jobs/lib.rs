//! The jobs of nddb that write files.
//!
//! [`output`] opens every file, folder and remote object that a command writes: it refuses those that the command
//! reads, lets two runs never write one output, and gives an output its name only when it is complete and durable.
//! [`scratch`] makes the folders of temporary files, which the next run removes if a run was killed.
//!
//! This crate never prints, and knows no command line.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "this crate writes the outputs")]

mod lock;
pub mod output;
pub mod scratch;
