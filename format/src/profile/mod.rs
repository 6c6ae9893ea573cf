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
const _: () = assert!(PROFILE == MIN_VALUES + WHOLE + 3 * WORDS_SIZE + 2 + 2 * NUMBERS + 4 * 4 + 1 + 8);

/// Short min-values in a plain band.
const SHORT_BAND: usize = 7;
/// Short min-values in a named band.
const NAMED_BAND: usize = 3;
/// Short min-values in a named band of a page without a name; such pages are many.
const NAMELESS_BAND: usize = 4;
/// Number of runs of short min-values from which bands are made.
const RUNS: usize = MIN_VALUES / SHORT_BAND;
/// Min-values of the whole text in a whole band.
const WHOLE_BAND: usize = 6;

/// Number of bands of a profile: plain, named and whole ones.
pub const BANDS: usize = 2 * RUNS + WHOLE / WHOLE_BAND;

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
    /// A digest of the terms of its content in their order, numbers included.
    pub content: u64,
}

impl Profile {
    /// Returns the bands of a profile ([`BandParts::bands`]).
    pub fn bands(&self) -> [u64; BANDS] {
        self.band_parts().bands()
    }

    /// Returns the parts of the profile from which its bands are made. The name of a page is the first two words of its
    /// title that are not numbers, or of its headings if the title has none.
    pub fn band_parts(&self) -> BandParts {
        BandParts::new(self.short, self.whole, &self.title, || self.headings)
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
        bytes.extend_from_slice(&self.content.to_le_bytes());
        let mut out = [0; PROFILE];
        out.copy_from_slice(&bytes);
        out
    }

    /// Returns the profile encoded by [`Profile::to_bytes`]. Any bytes are valid.
    #[inline]
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
        let ([flags], rest) = split(rest);
        let (content, _) = split(rest);
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
            is_whole: flags & ALL_CONTENT != 0,
            is_text: flags & TEXT != 0,
            classes: [flags >> 2 & CLASS, flags >> 5],
            content: u64::from_le_bytes(*content),
        }
    }
}

/// The parts of a profile from which its bands are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BandParts {
    short: [u8; MIN_VALUES],
    whole: [u8; WHOLE],
    /// Number of words of the name.
    name_len: u8,
    /// The words of the name, zero if missing.
    name: [u32; 2],
}

impl BandParts {
    /// Returns the parts in an encoded profile. Nothing else of it is decoded.
    pub fn of_bytes(bytes: &[u8; PROFILE]) -> Self {
        let (short, rest) = split(bytes);
        let (whole, rest) = split(rest);
        let (title, rest) = split(rest);
        let (headings, _) = split(rest);
        Self::new(*short, *whole, &LeadingWords::from_bytes(title), || LeadingWords::from_bytes(headings))
    }

    fn new(
        short: [u8; MIN_VALUES],
        whole: [u8; WHOLE],
        title: &LeadingWords,
        headings: impl FnOnce() -> LeadingWords,
    ) -> Self {
        let of = |words: &LeadingWords| {
            let (mut len, mut name) = (0, [0; 2]);
            name.iter_mut().zip(words.plain()).for_each(|(slot, word)| (*slot, len) = (word, len + 1));
            (len, name)
        };
        let (name_len, name) = match of(title) {
            (0, _) => of(&headings()),
            title => title,
        };
        Self { short, whole, name_len, name }
    }

    /// Returns the bands: a plain band for each run of seven short min-values, then a named band for each of these runs,
    /// then a whole band for each run of six min-values of the whole text. A named band is made from the first three
    /// values of the run and the page's name; without a name, from four values.
    ///
    /// Two pages whose short shingles have resemblance r share a plain band with probability 1 - (1 - r^7)^12, and, if
    /// they have the same name, a named one with probability 1 - (1 - r^3)^12. For r = 0.68, that is, with a tenth of
    /// the words replaced, this is 0.99; bands of four shingles of eight terms would find one pair in ten.
    ///
    /// Whole bands find two pages whose content was delimited differently: if their whole texts have resemblance r, they
    /// share one with probability 1 - (1 - r^6)^6, which is 0.99 for r = 0.9, 0.53 for 0.7 and 0.09 for 0.5.
    ///
    /// A plain band is XXH3 (64 bits, seed 0) of `short`, the index of the run as one byte and its seven values. A
    /// named band is that of `named`, the index, the values, the number of words of the name as one byte and two
    /// words, zero if missing. Values have 1 byte, words 4, little-endian: 13, 18 or 19 bytes. A whole band is that of
    /// `whole`, the index and the values: 12 bytes.
    pub fn bands(&self) -> [u64; BANDS] {
        let mut bands = [0; BANDS];
        for (index, run) in self.runs().iter().enumerate() {
            let mut plain = *b"short........";
            plain[5] = index as u8;
            plain[6..].copy_from_slice(run);
            bands[index] = xxh3_64(&plain);
            let mut named = *b"named..............";
            named[5] = index as u8;
            let values = self.named_values();
            named[6..6 + NAMELESS_BAND].copy_from_slice(&run[..NAMELESS_BAND]);
            named[6 + values] = self.name_len;
            named[7 + values..][..8].copy_from_slice(self.name.map(u32::to_le_bytes).as_flattened());
            // Both sizes are constants, which XXH3 hashes without branches.
            bands[RUNS + index] = match values {
                NAMELESS_BAND => xxh3_64(&named),
                _ => xxh3_64(&named[..15 + NAMED_BAND]),
            };
        }
        for (index, run) in self.whole_runs().iter().enumerate() {
            let mut whole = *b"whole.......";
            whole[5] = index as u8;
            whole[6..].copy_from_slice(run);
            bands[2 * RUNS + index] = xxh3_64(&whole);
        }
        bands
    }

    /// Returns the indexes of the bands that two profiles share, as a mask: the bands whose parts are equal, without
    /// hashing them.
    #[inline]
    pub fn shared(&self, other: &Self) -> u32 {
        let have_same_name = (self.name_len, self.name) == (other.name_len, other.name);
        let values = self.named_values();
        let runs = self.runs().iter().zip(other.runs());
        let of_content = (0..).zip(runs).fold(0, |mask, (index, (a, b))| {
            let named = have_same_name && a[..values] == b[..values];
            mask | u32::from(a == b) << index | u32::from(named) << (RUNS + index)
        });
        let wholes = self.whole_runs().iter().zip(other.whole_runs());
        (2 * RUNS..).zip(wholes).fold(of_content, |mask, (index, (a, b))| mask | u32::from(a == b) << index)
    }

    fn runs(&self) -> &[[u8; SHORT_BAND]] {
        self.short.as_chunks().0
    }

    fn whole_runs(&self) -> &[[u8; WHOLE_BAND]] {
        self.whole.as_chunks().0
    }

    /// Returns the number of values in a named band.
    fn named_values(&self) -> usize {
        if self.name_len == 0 { NAMELESS_BAND } else { NAMED_BAND }
    }
}

/// Splits off the first `N` bytes, of which there are enough.
fn split<const N: usize>(bytes: &[u8]) -> (&[u8; N], &[u8]) {
    bytes.split_first_chunk().expect("a profile has bytes for all its parts")
}
