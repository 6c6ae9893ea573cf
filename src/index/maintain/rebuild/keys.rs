//! Rebuilding the key table and the summaries of a run from the records of its documents.

use nddb_format::digest::Digest;
use nddb_format::keys::KEY_FILES;
use nddb_format::manifest::{FileEntry, KeyTable, RunEntry};
use roaring::RoaringTreemap;

use super::{Rebuild, beyond_repair};
use crate::maintain::check::{
    open_postings, open_segment, open_summaries, unless_damaged, verify_paged, verify_segment,
};
use crate::runs::build::build_keys;
use crate::runs::build::key_size;
use crate::runs::records::Records;
use crate::runs::summaries::write_summaries;
use crate::{Error, Result};

impl Rebuild<'_> {
    /// Returns the key table of a run: the existing one if it is sound and agrees with the records of the documents,
    /// else a new one.
    pub(super) fn mend_keys(&mut self, run: &RunEntry) -> Result<Option<KeyTable>> {
        let mut all = Digest::default();
        let mut add = |key, number| {
            all.add_pair(key, number);
            Ok(())
        };
        self.read_keys(run, |records| records.each_key(&mut add))?;
        let sound = match run.key_run().map_err(Error::format(self.dir.root()))? {
            Some(keys) => self.live_keys(&keys)? == Some(all),
            None => all == Digest::default(),
        };
        if sound { Ok(run.keys) } else { self.make_keys(run) }
    }

    /// Returns the digest of the keys of live documents in a key table; `None` if it is damaged.
    fn live_keys(&self, keys: &RunEntry) -> Result<Option<Digest>> {
        let table = unless_damaged(open_segment(self.dir, keys, 0))?;
        let postings = unless_damaged(open_postings(self.dir, keys))?;
        let (Some(table), Some(postings)) = (table, postings) else { return Ok(None) };
        let sound = verify_segment(&table, &keys.segments[0], self.ticker)?.is_empty()
            && verify_paged(&postings, &keys.postings, &|| postings.verify(), self.ticker)?.is_empty();
        Ok(if sound { self.live_pairs(keys)?.map(|live| live.pairs) } else { None })
    }

    /// Builds the key table of a run from the records of all its live documents.
    pub(super) fn make_keys(&mut self, run: &RunEntry) -> Result<Option<KeyTable>> {
        let folder = self.dir.scratch()?;
        let memory_limit = self.options.memory_limit;
        let (keys, pairs) = self.read_keys(run, |records| records.sorted_keys(&folder, memory_limit))?;
        self.dir.need_space(key_size(pairs))?;
        let first = self.take_files(KEY_FILES);
        let keys = build_keys(self.dir, first, run.scheme.restart(), (run.low, run.high), &keys)?;
        self.rebuilt.key_tables += u64::from(keys.is_some());
        Ok(keys)
    }

    /// Returns the summaries of a run: the existing ones if they are sound and agree with the records of the documents,
    /// else new ones.
    pub(super) fn mend_summaries(&mut self, run: &RunEntry) -> Result<Option<FileEntry>> {
        // A run may lack some summaries, or all.
        let Some(file) = &run.summaries else { return Ok(None) };
        if let Some((held, numbers)) = self.live_summaries(run, file)? {
            let mut want = Digest::default();
            self.read_keys(run, |records| {
                records.each_summary(&mut |number, summary| {
                    if numbers.contains(number) {
                        want.add_pair(crc32fast::hash(summary).into(), number);
                    }
                    Ok(())
                })
            })?;
            if held == want {
                return Ok(run.summaries);
            }
        }
        self.rebuilt.summaries += 1;
        self.make_summaries(run)
    }

    /// Returns the digest of the summaries of live documents in a file, and their numbers; `None` if it is damaged.
    fn live_summaries(&self, run: &RunEntry, file: &FileEntry) -> Result<Option<(Digest, RoaringTreemap)>> {
        let Some(summaries) = unless_damaged(open_summaries(self.dir, run, file))? else { return Ok(None) };
        if !verify_paged(summaries.file(), file, &|| summaries.file().verify(), self.ticker)?.is_empty() {
            return Ok(None);
        }
        let (mut held, mut numbers) = (Digest::default(), RoaringTreemap::new());
        let add = &mut |number, summary: &[u8]| {
            held.add_pair(crc32fast::hash(summary).into(), number);
            numbers.insert(number);
            Ok(())
        };
        let read = summaries.each(&|number| self.state.is_counted(number), add, &mut |_, _| ());
        Ok(read.is_ok().then_some((held, numbers)))
    }

    /// Writes the summaries of a run from the records of all its live documents.
    pub(super) fn make_summaries(&mut self, run: &RunEntry) -> Result<Option<FileEntry>> {
        let (number, range) = (self.take_files(1), (run.low, run.high));
        let written = self
            .read_keys(run, |records| write_summaries(self.dir, number, range, &|sink| records.each_summary(sink)))?;
        Ok(written.map(|(file, _)| file))
    }

    /// Reads the records of the live documents of a run.
    fn read_keys<T>(&self, run: &RunEntry, read: impl FnOnce(&Records<'_, '_>) -> Result<T>) -> Result<T> {
        self.ticker.start("read records", None, "documents")?;
        let (kinds, range) = (self.state.kinds, (run.low, run.high));
        let keeps = &|number| self.state.is_counted(number);
        let records = Records { catalog: self.catalog, kinds, range, keeps, ticker: self.ticker };
        read(&records).map_err(|error| beyond_repair(self.dir, error))
    }
}
