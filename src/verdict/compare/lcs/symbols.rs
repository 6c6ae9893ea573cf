//! The elements of sequences, and their common prefixes and suffixes.

use std::collections::HashMap;
use std::hash::Hash;

/// An element of a sequence that is compared: a byte, a character, a token.
///
/// The functions over slices have obvious definitions; the types for which speed matters override them.
pub trait Symbol: Copy + Eq + Hash {
    /// Returns the length of the longest common prefix.
    fn common_prefix(a: &[Self], b: &[Self]) -> usize {
        a.iter().zip(b).take_while(|(a, b)| a == b).count()
    }

    /// Returns the length of the longest common suffix.
    fn common_suffix(a: &[Self], b: &[Self]) -> usize {
        a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
    }

    /// Gives each symbol a number: two symbols get the same number if and only if they are equal. Returns one more than
    /// the greatest number.
    fn number(a: &[Self], b: &[Self], numbers: [&mut Vec<u32>; 2]) -> usize {
        let mut known = HashMap::new();
        for (symbols, numbers) in [a, b].into_iter().zip(numbers) {
            numbers.clear();
            numbers.extend(symbols.iter().map(|&symbol| {
                let next = known.len() as u32;
                *known.entry(symbol).or_insert(next)
            }));
        }
        known.len()
    }
}

/// Common prefix and suffix of integers, eight bytes a step.
macro_rules! by_words {
    ($name:ty, $in_word:literal) => {
        #[inline]
        fn common_prefix(a: &[Self], b: &[Self]) -> usize {
            let len = a.len().min(b.len());
            let (a, b) = (&a[..len], &b[..len]);
            let mut agree = 0;
            for (x, y) in a.chunks_exact($in_word).zip(b.chunks_exact($in_word)) {
                let differ = word(x.iter().copied()) ^ word(y.iter().copied());
                if differ != 0 {
                    return agree + (differ.trailing_zeros() / <$name>::BITS) as usize;
                }
                agree += $in_word;
            }
            agree + a[agree..].iter().zip(&b[agree..]).take_while(|(a, b)| a == b).count()
        }

        fn common_suffix(a: &[Self], b: &[Self]) -> usize {
            let len = a.len().min(b.len());
            let (a, b) = (&a[a.len() - len..], &b[b.len() - len..]);
            let mut agree = 0;
            for (x, y) in a.rchunks_exact($in_word).zip(b.rchunks_exact($in_word)) {
                let differ = word(x.iter().copied()) ^ word(y.iter().copied());
                if differ != 0 {
                    return agree + (differ.leading_zeros() / <$name>::BITS) as usize;
                }
                agree += $in_word;
            }
            let rest = len - agree;
            agree + a[..rest].iter().rev().zip(b[..rest].iter().rev()).take_while(|(a, b)| a == b).count()
        }
    };
}

/// Packs symbols into a word, the first lowest; compiles to one load.
#[inline(always)]
fn word<T: Into<u64>>(symbols: impl ExactSizeIterator<Item = T>) -> u64 {
    let width = 64 / symbols.len() as u32;
    symbols.enumerate().fold(0, |word, (index, symbol)| word | symbol.into() << (index as u32 * width))
}

impl Symbol for u8 {
    by_words!(u8, 8);

    fn number(a: &[Self], b: &[Self], numbers: [&mut Vec<u32>; 2]) -> usize {
        for (symbols, numbers) in [a, b].into_iter().zip(numbers) {
            numbers.clear();
            numbers.extend(symbols.iter().map(|&symbol| u32::from(symbol)));
        }
        256
    }
}

impl Symbol for u32 {
    by_words!(u32, 2);

    /// Most characters of most texts are ASCII, and need no look-up.
    fn number(a: &[Self], b: &[Self], numbers: [&mut Vec<u32>; 2]) -> usize {
        let mut others = HashMap::new();
        for (symbols, numbers) in [a, b].into_iter().zip(numbers) {
            numbers.clear();
            numbers.extend(symbols.iter().map(|&symbol| {
                let next = 0x80 + others.len() as u32;
                if symbol < 0x80 { symbol } else { *others.entry(symbol).or_insert(next) }
            }));
        }
        0x80 + others.len()
    }
}

impl Symbol for u64 {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A type with the default definitions only.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    struct Plain(u8);

    impl Symbol for Plain {}

    proptest! {
        #[test]
        fn words_agree_with_the_definition(
            a in prop::collection::vec(0u8..2, 0..40),
            cut in 0usize..40,
            flip in 0usize..40,
        ) {
            let mut b = a.clone();
            b.truncate(cut);
            if let Some(symbol) = b.get_mut(flip) {
                *symbol ^= 1;
            }
            let plain = |symbols: &[u8]| symbols.iter().map(|&symbol| Plain(symbol)).collect::<Vec<_>>();
            let wide = |symbols: &[u8]| symbols.iter().map(|&symbol| u32::from(symbol) << 20).collect::<Vec<_>>();
            let prefix = Plain::common_prefix(&plain(&a), &plain(&b));
            let suffix = Plain::common_suffix(&plain(&a), &plain(&b));
            prop_assert_eq!(u8::common_prefix(&a, &b), prefix);
            prop_assert_eq!(u8::common_suffix(&a, &b), suffix);
            prop_assert_eq!(u32::common_prefix(&wide(&a), &wide(&b)), prefix);
            prop_assert_eq!(u32::common_suffix(&wide(&a), &wide(&b)), suffix);
        }
    }
}
