//! The computation of the profile of a page ([`Profile`]; SPEC 9.3 has its layout).
//!
//! As specified here:
//!
//! * *short*: the low 8 bits of each of the 84 min-values ([`min_hash`](crate::sketch::min_hash)) of the shingles of
//!   two successive terms of the content; the one shingle of a page of one term is that term. If every tenth word is
//!   replaced, two thirds of these shingles remain, but only a quarter of the shingles of eight terms. While fewer than
//!   a quarter of the shingles are distinct, as in a text that repeats a few words, their length is doubled, up to 32
//!   terms ([`separating_min_values`]).
//! * *whole*: a byte ([`min_byte`]) of each of 40 min-values of the shingles of three successive terms of the whole
//!   text, numbers included, lengthened in the same way; if the whole text has no term, of the content. Both lengths are
//!   stored, because values of shingles of different lengths are not comparable.
//! * *title*, *headings* and *address*: the first 15 distinct words of the title, of all headings of the content
//!   (higher ranks first), and of the last part of the path of the address. A word is a term in lower case; a final `s`
//!   after a letter other than `s` is dropped from terms of more than three ASCII letters. Each word is 24 bits: the
//!   low 22 of its XXH3 (64 bits, seed 0); bit 22 marks a number: a word that begins with a digit, or `v` and a digit,
//!   and has at most one letter (`31`, `7b`, `v2`; not `h3`); bit 23 marks a word of title or address that occurs in
//!   the content or the headings too. (With hashes of 14 bits, about one name in a few hundred would collide with a
//!   word of its template.)
//! * *numbers*: the number of distinct all-digit terms in the content, and the seven least of the low 16 bits of their
//!   hashes, ascending.
//! * the number of terms of the content and of the whole text; a hash of the host (the low 32 bits of XXH3 of its name;
//!   0 if unknown), and a hash of host and path (likewise; the path without a final `/` or `index` file; 0 if unknown);
//!   whether the whole page counts as its content because too little content was found, and whether the page is plain
//!   text;
//! * *content*: XXH3 (64 bits, seed 0) of the hashes of all terms of the content in their order, numbers included.
//!   Equal digests mean equal words, as for the checksums of Manku et al. 2007, 6.D.

use nddb_format::profile::{HASH, LeadingWords, NUMBER, Numbers, OWN, Profile, WHOLE, WORDS};
use nddb_format::record::min_byte;
use xxhash_rust::xxh3::xxh3_64;

use crate::sketch::min_hash::{MIN_VALUES, separating_min_values};
use crate::text::address::{file_words, page_of};
use crate::text::{Headings, PageContent};

/// Terms in a short shingle.
const SHORT: usize = 2;

/// Terms in a shingle of the whole text.
const OF_WHOLE: usize = 3;

/// Shingles are long enough if at least one in this many is distinct.
const DIFFERENT: usize = 4;

/// Returns the profile of a page, given its content, the hashes of the content's terms, its host (empty if unknown) and
/// its address. `None` if the content has no term.
pub(crate) fn profile_of(content: &PageContent, hashes: &[u64], host: &str, url: Option<&str>) -> Option<Profile> {
    let (values, short_class) = separating_min_values::<MIN_VALUES>(hashes, SHORT, DIFFERENT)?;
    let mut whole_hashes = content.whole_hashes();
    if whole_hashes.is_empty() {
        // The page has no text besides its title, which then counts as its content.
        whole_hashes = hashes.to_vec();
    }
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
    let file = url.map(file_words).unwrap_or_default();
    let hash = |name: &str| if name.is_empty() { 0 } else { xxh3_64(name.as_bytes()) as u32 };
    Some(Profile {
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
        content: xxh3_64(content.all_hashes().map(u64::to_le_bytes).collect::<Vec<_>>().as_flattened()),
    })
}

/// Returns a hash of all words of the title and a hash of all words of the headings, without numbers; the order of
/// words does not matter, and 0 means no words.
pub fn titles_of(profile: &Profile) -> Headings {
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
    Headings { title: hash(&profile.title), heading: hash(&profile.headings) }
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

/// Returns which terms occur among other terms, given the hashes of the latter.
fn occurring(terms: &[String], hashes: &[u64]) -> Vec<bool> {
    if terms.is_empty() {
        return Vec::new();
    }
    let mut wanted: Vec<(u64, usize)> =
        terms.iter().enumerate().map(|(index, term)| (xxh3_64(term.as_bytes()), index)).collect();
    wanted.sort_unstable();
    // Most of the other terms do not match: one bit of each hash rules them out.
    let bit = |hash: u64| 1u64 << (hash >> 58);
    let mask = wanted.iter().fold(0, |mask, (hash, _)| mask | bit(*hash));
    let mut found = vec![false; terms.len()];
    for hash in hashes.iter().filter(|hash| mask & bit(**hash) != 0) {
        let start = wanted.partition_point(|(wanted, _)| wanted < hash);
        // Equal terms are handled together and only once, although both lists may have many of them.
        if wanted.get(start).is_some_and(|(_, index)| !found[*index]) {
            wanted[start..].iter().take_while(|(wanted, _)| wanted == hash).for_each(|(_, index)| found[*index] = true);
        }
    }
    found
}
