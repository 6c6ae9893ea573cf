//! Storing a sequence: its new documents become an interval (SPEC 9.8).

use std::collections::BTreeMap;
use std::ops::Range;

use nddb_format::record::{self, GROUP, IntervalGroup};

use super::sequence::{LEN_MIN, Sequence};
use super::{BulkLoad, Joined, LoadPart, LoadStart, Loaded, Repeat, STEP};
use crate::catalog::{Family, Holding, RowOptions, SortedFile, SortedRows};
use crate::ranges::contains_all;
use crate::runs::contents::Contents;
use crate::write::writer::{SameId, Writer};
use crate::{Error, Result};

/// Maximum number of documents that one part of a sequence may replace. One write marks them as deleted, with up to a
/// row for each.
const REPLACED_MAX: u64 = 1 << 22;

impl BulkLoad<'_> {
    /// Ends the sequence: a long one is written after the chunk, a short one becomes part of it.
    pub(super) fn end_sequence(&mut self) -> Result<()> {
        let Some(sequence) = self.sequence.take() else { return Ok(()) };
        if sequence.len() < LEN_MIN {
            self.collect_all(&sequence, 0..sequence.len());
            return Ok(());
        }
        // The progress of archives is recorded when all documents before it are stored.
        let archives = std::mem::take(&mut self.archives);
        let outcome = self.write_sequence(&sequence);
        self.guard(outcome)?;
        self.archives = archives;
        Ok(())
    }

    fn collect_all(&mut self, sequence: &Sequence, indexes: Range<usize>) {
        indexes.for_each(|index| self.collect(&sequence.document(index), None, sequence.input()));
    }

    /// Stores the documents of a sequence that are not stored yet.
    fn write_sequence(&mut self, sequence: &Sequence) -> Result<()> {
        let (mut start, mut joined) = (0, Joined::default());
        for stretch in sequence.stretches(STEP) {
            self.writer.report("look up ids", stretch.start as u64, Some(sequence.len() as u64), "documents")?;
            let end = stretch.end;
            for (index, known) in self.writer.known_in(sequence, stretch)? {
                match known {
                    Some(known) => {
                        if self.writer.supersede(&known, self.start.first, &mut joined)? {
                            self.loaded.note_repeat(|| Repeat { id: sequence.id(index), input: sequence.input() });
                        }
                    }
                    None => {
                        self.write_part(sequence, start..index, std::mem::take(&mut joined))?;
                        start = index + 1;
                        self.loaded.unchanged += 1;
                    }
                }
            }
            if joined.deleted.len() + joined.replaced.len() >= REPLACED_MAX {
                self.write_part(sequence, start..end, std::mem::take(&mut joined))?;
                start = end;
            }
        }
        self.write_part(sequence, start..sequence.len(), joined)
    }

    fn write_part(&mut self, sequence: &Sequence, indexes: Range<usize>, joined: Joined) -> Result<()> {
        if indexes.len() < LEN_MIN {
            self.collect_all(sequence, indexes);
            return self.write_full();
        }
        self.write_chunk()?;
        let start = self.start;
        self.store(|writer, loaded| writer.write_interval(sequence, (indexes, start), &joined, loaded))
    }
}

impl Writer {
    /// Returns the documents of a stretch whose ids are stored: for each index, the document that is replaced, or
    /// `None` if the same document is already stored.
    fn known_in(&self, sequence: &Sequence, stretch: Range<usize>) -> Result<Vec<(usize, Option<SameId>)>> {
        let deleted = &self.snapshot().deleted;
        let are_deleted = |numbers| contains_all(deleted, numbers);
        let holding = self.catalog().holding(sequence.prefix(), &sequence.ordinals(&stretch), &are_deleted)?;
        let mut all = Vec::new();
        match holding {
            Holding::None => return Ok(all),
            Holding::All(first) if self.snapshot().are_all_live(first..first + stretch.len() as u64) => {
                return self.compared(sequence, stretch, first);
            }
            Holding::All(_) | Holding::Some => {}
        }
        let mut ids = self.catalog().ids();
        for index in stretch {
            let known = self.known(&mut ids, &sequence.id(index))?;
            if known.is_empty() {
                continue;
            }
            let is_stored = match known.current() {
                Some(number) => self.is_stored(&sequence.document(index), number)?,
                None => false,
            };
            all.push((index, (!is_stored).then_some(known)));
        }
        Ok(all)
    }

    /// Like [`Writer::known_in`], for a stretch whose documents are stored with the consecutive numbers from `first`
    /// on.
    fn compared(&self, sequence: &Sequence, stretch: Range<usize>, first: u64) -> Result<Vec<(usize, Option<SameId>)>> {
        let mut rest = stretch.clone();
        let mut all = Vec::with_capacity(stretch.len());
        self.catalog().prints(first, &mut |number, print| {
            let Some(index) = rest.next() else { return Ok(false) };
            let is_stored = print.fingerprint == sequence.fingerprints()[index];
            all.push((index, (!is_stored).then(|| SameId::visible_one(number))));
            Ok(!rest.is_empty())
        })?;
        if rest.is_empty() {
            return Ok(all);
        }
        let what = format!("lacks the print of document {}", first + (rest.start - stretch.start) as u64);
        Err(Error::Inconsistent { path: self.catalog().path().to_owned(), what })
    }

    /// Stores documents of a sequence as an interval, given where the load began.
    fn write_interval(
        &mut self,
        sequence: &Sequence,
        (indexes, start): (Range<usize>, LoadStart),
        joined: &Joined,
        loaded: &mut Loaded,
    ) -> Result<()> {
        self.announce_intervals()?;
        let low = self.counters().next_number;
        let interval = sequence.interval(&indexes, low);
        let high = interval.high;
        self.reserve(low, high)?;
        let fingerprints = &sequence.fingerprints()[indexes];
        let files = self.write_groups(low, fingerprints)?;
        let pairs = fingerprints.iter().copied().zip(low..).collect();
        let contents = Contents { pairs, ..Contents::default() };
        let labels = sequence.batch().map(|batch| (low..high, batch)).into_iter().collect();
        let part = LoadPart {
            start,
            low,
            high,
            documents: high - low,
            unprinted: 0,
            labels,
            files,
            interval: Some(interval),
            contents,
        };
        self.store_part(part, joined, &BTreeMap::new(), loaded)
    }

    /// Writes the prints of consecutive numbers as sorted files beside the catalog.
    fn write_groups(&mut self, first: u64, fingerprints: &[u64]) -> Result<Vec<SortedFile>> {
        let scratch = self.view().dir.scratch()?;
        let options = RowOptions::new(Family::Prints);
        let mut rows = SortedRows::create(&scratch, &options, first);
        let (mut number, mut rest) = (first, fingerprints);
        while !rest.is_empty() {
            if (number - first) % (STEP as u64) < GROUP {
                self.report("write records", number - first, Some(fingerprints.len() as u64), "documents")?;
            }
            let (group, after) = rest.split_at(rest.len().min((GROUP - number % GROUP) as usize));
            rows.put(&record::number_key(number), &IntervalGroup::encode(group))?;
            number += group.len() as u64;
            rest = after;
        }
        Ok(rows.finish()?.into_iter().collect())
    }

    /// Publishes that the catalog may have intervals, so that readers without support for them refuse the database.
    fn announce_intervals(&mut self) -> Result<()> {
        if self.snapshot().manifest.intervals {
            return Ok(());
        }
        let mut manifest = self.snapshot().manifest.clone();
        manifest.intervals = true;
        self.publish(manifest, 0..0)
    }
}
