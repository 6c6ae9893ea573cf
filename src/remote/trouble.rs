//! Why a request fails: may it succeed later?

use std::io;

use crate::failure::Failure;

/// The error for an object that was replaced while it was read.
pub(crate) const REPLACED: &str = "it was replaced while it was read; run the command again";

/// Why a request failed.
pub(crate) enum Trouble {
    /// The same request may succeed later.
    Passing(io::Error),
    /// No server is there, or none any more.
    Unreachable(io::Error),
    /// It will fail again.
    Lasting(io::Error),
}

impl Trouble {
    pub(crate) fn lasting(kind: io::ErrorKind, told: impl Into<String>) -> Self {
        Self::Lasting(Failure::of(kind, told))
    }

    /// An answer that is not what was asked for.
    pub(crate) fn mismatch(told: &str) -> Self {
        let next = "download it by another program, and load the copy";
        Self::lasting(io::ErrorKind::InvalidData, format!("{told}; {next}"))
    }

    pub(crate) fn replaced() -> Self {
        Self::lasting(io::ErrorKind::Other, REPLACED)
    }
}

impl From<reqwest::Error> for Trouble {
    fn from(error: reqwest::Error) -> Self {
        if let Some(why) = Inside::of(&error) {
            return Self::lasting(io::ErrorKind::Other, why);
        }
        let (is_lasting, is_unreachable) = (error.is_builder(), error.is_connect());
        let error = Failure::of(io::ErrorKind::Other, causes(&error.without_url()));
        match (is_lasting, is_unreachable) {
            (true, _) => Self::Lasting(error),
            (_, true) => Self::Unreachable(error),
            _ => Self::Passing(error),
        }
    }
}

/// Why a name is not connected to.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Inside(pub(crate) String);

impl Inside {
    /// Finds this reason among the causes of an error.
    pub(crate) fn of(error: &reqwest::Error) -> Option<String> {
        let mut cause = std::error::Error::source(error);
        while let Some(error) = cause {
            if let Some(Self(why)) = error.downcast_ref() {
                return Some(why.clone());
            }
            cause = error.source();
        }
        None
    }
}

/// The messages of an error and of what caused it, each once.
pub(crate) fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        cause = inner.source();
    }
    text
}
