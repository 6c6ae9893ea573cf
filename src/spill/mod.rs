//! What does not fit in memory, and what long work needs: external sorting, mapped rows, temporary files, bit sets,
//! the resources that the caller grants, and progress.
//!
//! It imports `error` alone. Temporary files have no name and go with the process; their maps are the second keeper of
//! `unsafe`, beside those of the database folder.

pub(crate) mod mapped_rows;
pub(crate) mod progress;
pub(crate) mod resources;
pub(crate) mod sort;
pub(crate) mod streams;
pub(crate) mod temp_file;
pub(crate) mod ticker;
