//! The profile of a page that the default verdict compares (`main/1`): small sketches of fixed width of its
//! content, titles, headings and numbers.
//!
//! As specified here:
//!
//! * *short*: the low 8 bits of each of the 84 min-values ([`min_hash`](crate::sketch::min_hash)) of the shingles
//!   of two successive terms of the content; the one shingle of a page of one term is that term. If every tenth
//!   word is replaced, two thirds of these shingles remain, and a quarter of those of eight terms.
//! * *title* and *headings*: the first 15 different words of the title, and of all headings of the content, those
//!   of higher rank first. A word is a term in lower case; a final `s` after a letter other than `s` is dropped
//!   from terms of more than three ASCII letters, and `and` is no word. Each word is 24 bits: the low 22 of its
//!   XXH3 (64 bits, seed 0); bit 22 marks a number: a word that begins with a digit, or `v` and a digit, and has
//!   at most one letter (`31`, `7b`, `v2`; not `h3`); bit 23 marks a word that is the page's own: of a title
//!   one that occurs in the content or its headings too, as the name of a site seldom does, or, where the content is
//!   *brief* (less than 60 terms), in the path of the address. (With hashes of 14 bits one name in some hundred has the
//!   hash of a word of its template, and its page is named as all of them.)
//! * *address*: behind the title of a brief content the different terms of the path of the address that are no numbers,
//!   the last part first, if the content has one of them. Bit 22 is set as of numbers, and bit 23 if the content has the
//!   term, as it is or with an `s` more or less. No `s` is dropped from the term itself: `trait` and `traits` are two
//!   addresses. Title and address are 15 words at most.
//! * in the place of both, where there are neither title nor headings: the first 15 different words of the file name of
//!   the address, of all parts of its path where the content is brief, the last part first. Those that occur anywhere
//!   in the page are its own.
//! * in the place of both, of a plain text for which that gives no word: its [leading lines](LeadingLines).
//! * *numbers*: the number of different terms of digits alone in the content, and the seven least of the low 16
//!   bits of their hashes, ascending.
//! * the number of terms of the content, a hash of the host (the low 32 bits of XXH3 of its name; 0 if unknown),
//!   whether all of the page counts as its content, because there is too little else, and whether it is plain text.

use xxhash_rust::xxh3::xxh3_64;

use crate::sketch::leading_lines::LeadingLines;
use crate::sketch::leading_words::{HASH, LeadingWords, NUMBER, OWN, OWN_OF_ADDRESS, WORDS, WORDS_SIZE};
use crate::sketch::min_hash::{self, MIN_VALUES};
use crate::text::address::path_parts;
use crate::text::{Headings, PageContent};

/// Most hashes of numbers kept.
pub(super) const NUMBERS: usize = 7;

/// Bytes of a profile in a record (SPEC 9.3).
pub const PROFILE_SIZE: usize = MIN_VALUES + 2 * WORDS_SIZE + 2 + 2 * NUMBERS + 4 + 4 + 1;

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

/// Terms below which a content is brief: of two pages of one template it may be what they share.
const BRIEF: u32 = 60;

/// Flag of a profile: all of the page counts as its content.
const WHOLE: u8 = 1;
/// Flag of a profile: the words in the place of the title are those of the file name.
const FILE_NAME: u8 = 2;
/// Flag of a profile: the page is plain text.
const TEXT: u8 = 4;
/// Flag of a profile: in the place of title and headings are leading lines and frequent words.
const LINES: u8 = 8;

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
    /// The low bits of the min-values of its short shingles.
    pub short: [u8; MIN_VALUES],
    /// The words of its title; if its content is brief, those of its address behind them.
    pub title: LeadingWords,
    /// If it has neither a title nor headings, the words of the file name of its address; if its content is brief, of
    /// all the path.
    pub file_name: LeadingWords,
    /// The words of the headings of its content.
    pub headings: LeadingWords,
    /// If it is plain text without any of these, the lines that stand alone before its first prose.
    pub leading_lines: Option<LeadingLines>,
    /// The numbers of its content.
    pub numbers: Numbers,
    /// Number of terms of its content without numbers.
    pub terms: u32,
    /// A hash of its host.
    pub host: u32,
    /// All of the page counts as its content.
    pub is_whole: bool,
    /// The page is plain text.
    pub is_text: bool,
}

impl Profile {
    /// Returns the profile of a page, given its content, the hashes of the content's terms, its host, empty if unknown,
    /// and its address. `None` if the content has no term.
    pub(crate) fn of(content: &PageContent, hashes: &[u64], host: &str, url: Option<&str>) -> Option<Self> {
        let values = min_hash::min_values(hashes, SHORT)?;
        let mut headings: Vec<_> = content.headings().collect();
        headings.sort_by_key(|heading| heading.rank);
        let heading_words = LeadingWords::of(
            headings.iter().flat_map(|heading| content.lower(heading.indexes)).filter_map(|term| word(&term)),
        );
        let title: Vec<String> = content.title().collect();
        let terms = u32::try_from(hashes.len()).unwrap_or(u32::MAX);
        let (is_brief, has_no_name) = (terms < BRIEF, title.is_empty() && headings.is_empty());
        let mut parts = url.filter(|_| is_brief || has_no_name).map(path_parts).unwrap_or_default();
        if !is_brief {
            parts.truncate(1);
        }
        let address = parts.concat();
        let (title, file_name) = if has_no_name && !address.is_empty() {
            // Looked up in all of the page: little of a list without markup may be content.
            let is_in_page = forms_occurring(&address, &content.page_hashes());
            let words = address.iter().zip(is_in_page).filter_map(|(term, is_own)| named_word(term, is_own));
            (LeadingWords::default(), LeadingWords::of(words))
        } else {
            let words = title.iter().zip(occurring(&title, hashes)).filter_map(|(term, is_in_content)| {
                let is_in_heading = || word(term).is_some_and(|word| heading_words.kept().contains(&word));
                named_word(term, is_in_content || is_in_heading() || address.contains(term))
            });
            (LeadingWords::of(words.chain(words_of_address(&address, hashes))), LeadingWords::default())
        };
        Some(Self {
            short: std::array::from_fn(|index| values[index] as u8),
            title,
            file_name,
            headings: heading_words,
            numbers: Numbers::of(&content.number_hashes()),
            terms,
            host: if host.is_empty() { 0 } else { xxh3_64(host.as_bytes()) as u32 },
            is_whole: content.is_whole(),
            is_text: content.is_text(),
            leading_lines: if has_no_name && address.is_empty() { LeadingLines::of(content) } else { None },
        })
    }

    /// Returns whether the content is so brief that its title says more of what it is about.
    pub(crate) fn is_brief(&self) -> bool {
        self.terms < BRIEF
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

    /// Returns the bytes (SPEC 9.3): short, title or file name and headings or leading lines, numbers, terms, host,
    /// flags.
    pub fn to_bytes(&self) -> [u8; PROFILE_SIZE] {
        let mut bytes = Vec::with_capacity(PROFILE_SIZE);
        bytes.extend_from_slice(&self.short);
        let is_of_file = self.file_name.total > 0;
        if let Some(lines) = &self.leading_lines {
            lines.words.put(&mut bytes);
            bytes.push(WORDS as u8);
            bytes.extend_from_slice(&lines.frequent);
        } else {
            let title = if is_of_file { &self.file_name } else { &self.title };
            title.put(&mut bytes);
            self.headings.put(&mut bytes);
        }
        bytes.extend_from_slice(&self.numbers.total.to_le_bytes());
        self.numbers.least.iter().for_each(|hash| bytes.extend_from_slice(&hash.to_le_bytes()));
        bytes.extend_from_slice(&self.terms.to_le_bytes());
        bytes.extend_from_slice(&self.host.to_le_bytes());
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let kinds = flag(is_of_file, FILE_NAME) | flag(self.leading_lines.is_some(), LINES);
        bytes.push(flag(self.is_whole, WHOLE) | flag(self.is_text, TEXT) | kinds);
        let mut out = [0; PROFILE_SIZE];
        out.copy_from_slice(&bytes);
        out
    }

    /// Returns the profile encoded by [`Profile::to_bytes`]. Any bytes are valid.
    pub fn from_bytes(bytes: &[u8; PROFILE_SIZE]) -> Self {
        // Every candidate of a verdict is read: all places are constants.
        let (short, rest) = split::<MIN_VALUES>(bytes);
        let (title, rest) = split::<WORDS_SIZE>(rest);
        let (headings, rest) = split::<WORDS_SIZE>(rest);
        let (total, rest) = split::<2>(rest);
        let (least, rest) = split::<{ 2 * NUMBERS }>(rest);
        let (terms, rest) = split::<4>(rest);
        let (host, rest) = split::<4>(rest);
        let mut numbers = Numbers { total: u16::from_le_bytes(*total), ..Numbers::default() };
        let (least, _) = least.as_chunks::<2>();
        numbers.least.iter_mut().zip(least).for_each(|(slot, hash)| *slot = u16::from_le_bytes(*hash));
        let flags = rest[0];
        let (words, none) = (LeadingWords::from_bytes(title), LeadingWords::default());
        let [_, frequent @ ..] = *headings;
        let (title, file_name, headings, leading_lines) = match flags & (FILE_NAME | LINES) {
            0 => (words, none, LeadingWords::from_bytes(headings), None),
            FILE_NAME => (none, words, LeadingWords::from_bytes(headings), None),
            _ => (none, none, none, Some(LeadingLines { words, frequent })),
        };
        Self {
            short: *short,
            title,
            file_name,
            headings,
            leading_lines,
            numbers,
            terms: u32::from_le_bytes(*terms),
            host: u32::from_le_bytes(*host),
            is_whole: flags & WHOLE != 0,
            is_text: flags & TEXT != 0,
        }
    }
}

/// Splits off the first `N` bytes, of which there are enough.
fn split<const N: usize>(bytes: &[u8]) -> (&[u8; N], &[u8]) {
    bytes.split_first_chunk().expect("a profile has bytes for all its parts")
}

fn hash(word: &[u8]) -> u32 {
    xxh3_64(word) as u32 & HASH
}

/// Returns the 24 bits of a word in lower case; `None` for `and`.
fn word(term: &str) -> Option<u32> {
    if term == "and" {
        return None;
    }
    let bytes = term.as_bytes();
    let is_plural = bytes.len() > 3 && term.is_ascii() && bytes.ends_with(b"s") && !bytes.ends_with(b"ss");
    let hash = hash(&bytes[..bytes.len() - usize::from(is_plural)]);
    let letters = term.chars().filter(|letter| letter.is_alphabetic()).count();
    let is_number = letters <= 1 && term.strip_prefix('v').unwrap_or(term).starts_with(char::is_numeric);
    Some(if is_number { hash | NUMBER } else { hash })
}

/// Returns the 24 bits of a word in lower case that may be the page's own, as no number is.
fn named_word(term: &str, is_own: bool) -> Option<u32> {
    let word = word(term)?;
    Some(if is_own && word & NUMBER == 0 { word | OWN } else { word })
}

/// Returns the words of an address that stand behind a title, none if the content has none of them.
fn words_of_address(terms: &[String], hashes: &[u64]) -> Vec<u32> {
    let is_in_content = forms_occurring(terms, hashes);
    let words: Vec<u32> = (terms.iter().zip(is_in_content))
        .filter(|(term, _)| word(term).is_some_and(|word| word & NUMBER == 0))
        .map(|(term, is_own)| hash(term.as_bytes()) | if is_own { OWN_OF_ADDRESS } else { NUMBER })
        .collect();
    let is_told = words.iter().any(|word| word & OWN != 0);
    if is_told { words } else { Vec::new() }
}

/// Returns which terms occur among others, as they are or with an `s` more or less, given the hashes of these.
fn forms_occurring(terms: &[String], hashes: &[u64]) -> Vec<bool> {
    let forms = |term: &String| [term.clone(), format!("{term}s"), term.strip_suffix('s').unwrap_or(term).to_owned()];
    let forms: Vec<String> = terms.iter().flat_map(forms).collect();
    occurring(&forms, hashes).chunks(3).map(|found| found.contains(&true)).collect()
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
