//! Reading: a snapshot of runs and memtable, the probe, batch queries, the view that joins them with the catalog, and
//! several views as one.

pub(crate) mod batch;
#[cfg(feature = "catalog")]
pub(crate) mod batch_ids;
#[cfg(feature = "catalog")]
pub(crate) mod changes;
mod counters;
#[cfg(feature = "catalog")]
pub(crate) mod federation;
#[cfg(feature = "catalog")]
mod key_rows;
pub(crate) mod pairs;
#[cfg(feature = "catalog")]
pub(crate) mod passages;
pub(crate) mod probe;
#[cfg(feature = "catalog")]
pub(crate) mod reader;
#[cfg(feature = "catalog")]
pub(crate) mod resolve;
#[cfg(feature = "catalog")]
pub(crate) mod rows;
pub(crate) mod scan;
#[cfg(feature = "catalog")]
pub(crate) mod scope;
pub(crate) mod search;
#[cfg(feature = "catalog")]
pub(crate) mod shared;
pub(crate) mod snapshot;
mod sweep;
#[cfg(feature = "catalog")]
pub(crate) mod view;
