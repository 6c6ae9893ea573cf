//! Short terms as one 128-bit word: terms are short, and a loop over their bytes would mispredict its end.

/// Each byte of a word.
const EACH: u128 = u128::from_le_bytes([1; 16]);
/// The highest bit of each byte.
const HIGH: u128 = EACH * 0x80;

/// A term of at most 16 bytes, all of them ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShortAscii(u128);

impl ShortAscii {
    /// Returns the term, if it is short and ASCII.
    #[inline]
    pub(crate) fn new(term: &[u8]) -> Option<Self> {
        let mut bytes = [0; 16];
        bytes.get_mut(..term.len())?.copy_from_slice(term);
        let word = u128::from_le_bytes(bytes);
        (word & HIGH == 0).then_some(ShortAscii(word))
    }

    /// Returns the term in lower case, padded with zeros, and whether that changed it.
    #[inline]
    pub(crate) fn lower(self) -> ([u8; 16], bool) {
        let upper = self.within(b'A', b'Z');
        ((self.0 | upper >> 2).to_le_bytes(), upper != 0)
    }

    /// Returns the highest bit of each byte that is in `first ..= last`.
    #[inline]
    fn within(self, first: u8, last: u8) -> u128 {
        // No byte exceeds 127, so no sum carries into the next byte.
        let from = self.0 + EACH * (0x80 - u128::from(first));
        let past = self.0 + EACH * (0x80 - u128::from(last) - 1);
        from & !past & HIGH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ascii_character_is_what_the_standard_library_says() {
        for c in 0..128u8 {
            for index in 0..16 {
                let mut term = *b"Abcdefghijklmnop";
                term[index] = c;
                let mut expected = term;
                expected.make_ascii_lowercase();
                assert_eq!(ShortAscii::new(&term).map(ShortAscii::lower), Some((expected, expected != term)));
            }
        }
        assert_eq!(ShortAscii::new(&[b'a'; 17]), None);
        assert_eq!(ShortAscii::new("é".as_bytes()), None);
    }
}
