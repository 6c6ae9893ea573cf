use proptest::prelude::*;

use super::*;
use crate::fingerprint::Fingerprint;
use crate::scheme::Scheme;

fn scheme(bits: u8, k: u8, restart: u16) -> Scheme {
    Scheme::new(bits, k, &[k + 2], restart).expect("a scheme")
}

/// The permuted, sorted order of table `ordinal`.
fn order(scheme: &Scheme, ordinal: usize, set: &[u64]) -> Vec<u64> {
    let table = &scheme.tables()[ordinal];
    let mut permuted: Vec<u64> = set.iter().map(|&value| table.permute(Fingerprint(value)).0).collect();
    permuted.sort_unstable();
    permuted
}

fn set(raw: Vec<(u64, u32)>, bits: u8) -> Vec<u64> {
    let set: std::collections::BTreeSet<u64> =
        raw.into_iter().map(|(value, shift)| (value >> shift) & low_mask(bits)).collect();
    set.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_segment_reads_as_it_was_written(
        raw in prop::collection::vec((any::<u64>(), 0u32..64), 1..3000), bits in 8u8..=64, k in 0u8..=6,
        restart in prop::sample::select(vec![0u16, 2, 16, 32]), which in any::<prop::sample::Index>(),
    ) {
        let scheme = scheme(bits, k.min(bits - 2), restart);
        let set = set(raw, bits);
        let ordinal = which.index(scheme.tables().len());
        let sorted = order(&scheme, ordinal, &set);
        let file = encode(&scheme, ordinal, &sorted).expect("sorted");
        let segment = Segment::open(&file[..]).expect("a sound file");
        segment.verify().expect("a sound file");
        prop_assert_eq!(&segment.header().table, &scheme.tables()[ordinal]);
        let mut scanned = Vec::new();
        let mut collect = |values: &[u64]| { scanned.extend_from_slice(values); Ok::<_, FormatError>(()) };
        segment.scan(0, u64::MAX, &mut collect).expect("sound");
        prop_assert_eq!(&scanned, &sorted);
        // Every range of blocks decodes with the header alone.
        let half = segment.block_len() / 2;
        let (mut parts, header) = (Vec::new(), SegmentHeader::decode(&file).expect("a header"));
        for (first, until) in [(0, half), (half, segment.block_len())] {
            let bytes = &file[Segment::<&[u8]>::block_offset(first)..Segment::<&[u8]>::block_offset(until)];
            let mut sink = |values: &[u64]| { parts.extend_from_slice(values); Ok::<_, FormatError>(()) };
            decode_blocks(&header, &header.decoder().expect("a code"), first, bytes, &mut sink).expect("sound");
        }
        prop_assert_eq!(&parts, &sorted);
        for &value in sorted.iter().step_by(17) {
            let block = segment.find(Permuted(value)).expect("it is there");
            prop_assert!(segment.block(block).expect("sound").position(value).is_some());
        }
        let last = (sorted.last() == Some(&u64::MAX)).then(|| segment.block_len() - 1);
        prop_assert_eq!(segment.find(Permuted(u64::MAX)), last);
    }

    #[test]
    fn random_bytes_with_valid_checksums_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let scheme = scheme(64, 3, 4);
        let sorted: Vec<u64> = (1..400u64).map(|i| (i * i) << 20).collect();
        let mut file = encode(&scheme, 0, &sorted).expect("sorted");
        for (offset, value) in changes {
            let offset = offset.index(file.len());
            file[offset] = value;
        }
        restamp(&mut file);
        if let Ok(segment) = Segment::open(&file[..]) {
            let _ = segment.verify();
            for target in [0, 1 << 30, u64::MAX] {
                if let Some(Ok(block)) = segment.find(Permuted(target)).map(|found| segment.block(found)) {
                    block.probe(target, target | 0xffff, target, 3, |_, _| ());
                }
            }
        }
    }
}

/// Recomputes every checksum of a segment, as far as its structure still allows.
fn restamp(file: &mut [u8]) {
    let identity = crate::digest::identity(&file[..header::IDENTITY.offset]);
    header::IDENTITY.put(file, identity);
    let crc = crc32fast::hash(&file[..header::CHECKSUM.offset]);
    header::CHECKSUM.put(file, u64::from(crc));
    let blocks = (file.len() - HEADER_SIZE) / (BLOCK_SIZE + 8);
    for block in 0..blocks {
        let bytes = &mut file[Segment::<&[u8]>::block_offset(block as u64)..][..BLOCK_SIZE];
        let crc = crate::digest::checksum(identity, block as u64, &bytes[4..]);
        block::CHECKSUM.put(bytes, u64::from(crc));
    }
    let index = Segment::<&[u8]>::block_offset(blocks as u64);
    let mut checksums = Vec::new();
    pages::put_checksums(identity, 0, &file[index..index + 8 * blocks], &mut checksums);
    file[index + 8 * blocks..][..checksums.len()].copy_from_slice(&checksums);
    let start = file.len() - FOOTER_SIZE;
    let footer = &mut file[start..];
    FOOTER_IDENTITY.put(footer, identity);
    INDEX_CHECKSUM.put(footer, u64::from(crc32fast::hash(&checksums)));
    crate::fields::put_crc(footer, FOOTER_CHECKSUM);
}

fn small() -> (Vec<u8>, Vec<u64>) {
    let sorted: Vec<u64> = (1..400u64)
        .map(|i| crate::digest::mix(i) >> 3)
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    (encode(&scheme(64, 3, 8), 0, &sorted).expect("sorted"), sorted)
}

#[test]
fn a_segment_cut_at_any_length_is_refused() {
    let (file, _) = small();
    for length in 0..file.len() {
        assert!(Segment::open(&file[..length]).is_err(), "cut to {length} bytes");
    }
    let mut longer = file.clone();
    longer.push(0);
    assert!(Segment::open(&longer[..]).is_err(), "a byte more");
}

#[test]
fn every_flipped_bit_is_found() {
    let (mut file, _) = small();
    for bit in 0..file.len() * 8 {
        file[bit / 8] ^= 1 << (bit % 8);
        let outcome = Segment::open(&file[..]).and_then(|segment| segment.verify());
        assert!(outcome.is_err(), "bit {bit}");
        file[bit / 8] ^= 1 << (bit % 8);
    }
    assert!(Segment::open(&file[..]).and_then(|segment| segment.verify()).is_ok());
}

#[test]
fn restamping_a_sound_file_changes_nothing() {
    let (file, _) = small();
    let mut restamped = file.clone();
    restamp(&mut restamped);
    assert_eq!(file, restamped);
}

#[test]
fn a_newer_format_is_refused_by_name() {
    let (mut file, _) = small();
    file[8] = 3;
    file[10] = 3;
    assert_eq!(
        Segment::open(&file[..]).map(|_| ()),
        Err(FormatError::Version { what: "segment", found: 3, newest: 1 })
    );
}

#[test]
fn input_out_of_order_is_refused() {
    for bad in [&[1u64, 1][..], &[2, 1], &[]] {
        assert!(encode(&scheme(64, 3, 8), 0, bad).is_err(), "{bad:?}");
    }
    assert!(encode(&scheme(16, 3, 8), 0, &[5, 0xffff]).is_ok());
    assert!(encode(&scheme(16, 3, 8), 0, &[5, 0x1_0000]).is_err(), "a bit above the width");
}
