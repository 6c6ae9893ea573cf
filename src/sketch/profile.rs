//! The profile of a page that the default verdict compares: small sketches of fixed width of its content, its whole
//! text, its titles, headings, address and numbers. They are neutral: what they say of a pair is the verdict's
//! business.
//!
//! As specified here:
//!
//! * *short*: the low 8 bits of each of the 84 min-values ([`min_hash`](crate::sketch::min_hash)) of the shingles of
//!   two successive terms of the content; the one shingle of a page of one term is that term. If every tenth word is
//!   replaced, two thirds of these shingles remain, and a quarter of those of eight terms. Where less than a quarter of
//!   them differ, as in a text of few words over and over, shingles are twice as long, and again, up to 32 terms
//!   ([`separating_min_values`]).
//! * *whole*: a byte ([`min_byte`]) of each of 40 min-values of the shingles of three successive terms of the whole
//!   text, numbers included, which are longer where less than a quarter of them differ. How long both are is kept:
//!   where two texts are on two sides of the limit, these values say nothing of them.
//! * *title*, *headings* and *address*: the first 15 different words of the title, of all headings of the content,
//!   those of higher rank first, and of the last part of the path of the address. A word is a term in lower case; a
//!   final `s` after a letter other than `s` is dropped from terms of more than three ASCII letters. Each word is 24
//!   bits: the low 22 of its XXH3 (64 bits, seed 0); bit 22 marks a number: a word that begins with a digit, or `v` and
//!   a digit, and has at most one letter (`31`, `7b`, `v2`; not `h3`); bit 23 marks a word of title or address that
//!   occurs in the content or the headings too. (With hashes of 14 bits one name in some hundred has the hash of a word
//!   of its template.)
//! * *numbers*: the number of different terms of digits alone in the content, and the seven least of the low 16
//!   bits of their hashes, ascending.
//! * the number of terms of the content and of the whole text; a hash of the host (the low 32 bits of XXH3 of its name;
//!   0 if unknown), and one of host and path (likewise, of the host, its path without a final `/` or `index` file, 0 if
//!   unknown); whether all of the page counts as its content, because there is too little else, and whether it is plain
//!   text.

use nddb_format::summaries::min_byte;
use xxhash_rust::xxh3::xxh3_64;

use crate::sketch::leading_words::{HASH, LeadingWords, NUMBER, OWN, WORDS, WORDS_SIZE};
use crate::sketch::min_hash::{MIN_VALUES, separating_min_values};
use crate::text::address::{page_of, path_parts};
use crate::text::{Headings, PageContent};

/// Most hashes of numbers kept.
pub(super) const NUMBERS: usize = 7;

/// Min-values of the whole text.
pub(crate) const WHOLE: usize = 40;

/// Bytes of a profile in a record (SPEC 9.3).
pub const PROFILE_SIZE: usize = MIN_VALUES + WHOLE + 3 * WORDS_SIZE + 2 + 2 * NUMBERS + 4 * 4 + 1;

/// Short min-values in a plain band.
const SHORT_BAND: usize = 7;

/// Short min-values in a named band.
const NAMED_BAND: usize = 3;

/// Short min-values in a named band of a page without a name: there are many of these.
const NAMELESS_BAND: usize = 4;

/// Most bytes that a band is the hash of.
const BAND_BYTES: usize = 19;
/// Number of runs of short min-values that bands are made of.
const RUNS: usize = MIN_VALUES / SHORT_BAND;

/// Number of bands of a profile, plain and named ones.
pub(crate) const SHORT_BANDS: usize = 2 * RUNS;

/// Terms in a short shingle.
const SHORT: usize = 2;

/// Terms in a shingle of the whole text.
const OF_WHOLE: usize = 3;

/// Flag of a profile: all of the page counts as its content.
const ALL_CONTENT: u8 = 1;
/// Flag of a profile: the page is plain text.
const TEXT: u8 = 2;
/// Bits of a class of lengths: three for the content behind the flags, three for the whole text.
const CLASS: u8 = 7;

/// Shingles are long enough if at least one in so many of them differs.
const DIFFERENT: usize = 4;

/// The different numbers in a content, sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Number of different numbers, at most 65,535.
    pub total: u16,
    /// The least of their hashes, ascending, followed by 65,535.
    pub least: [u16; NUMBERS],
}

impl Default for Numbers {
    fn default() -> Self {
        Self { total: 0, least: [u16::MAX; NUMBERS] }
    }
}

impl Numbers {
    fn of(hashes: &[u64]) -> Self {
        let mut hashes = hashes.to_vec();
        hashes.sort_unstable();
        hashes.dedup();
        let mut short: Vec<u16> = hashes.iter().map(|hash| *hash as u16).collect();
        short.sort_unstable();
        let mut numbers = Self { total: u16::try_from(hashes.len()).unwrap_or(u16::MAX), ..Self::default() };
        numbers.least.iter_mut().zip(short).for_each(|(slot, hash)| *slot = hash);
        numbers
    }

    /// Returns the hashes without the padding.
    pub fn kept(&self) -> &[u16] {
        &self.least[..usize::from(self.total).min(NUMBERS)]
    }

    /// Returns the resemblance of two sets of numbers, estimated from the least hashes of their union, as many as
    /// both sets cover (Broder 1997). `None` if either set is empty.
    pub fn resemblance(&self, other: &Self) -> Option<f64> {
        let (a, b) = (self.kept(), other.kept());
        if a.is_empty() || b.is_empty() {
            return None;
        }
        let (mut x, mut y, mut union, mut both) = (0, 0, 0u32, 0u32);
        let is_all = |numbers: &Self| usize::from(numbers.total) <= NUMBERS;
        while x < a.len() || y < b.len() {
            if (x == a.len() && !is_all(self)) || (y == b.len() && !is_all(other)) {
                break;
            }
            match (a.get(x), b.get(y)) {
                (Some(p), Some(q)) if p == q => (x, y, both) = (x + 1, y + 1, both + 1),
                (Some(p), Some(q)) if p < q => x += 1,
                (Some(_), None) => x += 1,
                _ => y += 1,
            }
            union += 1;
        }
        Some(f64::from(both) / f64::from(union.max(1)))
    }
}

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
    /// All of the page counts as its content.
    pub is_whole: bool,
    /// The page is plain text.
    pub is_text: bool,
    /// How often the least length of shingles was doubled, of the content and of the whole text; 7 for a text of few
    /// words. Min-values of two classes are of other shingles, and say nothing of a pair.
    pub classes: [u8; 2],
}

impl Profile {
    /// Returns the profile of a page, given its content, the hashes of the content's terms, its host, empty if unknown,
    /// and its address. `None` if the content has no term.
    pub(crate) fn of(content: &PageContent, hashes: &[u64], host: &str, url: Option<&str>) -> Option<Self> {
        let (values, short_class) = separating_min_values::<MIN_VALUES>(hashes, SHORT, DIFFERENT)?;
        let whole_hashes = content.whole_hashes();
        let (whole, whole_class) = separating_min_values(&whole_hashes, OF_WHOLE, DIFFERENT).unwrap_or(([0; WHOLE], 0));
        let mut headings: Vec<_> = content.headings().collect();
        headings.sort_by_key(|heading| heading.rank);
        let of_headings = headings.iter().flat_map(|heading| content.lower(heading.indexes));
        let headings = LeadingWords::of(of_headings.map(|term| word(&term)));
        let marked = |terms: &[String]| {
            let words = terms.iter().zip(occurring(terms, hashes)).map(|(term, is_in_content)| {
                let word = word(term);
                let is_own = word & NUMBER == 0 && (is_in_content || headings.kept().contains(&word));
                if is_own { word | OWN } else { word }
            });
            LeadingWords::of(words)
        };
        let title: Vec<String> = content.title().collect();
        let file = url.map(path_parts).unwrap_or_default().into_iter().next().unwrap_or_default();
        let hash = |name: &str| if name.is_empty() { 0 } else { xxh3_64(name.as_bytes()) as u32 };
        Some(Self {
            short: std::array::from_fn(|index| values[index] as u8),
            whole: whole.map(min_byte),
            title: marked(&title),
            headings,
            address: marked(&file),
            numbers: Numbers::of(&content.number_hashes()),
            terms: u32::try_from(hashes.len()).unwrap_or(u32::MAX),
            whole_terms: u32::try_from(whole_hashes.len()).unwrap_or(u32::MAX),
            host: hash(host),
            page: url.and_then(page_of).map_or(0, |page| hash(&page)),
            is_whole: content.is_whole(),
            is_text: content.is_text(),
            classes: [short_class, whole_class],
        })
    }

    /// Returns a hash of all words of the title, and one of all words of the headings, numbers left out; order does
    /// not matter, and 0 means no words.
    pub(crate) fn titles(&self) -> Headings {
        let hash = |words: &LeadingWords| {
            let (mut different, mut len) = ([0; WORDS], 0);
            for word in words.plain() {
                if !different[..len].contains(&word) {
                    different[len] = word;
                    len += 1;
                }
            }
            different[..len].sort_unstable();
            let bytes = different.map(u32::to_le_bytes);
            if len == 0 { 0 } else { xxh3_64(bytes[..len].as_flattened()) }
        };
        Headings { title: hash(&self.title), heading: hash(&self.headings) }
    }

    /// Returns the bands of a profile: a plain band for each run of seven of its short min-values, and then a named
    /// band for each run, of its first three values and the page's name: the first two words of its title that are
    /// no numbers, of its headings if the title has none; of four values if there are no such words.
    ///
    /// Two pages whose short shingles have resemblance r share a plain band with probability 1 - (1 - r^7)^12, and,
    /// if they have the same name, a named one with 1 - (1 - r^3)^12: for .68, a tenth of the words replaced, 99 times
    /// in a hundred, where bands of four shingles of eight terms find one in ten.
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

    /// Returns the name of the page, the first two words of its title or headings that are no numbers, as their number
    /// and the words, zero if missing.
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
    pub fn to_bytes(&self) -> [u8; PROFILE_SIZE] {
        let mut bytes = Vec::with_capacity(PROFILE_SIZE);
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
        let mut out = [0; PROFILE_SIZE];
        out.copy_from_slice(&bytes);
        out
    }

    /// Returns the profile encoded by [`Profile::to_bytes`]. Any bytes are valid.
    pub fn from_bytes(bytes: &[u8; PROFILE_SIZE]) -> Self {
        // Every candidate of a verdict is read: all places are constants.
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

/// Returns the 24 bits of a word in lower case.
fn word(term: &str) -> u32 {
    let bytes = term.as_bytes();
    let is_plural = bytes.len() > 3 && term.is_ascii() && bytes.ends_with(b"s") && !bytes.ends_with(b"ss");
    let hash = xxh3_64(&bytes[..bytes.len() - usize::from(is_plural)]) as u32 & HASH;
    let letters = term.chars().filter(|letter| letter.is_alphabetic()).count();
    let is_number = letters <= 1 && term.strip_prefix('v').unwrap_or(term).starts_with(char::is_numeric);
    if is_number { hash | NUMBER } else { hash }
}

/// Returns which terms occur among others, given the hashes of these.
fn occurring(terms: &[String], hashes: &[u64]) -> Vec<bool> {
    let mut wanted: Vec<(u64, usize)> =
        terms.iter().enumerate().map(|(index, term)| (xxh3_64(term.as_bytes()), index)).collect();
    wanted.sort_unstable();
    // Most of the others are none of these: one bit of each hash rules them out.
    let bit = |hash: u64| 1u64 << (hash >> 58);
    let mask = wanted.iter().fold(0, |mask, (hash, _)| mask | bit(*hash));
    let mut found = vec![false; terms.len()];
    for hash in hashes.iter().filter(|hash| mask & bit(**hash) != 0) {
        let start = wanted.partition_point(|(wanted, _)| wanted < hash);
        wanted[start..].iter().take_while(|(wanted, _)| wanted == hash).for_each(|(_, index)| found[*index] = true);
    }
    found
}
