//! The model of a database and its steps, which the integration tests have too.

use std::path::Path;
use std::sync::OnceLock;

use nddb::detect::OnlineDetector;
use nddb::verdict::methods::Hamming;
use nddb::{Document, Fingerprint};
use nddb_index::testing::SmallThresholds;
pub(crate) use nddb_test_support::{Random, say};

pub(crate) use model::{Content, Label, Model};
pub(crate) use truth::Truth;

#[path = "../../../it/support/commits.rs"]
#[allow(dead_code, reason = "the integration tests use all of it")]
pub(crate) mod commits;
#[path = "../../../it/support/model.rs"]
#[allow(dead_code, reason = "the integration tests use all of it")]
mod model;
#[path = "../../../it/support/steps.rs"]
#[allow(dead_code, reason = "the integration tests use all of it")]
pub(crate) mod steps;
#[path = "../../../it/support/truth.rs"]
#[allow(dead_code, reason = "the integration tests use all of it")]
mod truth;

/// Returns a document that has only a fingerprint.
fn bare(id: &str, fingerprint: u64) -> Document {
    Document::bare(id, Fingerprint(fingerprint)).expect("a good id")
}

/// The verdict by hamming alone, within so many bits.
fn hamming(within: u32) -> OnlineDetector {
    OnlineDetector::new(Hamming::within(within))
}

/// Makes the thresholds of all writers of this process small, so that few deeds reach a fold, a flush, a merge.
pub(crate) fn small_thresholds() {
    static SMALL: OnceLock<SmallThresholds> = OnceLock::new();
    SMALL.get_or_init(|| nddb_index::testing::small_thresholds(Path::new("/")));
}

/// Returns a folder that is removed with the test, in memory where there is a file system in memory. The thresholds of
/// databases are small.
pub(crate) fn folder() -> tempfile::TempDir {
    small_thresholds();
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.expect("a folder can be made")
}
