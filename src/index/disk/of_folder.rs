//! What a test has set for the files below a folder.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

/// Values, each for the files below a folder.
#[derive(Debug)]
pub(crate) struct OfFolder<T: 'static> {
    any: AtomicBool,
    all: RwLock<Vec<(u64, PathBuf, T)>>,
}

impl<T: Clone> OfFolder<T> {
    pub(crate) const fn new() -> Self {
        Self { any: AtomicBool::new(false), all: RwLock::new(Vec::new()) }
    }

    /// Sets a value until what is returned is dropped.
    pub(crate) fn set(&'static self, folder: &Path, value: T) -> SetValue<T> {
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        let number = all.last().map_or(0, |(last, ..)| last + 1);
        all.push((number, folder.into(), value));
        self.any.store(true, Ordering::Release);
        SetValue { of: self, number }
    }

    /// Returns the values set for a file or folder.
    pub(crate) fn at(&self, path: &Path) -> Vec<T> {
        if !self.any.load(Ordering::Acquire) {
            return Vec::new();
        }
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter(|(_, folder, _)| path.starts_with(folder)).map(|(.., value)| value.clone()).collect()
    }
}

/// A value that is set until this is dropped.
#[derive(Debug)]
pub(crate) struct SetValue<T: 'static> {
    of: &'static OfFolder<T>,
    number: u64,
}

impl<T> Drop for SetValue<T> {
    fn drop(&mut self) {
        let mut all = self.of.all.write().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(number, ..)| *number != self.number);
    }
}
