//! The profile of a page, which the default verdict compares (SPEC 9.3): small sketches of fixed width of its content,
//! its whole text, its titles, headings, address and numbers. They are neutral: the recipe defines how they are
//! computed, and the verdict how a pair is judged by them.

mod leading_words;
mod numbers;

use xxhash_rust::xxh3::xxh3_64;

pub use leading_words::{HASH, LeadingWords, NUMBER, OWN, WORDS};
pub use numbers::Numbers;

use leading_words::WORDS_SIZE;
use numbers::NUMBERS;

use crate::record::{MIN_VALUES, PROFILE};

/// Min-values of the whole text.
pub const WHOLE: usize = 40;

// The parts of a profile fill exactly the bytes that a record has for it.
const _: () = assert!(PROFILE == MIN_VALUES + WHOLE + 3 * WORDS_SIZE + 2 + 2 * NUMBERS + 4 * 4 + 1);

/// Short min-values in a plain band.
const SHORT_BAND: usize = 7;
/// Short min-values in a named band.
const NAMED_BAND: usize = 3;
/// Short min-values in a named band of a page without a name; such pages are many.
const NAMELESS_BAND: usize = 4;
/// Maximum number of bytes that are hashed for a band.
const BAND_BYTES: usize = 19;
/// Number of runs of short min-values from which bands are made.
const RUNS: usize = MIN_VALUES / SHORT_BAND;

/// Number of bands of a profile, plain and named ones.
pub const SHORT_BANDS: usize = 2 * RUNS;

/// Flag of a profile: the whole page counts as its content.
const ALL_CONTENT: u8 = 1;
/// Flag of a profile: the page is plain text.
const TEXT: u8 = 2;
/// Bits of a class of lengths: three for the content after the flags, three for the whole text.
const CLASS: u8 = 7;

/// The profile of a page, which the default verdict compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The low bits of the min-values of the short shingles of its content.
    pub short: [u8; MIN_VALUES],
    /// The low bits of the min-values of its whole text.
    pub whole: [u8; WHOLE],
    /// The words of its title.
    pub title: LeadingWords,
    /// The words of the headings of its content.
    pub headings: LeadingWords,
    /// The words of the last part of the path of its address.
    pub address: LeadingWords,
    /// The numbers of its content.
    pub numbers: Numbers,
    /// Number of terms of its content; without numbers, unless these are more than half as many.
    pub terms: u32,
    /// Number of terms of its whole text, with numbers.
    pub whole_terms: u32,
    /// A hash of its host.
    pub host: u32,
    /// A hash of its host and path.
    pub page: u32,
    /// The whole page counts as its content.
    pub is_whole: bool,
    /// The page is plain text.
    pub is_text: bool,
    /// How often the least length of shingles was doubled, for the content and for the whole text; 7 for a text of few
    /// words. Min-values of two different classes are not comparable, because their shingles differ in length.
    pub classes: [u8; 2],
}

impl Profile {
    /// Returns the bands of a profile: a plain band for each run of seven of its short min-values, and then a named
    /// band for each run. A named band is made from the first three values of the run and the page's name: the first
    /// two words of its title that are not numbers, or of its headings if the title has none. Without such words it is
    /// made from four values.
    ///
    /// Two pages whose short shingles have resemblance r share a plain band with probability 1 - (1 - r^7)^12, and, if
    /// they have the same name, a named one with probability 1 - (1 - r^3)^12. For r = 0.68, that is, with a tenth of
    /// the words replaced, this is 0.99; bands of four shingles of eight terms would find one pair in ten.
    ///
    /// A plain band is XXH3 (64 bits, seed 0) of `short`, the index of the run as one byte and its seven values. A
    /// named band is that of `named`, the index, the values, the number of words of the name as one byte and two
    /// words, zero if missing. Values have 1 byte, words 4, little-endian: 13, 18 or 19 bytes.
    pub fn bands(&self) -> [u64; SHORT_BANDS] {
        let (name_len, name) = self.name();
        let named_size = if name_len == 0 { NAMELESS_BAND } else { NAMED_BAND };
        std::array::from_fn(|index| {
            let (run, is_named) = (index % RUNS, index >= RUNS);
            let size = if is_named { named_size } else { SHORT_BAND };
            let (mut bytes, mut end) = ([0; BAND_BYTES], 0);
            let mut put = |part: &[u8]| {
                bytes[end..end + part.len()].copy_from_slice(part);
                end += part.len();
            };
            put(if is_named { b"named" } else { b"short" });
            put(&[run as u8]);
            put(&self.short[SHORT_BAND * run..][..size]);
            if is_named {
                put(&[name_len]);
                name.iter().for_each(|word| put(&word.to_le_bytes()));
            }
            xxh3_64(&bytes[..end])
        })
    }

    /// Returns the name of the page (the first two words of its title or headings that are not numbers) as the count of
    /// words and the words, zero if missing.
    fn name(&self) -> (u8, [u32; 2]) {
        let of = |words: &LeadingWords| {
            let (mut len, mut name) = (0, [0; 2]);
            name.iter_mut().zip(words.plain()).for_each(|(slot, word)| (*slot, len) = (word, len + 1));
            (len, name)
        };
        let title = of(&self.title);
        if title.0 == 0 { of(&self.headings) } else { title }
    }

    /// Returns the bytes (SPEC 9.3), in the order of the fields.
    pub fn to_bytes(&self) -> [u8; PROFILE] {
        let mut bytes = Vec::with_capacity(PROFILE);
        bytes.extend_from_slice(&self.short);
        bytes.extend_from_slice(&self.whole);
        [&self.title, &self.headings, &self.address].into_iter().for_each(|words| words.put(&mut bytes));
        bytes.extend_from_slice(&self.numbers.total.to_le_bytes());
        self.numbers.least.iter().for_each(|hash| bytes.extend_from_slice(&hash.to_le_bytes()));
        let words = [self.terms, self.whole_terms, self.host, self.page];
        words.into_iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let [short, whole] = self.classes.map(|class| class & CLASS);
        bytes.push(flag(self.is_whole, ALL_CONTENT) | flag(self.is_text, TEXT) | short << 2 | whole << 5);
        let mut out = [0; PROFILE];
        out.copy_from_slice(&bytes);
        out
    }

    /// Returns the profile encoded by [`Profile::to_bytes`]. Any bytes are valid.
    pub fn from_bytes(bytes: &[u8; PROFILE]) -> Self {
        // This runs for every candidate of a verdict, so all offsets are constants.
        let (short, rest) = split::<MIN_VALUES>(bytes);
        let (whole, rest) = split::<WHOLE>(rest);
        let (title, rest) = split::<WORDS_SIZE>(rest);
        let (headings, rest) = split::<WORDS_SIZE>(rest);
        let (address, rest) = split::<WORDS_SIZE>(rest);
        let (total, rest) = split::<2>(rest);
        let (least, rest) = split::<{ 2 * NUMBERS }>(rest);
        let (words, rest) = split::<16>(rest);
        let mut numbers = Numbers { total: u16::from_le_bytes(*total), ..Numbers::default() };
        let (least, _) = least.as_chunks::<2>();
        numbers.least.iter_mut().zip(least).for_each(|(slot, hash)| *slot = u16::from_le_bytes(*hash));
        let (words, _) = words.as_chunks::<4>();
        let word = |index: usize| u32::from_le_bytes(words[index]);
        Self {
            short: *short,
            whole: *whole,
            title: LeadingWords::from_bytes(title),
            headings: LeadingWords::from_bytes(headings),
            address: LeadingWords::from_bytes(address),
            numbers,
            terms: word(0),
            whole_terms: word(1),
            host: word(2),
            page: word(3),
            is_whole: rest[0] & ALL_CONTENT != 0,
            is_text: rest[0] & TEXT != 0,
            classes: [rest[0] >> 2 & CLASS, rest[0] >> 5],
        }
    }
}

/// Splits off the first `N` bytes, of which there are enough.
fn split<const N: usize>(bytes: &[u8]) -> (&[u8; N], &[u8]) {
    bytes.split_first_chunk().expect("a profile has bytes for all its parts")
}
