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
    use std::path::Path;
    use std::sync::Arc;

    use crate::disk::of_folder::{OfFolder, SetValue};

    /// Receives the action and the file or folder of a storage call before it is made; the call fails with a
    /// returned error.
    type Observer = Arc<dyn Fn(&'static str, &Path) -> io::Result<()> + Send + Sync>;

    static OBSERVERS: OfFolder<Observer> = OfFolder::new();

    /// An observer of the storage calls below a folder, until it is dropped.
    pub struct StorageObserver(#[allow(dead_code, reason = "it is dropped")] SetValue<Observer>);

    impl std::fmt::Debug for StorageObserver {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("StorageObserver")
        }
    }

    /// Calls `observer` before each storage call below `folder`, with the action and the path.
    pub fn observe_storage(
        folder: &Path,
        observer: impl Fn(&'static str, &Path) -> io::Result<()> + Send + Sync + 'static,
    ) -> StorageObserver {
        StorageObserver(OBSERVERS.set(folder, Arc::new(observer)))
    }

    /// Calls the observers of a storage call, without a lock, because an observer may wait.
    pub(super) fn announce(action: &'static str, path: &Path) -> io::Result<()> {
        OBSERVERS.at(path).iter().try_for_each(|observer| observer(action, path))
    }
}
