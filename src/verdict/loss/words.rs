//! The words of a compared text, each with what it is.

use std::ops::Range;

use nddb_page::text::{OF_TEXT, TITLE, is_bullet, is_content, push_folded};
use xxhash_rust::xxh3::xxh3_64;

use super::hashed::{HashBits, HashedWords};
use super::kinds::{is_ascii_sign, is_listed_negation, is_negation, is_sign};

/// Share of the words within sentences from which on capitals do not mark names: most German texts have more, most
/// English ones far fewer.
const CAPITALS_MOST: f64 = 0.22;
/// Number of words with case from which on a text without any capital is in lower case.
const CASED_LEAST: usize = 8;
/// Greatest number of words of the first line of a plain text that is its title.
const TITLE_MOST: usize = 12;
/// Number of equal signs in a row that make a rule or a leader: of ASCII, and of others, such as stars.
const RULE: usize = 3;
const WIDE_RULE: usize = 11;

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

    /// Returns whether a word counts as content: it is, or it is of the title, by which two contents may differ.
    pub(super) fn counts(self) -> bool {
        self.is(Self::CONTENT) || self.is(Self::TITLE.and(Self::SUBJECT))
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
        Self::read::<false>(compared, None)
    }

    /// Returns the words of a compared text, and where each of them stands.
    pub fn with_places(compared: &str) -> (Self, Vec<Range<usize>>) {
        let mut places = Vec::new();
        (Self::read::<false>(compared, Some(&mut places)), places)
    }

    fn read<const PLAIN: bool>(compared: &str, places: Option<&mut Vec<Range<usize>>>) -> Self {
        let mut reader = WordReader { text: compared, places, ..WordReader::default() };
        // A word and the space behind it have six bytes or more in most texts.
        reader.words.hashes.reserve(compared.len() / 6);
        reader.words.kinds.reserve(compared.len() / 6);
        reader.words.is_text = compared.starts_with(OF_TEXT);
        let mut at = line_end(compared, 0);
        while at < compared.len() {
            at = reader.line::<PLAIN>(at + 1);
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

/// The distinct words of a text.
pub struct DistinctWords(HashedWords);

impl DistinctWords {
    /// Returns the distinct words of a text.
    pub fn of(words: &Words) -> Self {
        Self(words.hashes.iter().copied().collect())
    }

    /// Returns whether a word is one of them, given its hash.
    pub(super) fn has(&self, hash: u64) -> bool {
        self.0.contains(&hash)
    }
}

/// Reads words, and counts capitals.
#[derive(Default)]
struct WordReader<'a, 'p> {
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

impl WordReader<'_, '_> {
    /// Reads the line that begins here, and returns where it ends. `PLAIN` reads it by characters, which defines the
    /// result; words and signs of ASCII are read by bytes else.
    fn line<const PLAIN: bool>(&mut self, start: usize) -> usize {
        let text = self.text;
        let kind = char_at(text, start).filter(|&kind| kind != '\n');
        self.of_line = WordKinds::default()
            .and_if(kind.is_some_and(is_content), WordKinds::CONTENT)
            .and_if(kind == Some(TITLE), WordKinds::TITLE);
        let words = self.words.len();
        self.begins_sentence = true;
        let begin = start + kind.map_or(0, char::len_utf8);
        let mut at = begin;
        while let Some(c) = char_at(text, at).filter(|&c| c != '\n') {
            if c == ' ' {
                at += 1;
            } else if let Some(end) = if PLAIN { None } else { self.ascii(begin, at) } {
                at = end;
            } else if is_of_word(c) {
                let end = word_end(text, at);
                self.word(at, &text[at..end], is_of_identifier(text, begin, at..end));
                at = end;
            } else {
                let end = signs_end(text, at);
                self.signs(begin, at, end);
                at = end;
            }
        }
        if words == 0 && self.words.is_text && self.words.len() <= TITLE_MOST {
            self.words.kinds.iter_mut().for_each(|kinds| *kinds = kinds.and(WordKinds::TITLE));
        }
        at
    }

    /// Reads a word of letters and digits of ASCII, or a run of signs of ASCII that say nothing, and returns where it
    /// ends; `None` if it has to be read by characters.
    fn ascii(&mut self, begin: usize, at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let run = |of: u8| {
            let classes =
                bytes[at..].iter().map(|&byte| CLASSES[usize::from(byte)]).take_while(|class| class & of != 0);
            classes.fold((at, 0), |(end, all), class| (end + 1, all | class))
        };
        let (end, all) = run(LETTER | DIGIT);
        let next = bytes.get(end).copied().unwrap_or(b' ');
        if end == at {
            let (end, all) = run(OTHER | ENDS_SENTENCE | SIGN);
            let next = bytes.get(end).copied().unwrap_or(b' ');
            let is_apart = end - at > 1 || at == begin || bytes[at - 1] == b' ';
            let may_negate = match bytes[end - 1] {
                b'!' => next.is_ascii_alphanumeric(),
                b'-' => next.is_ascii_digit() && is_apart,
                _ => false,
            };
            let is_general = may_negate || all & SIGN != 0 || bytes.get(end).is_some_and(|byte| !byte.is_ascii());
            self.begins_sentence |= !is_general && all & ENDS_SENTENCE != 0;
            return (!is_general).then_some(end);
        }
        let joins = match next {
            b'.' | b',' | b':' => bytes[end - 1].is_ascii_digit(),
            b'\'' => true,
            next => !next.is_ascii(),
        };
        if joins {
            return None;
        }
        let hash = match (all & UPPER, self.text.get(at..end)?) {
            (0, word) => xxh3_64(word.as_bytes()),
            (_, word) => {
                self.folded.clear();
                self.folded.push_str(word);
                self.folded.make_ascii_lowercase();
                xxh3_64(self.folded.as_bytes())
            }
        };
        let first = bytes[at];
        let is_number = first.is_ascii_digit()
            || all & DIGIT != 0 && is_number(&self.text[at..end])
            || is_label(self.text, at..end);
        let kinds = WordKinds::default()
            .and_if(is_number, WordKinds::NUMBER)
            .and_if(is_listed_negation(hash) || is_tick(self.text, at..end), WordKinds::NEGATION);
        let is_of_identifier = is_of_identifier(self.text, begin, at..end);
        self.word_of(
            at,
            end - at,
            hash,
            kinds,
            [first.is_ascii_uppercase(), first.is_ascii_lowercase()],
            is_of_identifier,
        );
        Some(end)
    }

    fn word(&mut self, start: usize, word: &str, is_of_identifier: bool) {
        let is_number = is_number(word) || is_label(self.text, start..start + word.len());
        self.folded.clear();
        if word.is_ascii() {
            self.folded.push_str(word);
            self.folded.make_ascii_lowercase();
        } else {
            for (part, piece) in word.split(['’', 'ʼ', '‘', '＇']).enumerate() {
                self.folded.push_str(if part > 0 { "'" } else { "" });
                push_folded(&mut self.folded, piece);
            }
            if self.folded.contains('ß') {
                // As in capitals.
                self.folded = self.folded.replace('ß', "ss");
            }
        }
        let hash = xxh3_64(self.folded.as_bytes());
        let first = word.chars().next().unwrap_or_default();
        let place = start..start + word.len();
        let kinds = WordKinds::default()
            .and_if(is_number, WordKinds::NUMBER)
            .and_if(is_negation(&self.folded, hash) || is_tick(self.text, place), WordKinds::NEGATION);
        let case = [first.is_uppercase(), first.is_lowercase()];
        self.word_of(start, word.len(), hash, kinds, case, is_of_identifier);
    }

    /// Adds a word whose first letter is or is not a capital, or a small one.
    fn word_of(
        &mut self,
        start: usize,
        size: usize,
        hash: u64,
        kinds: WordKinds,
        [is_capital, is_small]: [bool; 2],
        is_of_identifier: bool,
    ) {
        if is_capital || is_small {
            self.cased += 1;
            self.capitals += usize::from(is_capital);
            if !self.begins_sentence {
                self.within += 1;
                self.within_capitals += usize::from(is_capital);
            } else if is_capital {
                self.first.push(self.words.len());
            }
        }
        let kinds = kinds
            .and_if(is_capital, WordKinds::NAME)
            .and_if(is_of_identifier, WordKinds::IDENTIFIER)
            .and_if(!kinds.is(WordKinds::NUMBER) || is_of_identifier, WordKinds::SUBJECT);
        self.push(start, size, hash, kinds);
        self.begins_sentence = false;
    }

    /// Reads characters that belong to no word. A sign that begins a line is a bullet, and equal signs in a row are a
    /// rule. A dash before a number is a minus sign, and an exclamation mark before a word negates it.
    fn signs(&mut self, begin: usize, start: usize, end: usize) {
        let text = self.text;
        let mut signs = &text[start..end];
        if signs.contains(['.', '!', '?', ':', '。', '！', '？', '।', '؟']) {
            self.begins_sentence = true;
        }
        let next = char_at(text, end).unwrap_or('\n');
        let is_behind_word = start > begin && text[..start].chars().next_back().is_some_and(is_of_word);
        let is_not = signs.strip_suffix('!').is_some_and(|head| {
            is_of_word(next) && if head.is_empty() { !is_behind_word } else { head.ends_with(BEFORE_NOT) }
        });
        let number = signs.strip_suffix(['-', '\u{2013}', '\u{2212}']).filter(|head| {
            let is_apart = if head.is_empty() { !is_behind_word } else { head.ends_with(BEFORE_MINUS) };
            is_apart && next.is_numeric()
        });
        signs = number.unwrap_or(signs);
        if is_not || signs.contains(is_sign) {
            let first = signs.chars().next().unwrap_or_default();
            let rule = if first.is_ascii() { RULE } else { WIDE_RULE };
            let is_rule = signs.chars().all(|c| c == first) && signs.chars().nth(rule - 1).is_some();
            // Quote marks may follow each other.
            let is_first = text[begin..start].trim_matches(['>', ' ']).is_empty();
            let is_alone = is_first && matches!(next, ' ' | '\n');
            let is_form = || next == ' ' && signs.len() == first.len_utf8() && is_bullet(first);
            let is_ascii = || matches!(signs, "*" | "#" | "##" | "###" | ">" | ">>" | "->" | "=>");
            if !is_rule && !(is_alone && (is_ascii() || is_form())) {
                self.sign(start, signs, is_not);
            }
        }
        if let Some(head) = number {
            let hash = xxh3_64(b"-");
            self.push(start + head.len(), end - start - head.len(), hash, WordKinds::SIGN.and(WordKinds::NUMBER));
        }
    }

    fn sign(&mut self, start: usize, signs: &str, is_not: bool) {
        let (from, _) = signs.char_indices().find(|&(_, c)| !is_typography(c)).unwrap_or_default();
        let signs = signs[from..].trim_end_matches(is_typography);
        self.folded.clear();
        push_folded(&mut self.folded, signs);
        let hash = xxh3_64(self.folded.as_bytes());
        let kinds = WordKinds::SIGN.and_if(is_not || is_negation(&self.folded, hash), WordKinds::NEGATION);
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
        let bits: HashBits = first.iter().collect();
        let others = hashes.iter().zip(kinds.iter()).filter(|(_, kinds)| !kinds.is(WordKinds::NAME));
        let lower: HashedWords =
            others.map(|(hash, _)| *hash).filter(|hash| bits.may_have(*hash) && first.contains(hash)).collect();
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

/// What a byte of ASCII is: a set of these.
const LETTER: u8 = 1;
const UPPER: u8 = 1 << 1;
const DIGIT: u8 = 1 << 2;
const ENDS_SENTENCE: u8 = 1 << 3;
const SIGN: u8 = 1 << 4;
/// It belongs to no word, and is neither a space nor a line end.
const OTHER: u8 = 1 << 5;

/// The classes of all bytes; 0 for a space, a line end and what is no ASCII.
const CLASSES: [u8; 256] = {
    let (mut classes, mut at) = ([0; 256], 0_u8);
    while at < 128 {
        classes[at as usize] = match at {
            b' ' | b'\n' => 0,
            b'A'..=b'Z' => LETTER | UPPER,
            b'a'..=b'z' => LETTER,
            b'0'..=b'9' => DIGIT,
            b'.' | b'!' | b'?' | b':' => ENDS_SENTENCE,
            at if is_ascii_sign(at) => SIGN,
            _ => OTHER,
        };
        at += 1;
    }
    classes
};

/// Returns where the line that begins here ends.
fn line_end(text: &str, start: usize) -> usize {
    text[start..].find('\n').map_or(text.len(), |end| start + end)
}

/// Characters that may stand before an exclamation mark that negates.
const BEFORE_NOT: [char; 8] = ['(', '[', '{', '=', '&', '|', ',', '!'];
/// Characters that may stand before the minus sign of a number.
const BEFORE_MINUS: [char; 12] = ['(', '[', '=', '<', '>', ':', ',', '$', '€', '£', '"', '“'];

/// Returns whether a word is the letter of an answer or a clause: `(b)`.
fn is_label(text: &str, word: Range<usize>) -> bool {
    let stands = |at: usize, byte| text.as_bytes().get(at) == Some(&byte);
    word.len() == 1 && stands(word.start.wrapping_sub(1), b'(') && stands(word.end, b')')
}

/// Returns whether a word is the tick of a box, `[x]`: of a task it says what an empty box denies.
fn is_tick(text: &str, word: Range<usize>) -> bool {
    let stands = |at: usize, byte| text.as_bytes().get(at) == Some(&byte);
    matches!(&text[word.clone()], "x" | "X") && stands(word.start.wrapping_sub(1), b'[') && stands(word.end, b']')
}

/// Returns whether a word stands beside an underscore in its line.
fn is_of_identifier(text: &str, begin: usize, word: Range<usize>) -> bool {
    let is_underscore = |at: usize| text.as_bytes().get(at) == Some(&b'_');
    word.start > begin + 1 && is_underscore(word.start - 1) || is_underscore(word.end)
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
    while let Some(c) = char_at(line, at).filter(|&c| !matches!(c, ' ' | '\n') && !is_of_word(c)) {
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
    use nddb_test_support::Random;

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

    /// Texts of letters, digits, signs and spaces of ASCII and of others, mixed in all ways.
    #[test]
    fn words_read_by_bytes_are_those_read_by_characters() {
        const PIECES: [&str; 41] = [
            "the",
            "The",
            "NOT",
            "don't",
            "it's",
            "no",
            "x_1",
            "[x]",
            "_",
            "1",
            "1,450",
            "v2",
            "3rd",
            "ab12",
            "é",
            "Été",
            "naïve",
            "Don\u{2019}t",
            "中文",
            "ß",
            "İ",
            ".",
            ",",
            ":",
            "!",
            "...",
            "-",
            "$",
            "%",
            "<=",
            "\u{2026}",
            "€",
            "\u{a0}",
            "'",
            "(",
            "\n",
            "\n+",
            "\n#",
            "\n-",
            "\n* ",
            "\t",
        ];
        let mut random = Random::seeded("words by bytes");
        for _ in 0..if cfg!(debug_assertions) { 2_000 } else { 20_000 } {
            let mut text = String::from(*random.pick(&["m\n+", "t\n+", "t", "m\n", "", "\n"]));
            for _ in 0..random.index(60) {
                text += *random.pick(&PIECES);
                text += *random.pick(&["", " ", " ", "  "]);
            }
            let [mut by_bytes, mut by_characters] = [Vec::new(), Vec::new()];
            let found = Words::read::<false>(&text, Some(&mut by_bytes));
            let expected = Words::read::<true>(&text, Some(&mut by_characters));
            assert_eq!(
                (&found.hashes, &found.kinds, by_bytes),
                (&expected.hashes, &expected.kinds, by_characters),
                "{text:?}"
            );
            assert_eq!((found.is_text, found.marks_names), (expected.is_text, expected.marks_names), "{text:?}");
        }
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
        assert_eq!(shown("[x] red, [ ] blue, x[x]").join(" "), "x! red blue x x!");
        assert_eq!(shown("it is -5 (−6), 7-8 - or –9").join(" "), "it is -0= 50 −0= 60 70 80 or –0= 90");
        assert_eq!(shown("if (!a) b!c, p ∉ q").join(" "), "if !!= a b c p ∉!= q");
        assert_eq!(shown("■ one\n□ two ●\n★★★ three").join(" "), "one □= two ●= ★★★= three");
        assert_eq!(shown("see (b) and b\n> > so").join(" "), "see b0 and b so");
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
        assert_eq!(hashes("Straße ✔ ≤ −5 o\u{fb03}ce ΣΟΦΟΣ"), hashes("STRASSE ✓ <= -5 office σοφος"));
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
