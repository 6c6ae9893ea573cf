//! The storage calls of the engine as steps: tests can observe each call before it is made, and make it fail or end the
//! process there.

use std::io;
use std::path::Path;

#[cfg(any(test, feature = "testing"))]
pub use observed::{StorageObserver, observe_storage};

/// Announces a storage call.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn step(action: &'static str, path: &Path) -> io::Result<()> {
    observed::announce(action, path)
}

/// Announces a storage call: only tests observe them.
#[cfg(not(any(test, feature = "testing")))]
pub(crate) fn step(_action: &'static str, _path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(any(test, feature = "testing"))]
mod observed {
    use std::io;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, PoisonError, RwLock};

    /// Receives the action and the file or folder of a storage call before it is made; the call fails with a
    /// returned error.
    type Observer = Arc<dyn Fn(&'static str, &Path) -> io::Result<()> + Send + Sync>;

    static OBSERVED: AtomicBool = AtomicBool::new(false);
    static OBSERVERS: RwLock<Vec<(u64, PathBuf, Observer)>> = RwLock::new(Vec::new());

    /// An observer of the storage calls below a folder, until it is dropped.
    #[derive(Debug)]
    pub struct StorageObserver(u64);

    /// Calls `observer` before each storage call below `folder`, with the action and the path.
    pub fn observe_storage(
        folder: &Path,
        observer: impl Fn(&'static str, &Path) -> io::Result<()> + Send + Sync + 'static,
    ) -> StorageObserver {
        let mut observers = OBSERVERS.write().unwrap_or_else(PoisonError::into_inner);
        let number = observers.last().map_or(0, |(last, ..)| last + 1);
        observers.push((number, folder.into(), Arc::new(observer)));
        OBSERVED.store(true, Ordering::Release);
        StorageObserver(number)
    }

    impl Drop for StorageObserver {
        fn drop(&mut self) {
            OBSERVERS.write().unwrap_or_else(PoisonError::into_inner).retain(|(number, ..)| *number != self.0);
        }
    }

    /// Calls the observers of a storage call.
    pub(super) fn announce(action: &'static str, path: &Path) -> io::Result<()> {
        if !OBSERVED.load(Ordering::Acquire) {
            return Ok(());
        }
        // Observers are called without the lock, because an observer may wait.
        let observers: Vec<Observer> = {
            let observers = OBSERVERS.read().unwrap_or_else(PoisonError::into_inner);
            observers.iter().filter(|(_, folder, _)| path.starts_with(folder)).map(|(.., it)| it.clone()).collect()
        };
        observers.iter().try_for_each(|observer| observer(action, path))
    }
}
