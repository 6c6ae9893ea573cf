//! Ids and other texts in tables and lists. Tabs, line ends and backslashes are written as `\t`, `\n`, `\r` and `\\`,
//! other control characters as `\u001b`, as in JSON. So a text is always a single cell, different texts give different
//! cells, and a terminal obeys none. A number is written as its digits. If a text of the same digits exists, too, the
//! number is written as `\#17` and the text as `\"17`. [`NamedId`](crate::NamedId) reads ids.

use nddb_format::record::{ShownId, digits_of};

/// Returns whether a terminal acts on a character instead of showing it, or shows the characters after it in another
/// order.
pub fn is_control(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the escape of a control character, as JSON has it.
pub fn escape(letter: char) -> String {
    format!("\\u{:04x}", u32::from(letter))
}

/// Appends a text as a cell.
pub fn write_text(out: &mut Vec<u8>, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find(|letter| letter == '\\' || is_control(letter)) {
        let (before, behind) = rest.split_at(at);
        out.extend_from_slice(before.as_bytes());
        let mut letters = behind.chars();
        match letters.next() {
            Some('\\') => out.extend_from_slice(b"\\\\"),
            Some('\t') => out.extend_from_slice(b"\\t"),
            Some('\n') => out.extend_from_slice(b"\\n"),
            Some('\r') => out.extend_from_slice(b"\\r"),
            other => other.iter().for_each(|&letter| out.extend(escape(letter).bytes())),
        }
        rest = letters.as_str();
    }
    out.extend_from_slice(rest.as_bytes());
}

/// Appends an id as a cell. `has_namesake` tells whether the id of the other kind (number or text) with the same digits
/// exists, too.
pub fn write_id(out: &mut Vec<u8>, id: &str, has_namesake: bool) {
    if has_namesake {
        out.extend_from_slice(if digits_of(id).is_some() { b"\\#" } else { b"\\\"" });
    }
    write_text(out, ShownId(id).as_str());
}

/// Returns the text for which [`write_text`] writes this cell; `None` if there is none.
pub fn read_text(cell: &str) -> Option<String> {
    let (mut text, mut rest) = (String::with_capacity(cell.len()), cell.chars());
    while let Some(next) = rest.next() {
        text.push(match next {
            '\\' => match rest.next()? {
                '\\' => '\\',
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                'u' => {
                    let (digits, behind) = rest.as_str().split_at_checked(4)?;
                    rest = behind.chars();
                    let is_lower = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
                    let number = u32::from_str_radix(digits, 16).ok().filter(|_| digits.bytes().all(is_lower))?;
                    char::from_u32(number).filter(|letter| is_control(*letter) && !"\t\n\r".contains(*letter))?
                }
                _ => return None,
            },
            next => next,
        });
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use nddb_format::record::number_id;

    use super::*;
    use crate::NamedId;

    fn cell(id: &str, has_namesake: bool) -> String {
        let mut out = Vec::new();
        write_id(&mut out, id, has_namesake);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn an_id_stays_in_its_cell() {
        assert_eq!(cell("a\tb\nc\\d\r", false), "a\\tb\\nc\\\\d\\r");
        for id in ["", "a\tb", "a\\tb", "\\", "\\\\n\r\n", "é\t", "\\#1", "\\\"1"] {
            let cell = cell(id, false);
            assert!(!cell.contains(['\t', '\n', '\r']));
            assert_eq!(read_text(&cell).as_deref(), Some(id));
            assert_eq!(NamedId::of_cell(&cell), Some(NamedId::Exact(id.into())));
        }
        for other in ["a\\b", "a\\", "\\u", "\\u001", "\\u0041", "\\u0009", "\\u009B", "\\u+01b", "\\ud800", "\\u00é"]
        {
            assert_eq!(read_text(other), None, "{other}");
        }
    }

    #[test]
    fn no_character_leaves_its_cell_or_reaches_a_terminal_and_each_is_read_again() {
        assert_eq!(cell("a\u{1b}[31m\u{9b}1m\u{202e}\u{7f}é", false), r"a\u001b[31m\u009b1m\u202e\u007fé");
        let all: String = ('\0'..'\u{3000}').collect();
        for id in ('\0'..'\u{3000}').map(|letter| format!("{letter}{letter}1\\{letter}u001b")).chain([all]) {
            let cell = cell(&id, false);
            assert!(!cell.contains(is_control), "{cell:?}");
            assert_eq!(read_text(&cell).as_deref(), Some(&*id));
            assert_eq!(NamedId::of_cell(&cell), Some(NamedId::Exact(id)));
        }
    }

    #[test]
    fn a_number_is_its_digits_unless_a_text_is_the_same() {
        let number = number_id(-17);
        for (id, plain, marked) in [(&*number, "-17", r"\#-17"), ("-17", "-17", r#"\"-17"#)] {
            assert_eq!((&*cell(id, false), &*cell(id, true)), (plain, marked));
            assert_eq!(NamedId::of_cell(plain), Some(NamedId::Digits("-17".into())));
            assert_eq!(NamedId::of_cell(marked), Some(NamedId::Exact(id.into())));
        }
    }
}
