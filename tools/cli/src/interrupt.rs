//! Handling of ^C: the first stops the command at a point where its work can be resumed, the second ends the process.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::failure::Code;

static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Installs the signal handlers. Only commands that save their position call this; other commands end at once.
pub(crate) fn catch() -> io::Result<()> {
    for signal in [SIGINT, SIGTERM] {
        // The order matters: the first signal finds the flag unset and sets it; the second finds it set and ends the
        // process.
        flag::register_conditional_shutdown(signal, Code::Interrupted as i32, ASKED.clone())?;
        flag::register(signal, ASKED.clone())?;
    }
    Ok(())
}

/// Whether the user has asked to stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
