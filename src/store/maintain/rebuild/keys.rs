//! Rebuilding the key table of a run from the records of its documents.

use nddb_format::digest::Digest;
use nddb_format::keys::KEY_FILES;
use nddb_format::manifest::{KeyTable, RunEntry};

use super::{ROWS, Rebuild, beyond_repair};
use crate::spill::sort::Sorter;
use crate::store::maintain::check::{Joined, open_postings, open_segment, verify_postings, verify_segment};
use crate::store::runs::keys::{self, build_keys};
use crate::{Error, Result};

impl Rebuild<'_> {
    /// Returns the key table of a run: the present one if it is sound and holds what the records of the documents
    /// say, or a new one.
    pub(super) fn mend_keys(&mut self, run: &RunEntry) -> Result<Option<KeyTable>> {
        let keyed = self.manifest.keyed.unwrap_or(u64::MAX);
        // Of documents below `keyed` a key table has all, once an upgrade has made it, or none.
        let (mut all, mut late) = (Digest::default(), Digest::default());
        self.each_key(run, &mut |key, number| {
            all.add_pair(key, number);
            if number >= keyed {
                late.add_pair(key, number);
            }
            Ok(())
        })?;
        let sound = match run.key_run().map_err(Error::format(self.dir.root()))? {
            Some(keys) => self.live_keys(&keys)?.is_some_and(|held| held == all || held == late),
            None => late == Digest::default(),
        };
        if sound { Ok(run.keys) } else { self.make_keys(run) }
    }

    /// Returns the digest of the keys of live documents in a key table; `None` if it is damaged.
    fn live_keys(&self, keys: &RunEntry) -> Result<Option<Digest>> {
        let (Ok(table), Ok(postings)) = (open_segment(self.dir, keys, 0), open_postings(self.dir, keys)) else {
            return Ok(None);
        };
        let run = Joined { entry: keys, table: &table, postings: &postings };
        let sound = verify_segment(&table, &keys.segments[0], self.ticker)?.is_empty()
            && verify_postings(&postings, &keys.postings, self.ticker)?.is_empty()
            && run.verify(self.ticker)?.is_empty();
        if !sound {
            return Ok(None);
        }
        let mut held = Digest::default();
        let mut add = |key, number| {
            if self.state.is_counted(number) {
                held.add_pair(key, number);
            }
            Ok(())
        };
        run.each_pair(&mut add, self.ticker)?;
        Ok(Some(held))
    }

    /// Builds the key table of a run from the records of all its live documents.
    pub(super) fn make_keys(&mut self, run: &RunEntry) -> Result<Option<KeyTable>> {
        let mut sorter = Sorter::new(&self.dir.scratch()?, self.options.memory_limit);
        let mut pairs = 0;
        self.each_key(run, &mut |key, number| {
            pairs += 1;
            sorter.push([key, number])
        })?;
        self.dir.need_space(KEY_FILES * (pairs * 7 + 8192) * 11 / 10)?;
        let first = self.take_files(KEY_FILES);
        let keys = build_keys(self.dir, first, run.scheme.restart(), (run.low, run.high), &sorter.finish())?;
        self.rebuilt.key_tables += u64::from(keys.is_some());
        Ok(keys)
    }

    /// Removes the rows of keys that the new runs hold: a lost manifest may have been of version 1.
    pub(super) fn forget_key_rows(&self) -> Result<()> {
        keys::forget_key_rows(self.catalog).map_err(|error| beyond_repair(self.dir, error))
    }

    /// Calls `visit` with each stored key of the live printed documents of a run, once for each document.
    fn each_key(&self, run: &RunEntry, visit: &mut dyn FnMut(u64, u64) -> Result<()>) -> Result<()> {
        if self.manifest.keyed.is_none() {
            return Ok(());
        }
        self.ticker.start("read records", None, "documents")?;
        let mut rows = 0;
        let mut tick = || {
            rows += 1;
            if rows % ROWS == 0 { self.ticker.add(ROWS) } else { Ok(()) }
        };
        let (recipe, range) = (self.state.recipe.as_ref(), run.low..run.high);
        let is_live = |number| self.state.is_counted(number);
        keys::each_key(self.catalog, recipe, range, &is_live, &mut tick, visit)
            .map_err(|error| beyond_repair(self.dir, error))
    }
}
