//! A seeded generator of everything.

use super::say;

/// Splitmix64.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Seeded by the variable `NDDB_SEED`, which repeats a run, or by the clock; says by what.
    pub(crate) fn seeded(what: &str) -> Self {
        let given = std::env::var("NDDB_SEED").ok().and_then(|seed| seed.parse().ok());
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let seed: u64 = given.unwrap_or_else(|| now.map_or(1, |since| since.as_nanos() as u64));
        say(&format!("{what}: NDDB_SEED={seed} repeats this run"));
        Self(seed)
    }

    /// One that always gives the same.
    pub(crate) fn fixed(seed: u64) -> Self {
        Self(seed)
    }

    /// Any 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// True in so many of a hundred cases.
    pub(crate) fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    /// One of several.
    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }

    /// `value` with `flips` of its lowest `bits` bits flipped, not always different ones.
    pub(crate) fn near(&mut self, value: u64, flips: u64, bits: u8) -> u64 {
        (0..flips).fold(value, |value, _| value ^ 1 << self.below(bits.into()))
    }
}
