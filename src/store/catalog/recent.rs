//! A cache of decoded records: pages of one template have the same candidates, and the document of a number never
//! changes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use nddb_format::record::{Print, Record};

/// Parts of the cache, each with a lock of its own.
const PARTS: usize = 16;
/// Documents of half a part. All parts hold up to 16,384 documents, with all sketches some 18 MB.
const HALF: usize = 512;
/// Greatest size of the texts of a record that is kept, in bytes.
const TEXTS_MAX: usize = 1 << 10;

/// A document of the catalog, of which the print is read when it is asked for.
#[derive(Debug)]
pub(crate) struct Recent {
    pub(crate) record: Record,
    pub(super) print: OnceLock<Print>,
}

/// Up to twice [`HALF`] documents. When the younger half is full, the older one, of which nothing was asked for since,
/// is dropped.
#[derive(Debug, Default)]
struct Part {
    young: HashMap<u64, Arc<Recent>>,
    old: HashMap<u64, Arc<Recent>>,
}

impl Part {
    fn get(&mut self, number: u64) -> Option<Arc<Recent>> {
        if let Some(found) = self.young.get(&number) {
            return Some(found.clone());
        }
        let found = self.old.remove(&number)?;
        self.put(number, found.clone());
        Some(found)
    }

    fn put(&mut self, number: u64, recent: Arc<Recent>) {
        if self.young.len() == HALF {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(number, recent);
    }
}

/// The records that were read lately.
#[derive(Debug, Default)]
pub(super) struct RecentRecords {
    parts: [Mutex<Part>; PARTS],
}

impl RecentRecords {
    fn part(&self, number: u64) -> std::sync::MutexGuard<'_, Part> {
        self.parts[number as usize % PARTS].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the document of a number, if it was read lately.
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

    fn recent(number: u64) -> Arc<Recent> {
        let record = Record { id: number.to_string(), ..Record::default() };
        Arc::new(Recent { record, print: OnceLock::new() })
    }

    #[test]
    fn what_is_asked_for_stays_and_the_rest_goes() {
        let mut part = Part::default();
        let most = 2 * HALF as u64;
        for number in 0..10 * most {
            part.put(number, recent(number));
            assert_eq!(part.get(7).map(|found| found.record.id.clone()), (number >= 7).then(|| "7".into()));
            assert!(part.young.len() + part.old.len() <= 2 * HALF);
        }
        let kept = (0..10 * most).filter(|&number| part.get(number).is_some()).count();
        assert!((HALF..=2 * HALF).contains(&kept), "{kept}");
        assert!(part.get(8).is_none() && part.get(10 * most - 1).is_some());
    }
}
