//! Key tables: the keys of a run's documents with their numbers, built as a run of keys with one table (SPEC 8.6).

use nddb_format::keys;
use nddb_format::manifest::{KeyTable, RunEntry};

use super::build::{Entry, refused, run_entry, write_postings, write_segment};
use crate::Result;
use crate::disk::dir::Dir;
use crate::spill::sort::Sorted;

/// Number of values passed on at a time.
const STRETCH: usize = 4096;
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
    let table = write_segment(dir, first_file, &scheme, 0, &|sink| {
        let (mut stretch, mut last) = (Vec::with_capacity(STRETCH), None);
        pairs.each(&mut |rows| {
            for &[key, _] in rows {
                if last.replace(key) == Some(key) {
                    continue;
                }
                stretch.push(key);
                if stretch.len() == STRETCH {
                    sink(&stretch)?;
                    stretch.clear();
                }
            }
            Ok(())
        })?;
        sink(&stretch)
    })?;
    let (postings, survey) = write_postings(dir, first_file + 1, range, restart, &table.2, &|sink| {
        let mut last = None;
        pairs.each(&mut |rows| {
            for &[key, number] in rows {
                match last.replace([key, number]) {
                    Some(before) if before == [key, number] => continue,
                    Some([before, _]) if before == key => (),
                    _ => sink(Entry::Fingerprint(key))?,
                }
                sink(Entry::Number(number))?;
            }
            Ok(())
        })
    })?;
    let run = run_entry(dir, &scheme, range, survey.documents(), postings, &[table])?;
    Ok(Some(key_table(&run)))
}

/// Returns a run of keys as the key table of another run.
pub(crate) fn key_table(run: &RunEntry) -> KeyTable {
    let RunEntry { fingerprints: keys, documents: pairs, set_digest, postings, .. } = *run;
    KeyTable { keys, pairs, set_digest, postings, segment: run.segments[0] }
}
