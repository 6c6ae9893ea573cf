//! Runs of ASCII letters and digits in a text, and the runs between them.
//!
//! Words are short, so a loop over the bytes of each would be mispredicted at nearly every end. Instead, 64 bytes are
//! classified together, without branches, and the ends of runs are found in the bits of the result.

/// Bytes that are classified together: one bit each.
const BLOCK: usize = 64;

/// A text, and the classes of the bytes of one of its blocks.
pub(super) struct Runs<'a> {
    bytes: &'a [u8],
    /// Number of the block.
    block: usize,
    /// The letters and digits of ASCII.
    terms: u64,
    /// All other bytes of ASCII; also those after the end of the text.
    others: u64,
}

impl<'a> Runs<'a> {
    /// Returns the runs of a text.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Runs { bytes, block: usize::MAX, terms: 0, others: 0 }
    }

    /// Returns the end of the run of ASCII letters and digits at `at`.
    #[inline]
    pub(super) fn end_of_term(&mut self, at: usize) -> usize {
        self.end(at, |runs| !runs.terms)
    }

    /// Returns the end of the run of other ASCII characters at `at`.
    #[inline]
    pub(super) fn end_of_others(&mut self, at: usize) -> usize {
        self.end(at, |runs| !runs.others)
    }

    /// Returns the offset of the first byte from `at` on that is one of `ends`, or the size of the text.
    #[inline]
    fn end(&mut self, mut at: usize, ends: impl Fn(&Self) -> u64) -> usize {
        while at < self.bytes.len() {
            let (block, offset) = (at / BLOCK, at % BLOCK);
            if block != self.block {
                self.classify(block);
            }
            let found = ends(self) >> offset;
            if found != 0 {
                return (at + found.trailing_zeros() as usize).min(self.bytes.len());
            }
            at = (block + 1) * BLOCK;
        }
        self.bytes.len()
    }

    /// Classifies the bytes of a block.
    fn classify(&mut self, block: usize) {
        let rest = &self.bytes[block * BLOCK..];
        let mut padded = [0; BLOCK];
        let bytes = rest.first_chunk().unwrap_or_else(|| {
            padded[..rest.len()].copy_from_slice(rest);
            &padded
        });
        let wide = if bytes.is_ascii() { 0 } else { mask(bytes, |byte| byte >= 0x80) };
        self.block = block;
        self.terms = mask(bytes, |byte| ((byte | 0x20).wrapping_sub(b'a') < 26) | (byte.wrapping_sub(b'0') < 10));
        self.others = !(self.terms | wide);
    }
}

/// Returns a bit for each byte, the lowest for the first: whether it is one of these.
#[inline]
fn mask(bytes: &[u8; BLOCK], is: impl Fn(u8) -> bool) -> u64 {
    /// Collects the lowest bits of eight bytes in the highest byte.
    const COLLECT: u64 = 0x0102_0408_1020_4080;
    let flags = bytes.map(|byte| u8::from(is(byte)));
    let (eights, _) = flags.as_chunks::<8>();
    eights.iter().rev().fold(0, |mask, &eight| mask << 8 | u64::from_le_bytes(eight).wrapping_mul(COLLECT) >> 56)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_byte_has_its_class() {
        for byte in 0..=u8::MAX {
            let text = [b'a', byte, b' ', byte, b'a'];
            let mut runs = Runs::new(&text);
            assert_eq!(runs.end_of_term(1) > 1, byte.is_ascii_alphanumeric(), "{byte}");
            assert_eq!(runs.end_of_others(3) > 3, byte.is_ascii() && !byte.is_ascii_alphanumeric(), "{byte}");
        }
    }

    proptest! {
        #[test]
        fn runs_end_where_a_loop_over_the_bytes_ends(text in "([a-zA-Z0-9]{1,70}|[ .,-]{1,70}|[é中]){0,12}") {
            let bytes = text.as_bytes();
            let mut runs = Runs::new(bytes);
            for at in (0..=bytes.len()).chain((0..bytes.len()).rev()) {
                let end = |is: fn(&u8) -> bool| at + bytes[at..].iter().take_while(|byte| is(byte)).count();
                prop_assert_eq!(runs.end_of_term(at), end(u8::is_ascii_alphanumeric));
                prop_assert_eq!(runs.end_of_others(at), end(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric()));
            }
        }
    }
}
