use proptest::prelude::*;

use super::*;
use crate::FormatError;
use crate::fingerprint::low_mask;
use crate::huffman::{self, Code, Decoder};

/// Encodes ascending values of `bits` bits as the blocks of one segment.
fn encode(values: &[u64], bits: u8, restart: u16) -> (Decoder, Vec<u8>, Vec<u64>) {
    let mut counts = vec![0u64; usize::from(bits)];
    for pair in values.windows(2) {
        counts[63 - (pair[0] ^ pair[1]).leading_zeros() as usize] += 1;
    }
    let code = Code::new(&huffman::lengths(&counts), bits).expect("a complete code");
    let decoder = Decoder::new(&code, bits);
    let mut encoder = BlockEncoder::new(code, 7, restart);
    let (mut bytes, mut keys) = (Vec::new(), Vec::new());
    for &value in values {
        keys.extend(encoder.push(value, &mut bytes));
    }
    keys.extend(encoder.flush(&mut bytes));
    assert_eq!(bytes.len(), keys.len() * BLOCK_SIZE);
    (decoder, bytes, keys)
}

fn padded(bytes: &[u8], number: usize) -> Padded {
    let mut block = [0xa5; PADDED_SIZE];
    block[..BLOCK_SIZE].copy_from_slice(&bytes[number * BLOCK_SIZE..][..BLOCK_SIZE]);
    block
}

/// Ascending values: uniform, clustered, dense or sparse.
fn values() -> impl Strategy<Value = (u8, Vec<u64>)> {
    (8u8..=64, prop::collection::btree_set((any::<u64>(), 0u32..64), 1..600)).prop_map(|(bits, raw)| {
        let set: std::collections::BTreeSet<u64> =
            raw.into_iter().map(|(value, shift)| (value >> shift) & low_mask(bits)).collect();
        (bits, set.into_iter().collect())
    })
}

proptest! {
    #[test]
    fn blocks_decode_to_what_was_encoded(
        (bits, values) in values(),
        restart in prop::sample::select(vec![0u16, 2, 3, 16, 32]),
    ) {
        let (decoder, bytes, keys) = encode(&values, bits, restart);
        let blocks: Vec<Padded> = (0..keys.len()).map(|number| padded(&bytes, number)).collect();
        let mut decoded = Vec::new();
        for (number, bytes) in blocks.iter().enumerate() {
            check(bytes, 7, number as u64).expect("its checksum");
            prop_assert!(check(bytes, 8, number as u64).is_err(), "another segment");
            prop_assert!(check(bytes, 7, number as u64 + 1).is_err(), "another index");
            let block = Block::new(bytes, &decoder, restart).expect("a sound head");
            block.decode(&mut decoded).expect("a sound stream");
            prop_assert_eq!(decoded.last(), Some(&keys[number]));
        }
        prop_assert_eq!(&decoded, &values);
        // Four at a time, the same blocks repeatedly, must give the same.
        let block = |index: usize| Block::new(&blocks[index % blocks.len()], &decoder, restart).expect("sound");
        let four = [block(0), block(1), block(2), block(3)];
        let (mut fast, mut plain) = (vec![1], vec![1]);
        decode_four(&four, &mut fast).expect("sound");
        four.iter().try_for_each(|block| block.decode(&mut plain)).expect("sound");
        prop_assert_eq!(fast, plain);
    }

    #[test]
    fn probing_a_block_finds_what_a_scan_finds(
        (bits, values) in values(), restart in prop::sample::select(vec![0u16, 2, 3, 16]),
        which in any::<prop::sample::Index>(), flips in 0u64..8, width in 0u8..=64, k in 0u32..8, part in 0..PARTS,
    ) {
        let (decoder, bytes, keys) = encode(&values, bits, restart);
        let query = (values[which.index(values.len())] ^ flips) & low_mask(bits);
        let free = low_mask(width.min(bits));
        let (low, high) = (query & !free, query | free);
        let mut from = 0;
        for number in 0..keys.len() {
            let bytes = padded(&bytes, number);
            let block = Block::new(&bytes, &decoder, restart).expect("a sound head");
            let members = &values[from..from + block.len()];
            let mut found = Vec::new();
            let (decoded, goes_on) = block.probe(low, high, query, k, |index, value| found.push((index, value)));
            let want: Vec<(usize, u64)> = members.iter().copied().enumerate()
                .filter(|(_, value)| (low..=high).contains(value) && (value ^ query).count_ones() <= k).collect();
            prop_assert_eq!(&found, &want);
            prop_assert!((1..=block.len()).contains(&decoded));
            prop_assert_eq!(goes_on, *members.last().expect("one") < high);
            // The fast path, from any guess, alone and in turn with others.
            for guess in [0, part, PARTS - 1] {
                let mut fast = Vec::new();
                let approach = block.approach(low, guess);
                let (_, goes_on_too) =
                    approach.probe(Stretch::default(), high, query, k, |index, value| fast.push((index, value)));
                prop_assert_eq!(&fast, &found);
                prop_assert_eq!(goes_on_too, goes_on);
                let lows = [low, members[0], query, *members.last().expect("one")];
                let four = lows.map(|low| block.approach(low, guess));
                let mut stretches = Stretches::default();
                stretches.decode(&four);
                for (lane, approach) in four.into_iter().enumerate() {
                    let (mut by_four, mut alone) = (Vec::new(), Vec::new());
                    let stretch = stretches.lane(lane);
                    let one = approach.probe(stretch, high, query, k, |index, value| by_four.push((index, value)));
                    let stretch = Stretch::default();
                    let other = approach.probe(stretch, high, query, k, |index, value| alone.push((index, value)));
                    prop_assert_eq!((one.1, by_four), (other.1, alone));
                    // If the range is empty, either may stop at its end or at its beginning.
                    prop_assert!(one.0 == other.0 || four[lane].is_above(high), "{} and {} entries", one.0, other.0);
                    prop_assert_eq!(approach.position(stretches.lane(lane)), approach.position(Stretch::default()));
                }
            }
            for (index, &value) in members.iter().enumerate() {
                prop_assert_eq!(block.position(value), Some(index));
                prop_assert_eq!(block.approach(value, part).position(Stretch::default()), Some(index));
                let found = block.approach(value ^ 1, part).position(Stretch::default());
                prop_assert_eq!(found, block.position(value ^ 1));
                prop_assert_eq!(block.position(value ^ 1), members.binary_search(&(value ^ 1)).ok());
            }
            from += block.len();
        }
    }

    #[test]
    fn random_bytes_never_panic(
        head in prop::collection::vec(any::<u8>(), 64), body in prop::collection::vec(any::<u8>(), PADDED_SIZE),
        count in 0u64..9000,
        restart in prop::sample::select(vec![0u16, 2, 32, 4096]),
        low in any::<u64>(),
        width in 0u8..=64,
    ) {
        let (decoder, ..) = encode(&[1, 2, 4, 9, 1 << 40, 1 << 63], 64, 0);
        let mut bytes = [0; PADDED_SIZE];
        bytes.copy_from_slice(&body);
        bytes[..64].copy_from_slice(&head);
        COUNT.put(&mut bytes, count);
        RESTARTS.put(&mut bytes, if restart == 0 { 0 } else { count.saturating_sub(1) / u64::from(restart) });
        if let Ok(block) = Block::new(&bytes, &decoder, restart) {
            let mut out = Vec::new();
            let plain = block.decode(&mut out).is_ok();
            prop_assert_eq!(decode_four(&[block; 4], &mut out).is_ok(), plain);
            prop_assert!(out.len() <= 5 * ENTRIES_MAX);
            let (decoded, _) = block.probe(low, low | low_mask(width), low, 3, |_, _| ());
            prop_assert!(decoded <= block.len());
            block.position(low);
            let four = [0, 300, 600, PARTS - 1].map(|part| block.approach(low, part));
            let mut stretches = Stretches::default();
            stretches.decode(&four);
            for (lane, approach) in four.into_iter().enumerate() {
                approach.probe(stretches.lane(lane), low | low_mask(width), low, 3, |_, _| ());
                approach.position(stretches.lane(lane));
            }
        }
    }
}

#[test]
fn heads_that_break_a_rule_are_refused() {
    let (decoder, bytes, _) = encode(&[3, 5, 9, 17, 33, 65, 129], 8, 2);
    let good = padded(&bytes, 0);
    assert!(Block::new(&good, &decoder, 2).is_ok());
    for (field, value) in [(COUNT, 0), (COUNT, 8066), (COUNT, 9), (RESTARTS, 2), (RESTARTS, 4)] {
        let mut bad = good;
        field.put(&mut bad, value);
        assert!(matches!(Block::new(&bad, &decoder, 2), Err(FormatError::Malformed { .. })), "{field:?} {value}");
    }
    assert!(Block::new(&good, &decoder, 3).is_err(), "another restart interval");
}

#[test]
fn streams_that_break_a_rule_are_refused() {
    let (decoder, bytes, _) = encode(&[3, 5, 9, 17, 33, 65, 129], 8, 2);
    let good = padded(&bytes, 0);
    let decode = |bytes: &Padded| Block::new(bytes, &decoder, 2).and_then(|block| block.decode(&mut Vec::new()));
    assert!(decode(&good).is_ok());
    let mut moved = good;
    moved[FIRST.end()] ^= 1;
    assert!(matches!(decode(&moved), Err(FormatError::Malformed { .. })), "a restart offset");
    let mut tail = good;
    tail[BLOCK_SIZE - 1] = 0x80;
    assert!(matches!(decode(&tail), Err(FormatError::Malformed { .. })), "a bit after the stream");
    let mut order = good;
    FIRST.put(&mut order, 0x7f);
    assert!(matches!(decode(&order), Err(FormatError::OutOfOrder { .. })), "a first value above the second");
}
