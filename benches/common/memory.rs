//! Memory of this process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Returns the anonymous memory of this process, in MB.
pub fn anonymous() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

/// The greatest anonymous memory of this process, looked at every 20 ms.
pub struct Watched {
    ended: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<f64>,
}

impl Watched {
    /// Begins to look.
    pub fn start() -> Self {
        let ended = Arc::new(AtomicBool::new(false));
        let seen = ended.clone();
        let thread = std::thread::spawn(move || {
            let mut most: f64 = 0.0;
            while !seen.load(Ordering::Relaxed) {
                most = most.max(anonymous());
                std::thread::sleep(Duration::from_millis(20));
            }
            most
        });
        Self { ended, thread }
    }

    /// Returns the greatest anonymous memory since the start, in MB.
    pub fn end(self) -> f64 {
        self.ended.store(true, Ordering::Relaxed);
        self.thread.join().expect("it looks and sleeps")
    }
}
