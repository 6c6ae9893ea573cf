//! The first words of a title, of headings, or of what else names a page.

/// Most words kept of a title, and of headings.
pub(crate) const WORDS: usize = 15;

/// Bytes of a word.
const WORD_SIZE: usize = 3;
/// Bytes of the words that are kept of a title, or of headings.
pub(super) const WORDS_KEPT: usize = WORD_SIZE * WORDS;
/// Bytes of the words of a title, or of headings, with their number.
pub(super) const WORDS_SIZE: usize = 1 + WORDS_KEPT;

/// Bit of a word that is the page's own.
pub(super) const OWN: u32 = 1 << 23;
/// Bit of a number, and of a word of the address behind a title: neither is a word of the title.
pub(super) const NUMBER: u32 = 1 << 22;
/// Bits of a word of the address behind a title that the content has. No number is a page's own.
pub(super) const OWN_OF_ADDRESS: u32 = OWN | NUMBER;
/// Mask of the hash of a word.
pub(super) const HASH: u32 = NUMBER - 1;

/// The first words of a title, or of headings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeadingWords {
    /// Number of different words, at most 255.
    pub total: u8,
    /// The first words, followed by zeros.
    pub words: [u32; WORDS],
}

impl LeadingWords {
    /// Keeps the first of some words, of which one that is a page's own somewhere is so everywhere.
    pub(super) fn of(words: impl Iterator<Item = u32>) -> Self {
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

    /// Returns the hashes of the words that are no numbers.
    pub fn plain(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        self.kept().iter().filter(|word| *word & NUMBER == 0).map(|word| word & HASH)
    }

    /// Returns the hashes of the words that are no numbers and the page's own.
    pub fn own(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        self.kept().iter().filter(|word| *word & OWN_OF_ADDRESS == OWN).map(|word| word & HASH)
    }

    /// Returns the hashes of the words of the address behind a title, and of numbers.
    pub fn of_address(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        self.kept().iter().filter(|word| *word & NUMBER != 0).map(|word| word & HASH)
    }

    /// Returns the hashes of the words of the address that the content has.
    pub fn own_of_address(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        self.kept().iter().filter(|word| *word & OWN_OF_ADDRESS == OWN_OF_ADDRESS).map(|word| word & HASH)
    }

    /// Returns whether no word is left out.
    pub fn are_all_kept(&self) -> bool {
        usize::from(self.total) <= WORDS
    }
}
