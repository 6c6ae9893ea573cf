//! Words that are divided at the ends of lines of plain text, as in text extracted from PDF.
//!
//! A word is joined where the rest of the text has it undivided, or where a soft hyphen divides it. Others stay: a hyphen
//! at the end of a line may belong to a compound.

use std::collections::HashSet;

use memchr::memchr2_iter;

use crate::text::folded::folded;
use crate::text::letters::continues;
use crate::text::steps::Steps;

const SOFT_HYPHEN: char = '\u{ad}';
/// The hyphen of some programs that read scans.
const NOT_SIGN: char = '¬';

/// A word that is divided at the end of a line: the offsets of its beginning, of its hyphen, of its second part and of
/// its end.
struct Division {
    begin: usize,
    hyphen: usize,
    second: usize,
    end: usize,
}

/// Returns a text with its divided words joined, each in the line where it begins; `None` if it has none.
pub(crate) fn joined(text: &str) -> Option<(String, Steps)> {
    let divisions: Vec<Division> =
        memchr2_iter(b'\n', b'\r', text.as_bytes()).filter_map(|at| division(text, at)).collect();
    if divisions.is_empty() {
        return None;
    }
    let whole: HashSet<String> = {
        let words = text.split(|c| !continues(c)).filter(|word| !word.is_empty());
        words.map(folded).collect()
    };
    let (mut out, mut steps, mut done) = (String::with_capacity(text.len()), Steps::default(), 0);
    for Division { begin, hyphen, second, end } in divisions {
        let word = || folded(&[&text[begin..hyphen], &text[second..end]].concat());
        if begin < done || !(text[hyphen..].starts_with(SOFT_HYPHEN) || whole.contains(&word())) {
            continue;
        }
        out.push_str(&text[done..hyphen]);
        steps.note(out.len(), second);
        out.push_str(&text[second..end]);
        // Spaces after the word are at the beginning of the next line.
        done = end + text[end..].len() - text[end..].trim_start_matches([' ', '\t']).len();
        if !text[done..].starts_with(['\n', '\r']) {
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

/// Returns the word that is divided by the line end at this offset.
fn division(text: &str, line_end: usize) -> Option<Division> {
    let line = text[..line_end].trim_end_matches([' ', '\t', '\r']);
    let first = line.strip_suffix(['-', '\u{2010}', NOT_SIGN, SOFT_HYPHEN])?;
    let word = first.trim_end_matches(continues);
    let (begin, hyphen) = (word.len(), first.len());
    let rest = text[line_end..].strip_prefix("\r\n").or_else(|| text[line_end..].strip_prefix(['\n', '\r']))?;
    let second = text.len() - rest.trim_start_matches([' ', '\t']).len();
    let end = text.len() - text[second..].trim_start_matches(continues).len();
    let is_word = |part: &str| !part.is_empty() && part.chars().all(|c| !c.is_numeric());
    let goes_on =
        text[second..].starts_with(|c: char| !c.is_uppercase()) || text[begin..hyphen].chars().all(char::is_uppercase);
    (is_word(&text[begin..hyphen]) && is_word(&text[second..end]) && goes_on).then_some(Division {
        begin,
        hyphen,
        second,
        end,
    })
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
        assert_joined("ле\u{2010}\nса леса", "леса\nлеса");
    }

    #[test]
    fn other_hyphens_stay() {
        for text in [
            "a well-\nknown fox",
            "forest 5-\n6",
            "forest for-\n\nest",
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
        fn only_hyphens_and_spaces_go(text in "(for|est|forest|-|¬|\u{ad}|\u{2010}|\\n|\\r|\\r\\n| |é|7){0,30}") {
            let (found, _) = joined(&text).unwrap_or_else(|| (text.clone(), Steps::default()));
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            prop_assert_eq!(letters(&found), letters(&text));
        }
    }
}
