//! The CPU time of threads, by which one sees how well work is spread.

use std::sync::{Mutex, PoisonError};

/// CPU seconds of the threads that have ended, by their place among the threads that were started together.
static ENDED: Mutex<Vec<f64>> = Mutex::new(Vec::new());

/// Adds the CPU time of the calling thread, which is about to end, to that of the threads that had this place before
/// it: what must be done one after the other counts as the work of one thread.
pub fn note(place: usize) {
    let mut ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
    if ended.len() <= place {
        ended.resize(place + 1, 0.0);
    }
    ended[place] += own();
}

/// Returns the CPU seconds of the busiest thread of the process: the calling thread, or a place of threads that have
/// ended. Threads of RocksDB are not counted.
pub fn busiest() -> f64 {
    ENDED.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().fold(own(), f64::max)
}

/// Returns the CPU seconds of the calling thread.
#[cfg(unix)]
fn own() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Returns 0: the CPU time of a thread is not asked for here.
#[cfg(not(unix))]
fn own() -> f64 {
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_ended_threads_with_one_place_is_added_up() {
        let work = || {
            let (start, mut sum) = (own(), 0u64);
            while own() - start < 0.03 {
                sum = nddb_format::digest::mix(sum);
            }
            note(1000 + (sum == 1) as usize);
        };
        let before = busiest();
        for _ in 0..2 {
            std::thread::spawn(work).join().expect("it ends");
        }
        assert!(ENDED.lock().expect("not poisoned")[1000] >= 0.06);
        assert!(busiest() >= before.max(0.06));
    }
}
