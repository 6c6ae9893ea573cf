//! What belongs to one process: an open database must not be used, nor closed, by a forked child.

use std::mem::ManuallyDrop;
use std::sync::Arc;

use nddb::Reader;

use crate::errors::{Fault, Result};

/// A value of the process that made it.
#[derive(Debug)]
pub(crate) struct Owned<T> {
    process: u32,
    value: ManuallyDrop<Option<T>>,
}

impl<T> Owned<T> {
    /// The value belongs to this process.
    pub(crate) fn new(value: T) -> Self {
        Self { process: std::process::id(), value: ManuallyDrop::new(Some(value)) }
    }

    /// Whether this process made it.
    pub(crate) fn is_ours(&self) -> bool {
        self.process == std::process::id()
    }

    /// Returns the value; `None` in a forked child.
    pub(crate) fn get(&self) -> Option<&T> {
        if self.is_ours() { self.value.as_ref() } else { None }
    }

    /// Returns the value; `None` in a forked child.
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        if self.is_ours() { self.value.as_mut() } else { None }
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // In a forked child RocksDB's threads do not exist, and closing would wait for them; locks are the parent's.
        if self.is_ours() {
            self.value.take();
        }
    }
}

/// A reader of this process, in one state of the database.
pub(crate) type Pinned = Arc<Owned<Reader>>;

/// Returns the reader of this process.
pub(crate) fn reader(pinned: &Pinned) -> Result<&Reader> {
    pinned.get().ok_or_else(|| Fault::value("made in another process: ask the reader again in this one"))
}
