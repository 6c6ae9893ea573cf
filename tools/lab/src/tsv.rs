//! Ids in tables and lists of text: tabs, line ends and backslashes are written as `\t`, `\n`, `\r` and `\\`, so that
//! different ids are different cells, and a cell stays one.

/// Appends an id as a cell.
pub fn write_id(out: &mut Vec<u8>, id: &str) {
    for &byte in id.as_bytes() {
        match byte {
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            byte => out.push(byte),
        }
    }
}

/// Returns the id that [`write_id`] writes so; none if it writes none so.
pub fn read_id(cell: &str) -> Option<String> {
    let (mut id, mut rest) = (String::with_capacity(cell.len()), cell.chars());
    while let Some(next) = rest.next() {
        id.push(match next {
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
    Some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_stays_in_its_cell() {
        let mut out = Vec::new();
        write_id(&mut out, "a\tb\nc\\d\r");
        assert_eq!(out, b"a\\tb\\nc\\\\d\\r");
        for id in ["", "a\tb", "a\\tb", "\\", "\\\\n\r\n", "é\t"] {
            let mut out = Vec::new();
            write_id(&mut out, id);
            let cell = String::from_utf8(out).expect("text");
            assert!(!cell.contains(['\t', '\n', '\r']));
            assert_eq!(read_id(&cell).as_deref(), Some(id));
        }
        assert_eq!((read_id("a\\b"), read_id("a\\")), (None, None));
    }
}
