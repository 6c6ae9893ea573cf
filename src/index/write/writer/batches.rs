//! Batches, and deletions of many documents.
//!
//! A pending batch is committed in three steps: one synced write makes its ranges visible and marks it as being
//! committed, which deletes the documents that it replaces (rows `02`); further ones turn these rows into deletions;
//! the last one opens the batch. If it is cancelled instead, its ranges are, and its rows `02` are removed.

use std::collections::BTreeSet;

use nddb_format::record::{Archive, Batch, BatchState, Head, Range, RangeState, Record};

use roaring::RoaringTreemap;

use super::{Label, Writer};
use crate::catalog::Commit;
use crate::{Error, Result};

/// Number of rows in one commit of long work.
const CHUNK: usize = 10_000;

impl Writer {
    /// Assigns all later documents to the batch `name`. Those of a pending batch stay invisible until
    /// [`Writer::commit_batch`].
    ///
    /// # Errors
    /// [`Error::Batch`] if the batch exists in another state; errors of [`Writer::commit`] for staged documents.
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
            Some(_) => return refuse("is pending: add to it as pending, or commit it first"),
        });
        Ok(())
    }

    /// Assigns later documents to no batch.
    ///
    /// # Errors
    /// Errors of [`Writer::commit`], for staged documents.
    pub fn unlabel(&mut self) -> Result<()> {
        self.commit()?;
        self.label = None;
        Ok(())
    }

    /// Returns whether the current batch has this name; an empty name means no batch.
    pub(crate) fn is_labelled(&self, name: &str) -> bool {
        self.label.as_ref().map_or("", |label| &label.name) == name
    }

    /// Returns the number of the current batch.
    pub(crate) fn batch_number(&self) -> Option<u32> {
        self.label.as_ref().map(|label| label.batch.number)
    }

    /// Returns whether the current batch is pending.
    pub fn is_pending(&self) -> bool {
        self.label.as_ref().is_some_and(|label| label.batch.state == BatchState::Pending)
    }

    /// Returns the current batch, if it is not in the catalog yet.
    pub(crate) fn new_batch(&self) -> Option<(&str, Batch)> {
        self.label.as_ref().filter(|label| label.new).map(|label| (&label.name[..], label.batch))
    }

    /// Records that the catalog has the batch.
    pub(crate) fn batch_is_known(&mut self) {
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

    /// Returns all batches by name, with the number of their live documents.
    ///
    /// # Errors
    /// Damage of the catalog.
    pub fn batches(&self) -> Result<Vec<(String, Batch, u64)>> {
        self.view().batches()
    }

    /// Makes the documents of a pending batch visible, and deletes those that they replace. Returns the number of
    /// documents that became visible.
    ///
    /// # Errors
    /// [`Error::Batch`] if it is not pending; errors of the disk.
    pub fn commit_batch(&mut self, name: &str) -> Result<u64> {
        let batch = self.pending_batch(name)?;
        let mut replaced = RoaringTreemap::new();
        self.catalog.replaced(batch.number, 0, &mut |numbers| {
            for number in numbers.start..numbers.end.min(self.counters.next_number) {
                // A compaction may have dropped it meanwhile, with all its rows.
                if !self.snapshot.deleted.contains(number) && self.catalog.is_there(number)? {
                    replaced.insert(number);
                }
            }
            Ok(true)
        })?;
        let mut counters = self.counters;
        counters.commits += 1;
        counters.live -= replaced.len();
        let mut commit = self.catalog.begin();
        self.change_ranges(&mut commit, batch.number, RangeState::Committed)?;
        // The documents that it replaces are deleted from now on, each as soon as its row is written.
        commit.batch(name, &Batch { state: BatchState::Committing, ..batch });
        commit.counters(&counters);
        let written = commit.write();
        self.guard(written)?;
        self.counters = counters;
        let pending = |range: &Range| range.batch == batch.number && range.state == RangeState::Pending;
        self.snapshot.ranges.change(pending, RangeState::Committed);
        self.snapshot.deleted |= replaced;
        let ended = self.end_batch(name, batch);
        self.guard(ended)?;
        self.view().count_of_batch(batch.number)
    }

    /// Deletes the documents of a pending batch. Returns their number.
    ///
    /// # Errors
    /// [`Error::Batch`] if it is not pending; errors of the disk.
    pub fn cancel_batch(&mut self, name: &str) -> Result<u64> {
        let batch = self.pending_batch(name)?;
        let gone = self.view().count_of_batch(batch.number)?;
        let mut counters = self.counters;
        counters.commits += 1;
        counters.live -= gone;
        let mut commit = self.catalog.begin();
        self.change_ranges(&mut commit, batch.number, RangeState::Cancelled)?;
        self.start_archives_again(&mut commit, &|_| false)?;
        commit.batch(name, &Batch { state: BatchState::Cancelled, ..batch });
        commit.counters(&counters);
        let written = commit.write();
        self.guard(written)?;
        self.counters = counters;
        let pending = |range: &Range| range.batch == batch.number && range.state == RangeState::Pending;
        self.snapshot.ranges.change(pending, RangeState::Cancelled);
        for numbers in self.snapshot.ranges.in_state(RangeState::Cancelled) {
            self.snapshot.deleted.insert_range(numbers);
        }
        let forgotten = self.forget_replaced(batch.number, None);
        self.guard(forgotten)?;
        Ok(gone)
    }

    /// Changes the state of the pending ranges of a batch. The cancelled range of a load that did not finish stays
    /// cancelled.
    fn change_ranges(&self, commit: &mut Commit<'_>, batch: u32, state: RangeState) -> Result<()> {
        for (low, range) in self.catalog.ranges()? {
            if range.batch == batch && range.state == RangeState::Pending {
                commit.range(low, &Range { state, ..range });
            }
        }
        Ok(())
    }

    /// Writes the deletions of a batch that is being committed, and its new state.
    fn end_batch(&mut self, name: &str, batch: Batch) -> Result<()> {
        self.forget_replaced(batch.number, Some(self.snapshot.manifest.generation))?;
        let mut commit = self.catalog.begin();
        commit.batch(name, &Batch { state: BatchState::Open, ..batch });
        commit.write()
    }

    /// Removes the rows of the documents that a batch replaces, a slice at a time; writes the deletions of a
    /// generation instead, if given.
    fn forget_replaced(&mut self, batch: u32, generation: Option<u64>) -> Result<()> {
        let mut from = 0;
        loop {
            let (mut commit, mut rows, mut deleted) = (self.catalog.begin(), 0, RoaringTreemap::new());
            // Starting from the beginning would mean skipping all rows that have been removed.
            self.catalog.replaced(batch, from, &mut |numbers| {
                commit.forget_replaced(batch, numbers.start);
                rows += 1;
                from = numbers.end;
                deleted.insert_range(numbers);
                Ok(rows < CHUNK)
            })?;
            if rows == 0 {
                return Ok(());
            }
            if let Some(generation) = generation {
                deleted &= &self.snapshot.deleted;
                commit.delete(generation, &deleted);
                self.unfolded += deleted.len();
            }
            commit.write()?;
            if rows < CHUNK {
                return Ok(());
            }
        }
    }

    /// Completes the batches that an earlier writer was committing or had cancelled.
    pub(super) fn end_batches(&mut self) -> Result<()> {
        for (name, batch) in self.catalog.batches()? {
            match batch.state {
                BatchState::Committing => self.end_batch(&name, batch)?,
                BatchState::Cancelled => self.forget_replaced(batch.number, None)?,
                BatchState::Open | BatchState::Pending => (),
            }
        }
        Ok(())
    }

    /// Makes later loads read some archives from the start: the selected ones, and those that were partly read, because
    /// deleted documents may have come from these. Reading a page again is harmless.
    fn start_archives_again(&self, commit: &mut Commit<'_>, are_selected: &dyn Fn(u32) -> bool) -> Result<()> {
        for (number, archive) in self.catalog.archives()? {
            if !archive.finished || are_selected(number) {
                commit.archive(number, &Archive { finished: false, offset: 0, inner: 0, ..archive });
            }
        }
        Ok(())
    }

    /// Returns the archives from which documents came; `None` if the archive of a document is unknown, as for sketches
    /// and bare fingerprints, whose records name no archive.
    fn origins(&self, numbers: &RoaringTreemap) -> Result<Option<BTreeSet<u32>>> {
        let read = self.catalog.archives()?.into_iter().filter(|(_, archive)| archive.documents > 0);
        let read: BTreeSet<u32> = read.map(|(number, _)| number).collect();
        let (mut origins, mut are_known, mut slice) = (BTreeSet::new(), true, Vec::new());
        let mut left = numbers.iter().peekable();
        while are_known && left.peek().is_some() {
            slice.clear();
            slice.extend(left.by_ref().take(CHUNK));
            self.catalog.records(&slice, &mut |_, value| {
                let record = Record::decode(value).map_err(Error::format(&self.dir.catalog()))?;
                match record.source.filter(|source| read.contains(&source.archive)) {
                    Some(source) => _ = origins.insert(source.archive),
                    None => are_known = false,
                }
                Ok(())
            })?;
        }
        Ok(are_known.then_some(origins))
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

    /// Deletes all documents of a batch that is not pending, and makes later loads read their archives again, or all
    /// archives if that of a document is unknown. Returns their number.
    ///
    /// # Errors
    /// [`Error::Batch`] if there is no such batch or it is pending; errors of the disk.
    pub fn delete_batch(&mut self, name: &str) -> Result<u64> {
        self.commit()?;
        let batch = self.known_batch(name)?;
        if batch.state == BatchState::Pending {
            return Err(Error::Batch { name: name.into(), why: "is pending: cancel it instead" });
        }
        let mut numbers = RoaringTreemap::new();
        self.view().numbers_of_batch(batch.number, &mut |number| _ = numbers.insert(number))?;
        let origins = self.origins(&numbers)?;
        let is_origin = |number: u32| origins.as_ref().is_none_or(|origins| origins.contains(&number));
        let mut commit = self.catalog.begin();
        self.start_archives_again(&mut commit, &is_origin)?;
        let written = commit.write();
        self.guard(written)?;
        self.delete_numbers(&numbers)
    }

    /// Deletes all visible documents of a site. Returns their number.
    ///
    /// # Errors
    /// Errors of the disk; damage of the catalog.
    pub fn delete_site(&mut self, site: &str) -> Result<u64> {
        self.delete_where(|head| head.site == Some(site))
    }

    /// Deletes all visible documents for which `is_meant` holds, given the head of their records. Returns their number.
    ///
    /// # Errors
    /// Errors of [`Writer::delete_site`].
    pub fn delete_where(&mut self, is_meant: impl Fn(&Head<'_>) -> bool) -> Result<u64> {
        self.commit()?;
        let mut numbers = RoaringTreemap::new();
        self.view().heads(&mut |number, head| {
            if is_meant(head) {
                numbers.insert(number);
            }
        })?;
        self.delete_numbers(&numbers)
    }

    fn delete_numbers(&mut self, numbers: &RoaringTreemap) -> Result<u64> {
        let mut left = numbers.iter().peekable();
        while left.peek().is_some() {
            self.group.deleted.extend(left.by_ref().take(CHUNK));
            self.commit()?;
        }
        Ok(numbers.len())
    }
}

impl crate::read::view::View<'_> {
    /// Returns all batches by name, with the number of their documents that are not deleted.
    ///
    /// # Errors
    /// Damage of the catalog.
    pub fn batches(&self) -> Result<Vec<(String, Batch, u64)>> {
        let batches = self.catalog.batches()?;
        batches
            .into_iter()
            .map(|(name, batch)| {
                let documents = self.count_of_batch(batch.number)?;
                let committing = batch.state == BatchState::Committing;
                let state = if committing { BatchState::Open } else { batch.state };
                Ok((name, Batch { state, ..batch }, documents))
            })
            .collect()
    }

    /// Visits the numbers of a batch that are not deleted, pending ones included.
    pub(crate) fn numbers_of_batch(&self, batch: u32, visit: &mut dyn FnMut(u64)) -> Result<()> {
        for (numbers, state, of) in self.snapshot.ranges.iter() {
            // Documents that a load has not committed do not belong to the batch yet.
            if of == batch && state != RangeState::Loading {
                self.catalog.prints(numbers.start, &mut |number, _| {
                    if number < numbers.end && !self.snapshot.deleted.contains(number) {
                        visit(number);
                    }
                    Ok(number < numbers.end)
                })?;
            }
        }
        Ok(())
    }

    fn count_of_batch(&self, batch: u32) -> Result<u64> {
        let mut documents = 0;
        self.numbers_of_batch(batch, &mut |_| documents += 1)?;
        Ok(documents)
    }

    /// Visits id, address and site of all visible documents, in the order of their numbers.
    ///
    /// # Errors
    /// Damage of the catalog.
    pub fn heads(&self, visit: &mut dyn FnMut(u64, &Head<'_>)) -> Result<()> {
        self.catalog.all_records(0, &mut |number, value| {
            if self.snapshot.is_live(number) {
                visit(number, &Record::head_of(value).map_err(Error::format(&self.dir.catalog()))?);
            }
            Ok(true)
        })
    }
}
