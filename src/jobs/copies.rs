//! How often documents that are kept were found: each itself, and what is removed in its place.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

use nddb_index::View;

use crate::rows::{Cell, CellKind, Column};

/// The columns of a [`CopyCounts`].
pub const COPIES: [Column; 2] =
    [Column::new("copies", CellKind::Number), Column::new("copies_by_batch", CellKind::Text)];

/// What the columns say, each in a line.
pub(crate) const COPIES_HELP: [&str; 2] = [
    "Of a kept document how often it was found: itself and what is removed in its place; else null",
    "The same by batch, as an object of names and numbers (\"\" for no batch), or null if there is no other copy",
];

/// How often a kept document was found in all that is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyCounts {
    /// Itself and the documents that are removed in its place.
    pub copies: u64,
    /// Their numbers by batch, as an object of JSON; `None` of a document without copies.
    pub by_batch: Option<String>,
}

impl CopyCounts {
    /// Returns the values of the columns; without counts, of a document that is removed, they are null.
    pub fn cells(counts: Option<&Self>) -> [Cell<'_>; 2] {
        let by_batch = counts.and_then(|counts| counts.by_batch.as_deref());
        [counts.map(|counts| counts.copies).into(), by_batch.map_or(Cell::Null, Cell::Json)]
    }
}

/// The copies of kept documents; a `K` names a document. Memory: about 40 bytes for each copy.
#[derive(Debug)]
pub struct Copies<K> {
    /// The names of batches.
    names: HashMap<u32, String>,
    /// Of each kept document that has copies: itself and its copies, with their batches.
    found: Vec<(K, Option<u32>)>,
    kept: HashSet<K>,
    removed: HashSet<K>,
}

impl<K: Copy + Ord + Hash> Copies<K> {
    /// Begins to count documents of a database; [`Copies::sorted`] ends it.
    pub(crate) fn new(view: View<'_>) -> nddb_index::Result<Self> {
        let names = view.batches()?.into_iter().map(|(name, batch, _)| (batch.number, name)).collect();
        Ok(Self { names, found: Vec::new(), kept: HashSet::new(), removed: HashSet::new() })
    }

    /// Notes a document that is removed.
    pub(crate) fn remove(&mut self, removed: K) {
        self.removed.insert(removed);
    }

    /// Counts a copy of a kept document by the batch of the copy; `of_kept` returns the batch of the kept one.
    pub(crate) fn add<E>(
        &mut self,
        kept: K,
        batch: Option<u32>,
        of_kept: impl FnOnce() -> Result<Option<u32>, E>,
    ) -> Result<(), E> {
        if self.kept.insert(kept) {
            self.found.push((kept, of_kept()?));
        }
        self.found.push((kept, batch));
        Ok(())
    }

    pub(crate) fn sorted(mut self) -> Self {
        self.found.sort_unstable();
        self
    }

    /// Returns how often each document with copies was found, in the order of their names.
    pub(crate) fn all(&self) -> Vec<(K, CopyCounts)> {
        let mut kept: Vec<K> = self.kept.iter().copied().collect();
        kept.sort_unstable();
        kept.into_iter().filter_map(|kept| Some((kept, self.of(kept)?))).collect()
    }

    /// Returns how often a document was found; `None` if it is removed.
    pub fn of(&self, document: K) -> Option<CopyCounts> {
        if self.removed.contains(&document) {
            return None;
        }
        let from = self.found.partition_point(|(kept, _)| *kept < document);
        let mut by_batch = BTreeMap::<&str, u64>::new();
        for (_, batch) in self.found[from..].iter().take_while(|(kept, _)| *kept == document) {
            let name = batch.and_then(|batch| self.names.get(&batch)).map_or("", String::as_str);
            *by_batch.entry(name).or_default() += 1;
        }
        let copies = by_batch.values().sum::<u64>().max(1);
        Some(CopyCounts { copies, by_batch: (copies > 1).then(|| serde_json::json!(by_batch).to_string()) })
    }
}
