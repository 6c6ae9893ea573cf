//! Wall-clock and CPU time of a command.

use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};

/// Measures the time since the work began.
pub(crate) struct Clock {
    wall: Instant,
    cpu: f64,
}

impl Clock {
    /// Starts counting.
    pub(crate) fn start() -> Self {
        Self { wall: Instant::now(), cpu: cpu_now() }
    }

    /// Wall-clock seconds since the start, rounded to a microsecond.
    pub(crate) fn seconds(&self) -> f64 {
        rounded(self.wall.elapsed().as_secs_f64())
    }

    /// CPU seconds of all threads of the process since the start, rounded to a microsecond.
    pub(crate) fn cpu_seconds(&self) -> f64 {
        rounded(cpu_now() - self.cpu)
    }

    /// The share of the busiest thread in the CPU time of the process: what the command would take at least, however
    /// many processors there were. What threads did one after the other in the same place counts as one.
    pub(crate) fn busiest_thread(&self) -> f64 {
        ((nddb_dedup::busiest_thread() / cpu_now()).min(1.0) * 1e3).round() / 1e3
    }
}

/// Returns what a summary says of work that took long and was done by one thread; nothing of other work.
pub(crate) fn by_one_thread() -> &'static str {
    told(nddb_dedup::busiest_thread(), cpu_now())
}

/// CPU seconds before which it does not matter how many threads there were.
const SHORT: f64 = 5.0;

fn told(busiest: f64, all: f64) -> &'static str {
    if all > SHORT && busiest > 0.98 * all { "; on one thread" } else { "" }
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

fn cpu_now() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_work_of_one_thread_is_told() {
        let said = [(60.0, 60.5), (50.0, 60.0), (1.0, 1.0)].map(|(busiest, all)| !told(busiest, all).is_empty());
        assert_eq!(said, [true, false, false]);
    }
}
