//! A reader that many threads use while another refreshes it.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use super::reader::{Look, Reader, wait_for_commit};
use crate::Result;
use crate::runs::run::Verify;

/// A database open for reading in a process of many threads, such as a server. Each thread takes the current state,
/// which it owns and which never changes, and queries it, while another thread [refreshes](SharedReader::refresh). The
/// files of a state stay open until the last thread lets go of it.
///
/// ```
/// use nddb_index::{Config, SharedReader, Writer};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("crawl.nddb");
/// # Writer::create(&path, &Config::within(3)?)?.close()?;
/// let shared = SharedReader::open(&path)?;
/// std::thread::scope(|scope| {
///     scope.spawn(|| shared.current().view().get("page"));
///     shared.refresh()
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SharedReader {
    current: RwLock<Arc<Reader>>,
    /// Held by the thread that refreshes.
    refreshing: Mutex<()>,
    looked: Mutex<Option<Look>>,
}

impl SharedReader {
    /// Opens a database for reading.
    ///
    /// # Errors
    /// Errors of [`Reader::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, Verify::FirstTouch)
    }

    /// Opens a database for reading, with a choice of when checksums are verified.
    ///
    /// # Errors
    /// Errors of [`Reader::open`].
    pub fn open_with(path: impl AsRef<Path>, verify: Verify) -> Result<Self> {
        let reader = Reader::open_with(path, verify)?;
        Ok(Self { current: RwLock::new(Arc::new(reader)), refreshing: Mutex::new(()), looked: Mutex::default() })
    }

    /// Returns the current state. It waits only for the exchange of a pointer.
    pub fn current(&self) -> Arc<Reader> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Moves on to the newest state of the database at the path, as [`Reader::refresh`] does. Threads that have taken
    /// an earlier state keep it. Returns whether anything has changed. Documents in no run are read again each time, so
    /// this costs as much as opening a database whose runs are already open.
    ///
    /// # Errors
    /// Errors of [`Reader::open`]; the old state then stays the current one.
    pub fn refresh(&self) -> Result<bool> {
        let _one_at_a_time = self.refreshing.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(next) = self.current().next_state()? else { return Ok(false) };
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        Ok(true)
    }

    /// Waits until the writer commits, and moves on, as [`Reader::watch_commits`] does: a thread that calls this again
    /// and again keeps the state current.
    ///
    /// # Errors
    /// Errors of [`SharedReader::refresh`].
    pub fn watch_commits(&self, patience: Duration) -> Result<bool> {
        let last = || self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        let mut looked = *last();
        let outcome = wait_for_commit(self.current().dir(), &mut looked, patience, &mut || self.refresh());
        *last() = looked;
        outcome
    }
}
