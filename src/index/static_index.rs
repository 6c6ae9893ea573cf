//! An index of fingerprints that never changes: the MANIFEST and the runs of a database, without a catalog (SPEC 1).

use std::path::{Path, PathBuf};

use nddb_format::Fingerprint;
use nddb_format::manifest::{FileEntry, Manifest};
use nddb_format::postings::NUMBER_END;
use nddb_format::scheme::Scheme;
use nddb_format::segment::Survey;
use roaring::RoaringTreemap;

use crate::config::Config;
use crate::disk::dir::Dir;
use crate::disk::staging::Staging;
use crate::read::probe::{Match, Matches};
use crate::read::search::Search;
use crate::read::snapshot::{Snapshot, read_any_manifest};
use crate::runs::build::{
    each_list, each_value, files_of, in_parallel, run_entry, run_size, write_postings, write_segment,
};
use crate::runs::planner;
use crate::runs::run::Verify;
use crate::spill::progress::{Progress, Ticker, Watch};
use crate::spill::resources::Resources;
use crate::spill::sort::{Sorted, Sorter};
use crate::within::Within;
use crate::{Error, Result};

/// Holder of the lock while an index is made.
const HOLDER: &str = "nddb, making a static index";

/// An index of fingerprints, each with the numbers that its user gave it: built once, and never changed. It has the
/// files of a database, but no ids, records or deletions, and so needs no RocksDB.
///
/// ```
/// use nddb_index::{Config, Fingerprint, StaticIndex, Within};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("images");
/// let mut builder = StaticIndex::builder(&path, &Config::within(3)?)?;
/// for (number, fingerprint) in [0b0111, 0b1111, 0xffff_0000].into_iter().enumerate() {
///     builder.push(Fingerprint(fingerprint), number as u64)?;
/// }
/// let index = builder.finish()?;
/// let found = index.probe(&[Fingerprint(0b0011)], Within(2))?;
/// let numbers: Vec<u64> = found[0].matches.iter().map(|found| found.number).collect();
/// assert_eq!(numbers, [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct StaticIndex {
    snapshot: Snapshot,
}

/// Collects the fingerprints of a new [`StaticIndex`]. If it is dropped before [`StaticIndexBuilder::finish`], nothing
/// is left.
pub struct StaticIndexBuilder {
    path: PathBuf,
    // The folder in the making is removed last.
    dir: Dir,
    staging: Staging,
    config: Config,
    rows: Sorter<2>,
    numbers: RoaringTreemap,
    memory_limit: u64,
    threads: usize,
    watch: Watch,
}

impl std::fmt::Debug for StaticIndexBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StaticIndexBuilder")
            .field("dir", &self.dir)
            .field("len", &self.numbers.len())
            .finish_non_exhaustive()
    }
}

impl StaticIndex {
    /// Begins an index in a new folder, which gets its name when the index is complete. The recipe of the parameters
    /// has no meaning here.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`] if there is anything at the path; [`Error::Locked`] if another process is making it;
    /// errors of the disk.
    pub fn builder(path: impl AsRef<Path>, config: &Config) -> Result<StaticIndexBuilder> {
        let path = path.as_ref().to_owned();
        let staging = Staging::create(&path, HOLDER)?;
        let dir = Dir::make(staging.path())?;
        let memory_limit = Resources::default().memory_limit;
        let rows = Sorter::new(&dir.scratch()?, memory_limit / 2);
        Ok(StaticIndexBuilder {
            path,
            dir,
            staging,
            config: config.clone(),
            rows,
            numbers: RoaringTreemap::new(),
            memory_limit,
            threads: 1,
            watch: Box::new(|_| true),
        })
    }

    /// Opens an index.
    ///
    /// # Errors
    /// [`Error::NotADatabase`], also for a database, which has a catalog; damage of the parts that opening reads.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let dir = Dir::open(path.as_ref())?;
        let manifest = read_any_manifest(&dir)?;
        if manifest.catalog != 0 {
            let why = "it is a database with a catalog, to be opened by a Reader";
            return Err(Error::NotADatabase { path: path.as_ref().into(), why });
        }
        Ok(Self { snapshot: Snapshot::open(&dir, manifest, Verify::FirstTouch, None)? })
    }

    /// Returns the number of distinct fingerprints.
    pub fn len(&self) -> u64 {
        self.snapshot.runs.iter().map(|run| run.entry.fingerprints).sum()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Finds the numbers of all fingerprints within the distance of each query. Queries of one call are in flight
    /// together.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if the distance exceeds [`Within::MAX`] or a query the width of the index; damage;
    /// [`Error::Cancelled`] if it was stopped.
    pub fn probe<'s>(&self, queries: &[Fingerprint], search: impl Into<Search<'s>>) -> Result<Vec<Matches>> {
        self.snapshot.probe_many(queries, search.into())
    }

    /// Finds the `n` nearest within the distance of a query: the least by (distance, number).
    ///
    /// # Errors
    /// Errors of [`StaticIndex::probe`].
    pub fn nearest<'s>(&self, query: Fingerprint, n: usize, search: impl Into<Search<'s>>) -> Result<Vec<Match>> {
        self.snapshot.nearest(query, n, search.into())
    }

    /// Finds everything within `within` bits of each of many queries, by one pass over all fingerprints where that is
    /// cheaper than probes: (ordinal of the query, match) by (query, distance, number). So many ranges or queries are
    /// read at a time as there are threads; matches take about as much memory as is granted, beyond that temporary
    /// files. All matches are found before this returns, which `watch` can stop.
    ///
    /// # Errors
    /// Errors of [`StaticIndex::probe`]; [`Error::Cancelled`].
    pub fn batch_query(
        &self,
        queries: &[Fingerprint],
        within: Within,
        resources: &Resources,
        watch: Option<&mut (dyn FnMut(&Progress) -> bool + Send)>,
    ) -> Result<impl Iterator<Item = Result<(u64, Match)>> + use<>> {
        let (_, rows) = self.snapshot.batch_rows(queries, within, resources, watch)?;
        Ok(rows.map(|row| {
            let [key, number, print] = row?;
            Ok((key >> 8, Match { distance: (key & 0xff) as u32, number, fingerprint: Fingerprint(print) }))
        }))
    }

    /// Finds all pairs of distinct fingerprints within `within` bits of each other, ascending, each once and with the
    /// lesser first. All pairs are found before this returns, which `watch` can stop.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if the distance exceeds that of the index; damage; [`Error::Cancelled`].
    pub fn close_pairs(
        &self,
        within: Within,
        resources: &Resources,
        watch: Option<&mut (dyn FnMut(&Progress) -> bool + Send)>,
    ) -> Result<impl Iterator<Item = Result<(Fingerprint, Fingerprint)>> + use<>> {
        self.snapshot.close_pairs(within, resources, watch)
    }
}

impl StaticIndexBuilder {
    /// Sets the number of tables that are built at a time, 1 by default, and the bytes of memory for sorting.
    pub fn resources(mut self, threads: usize, memory_limit: u64) -> Result<Self> {
        (self.threads, self.memory_limit) = (threads.max(1), memory_limit.max(16 << 20));
        self.rows = Sorter::new(&self.dir.scratch()?, self.memory_limit / 2);
        Ok(self)
    }

    /// Sets the callback for progress.
    pub fn watch(mut self, watch: Watch) -> Self {
        self.watch = watch;
        self
    }

    /// Adds a fingerprint with a number, in any order. A fingerprint may have many numbers, and each number is given
    /// once.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a fingerprint wider than the index or a number of 2^40 or more;
    /// [`Error::Inconsistent`] for a number that was given before; errors of temporary files.
    pub fn push(&mut self, fingerprint: Fingerprint, number: u64) -> Result<()> {
        let greatest = nddb_format::fingerprint::low_mask(self.config.bits);
        for (what, requested, limit) in
            [("the fingerprint", fingerprint.0, greatest), ("the number", number, NUMBER_END - 1)]
        {
            if requested > limit {
                return Err(Error::OutOfRange { what, requested, limit });
            }
        }
        if !self.numbers.insert(number) {
            let what = format!("number {number} was given before: each number belongs to one fingerprint");
            return Err(Error::Inconsistent { path: self.dir.root().into(), what });
        }
        self.rows.push([fingerprint.0, number])
    }

    /// Writes the index, durably, and opens it.
    ///
    /// # Errors
    /// [`Error::OverLimit`] without space on the disk; errors of the disk; [`Error::Cancelled`].
    pub fn finish(self) -> Result<StaticIndex> {
        let Self { path, dir, staging, config, rows, numbers, memory_limit, threads, mut watch } = self;
        let (Config { bits, k, restart, levels, .. }, rows) = (config, rows.finish());
        let mut manifest = Manifest::new(bits, k, 0);
        if let (Some(low), Some(last), len) = (numbers.min(), numbers.max(), numbers.len()) {
            let chosen = planner::scheme_of_run((bits, k, restart), levels.as_deref(), len);
            let scheme = chosen.map_err(Error::format(dir.root()))?;
            dir.need_space(run_size(&scheme, len, 0))?;
            let ticker = Ticker::new(&mut *watch);
            let run = write_run(&dir, &scheme, (low, last + 1), &rows, (threads, memory_limit), &ticker)?;
            manifest.complete = run.high;
            manifest.next_file = 1 + files_of(&scheme);
            manifest.runs.push(run);
        }
        dir.remove_empty_catalog()?;
        // Its temporary files are in the folder that is swept; Windows does not remove an open file.
        drop(rows);
        dir.sweep(|number| manifest.files().any(|file| file.number == number))?;
        dir.replace_manifest(&manifest.encode())?;
        staging.publish()?;
        StaticIndex::open(path)
    }
}

/// Writes the run of sorted \[fingerprint, number\] rows.
fn write_run(
    dir: &Dir,
    scheme: &Scheme,
    range: (u64, u64),
    rows: &Sorted<2>,
    (threads, memory_limit): (usize, u64),
    ticker: &Ticker<'_>,
) -> Result<nddb_format::manifest::RunEntry> {
    let len = scheme.tables().len();
    ticker.start("write run", Some(len as u64 + 1), "files")?;
    let share = memory_limit / 2 / threads.clamp(1, len) as u64;
    let table = |ordinal: usize| -> Result<(FileEntry, Survey, Vec<u64>)> {
        let number = 1 + ordinal as u64;
        let table = &scheme.tables()[ordinal];
        let segment = if table.is_identity() {
            write_segment(dir, number, scheme, ordinal, &|sink| each_value(rows, sink))?
        } else {
            let mut sorter = Sorter::<1>::new(&dir.scratch()?, share);
            each_value(rows, &mut |stretch| {
                stretch.iter().try_for_each(|&print| sorter.push([table.permute(Fingerprint(print)).0]))
            })?;
            let permuted = sorter.finish();
            write_segment(dir, number, scheme, ordinal, &|sink| permuted.each(&mut |rows| sink(rows.as_flattened())))?
        };
        ticker.add(1)?;
        Ok(segment)
    };
    let tables = in_parallel(len, threads, &table)?;
    let (postings, survey) =
        write_postings(dir, 1 + len as u64, range, scheme.restart(), &tables[0].2, &|sink| each_list(rows, sink))?;
    ticker.add(1)?;
    run_entry(dir, scheme, range, survey.documents(), postings, &tables)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nddb_format::digest::mix;

    /// Clustered fingerprints of `bits` bits, each with a number.
    fn rows(len: u64, bits: u8) -> Vec<(u64, u64)> {
        let low = nddb_format::fingerprint::low_mask(bits);
        (0..len).map(|i| ((mix(i / 7) ^ 1 << (mix(i) % 64) ^ 1 << (mix(i + 9) % 64)) & low, 3 * len - 2 * i)).collect()
    }

    #[test]
    fn answers_are_those_of_brute_force_whether_rows_fit_in_memory_or_not() {
        let folder = tempfile::tempdir().expect("a folder");
        for (len, bits, k) in [(0, 64, 3), (1, 64, 3), (3000, 64, 3), (3000, 24, 2), (120_000, 64, 1)] {
            let path = folder.path().join(format!("{len}-{bits}"));
            let config = Config::within(k).and_then(|config| config.bits(bits)).expect("parameters");
            let mut builder = StaticIndex::builder(&path, &config).expect("begun");
            builder.rows = Sorter::new(&builder.dir.scratch().expect("a folder"), 0);
            let rows = rows(len, bits);
            rows.iter().for_each(|&(print, number)| builder.push(Fingerprint(print), number).expect("taken"));
            drop(builder.finish().expect("made"));

            let index = StaticIndex::open(&path).expect("opened");
            let mut distinct: Vec<u64> = rows.iter().map(|row| row.0).collect();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(index.len(), distinct.len() as u64);
            let queries: Vec<Fingerprint> =
                distinct.iter().step_by(97).take(60).map(|&it| Fingerprint(it ^ 5)).collect();
            let expected = |query: Fingerprint, within: u8| {
                let mut all: Vec<Match> = rows
                    .iter()
                    .map(|&(print, number)| {
                        let distance = (print ^ query.0).count_ones();
                        Match { distance, number, fingerprint: Fingerprint(print) }
                    })
                    .filter(|found| found.distance <= within.into())
                    .collect();
                all.sort_unstable();
                all
            };
            for within in [0, k, k + 3] {
                let want: Vec<Vec<Match>> = queries.iter().map(|&query| expected(query, within)).collect();
                let found = index.probe(&queries, Within(within)).expect("answers");
                assert!(found.into_iter().map(|found| found.matches).eq(want.iter().cloned()), "{len} {bits} {within}");
                let mut batch = vec![Vec::new(); queries.len()];
                let resources = Resources { threads: 2, memory_limit: 1 << 20, ..Resources::default() };
                for found in index.batch_query(&queries, Within(within), &resources, None).expect("matches") {
                    let (query, found) = found.expect("a match");
                    batch[query as usize].push(found);
                }
                let by_number = |found: &Match| (found.distance, found.number, found.fingerprint);
                assert!(batch.iter().all(|found| found.is_sorted_by_key(by_number)));
                batch.iter_mut().for_each(|found| found.sort_unstable());
                assert_eq!(batch, want);
                for &query in &queries {
                    let nearest = index.nearest(query, 3, Within(within)).expect("an answer");
                    assert!(nearest.iter().eq(expected(query, within).iter().take(3)));
                }
            }
            let close = |a: &u64, b: &u64| (a ^ b).count_ones() <= k.into();
            let resources = Resources { memory_limit: 1 << 20, ..Resources::default() };
            let pairs = index.close_pairs(Within(k), &resources, None).expect("pairs");
            let pairs: Vec<(u64, u64)> = pairs.map(|pair| pair.map(|(a, b)| (a.0, b.0)).expect("a pair")).collect();
            assert!(pairs.is_sorted());
            if len <= 3000 {
                let of = |(i, a): (usize, &u64)| {
                    let a = *a;
                    distinct[i + 1..].iter().filter(move |b| close(&a, b)).map(move |&b| (a, b)).collect::<Vec<_>>()
                };
                assert!(pairs.iter().copied().eq(distinct.iter().enumerate().flat_map(of)));
            }
        }
    }

    #[test]
    fn a_builder_that_is_dropped_leaves_nothing_and_a_wrong_row_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("index");
        let config = Config::within(3).and_then(|config| config.bits(32)).expect("parameters");
        let mut builder = StaticIndex::builder(&path, &config).expect("begun");
        builder.push(Fingerprint(1), 2).expect("taken");
        assert!(matches!(
            builder.push(Fingerprint(1 << 40), 2),
            Err(Error::OutOfRange { what: "the fingerprint", .. })
        ));
        assert!(matches!(builder.push(Fingerprint(1), NUMBER_END), Err(Error::OutOfRange { what: "the number", .. })));
        assert!(matches!(builder.push(Fingerprint(3), 2), Err(Error::Inconsistent { .. })));
        drop(builder);
        assert!(matches!(StaticIndex::open(&path), Err(Error::NotADatabase { .. })));
        let mut builder = StaticIndex::builder(&path, &config).expect("begun anew");
        builder.push(Fingerprint(1), 2).expect("taken");
        let index = builder.finish().expect("made");
        assert!(matches!(StaticIndex::builder(&path, &config), Err(Error::AlreadyExists { .. })));
        assert_eq!((index.len(), index.is_empty()), (1, false));
    }
}
