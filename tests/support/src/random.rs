//! A seeded random generator.

use super::say;

/// SplitMix64 (Steele, Lea, Flood 2014), with its state.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// Returns a generator seeded by the variable `NDDB_SEED`, which repeats a run, or by the clock; prints the
    /// seed.
    pub fn seeded(what: &str) -> Self {
        let given = std::env::var("NDDB_SEED").ok().and_then(|seed| seed.parse().ok());
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let seed: u64 = given.unwrap_or_else(|| now.map_or(1, |since| since.as_nanos() as u64));
        say(&format!("{what}: NDDB_SEED={seed} repeats this run"));
        Self(seed)
    }

    /// Returns a generator with a fixed seed.
    pub fn fixed(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 bits.
    #[expect(clippy::should_implement_trait, reason = "it never ends: no caller should unwrap an Option")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Returns a number below `bound`; the bias is below 2^-24 for bounds up to 2^40.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Returns an index of a list of `len` elements.
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// Returns true with a probability of `chance` percent.
    pub fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    /// Returns one of several values.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.index(from.len())]
    }

    /// Returns `value` with `flips` of its lowest `bits` bits flipped, not always different ones.
    pub fn near(&mut self, value: u64, flips: u64, bits: u8) -> u64 {
        (0..flips).fold(value, |value, _| value ^ 1 << self.below(bits.into()))
    }

    /// Returns `value` with exactly `flips` bits flipped, at most 64.
    pub fn flip(&mut self, value: u64, flips: usize) -> u64 {
        let mut mask = 0u64;
        while (mask.count_ones() as usize) < flips {
            mask |= 1 << self.below(64);
        }
        value ^ mask
    }
}
