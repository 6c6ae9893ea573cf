//! Any bytes as a segment: opened, verified, searched, scanned.
#![no_main]

#[allow(dead_code, reason = "each target needs a part of it")]
#[path = "../../tests/common/restamp.rs"]
mod restamp;

use libfuzzer_sys::fuzz_target;
use nddb_format::segment::Segment;
use nddb_format::{FormatError, Permuted};

fn read(bytes: &[u8]) {
    let Ok(segment) = Segment::open(bytes) else { return };
    let sound = segment.verify().is_ok();
    let mut count = 0;
    let scanned = segment.scan(0, u64::MAX, &mut |values: &[u64]| {
        count += values.len() as u64;
        Ok::<_, FormatError>(())
    });
    assert!(!sound || scanned.is_ok() && count == segment.header().count, "a scan sees what verify saw");
    for target in [0, 1 << 20, u64::MAX >> 1, u64::MAX] {
        if let Some(Ok(block)) = segment.find(Permuted(target)).map(|found| segment.block(found)) {
            block.probe(target, target | 0xffff_ffff, target, 3, |_, _| ());
            block.position(target);
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    let mut bytes = bytes.to_vec();
    restamp::segment(&mut bytes);
    read(&bytes);
});
