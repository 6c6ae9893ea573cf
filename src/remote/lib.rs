//! Objects of S3, Google Cloud Storage, Azure and HTTP servers, read and written as files.
//!
//! A path is *remote* if it begins with the scheme of a store: `s3://`, `s3a://`, `gs://`, `az://`, `abfs://`,
//! `abfss://`, `http://` or `https://`. The first part after it names the bucket, container or server, the rest the
//! object, byte for byte as in `aws s3 ls` (of an HTTP server, percent-encoded as in a browser).
//!
//! Credentials, the region and the endpoint come from the usual variables of the environment: `AWS_*`, `GOOGLE_*`,
//! `AZURE_*`. This is the only place of the library that reads the environment. Two threads, started by the first
//! request, send all requests; a request that fails is tried again for a minute.
//!
//! Without the feature `cloud` remote paths are recognized, and refused by every function.
//!
//! This crate may import the standard library and other crates, and nothing of nddb.
#![forbid(unsafe_code)]

mod address;
mod failure;

#[cfg(feature = "cloud")]
mod client;
#[cfg(feature = "cloud")]
mod file;
#[cfg(feature = "cloud")]
mod objects;

#[cfg(not(feature = "cloud"))]
mod absent;

use std::path::PathBuf;

#[cfg(not(feature = "cloud"))]
pub use absent::{RemoteFile, list, remove, upload};
pub use address::{check_writable, is_listable, is_remote, root};
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
}
