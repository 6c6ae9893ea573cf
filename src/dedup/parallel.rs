//! Parallel work with results in the order of the items.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Takes items from `produce`, runs `work` on them on `threads` threads, and passes the results to `consume`, on the
/// calling thread, in the order of the items. The first error of `consume` ends everything.
///
/// At most two items for each thread are in progress, so memory stays bounded. With one thread everything runs on the
/// calling thread.
pub fn in_order<I: Send, O: Send, E>(
    threads: usize,
    mut produce: impl FnMut() -> Option<I> + Send,
    work: impl Fn(I) -> O + Sync,
    mut consume: impl FnMut(O) -> Result<(), E>,
) -> Result<(), E> {
    if threads <= 1 {
        while let Some(item) = produce() {
            consume(work(item))?;
        }
        return Ok(());
    }
    let (give, tasks) = sync_channel::<(I, SyncSender<O>)>(threads);
    let (promise, results) = sync_channel::<Receiver<O>>(2 * threads);
    let tasks = Mutex::new(tasks);
    thread::scope(|scope| {
        scope.spawn(move || {
            while let Some(item) = produce() {
                let (sender, receiver) = sync_channel(1);
                // Both calls fail if the consumer has ended.
                if promise.send(receiver).is_err() || give.send((item, sender)).is_err() {
                    break;
                }
            }
        });
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let task = tasks.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).recv();
                    let Ok((item, sender)) = task else { break };
                    // Fails if the consumer has ended.
                    let _ = sender.send(work(item));
                }
            });
        }
        for result in results {
            // Fails if the thread has panicked: the scope propagates that.
            let Ok(output) = result.recv() else { break };
            consume(output)?;
        }
        Ok(())
    })
}

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
}
