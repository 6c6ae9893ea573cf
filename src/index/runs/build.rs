//! Building the files of a run.

use nddb_format::keys::{self, KEY_FILES};
use nddb_format::manifest::{FileEntry, KeyTable, RunEntry};
use nddb_format::postings::{PostingsEncoder, PostingsSurvey};
use nddb_format::scheme::Scheme;
use nddb_format::segment::{SegmentEncoder, Survey};
use nddb_format::{Fingerprint, FormatError};

use crate::disk::dir::{Dir, FileKind, FileWriter};
use crate::spill::parallel::{each_in_order, sort_rows};
use crate::spill::progress::Ticker;
use crate::spill::sort::Sorted;
use crate::{Error, Result};

/// Number of bytes collected before they are written to a file.
pub(super) const BUFFER_SIZE: usize = 1 << 20;
/// Number of values passed on at a time.
const STRETCH: usize = 4096;

/// Receives ascending values in slices.
pub(crate) type Sink<'a> = dyn FnMut(&[u64]) -> Result<()> + 'a;
/// Ascending values that can be passed to a sink any number of times.
pub(crate) type Values<'a> = dyn Fn(&mut Sink<'_>) -> Result<()> + Sync + 'a;
/// Receives lists: `Some(fingerprint)` begins one, then its numbers follow.
pub(crate) enum Entry {
    /// The list of this fingerprint begins.
    Fingerprint(u64),
    /// A document number of the current list.
    Number(u64),
}

/// Lists that can be passed through a receiver of entries any number of times.
pub(crate) type Lists<'a> = dyn Fn(&mut dyn FnMut(Entry) -> Result<()>) -> Result<()> + 'a;

/// Maps a broken rule of the format, which here is an error of the input, to an error; the database is unchanged.
pub(super) fn refused(dir: &Dir) -> impl Fn(FormatError) -> Error {
    let path = dir.root().to_owned();
    move |error| Error::Inconsistent { path: path.clone(), what: format!("a run could not be made: {error}") }
}

/// Writes the segment of table `ordinal` in two passes over its permuted fingerprints. Returns the manifest's entry
/// of the file, and, for table 0, the rank of each block's first entry.
pub(crate) fn write_segment(
    dir: &Dir,
    number: u64,
    scheme: &Scheme,
    ordinal: usize,
    values: &Values<'_>,
) -> Result<(FileEntry, Survey, Vec<u64>)> {
    let refused = refused(dir);
    let mut survey = Survey::new(&scheme.tables()[ordinal]);
    values(&mut |stretch| stretch.iter().try_for_each(|&value| survey.push(value)).map_err(&refused))?;
    let header = survey.header(scheme, ordinal).map_err(&refused)?;
    let identity = header.identity;
    let mut file = dir.create_file(number, FileKind::Segment)?;
    let mut out = Vec::with_capacity(BUFFER_SIZE + (64 << 10));
    let mut encoder = SegmentEncoder::new(header, &mut out).map_err(&refused)?;
    values(&mut |stretch| {
        for &value in stretch {
            encoder.push(value, &mut out).map_err(&refused)?;
            if out.len() >= BUFFER_SIZE {
                file.write(&out)?;
                out.clear();
            }
        }
        Ok(())
    })?;
    let ranks = if ordinal == 0 { encoder.ranks().to_vec() } else { Vec::new() };
    encoder.finish(&mut out).map_err(&refused)?;
    let entry = finish(file, number, identity, &out)?;
    Ok((entry, survey, ranks))
}

pub(super) fn finish(mut file: FileWriter, number: u64, identity: u64, rest: &[u8]) -> Result<FileEntry> {
    file.write(rest)?;
    let (length, checksum) = file.finish()?;
    Ok(FileEntry { number, length, identity, checksum })
}

/// Writes the postings of a run with the numbers `low..high`, in two passes over its lists.
pub(crate) fn write_postings(
    dir: &Dir,
    number: u64,
    (low, high): (u64, u64),
    restart: u16,
    ranks: &[u64],
    lists: &Lists<'_>,
) -> Result<(FileEntry, PostingsSurvey)> {
    let refused = refused(dir);
    let mut survey = PostingsSurvey::default();
    lists(&mut |entry| {
        match entry {
            Entry::Fingerprint(fingerprint) => survey.begin(fingerprint).map_err(&refused)?,
            Entry::Number(number) => survey.number(number),
        }
        Ok(())
    })?;
    let header = survey.clone().header(low, high, ranks.len() as u64, restart);
    let identity = header.identity;
    let mut file = dir.create_file(number, FileKind::Postings)?;
    let mut out = Vec::with_capacity(BUFFER_SIZE + (64 << 10));
    let mut encoder = PostingsEncoder::new(header, ranks, &mut out).map_err(&refused)?;
    lists(&mut |entry| {
        match entry {
            Entry::Fingerprint(_) => encoder.begin().map_err(&refused)?,
            Entry::Number(number) => encoder.number(number, &mut out).map_err(&refused)?,
        }
        if out.len() >= BUFFER_SIZE {
            file.write(&out)?;
            out.clear();
        }
        Ok(())
    })?;
    encoder.finish(&mut out).map_err(&refused)?;
    Ok((finish(file, number, identity, &out)?, survey))
}

/// Passes the distinct first numbers of sorted \[fingerprint or key, number\] rows to `sink`.
pub(crate) fn each_value(rows: &Sorted<2>, sink: &mut Sink<'_>) -> Result<()> {
    let (mut stretch, mut last) = (Vec::with_capacity(STRETCH), None);
    rows.each(&mut |rows| {
        for &[value, _] in rows {
            if last.replace(value) == Some(value) {
                continue;
            }
            stretch.push(value);
            if stretch.len() == STRETCH {
                sink(&stretch)?;
                stretch.clear();
            }
        }
        Ok(())
    })?;
    sink(&stretch)
}

/// Passes the lists of sorted \[fingerprint or key, number\] rows, of which some may be repeated, to `sink`.
pub(crate) fn each_list(rows: &Sorted<2>, sink: &mut dyn FnMut(Entry) -> Result<()>) -> Result<()> {
    let mut last = None;
    rows.each(&mut |rows| {
        for &[value, number] in rows {
            match last.replace([value, number]) {
                Some(before) if before == [value, number] => continue,
                Some([before, _]) if before == value => (),
                _ => sink(Entry::Fingerprint(value))?,
            }
            sink(Entry::Number(number))?;
        }
        Ok(())
    })
}

/// Returns the number of files of a run of this scheme: its segments, its postings, those of its key table and its
/// summaries.
pub(crate) fn files_of(scheme: &Scheme) -> u64 {
    scheme.tables().len() as u64 + 1 + KEY_FILES + 1
}

/// Returns the first of the file numbers that [`files_of`] reserves for the key table.
pub(crate) fn key_files(first_file: u64, scheme: &Scheme) -> u64 {
    summaries_file(first_file, scheme) - KEY_FILES
}

/// Returns the file number that [`files_of`] reserves for the summaries.
pub(crate) fn summaries_file(first_file: u64, scheme: &Scheme) -> u64 {
    first_file + files_of(scheme) - 1
}

/// Builds the segments and postings of a run of (fingerprint, number) pairs, which are sorted here, under the file
/// numbers from `first_file` on. `threads` tables are built at a time, each with a copy of the fingerprints. All files
/// are durable when this returns; no manifest names them yet.
pub(super) fn run_of_pairs(
    dir: &Dir,
    first_file: u64,
    scheme: &Scheme,
    range: (u64, u64),
    pairs: &mut [(u64, u64)],
    threads: usize,
    ticker: &Ticker<'_>,
) -> Result<RunEntry> {
    ticker.start("write run", Some(scheme.tables().len() as u64 + 1), "files")?;
    sort_rows(pairs, threads);
    let mut fingerprints: Vec<u64> = pairs.iter().map(|pair| pair.0).collect();
    fingerprints.dedup();
    let table = |ordinal: usize| -> Result<(FileEntry, Survey, Vec<u64>)> {
        let number = first_file + ordinal as u64;
        let table = &scheme.tables()[ordinal];
        let segment = if table.is_identity() {
            write_segment(dir, number, scheme, ordinal, &|sink| sink(&fingerprints))?
        } else {
            let mut permuted: Vec<u64> =
                fingerprints.iter().map(|&print| table.permute(Fingerprint(print)).0).collect();
            permuted.sort_unstable();
            write_segment(dir, number, scheme, ordinal, &|sink| sink(&permuted))?
        };
        ticker.add(1)?;
        Ok(segment)
    };
    let tables = in_parallel(scheme.tables().len(), threads, &table)?;
    let postings_number = first_file + tables.len() as u64;
    let (postings, _) = write_postings(dir, postings_number, range, scheme.restart(), &tables[0].2, &|sink| {
        let mut last = None;
        for &(fingerprint, number) in pairs.iter() {
            if last != Some(fingerprint) {
                sink(Entry::Fingerprint(fingerprint))?;
                last = Some(fingerprint);
            }
            sink(Entry::Number(number))?;
        }
        Ok(())
    })?;
    ticker.add(1)?;
    run_entry(dir, scheme, range, pairs.len() as u64, postings, &tables)
}

/// Returns an upper bound of the bytes of a run of `documents` documents with this number of keys: eight per
/// fingerprint or key and table, eight per document number, some blocks of overhead, and a tenth of the sum.
pub(crate) fn run_size(scheme: &Scheme, documents: u64, keys: u64) -> u64 {
    size_of(scheme.tables().len() as u64 + 1, documents) + key_size(keys)
}

/// Returns an upper bound of the bytes of a key table with this number of pairs.
pub(crate) fn key_size(pairs: u64) -> u64 {
    size_of(KEY_FILES, pairs)
}

fn size_of(files: u64, rows: u64) -> u64 {
    files * (rows * 8 + 8192) * 11 / 10
}

/// Joins the files of a run, checking that all segments have the same set.
pub(crate) fn run_entry(
    dir: &Dir,
    scheme: &Scheme,
    (low, high): (u64, u64),
    documents: u64,
    postings: FileEntry,
    tables: &[(FileEntry, Survey, Vec<u64>)],
) -> Result<RunEntry> {
    let first = &tables[0].1;
    let same = tables.iter().all(|(_, survey, _)| survey.count() == first.count() && survey.digest() == first.digest());
    if !same {
        let what = "the tables of a new run do not hold the same fingerprints: nothing was changed".into();
        return Err(Error::Inconsistent { path: dir.root().into(), what });
    }
    dir.sync_runs()?;
    Ok(RunEntry {
        low,
        high,
        fingerprints: first.count(),
        documents,
        set_digest: first.digest(),
        rewrites: 0,
        scheme: scheme.clone(),
        postings,
        segments: tables.iter().map(|(file, ..)| *file).collect(),
        keys: None,
        summaries: None,
    })
}

/// Calls `make` for 0..len on up to `threads` threads and returns the results in order.
pub(crate) fn in_parallel<T: Send>(
    len: usize,
    threads: usize,
    make: &(dyn Fn(usize) -> Result<T> + Sync),
) -> Result<Vec<T>> {
    let mut all = Vec::with_capacity(len);
    each_in_order(
        threads.min(len),
        |give| (0..len).try_for_each(give),
        || (),
        |(), index| make(index),
        |made| {
            all.push(made);
            Ok(())
        },
    )?;
    Ok(all)
}

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
