//! Sums of the work of all queries of a process on a database.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::probe::Work;

/// Number of sums: threads seldom wait for each other.
const SUMS: usize = 16;

/// A sum in cache lines of its own.
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
    #[cfg_attr(not(feature = "catalog"), expect(dead_code, reason = "static indexes count nothing"))]
    pub(super) fn sum(&self) -> Work {
        let mut all = Work::default();
        self.0.iter().for_each(|sum| all += *sum.lock());
        all
    }
}
