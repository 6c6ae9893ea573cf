//! Batches, and deletions of many documents.

use nddb_format::record::{Archive, Batch, BatchState, Range, RangeState, Record};

use super::{Label, Writer};
use crate::store::catalog::Commit;
use crate::{Error, Result};

/// Rows of one commit of long work.
const CHUNK: usize = 10_000;

impl Writer {
    /// Has all documents from now on belong to the batch `name`. Those of a pending batch stay invisible
    /// until [`Writer::commit_batch`].
    ///
    /// # Errors
    /// [`Error::Batch`] if the batch exists and is not of this kind; errors of [`Writer::commit`] for what
    /// is staged.
    pub fn label(&mut self, name: &str, pending: bool) -> Result<()> {
        self.commit()?;
        if name.is_empty() || name.len() > 1024 {
            return Err(Error::Batch { name: name.chars().take(80).collect(), why: "has no name of 1 to 1024 bytes" });
        }
        let state = if pending { BatchState::Pending } else { BatchState::Open };
        let refuse = |why| Err(Error::Batch { name: name.into(), why });
        self.label = Some(match self.find_batch(name)? {
            None => {
                let batch = Batch { number: self.counters.next_batch, state };
                Label { name: name.into(), batch, new: true }
            }
            Some(batch) if batch.state == state => Label { name: name.into(), batch, new: false },
            Some(Batch { state: BatchState::Cancelled, .. }) => return refuse("was cancelled: choose another name"),
            Some(_) if pending => return refuse("exists and is visible already: it cannot become pending"),
            Some(_) => return refuse("is pending: add to it with --pending, or commit it first"),
        });
        Ok(())
    }

    /// Has documents from now on belong to no batch.
    ///
    /// # Errors
    /// As [`Writer::commit`], for what is staged.
    pub fn unlabel(&mut self) -> Result<()> {
        self.commit()?;
        self.label = None;
        Ok(())
    }

    /// Number of the batch that documents belong to.
    pub(in crate::store) fn batch_number(&self) -> Option<u32> {
        self.label.as_ref().map(|label| label.batch.number)
    }

    /// Whether documents belong to a pending batch.
    pub(in crate::store) fn is_pending(&self) -> bool {
        self.label.as_ref().is_some_and(|label| label.batch.state == BatchState::Pending)
    }

    /// The batch that documents belong to, if the catalog does not know it yet.
    pub(in crate::store) fn new_batch(&self) -> Option<(&str, Batch)> {
        self.label.as_ref().filter(|label| label.new).map(|label| (&label.name[..], label.batch))
    }

    /// The catalog knows the batch from now on.
    pub(in crate::store) fn batch_is_known(&mut self) {
        if let Some(label) = &mut self.label {
            label.new = false;
        }
    }

    fn find_batch(&self, name: &str) -> Result<Option<Batch>> {
        Ok(self.catalog.batches()?.into_iter().find(|(known, _)| known == name).map(|(_, batch)| batch))
    }

    fn known_batch(&self, name: &str) -> Result<Batch> {
        self.find_batch(name)?.ok_or_else(|| Error::Batch { name: name.into(), why: "does not exist" })
    }

    /// All batches by name, with the number of their live documents.
    ///
    /// # Errors
    /// Damage of the catalog.
    pub fn batches(&self) -> Result<Vec<(String, Batch, u64)>> {
        self.view().batches()
    }

    /// Makes the documents of a pending batch visible, and deletes what they replace. Returns how many
    /// became visible.
    ///
    /// # Errors
    /// [`Error::Batch`] if it is not pending; errors of the disk.
    pub fn commit_batch(&mut self, name: &str) -> Result<u64> {
        let batch = self.pending_batch(name)?;
        let replaced = self.catalog.replaced(Some(batch.number))?;
        let generation = self.snapshot.manifest.generation;
        let mut counters = self.counters;
        counters.commits += 1;
        let mut commit = self.catalog.begin();
        for &(owner, number) in &replaced {
            // A compaction may have dropped it meanwhile, and all that was known of it.
            if !self.snapshot.deleted.contains(number) && self.catalog.print(number)?.is_some() {
                commit.delete(generation, number);
                counters.live -= 1;
            }
            commit.forget_replaced(owner, number);
        }
        // A load that did not finish left a cancelled range: that stays so.
        for (low, range) in self.ranges_of(batch.number)? {
            if range.state == RangeState::Pending {
                commit.range(low, &Range { state: RangeState::Committed, ..range });
            }
        }
        commit.batch(name, &Batch { state: BatchState::Open, ..batch });
        commit.counters(&counters);
        let written = commit.write();
        self.guard(written)?;
        self.counters = counters;
        let reloaded = self.reload();
        self.guard(reloaded)?;
        Ok(self.numbers_of(batch.number)?.len() as u64)
    }

    /// Deletes the documents of a pending batch. Returns how many there were.
    ///
    /// # Errors
    /// [`Error::Batch`] if it is not pending; errors of the disk.
    pub fn cancel_batch(&mut self, name: &str) -> Result<u64> {
        let batch = self.pending_batch(name)?;
        let gone = self.numbers_of(batch.number)?.len() as u64;
        let mut counters = self.counters;
        counters.commits += 1;
        counters.live -= gone;
        let mut commit = self.catalog.begin();
        for (owner, number) in self.catalog.replaced(Some(batch.number))? {
            commit.forget_replaced(owner, number);
        }
        for (low, range) in self.ranges_of(batch.number)? {
            commit.range(low, &Range { state: RangeState::Cancelled, ..range });
        }
        self.start_archives_again(&mut commit)?;
        commit.batch(name, &Batch { state: BatchState::Cancelled, ..batch });
        commit.counters(&counters);
        let written = commit.write();
        self.guard(written)?;
        self.counters = counters;
        let reloaded = self.reload();
        self.guard(reloaded)?;
        Ok(gone)
    }

    /// Forgets how far archives were read that were not read to their end: what is deleted may have come
    /// from them, and reading a page again is harmless.
    fn start_archives_again(&self, commit: &mut Commit<'_>) -> Result<()> {
        for (number, archive) in self.catalog.archives()?.into_iter().filter(|(_, archive)| !archive.finished) {
            commit.archive(number, &Archive { offset: 0, inner: 0, ..archive });
        }
        Ok(())
    }

    fn pending_batch(&mut self, name: &str) -> Result<Batch> {
        self.commit()?;
        let batch = self.known_batch(name)?;
        if batch.state != BatchState::Pending {
            return Err(Error::Batch { name: name.into(), why: "is not pending" });
        }
        if self.batch_number() == Some(batch.number) {
            self.label = None;
        }
        Ok(batch)
    }

    fn ranges_of(&self, batch: u32) -> Result<Vec<(u64, Range)>> {
        Ok(self.catalog.ranges()?.into_iter().filter(|(_, range)| range.batch == batch).collect())
    }

    /// The numbers of a batch that are not deleted, pending ones included.
    fn numbers_of(&self, batch: u32) -> Result<Vec<u64>> {
        self.view().numbers_of_batch(batch)
    }

    /// Deletes all documents of a batch that is not pending. Returns how many there were.
    ///
    /// # Errors
    /// [`Error::Batch`] if there is no such batch or it is pending; errors of the disk.
    pub fn delete_batch(&mut self, name: &str) -> Result<u64> {
        self.commit()?;
        let batch = self.known_batch(name)?;
        if batch.state == BatchState::Pending {
            return Err(Error::Batch { name: name.into(), why: "is pending: cancel it instead" });
        }
        let numbers = self.numbers_of(batch.number)?;
        let mut commit = self.catalog.begin();
        self.start_archives_again(&mut commit)?;
        let written = commit.write();
        self.guard(written)?;
        self.delete_numbers(&numbers)
    }

    /// Deletes all visible documents of a site. Returns how many there were.
    ///
    /// # Errors
    /// Errors of the disk; damage of the catalog.
    pub fn delete_site(&mut self, site: &str) -> Result<u64> {
        self.commit()?;
        let numbers = self.view().numbers_of_site(site)?;
        self.delete_numbers(&numbers)
    }

    fn delete_numbers(&mut self, numbers: &[u64]) -> Result<u64> {
        for chunk in numbers.chunks(CHUNK) {
            self.group.deleted.extend(chunk);
            self.commit()?;
        }
        Ok(numbers.len() as u64)
    }
}

impl crate::store::view::View<'_> {
    /// All batches by name, with the number of their documents that are not deleted.
    ///
    /// # Errors
    /// Damage of the catalog.
    pub fn batches(&self) -> Result<Vec<(String, Batch, u64)>> {
        let batches = self.catalog.batches()?;
        batches
            .into_iter()
            .map(|(name, batch)| Ok((name, batch, self.numbers_of_batch(batch.number)?.len() as u64)))
            .collect()
    }

    /// The numbers of a batch that are not deleted, pending ones included.
    pub(crate) fn numbers_of_batch(&self, batch: u32) -> Result<Vec<u64>> {
        let mut numbers = Vec::new();
        for (low, range) in self.catalog.ranges()? {
            // What a load has not committed does not belong to it yet.
            if range.batch == batch && range.state != RangeState::Loading {
                self.catalog.prints(low, &mut |number, _| {
                    if number < range.high && !self.snapshot.deleted.contains(number) {
                        numbers.push(number);
                    }
                    Ok(number < range.high)
                })?;
            }
        }
        Ok(numbers)
    }

    /// The numbers of the visible documents of a site: reads all records.
    pub(crate) fn numbers_of_site(&self, site: &str) -> Result<Vec<u64>> {
        let mut numbers = Vec::new();
        self.catalog.all_records(0, &mut |number, value| {
            let head = Record::head_of(value).map_err(Error::format(&self.dir.catalog()))?;
            if head.site == Some(site) && self.snapshot.is_live(number) {
                numbers.push(number);
            }
            Ok(true)
        })?;
        Ok(numbers)
    }

    /// How many visible documents a site has.
    ///
    /// # Errors
    /// Damage of the catalog.
    pub fn count_of_site(&self, site: &str) -> Result<u64> {
        Ok(self.numbers_of_site(site)?.len() as u64)
    }
}
