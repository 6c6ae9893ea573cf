//! Reading: a snapshot of runs and memtable, the probe, batch queries, the view that joins them with the catalog, and
//! several views as one.

pub(crate) mod batch;
pub(crate) mod federation;
mod key_rows;
pub(crate) mod pairs;
pub(crate) mod probe;
pub(crate) mod reader;
pub(crate) mod resolve;
mod rows;
pub(crate) mod scan;
pub(crate) mod scope;
pub(crate) mod shared;
pub(crate) mod snapshot;
mod sweep;
pub(crate) mod view;
