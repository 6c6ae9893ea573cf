//! JSON written by hand where millions of lines are written.

use std::io::Write;

use nddb::{Answer, Fingerprint, Found, Matches};
use serde_json::Value;

/// Appends a string with its quotes.
pub(crate) fn string(out: &mut Vec<u8>, text: &str) {
    // Most ids and addresses need no escape.
    let plain = text.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\');
    if plain {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        serde_json::to_writer(out, text).expect("memory takes any string");
    }
}

/// Appends 16 hex digits.
pub(crate) fn hex(out: &mut Vec<u8>, fingerprint: Fingerprint) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.extend((0..16).map(|place| DIGITS[(fingerprint.0 >> (60 - 4 * place) & 15) as usize]));
}

/// Appends a number.
pub(crate) fn number(out: &mut Vec<u8>, number: u64) {
    write!(out, "{number}").expect("memory takes any number");
}

fn optional(out: &mut Vec<u8>, text: Option<&str>) {
    match text {
        Some(text) => string(out, text),
        None => out.extend_from_slice(b"null"),
    }
}

/// A string, or null.
pub(crate) fn or_null(text: Option<&str>) -> Value {
    text.map_or(Value::Null, Value::from)
}

fn head(out: &mut Vec<u8>, fingerprint: Fingerprint, count: u64) {
    out.extend_from_slice(b"{\"fp\":\"");
    hex(out, fingerprint);
    out.extend_from_slice(b"\",\"count\":");
    number(out, count);
    out.extend_from_slice(b",\"matches\":[");
}

fn found(out: &mut Vec<u8>, found: &Found) {
    out.extend_from_slice(b"{\"id\":");
    string(out, &found.id);
    out.extend_from_slice(b",\"fp\":\"");
    hex(out, found.fingerprint);
    out.extend_from_slice(b"\",\"distance\":");
    number(out, found.distance.into());
    out.extend_from_slice(b",\"url\":");
    optional(out, found.url.as_deref());
    out.extend_from_slice(b",\"site\":");
    optional(out, found.site.as_deref());
    out.push(b'}');
}

/// Appends the answer to a query as one line.
pub(crate) fn answer(out: &mut Vec<u8>, answer: &Answer) {
    head(out, answer.fingerprint, answer.count);
    for (place, one) in answer.matches.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        found(out, one);
    }
    out.extend_from_slice(b"]}\n");
}

/// Appends the answer to a query as one line, with document numbers instead of ids.
pub(crate) fn matches(out: &mut Vec<u8>, query: Fingerprint, matches: &Matches) {
    head(out, query, matches.count);
    for (place, one) in matches.matches.iter().enumerate() {
        out.extend_from_slice(if place > 0 { b",{\"number\":" } else { b"{\"number\":" });
        number(out, one.number);
        out.extend_from_slice(b",\"fp\":\"");
        hex(out, one.fingerprint);
        out.extend_from_slice(b"\",\"distance\":");
        number(out, one.distance.into());
        out.push(b'}');
    }
    out.extend_from_slice(b"]}\n");
}

/// Appends an id as a column of a TSV line or a line of a list: tabs, line ends and backslashes written as `\t`, `\n`,
/// `\r` and `\\`, so that different ids are different lines.
pub(crate) fn tsv_id(out: &mut Vec<u8>, id: &str) {
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

/// The id that [`tsv_id`] writes so; none if it writes none so.
pub(crate) fn read_tsv_id(line: &str) -> Option<String> {
    let (mut id, mut rest) = (String::with_capacity(line.len()), line.chars());
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
    fn what_is_written_by_hand_reads_back() {
        let one = Found {
            id: "a \"b\"\\\n\u{1}é".into(),
            number: 7,
            fingerprint: Fingerprint(0x0123_4567_89ab_cdef),
            distance: 2,
            url: Some("http://example.org/".into()),
            site: None,
        };
        let whole = Answer { fingerprint: Fingerprint(15), count: 9, matches: vec![one.clone(), one.clone()] };
        let mut line = Vec::new();
        answer(&mut line, &whole);
        let read: Value = serde_json::from_slice(&line).expect("JSON");
        assert_eq!(read["fp"], "000000000000000f");
        assert_eq!(read["count"], 9);
        assert_eq!(read["matches"][1]["id"], one.id);
        assert_eq!(read["matches"][1]["fp"], "0123456789abcdef");
        assert_eq!(read["matches"][1]["distance"], 2);
        assert_eq!(read["matches"][1]["url"], "http://example.org/");
        assert!(read["matches"][1]["site"].is_null());
    }

    #[test]
    fn an_id_stays_in_its_column_and_line() {
        let mut out = Vec::new();
        tsv_id(&mut out, "a\tb\nc\\d\r");
        assert_eq!(out, b"a\\tb\\nc\\\\d\\r");
        for id in ["", "a\tb", "a\\tb", "\\", "\\\\n\r\n", "é\t"] {
            let mut out = Vec::new();
            tsv_id(&mut out, id);
            let line = String::from_utf8(out).expect("text");
            assert!(!line.contains(['\t', '\n', '\r']));
            assert_eq!(read_tsv_id(&line).as_deref(), Some(id));
        }
        assert_eq!((read_tsv_id("a\\b"), read_tsv_id("a\\")), (None, None));
    }
}
