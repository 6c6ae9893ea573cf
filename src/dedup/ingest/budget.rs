//! The memory of pages between reading and storing.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use nddb_archive::{Entry, EntryContent, Limits, Options};

/// Bytes of memory per byte of a page while it is sketched: for its text, and for each term its place, its hash and the
/// values that the sketches sort.
const SKETCHING: u64 = 10;

/// Divisor of the memory limit: one part of this many is for pages that are read but not yet sketched, and for what
/// waits for documents before it.
const IN_FLIGHT_PART: u64 = 4;
/// Divisor of this part: one part of this many is for sketching large pages of stretches.
const LARGE_PART: u64 = 4;
/// Bytes that one page may take beyond that part. Together with the next record of the reader and the fixed memory of
/// the process, a load exceeds its limit by at most 256 MB.
const BEYOND: u64 = 128 << 20;
/// Divisor of the memory limit for the largest record, which may always have [`RECORD_LEAST`] bytes.
const RECORD_PART: u64 = 16;
const RECORD_LEAST: u64 = 64 << 20;
/// Divisor of the memory limit for the largest page of a column, which may have [`RECORD_LEAST`] bytes more.
const COLUMN_PART: u64 = 8;

/// Limits on the sizes of pages and records, derived from the memory limit of a load.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowed {
    /// Bytes of all pages in flight and of the data made from them.
    pub(super) in_flight: u64,
    /// Bytes of the large pages of stretches, and of those that are read again, while they are sketched.
    pub(super) large: u64,
    /// Bytes of the memory limit that the sorting of documents must leave: for pages in flight and for decoders.
    pub(super) left: u64,
    /// Bytes of a page; the rest is cut off.
    page: usize,
    /// Bytes of a record, and of a page of a column, while they are read.
    record: usize,
    column: u64,
}

impl Allowed {
    /// Returns the limits for a memory limit and the limits of a reader. The part of a zstd window beyond the usual one
    /// is taken from the memory limit, of which at least the size of a usual window remains.
    pub(super) fn by(memory_limit: u64, reader: &Limits) -> Self {
        let usual = Limits::default().zstd_window;
        let beyond = reader.zstd_window.saturating_sub(usual);
        let rest = memory_limit.saturating_sub(beyond).max(memory_limit.min(usual));
        let all = rest / IN_FLIGHT_PART;
        let large = all / LARGE_PART;
        let left = memory_limit - rest + all;
        let memory_limit = rest;
        let bytes = |bytes| usize::try_from(bytes).unwrap_or(usize::MAX);
        Self {
            in_flight: all - large,
            large,
            left,
            page: bytes((large + BEYOND) / (SKETCHING + 1)),
            record: bytes((memory_limit / RECORD_PART).max(RECORD_LEAST)),
            column: memory_limit / COLUMN_PART + RECORD_LEAST,
        }
    }

    /// Returns the options, with their limits lowered to these.
    pub(super) fn limit(&self, mut options: Options) -> Options {
        let limits = &mut options.limits;
        limits.record = limits.record.min(self.record);
        limits.table_page = limits.table_page.min(self.column);
        options
    }

    /// Truncates a page that is too large to be sketched within the limit, and flags it.
    pub(super) fn cut(&self, mut entry: Entry) -> Entry {
        if let EntryContent::Page(page) = &mut entry.content
            && page.body.len() > self.page
        {
            page.body.truncate(self.page);
            page.body.shrink_to_fit();
            page.truncated = true;
            page.is_cut = true;
        }
        entry
    }
}

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

/// Returns the bytes of memory for pages of these sizes while they are sketched one after the other.
pub(super) fn needed(sizes: impl IntoIterator<Item = usize>) -> u64 {
    let (sum, largest) = sizes.into_iter().fold((0, 0), |(sum, largest), size| (sum + size as u64, size.max(largest)));
    sum + SKETCHING * largest as u64
}

impl Budget {
    /// Returns a budget of this many bytes.
    pub(super) fn new(limit: u64) -> Self {
        Self { limit, used: Mutex::new(0), freed: Condvar::new() }
    }

    /// Waits until a part of the budget is free.
    pub(super) fn wait(&self) {
        drop(self.wait_while(|used| used > 0 && used >= self.limit));
    }

    /// Takes a share as soon as it fits. A share greater than the whole budget fits when nothing else is in use, so no
    /// caller waits for ever.
    pub(super) fn take(&self, bytes: u64) -> Share<'_> {
        *self.wait_while(|used| used > 0 && used.saturating_add(bytes) > self.limit) += bytes;
        Share { budget: self, bytes }
    }

    fn wait_while(&self, is_full: impl Fn(u64) -> bool) -> MutexGuard<'_, u64> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        self.freed.wait_while(used, |used| is_full(*used)).unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share<'_> {
    /// Does the work for which the share was taken. Work that exceeds the whole budget runs on a thread of its own,
    /// because allocators keep freed memory (some 64 MB) for the thread that used it. Only one such thread exists at a
    /// time.
    pub(super) fn spend<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        if self.bytes <= self.budget.limit {
            return work();
        }
        let done = std::thread::scope(|scope| scope.spawn(work).join());
        done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
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

    use nddb_archive::{PageEntry, Position};
    use nddb_page::text::PageKind;

    use super::*;
    use nddb_index::spill::parallel;

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

    fn page(size: usize) -> Entry {
        let page = PageEntry {
            id: "a".into(),
            url: None,
            date: None,
            unread_date: None,
            kind: PageKind::Text,
            charset: None,
            body: vec![b'a'; size],
            truncated: false,
            is_cut: false,
        };
        Entry { position: Position::default(), content: EntryContent::Page(page) }
    }

    #[test]
    fn work_beyond_the_budget_is_done_on_a_thread_of_its_own() {
        let budget = Budget::new(100);
        let here = std::thread::current().id();
        let thread_of = |bytes| budget.take(bytes).spend(|| std::thread::current().id());
        assert_eq!((thread_of(100) == here, thread_of(101) == here), (true, false));
    }

    #[test]
    fn no_page_and_no_record_takes_more_than_the_memory_limit_and_a_fixed_part() {
        for limit in [16 << 20, 64 << 20, 1 << 30, 64 << 30_u64] {
            let allowed = Allowed::by(limit, &Limits::default());
            let size = 2 * allowed.page;
            let entry = if limit <= 1 << 30 { allowed.cut(page(size)) } else { page(1) };
            let EntryContent::Page(cut) = &entry.content else { panic!("a page") };
            assert_eq!(cut.truncated, limit <= 1 << 30);
            assert!(needed([cut.body.len()]) <= allowed.large + BEYOND);
            assert!(cut.body.capacity() < size, "what is cut off takes no memory");
            let options = allowed.limit(Options::default());
            assert_eq!(options.limits.record, Options::default().limits.record, "the usual size is always read");
            let mut more = Options::default();
            more.limits.record = usize::MAX;
            assert!(allowed.limit(more).limits.record as u64 <= (64 << 20) + limit / 16);
            assert!(options.limits.table_page <= (64 << 20) + limit / 8);
        }
        let whole = page(1 << 20);
        assert_eq!(Allowed::by(64 << 20, &Limits::default()).cut(whole.clone()), whole);
    }

    #[test]
    fn a_large_window_is_part_of_the_memory_limit() {
        let allowed = |limit: u64, zstd_window| Allowed::by(limit, &Limits { zstd_window, ..Limits::default() });
        let (megabyte, usual) = (1 << 20, Limits::default().zstd_window);
        for limit in [megabyte, 64 << 20, 1 << 30, 8 << 30_u64] {
            for window in [megabyte, usual] {
                assert_eq!(allowed(limit, window).left, limit / 4, "a usual window is beyond the limit");
            }
            let (small, large) = (allowed(limit, usual), allowed(limit, Limits::WINDOW_MAX));
            let (sorting, in_flight) = (limit - large.left, large.in_flight + large.large);
            if limit >= Limits::WINDOW_MAX {
                assert!(sorting + in_flight + Limits::WINDOW_MAX <= limit + usual, "{limit}");
            }
            assert!(sorting + in_flight >= limit.min(usual), "{limit}: there is memory to sort");
            assert!(large.page <= small.page && large.record <= small.record && large.column <= small.column);
        }
    }

    #[test]
    fn pages_need_their_size_and_the_largest_what_sketching_takes() {
        assert_eq!((needed([]), needed([5]), needed([3, 20, 7])), (0, 55, 230));
    }
}
