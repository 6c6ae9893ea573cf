//! What every source of candidates is given.

use crate::Result;
use crate::detect::collection::Collection;
use crate::detect::collection::classes::Classes;
use crate::detect::method::options::PairOptions;
use crate::spill::resources::Resources;
use crate::spill::ticker::Ticker;
use crate::store::View;

/// Takes two leaders that a source brought together, and whether the pair is a candidate.
pub(crate) type Take<'a> = dyn FnMut(u32, u32, bool) -> Result<()> + 'a;

/// The documents, their classes, and what was asked for.
pub struct Context<'a> {
    /// The database.
    pub view: View<'a>,
    /// Its documents.
    pub collection: &'a Collection,
    /// The classes of documents that the method cannot tell apart.
    pub classes: &'a Classes,
    /// The method and its limits.
    pub options: &'a PairOptions,
    /// Memory and folder for what is sorted.
    pub resources: &'a Resources,
    /// Groups above the limit give, besides star pairs, the pairs that they gave before they grew.
    pub stable: bool,
    /// Most documents of a candidate group that are compared with each other.
    pub limit: usize,
    /// Progress, and whether the caller wants to stop.
    pub ticker: &'a Ticker<'a>,
}

impl Context<'_> {
    /// Reports progress at every `every`-th document.
    #[inline]
    pub fn tick(&self, ordinal: u32, every: u32) -> Result<()> {
        if ordinal.is_multiple_of(every) && ordinal > 0 { self.ticker.add(every.into()) } else { Ok(()) }
    }
}
