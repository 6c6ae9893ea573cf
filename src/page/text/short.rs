//! Short terms as one 128-bit word. Most terms are short, and the end of a loop over their bytes would be mispredicted.

/// Each byte of a word.
const EACH: u128 = u128::from_le_bytes([1; 16]);
/// The highest bit of each byte.
const HIGH: u128 = EACH * 0x80;

/// A term of at most 16 bytes, all of them ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShortAscii(u128);

/// At index n, a word whose first n bytes are 255.
const FIRST: [u128; 17] = {
    let (mut first, mut size) = ([0; 17], 1);
    while size < 17 {
        first[size] = first[size - 1] << 8 | 0xff;
        size += 1;
    }
    first
};

impl ShortAscii {
    /// Returns the term in `text[from..to]`, if it is short and ASCII.
    #[inline]
    pub(crate) fn at(text: &[u8], from: usize, to: usize) -> Option<Self> {
        let first = FIRST.get(to - from)?;
        let word = match text.get(from..from + 16).and_then(<[u8]>::first_chunk) {
            Some(bytes) => u128::from_le_bytes(*bytes) & first,
            None => word(text.get(from..to)?),
        };
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

/// Returns at most 16 bytes, padded with zeros, by loads that may overlap. Copying exactly these bytes and then loading
/// the word would stall on the store.
fn word(bytes: &[u8]) -> u128 {
    let eight = |at: usize| bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |&bytes| u64::from_le_bytes(bytes));
    let four = |at: usize| bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |&bytes| u32::from_le_bytes(bytes));
    match bytes {
        [_, _, _, _, _, _, _, _, rest @ ..] => u128::from(eight(0)) | u128::from(eight(rest.len())) << (8 * rest.len()),
        [_, _, _, _, rest @ ..] => u128::from(four(0)) | u128::from(four(rest.len())) << (8 * rest.len()),
        _ => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u128::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ascii_character_is_what_the_standard_library_says() {
        let whole = |text: &[u8]| ShortAscii::at(text, 0, text.len());
        for c in 0..128u8 {
            for index in 0..16 {
                let mut term = *b"Abcdefghijklmnop";
                term[index] = c;
                let mut expected = term;
                expected.make_ascii_lowercase();
                assert_eq!(whole(&term).map(ShortAscii::lower), Some((expected, expected != term)));
            }
        }
        assert_eq!(whole(&[b'a'; 17]), None);
        assert_eq!(whole("é".as_bytes()), None);
    }

    #[test]
    fn a_term_is_the_same_wherever_it_stands() {
        let text = "é The Quick brown FOX jumps over the lazy dogs é".as_bytes();
        for from in 0..=text.len() {
            for to in from..=text.len() {
                let term = &text[from..to];
                let mut padded = [0; 16];
                let expected = (term.len() <= 16 && term.is_ascii()).then(|| {
                    padded[..term.len()].copy_from_slice(term);
                    ShortAscii(u128::from_le_bytes(padded))
                });
                assert_eq!(ShortAscii::at(text, from, to), expected, "{from} {to}");
            }
        }
    }
}
