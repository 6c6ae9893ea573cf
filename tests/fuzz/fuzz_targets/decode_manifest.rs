//! Any bytes as a manifest, as a deleted set and as the list of a backup: what is read is written as it was.
#![no_main]

#[allow(dead_code, reason = "each target needs a part of it")]
#[path = "../../../format/tests/common/restamp.rs"]
mod restamp;

use libfuzzer_sys::fuzz_target;
use nddb_format::manifest::Manifest;
use nddb_format::{backup, deleted};

fn read(bytes: &[u8]) {
    if let Ok(manifest) = Manifest::decode(bytes) {
        assert_eq!(Manifest::decode(&manifest.encode()), Ok(manifest));
    }
    if let Ok(set) = deleted::decode(bytes) {
        assert_eq!(deleted::decode(&deleted::encode(&set)), Ok(set));
    }
    if let Ok(list) = backup::decode(bytes) {
        assert_eq!(backup::encode(&list).as_deref(), Ok(bytes));
    }
}

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    let mut bytes = bytes.to_vec();
    restamp::tail(&mut bytes);
    read(&bytes);
});
