//! Values that belong to the process that made them, and not to its forked children.

use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::path::Path;

/// A value that is dropped only in the process that made it. In a forked child, its threads do not exist, and dropping
/// it would write or remove files of the parent.
pub(crate) struct OfProcess<T> {
    process: u32,
    value: ManuallyDrop<Option<T>>,
}

impl<T> OfProcess<T> {
    /// The value belongs to this process.
    pub(crate) fn new(value: T) -> Self {
        Self { process: std::process::id(), value: ManuallyDrop::new(Some(value)) }
    }

    /// Returns whether this process made it.
    pub(crate) fn is_ours(&self) -> bool {
        self.process == std::process::id()
    }
}

impl<T> Deref for OfProcess<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.as_ref().expect("it is there until it is dropped")
    }
}

impl<T> DerefMut for OfProcess<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.value.as_mut().expect("it is there until it is dropped")
    }
}

impl<T> Drop for OfProcess<T> {
    fn drop(&mut self) {
        if self.is_ours() {
            self.value.take();
        }
    }
}

/// Returns a unique identity for a catalog or a database, made from the path, the process and the time.
pub(crate) fn new_identity(path: &Path) -> u128 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |now| now.as_nanos());
    let text = format!("{} {} {now}", path.display(), std::process::id());
    let half = |salt: &str| u128::from(nddb_format::digest::identity(format!("{salt}{text}").as_bytes()));
    half("high") << 64 | half("low")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_value_ends_in_its_process_only() {
        let value = Arc::new(());
        let ours = OfProcess::new(value.clone());
        // A value of another process, as in a forked child.
        let inherited = OfProcess { process: ours.process + 1, value: ManuallyDrop::new(Some(value.clone())) };
        drop(inherited);
        assert_eq!(Arc::strong_count(&value), 3, "the child has left it alone");
        drop(ours);
        assert_eq!(Arc::strong_count(&value), 2);
    }
}
