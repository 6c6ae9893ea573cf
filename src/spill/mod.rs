//! Data beyond memory, and the support of long work: external sorting, mapped rows, temporary files, the resources
//! granted by the caller, and progress.
//!
//! It imports `error` only. Temporary files have no name and vanish with the process; their maps are the second
//! user of `unsafe`, beside those of the database folder.

pub(crate) mod mapped_rows;
pub(crate) mod progress;
pub(crate) mod resources;
pub(crate) mod sort;
pub(crate) mod streams;
pub(crate) mod temp_file;
pub(crate) mod ticker;
