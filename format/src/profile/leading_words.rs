//! The first words of a title, of headings or of an address.

/// Maximum number of words kept from a title, from headings or from an address.
pub const WORDS: usize = 15;

/// Bytes of a word.
const WORD_SIZE: usize = 3;
/// Bytes of the words of a title, of headings or of an address, with their number.
pub(super) const WORDS_SIZE: usize = 1 + WORD_SIZE * WORDS;

/// Bit of a word that occurs in the content or the headings too.
pub const OWN: u32 = 1 << 23;
/// Bit of a number.
pub const NUMBER: u32 = 1 << 22;
/// Mask of the hash of a word.
pub const HASH: u32 = NUMBER - 1;

/// The first words of a title, or of headings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeadingWords {
    /// Number of different words, at most 255.
    pub total: u8,
    /// The first words, followed by zeros.
    pub words: [u32; WORDS],
}

impl LeadingWords {
    /// Keeps the first distinct words. If any occurrence of a word is marked as occurring in the content or headings,
    /// the word is.
    pub fn of(words: impl Iterator<Item = u32>) -> Self {
        let mut seen: Vec<u32> = Vec::new();
        for word in words {
            match seen.iter_mut().find(|known| (**known ^ word) & !OWN == 0) {
                Some(known) => *known |= word,
                None => seen.push(word),
            }
        }
        let mut all = Self { total: u8::try_from(seen.len()).unwrap_or(u8::MAX), words: [0; WORDS] };
        all.words.iter_mut().zip(seen).for_each(|(slot, word)| *slot = word);
        all
    }

    /// Appends the bytes (SPEC 9.3): number and words.
    pub(super) fn put(&self, bytes: &mut Vec<u8>) {
        bytes.push(self.total);
        self.words.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()[..WORD_SIZE]));
    }

    pub(super) fn from_bytes(bytes: &[u8; WORDS_SIZE]) -> Self {
        let mut all = Self { total: bytes[0], words: [0; WORDS] };
        let (words, _) = bytes[1..].as_chunks::<WORD_SIZE>();
        all.words.iter_mut().zip(words).for_each(|(slot, &[low, middle, high])| {
            *slot = u32::from_le_bytes([low, middle, high, 0]);
        });
        all
    }

    /// Returns the words without the padding.
    pub fn kept(&self) -> &[u32] {
        &self.words[..usize::from(self.total).min(WORDS)]
    }

    /// Returns the hashes of all words; hashes of numbers include the bit of a number.
    pub fn all(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        self.kept().iter().map(|word| word & !OWN)
    }

    /// Returns the hashes of the words that are not numbers.
    pub fn plain(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        self.kept().iter().filter(|word| *word & NUMBER == 0).map(|word| word & HASH)
    }

    /// Returns the hashes of the numbers, with the bit of a number.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        self.all().filter(|word| word & NUMBER != 0)
    }

    /// Returns the hashes of the words that are not numbers and occur in the content or the headings, too.
    pub fn own(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        self.kept().iter().filter(|word| *word & (OWN | NUMBER) == OWN).map(|word| word & HASH)
    }
}
