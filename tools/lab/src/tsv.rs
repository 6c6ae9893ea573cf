//! Ids and other texts in tables and lists. Tabs, line ends and backslashes are written as `\t`, `\n`, `\r` and `\\`,
//! so that a text is always a single cell, and different texts give different cells. A number is written as its digits.
//! If a text of the same digits exists, too, the number is written as `\#17` and the text as `\"17`.
//! [`NamedId`](crate::NamedId) reads ids.

use nddb_format::record::{ShownId, digits_of};

/// Appends a text as a cell.
pub fn write_text(out: &mut Vec<u8>, text: &str) {
    for &byte in text.as_bytes() {
        match byte {
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            byte => out.push(byte),
        }
    }
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
        assert_eq!((read_text("a\\b"), read_text("a\\")), (None, None));
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
