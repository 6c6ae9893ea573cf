//! A run of contents in memory: its tables, its postings and its key table.

use nddb_format::manifest::RunEntry;
use nddb_format::scheme::Scheme;

use super::build::{key_files, run_of_pairs};
use super::keys::build_keys;
use crate::Result;
use crate::spill::sort::Sorted;
use crate::spill::ticker::Ticker;
use crate::store::disk::dir::Dir;

/// The contents of a run, in any order.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    /// (fingerprint, number) of each printed document.
    pub(crate) pairs: Vec<(u64, u64)>,
    /// \[key, number\] of the same documents, perhaps repeated.
    pub(crate) keys: Vec<[u64; 2]>,
}

/// Builds a run of its contents, under the file numbers from `first_file` on: see [`files_of`](super::build::files_of).
/// `threads` tables are built at a time. All files are durable when this returns; no manifest names them yet.
pub(crate) fn run_of(
    dir: &Dir,
    first_file: u64,
    scheme: &Scheme,
    range: (u64, u64),
    contents: Contents,
    threads: usize,
    ticker: &Ticker<'_>,
) -> Result<RunEntry> {
    let Contents { mut pairs, keys } = contents;
    let keys = build_keys(dir, key_files(first_file, scheme), scheme.restart(), range, &Sorted::of(keys))?;
    let entry = run_of_pairs(dir, first_file, scheme, range, &mut pairs, threads, ticker)?;
    Ok(RunEntry { keys, ..entry })
}
