//! Overstrike: bold and underlined letters of a typewriter, as `man` and `nroff` print them.
//!
//! A bold letter is printed twice on one place (`r`, backspace, `r`), an underlined one over a line (`_`, backspace,
//! `r`). Terminals and pagers show the letter once.

use std::ops::Range;

use memchr::memchr;

use crate::text::letters::is_mark;
use crate::text::steps::Steps;

const BACKSPACE: char = '\u{8}';

/// Returns a text with one letter at each place of its lines; `None` if it has no backspace.
pub(crate) fn undone(text: &str) -> Option<(String, Steps)> {
    memchr(BACKSPACE as u8, text.as_bytes())?;
    let (mut out, mut steps, mut at) = (String::with_capacity(text.len()), Steps::default(), 0);
    for line in text.split_inclusive(['\n', '\r']) {
        if memchr(BACKSPACE as u8, line.as_bytes()).is_none() {
            steps.note(out.len(), at);
            out.push_str(line);
        } else {
            for place in places(line) {
                steps.note(out.len(), at + place.start);
                out.push_str(&line[place]);
            }
        }
        at += line.len();
    }
    Some((out, steps))
}

/// Returns the range of the visible letter at each place of a line.
fn places(line: &str) -> Vec<Range<usize>> {
    let mut places: Vec<Range<usize>> = Vec::new();
    let mut next: usize = 0;
    for (at, c) in line.char_indices() {
        let end = at + c.len_utf8();
        if c == BACKSPACE {
            next = next.saturating_sub(1);
            continue;
        }
        if let Some(last) = next.checked_sub(1).and_then(|last| places.get_mut(last))
            && is_mark(c)
        {
            // The mark combines with the letter before it, which may be the covered one.
            if last.end == at {
                last.end = end;
            }
            continue;
        }
        match places.get_mut(next) {
            None => places.push(at..end),
            // An underscore or a space printed over a letter does not change the letter.
            Some(_) if matches!(c, '_' | ' ') => {}
            Some(place) => *place = at..end,
        }
        next += 1;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_undone(text: &str, expected: &str) {
        let (found, steps) = undone(text).unwrap_or_default();
        assert_eq!(found, expected);
        for (at, c) in found.char_indices() {
            assert!(text[steps.origin(at)..].starts_with(c), "{c:?} at {at} of {expected:?}");
        }
    }

    #[test]
    fn bold_and_underlined_letters_are_shown_once() {
        assert_undone("N\u{8}NA\u{8}AM\u{8}ME\u{8}E\n  rm - _\u{8}f_\u{8}i_\u{8}l_\u{8}e", "NAME\n  rm - file");
        assert_undone("t\u{8}_o\u{8}_", "to");
        assert_undone("b\u{8}b\u{8}b\u{8}be\u{8}e", "be");
        assert_undone("_\u{8}g\u{8}gr\u{8}r", "gr");
        assert_undone("ü\u{8}üе\u{8}е_\u{8}é", "üеé");
        assert_undone("e\u{301}\u{8}e\u{301}x", "e\u{301}x");
    }

    #[test]
    fn a_run_of_backspaces_goes_back_over_a_word() {
        assert_undone("name\u{8}\u{8}\u{8}\u{8}name of", "name of");
        assert_undone("____\u{8}\u{8}\u{8}\u{8}word", "word");
        assert_undone("word\u{8}\u{8}\u{8}\u{8}____", "word");
    }

    #[test]
    fn nothing_goes_back_over_a_line() {
        assert_undone("ab\n\u{8}\u{8}c", "ab\nc");
        assert_undone("\u{8}a\r\u{8}\u{8}b\u{8}", "a\rb");
        assert_undone("\u{8}\u{301}", "\u{301}");
        assert_eq!(undone("plain _ text\n"), None);
    }
}
