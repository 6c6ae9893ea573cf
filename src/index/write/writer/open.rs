//! Creating a database, and opening one for writing.
//!
//! Opening locks the folder, then opens the catalog, which restores a sorted file that was being ingested and cuts off
//! torn log ends (`catalog::{listed, torn}`). It refuses a catalog that is behind MANIFEST. Then ranges that were being
//! loaded become cancelled, batches that were being committed are completed, and files that no manifest names are
//! removed. A log that was cut exactly between two commits after the last manifest cannot be distinguished from a crash
//! before the second one.

use std::path::Path;
use std::time::Duration;

use nddb_format::document_keys::KeyKinds;
use nddb_format::manifest::Manifest;
use nddb_format::record::{Counters, Range, RangeState, Settings};

use super::Writer;
use super::group::CommitGroup;
use super::retired::Retired;
use crate::catalog::Catalog;
use crate::disk::dir::{Dir, exists};
use crate::disk::staging::Staging;
use crate::process::new_identity;
use crate::read::changes::disagreements;
use crate::read::snapshot::{Snapshot, read_manifest};
use crate::runs::run::Verify;
use crate::thresholds::Thresholds;
use crate::write::jobs::Jobs;
use crate::{Config, Error, Result};

/// Default memory for bulk loads and merges, in bytes.
const MEMORY_LIMIT: u64 = 1 << 30;

impl Writer {
    /// Creates a new, empty database and opens it.
    ///
    /// The database is made in a folder `path.partial` and renamed when it is complete. In an existing empty folder, it
    /// is made in place. If the process is interrupted, the next creation at that path starts again.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`] if anything but an empty folder is at the path; [`Error::Locked`] if another process is
    /// making a database there; [`Error::InTheWay`] if there is an unrelated folder at `path.partial`; errors of the
    /// disk.
    pub fn create(path: impl AsRef<Path>, config: &Config) -> Result<Self> {
        let (path, holder) = (path.as_ref(), holder("nddb"));
        if !exists(path) {
            let staging = Staging::create(path, &holder)?;
            let dir = Dir::create(staging.path(), &holder)?;
            Self::fill(&dir, path, config)?;
            return staging.publish_locked(dir, Self::open_locked);
        }
        // A folder that somebody has prepared, perhaps the root of a file system, cannot be replaced.
        let dir = Dir::create_in(path, &holder)?;
        let filled = Self::fill(&dir, path, config).and_then(|()| dir.end_creation());
        let made = filled.and_then(|()| Self::open_locked(dir.clone()));
        if made.is_err() {
            dir.discard();
        }
        made
    }

    /// Makes the contents of the folder of a new database, durably.
    fn fill(dir: &Dir, path: &Path, config: &Config) -> Result<()> {
        let catalog = Catalog::create(dir)?;
        let settings = Settings {
            catalog: new_identity(path),
            bits: config.bits,
            k: config.k,
            levels: config.levels.clone(),
            restart: config.restart,
            recipe: config.recipe.clone(),
            keeps_words: config.keeps_words,
        };
        let counters = Counters { next_batch: 1, next_archive: 1, ..Counters::default() };
        let mut commit = catalog.begin();
        commit.settings(&settings);
        commit.counters(&counters);
        commit.write()?;
        drop(catalog);
        dir.sync_catalog()?;
        dir.sync_names()?;
        // The last step: without a MANIFEST the folder is not a database.
        let manifest = Manifest::new(settings.bits, settings.k, settings.catalog);
        dir.replace_manifest(&manifest.encode())
    }

    /// Opens a database for writing.
    ///
    /// # Errors
    /// [`Error::NotADatabase`], [`Error::Locked`], [`Error::Newer`], damage of the parts that opening reads, and
    /// [`Error::Inconsistent`] if the catalog has lost commits that the manifest contains.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_as(path, &holder("nddb"))
    }

    /// Opens a database for writing with a description of this process, which is shown to others while it holds the
    /// lock.
    ///
    /// # Errors
    /// Errors of [`Writer::open`].
    pub fn open_as(path: impl AsRef<Path>, holder: &str) -> Result<Self> {
        Self::open_within(path, holder, Duration::ZERO)
    }

    /// Like [`Writer::open_as`], but waits this long for another writer to end.
    ///
    /// # Errors
    /// Errors of [`Writer::open`]; [`Error::Locked`] has the time waited.
    pub fn open_within(path: impl AsRef<Path>, holder: &str, wait: Duration) -> Result<Self> {
        Self::open_locked(Dir::open(path.as_ref())?.locked_within(holder, wait)?)
    }

    fn open_locked(dir: Dir) -> Result<Self> {
        let manifest = read_manifest(&dir)?;
        let catalog = Catalog::open(&dir)?;
        let (settings, counters) = (catalog.settings()?, catalog.counters()?);
        if let Some(disagreement) = disagreements(&manifest, &settings, &counters).next() {
            return Err(Error::Inconsistent { path: dir.root().into(), what: disagreement.what() });
        }
        dir.sweep(|number| manifest.files().any(|file| file.number == number))?;
        let mut writer = Self::assemble(dir, catalog, settings, counters, manifest)?;
        writer.cancel_loading()?;
        writer.end_batches()?;
        Ok(writer)
    }

    fn assemble(
        dir: Dir,
        catalog: Catalog,
        settings: Settings,
        counters: Counters,
        manifest: Manifest,
    ) -> Result<Self> {
        let mut snapshot = Snapshot::open(&dir, manifest, Verify::FirstTouch, None)?;
        let unfolded = snapshot.catch_up(&catalog)?;
        snapshot.seen = counters.next_number;
        let (group, next_file) = (CommitGroup::new(&settings), snapshot.manifest.next_file);
        let kinds = KeyKinds::of_label(&settings.recipe);
        Ok(Self {
            jobs: Jobs::default(),
            thresholds: Thresholds::of(dir.root()),
            dir,
            catalog: catalog.into(),
            settings,
            kinds,
            snapshot,
            counters,
            group,
            label: None,
            next_file,
            unfolded,
            retired: Retired::default(),
            poisoned: false,
            watch: Box::new(|_| true),
            threads: 1,
            memory_limit: MEMORY_LIMIT,
        })
    }

    /// Cancels a failed load while this writer continues, as opening a database does. Until then, rows of the load look
    /// like those of committed documents.
    pub(crate) fn give_up_loading(&mut self) -> Result<()> {
        let outcome = self.cancel_loading();
        self.poisoned |= outcome.is_err();
        outcome
    }

    /// Cancels the reservation of a bulk load that did not finish.
    fn cancel_loading(&mut self) -> Result<()> {
        let loading: Vec<_> = self.snapshot.ranges.in_state(RangeState::Loading).collect();
        if loading.is_empty() {
            return Ok(());
        }
        let mut commit = self.catalog.begin();
        for (low, range) in self.catalog.ranges()?.into_iter().filter(|(_, range)| range.state == RangeState::Loading) {
            commit.range(low, &Range { state: RangeState::Cancelled, ..range });
        }
        commit.write()?;
        self.snapshot.ranges.change(|range| range.state == RangeState::Loading, RangeState::Cancelled);
        self.snapshot.seen = self.counters.next_number;
        loading.into_iter().for_each(|numbers| _ = self.snapshot.deleted.insert_range(numbers));
        // Otherwise every opening would have to skip the prints of the load.
        self.publish_complete()
    }
}

/// Returns the description of this process for others that find the database locked.
fn holder(what: &str) -> String {
    format!("{what}, process {}", std::process::id())
}
