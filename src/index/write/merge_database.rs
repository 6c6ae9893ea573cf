//! Merging another database into this one.

use std::collections::HashMap;
use std::path::Path;

use nddb_format::Fingerprint;
use nddb_format::record::{Archive, Batch, BatchState, Record};

use super::load::{LoadKeys, Loaded};
use super::writer::Writer;
use crate::document::Document;
use crate::read::reader::Reader;
use crate::spill::parallel::each_in_order;
use crate::spill::progress::Progress;
use crate::{Error, Result};

/// Bytes of the rows that are read before a thread makes documents of them.
const TOGETHER: usize = 256 << 10;

impl Writer {
    /// Merges all visible documents of another database into this one; it must have the same recipe and bits, and the
    /// same or a greater k. The source is read as of now and never changed; its pending batches are left out. Its
    /// documents get the next numbers here, in their order; for equal ids the incoming document replaces the one here,
    /// unless the two are equal; then it takes no number. Batches of equal names are
    /// joined.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for other parameters; [`Error::SameDatabase`]; [`Error::Batch`] if a batch of this name is
    /// pending or cancelled here; [`Error::OutOfNumbers`]; damage of the source; errors of the disk. Documents
    /// committed by then stay; merging again continues.
    pub fn merge(&mut self, source: impl AsRef<Path>) -> Result<Loaded> {
        let path = source.as_ref();
        let source = Reader::open(path)?;
        let (ours, theirs) = (self.settings().clone(), source.view().settings().clone());
        for (what, database, requested) in [
            ("recipe", ours.recipe, theirs.recipe),
            ("fingerprint width", ours.bits.to_string(), theirs.bits.to_string()),
        ] {
            if database != requested {
                return Err(Error::Mismatch { what, database, requested });
            }
        }
        if ours.catalog == theirs.catalog {
            return Err(Error::SameDatabase { path: path.into() });
        }
        self.unlabel()?;
        let view = source.view();
        let batches = self.merge_batches(&view.catalog.batches()?)?;
        let archives = self.merge_archives(&view.catalog.archives()?)?;
        let (total, threads) = (view.catalog.counters()?.live, self.threads());
        let mut load = self.bulk_load()?;
        // Archives are registered first, because documents may refer to them from the first chunk on; their progress is
        // known only at the end.
        for (number, archive) in archives.values() {
            load.progress(*number, archive.ours.clone());
        }
        let keys = load.recall();
        let read = |give: &mut dyn FnMut(Vec<(u64, Vec<u8>)>) -> Result<()>| {
            let (mut rows, mut bytes) = (Vec::new(), 0);
            view.catalog.all_records(0, &mut |number, value| {
                if view.snapshot.is_live(number) && number < view.complete_to() {
                    rows.push((number, value.to_vec()));
                    bytes += size_of_val(&rows[0]) + value.len();
                    if bytes >= TOGETHER {
                        bytes = 0;
                        give(std::mem::take(&mut rows))?;
                    }
                }
                Ok(true)
            })?;
            give(rows)
        };
        let document = |(number, value): (u64, Vec<u8>)| -> Result<Option<(Document, Option<LoadKeys>)>> {
            let mut record = Record::decode(&value).map_err(Error::format(&view.dir.catalog()))?;
            record.batch = record.batch.and_then(|batch| batches.get(&batch).copied());
            if let Some(position) = &mut record.source {
                position.archive = archives.get(&position.archive).map_or(0, |(number, _)| *number);
            }
            let Some(print) = view.catalog.print(number)? else { return Ok(None) };
            let fingerprint = Fingerprint(print.fingerprint);
            let document = Document { fingerprint, unprinted: print.unprinted, sketched: false, record };
            let keys = (!document.record.is_bare()).then(|| keys.keys(&document));
            Ok(Some((document, keys)))
        };
        let work = |(): &mut (), rows: Vec<_>| rows.into_iter().filter_map(|row| document(row).transpose()).collect();
        let mut done = 0u64;
        each_in_order(
            threads,
            read,
            || (),
            work,
            |documents: Vec<_>| {
                done += documents.len() as u64;
                documents.into_iter().try_for_each(|(document, keys)| load.take(&document, keys))?;
                load.report(Progress { phase: "merge", done, total: Some(total), unit: "documents" })
            },
        )?;
        for (number, archive) in archives.into_values() {
            load.progress(number, archive.further);
        }
        load.finish()
    }

    /// Finds or creates the batches of another database here, by name. Returns a map from its numbers to ours.
    fn merge_batches(&mut self, theirs: &[(String, Batch)]) -> Result<HashMap<u32, u32>> {
        let ours: HashMap<String, Batch> = self.catalog().batches()?.into_iter().collect();
        let mut numbers = HashMap::new();
        let mut counters = *self.counters();
        let mut commit = self.catalog().begin();
        for (name, batch) in
            theirs.iter().filter(|(_, batch)| matches!(batch.state, BatchState::Open | BatchState::Committing))
        {
            let number = match ours.get(name) {
                Some(Batch { number, state: BatchState::Open }) => *number,
                Some(_) => return Err(Error::Batch { name: name.clone(), why: "is pending or cancelled here" }),
                None => {
                    let number = counters.next_batch;
                    counters.next_batch += 1;
                    commit.batch(name, &Batch { number, state: BatchState::Open });
                    number
                }
            };
            numbers.insert(batch.number, number);
        }
        if counters.next_batch > self.counters().next_batch {
            counters.commits += 1;
            commit.counters(&counters);
            let written = commit.write();
            self.guard(written)?;
            self.set_counters(counters);
        }
        Ok(numbers)
    }

    /// Finds or creates the archives of another database here. Returns them by its numbers.
    fn merge_archives(&mut self, theirs: &[(u32, Archive)]) -> Result<HashMap<u32, (u32, MergedArchive)>> {
        let unread = theirs.iter().map(|(_, archive)| archive.clone().again());
        let ours = self.archives(unread.collect(), &|_| false)?;
        let further = |known: Archive, archive: &Archive| {
            if known.finished || known.documents > archive.documents { known } else { archive.clone() }
        };
        let numbers = theirs.iter().zip(ours);
        let merged =
            |known: Archive, archive: &Archive| MergedArchive { further: further(known.clone(), archive), ours: known };
        Ok(numbers.map(|((number, archive), (ours, known))| (*number, (ours, merged(known, archive)))).collect())
    }
}

/// The progress of an archive.
struct MergedArchive {
    /// In this database.
    ours: Archive,
    /// In either database, whichever is further.
    further: Archive,
}
