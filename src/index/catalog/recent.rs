//! A cache of decoded records. The cache is useful because pages of one template have the same candidates, and always
//! valid because the document of a number never changes.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use nddb_format::record::{Print, Record};

/// Number of parts of the cache, each with its own lock.
const PARTS: usize = 16;
/// Number of documents in a part. All parts hold up to 16,384 documents, with all sketches some 18 MB.
const SLOTS: usize = 1024;
/// Greatest size of the texts of a record that is kept, in bytes.
const TEXTS_MAX: usize = 1 << 10;

/// A document of the catalog, whose print is read on demand.
#[derive(Debug)]
pub(crate) struct Recent {
    pub(crate) record: Record,
    pub(super) print: OnceLock<Print>,
}

/// One slot per remainder of document numbers, for the document read last. Finding it needs no hash.
#[derive(Debug, Default)]
struct RecentSlots {
    slots: Vec<Option<(u64, Arc<Recent>)>>,
}

impl RecentSlots {
    fn get(&self, number: u64) -> Option<Arc<Recent>> {
        let (of, recent) = self.slots.get(slot(number))?.as_ref()?;
        (*of == number).then(|| recent.clone())
    }

    fn put(&mut self, number: u64, recent: Arc<Recent>) {
        self.slots.resize(SLOTS, None);
        self.slots[slot(number)] = Some((number, recent));
    }
}

fn slot(number: u64) -> usize {
    number as usize / PARTS % SLOTS
}

/// The records that were read recently.
#[derive(Debug, Default)]
pub(super) struct RecentRecords {
    parts: [Mutex<RecentSlots>; PARTS],
}

impl RecentRecords {
    fn part(&self, number: u64) -> std::sync::MutexGuard<'_, RecentSlots> {
        self.parts[number as usize % PARTS].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the document of a number, if it was read recently.
    pub(super) fn get(&self, number: u64) -> Option<Arc<Recent>> {
        self.part(number).get(number)
    }

    /// Returns the document of a record that was read, and keeps it unless its texts are long.
    pub(super) fn keep(&self, number: u64, record: Record) -> Arc<Recent> {
        let texts = [Some(&record.id), record.url.as_ref(), record.site.as_ref()];
        let is_kept = texts.into_iter().flatten().map(String::len).sum::<usize>() <= TEXTS_MAX;
        let recent = Arc::new(Recent { record, print: OnceLock::new() });
        if is_kept {
            self.part(number).put(number, recent.clone());
        }
        recent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_each_slot_stays() {
        let records = RecentRecords::default();
        let most = (PARTS * SLOTS) as u64;
        for number in 0..3 * most {
            let record = Record { id: number.to_string(), ..Record::default() };
            records.keep(number, record);
            assert_eq!(records.get(number).map(|found| found.record.id.clone()), Some(number.to_string()));
        }
        assert!((0..2 * most).all(|number| records.get(number).is_none()));
        assert!((2 * most..3 * most).all(|number| records.get(number).is_some()));
        let long = Record { id: "x".repeat(TEXTS_MAX + 1), ..Record::default() };
        assert_eq!(records.keep(7, long).record.id.len(), TEXTS_MAX + 1);
        assert!(records.get(7).is_none());
    }
}
