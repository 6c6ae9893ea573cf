//! One state of a database, which readers, and the tables that they give, hold on to.

use std::sync::Arc;

use nddb::Reader;

use crate::errors::{Fault, Result};
use crate::process::Owned;

/// A reader of this process, in one state of the database.
pub(crate) type Pinned = Arc<Owned<Reader>>;

/// Returns the reader of this process.
pub(crate) fn reader(pinned: &Pinned) -> Result<&Reader> {
    pinned.get().ok_or_else(|| Fault::value("made in another process: ask the reader again in this one"))
}
