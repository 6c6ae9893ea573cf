//! Signals. The first that asks to stop ends the command at a point where its work can be resumed, the second ends the
//! process.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

use crate::failure::Code;

static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Installs the signal handlers. Only commands that save their position, or have an output to complete or to remove,
/// call this; other commands end at once.
pub fn catch() -> io::Result<()> {
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if signal == SIGHUP && is_ignored(signal) {
            continue;
        }
        // The order matters: the first signal finds the flag unset and sets it; the second finds it set and ends the
        // process.
        flag::register_conditional_shutdown(signal, Code::Interrupted as i32, ASKED.clone())?;
        flag::register(signal, ASKED.clone())?;
    }
    Ok(())
}

/// Has a write beyond the limit of the size of files return an error, instead of ending the process.
pub(crate) fn survive_file_size_limit() -> io::Result<()> {
    flag::register(SIGXFSZ, Arc::default()).map(|_| ())
}

/// Whether the user has asked to stop.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Returns whether the process was started with a signal ignored, as `nohup` does. Where the system does not tell, it is
/// taken to be.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| mask & 1 << (signal - 1) != 0)
}
