//! A writer of Parquet files that always fails, for a command compiled without the feature `parquet`.

use super::cell::{Cell, Column};
use crate::failure::{Failure, Result};
use crate::output::Output;

/// A file that cannot be made.
pub(crate) struct TableFile;

impl TableFile {
    pub(crate) fn new(_: Output, _: &[Column]) -> Result<Self> {
        Err(Failure::usage("this nddb was compiled without Parquet: compile it with --features parquet"))
    }

    pub(crate) fn row(&mut self, _: &[Cell<'_>]) -> nddb::Result<()> {
        Ok(())
    }

    pub(crate) fn finish<T>(self, outcome: Result<T>) -> Result<T> {
        outcome
    }
}
