//! From version 1, where the keys of all documents are rows of the catalog, to key tables (SPEC 8.6 and 11).

use nddb_format::keys::KEY_FILES;
use nddb_format::manifest::RunEntry;

use super::Writer;
use crate::spill::sort::Sorter;
use crate::store::runs::keys::{build_keys, each_key, forget_key_rows};
use crate::{Error, Result};

/// Records between two progress reports.
const STEP: u64 = 1 << 16;

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

    fn keys_of_records(&mut self, run: &RunEntry) -> Result<Option<nddb_format::manifest::KeyTable>> {
        let mut sorter = Sorter::new(&self.dir.scratch()?, self.memory_limit);
        let mut pairs = 0;
        let (mut done, total) = (0, run.high - run.low);
        let mut watch = std::mem::replace(&mut self.watch, Box::new(|_| true));
        let mut tick = || {
            done += 1;
            let phase = "upgrade";
            let progress = crate::spill::progress::Progress { phase, done, total: Some(total), unit: "documents" };
            if done % STEP == 0 && !watch(&progress) { Err(Error::Cancelled) } else { Ok(()) }
        };
        let deleted = &self.snapshot.deleted;
        let read = each_key(
            &self.catalog,
            self.recipe.as_ref(),
            run.low..run.high,
            &|number| !deleted.contains(number),
            &mut tick,
            &mut |key, number| {
                pairs += 1;
                sorter.push([key, number])
            },
        );
        self.watch = watch;
        read?;
        self.dir.need_space(KEY_FILES * (pairs * 7 + 8192) * 11 / 10)?;
        let first = self.take_files(KEY_FILES);
        let range = (run.low, run.high);
        build_keys(&self.dir, first, run.scheme.restart(), range, &sorter.finish())
            .inspect_err(|_| self.drop_files(first, KEY_FILES))
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
