//! The canonical, length-limited Huffman code over h, the position of the leading 1 of the XOR of
//! successive fingerprints (Manku 2007, 3.2; SPEC 5.2).
//!
//! Every h has a word, so the code does not depend on how a segment is divided into blocks, and a segment of one
//! fingerprint has a code. Words have at most 12 bits, so one look-up decodes a word.

use crate::Result;
use crate::error::malformed;

/// Longest code word, in bits.
pub const LENGTH_MAX: u8 = 12;
/// Most symbols: one for each position of a 64-bit fingerprint.
pub const SYMBOLS_MAX: usize = 64;
/// Number of bits that the decoder's first look-up reads. Only one word in a thousand is longer. The tables of ten
/// segments, 2 KB each, fit in the first-level cache together.
const LOOKUP_BITS: u8 = 10;

/// Marks a step whose word is longer than the first look-up, in place of its total; no real entry has that many bits.
pub const LONG: u8 = 0xff;

/// Code lengths, one for each symbol 0..f; the rest are 0.
pub type Lengths = [u8; SYMBOLS_MAX];

/// Returns the optimal code lengths of at most 12 bits for symbols with the weights `counts[h] + 1`, by package-merge
/// (Larmore and Hirschberg 1990). Among equal weights, the smaller symbol gets the shorter word.
pub fn lengths(counts: &[u64]) -> Lengths {
    let symbols = counts.len().min(SYMBOLS_MAX);
    // Ascending weight; among equal weights the greater symbol comes first, so that it gets the longer word.
    let mut leaves: Vec<(u128, usize)> = (0..symbols).map(|h| (u128::from(counts[h]) + 1, h)).collect();
    leaves.sort_by_key(|&(weight, h)| (weight, std::cmp::Reverse(h)));
    // A package is its weight and how often it contains each symbol.
    type Package = (u128, [u8; SYMBOLS_MAX]);
    let leaf = |&(weight, h): &(u128, usize)| {
        let mut holds = [0; SYMBOLS_MAX];
        holds[h] = 1;
        (weight, holds)
    };
    let mut packages: Vec<Package> = Vec::new();
    for _ in 0..LENGTH_MAX {
        let pairs: Vec<Package> = packages
            .chunks_exact(2)
            .map(|pair| (pair[0].0 + pair[1].0, std::array::from_fn(|h| pair[0].1[h] + pair[1].1[h])))
            .collect();
        // A stable merge: among equal weights, the leaf comes before the package.
        packages = leaves.iter().map(leaf).chain(pairs).collect();
        packages.sort_by_key(|package| package.0);
    }
    let mut lengths = [0; SYMBOLS_MAX];
    for (_, holds) in packages.iter().take(2 * symbols.saturating_sub(1)) {
        for (length, held) in lengths.iter_mut().zip(holds) {
            *length += held;
        }
    }
    lengths
}

/// The code words of a canonical code, for the encoder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    lengths: Lengths,
    /// Each word in the order of the stream: its first bit is the least significant.
    words: [u16; SYMBOLS_MAX],
}

impl Code {
    /// Makes the canonical code of `lengths` for `symbols` symbols: words ascend by (length, symbol).
    ///
    /// # Errors
    /// [`crate::FormatError::Malformed`] unless every symbol has a length of 1 to 12, no other has one, and
    /// the code is complete, so that every sequence of bits is a sequence of words.
    pub fn new(lengths: &Lengths, symbols: u8) -> Result<Self> {
        let symbols = usize::from(symbols);
        let what = "Huffman code";
        for (h, &length) in lengths.iter().enumerate() {
            if h < symbols && !(1..=LENGTH_MAX).contains(&length) {
                return malformed(what, h, "a symbol below f has a code length of 1 to 12");
            }
            if h >= symbols && length != 0 {
                return malformed(what, h, "a symbol from f on has the code length 0");
            }
        }
        let filled: u32 = lengths[..symbols].iter().map(|&length| 1u32 << (LENGTH_MAX - length)).sum();
        if filled != 1 << LENGTH_MAX {
            return malformed(what, 0, "the code is complete: its words fill the space of 12 bits");
        }
        let mut order: Vec<usize> = (0..symbols).collect();
        order.sort_by_key(|&h| (lengths[h], h));
        let mut words = [0; SYMBOLS_MAX];
        let (mut next, mut previous) = (0u32, 0);
        for h in order {
            next <<= lengths[h] - previous;
            previous = lengths[h];
            words[h] = (next as u16).reverse_bits() >> (16 - previous);
            next += 1;
        }
        Ok(Self { lengths: *lengths, words })
    }

    /// Returns the word of symbol `h`, first bit least significant, and its length in bits.
    #[inline]
    pub fn word(&self, h: u32) -> (u64, u32) {
        (u64::from(self.words[h as usize & 63]), u32::from(self.lengths[h as usize & 63]))
    }

    /// Returns the code lengths.
    pub fn lengths(&self) -> &Lengths {
        &self.lengths
    }
}

/// One step of decoding: a word and the low bits that follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The symbol: also the number of low bits after the word.
    pub h: u32,
    /// Bits of the word.
    pub length: u32,
    /// Bits of the word and the low bits together.
    pub total: u32,
}

/// The decoder: a table of the next 10 bits, and a second one of the next 12 for longer words. A slot packs the total
/// number of bits in its low byte and the length of the word above it.
#[derive(Clone)]
pub struct Decoder {
    short: [u16; 1 << LOOKUP_BITS],
    long: Box<[u16; 1 << LENGTH_MAX]>,
}

crate::debug_fields!(Decoder);

impl Decoder {
    /// Builds the decoder of a code of `symbols` symbols.
    pub fn new(code: &Code, symbols: u8) -> Self {
        let mut short = [u16::from(LONG); 1 << LOOKUP_BITS];
        let mut long = Box::new([0; 1 << LENGTH_MAX]);
        for h in 0..u32::from(symbols) {
            let (word, length) = code.word(h);
            let packed = ((h + length) | length << 8) as u16;
            for slot in (word as usize..1 << LENGTH_MAX).step_by(1 << length) {
                long[slot] = packed;
                if length <= u32::from(LOOKUP_BITS) {
                    short[slot & ((1 << LOOKUP_BITS) - 1)] = packed;
                }
            }
        }
        Self { short, long }
    }

    /// Decodes the word at the low end of `window`, if it has no more than 10 bits; otherwise the total is [`LONG`].
    #[inline(always)]
    pub fn short_step(&self, window: u64) -> Step {
        unpack(self.short[(window & ((1 << LOOKUP_BITS) - 1)) as usize])
    }

    /// Decodes the word at the low end of `window`, of which 12 bits must be valid.
    #[inline(always)]
    pub fn step(&self, window: u64) -> Step {
        let step = self.short_step(window);
        if step.total != u32::from(LONG) {
            return step;
        }
        unpack(self.long[(window & ((1 << LENGTH_MAX) - 1)) as usize])
    }
}

#[inline(always)]
fn unpack(packed: u16) -> Step {
    let (total, length) = (u32::from(packed & 0xff), u32::from(packed >> 8));
    Step { h: total.wrapping_sub(length), length, total }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::FormatError;

    /// The cost of a plain Huffman code, without a limit: the definition if no word needs more than 12 bits.
    fn unlimited_cost(counts: &[u64]) -> u128 {
        let mut weights: Vec<u128> = counts.iter().map(|&count| u128::from(count) + 1).collect();
        let mut cost = 0;
        while weights.len() > 1 {
            weights.sort_unstable_by(|a, b| b.cmp(a));
            let sum = weights.pop().expect("two") + weights.pop().expect("one more");
            cost += sum;
            weights.push(sum);
        }
        cost
    }

    fn cost(lengths: &Lengths, counts: &[u64]) -> u128 {
        counts.iter().zip(lengths).map(|(&count, &length)| (u128::from(count) + 1) * u128::from(length)).sum()
    }

    #[test]
    fn equal_weights_give_the_smaller_symbol_the_shorter_word() {
        let lengths = lengths(&[0; 11]);
        assert_eq!(&lengths[..11], &[3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4]);
        let code = Code::new(&lengths, 11).expect("complete");
        assert_eq!(code.word(0), (0, 3));
        assert_eq!(code.word(1), (0b100, 3));
        assert_eq!(code.word(10), (0b1111, 4));
    }

    #[test]
    fn lengths_that_are_no_complete_code_are_refused() {
        let good = lengths(&[5; 16]);
        assert!(Code::new(&good, 16).is_ok());
        for (h, length) in [(0, 0), (0, 13), (0, 3), (0, 5), (16, 4)] {
            let mut bad = good;
            bad[h] = length;
            assert!(matches!(Code::new(&bad, 16), Err(FormatError::Malformed { .. })), "{h} {length}");
        }
    }

    proptest! {
        #[test]
        fn codes_are_complete_limited_and_as_short_as_huffman(
            counts in prop::collection::vec((any::<u64>(), 0u32..64), 8..=64)
        ) {
            let counts: Vec<u64> = counts.into_iter().map(|(value, shift)| value >> shift).collect();
            let symbols = counts.len() as u8;
            let lengths = lengths(&counts);
            let code = Code::new(&lengths, symbols).expect("a complete code");
            prop_assert!(cost(&lengths, &counts) >= unlimited_cost(&counts));
            if lengths.iter().all(|&length| length < LENGTH_MAX) {
                prop_assert_eq!(cost(&lengths, &counts), unlimited_cost(&counts));
            }
            let decoder = Decoder::new(&code, symbols);
            for h in 0..u32::from(symbols) {
                let (word, length) = code.word(h);
                for garbage in [0u64, u64::MAX, 0x5555_5555_5555_5555] {
                    let window = word | garbage << length;
                    let step = Step { h, length, total: h + length };
                    prop_assert_eq!(decoder.step(window), step);
                    let short = decoder.short_step(window);
                    let none = Step { h: u32::from(LONG), length: 0, total: u32::from(LONG) };
                    prop_assert_eq!(short, if length <= u32::from(LOOKUP_BITS) { step } else { none });
                }
            }
        }
    }
}
