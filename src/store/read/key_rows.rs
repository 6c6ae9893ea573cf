//! Which families of the catalog have rows of keys: those of documents without a print, and of all documents that
//! version 1 wrote. A look-up in a family without rows is left out.

use crate::Result;
use crate::store::catalog::{Catalog, DocumentKeys, Family};

/// The families of the catalog that have rows of keys.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyRows {
    megashingles: bool,
    pieces: bool,
    digests: bool,
}

impl KeyRows {
    /// Reads whether there are rows.
    pub(crate) fn read(catalog: &Catalog) -> Result<Self> {
        Ok(Self {
            megashingles: catalog.has_rows(Family::Megashingles)?,
            pieces: catalog.has_rows(Family::Pieces)?,
            digests: catalog.has_rows(Family::Digests)?,
        })
    }

    /// Notes rows that have been written since.
    pub(crate) fn add(&mut self, keys: &DocumentKeys) {
        self.megashingles |= !keys.megashingles.is_empty();
        self.pieces |= !keys.pieces.is_empty();
        self.digests |= keys.digest.is_some();
    }

    /// Returns whether a family may have rows.
    pub(crate) fn has(&self, family: Family) -> bool {
        match family {
            Family::Megashingles => self.megashingles,
            Family::Pieces => self.pieces,
            _ => self.digests,
        }
    }
}
