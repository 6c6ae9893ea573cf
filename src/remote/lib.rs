//! Objects of S3, Google Cloud Storage, Azure and HTTP servers, read and written as files.
//!
//! A path is *remote* if it begins with the scheme of a store: `s3://`, `s3a://`, `gs://`, `az://`, `abfs://`,
//! `abfss://`, `http://` or `https://`. The first part after it names the bucket, container or server, the rest the
//! object, byte for byte as in `aws s3 ls` (of an HTTP server, percent-encoded as in a browser).
//!
//! Credentials, the region and the endpoint come from the usual variables of the environment: `AWS_*`, `GOOGLE_*`,
//! `AZURE_*`, and `NDDB_HTTP_CREDENTIALS`, the path of a list of signed addresses. This is the only place of the
//! library that reads the environment. Two threads, started by the first request, send all requests; a request that
//! fails is tried again for a minute.
//!
//! The range, the length and the version (ETag, or time of modification and size) of every answer are compared with
//! what was asked for. A file of a server that sends no ranges is copied to a temporary file.
//!
//! Without the feature `cloud` remote paths are recognized, and refused by every function.
//!
//! This crate may import the standard library and other crates, and nothing of nddb.
#![forbid(unsafe_code)]

mod address;
mod credentials;
mod failure;

#[cfg(feature = "cloud")]
mod client;
#[cfg(feature = "cloud")]
mod file;
#[cfg(feature = "cloud")]
mod http;
#[cfg(feature = "cloud")]
mod listing;
#[cfg(feature = "cloud")]
mod objects;
#[cfg(feature = "cloud")]
mod servers;
#[cfg(feature = "cloud")]
mod spool;
#[cfg(feature = "cloud")]
mod trouble;
#[cfg(feature = "cloud")]
mod version;

#[cfg(not(feature = "cloud"))]
mod absent;

use std::path::PathBuf;

#[cfg(not(feature = "cloud"))]
pub use absent::{RemoteFile, list, remove, upload};
pub use address::{check_writable, is_below, is_listable, is_remote, root};
pub use credentials::{path_without_credentials, without_credentials};
pub use failure::is_remote_failure;
#[cfg(feature = "cloud")]
pub use file::RemoteFile;
#[cfg(feature = "cloud")]
pub use objects::{list, remove, upload};

/// An object of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its address.
    pub path: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    /// The tag that the store gave it when it was written (`ETag`): another one means that it was written again.
    pub tag: Option<String>,
}

#[cfg(all(test, feature = "cloud"))]
mod server_tests;
