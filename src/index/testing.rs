//! Access for benches and tests to internals: runs without documents in the catalog, the storage calls of the engine,
//! its thresholds, and deliberate mistakes.

use std::path::Path;

use nddb_format::record::Counters;
use nddb_format::scheme::Scheme;

use crate::catalog::Catalog;
pub use crate::disk::bugs::{Bug, SeededBug, seed_bug};
use crate::disk::dir::Dir;
pub use crate::disk::steps::{StorageObserver, observe_storage};
use crate::read::snapshot::read_manifest;
use crate::runs::build::files_of;
use crate::runs::contents::{Contents, run_of};
use crate::runs::planner::{self, Budget};
pub use crate::thresholds::{SmallThresholds, small_thresholds};
use crate::{Config, Error, Result};

/// A run made by [`add_run`].
#[derive(Clone, Copy, Debug)]
pub struct BuiltRun {
    /// Number of distinct fingerprints.
    pub fingerprints: u64,
    /// Tables.
    pub tables: usize,
    /// Bytes of all files.
    pub size: u64,
}

/// Makes one run from unsorted fingerprints, numbered by their indexes, in a database that nobody has open. The catalog
/// does not have their documents: probes find them, but not their ids, and a writer refuses to open the database.
///
/// # Errors
/// Errors of the disk, or of the format if no scheme fits the configuration.
pub fn add_run(path: &Path, config: &Config, fingerprints: &[u64], threads: usize) -> Result<BuiltRun> {
    let dir = Dir::open(path)?.locked("a bench")?;
    let mut manifest = read_manifest(&dir)?;
    let len = fingerprints.len() as u64;
    // A catalog that knows fewer numbers than the manifest has lost commits.
    let catalog = Catalog::open(&dir)?;
    let counters = Counters { next_number: manifest.complete + len, ..catalog.counters()? };
    let mut commit = catalog.begin();
    commit.counters(&counters);
    commit.write()?;
    drop(catalog);
    let levels = match &config.levels {
        Some(levels) => levels.clone(),
        None => planner::choose(config.bits, config.k, len, Budget::default())
            .map_err(Error::format(path))?
            .levels()
            .to_vec(),
    };
    let scheme = Scheme::new(config.bits, config.k, &levels, config.restart).map_err(Error::format(path))?;
    let low = manifest.complete;
    let contents = Contents { pairs: fingerprints.iter().copied().zip(low..).collect(), ..Contents::default() };
    let first = manifest.next_file;
    manifest.next_file += files_of(&scheme);
    let mut watch = |_: &crate::spill::progress::Progress| true;
    let ticker = crate::spill::progress::Ticker::new(&mut watch);
    let run = run_of(&dir, first, &scheme, (low, low + len), contents, threads, &ticker)?;
    let built = BuiltRun { fingerprints: run.fingerprints, tables: scheme.tables().len(), size: run.size() };
    manifest.runs.push(run);
    manifest.complete = low + len;
    manifest.generation += 1;
    dir.replace_manifest(&manifest.encode())?;
    Ok(built)
}
