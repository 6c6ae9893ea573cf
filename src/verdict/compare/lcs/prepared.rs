//! A text prepared for comparisons: its characters, and a table of its windows.

use xxhash_rust::xxh3::xxh3_128;

use super::parameters::{Parameters, TEXT_UNITS, units};
use super::windows::Windows;

/// A prepared text, truncated to 10 KB, with the tables of its windows: about 15 bytes a character for ASCII, 20 for
/// others.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub(crate) symbols: Symbols,
    pub(crate) units: usize,
    /// XXH3 (128 bits) of the text, which orders texts of equal length.
    pub(crate) digest: u128,
    pub(crate) windows: Windows,
}

/// The characters of a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Symbols {
    Ascii(Vec<u8>),
    Wide(Vec<u32>),
}

impl Prepared {
    /// Prepares a text. Prepared texts can be compared if their windows have the same size.
    pub fn new(text: &str, parameters: &Parameters) -> Self {
        let (cut, len, all) = cut(text);
        let digest = xxh3_128(cut.as_bytes());
        let size = parameters.window.max(1);
        let (symbols, windows) = if cut.is_ascii() {
            let ascii = cut.as_bytes().to_vec();
            let windows = Windows::new(&ascii, size, true);
            (Symbols::Ascii(ascii), windows)
        } else {
            let mut wide = Vec::with_capacity(len);
            wide.extend(cut.chars().map(u32::from));
            let windows = Windows::new(&wide, size, false);
            (Symbols::Wide(wide), windows)
        };
        Self { symbols, units: all, digest, windows }
    }

    /// Returns the number of characters that are compared.
    pub fn len(&self) -> usize {
        match &self.symbols {
            Symbols::Ascii(ascii) => ascii.len(),
            Symbols::Wide(wide) => wide.len(),
        }
    }

    /// Returns whether there is no character.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the size in memory, in bytes.
    pub fn size(&self) -> usize {
        let symbols = match &self.symbols {
            Symbols::Ascii(ascii) => ascii.len(),
            Symbols::Wide(wide) => 4 * wide.len(),
        };
        size_of::<Self>() + symbols + self.windows.memory()
    }
}

/// Returns the longest prefix of at most 10,240 units, and its numbers of characters and units.
fn cut(text: &str) -> (&str, usize, usize) {
    if text.len() <= TEXT_UNITS && text.is_ascii() {
        return (text, text.len(), text.len());
    }
    let (mut len, mut all) = (0, 0);
    for (at, character) in text.char_indices() {
        let more = units(character.into());
        if all + more > TEXT_UNITS {
            return (&text[..at], len, all);
        }
        (len, all) = (len + 1, all + more);
    }
    (text, len, all)
}
