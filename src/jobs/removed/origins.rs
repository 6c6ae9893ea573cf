//! Where removed documents stand, and how long they are: read together, in the order of the catalog.

use nddb_format::record::Record;
use nddb_index::View;

/// Where a document stands: the number of its archive in the database, and its position there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The number of its archive.
    pub archive: u32,
    /// Where its record begins there.
    pub offset: u64,
    /// Its position in the record.
    pub inner: u64,
}

impl Place {
    /// Returns where the document of an id stands; `None` if there is none, or it came from no archive.
    ///
    /// # Errors
    /// Damage of the database.
    pub fn of(view: View<'_>, id: &str) -> nddb_index::Result<Option<Self>> {
        Ok(view.get(id)?.and_then(|stored| Self::of_record(&stored.record)))
    }

    /// Returns where a stored document stands.
    pub fn of_record(record: &Record) -> Option<Self> {
        record.source.map(|at| Self { archive: at.archive, offset: at.offset, inner: at.inner })
    }
}

/// Where a document stands, and how long it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Origin {
    /// Where it stands; `None` if it came from no archive.
    pub place: Option<Place>,
    /// Number of its words; 0 if unknown.
    pub words: u64,
    /// Its bytes in its archive, compressed as they are; 0 if unknown.
    pub bytes: u64,
}

impl Origin {
    /// Returns the origin of a stored document.
    pub(super) fn of(record: &Record) -> Self {
        Self {
            place: Place::of_record(record),
            words: record.tokens.unwrap_or(0),
            bytes: record.source.map_or(0, |source| source.length),
        }
    }
}

/// The origins of some documents. Memory: 56 bytes for each.
pub(super) struct Origins(Vec<(u64, Origin)>);

impl Origins {
    /// Reads the origins of the documents with these numbers.
    pub(super) fn read(view: View<'_>, mut numbers: Vec<u64>, threads: usize) -> nddb_index::Result<Self> {
        numbers.sort_unstable();
        let mut origins = Vec::with_capacity(numbers.len());
        view.records_on(threads, &numbers, |record| Origin::of(&record), &mut |number, origin| {
            origins.push((number, origin));
            Ok(())
        })?;
        Ok(Self(origins))
    }

    /// Returns the origin of the document with this number.
    pub(super) fn of(&self, number: u64) -> Origin {
        let found = self.0.binary_search_by_key(&number, |&(of, _)| of);
        found.map_or_else(|_| Origin::default(), |index| self.0[index].1)
    }
}
