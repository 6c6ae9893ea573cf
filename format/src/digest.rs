//! Hashes stored in files: the mixer, the digest of a set, the identity of a file (SPEC 3.4 and 3.5).
//!
//! They are short enough to be written down in SPEC.md and implemented in any language; they guard against mistakes
//! and damage, not against an adversary. Digests are sums: they are the same for any order of merging and any number of
//! threads, and what a merge leaves out can be subtracted.

/// Added to a value before it is mixed: 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
/// Separates the high half of a digest from the low half: the fraction of the square root of 2.
const ROOT_TWO: u64 = 0x6a09_e667_f3bc_c908;

/// Mixes 64 bits: the finalizer of SplitMix64 (Steele, Lea, Flood 2014), a bijection.
#[inline]
pub const fn mix(value: u64) -> u64 {
    let mut z = value;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The wrapping 128-bit sum of a mixed hash of each member: two multisets with equal digests are taken to be equal.
/// The sum does not depend on the order, and the sums of parts add up to the sum of the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Digest(pub u128);

impl Digest {
    /// Adds a fingerprint in natural bit order.
    #[inline]
    pub fn add_fingerprint(&mut self, fingerprint: u64) {
        self.0 = self.0.wrapping_add(hash(fingerprint, 0));
    }

    /// Adds a pair of a fingerprint and a document number.
    #[inline]
    pub fn add_pair(&mut self, fingerprint: u64, number: u64) {
        self.0 = self.0.wrapping_add(hash(fingerprint, mix(number.wrapping_add(ROOT_TWO))));
    }

    /// Adds another digest.
    pub fn add(&mut self, other: Self) {
        self.0 = self.0.wrapping_add(other.0);
    }

    /// Subtracts another digest.
    pub fn subtract(&mut self, other: Self) {
        self.0 = self.0.wrapping_sub(other.0);
    }
}

#[inline]
const fn hash(fingerprint: u64, salt: u64) -> u128 {
    let low = mix(fingerprint.wrapping_add(GOLDEN) ^ salt);
    let high = mix(low ^ fingerprint.rotate_left(32) ^ ROOT_TWO);
    (high as u128) << 64 | low as u128
}

/// Returns the identity of a file: FNV-1a over the bytes, mixed.
pub fn identity(bytes: &[u8]) -> u64 {
    let fnv = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    mix(fnv)
}

/// Returns the CRC-32 (IEEE 802.3, as in gzip) of `identity`, `index` (both little-endian) and `bytes`: so the checksum
/// of a block or page in the wrong file or at the wrong index does not match.
pub fn checksum(identity: u64, index: u64, bytes: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&identity.to_le_bytes());
    crc.update(&index.to_le_bytes());
    crc.update(bytes);
    crc.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_pinned() {
        assert_eq!(mix(1), 0x5692_161d_100b_05e5);
        assert_eq!(identity(b""), mix(0xcbf2_9ce4_8422_2325));
        assert_eq!(identity(b"a"), mix(0xaf63_dc4c_8601_ec8c));
        assert_eq!(crc32fast::hash(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn a_digest_is_a_sum() {
        let (mut all, mut odd, mut even) = (Digest::default(), Digest::default(), Digest::default());
        for value in 0..100u64 {
            all.add_pair(value, value * 7);
            if value % 2 == 0 { &mut even } else { &mut odd }.add_pair(value, value * 7);
        }
        assert_ne!(odd, even);
        odd.add(even);
        assert_eq!(all, odd);
        odd.subtract(even);
        all.subtract(even);
        assert_eq!(all, odd);
    }
}
