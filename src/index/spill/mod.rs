//! Support for data larger than memory and for long work: external sorting, mapped rows, temporary files, threads, the
//! resources granted by the caller, and progress.
//!
//! This module imports only `error`. Temporary files have no name and vanish with the process. Mapping them is the only
//! use of `unsafe` outside the module `disk`.

pub mod busy;
pub mod mapped_rows;
pub mod parallel;
pub mod progress;
pub mod resources;
pub mod sort;
pub mod streams;
pub mod temp_file;
