//! The deleted set: a `.del` file, the numbers of the deleted documents as a roaring treemap in the
//! portable layout (SPEC 8.4).

use roaring::RoaringTreemap;

use crate::error::malformed;
use crate::fields::{self, Field, check_crc, layout};
use crate::postings::NUMBER_END;
use crate::{FormatError, Result};

/// Magic of a deleted set's file.
pub const MAGIC: &[u8; 8] = b"\x89nddbD\r\n";

layout! {
    /// The fields of the header.
    FIELDS of a file;
    /// Zero.
    RESERVED: 4, "reserved";
    /// Number of document numbers.
    COUNT: 8, "count";
    /// Bytes of the treemap, which follows the header. The CRC-32 of all bytes before it ends the file.
    PAYLOAD_SIZE: 8, "payload_size";
}
/// Bytes of the header.
pub const HEADER_SIZE: usize = PAYLOAD_SIZE.end();

const CHECKSUM_SIZE: usize = 4;
const WHAT: &str = "deleted set";

/// Encodes a set of document numbers as a `.del` file.
pub fn encode(set: &RoaringTreemap) -> Vec<u8> {
    let size = set.serialized_size();
    let mut bytes = vec![0; HEADER_SIZE];
    bytes.reserve(size + CHECKSUM_SIZE);
    fields::put_start(&mut bytes, MAGIC);
    COUNT.put(&mut bytes, set.len());
    PAYLOAD_SIZE.put(&mut bytes, size as u64);
    set.serialize_into(&mut bytes).expect("a vector takes all bytes");
    let checksum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Decodes a `.del` file to its set of document numbers.
///
/// # Errors
/// [`FormatError`] for the first rule that is broken.
pub fn decode(bytes: &[u8]) -> Result<RoaringTreemap> {
    fields::check_start(WHAT, bytes, MAGIC, HEADER_SIZE + CHECKSUM_SIZE)?;
    let body = bytes.len() - CHECKSUM_SIZE;
    let payload = &bytes[HEADER_SIZE..body];
    if PAYLOAD_SIZE.get(bytes) > payload.len() as u64 {
        let need = PAYLOAD_SIZE.get(bytes).saturating_add((HEADER_SIZE + CHECKSUM_SIZE) as u64);
        return Err(FormatError::Truncated { what: WHAT, need, have: bytes.len() as u64 });
    }
    if PAYLOAD_SIZE.get(bytes) != payload.len() as u64 {
        return malformed(WHAT, PAYLOAD_SIZE.offset, "the file is as long as its payload_size says");
    }
    check_crc(WHAT, bytes, Field { offset: body, size: CHECKSUM_SIZE, name: "checksum" })?;
    RESERVED.expect_zero(WHAT, bytes)?;
    // roaring checks the order within a bitmap, but neither the order of the bitmaps nor the counts of runs and the
    // offsets. So a payload is valid only if encoding the decoded set gives the same bytes.
    let portable = "the payload is a treemap in the portable layout, keys ascending, nothing empty";
    let Ok(set) = RoaringTreemap::deserialize_from(payload) else {
        return malformed(WHAT, HEADER_SIZE, portable);
    };
    let mut encoded = Vec::with_capacity(payload.len());
    let written = set.serialized_size() == payload.len() && set.serialize_into(&mut encoded).is_ok();
    if !written || encoded != payload || set.bitmaps().any(|(_, bitmap)| bitmap.is_empty()) {
        return malformed(WHAT, HEADER_SIZE, portable);
    }
    if set.max().is_some_and(|greatest| greatest >= NUMBER_END) {
        return malformed(WHAT, HEADER_SIZE, "a document number is below 2^40");
    }
    if set.len() != COUNT.get(bytes) {
        return malformed(WHAT, COUNT.offset, "count is the number of document numbers");
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Sets of all three kinds of container: scattered numbers, dense ranges, runs.
    fn sets() -> impl Strategy<Value = RoaringTreemap> {
        let numbers = prop::collection::vec(0..NUMBER_END, 0..300);
        let ranges = prop::collection::vec((0..NUMBER_END, 0u64..90_000, 1usize..4), 0..4);
        (numbers, ranges, any::<bool>()).prop_map(|(numbers, ranges, runs)| {
            let mut set: RoaringTreemap = numbers.into_iter().collect();
            for (low, len, step) in ranges {
                set.extend((low..(low + len).min(NUMBER_END)).step_by(step));
            }
            if runs {
                set.optimize();
            }
            set
        })
    }

    fn sample() -> Vec<u8> {
        let mut set: RoaringTreemap = (0..40u64).map(|i| i * i * 1_000_003).collect();
        set.insert_range(70_000..80_000);
        set.extend((200_000..220_000).step_by(2));
        set.optimize();
        encode(&set)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_deleted_set_reads_as_it_was_written(set in sets()) {
            prop_assert_eq!(decode(&encode(&set)), Ok(set));
        }

        #[test]
        fn random_bytes_with_a_valid_checksum_never_panic(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut bytes = sample();
            for (offset, value) in changes {
                let offset = offset.index(bytes.len());
                bytes[offset] = value;
            }
            let frame = HEADER_SIZE + CHECKSUM_SIZE;
            for keep in [bytes.len(), frame + cut.index(bytes.len() - frame)] {
                bytes.truncate(keep);
                let body = bytes.len() - CHECKSUM_SIZE;
                PAYLOAD_SIZE.put(&mut bytes, (body - HEADER_SIZE) as u64);
                let checksum = crc32fast::hash(&bytes[..body]);
                bytes[body..].copy_from_slice(&checksum.to_le_bytes());
                if let Ok(set) = decode(&bytes) {
                    prop_assert_eq!(&encode(&set)[HEADER_SIZE..body], &bytes[HEADER_SIZE..body]);
                }
            }
        }

        #[test]
        fn random_payloads_never_panic(
            payload in prop::collection::vec(any::<u8>(), 0..300),
            size in 0u64..4,
            cookie in 12_345u32..12_349,
        ) {
            let mut bytes = encode(&RoaringTreemap::new());
            bytes.truncate(HEADER_SIZE);
            bytes.extend_from_slice(&size.to_le_bytes());
            bytes.extend_from_slice(&0u32.to_le_bytes());
            bytes.extend_from_slice(&cookie.to_le_bytes());
            bytes.extend_from_slice(&payload);
            let size = bytes.len() - HEADER_SIZE;
            PAYLOAD_SIZE.put(&mut bytes, size as u64);
            let checksum = crc32fast::hash(&bytes);
            bytes.extend_from_slice(&checksum.to_le_bytes());
            let _ = decode(&bytes);
        }
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_found() {
        let mut bytes = sample();
        assert!(decode(&bytes).is_ok());
        for length in 0..bytes.len() {
            assert!(decode(&bytes[..length]).is_err(), "cut to {length} bytes");
        }
        for bit in 0..bytes.len() * 8 {
            // Bitmap containers are uniform: every 31st bit of them suffices.
            if bit > 8 * 600 && bit % 31 != 0 {
                continue;
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&bytes).is_err(), "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        bytes.push(0);
        assert!(decode(&bytes).is_err(), "a byte more");
    }
}
