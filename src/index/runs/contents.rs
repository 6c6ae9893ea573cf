//! Building a run from contents in memory: its tables, postings, key table and summaries.

use nddb_format::manifest::RunEntry;
use nddb_format::scheme::Scheme;

use super::build::{build_keys, key_files, run_of_pairs, summaries_file};
use super::summaries::{SummaryList, SummaryRows, write_summaries};
use crate::Result;
use crate::disk::dir::Dir;
use crate::spill::busy;
use crate::spill::progress::Ticker;
use crate::spill::sort::Sorted;

/// The contents of a run, in any order.
#[derive(Default)]
pub(crate) struct Contents<'a> {
    /// (fingerprint, number) of each printed document.
    pub(crate) pairs: Vec<(u64, u64)>,
    /// \[key, number\] of the same documents, perhaps repeated.
    pub(crate) keys: Vec<[u64; 2]>,
    /// Summaries of documents among these.
    pub(crate) summaries: Option<Box<SummaryList<'a>>>,
    /// Upper bound of their bytes.
    pub(crate) summaries_size: u64,
}

impl<'a> Contents<'a> {
    /// Adds summaries.
    pub(crate) fn with_summaries(self, rows: SummaryRows) -> Self {
        let size = rows.size();
        let list: Box<SummaryList<'a>> =
            Box::new(move |sink| rows.iter().try_for_each(|(number, summary)| sink(number, summary)));
        Self { summaries: Some(list), summaries_size: size, ..self }
    }
}

/// Builds a run from its contents, under the file numbers from `first_file` on: see
/// [`files_of`](super::build::files_of). `threads` tables are built at a time. All files are durable when this returns;
/// no manifest names them yet.
pub(crate) fn run_of(
    dir: &Dir,
    first_file: u64,
    scheme: &Scheme,
    range: (u64, u64),
    contents: Contents<'_>,
    threads: usize,
    ticker: &Ticker<'_>,
) -> Result<RunEntry> {
    let Contents { mut pairs, keys, summaries, .. } = contents;
    let number = summaries_file(first_file, scheme);
    let write_summaries = || -> Result<_> {
        let written = summaries.map(|list| write_summaries(dir, number, range, &*list)).transpose()?;
        Ok(written.flatten().map(|(file, _)| file))
    };
    let build_keys = || {
        let keys = Sorted::of(keys, threads);
        build_keys(dir, key_files(first_file, scheme), scheme.restart(), range, &keys)
    };
    if threads <= 1 {
        let (summaries, keys) = (write_summaries()?, build_keys()?);
        let entry = run_of_pairs(dir, first_file, scheme, range, &mut pairs, threads, ticker)?;
        return Ok(RunEntry { keys, summaries, ..entry });
    }
    // The threads of the tables come first in the account of busy threads.
    let place = scheme.tables().len();
    std::thread::scope(|scope| {
        let summaries = scope.spawn(|| noted(place, write_summaries));
        let keys = scope.spawn(|| noted(place + 1, build_keys));
        let entry = run_of_pairs(dir, first_file, scheme, range, &mut pairs, threads, ticker);
        let (summaries, keys) = (joined(summaries.join())?, joined(keys.join())?);
        Ok(RunEntry { keys, summaries, ..entry? })
    })
}

fn noted<T>(place: usize, work: impl FnOnce() -> T) -> T {
    let done = work();
    busy::note(place);
    done
}

fn joined<T>(outcome: std::thread::Result<T>) -> T {
    outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
