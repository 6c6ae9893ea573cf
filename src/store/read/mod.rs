//! Reading: a snapshot of runs and memtable, the probe, batch queries, and the view that joins them with the catalog.

pub(crate) mod batch;
mod key_rows;
pub(crate) mod pairs;
pub(crate) mod probe;
pub(crate) mod reader;
mod rows;
pub(crate) mod scope;
pub(crate) mod snapshot;
mod sweep;
pub(crate) mod view;
