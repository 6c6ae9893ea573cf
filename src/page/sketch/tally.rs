//! Counts of each of many bits over a sequence of words, in bit slices.
//!
//! Charikar's sums need one counter per bit and an addition per bit and token. Here the counters are vertical: plane p
//! holds binary digit p of all counters, 64 per word. A full adder of five logical operations turns three words of
//! equal weight into two. Sixteen inputs are folded at a time (Harley and Seal's tree), and only every sixteenth carry
//! goes to the planes above.

/// Words folded at a time.
const BATCH: usize = 16;

/// The counters: the binary digits of weight 1, 2, 4 and 8, and the planes above.
#[derive(Clone, Debug)]
pub(crate) struct Tally<const N: usize> {
    low: [[u64; N]; 4],
    high: Vec<[u64; N]>,
    waiting: [[u64; N]; BATCH],
    waits: usize,
    len: u64,
}

impl<const N: usize> Tally<N> {
    pub(crate) fn new() -> Self {
        Tally { low: [[0; N]; 4], high: Vec::new(), waiting: [[0; N]; BATCH], waits: 0, len: 0 }
    }

    /// Counts the bits of one more input.
    #[inline(always)]
    pub(crate) fn add(&mut self, words: [u64; N]) {
        self.waiting[self.waits] = words;
        self.waits += 1;
        if self.waits == BATCH {
            self.fold();
            self.len += BATCH as u64;
            self.waits = 0;
        }
    }

    /// Returns the number of inputs.
    pub(crate) fn len(&self) -> u64 {
        self.len + self.waits as u64
    }

    /// Returns the bits that are set in more than half of the inputs: the bits for which Charikar's sum of +1 and -1 is
    /// above zero.
    pub(crate) fn majority(&mut self) -> [u64; N] {
        let half = self.len() / 2;
        self.above(half)
    }

    /// Returns the bits that are set in at least half of the inputs: the bits for which the sum is not below zero.
    pub(crate) fn at_least_half(&mut self) -> [u64; N] {
        match self.len().div_ceil(2).checked_sub(1) {
            Some(bound) => self.above(bound),
            None => [u64::MAX; N],
        }
    }

    /// Returns the bits that are set in more than `bound` inputs, all 64 of a word compared at once, digit by digit
    /// from the lowest.
    fn above(&mut self, bound: u64) -> [u64; N] {
        self.settle();
        let planes = self.low.iter().chain(&self.high);
        let mut above = [0; N];
        let mut rest = bound;
        for plane in planes {
            for (above, &digit) in above.iter_mut().zip(plane) {
                *above = if rest & 1 == 1 { *above & digit } else { *above | digit };
            }
            rest >>= 1;
        }
        if rest > 0 { [0; N] } else { above }
    }

    /// Returns the count of each bit, the lowest bit of word 0 first.
    #[cfg(test)]
    pub(crate) fn counts(&mut self) -> Vec<u64> {
        self.settle();
        let planes: Vec<_> = self.low.iter().chain(&self.high).collect();
        (0..64 * N)
            .map(|bit| {
                let digits = planes.iter().enumerate();
                digits.map(|(p, plane)| (plane[bit / 64] >> (bit % 64) & 1) << p).sum()
            })
            .collect()
    }

    /// Folds the pending inputs. The batch is filled with inputs of zero, which do not change the counts.
    fn settle(&mut self) {
        if self.waits > 0 {
            self.waiting[self.waits..].fill([0; N]);
            self.fold();
            self.len += self.waits as u64;
            self.waits = 0;
        }
    }

    #[inline(always)]
    fn fold(&mut self) {
        let (words, mut size) = (&mut self.waiting, BATCH);
        for low in &mut self.low {
            size /= 2;
            for i in 0..size {
                words[i] = full_adder(low, words[2 * i], words[2 * i + 1]);
            }
        }
        let mut carry = words[0];
        for plane in &mut self.high {
            if carry == [0; N] {
                return;
            }
            for (digit, carry) in plane.iter_mut().zip(&mut carry) {
                (*digit, *carry) = (*digit ^ *carry, *digit & *carry);
            }
        }
        if carry != [0; N] {
            self.high.push(carry);
        }
    }
}

/// Adds `a` and `b` to `sum`, and returns the carries.
#[inline(always)]
fn full_adder<const N: usize>(sum: &mut [u64; N], a: [u64; N], b: [u64; N]) -> [u64; N] {
    let mut carry = [0; N];
    for i in 0..N {
        let half = a[i] ^ b[i];
        carry[i] = (a[i] & b[i]) | (half & sum[i]);
        sum[i] ^= half;
    }
    carry
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_counts_are_those_of_a_plain_count(
            words in prop::collection::vec(any::<[u64; 2]>(), 0..200),
            sparse in any::<u64>(),
        ) {
            let mut tally = Tally::<2>::new();
            let mut counts = [0u64; 128];
            for (n, mut word) in words.into_iter().enumerate() {
                word[1] &= sparse;
                if n % 7 == 0 {
                    // Reading the counts before the end must not change them.
                    tally.counts();
                }
                tally.add(word);
                for (bit, count) in counts.iter_mut().enumerate() {
                    *count += word[bit / 64] >> (bit % 64) & 1;
                }
            }
            prop_assert_eq!(tally.counts(), counts.to_vec());
            let len = tally.len();
            let (majority, half) = (tally.majority(), tally.at_least_half());
            for (bit, count) in counts.into_iter().enumerate() {
                prop_assert_eq!(majority[bit / 64] >> (bit % 64) & 1 == 1, 2 * count > len);
                prop_assert_eq!(half[bit / 64] >> (bit % 64) & 1 == 1, 2 * count >= len);
            }
        }
    }

    #[test]
    fn many_equal_inputs_reach_the_high_planes() {
        let mut tally = Tally::<1>::new();
        for n in 0..100_001u64 {
            tally.add([n & 1 | 2]);
        }
        assert_eq!(tally.counts()[..3], [50_000, 100_001, 0]);
        assert_eq!(tally.majority(), [2]);
        tally.add([1]);
        assert_eq!((tally.majority(), tally.at_least_half()), ([2], [3]));
    }
}
