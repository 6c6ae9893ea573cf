//! The memory of pages between reading and storing.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes that a page takes while it is sketched, for each of its own: its text, and of each of its terms the place, the
/// hash and what the sketches sort.
const SKETCHING: u64 = 10;

/// Bytes that may be in flight at the same time, over all threads.
pub(super) struct Budget {
    limit: u64,
    used: Mutex<u64>,
    freed: Condvar,
}

/// Bytes of a budget that are in use until this is dropped.
pub(super) struct Share<'a> {
    budget: &'a Budget,
    bytes: u64,
}

/// Returns the bytes that pages take, given their sizes, until they are sketched, one behind the other.
pub(super) fn needed(sizes: impl IntoIterator<Item = usize>) -> u64 {
    let (sum, largest) = sizes.into_iter().fold((0, 0), |(sum, largest), size| (sum + size as u64, size.max(largest)));
    sum + SKETCHING * largest as u64
}

impl Budget {
    /// Returns a budget of this many bytes.
    pub(super) fn new(limit: u64) -> Self {
        Self { limit, used: Mutex::new(0), freed: Condvar::new() }
    }

    /// Waits until not all of it is in use.
    pub(super) fn wait(&self) {
        drop(self.wait_while(|used| used > 0 && used >= self.limit));
    }

    /// Takes a share as soon as it fits. One that is greater than the whole budget is taken when nothing else is in
    /// use, so whoever waits for it never waits for ever.
    pub(super) fn take(&self, bytes: u64) -> Share<'_> {
        *self.wait_while(|used| used > 0 && used.saturating_add(bytes) > self.limit) += bytes;
        Share { budget: self, bytes }
    }

    fn wait_while(&self, is_full: impl Fn(u64) -> bool) -> MutexGuard<'_, u64> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        self.freed.wait_while(used, |used| is_full(*used)).unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        *self.budget.used.lock().unwrap_or_else(PoisonError::into_inner) -= self.bytes;
        self.budget.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::parallel;

    #[test]
    fn what_is_in_use_stays_within_the_limit_and_what_exceeds_it_goes_alone() {
        const LIMIT: u64 = 100;
        let (budget, used, count) = (Budget::new(LIMIT), AtomicU64::new(0), AtomicU64::new(0));
        let sizes = [40, 40, 40, 250, 1, 99, 100, 30, 300, 500, 20, 0, 60, 10];
        let mut rest = sizes.into_iter().cycle().take(20 * sizes.len());
        let mut most = 0;
        let done: Result<(), ()> = parallel::in_order(
            6,
            || {
                budget.wait();
                rest.next().map(|bytes| (bytes, budget.take(bytes)))
            },
            |(bytes, share)| {
                let (used_now, count_now) =
                    (used.fetch_add(bytes, Ordering::SeqCst), count.fetch_add(1, Ordering::SeqCst));
                std::thread::sleep(Duration::from_micros(200));
                assert!(used_now + bytes <= LIMIT || used_now == 0, "{used_now} and {bytes}");
                used.fetch_sub(bytes, Ordering::SeqCst);
                count.fetch_sub(1, Ordering::SeqCst);
                drop(share);
                count_now + 1
            },
            |at_once| {
                most = at_once.max(most);
                Ok(())
            },
        );
        assert_eq!(done, Ok(()));
        assert!(most > 1, "small ones go together");
        assert_eq!(*budget.used.lock().expect("no thread panicked"), 0);
    }

    #[test]
    fn pages_need_their_size_and_the_largest_what_sketching_takes() {
        assert_eq!((needed([]), needed([5]), needed([3, 20, 7])), (0, 55, 230));
    }
}
