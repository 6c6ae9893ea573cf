//! The index of the queries against its definition, the plain nested loop.

use nddb_format::Fingerprint;
use nddb_format::fingerprint::low_mask;
use nddb_format::scheme::Scheme;
use nddb_format::segment::{Segment, encode};
use proptest::prelude::*;

use super::close::within;
use super::index::QueryIndex;
use super::sieve::Sieve;
use crate::Error;
use crate::within::Within;

const MEMORY: u64 = 1 << 30;

/// Numbers of stored fingerprints for which the index is made in each of its ways.
fn stored_lens() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(u64::MAX), (0u32..30).prop_map(|bits| 1 << bits)]
}

/// Returns the pairs (value, query) of the definition, ascending.
fn defined(k: u8, queries: &[u64], values: &[u64]) -> Vec<(u64, u64)> {
    let mut pairs = Vec::new();
    let found = within(k.into(), queries, values, &mut |query, value| {
        pairs.push((value, query));
        Ok::<_, ()>(())
    });
    assert_eq!(found, Ok(()));
    pairs.sort_unstable();
    pairs
}

/// Returns the pairs (value, query) that the index finds in ascending values, given in pieces.
fn sieved(index: &QueryIndex, values: &[u64], piece: usize) -> Vec<(u64, u64)> {
    let (mut sieve, mut pairs) = (Sieve::new(index), Vec::new());
    let mut found = |query, value| {
        pairs.push((value, query));
        Ok::<_, ()>(())
    };
    let done = values.chunks(piece).try_for_each(|piece| sieve.push(piece, &mut found));
    assert_eq!(done.and_then(|()| sieve.finish(&mut found)), Ok(()));
    pairs.sort_unstable();
    pairs
}

/// Values of `bits` bits, most of them in clusters around the first ones.
fn clustered(bits: u8, seeds: &[(u64, usize, u8, u8)]) -> Vec<u64> {
    let mut values: Vec<u64> = Vec::new();
    for &(seed, centre, flip, flips) in seeds {
        let centre = if flips > 5 || values.is_empty() { seed } else { values[centre % values.len()] };
        let value = (0..flips % 6).fold(centre, |value, step| value ^ 1 << (flip.wrapping_mul(step + 1) % bits));
        values.push(value & low_mask(bits));
    }
    values
}

fn seeds(len: usize) -> impl Strategy<Value = Vec<(u64, usize, u8, u8)>> {
    prop::collection::vec((any::<u64>(), any::<usize>(), any::<u8>(), 0u8..8), 0..len)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]
    #[test]
    fn a_sweep_finds_what_a_nested_loop_finds(
        bits in 8u8..=64, k in 0u8..=16, seeds in seeds(500), cut in any::<usize>(), piece in 1usize..2000,
        ordinal in any::<usize>(), groups in 1u8..3, stored_len in stored_lens(), memory in prop_oneof![Just(MEMORY), 0u64..1 << 20],
    ) {
        let of_scheme = k.min(7).min(bits - 1);
        let scheme = Scheme::new(bits, of_scheme, &[(of_scheme + groups).min(bits)], 0).expect("a scheme");
        let table = &scheme.tables()[ordinal % scheme.tables().len()];
        let all = clustered(bits, &seeds);
        let (queries, stored) = all.split_at(if all.is_empty() { 0 } else { cut % all.len() });
        let queries: Vec<Fingerprint> = queries.iter().copied().map(Fingerprint).collect();
        let sorted = |values: &mut dyn Iterator<Item = u64>| -> Vec<u64> {
            let mut values: Vec<u64> = values.map(|value| table.permute(Fingerprint(value)).0).collect();
            values.sort_unstable();
            values.dedup();
            values
        };
        let stored = sorted(&mut stored.iter().copied());
        let distinct = sorted(&mut queries.iter().map(|query| query.0));
        let index =
            QueryIndex::new(table, &queries, Within(k), stored_len, memory).expect("queries within the width");
        prop_assert_eq!(sieved(&index, &stored, piece), defined(k, &distinct, &stored));
        for (ordinal, query) in (0..).zip(&queries) {
            let position = index.index_of(table.permute(*query).0).expect("a query");
            prop_assert!(index.ordinals(position as u32).contains(&ordinal), "equal queries keep their ordinals");
        }
    }

    #[test]
    fn decoded_blocks_are_swept_in_any_ranges(
        seeds in seeds(4000), cut in 1u64..8, ordinal in 0usize..10, stored_len in stored_lens(),
    ) {
        let scheme = Scheme::new(64, 3, &[5], 32).expect("ten tables");
        let table = &scheme.tables()[ordinal];
        let all = clustered(64, &seeds);
        let mut stored: Vec<u64> = all.iter().map(|&value| table.permute(Fingerprint(value)).0).collect();
        stored.sort_unstable();
        stored.dedup();
        prop_assume!(!stored.is_empty());
        let queries: Vec<Fingerprint> = all.iter().step_by(3).map(|&value| Fingerprint(value ^ 1 << 40)).collect();
        let mut distinct: Vec<u64> = queries.iter().map(|&query| table.permute(query).0).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let file = encode(&scheme, ordinal, &stored).expect("sorted values");
        let segment = Segment::open(&file[..]).expect("a segment");
        let index = QueryIndex::new(table, &queries, Within(3), stored_len, MEMORY).expect("queries");
        let mut pairs = Vec::new();
        for first in (0..segment.block_len()).step_by(cut as usize) {
            let mut sieve = Sieve::new(&index);
            let mut found = |query, value| {
                pairs.push((value, query));
                Ok::<_, nddb_format::FormatError>(())
            };
            segment.scan(first, cut, &mut |values: &[u64]| sieve.push(values, &mut found)).expect("sound blocks");
            sieve.finish(&mut found).expect("nothing fails");
        }
        pairs.sort_unstable();
        prop_assert_eq!(pairs, defined(3, &distinct, &stored));
    }
}

#[test]
fn what_is_out_of_range_is_refused() {
    let scheme = Scheme::new(32, 3, &[4], 0).expect("a scheme");
    let new = |query, k| QueryIndex::new(&scheme.tables()[0], &[Fingerprint(query)], Within(k), 0, MEMORY).err();
    assert!(new(u32::MAX.into(), 7).is_none());
    assert!(matches!(new(1 << 32, 3), Some(Error::OutOfRange { what: "the fingerprint", .. })));
    assert!(new(0, 16).is_none());
    assert!(matches!(new(0, 17), Some(Error::OutOfRange { what: "k", .. })));
}
