//! A probabilistic filter for repeated values.

use std::sync::atomic::{AtomicU64, Ordering};

use nddb_format::digest::mix;

/// Bits of the filter per expected value.
const BITS: u64 = 8;

/// A filter that separates repeated values from most single ones, by two bits in the cell that a hash of the value
/// selects. It has false positives, but no false negatives: every repeated value is reported.
///
/// Most documents have no near-duplicate, so most keys occur once; the filter saves sorting these.
pub(crate) struct Repeats {
    once: Vec<AtomicU64>,
    twice: Vec<AtomicU64>,
    shift: u32,
}

impl Repeats {
    /// Returns a filter for about this number of values. It takes about a quarter of `memory_limit`, in bytes.
    pub(crate) fn new(values: u64, memory_limit: u64) -> Self {
        let wanted = (values * BITS).min(memory_limit).max(1 << 10);
        let bits = wanted.next_power_of_two().trailing_zeros();
        let words = 1usize << (bits - 6);
        let zeros = || std::iter::repeat_with(AtomicU64::default).take(words).collect();
        Self { once: zeros(), twice: zeros(), shift: 64 - bits }
    }

    #[inline]
    fn index(&self, value: u64) -> (usize, u64) {
        let index = mix(value) >> self.shift;
        ((index / 64) as usize, 1 << (index % 64))
    }

    /// Records a value; any number of threads may do so.
    #[inline]
    pub(crate) fn note(&self, value: u64) {
        let (word, bit) = self.index(value);
        if self.once[word].fetch_or(bit, Ordering::Relaxed) & bit != 0 {
            self.twice[word].fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// Returns whether a value may have been recorded more than once.
    #[inline]
    pub(crate) fn may_repeat(&self, value: u64) -> bool {
        let (word, bit) = self.index(value);
        self.twice[word].load(Ordering::Relaxed) & bit != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_twice_is_always_found_and_what_comes_once_seldom() {
        let repeats = Repeats::new(100_000, u64::MAX);
        (0..100_000).for_each(|value| repeats.note(value * 3));
        (0..1000).for_each(|value| repeats.note(value * 300));
        assert!((0..1000).all(|value| repeats.may_repeat(value * 300)));
        let wrong = (0..100_000).filter(|value| value % 100 != 0 && repeats.may_repeat(value * 3)).count();
        assert!(wrong < 15_000, "{wrong}");
    }
}
