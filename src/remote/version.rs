//! Which version of a file an answer of an HTTP server is of.

use std::time::{Duration, SystemTime};

use chrono::DateTime;
use reqwest::header::{self, HeaderMap, HeaderName};

/// What a server tells of a file, which differs if the file was replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Version {
    etag: Option<String>,
    pub(crate) modified: Option<String>,
    pub(crate) encoding: Option<String>,
    /// Bytes of the whole file.
    size: Option<u64>,
}

impl Version {
    pub(crate) fn of(headers: &HeaderMap, size: Option<u64>) -> Self {
        let encoding = text(headers, header::CONTENT_ENCODING).filter(|name| !name.eq_ignore_ascii_case("identity"));
        let (etag, modified) = (text(headers, header::ETAG), text(headers, header::LAST_MODIFIED));
        Self { etag, modified, encoding, size }
    }

    /// Returns the ETag that is the same for the same bytes only.
    pub(crate) fn strong(&self) -> Option<&str> {
        self.etag.as_deref().filter(|etag| !etag.starts_with("W/"))
    }

    /// Returns whether another answer of this version is one of the same file.
    pub(crate) fn is_known(&self) -> bool {
        self.size.is_some() && (self.strong().is_some() || self.modified.is_some())
    }

    /// Returns the time of the last modification.
    pub(crate) fn modified(&self) -> Option<SystemTime> {
        let told = DateTime::parse_from_rfc2822(self.modified.as_deref()?).ok()?;
        SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(u64::try_from(told.timestamp()).ok()?))
    }
}

/// Returns a header as text.
pub(crate) fn text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    Some(headers.get(name)?.to_str().ok()?.to_owned())
}
