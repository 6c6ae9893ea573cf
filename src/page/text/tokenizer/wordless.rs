//! Terms of text without words: drawings made of symbols, dice, Morse code, programs made of operators, certificates,
//! genes.
//!
//! Such text is cut into pieces like scripts without spaces. Elsewhere symbols are not terms, as in Henzinger 2,
//! because punctuation says little about prose. But if drawings had no terms, two pages with the same caption and
//! different drawings would be equal. If each line of a cryptographic key were one term, two different keys under the
//! same licence text would be nearly equal.

use crate::text::ignorable::is_ignorable;
use crate::text::letters::{continues, is_joiner};
use crate::text::word_segmentation::pieces;

/// Symbols are terms if more than one in this many characters of a text is a symbol; white space does not count.
const SHARE: usize = 3;

/// Maximum size of a word in bytes; also the size of a hexadecimal hash that names a version.
const LONGEST_WORD: usize = 40;

/// Returns the terms of a text, including its symbols if these are much of it, and with terms that are too long to be
/// words cut into pieces; `None` if neither applies. `spans` are the beginning and end of each term; terms that begin
/// at or after `size` are left unchanged.
pub(super) fn with_pieces(text: &str, size: usize, spans: &[(usize, usize)]) -> Option<Vec<(usize, usize)>> {
    let of_text = || spans.iter().filter(|(from, _)| *from < size);
    let sizes = of_text().map(|(from, to)| to - from);
    let (sum, longest) = sizes.fold((0, 0), |(sum, longest), size| (sum + size, size.max(longest)));
    let are_much = are_much(&text[..size], sum);
    let has_no_word = || longest > LONGEST_WORD && of_text().any(|&(from, to)| is_no_word(&text[from..to]));
    if !are_much && !has_no_word() {
        return None;
    }
    let (mut all, mut done) = (Vec::with_capacity(2 * spans.len()), 0);
    for &(from, to) in spans {
        if from < size {
            if are_much {
                append_symbols(text, done, from, &mut all);
            }
            done = to;
            if is_no_word(&text[from..to]) {
                pieces(&text[from..to], |begin, end| all.push((from + begin, from + end)));
                continue;
            }
        }
        all.push((from, to));
    }
    if are_much {
        append_symbols(text, done, size, &mut all);
    }
    Some(all)
}

/// Returns whether symbols are a large part of a text, given the size of its terms. They must be by bytes and by
/// characters, because a dash has as many bytes as a syllable of Hangul.
fn are_much(text: &str, terms: usize) -> bool {
    let visible = text.len() - blanks(text.as_bytes());
    let is_much = |symbols: usize, visible: usize| symbols * SHARE > visible;
    is_much(visible.saturating_sub(terms), visible) && {
        let of_terms = text.chars().filter(|&c| continues(c)).count();
        let visible = text.chars().filter(|c| *c > ' ').count();
        is_much(visible.saturating_sub(of_terms), visible)
    }
}

/// Returns the number of bytes of white space and control characters.
fn blanks(bytes: &[u8]) -> usize {
    // Sums of one byte are vectorised best.
    let of_part = |part: &[u8]| part.iter().fold(0u8, |sum, &byte| sum + u8::from(byte <= b' '));
    bytes.chunks(usize::from(u8::MAX)).map(|part| usize::from(of_part(part))).sum()
}

fn is_no_word(term: &str) -> bool {
    term.len() > LONGEST_WORD && term.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Appends the pieces of the symbols of `text[from..to]`, which has no terms.
fn append_symbols(text: &str, from: usize, to: usize, spans: &mut Vec<(usize, usize)>) {
    let is_seen = |c: char| !(c.is_whitespace() || c.is_control() || is_joiner(c) || is_ignorable(c));
    let mut at = from;
    while let Some(begin) = text[at..to].find(is_seen).map(|offset| at + offset) {
        let end = text[begin..to].find(|c| !is_seen(c)).map_or(to, |offset| begin + offset);
        pieces(&text[begin..end], |from, to| spans.push((begin + from, begin + to)));
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use crate::text::page::Page;
    use crate::text::page_content::page_content;
    use crate::text::tokenizer::tokens;

    fn terms(page: &Page<'_>) -> Vec<String> {
        page_content(page).into_tokens().terms().map(str::to_owned).collect()
    }

    #[test]
    fn symbols_are_terms_where_they_are_much_of_a_text() {
        for (text, symbols) in [
            ("Roll 2: \u{2680}\u{2685} \u{2683}\u{2680}", ":⚀⚅⚃⚀"),
            ("SOS ... --- ..., -.-.", "...---...,-.-."),
            ("+[->+<] x", "+[->+<]"),
            ("\u{280b}\u{2815}\u{fe0f}", "\u{280b}\u{2815}"),
        ] {
            let terms = terms(&Page::text(text));
            let of_symbols = terms.iter().filter(|term| !term.contains(char::is_alphanumeric));
            assert_eq!(of_symbols.map(String::as_str).collect::<String>(), symbols);
            assert!(terms.len() < text.chars().count(), "{terms:?}");
        }
    }

    #[test]
    fn symbols_of_prose_and_of_programs_are_none() {
        assert_eq!(terms(&Page::text("\"Well,\" she said; \u{2014} no.")), ["Well", "she", "said", "no"]);
        assert_eq!(terms(&Page::text("let sum = first + second;")), ["let", "sum", "first", "second"]);
        // The terms of the papers are Henzinger's.
        assert_eq!(tokens(&Page::text("+[->+<] x")).len(), 1);
    }

    #[test]
    fn what_is_too_long_for_a_word_is_cut_into_pieces() {
        let line = "MIIDdzCCAl8CBGVnZ3kwDQYJKoZIhvcNAQELBQAwgYAxCzAJBgNVBAYTAkRF";
        let cut = terms(&Page::text(&format!("key {line} end")));
        assert!((15..50).contains(&cut.len()), "{cut:?}");
        assert_eq!(cut[1..cut.len() - 1].concat(), line);
        let name = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
        assert_eq!(terms(&Page::text(name)), [name]);
        let slug = "see https://a.example/what-is-said-of-foxes-and-of-whales-in-the-north";
        assert_eq!(terms(&Page::text(slug)).len(), 5);
    }

    #[test]
    fn images_and_markup_stay_where_they_are() {
        let html = "<p>Throw<img src=/die.png>\u{2680} \u{2681}<p>\u{2682} \u{2683} \u{2684} to";
        assert_eq!(terms(&Page::html(html)), ["Throw", "die.png", "⚀", "⚁", "⚂", "⚃", "⚄", "to"]);
    }
}
