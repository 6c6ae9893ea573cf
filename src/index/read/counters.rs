//! The work of queries, and its sum over all queries of a process on a database.

use std::ops::AddAssign;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use nddb_format::block::BLOCK_SIZE;

/// Number of sums: threads seldom wait for each other.
const SUMS: usize = 16;

/// Counters of the work of probes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Number of queries; a search for the nearest counts as one for each radius that it tries.
    pub queries: u64,
    /// Number of prefixes looked up in tables.
    pub probes: u64,
    /// Of these, those that are in no fingerprint, as the filter of the table told.
    pub excluded: u64,
    /// Number of blocks decoded.
    pub blocks: u64,
    /// Number of entries decoded.
    pub entries: u64,
    /// Number of blocks that were requested from disk: the first time that they were needed, their file was not in the
    /// page cache.
    pub from_disk: u64,
}

impl Work {
    /// Returns the bytes of the blocks decoded.
    pub fn bytes(&self) -> u64 {
        self.blocks * BLOCK_SIZE as u64
    }
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.queries += other.queries;
        self.probes += other.probes;
        self.excluded += other.excluded;
        self.blocks += other.blocks;
        self.entries += other.entries;
        self.from_disk += other.from_disk;
    }
}

/// A sum in cache lines of its own. A lock that no other thread holds takes some 17 ns, a hundredth of a query; an
/// atomic addition to each counter takes twice as much.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Sum(Mutex<Work>);

/// The sums of a database that is open: each thread adds to one of them.
#[derive(Debug, Default)]
pub(crate) struct Counters([Sum; SUMS]);

static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static OF_THREAD: usize = THREADS.fetch_add(1, Ordering::Relaxed) % SUMS;
}

impl Sum {
    fn lock(&self) -> MutexGuard<'_, Work> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counters {
    /// Adds the work of a call.
    #[inline]
    pub(super) fn add(&self, work: Work) {
        *self.0[OF_THREAD.with(|sum| *sum)].lock() += work;
    }

    /// Returns the work of all calls.
    pub(super) fn sum(&self) -> Work {
        let mut all = Work::default();
        self.0.iter().for_each(|sum| all += *sum.lock());
        all
    }
}
