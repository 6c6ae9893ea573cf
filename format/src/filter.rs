//! Filters: looking for a value that a segment lacks usually costs one cache line instead of a block (SPEC 6.6).
//!
//! A probe asks a table for the values with a prefix, a look-up asks a key table for one value. If few of the possible
//! prefixes occur, a filter rejects most of the others. It is a bitmap of all prefixes if that is small, otherwise a
//! Bloom filter whose bits for one prefix are in one block of 32 bytes (Putze, Sanders, Singler 2007). It never rejects
//! a prefix that occurs.

use crate::digest::mix;
use crate::fingerprint::low_mask;

/// Minimum number of different prefixes for a filter.
pub const PREFIXES_MIN: u64 = 1024;
/// Maximum number of bits of the filter of a table of fingerprints: the writer of a segment holds its filter in memory,
/// and several tables are written at a time.
pub const BITS_MAX: u64 = 1 << 30;
/// Maximum number of bits of the filter of a key table; a run has only one key table.
pub const KEY_TABLE_BITS_MAX: u64 = 1 << 33;
/// Maximum number of bits of a bitmap per prefix that occurs.
const BITMAP_BITS: u64 = 16;
/// Number of bits of a Bloom filter per prefix that occurs.
const BLOOM_BITS: u64 = 10;
/// Bytes of a block of a Bloom filter.
const BLOCK_SIZE: u64 = 32;

/// How the prefixes are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterKind {
    /// A bit for each possible prefix.
    Bitmap,
    /// Blocks of 32 bytes; a prefix sets one bit in each of the eight words of one block.
    Bloom,
}

/// The filter of a segment, without its bytes: its form follows from the table and the number of prefixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    kind: FilterKind,
    /// Bits of a value after its prefix.
    shift: u32,
    /// Size in bytes.
    size: u64,
}

/// Returns the number of top bits of a table's values that its filter covers: the bits that a probe matches, or all
/// bits if probes ask for single values. `None` if a probe asks for all values.
pub fn width(bits: u8, k: u8, prefix: u8) -> Option<u8> {
    match (prefix, k) {
        (0, 0) => Some(bits),
        (0, _) => None,
        _ => Some(prefix),
    }
}

impl Filter {
    /// Returns the filter of a segment of `bits`-bit values, with distance `k`, a table with this prefix, and this
    /// number of different prefixes. `None` if it has no filter: if there are few prefixes, if most possible prefixes
    /// occur, or if the filter would be too large.
    pub fn of(bits: u8, k: u8, prefix: u8, prefixes: u64) -> Option<Self> {
        let width = width(bits, k, prefix).filter(|width| (1..=bits.min(64)).contains(width))?;
        let possible = 1u128 << width;
        if prefixes < PREFIXES_MIN || u128::from(prefixes) * 2 > possible {
            return None;
        }
        let (kind, size) = if possible <= u128::from(prefixes) * u128::from(BITMAP_BITS) {
            (FilterKind::Bitmap, (possible / 8) as u64)
        } else {
            (FilterKind::Bloom, prefixes.checked_mul(BLOOM_BITS)?.div_ceil(8 * BLOCK_SIZE) * BLOCK_SIZE)
        };
        let most = if prefix == 0 { KEY_TABLE_BITS_MAX } else { BITS_MAX };
        (size <= most / 8).then_some(Self { kind, shift: u32::from(bits - width), size })
    }

    /// How the prefixes are kept.
    pub fn kind(&self) -> FilterKind {
        self.kind
    }

    /// Size in bytes.
    #[inline]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the common prefix of all values from `low` to `high`; `None` if their prefixes differ.
    #[inline]
    pub fn prefix_of(&self, low: u64, high: u64) -> Option<u64> {
        let prefix = low >> self.shift;
        (prefix == high >> self.shift).then_some(prefix)
    }

    /// Returns the offset of the bytes (at most 32) that tell whether a prefix may occur.
    #[inline]
    pub fn offset(&self, prefix: u64) -> usize {
        match self.kind {
            FilterKind::Bitmap => prefix as usize / 8,
            FilterKind::Bloom => {
                let blocks = self.size / BLOCK_SIZE;
                ((((mix(prefix) >> 32) * blocks) >> 32) * BLOCK_SIZE) as usize
            }
        }
    }

    /// Adds the prefix of a value.
    #[inline]
    pub fn insert(&self, bytes: &mut [u8], value: u64) {
        let prefix = value >> self.shift;
        let offset = self.offset(prefix);
        match self.kind {
            FilterKind::Bitmap => bytes[offset] |= 1 << (prefix % 8),
            FilterKind::Bloom => {
                let mut hash = mix(prefix);
                for word in bytes[offset..offset + BLOCK_SIZE as usize].chunks_exact_mut(4) {
                    let bit = (hash & low_mask(5)) as usize;
                    word[bit / 8] |= 1 << (bit % 8);
                    hash >>= 5;
                }
            }
        }
    }

    /// Returns whether a prefix may occur; `bytes` are the bytes of the filter. A prefix that is too wide does not
    /// occur.
    #[inline]
    pub fn may_have(&self, bytes: &[u8], prefix: u64) -> bool {
        let offset = self.offset(prefix);
        match self.kind {
            FilterKind::Bitmap => bytes.get(offset).is_some_and(|byte| byte >> (prefix % 8) & 1 == 1),
            FilterKind::Bloom => {
                let Some(block) = bytes.get(offset..).and_then(<[u8]>::first_chunk::<{ BLOCK_SIZE as usize }>) else {
                    return false;
                };
                let (mut hash, mut all) = (mix(prefix), 1);
                for word in block.as_chunks::<4>().0 {
                    all &= u32::from_le_bytes(*word) >> (hash & 31);
                    hash >>= 5;
                }
                all & 1 == 1
            }
        }
    }
}

/// The filter of a segment and its bytes, built from the values one by one; empty for a segment without a filter.
#[derive(Clone, Debug)]
pub struct FilterBuilder(Option<(Filter, Vec<u8>)>);

impl FilterBuilder {
    /// Starts a filter that has no prefix yet.
    pub fn new(filter: Option<Filter>) -> Self {
        Self(filter.map(|filter| (filter, vec![0; filter.size() as usize])))
    }

    /// Adds the prefix of a value.
    #[inline]
    pub fn push(&mut self, value: u64) {
        if let Some((filter, bytes)) = &mut self.0 {
            filter.insert(bytes, value);
        }
    }

    /// The bytes so far.
    pub fn bytes(&self) -> &[u8] {
        self.0.as_ref().map_or(&[], |(_, bytes)| bytes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_kind_follows_from_the_number_of_prefixes() {
        let kind = |bits, k, prefix, prefixes| Filter::of(bits, k, prefix, prefixes).map(|filter| filter.kind());
        // Ten tables of ten million fingerprints, and of a hundred million, in which most prefixes occur.
        assert_eq!(kind(64, 3, 26, 9_000_000), Some(FilterKind::Bitmap));
        assert_eq!(kind(64, 3, 26, 60_000_000), None);
        assert_eq!(kind(64, 3, 26, 20_000), Some(FilterKind::Bloom));
        // Keys; few; a probe that asks for everything; more than a writer should hold.
        assert_eq!(kind(40, 0, 0, 1_000_000), Some(FilterKind::Bloom));
        assert_eq!(kind(40, 0, 0, 25 * 30_000_000), Some(FilterKind::Bloom));
        assert_eq!(kind(40, 0, 0, 1 << 30), None);
        assert_eq!(kind(40, 0, 0, PREFIXES_MIN - 1), None);
        assert_eq!(kind(64, 3, 0, 1_000_000), None);
        assert_eq!(kind(64, 3, 32, 1 << 29), None);
        assert_eq!(Filter::of(64, 3, 26, 1 << 24).map(|filter| filter.size()), Some(1 << 23));
        assert_eq!(Filter::of(64, 3, 40, 1 << 20).map(|filter| filter.size()), Some((10 << 20) / 8));
        assert_eq!(Filter::of(64, 3, 64, u64::MAX), None);
    }

    #[test]
    fn few_prefixes_that_do_not_occur_pass() {
        for (width, len) in [(40u8, 20_000u64), (18, 20_000)] {
            let filter = Filter::of(64, 3, width, len).expect("a filter");
            let mut bytes = vec![0; filter.size() as usize];
            let prefix = |at: u64| mix(at) >> (64 - width);
            (0..len).for_each(|at| filter.insert(&mut bytes, prefix(at) << (64 - width)));
            let passed = (len..11 * len).filter(|&at| filter.may_have(&bytes, prefix(at))).count();
            let (occur, all) = (len as f64 / f64::from(width).exp2(), 10.0 * len as f64);
            assert!((passed as f64 / all) < occur + 0.015, "{width}: {passed}");
        }
    }

    proptest! {
        #[test]
        fn what_was_added_may_occur(
            values in prop::collection::vec(any::<u64>(), 1..300), prefix in 0u8..=64,
            prefixes in PREFIXES_MIN..1 << 20,
        ) {
            let Some(filter) = Filter::of(64, 0, prefix, prefixes) else { return Ok(()) };
            let mut bytes = vec![0; filter.size() as usize];
            values.iter().for_each(|&value| filter.insert(&mut bytes, value));
            for &value in &values {
                let prefix = filter.prefix_of(value, value).expect("one value has one prefix");
                prop_assert!(filter.may_have(&bytes, prefix));
            }
        }
    }
}
