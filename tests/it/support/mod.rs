//! Shared parts of the test modules.

use nddb::detect::OnlineDetector;
use nddb::verdict::methods::Hamming;
use nddb::{Document, Fingerprint};
pub(crate) use nddb_test_support::{Random, say};

pub(crate) use model::{Content, Label, Model};
pub(crate) use mount::Mount;
pub(crate) use truth::Truth;
pub(crate) use worker::{Parent, Worker};

pub(crate) mod commits;
pub(crate) mod golden;
mod model;
mod mount;
#[allow(dead_code, reason = "the crash tests use all of it")]
pub(crate) mod steps;
mod truth;
mod worker;

/// Returns a document that has only a fingerprint.
pub(crate) fn bare(id: &str, fingerprint: u64) -> Document {
    Document::bare(id, Fingerprint(fingerprint)).expect("a good id")
}

/// The verdict by hamming alone, within so many bits.
pub(crate) fn hamming(within: u32) -> OnlineDetector {
    OnlineDetector::new(Hamming::within(within))
}

/// Returns a folder that is removed with the test.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder can be made")
}
