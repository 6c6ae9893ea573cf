//! Terms that are numbers, and selected terms of a page as a text.

use std::ops::Range;

use crate::text::PageKind;
use crate::text::tokenizer::Tokens;

/// Returns whether a term consists of digits.
pub(crate) fn is_number(term: &str) -> bool {
    match term.as_bytes() {
        // Nearly all words are told from numbers by their first letter.
        [first, ..] if first.is_ascii() && !first.is_ascii_digit() => false,
        _ => term.starts_with(char::is_numeric) && term.chars().all(char::is_numeric),
    }
}

/// Returns the terms at `indexes` in lower case with the text between them, each number as `0`, one line per block,
/// with single spaces. Blocks begin at the offsets `begins` of the text, ascending.
pub(crate) fn text_of(tokens: &Tokens, indexes: &[u32], begins: impl Iterator<Item = usize>, kind: PageKind) -> String {
    let text = tokens.text();
    let mut begins = begins.peekable();
    let (mut out, mut last): (String, Option<(u32, Range<usize>)>) = Default::default();
    let mut indexes = indexes.iter().copied().peekable();
    for (index, range) in (0u32..).zip(tokens.ranges()) {
        // The terms of images come after all text.
        if indexes.next_if_eq(&index).is_none() || range.start >= tokens.text_size() {
            continue;
        }
        let mut begins_block = false;
        while begins.next_if(|&begin| begin <= range.start).is_some() {
            begins_block = true;
        }
        if let Some((before, known)) = last {
            // Terms may overlap, such as a word of a script without spaces and its parts.
            let between = text.get(known.end..range.start).unwrap_or("");
            let is_line = kind == PageKind::Text && between.contains(['\n', '\r']);
            let is_next = (before + 1..index).all(|index| is_number(tokens.term(index as usize)));
            if begins_block || is_line || !is_next {
                // A punctuation mark that ends a block belongs to the block.
                let end = between.find(char::is_whitespace).unwrap_or(0);
                out.push_str(&between[..end]);
                out.push('\n');
            } else {
                push_folded(&mut out, between);
            }
        }
        out.push_str(&text[range.clone()].to_lowercase());
        last = Some((index, range));
    }
    out
}

/// Appends the text between two terms, which may contain numbers: each run of white space as one space, each run of
/// digits as one `0`.
fn push_folded(out: &mut String, between: &str) {
    for c in numbers_masked(between.chars()) {
        match c {
            _ if !c.is_whitespace() => out.push(c),
            _ if out.ends_with(' ') => (),
            _ => out.push(' '),
        }
    }
}

/// Returns the letters with each run of digits as one `0`.
fn numbers_masked(letters: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    let mut in_number = false;
    letters.filter_map(move |c| {
        let is_digit = c.is_numeric();
        let is_first = !std::mem::replace(&mut in_number, is_digit);
        match is_digit {
            true => is_first.then_some('0'),
            false => Some(c),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_digits_is_one_of_any_script() {
        let masked = |text: &str| numbers_masked(text.chars()).collect::<String>();
        assert_eq!(masked("v10.2 of 2007, \u{663}\u{664}9 x"), "v0.0 of 0, 0 x");
        assert_eq!((masked("7"), masked("")), ("0".into(), String::new()));
    }
}
