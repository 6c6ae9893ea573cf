//! Addresses: the scheme, the bucket and the object that a remote path names.

use std::io;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

const SCHEMES: [&str; 8] = ["s3", "s3a", "gs", "az", "abfs", "abfss", "http", "https"];

/// The parts of a remote path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address<'a> {
    /// The scheme, one of [`SCHEMES`].
    pub(crate) scheme: &'a str,
    /// The bucket, the container or the server.
    pub(crate) bucket: &'a str,
    /// The name of the object, or of a folder of objects.
    pub(crate) key: &'a str,
}

impl<'a> Address<'a> {
    /// Returns the parts of a path, if it is remote.
    pub(crate) fn of(path: &'a Path) -> Option<Self> {
        let (scheme, rest) = path.to_str()?.split_once("://")?;
        let scheme = SCHEMES.into_iter().find(|known| scheme.eq_ignore_ascii_case(known))?;
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        Some(Self { scheme, bucket, key })
    }

    /// Returns the address of its bucket, its container or its server.
    pub(crate) fn root(&self) -> String {
        format!("{}://{}", self.scheme, self.bucket)
    }

    /// Returns whether it is of an HTTP server, which can neither list nor be written.
    pub(crate) fn is_http(&self) -> bool {
        self.scheme.starts_with("http")
    }
}

/// Returns whether a path is the address of an object, or of a folder of objects.
///
/// ```
/// # use std::path::Path;
/// assert!(nddb_remote::is_remote(Path::new("s3://crawls/2026-47/a.warc.gz")));
/// assert!(!nddb_remote::is_remote(Path::new("crawls/s3/a.warc.gz")));
/// ```
#[must_use]
pub fn is_remote(path: &Path) -> bool {
    Address::of(path).is_some()
}

/// Returns the address of the bucket, the container or the server of a remote path.
#[must_use]
pub fn root(path: &Path) -> Option<PathBuf> {
    Address::of(path).map(|address| address.root().into())
}

/// Returns whether an address is below another one, or is the same: on the same server, or in the same bucket, and in
/// the same folder. An address with parts of dots is below none.
#[must_use]
pub fn is_below(path: &Path, base: &Path) -> bool {
    let (Some(of_path), Some(of_base)) = (Address::of(path), Address::of(base)) else { return false };
    // Names of servers, but not of buckets, have no case; a user is no part of them.
    let place = |address: &Address<'_>| match address.is_http() {
        true => address.bucket.rsplit('@').next().unwrap_or_default().to_ascii_lowercase(),
        false => address.bucket.to_owned(),
    };
    let is_dots = |part: &str| matches!(&*part.to_ascii_lowercase().replace("%2e", "."), "." | "..");
    // A URL may have backslashes for slashes, and its server ends at `?` and `#`, too.
    let is_odd = of_path.is_http()
        && (of_path.bucket.contains(['\\', '?', '#'])
            || of_path.key.split(['?', '#']).next().unwrap_or("").contains('\\'));
    let folder = of_base.key.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let below = of_path.key.strip_prefix(folder);
    of_path.scheme == of_base.scheme
        && place(&of_path) == place(&of_base)
        && !is_odd
        && !of_path.key.split('/').any(is_dots)
        && below.is_some_and(|below| folder.is_empty() || below.is_empty() || below.starts_with('/'))
}

/// Fails unless objects can be written at a remote path.
///
/// # Errors
/// It is on an HTTP server.
pub fn check_writable(path: &Path) -> io::Result<()> {
    if is_listable(path) {
        return Ok(());
    }
    let told = "an HTTP server cannot be written to; name a file, or an object of a store";
    Err(Failure::of(io::ErrorKind::Unsupported, told))
}

/// Returns whether a path is in a store that can list its objects and be written to: not on an HTTP server.
#[must_use]
pub fn is_listable(path: &Path) -> bool {
    Address::of(path).is_some_and(|address| !address.is_http())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_path_has_the_scheme_of_a_store() {
        let of = |path| Address::of(Path::new(path)).map(|found| (found.scheme, found.bucket, found.key));
        assert_eq!(of("s3://crawls/a b/c#d?e.gz"), Some(("s3", "crawls", "a b/c#d?e.gz")));
        assert_eq!(of("HTTPS://data.example.org/a.gz"), Some(("https", "data.example.org", "a.gz")));
        assert_eq!(
            of("abfss://c@account.dfs.core.windows.net/x/"),
            Some(("abfss", "c@account.dfs.core.windows.net", "x/"))
        );
        assert_eq!(of("gs://crawls"), Some(("gs", "crawls", "")));
        for local in ["/s3://crawls/a", "s3:/crawls/a", "hdfs://crawls/a", "s3", ""] {
            assert_eq!(of(local), None, "{local}");
        }
        let (store, server) = (Path::new("gs://crawls/a/b"), Path::new("http://crawls/a"));
        assert!(is_listable(store) && check_writable(store).is_ok() && root(store) == Some("gs://crawls".into()));
        let below = |path: &str, base: &str| is_below(Path::new(path), Path::new(base));
        for path in ["https://h.org/c/a.gz", "https://H.org/c", "https://me:pw@h.org/c/d/e?sig=1"] {
            assert!(
                below(path, "https://h.org") && below(path, "https://h.org/c/") && below(path, "https://you:x@h.org/c")
            );
        }
        for other in [
            "http://h.org/c/a",
            "https://h.org.evil.org/c/a",
            "https://h.org@evil.org/c/a",
            "https://h.org:8/c/a",
            "https://h.org/c/../a",
            "https://h.org/c/%2E%2e/a",
            "https://h.org/cc/a",
            "https://h.org\\@evil.org/c/a",
            "https://h.org/c/..\\a",
            "s3://h.org/c/a",
            "/c/a",
            "file:///c/a",
            "https://evil.org?@h.org/c/a",
        ] {
            assert!(!below(other, "https://h.org/c"), "{other}");
        }
        assert!(below("s3://b/k", "s3://b") && !below("s3://B/k", "s3://b"));
        assert!(!is_listable(server) && check_writable(server).is_err() && root(Path::new("a")).is_none());
    }
}
