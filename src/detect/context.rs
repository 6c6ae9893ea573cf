//! What every source of candidates is given.

use super::classes::Classes;
use super::collection::Collection;
use super::options::PairOptions;
use super::room::Room;
use crate::Result;
use crate::store::{Ticker, View};

/// Takes two leaders that a source brought together, and whether the pair is a candidate.
pub(crate) type Take<'a> = dyn FnMut(u32, u32, bool) -> Result<()> + 'a;

/// The documents, their classes, and what was asked for.
pub(crate) struct Context<'a> {
    pub(crate) view: View<'a>,
    pub(crate) collection: &'a Collection,
    pub(crate) classes: &'a Classes,
    pub(crate) options: &'a PairOptions,
    pub(crate) room: &'a Room,
    /// Groups above the limit give, besides star pairs, the pairs that they gave before they grew.
    pub(crate) stable: bool,
    /// Most documents of a candidate group that are compared with each other.
    pub(crate) limit: usize,
    pub(crate) ticker: &'a Ticker<'a>,
}

impl Context<'_> {
    /// Reports progress at every `every`-th document.
    #[inline]
    pub(crate) fn tick(&self, ordinal: u32, every: u32) -> Result<()> {
        if ordinal.is_multiple_of(every) && ordinal > 0 { self.ticker.add(every.into()) } else { Ok(()) }
    }
}
