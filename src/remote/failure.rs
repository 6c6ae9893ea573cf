//! Why a request fails, and what it is told as.

use std::io;

/// A request to a store that failed, inside an [`io::Error`].
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Failure(pub(crate) String);

impl Failure {
    /// As an error of reading or writing.
    pub(crate) fn of(kind: io::ErrorKind, told: impl Into<String>) -> io::Error {
        io::Error::new(kind, Self(told.into()))
    }
}

/// Returns whether an error is of a request to a store, and says nothing about the bytes that were read before.
#[must_use]
pub fn is_remote_failure(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Failure>())
}
