//! One list of several that are published together, while it is written.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use xxhash_rust::xxh3::Xxh3Default;

/// Lists that are complete, as sealed files `S`, and have no names yet.
pub(super) type Complete<S> = Arc<Mutex<BTreeMap<String, (S, ListTally)>>>;

/// What identifies the content of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListTally {
    /// Number of line ends.
    pub lines: u64,
    /// Number of bytes.
    pub bytes: u64,
    /// XXH3 of its bytes, 64 bits.
    pub xxh3: u64,
}

/// A list while it is written.
pub(super) struct ListWriter<S> {
    name: String,
    complete: Complete<S>,
    tally: ListTally,
    hash: Xxh3Default,
}

impl<S> ListWriter<S> {
    pub(super) fn new(name: &str, complete: Complete<S>) -> Self {
        Self { name: name.into(), complete, tally: ListTally::default(), hash: Xxh3Default::new() }
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.tally.lines += bytes.iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.tally.bytes += bytes.len() as u64;
        self.hash.update(bytes);
    }

    pub(super) fn complete(self, sealed: S) {
        let tally = ListTally { xxh3: self.hash.digest(), ..self.tally };
        self.complete.lock().unwrap_or_else(PoisonError::into_inner).insert(self.name, (sealed, tally));
    }
}

impl<S> fmt::Debug for ListWriter<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListWriter").field("name", &self.name).field("tally", &self.tally).finish_non_exhaustive()
    }
}
