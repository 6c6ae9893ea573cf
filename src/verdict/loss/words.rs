//! The words of a compared text, each with what it is.

use std::ops::Range;

use nddb_page::text::{OF_TEXT, TITLE, is_content};
use xxhash_rust::xxh3::xxh3_64;

use super::hashed::HashedWords;
use super::kinds::{is_negation, is_sign};

/// Share of the words within sentences from which on capitals do not mark names: most German texts have more, most
/// English ones far fewer.
const CAPITALS_MOST: f64 = 0.22;
/// Number of words with case from which on a text without any capital is in lower case.
const CASED_LEAST: usize = 8;
/// Greatest number of words of the first line of a plain text that is its title.
const TITLE_MOST: usize = 12;
/// Number of equal signs in a row that make a rule or a leader.
const RULE: usize = 3;

/// What a word or a sign of a compared text is: a set of the constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WordKinds(u8);

impl WordKinds {
    pub(super) const CONTENT: Self = Self(1);
    /// It stands in the title; that of a plain text is its first line, if that is short.
    pub(super) const TITLE: Self = Self(1 << 1);
    /// It may say what the text is about: it is no sign, and no number unless that is part of an identifier.
    pub(super) const SUBJECT: Self = Self(1 << 2);
    /// A number, perhaps with a letter or two: `1,450`, `3rd`, `v2`.
    pub(super) const NUMBER: Self = Self(1 << 3);
    pub(super) const NEGATION: Self = Self(1 << 4);
    pub(super) const SIGN: Self = Self(1 << 5);
    /// The word is capitalised, and not only because it begins a sentence.
    pub(super) const NAME: Self = Self(1 << 6);
    /// The word is a part of an identifier with underscores.
    pub(super) const IDENTIFIER: Self = Self(1 << 7);

    /// Returns whether all of these are set.
    pub(super) fn is(self, kinds: Self) -> bool {
        self.0 & kinds.0 == kinds.0
    }

    pub(super) const fn and(self, kinds: Self) -> Self {
        Self(self.0 | kinds.0)
    }

    fn and_if(self, is: bool, kinds: Self) -> Self {
        if is { self.and(kinds) } else { self }
    }
}

/// The words of a compared text ([`nddb_page::text::compared_text`]), prepared for comparisons: without what says
/// nothing, which is case, spaces and typography.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// Hashes of the words in lower case with straight apostrophes, and of signs.
    pub(super) hashes: Vec<u64>,
    pub(super) kinds: Vec<WordKinds>,
    /// Whether the text was plain text.
    pub(super) is_text: bool,
    /// Whether capitals mark names.
    pub(super) marks_names: bool,
}

impl Words {
    /// Reads the words of a compared text.
    pub fn of(compared: &str) -> Self {
        Self::read(compared, None)
    }

    /// Returns the words of a compared text, and where each of them stands.
    pub fn with_places(compared: &str) -> (Self, Vec<Range<usize>>) {
        let mut places = Vec::new();
        (Self::read(compared, Some(&mut places)), places)
    }

    fn read(compared: &str, places: Option<&mut Vec<Range<usize>>>) -> Self {
        let mut reader = Reader { text: compared, places, ..Reader::default() };
        // A word and the space behind it have six bytes or more in most texts.
        reader.words.hashes.reserve(compared.len() / 6);
        reader.words.kinds.reserve(compared.len() / 6);
        let mut lines = compared.split('\n');
        let head = lines.next().unwrap_or_default();
        reader.words.is_text = head.starts_with(OF_TEXT);
        let mut start = head.len() + 1;
        for line in lines {
            reader.line(start, line);
            start += line.len() + 1;
        }
        reader.finish()
    }

    /// Returns the hashes of the words and signs.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Returns the words of these passages alone.
    pub fn passages(&self, passages: impl Iterator<Item = Range<usize>>) -> Self {
        let (mut hashes, mut kinds) = (Vec::new(), Vec::new());
        for passage in passages {
            hashes.extend_from_slice(self.hashes.get(passage.clone()).unwrap_or_default());
            kinds.extend_from_slice(self.kinds.get(passage).unwrap_or_default());
        }
        Self { hashes, kinds, ..*self }
    }

    /// Returns the number of words and signs.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Returns whether there is no word.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Returns the size in bytes of memory.
    pub fn size(&self) -> usize {
        self.hashes.capacity() * size_of::<u64>() + self.kinds.capacity()
    }
}

/// Reads words, and counts capitals.
#[derive(Default)]
struct Reader<'a, 'p> {
    text: &'a str,
    words: Words,
    /// Where the words stand, if that is asked for.
    places: Option<&'p mut Vec<Range<usize>>>,
    /// What all words of a line are.
    of_line: WordKinds,
    begins_sentence: bool,
    /// Capitalised words at the beginning of a sentence: these are names unless they occur in lower case, too.
    first: Vec<usize>,
    /// Words with case; capitalised ones; words within sentences; capitalised ones of these.
    cased: usize,
    capitals: usize,
    within: usize,
    within_capitals: usize,
    folded: String,
}

impl Reader<'_, '_> {
    fn line(&mut self, start: usize, line: &str) {
        self.of_line = WordKinds::default()
            .and_if(line.starts_with(is_content), WordKinds::CONTENT)
            .and_if(line.starts_with(TITLE), WordKinds::TITLE);
        let words = self.words.len();
        self.begins_sentence = true;
        let begin = 1.min(line.len());
        let mut at = begin;
        while let Some(c) = char_at(line, at) {
            let end = match c {
                ' ' => at + 1,
                c if is_of_word(c) => word_end(line, at),
                _ => signs_end(line, at),
            };
            if is_of_word(c) {
                let is_underscore = |at: usize| at > begin && line.as_bytes().get(at) == Some(&b'_');
                let is_of_identifier = is_underscore(at - 1) || is_underscore(end);
                self.word(start + at, &line[at..end], is_of_identifier);
            } else if c != ' ' {
                let is_alone = at == begin && matches!(line.as_bytes().get(end), None | Some(b' '));
                self.signs(start + at, &line[at..end], is_alone);
            }
            at = end;
        }
        if words == 0 && self.words.is_text && self.words.len() <= TITLE_MOST {
            self.words.kinds.iter_mut().for_each(|kinds| *kinds = kinds.and(WordKinds::TITLE));
        }
    }

    fn word(&mut self, start: usize, word: &str, is_of_identifier: bool) {
        let is_number = is_number(word);
        self.folded.clear();
        if word.is_ascii() {
            self.folded.push_str(word);
            self.folded.make_ascii_lowercase();
        } else {
            for c in word.chars() {
                match c {
                    '’' | 'ʼ' | '‘' | '＇' => self.folded.push('\''),
                    c => self.folded.extend(c.to_lowercase()),
                }
            }
        }
        let hash = xxh3_64(self.folded.as_bytes());
        let first = word.chars().next().unwrap_or_default();
        let is_capital = first.is_uppercase();
        if is_capital || first.is_lowercase() {
            self.cased += 1;
            self.capitals += usize::from(is_capital);
            if !self.begins_sentence {
                self.within += 1;
                self.within_capitals += usize::from(is_capital);
            } else if is_capital {
                self.first.push(self.words.len());
            }
        }
        let kinds = WordKinds::default()
            .and_if(is_number, WordKinds::NUMBER)
            .and_if(is_negation(&self.folded, hash), WordKinds::NEGATION)
            .and_if(is_capital, WordKinds::NAME)
            .and_if(is_of_identifier, WordKinds::IDENTIFIER)
            .and_if(!is_number || is_of_identifier, WordKinds::SUBJECT);
        self.push(start, word.len(), hash, kinds);
        self.begins_sentence = false;
    }

    /// Reads characters that belong to no word. A sign that begins a line is a bullet, and equal signs in a row are a
    /// rule.
    fn signs(&mut self, start: usize, signs: &str, is_alone: bool) {
        if signs.contains(['.', '!', '?', ':', '。', '！', '？', '।', '؟']) {
            self.begins_sentence = true;
        }
        if !signs.contains(is_sign) {
            return;
        }
        let first = signs.chars().next().unwrap_or_default();
        let is_rule = signs.chars().count() >= RULE && signs.chars().all(|c| c == first);
        let is_bullet = is_alone && matches!(signs, "*" | "#" | "##" | "###" | ">" | ">>" | "->" | "=>");
        if is_rule || is_bullet {
            return;
        }
        let (from, _) = signs.char_indices().find(|&(_, c)| !is_typography(c)).unwrap_or_default();
        let signs = signs[from..].trim_end_matches(is_typography);
        let hash = xxh3_64(signs.as_bytes());
        let kinds = WordKinds::SIGN.and_if(is_negation(signs, hash), WordKinds::NEGATION);
        self.push(start + from, signs.len(), hash, kinds);
    }

    fn push(&mut self, start: usize, size: usize, hash: u64, kinds: WordKinds) {
        debug_assert!(self.text.get(start..start + size).is_some(), "a word is a part of its text");
        self.words.hashes.push(hash);
        self.words.kinds.push(kinds.and(self.of_line));
        if let Some(places) = &mut self.places {
            places.push(start..start + size);
        }
    }

    fn finish(mut self) -> Words {
        let Words { hashes, kinds, .. } = &mut self.words;
        let first: HashedWords = self.first.iter().map(|&index| hashes[index]).collect();
        let others = hashes.iter().zip(kinds.iter()).filter(|(_, kinds)| !kinds.is(WordKinds::NAME));
        let lower: HashedWords = others.map(|(hash, _)| *hash).filter(|hash| first.contains(hash)).collect();
        for index in self.first {
            if lower.contains(&hashes[index]) {
                kinds[index].0 &= !WordKinds::NAME.0;
            }
        }
        let is_lower = self.capitals == 0 && self.cased >= CASED_LEAST;
        let is_cased = 2 * self.cased > hashes.len();
        let few = self.within_capitals as f64 <= CAPITALS_MOST * self.within as f64;
        self.words.marks_names = is_cased && !is_lower && few;
        self.words
    }
}

fn char_at(line: &str, at: usize) -> Option<char> {
    match line.as_bytes().get(at) {
        Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
        _ => line.get(at..)?.chars().next(),
    }
}

/// Returns where the word that begins at a place of a line ends.
fn word_end(line: &str, start: usize) -> usize {
    let bytes = line.as_bytes();
    let mut at = start;
    loop {
        at += bytes[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let Some(c) = char_at(line, at) else { return at };
        let joins = || joins(line[..at].chars().next_back().unwrap_or_default(), c, char_at(line, at + c.len_utf8()));
        if !is_of_word(c) && !joins() {
            return at;
        }
        at += c.len_utf8();
    }
}

/// Returns where the characters that belong to no word end.
fn signs_end(line: &str, start: usize) -> usize {
    let mut at = start;
    while let Some(c) = char_at(line, at).filter(|&c| c != ' ' && !is_of_word(c)) {
        at += c.len_utf8();
    }
    at
}

/// Returns whether a character belongs to a word: a letter, a digit, or a mark or joiner of one.
fn is_of_word(c: char) -> bool {
    match c {
        '\0'..='\u{7f}' => c.is_ascii_alphanumeric(),
        _ => nddb_page::text::is_word_character(c),
    }
}

/// Returns whether a character within a word is part of it: an apostrophe between letters, or a separator between
/// digits.
fn joins(before: char, c: char, next: Option<char>) -> bool {
    let Some(next) = next else { return false };
    match c {
        '\'' | '’' | 'ʼ' | '＇' => before.is_alphabetic() && next.is_alphabetic(),
        '.' | ',' | ':' | '٫' | '٬' => before.is_numeric() && next.is_numeric(),
        _ => false,
    }
}

/// Returns whether a word begins with a digit, or has at most two letters and as many digits.
fn is_number(word: &str) -> bool {
    // Most words begin with three letters.
    if word.as_bytes().iter().take(3).filter(|byte| byte.is_ascii_alphabetic()).count() == 3 {
        return false;
    }
    let begins = word.starts_with(char::is_numeric);
    let digits = || word.chars().filter(|c| c.is_numeric()).count();
    let letters = || word.chars().filter(|c| c.is_alphabetic()).count();
    begins || letters() <= 2 && digits() > 0 && digits() >= letters()
}

/// Returns whether a character around signs says nothing.
fn is_typography(c: char) -> bool {
    !is_sign(c) && !matches!(c, '!' | '-' | '|' | '~' | ':' | '/')
}

#[cfg(test)]
mod tests {
    use nddb_page::text::{Page, compared_text};

    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let compared = compared_text(&Page::text(text));
        let (words, places) = Words::with_places(&compared);
        assert_eq!(words.hashes, Words::of(&compared).hashes);
        let kind = |kinds: &WordKinds| {
            let flags =
                [(WordKinds::NUMBER, '0'), (WordKinds::NEGATION, '!'), (WordKinds::SIGN, '='), (WordKinds::NAME, 'N')];
            flags.iter().filter(|(flag, _)| kinds.is(*flag)).map(|(_, letter)| *letter).collect::<String>()
        };
        places.into_iter().zip(&words.kinds).map(|(place, kinds)| compared[place].to_owned() + &kind(kinds)).collect()
    }

    fn hashes(text: &str) -> Vec<u64> {
        Words::of(&compared_text(&Page::text(text))).hashes
    }

    #[test]
    fn words_have_kinds() {
        let text = "The rent of Anna's flat isn't $1,450; the flat is 5%.";
        let expected = "The rent of Anna'sN flat isn't! $= 1,4500 the flat is 50 %=";
        assert_eq!(shown(text).join(" "), expected);
        // A capital at the beginning of a sentence is no name if the word occurs in lower case.
        assert_eq!(
            shown("Lemons cost a lot. Peter sells lemons."),
            ["Lemons", "cost", "a", "lot", "PeterN", "sells", "lemons"]
        );
        assert_eq!(shown("if a <= b then C++ else C#").join(" "), "if a <== b then CN ++= else CN #=");
    }

    #[test]
    fn typography_says_nothing() {
        let text = "He said \"so\", and it's done - at last. See below: one, two; three!";
        for other in [
            "HE SAID \u{201c}SO\u{201d}, AND IT\u{2019}S DONE \u{2014} AT LAST. SEE BELOW: ONE, TWO; THREE!",
            "he said so and it's done at last\nsee below one two three",
            "* he said so and it's done at last\n----\nsee\u{a0}below ..... one (two) three.",
        ] {
            assert_eq!(hashes(other), hashes(text), "{other}");
        }
        for other in ["He said \"so\", and it's done - at last + see below: one, two; three!", "He said so"] {
            assert_ne!(hashes(other), hashes(text), "{other}");
        }
    }

    #[test]
    fn capitals_mark_names_in_most_texts() {
        let marks = |text: &str| Words::of(&compared_text(&Page::text(text))).marks_names;
        assert!(marks("The winner of the long race was Peter Brown, who came from a small town."));
        assert!(!marks("the winner of the long race was peter brown, who came from a small town."));
        assert!(!marks("Der Sieger des Rennens war Peter Braun, der aus einer kleinen Stadt am Rand der Berge kam."));
        assert!(!marks("春眠不覚暁、処処聞啼鳥"));
    }
}
