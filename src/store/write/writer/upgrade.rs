//! From version 1, where the keys of all documents are rows of the catalog, to key tables, and from runs without
//! summaries to those with them (SPEC 8.6, 8.7 and 11).

use nddb_format::keys::KEY_FILES;
use nddb_format::manifest::{FileEntry, KeyTable, RunEntry};

use super::Writer;
use crate::Result;
use crate::spill::ticker::Ticker;
use crate::store::runs::build::key_size;
use crate::store::runs::keys::{Records, build_keys, forget_key_rows};
use crate::store::runs::summaries::write_summaries;

impl Writer {
    /// Makes a database of version 1 one of version 2, in which later documents have no rows of keys. Readers of
    /// version 1 must know before the first of those is committed.
    pub(super) fn begin_upgrade(&mut self) -> Result<()> {
        let mut manifest = self.snapshot.manifest.clone();
        if manifest.keyed.is_some() {
            return Ok(());
        }
        manifest.keyed = Some(self.counters.next_number);
        self.publish(manifest, 0..0)
    }

    /// Returns whether documents that are in runs have their keys as rows of the catalog.
    pub(crate) fn has_old_keys(&self) -> bool {
        let manifest = &self.snapshot.manifest;
        manifest.keyed.is_some_and(|keyed| 0 < keyed && keyed <= manifest.complete)
    }

    /// Gives the runs that lack summaries those of all their documents.
    pub(crate) fn add_summaries(&mut self) -> Result<()> {
        let mut manifest = self.snapshot.manifest.clone();
        for index in 0..manifest.runs.len() {
            if self.view().lacks_summaries(&self.snapshot.runs[index]) {
                manifest.runs[index].summaries = self.summaries_of_records(&manifest.runs[index])?;
            }
        }
        self.publish(manifest, 0..0)
    }

    fn summaries_of_records(&mut self, run: &RunEntry) -> Result<Option<FileEntry>> {
        let number = self.take_files(1);
        let (range, deleted) = ((run.low, run.high), &self.snapshot.deleted);
        let ticker = &Ticker::new(&mut *self.watch);
        // They are read twice.
        ticker.start("add summaries", Some(2 * (run.high - run.low)), "documents")?;
        let (catalog, recipe, keeps) = (&self.catalog, self.recipe.as_ref(), &|number| !deleted.contains(number));
        let records = Records { catalog, recipe, range, keeps, ticker };
        let written = write_summaries(&self.dir, number, range, &|sink| records.each_summary(sink));
        let synced = written.and_then(|written| self.dir.sync_runs().map(|()| written.map(|(file, _)| file)));
        synced.inspect_err(|_| self.drop_files(number, 1))
    }

    /// Gives all runs key tables of all their documents. Afterwards the rows of keys are removed.
    pub(crate) fn finish_upgrade(&mut self) -> Result<()> {
        let mut manifest = self.snapshot.manifest.clone();
        for run in &mut manifest.runs {
            run.keys = self.keys_of_records(run)?;
        }
        self.publish(manifest, 0..0)?;
        self.retired.key_rows();
        Ok(())
    }

    fn keys_of_records(&mut self, run: &RunEntry) -> Result<Option<KeyTable>> {
        let (range, deleted) = ((run.low, run.high), &self.snapshot.deleted);
        let ticker = &Ticker::new(&mut *self.watch);
        ticker.start("upgrade", Some(run.high - run.low), "documents")?;
        let (catalog, recipe, keeps) = (&self.catalog, self.recipe.as_ref(), &|number| !deleted.contains(number));
        let records = Records { catalog, recipe, range, keeps, ticker };
        let (keys, pairs) = records.sorted_keys(&self.dir.scratch()?, self.memory_limit)?;
        self.dir.need_space(key_size(pairs))?;
        let first = self.take_files(KEY_FILES);
        let built = build_keys(&self.dir, first, run.scheme.restart(), range, &keys);
        built.inspect_err(|_| self.drop_files(first, KEY_FILES))
    }

    /// Removes the rows of keys that the key tables of all runs have, and says so in the manifest.
    pub(super) fn forget_old_keys(&mut self) -> Result<()> {
        forget_key_rows(&self.catalog)?;
        let mut manifest = self.snapshot.manifest.clone();
        manifest.keyed = Some(0);
        self.snapshot.read_key_rows(&self.catalog)?;
        self.publish(manifest, 0..0)
    }
}
