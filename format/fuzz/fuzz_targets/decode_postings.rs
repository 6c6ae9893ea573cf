//! Any bytes as a postings file: opened, verified, read list by list.
#![no_main]

#[allow(dead_code, reason = "each target needs a part of it")]
#[path = "../../tests/common/restamp.rs"]
mod restamp;

use std::ops::Range;

use libfuzzer_sys::fuzz_target;
use nddb_format::FormatError;
use nddb_format::postings::Postings;

fn read(bytes: &[u8]) {
    let Ok(postings) = Postings::open(bytes) else { return };
    let touch = |_: Range<u64>| Ok::<_, FormatError>(());
    let sound = postings.verify().is_ok();
    for rank in 0..postings.header().fingerprints.min(1000) {
        match postings.list(rank, &touch) {
            Ok(list) => {
                for place in list.take(1000) {
                    assert!(postings.number(place, &touch).is_ok() || !sound, "verify saw number {place}");
                }
            }
            Err(error) => assert!(!sound, "verify saw list {rank}: {error}"),
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    let mut bytes = bytes.to_vec();
    restamp::postings(&mut bytes);
    read(&bytes);
});
