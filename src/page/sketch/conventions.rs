//! The simhashes of other tools, for importing and comparing their fingerprints.
//!
//! Each convention is the simhash of Manku et al. 2 with the features and the hash function of a tool; fingerprints of
//! different conventions cannot be compared. On plain text, fingerprints equal those of the tool. On pages of markup
//! they may differ, because this crate extracts the visible text in its own way.

use std::borrow::Cow;

use blake2::digest::consts::U8;
use blake2::{Blake2b, Blake2b512, Digest as _};
use md5::Md5;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::sketch::tally::Tally;
use crate::text::{is_punctuation, is_word_character};

nddb_format::named! {
    /// The tool whose features and hash are used.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Convention {
        /// The Python package simhash (1e0n): lower case, all word characters joined without spaces, every four
        /// successive ones; MD5, its last 8 bytes. A text of fewer than four characters is one feature, even the empty
        /// text.
        OneE0ng = "1e0ng",
        /// simhash-cpp and simhash-py of seomoz, with the features of their examples (the libraries leave these to the
        /// caller): lower case, every three successive words; MD5, its first 8 bytes. Fewer than three words are one
        /// feature.
        Seomoz = "seomoz",
        /// The Python package text-dedup: lower case, split at every non-word character (two in a row enclose an empty
        /// word), the set of all runs of three words; XXH3 with seed 42. Fewer than five words give 0.
        TextDedup = "text-dedup",
        /// The Wayback Machine's wayback-discover-diff with 64 bits, which equal the low 64 of its usual 256 bits:
        /// lower case, ASCII punctuation as spaces, words; BLAKE2b-512, its last 8 bytes.
        Wayback64 = "wayback64",
        /// The Python package trafilatura: the alphanumeric tokens, case kept, without ASCII punctuation at their ends;
        /// only tokens of more than 4, 3, 2 or 1 characters are used, by the first of these bounds that leaves 32
        /// tokens; BLAKE2b of 64 bits. A sum of zero gives 1, so an empty text is all ones.
        Trafilatura = "trafilatura",
    }
}

impl Convention {
    /// Returns the fingerprint of the counted features.
    pub(crate) fn fingerprint(self, tally: &mut Tally<1>) -> u64 {
        match self {
            Convention::Trafilatura => tally.at_least_half()[0],
            _ => tally.majority()[0],
        }
    }

    /// Calls `each` for every occurrence of each feature of a text, with its hash.
    pub(crate) fn features(self, text: &str, mut each: impl FnMut(&str, u64)) {
        let text = match self {
            Convention::Trafilatura => Cow::Borrowed(text),
            _ => Cow::Owned(text.to_lowercase()),
        };
        match self {
            Convention::OneE0ng => {
                let joined: String = text.chars().filter(|&c| is_word_character(c)).collect();
                for_each_window(&joined, 4, |feature| each(feature, md5_tail(feature)));
            }
            Convention::Seomoz => {
                let words = text.split(|c| !is_word_character(c));
                let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
                if words.is_empty() {
                    return;
                }
                for shingle in words.windows(words.len().min(3)) {
                    let feature = shingle.join(" ");
                    each(&feature, md5_head(&feature));
                }
            }
            Convention::TextDedup => {
                let words: Vec<&str> = text.split(|c| !is_word_character(c)).collect();
                if words.len() < 5 {
                    return;
                }
                let mut set: Vec<String> = words.windows(3).map(|three| three.join(" ")).collect();
                set.sort_unstable();
                set.dedup();
                for feature in &set {
                    each(feature, xxh3_64_with_seed(feature.as_bytes(), 42));
                }
            }
            Convention::Wayback64 => {
                let words = text.split(|c: char| is_space(c) || c.is_ascii_punctuation());
                for word in words.filter(|word| !word.is_empty()) {
                    each(word, blake2b_tail(word));
                }
            }
            Convention::Trafilatura => {
                for token in sample(&text) {
                    each(token, blake2b_64(token));
                }
            }
        }
    }
}

/// Returns trafilatura's sample of a text's tokens: the longer ones, if there are enough of them.
fn sample(text: &str) -> Vec<&str> {
    let is_token = |token: &&str| !token.is_empty() && token.chars().all(|c| c != '_' && is_word_character(c));
    let words = text.split(is_space).map(|word| word.trim_matches(|c: char| c.is_ascii_punctuation()));
    let mut tokens: Vec<&str> = words.filter(is_token).collect();
    if tokens.is_empty() {
        let words = text.split(|c| is_space(c) || is_punctuation(c));
        tokens = words.filter(is_token).collect();
    }
    for bound in [4, 3, 2, 1] {
        let long = |token: &&&str| token.chars().nth(bound).is_some();
        if tokens.iter().filter(long).count() >= 32 {
            return tokens.iter().filter(long).copied().collect();
        }
    }
    tokens
}

/// Returns whether Python splits at `c`: white space and the four ASCII separators.
fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\x1c'..='\x1f')
}

/// Calls `each` for every run of `size` characters, or once for the whole of a shorter text.
fn for_each_window(text: &str, size: usize, mut each: impl FnMut(&str)) {
    let begins = text.char_indices().map(|(at, _)| at);
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8()).skip(size - 1);
    let mut any = false;
    for (begin, end) in begins.zip(ends) {
        each(&text[begin..end]);
        any = true;
    }
    if !any {
        each(text);
    }
}

fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn md5_head(feature: &str) -> u64 {
    big_endian(&Md5::digest(feature.as_bytes())[..8])
}

fn md5_tail(feature: &str) -> u64 {
    big_endian(&Md5::digest(feature.as_bytes())[8..])
}

fn blake2b_tail(feature: &str) -> u64 {
    big_endian(&Blake2b512::digest(feature.as_bytes())[56..])
}

fn blake2b_64(feature: &str) -> u64 {
    big_endian(&Blake2b::<U8>::digest(feature.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "The quick brown fox jumps over the lazy dog near the river bank while the sun \
                     sets slowly behind the old stone mill";

    fn of(convention: Convention, text: &str) -> u64 {
        let mut tally = Tally::new();
        convention.features(text, |_, hash| tally.add([hash]));
        convention.fingerprint(&mut tally)
    }

    #[test]
    fn the_fingerprints_are_those_of_the_other_tools() {
        let b = A.replace("slowly", "quickly");
        for (convention, first, second) in [
            (Convention::OneE0ng, 0xa038_1691_4c2f_c90b, 0xa93a_1695_442b_898b),
            (Convention::Seomoz, 0x9fb5_ab07_d163_d54a, 0x0bb5_1307_d1fb_dd03),
            (Convention::Wayback64, 0xfff4_05ea_3aa2_4de7, 0xffe4_05ea_38a2_0de7),
            (Convention::TextDedup, 0x6bc9_23be_b06f_e011, 0x6b4a_32ae_a77f_5411),
            (Convention::Trafilatura, 0x5ad8_a3fc_1057_3a8f, 0x5ada_abf4_1057_3a8e),
        ] {
            assert_eq!(of(convention, A), first, "{convention:?}");
            assert_eq!(of(convention, &b), second, "{convention:?}");
        }
    }

    #[test]
    fn short_texts_follow_each_tool() {
        assert_eq!(of(Convention::OneE0ng, ""), md5_tail(""));
        assert_eq!(of(Convention::OneE0ng, "A-b"), md5_tail("ab"));
        assert_eq!(of(Convention::Seomoz, " , "), 0);
        assert_eq!(of(Convention::Seomoz, "One, two"), md5_head("one two"));
        assert_eq!(of(Convention::TextDedup, "one two three four"), 0);
        assert_ne!(of(Convention::TextDedup, "one, two three four"), 0);
        assert_eq!(of(Convention::Trafilatura, "+"), u64::MAX);
        assert_eq!(of(Convention::Trafilatura, "ab。cd"), blake2b_64("ab") | blake2b_64("cd"));
        assert_eq!(of(Convention::Wayback64, "..."), 0);
        assert_eq!(of(Convention::Wayback64, "Word!"), blake2b_tail("word"));
    }
}
