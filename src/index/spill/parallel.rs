//! Parallel work with results in the order of the items.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::busy;
use crate::{Error, Result};

/// Takes items from `produce`, runs `work` on them on `threads` threads, and passes the results to `consume`, on the
/// calling thread, in the order of the items. The first error of `consume` ends everything.
///
/// At most two items for each thread are in progress, so memory stays bounded. With one thread everything runs on the
/// calling thread.
pub fn in_order<I: Send, O: Send, E>(
    threads: usize,
    mut produce: impl FnMut() -> Option<I> + Send,
    work: impl Fn(I) -> O + Sync,
    consume: impl FnMut(O) -> Result<(), E>,
) -> Result<(), E> {
    let drive = |give: &mut dyn FnMut(I) -> bool| while produce().is_some_and(&mut *give) {};
    driven(threads, drive, || (), |(), item| work(item), consume)
}

/// Like [`in_order`] for items that `drive` passes on one by one, and for work that may fail. Each thread works with a
/// state of its own. Returns what `drive` returns. The first error ends everything.
pub fn each_in_order<S, I: Send, O: Send, R: Send>(
    threads: usize,
    drive: impl FnOnce(&mut dyn FnMut(I) -> Result<()>) -> Result<R> + Send,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, I) -> Result<O> + Sync,
    mut consume: impl FnMut(O) -> Result<()>,
) -> Result<R> {
    // The consumer's error is returned instead of this one.
    let drive =
        |give: &mut dyn FnMut(I) -> bool| drive(&mut |item| if give(item) { Ok(()) } else { Err(Error::Cancelled) });
    driven(threads, drive, state, work, |made| consume(made?))?
}

/// The work of [`in_order`] and [`each_in_order`]; `drive` must return as soon as an item is refused.
fn driven<S, I: Send, O: Send, R: Send, E>(
    threads: usize,
    drive: impl FnOnce(&mut dyn FnMut(I) -> bool) -> R + Send,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, I) -> O + Sync,
    mut consume: impl FnMut(O) -> Result<(), E>,
) -> Result<R, E> {
    if threads <= 1 {
        let (mut state, mut failed) = (state(), None);
        let driven = drive(&mut |item| {
            failed = consume(work(&mut state, item)).err();
            failed.is_none()
        });
        return failed.map_or(Ok(driven), Err);
    }
    let (give, tasks) = sync_channel::<(I, SyncSender<O>)>(threads);
    let (promise, results) = sync_channel::<Receiver<O>>(2 * threads);
    let tasks = Mutex::new(tasks);
    let (tasks, state, work) = (&tasks, &state, &work);
    thread::scope(|scope| {
        let driver = scope.spawn(move || {
            let driven = drive(&mut |item| {
                let (sender, receiver) = sync_channel(1);
                // Both calls fail if the consumer has ended.
                promise.send(receiver).is_ok() && give.send((item, sender)).is_ok()
            });
            busy::note(threads);
            driven
        });
        for worker in 0..threads {
            scope.spawn(move || {
                let mut state = state();
                loop {
                    let task = tasks.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).recv();
                    let Ok((item, sender)) = task else { break };
                    // Fails if the consumer has ended.
                    let _ = sender.send(work(&mut state, item));
                }
                busy::note(worker);
            });
        }
        for result in results {
            // Fails if the thread has panicked: the scope propagates that.
            let Ok(output) = result.recv() else { break };
            consume(output)?;
        }
        driver.join().map_or_else(|panic| std::panic::resume_unwind(panic), Ok)
    })
}

/// Sorts rows on this number of threads.
pub fn sort_rows<T: Ord + Send>(rows: &mut [T], threads: usize) {
    if threads <= 1 || rows.len() < SORTED_ALONE {
        rows.sort_unstable();
        return;
    }
    let less = threads / 2;
    let (low, _, high) = rows.select_nth_unstable(rows.len() * less / threads);
    thread::scope(|scope| {
        scope.spawn(move || {
            sort_rows(low, less);
            busy::note(threads);
        });
        sort_rows(high, threads - less);
    });
}

/// Fewer rows than this are sorted by one thread.
const SORTED_ALONE: usize = 1 << 13;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for threads in [1, 2, 5] {
            let mut items = 0..1000u64;
            let mut seen = Vec::new();
            let done: Result<(), ()> = in_order(
                threads,
                move || items.next(),
                |item| {
                    if item % 7 == 0 {
                        thread::yield_now();
                    }
                    item * 2
                },
                |output| {
                    seen.push(output);
                    Ok(())
                },
            );
            assert_eq!(done, Ok(()));
            assert_eq!(seen, (0..1000).map(|item| item * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_error_of_the_consumer_ends_everything() {
        for threads in [1, 3] {
            let outcome = in_order(threads, || Some(1), |item| item, |_| Err("enough"));
            assert_eq!(outcome, Err("enough"));
        }
    }

    #[test]
    fn work_that_is_driven_keeps_its_order_and_returns_the_first_error() {
        for threads in [1, 2, 7, 16] {
            let run = |failing: u64, stop: u64, broken: u64| {
                let mut seen = Vec::new();
                let outcome = each_in_order(
                    threads,
                    |give| {
                        for item in 0..500u64 {
                            if item == broken {
                                return Err(Error::Inconsistent { path: "driver".into(), what: String::new() });
                            }
                            give(item)?;
                        }
                        Ok("all")
                    },
                    || 0u64,
                    |done, item| {
                        *done += 1;
                        let failed = Error::Inconsistent { path: "worker".into(), what: String::new() };
                        if item == failing { Err(failed) } else { Ok(item) }
                    },
                    |item| {
                        seen.push(item);
                        let failed = Error::Inconsistent { path: "consumer".into(), what: String::new() };
                        if item == stop { Err(failed) } else { Ok(()) }
                    },
                );
                let by = match &outcome {
                    Ok(all) => (*all).to_owned(),
                    Err(Error::Inconsistent { path, .. }) => path.display().to_string(),
                    Err(error) => error.to_string(),
                };
                assert!(seen.iter().copied().eq(0..seen.len() as u64), "{threads} threads");
                (by, seen.len())
            };
            let none = u64::MAX;
            assert_eq!(run(none, none, none), ("all".into(), 500), "{threads} threads");
            assert_eq!(run(77, none, none), ("worker".into(), 77), "{threads} threads");
            assert_eq!(run(none, 80, none), ("consumer".into(), 81), "{threads} threads");
            assert_eq!(run(none, none, 90), ("driver".into(), 90), "{threads} threads");
            assert_eq!(run(95, none, 90), ("driver".into(), 90), "{threads} threads");
        }
    }

    #[test]
    fn rows_sorted_on_several_threads_are_those_sorted_on_one() {
        let rows: Vec<[u64; 2]> = (0..100_000u64).map(|row| [nddb_format::digest::mix(row) % 5000, row % 3]).collect();
        let mut want = rows.clone();
        want.sort_unstable();
        for threads in [1, 2, 7, 16] {
            let mut sorted = rows.clone();
            sort_rows(&mut sorted, threads);
            assert_eq!(sorted, want, "{threads} threads");
        }
    }
}
