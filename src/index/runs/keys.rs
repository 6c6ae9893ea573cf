//! Key tables: the keys of a run's documents with their numbers, built as a run of keys with one table (SPEC 8.6).

use nddb_format::keys;
use nddb_format::manifest::{KeyTable, RunEntry};

use super::build::{each_list, each_value, refused, run_entry, write_postings, write_segment};
use crate::Result;
use crate::disk::dir::Dir;
use crate::spill::sort::Sorted;

/// Builds the key table of a run with the numbers `range` from its sorted \[key, number\] pairs, of which some may be
/// repeated, under two file numbers from `first_file` on; `None` without pairs.
pub(crate) fn build_keys(
    dir: &Dir,
    first_file: u64,
    restart: u16,
    range: (u64, u64),
    pairs: &Sorted<2>,
) -> Result<Option<KeyTable>> {
    if pairs.is_empty() {
        return Ok(None);
    }
    let scheme = keys::scheme(restart).map_err(refused(dir))?;
    let table = write_segment(dir, first_file, &scheme, 0, &|sink| each_value(pairs, sink))?;
    let (postings, survey) =
        write_postings(dir, first_file + 1, range, restart, &table.2, &|sink| each_list(pairs, sink))?;
    let run = run_entry(dir, &scheme, range, survey.documents(), postings, &[table])?;
    Ok(Some(key_table(&run)))
}

/// Returns a run of keys as the key table of another run.
pub(crate) fn key_table(run: &RunEntry) -> KeyTable {
    let RunEntry { fingerprints: keys, documents: pairs, set_digest, postings, .. } = *run;
    KeyTable { keys, pairs, set_digest, postings, segment: run.segments[0] }
}
