//! The input of every candidate source.

use nddb_index::spill::progress::Ticker;
use nddb_index::spill::resources::Resources;
use nddb_index::{Result, View};

use crate::collection::Collection;
use crate::collection::classes::Classes;
use crate::options::PairOptions;

/// Callback for a pair of leaders that a source compared; the flag tells whether the pair is a candidate.
pub(crate) type Take<'a> = dyn FnMut(u32, u32, bool) -> Result<()> + 'a;

/// The documents, their classes and the options of a search.
pub struct Context<'a> {
    /// The database.
    pub view: View<'a>,
    /// The documents of the database.
    pub collection: &'a Collection,
    /// Classes of documents that are indistinguishable to the method.
    pub classes: &'a Classes,
    /// The method and its limits.
    pub options: &'a PairOptions,
    /// Memory limit and folder for sorting.
    pub resources: &'a Resources,
    /// Whether a group above the limit keeps the pairs that it gave before it exceeded the limit, in addition to its
    /// star pairs.
    pub stable: bool,
    /// Greatest number of documents with one key that are all compared with each other.
    pub limit: usize,
    /// Progress reports and cancellation.
    pub ticker: &'a Ticker<'a>,
}

impl Context<'_> {
    /// Reports progress at every `every`-th document.
    #[inline]
    pub fn tick(&self, ordinal: u32, every: u32) -> Result<()> {
        if ordinal.is_multiple_of(every) && ordinal > 0 { self.ticker.add(every.into()) } else { Ok(()) }
    }
}
