//! What the revisit records of archives refer to: pages that are stored, or pages that are not known.

use std::collections::HashSet;

use nddb_archive::{Options, Revisited};
use nddb_index::{Result, View};
use xxhash_rust::xxh3::Xxh3Default;

/// The revisit records that a load has read. Each page that one may refer to is remembered by a hash.
#[derive(Clone, Debug, Default)]
pub struct Revisits(Vec<[u64; 2]>);

/// The number of revisit records, by what they refer to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RevisitCounts {
    /// Revisits of pages that are stored.
    pub of_stored: u64,
    /// Revisits of other records: of pages that are not stored, or of what is never stored, such as images.
    pub of_unknown: u64,
}

impl Revisits {
    /// Returns the number of revisit records.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.0.len() as u64
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a revisit record, read with these options.
    pub(super) fn add(&mut self, revisited: &Revisited, options: &Options) {
        let id = revisited.id.as_ref().map_or(0, |id| of_id(&format!("{}{id}", options.id_prefix)));
        let page = revisited.url.as_ref().map_or(0, |url| of_page(url, revisited.date));
        self.0.push([id, page]);
    }

    /// Adds the revisit records of a later part.
    pub(super) fn append(&mut self, mut later: Self) {
        self.0.append(&mut later.0);
    }

    /// Looks for the pages in a database. A page is found by its id, if ids are record ids; by address and date; or, if
    /// the revisit record names no date, by address. Unless there are no revisits, this reads all records.
    ///
    /// # Errors
    /// Damage of the catalog.
    pub fn count(&self, view: View<'_>) -> Result<RevisitCounts> {
        let wanted: HashSet<u64> = self.0.iter().flatten().copied().filter(|&hash| hash != 0).collect();
        let mut found = HashSet::new();
        if !wanted.is_empty() {
            view.each(&mut |stored| {
                let record = &stored.record;
                let url = record.url.as_ref();
                let hashes = [
                    Some(of_id(&record.id)),
                    url.map(|url| of_page(url, record.date)),
                    url.map(|url| of_page(url, None)),
                ];
                found.extend(hashes.into_iter().flatten().filter(|hash| wanted.contains(hash)));
                Ok(true)
            })?;
        }
        let of_stored = self.0.iter().filter(|hashes| hashes.iter().any(|hash| found.contains(hash))).count() as u64;
        Ok(RevisitCounts { of_stored, of_unknown: self.len() - of_stored })
    }
}

fn of_id(id: &str) -> u64 {
    hash(&[b"id", id.as_bytes()])
}

fn of_page(url: &str, date: Option<i64>) -> u64 {
    hash(&[b"page", &date.unwrap_or(i64::MIN).to_le_bytes(), url.as_bytes()])
}

/// Returns a hash that is not 0.
fn hash(parts: &[&[u8]]) -> u64 {
    let mut hasher = Xxh3Default::new();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.digest().max(1)
}
