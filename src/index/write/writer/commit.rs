//! Commit: all staged changes become durable and visible in one synced write, and only then are acknowledged.

use nddb_format::record::Archive;

use super::Writer;
use super::group::CommitGroup;
use crate::Result;
use crate::keys::summary_of;

impl Writer {
    /// Makes all staged changes durable, as one step, and visible to every reader that refreshes.
    ///
    /// # Errors
    /// Errors of the disk. If the memtable was full and could not be flushed, nothing has been written and the
    /// staged changes stay staged; after a failed write the writer answers only
    /// [`Error::Poisoned`](crate::Error::Poisoned).
    pub fn commit(&mut self) -> Result<()> {
        self.ready()?;
        self.make_room()?;
        if !self.group.is_empty() {
            let group = std::mem::replace(&mut self.group, CommitGroup::new(&self.settings));
            let outcome = self.write_group(&group);
            self.guard(outcome)?;
        }
        // The commit is durable, whatever the outcome of this. A writer that must not go on says so at the next call.
        let _ = self.remove_retired(false);
        Ok(())
    }

    fn write_group(&mut self, group: &CommitGroup) -> Result<()> {
        let generation = self.snapshot.manifest.generation;
        let low = self.counters.next_number;
        let high = low + group.documents.len() as u64;
        let mut counters = self.counters;
        counters.next_number = high;
        counters.commits += 1;
        let mut commit = self.catalog.begin();
        let kept = || group.documents.iter().filter(|staged| !group.abandoned.contains(&staged.number));
        let mut record = Vec::new();
        for staged in kept() {
            record.clear();
            staged.document.record.encode_into(&mut record);
            commit.document(staged.number, &staged.print, &staged.id, &record);
            if staged.print.unprinted {
                commit.keys(staged.number, &staged.keys);
            }
            counters.live += 1;
        }
        commit.delete(generation, &group.deleted);
        counters.live -= group.deleted.len();
        let range = self.new_range(high).filter(|_| high > low);
        if let Some(range) = range {
            if let Some((name, batch)) = self.new_batch() {
                commit.batch(name, &batch);
                counters.next_batch = counters.next_batch.max(batch.number + 1);
            }
            let (row, range) = self.snapshot.ranges.row_for(low, range);
            commit.range(row, &range);
            commit.replaced(range.batch, &group.replaced);
        }
        commit.counters(&counters);
        commit.write()?;
        self.counters = counters;
        self.unfolded += group.deleted.len();
        if let Some(range) = range {
            self.batch_is_known();
            self.snapshot.ranges.extend(low, range);
        }
        let mut summary = record;
        for staged in kept() {
            if staged.print.unprinted {
                self.snapshot.note_key_rows(&staged.keys);
            } else {
                self.snapshot.memtable.insert(staged.print.fingerprint, staged.number);
                self.snapshot.memtable.insert_keys(staged.number, staged.keys.stored());
                summary.clear();
                let (fingerprint, record) = (staged.print.fingerprint, &staged.document.record);
                summary_of(fingerprint, record, self.kinds).encode_into(&mut summary);
                self.snapshot.memtable.insert_summary(staged.number, &summary);
            }
        }
        self.snapshot.deleted |= &group.deleted;
        self.snapshot.seen = high;
        Ok(())
    }

    /// Changes the paths of archives that were moved, in one commit, so that their pages can be read again. Numbers of
    /// no archive are ignored.
    ///
    /// # Errors
    /// Errors of the disk; errors of [`Writer::commit`] for staged documents.
    pub fn move_archives(&mut self, paths: &[(u32, String)]) -> Result<()> {
        self.commit()?;
        let mut counters = self.counters;
        counters.commits += 1;
        let mut commit = self.catalog.begin();
        for (number, path) in paths {
            if let Some(archive) = self.catalog.archive(*number)? {
                commit.archive(*number, &Archive { path: path.clone(), ..archive });
            }
        }
        commit.counters(&counters);
        let written = commit.write();
        self.guard(written)?;
        self.counters = counters;
        Ok(())
    }
}
