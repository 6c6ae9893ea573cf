//! Any bytes as a segment: opened, verified, scanned, searched, probed.
#![no_main]

#[allow(dead_code, reason = "each target needs a part of it")]
#[path = "../../../format/tests/common/restamp.rs"]
mod restamp;

use libfuzzer_sys::fuzz_target;
use nddb_format::block::{Block, PARTS, Stretches};
use nddb_format::fingerprint::low_mask;
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
    let directory = segment.directory();
    let keys = (0..segment.block_len().min(16)).map(|block| segment.key(block).0);
    let wide = low_mask(segment.header().table.bits());
    let targets = [0, 1 << 20, wide >> 1, wide].into_iter().chain(keys.flat_map(|key| [key, key ^ 4]));
    for target in targets.map(|target| target & wide) {
        let found = segment.find(Permuted(target));
        if let Some(place) = directory.as_ref().and_then(|directory| directory.find(Permuted(target))) {
            let found = found.unwrap_or(segment.block_len());
            assert!(!sound || place.block == found, "the directory finds what the search finds");
        }
        if let Some(Ok(block)) = found.map(|found| segment.block(found)) {
            probe(&block, target, sound);
        }
    }
}

/// Probes a block near `target`, by the definition and by the fast way, which agree where the block is sound.
fn probe(block: &Block<'_>, target: u64, sound: bool) {
    let (high, query, mut plain) = (target | 0xffff_ffff, target ^ 1, Vec::new());
    let (_, goes_on) = block.probe(target, high, query, 3, |entry, value| plain.push((entry, value)));
    let position = block.position(target);
    let four = [0, 300, 600, PARTS - 1].map(|part| block.approach(target, part));
    let mut stretches = Stretches::default();
    stretches.decode(&four);
    for (lane, approach) in four.into_iter().enumerate() {
        let mut fast = Vec::new();
        let (_, goes_on_too) =
            approach.probe(stretches.lane(lane), high, query, 3, |entry, value| fast.push((entry, value)));
        let position_too = approach.position(stretches.lane(lane));
        assert!(
            !sound || (&fast, goes_on_too, position_too) == (&plain, goes_on, position),
            "both ways find the same near {target:016x}"
        );
    }
}

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    let mut bytes = bytes.to_vec();
    restamp::segment(&mut bytes);
    read(&bytes);
});
