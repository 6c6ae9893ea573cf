//! Long work without the GIL, which ^C ends at a safe point.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use nddb::Progress;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::Result;

/// How often signals are looked for.
pub(crate) const LOOK: Duration = Duration::from_millis(30);

/// The request to stop, which long work looks at from any thread, and what it tells.
pub(crate) struct Watching {
    stop: Arc<AtomicBool>,
    told: Sender<Progress>,
}

impl Watching {
    /// Whether the work shall end at the next safe point.
    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns a callback for the library, which says how far it is and whether to go on.
    pub(crate) fn watch(&self) -> impl FnMut(&Progress) -> bool + Send + use<> {
        let (told, stop) = (self.told.clone(), self.stop.clone());
        move |progress| {
            // Nobody may be listening.
            let _ = told.send(*progress);
            !stop.load(Ordering::Relaxed)
        }
    }
}

/// Runs work on another thread and waits for it without the GIL. What it tells is passed to `tell` on this one, which
/// is where Python calls signal handlers; after ^C, or an exception of `tell`, the work is asked to stop, and the
/// exception is raised once it has; `tell` is not called again.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    mut tell: impl FnMut(Python<'_>, Progress) -> PyResult<()> + Send,
    work: impl FnOnce(&Watching) -> T + Send,
) -> Result<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let (done, raised) = py.detach(|| {
        std::thread::scope(|scope| {
            let (told, heard) = channel();
            let watching = Watching { stop: stop.clone(), told };
            let worker = scope.spawn(move || work(&watching));
            let mut raised = None;
            loop {
                let outcome = match heard.recv_timeout(LOOK) {
                    // Of what was told in the meantime only the last is news, and none once the work is to stop.
                    Ok(progress) if raised.is_none() => {
                        let progress = heard.try_iter().last().unwrap_or(progress);
                        Python::attach(|py| tell(py, progress).and_then(|()| py.check_signals()))
                    }
                    Ok(_) | Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals()),
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                if let Err(error) = outcome {
                    stop.store(true, Ordering::Relaxed);
                    raised.get_or_insert(error);
                }
            }
            (worker.join(), raised)
        })
    });
    match (raised, done) {
        (Some(raised), _) => Err(raised.into()),
        (None, Ok(done)) => Ok(done),
        (None, Err(panic)) => std::panic::resume_unwind(panic),
    }
}

/// Passes what is told to a function of the caller, as a dictionary of phase, done, total and unit.
pub(crate) fn telling(progress: &Option<Py<PyAny>>) -> impl FnMut(Python<'_>, Progress) -> PyResult<()> + Send + '_ {
    move |py, told| {
        let Some(progress) = progress else { return Ok(()) };
        let said = PyDict::new(py);
        said.set_item("phase", told.phase)?;
        said.set_item("done", told.done)?;
        said.set_item("total", told.total)?;
        said.set_item("unit", told.unit)?;
        progress.call1(py, (said,)).map(drop)
    }
}
