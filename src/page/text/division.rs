//! Words that are divided at the ends of lines, as in text extracted from PDF.
//!
//! A word is joined where the rest of the text has it undivided, or where a soft hyphen divides it. Others stay: a hyphen
//! at the end of a line may belong to a compound. Between its two parts may stand blank lines and what begins each line
//! of a quotation, a comment or a numbered text; or a single space, where line ends have become spaces.

use std::collections::HashMap;

use memchr::memchr3_iter;

use crate::text::folded::FoldedHasher;
use crate::text::letters::continues;
use crate::text::steps::Steps;

/// Soft hyphens, also those of programs that read PDF.
const SOFT_HYPHENS: [char; 3] = ['\u{ad}', '\u{2}', '\u{fffe}'];
/// Hyphens, also those of some programs that read scans.
const HYPHENS: [char; 9] =
    ['-', '\u{2010}', '\u{2011}', '\u{2e17}', '¬', '=', SOFT_HYPHENS[0], SOFT_HYPHENS[1], SOFT_HYPHENS[2]];
/// Greatest size in bytes of what begins a line before its text.
const PREFIX: usize = 12;

/// A word that is divided: the offsets of its beginning, of its hyphen, of what begins the line of its second part, of
/// that part and of its end.
struct Division {
    begin: usize,
    hyphen: usize,
    prefix: usize,
    second: usize,
    end: usize,
}

impl Division {
    /// Returns the hash of the joined word; `word` is reused memory.
    fn hash(&self, text: &str, hasher: &mut FoldedHasher, word: &mut String) -> u64 {
        word.clear();
        word.push_str(&text[self.begin..self.hyphen]);
        word.push_str(&text[self.second..self.end]);
        hasher.hash(word, 0, word.len())
    }
}

/// Returns a text with its divided words joined, each in the line where it begins; `None` if it has none.
pub(crate) fn joined(text: &str) -> Option<(String, Steps)> {
    joined_over(text, PREFIX)
}

/// The same where only spaces and line ends divide words. The steps ascend in both texts.
pub(crate) fn joined_over_spaces(text: &str) -> Option<(String, Steps)> {
    joined_over(text, 0)
}

fn joined_over(text: &str, prefix: usize) -> Option<(String, Steps)> {
    let spaces = memchr3_iter(b'\n', b'\r', b' ', text.as_bytes());
    let mut divisions: Vec<Division> = spaces.filter_map(|at| division(text, at, prefix)).collect();
    if divisions.is_empty() {
        return None;
    }
    let (mut hasher, mut word) = (FoldedHasher::default(), String::new());
    // Whether the text has the joined word, by its hash.
    let mut whole: HashMap<u64, bool> =
        divisions.iter().map(|division| (division.hash(text, &mut hasher, &mut word), false)).collect();
    let mut at = 0;
    for other in text.split(|c| !continues(c)) {
        if !other.is_empty()
            && let Some(has) = whole.get_mut(&hasher.hash(text, at, at + other.len()))
        {
            *has = true;
        }
        at += other.len() + text[at + other.len()..].chars().next().map_or(0, char::len_utf8);
    }
    divisions.retain(|division| {
        text[division.hyphen..].starts_with(SOFT_HYPHENS)
            && text[division.hyphen..division.second].contains(['\n', '\r'])
            || whole.get(&division.hash(text, &mut hasher, &mut word)) == Some(&true)
    });
    let (mut out, mut steps, mut done) = (String::with_capacity(text.len()), Steps::default(), 0);
    for Division { begin, hyphen, prefix, second, end } in divisions {
        if begin < done {
            continue;
        }
        out.push_str(&text[done..hyphen]);
        steps.note(out.len(), second);
        out.push_str(&text[second..end]);
        // Spaces after the word are at the beginning of the next line.
        done = end + text[end..].len() - text[end..].trim_start_matches([' ', '\t']).len();
        if prefix < second {
            steps.note(out.len(), hyphen);
            out.push('\n');
            steps.note(out.len(), prefix);
            out.push_str(&text[prefix..second]);
        } else if !text[done..].starts_with(['\n', '\r']) {
            // The line ends after the word.
            steps.note(out.len(), end);
            out.push('\n');
        }
        steps.note(out.len(), done);
    }
    (done > 0).then(|| {
        out.push_str(&text[done..]);
        (out, steps)
    })
}

/// Returns the word that is divided by the line end or the space at this offset. `longest` is the greatest size of what
/// begins a line.
fn division(text: &str, at: usize, longest: usize) -> Option<Division> {
    // Most spaces follow a letter.
    if text.as_bytes()[at.checked_sub(1)?].is_ascii_alphanumeric() {
        return None;
    }
    let is_line_end = text.as_bytes()[at] != b' ';
    let line = if is_line_end { text[..at].trim_end_matches([' ', '\t']) } else { &text[..at] };
    let first = line.strip_suffix(HYPHENS)?;
    let word = first.trim_end_matches(continues);
    let (begin, hyphen) = (word.len(), first.len());
    let rest = text[at..].trim_start_matches(|c: char| c.is_whitespace());
    let prefix = text.len() - rest.len();
    let has_line_end = is_line_end || text[at..prefix].contains(['\n', '\r']);
    let is_prefix = |c: char| c.is_ascii_digit() || c.is_whitespace() || "|>#*/%;:".contains(c);
    let size = rest.len() - rest.trim_start_matches(is_prefix).len();
    let size = if is_line_end && size <= longest && !rest[..size].contains(['\n', '\r']) { size } else { 0 };
    let second = prefix + size;
    let end = text.len() - text[second..].trim_start_matches(continues).len();
    let is_word = |part: &str| !part.is_empty() && part.chars().all(|c| !c.is_numeric());
    let goes_on =
        text[second..].starts_with(|c: char| !c.is_uppercase()) || text[begin..hyphen].chars().all(char::is_uppercase);
    let is_divided = is_word(&text[begin..hyphen]) && is_word(&text[second..end]) && goes_on;
    (is_divided && (is_line_end || !has_line_end)).then_some(Division { begin, hyphen, prefix, second, end })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn assert_joined(text: &str, expected: &str) {
        let (found, steps) = joined(text).unwrap_or_else(|| (text.to_owned(), Steps::default()));
        assert_eq!(found, expected);
        for (at, c) in found.char_indices().filter(|(_, c)| !c.is_whitespace()) {
            assert!(text[steps.origin(at)..].starts_with(c), "{c:?} at {at} of {expected:?}");
        }
    }

    #[test]
    fn words_that_the_text_has_undivided_are_joined() {
        assert_joined("the forest and the for-\nest of foxes", "the forest and the forest\nof foxes");
        assert_joined("Forest: for- \r\n  est, fox", "Forest: forest\n, fox");
        assert_joined("for-\nest\nfor\u{2010}\nest forest", "forest\nforest\nforest");
        assert_joined("FOR-\nEST forest", "FOREST\nforest");
        assert_joined("for\u{ad}\nest", "forest\n");
        assert_joined("for¬\nest forest", "forest\nforest");
        assert_joined("forest for-\n\n\nest, fox", "forest forest\n, fox");
        assert_joined("for- est in the forest", "forest\nin the forest");
        assert_joined("for\u{fffe}\r\nest", "forest\n");
        assert_joined("> forest for-\n> est and\n> fox", "> forest forest\n> and\n> fox");
        assert_joined("1 forest for-\n 2  est and", "1 forest forest\n2  and");
        assert_joined(" * forest for-\n * est", " * forest forest\n* ");
        assert_joined("ле\u{2010}\nса леса", "леса\nлеса");
    }

    #[test]
    fn other_hyphens_stay() {
        for text in [
            "a well-\nknown fox",
            "forest 5-\n6",
            "pre- and postand, preanda",
            "forest for-\n1\nest",
            "forest for-\nEst",
            "forest - \nest",
            "-\nx",
            "pre-\n",
        ] {
            assert_joined(text, text);
        }
    }

    proptest! {
        #[test]
        fn only_hyphens_and_spaces_go(text in "(for|est|forest|-|¬|\u{ad}|\u{2010}|\\n|\\r|\\r\\n| |> |é|7){0,30}") {
            let (found, _) = joined(&text).unwrap_or_else(|| (text.clone(), Steps::default()));
            let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).collect::<String>();
            prop_assert_eq!(letters(&found), letters(&text));
        }
    }
}
