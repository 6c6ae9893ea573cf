//! Repair of lines that other programs write and read although they are not JSON: with lone surrogates, bare NaN and
//! Infinity, control characters in texts, zeros between values, or bytes that are not UTF-8.

/// Half of the number of bytes by which any line may grow.
const GROWTH_MIN: usize = 64 << 10;

/// The replacement character U+FFFD, as an escape sequence.
const REPLACEMENT: &[u8] = b"\\ufffd";

/// Returns a line as JSON that a strict reader accepts: invalid characters become U+FFFD, and numbers that JSON cannot
/// write become `null`. `None` if the result is too long: such a line is not text.
pub fn repaired_line(line: &[u8]) -> Option<Vec<u8>> {
    let most = 2 * (line.len() + GROWTH_MIN);
    let mut out = Vec::with_capacity(line.len() + 64);
    let mut rest = line;
    let mut is_text = false;
    while let Some(&first) = rest.first() {
        let len = match first {
            b'"' => {
                is_text = !is_text;
                out.push(first);
                1
            }
            b'\\' if is_text => escape(rest, &mut out),
            control @ 0..0x20 if is_text => {
                out.extend_from_slice(format!("\\u{control:04x}").as_bytes());
                1
            }
            0 => {
                out.push(b' ');
                1
            }
            _ if is_text => plain(rest, &mut out, |b| !matches!(b, b'"' | b'\\' | 0..0x20)),
            b if is_word(b) => word(rest, &mut out),
            _ => plain(rest, &mut out, |b| b != b'"' && b != 0 && !is_word(b)),
        };
        rest = &rest[len..];
        if out.len() > most {
            return None;
        }
    }
    Some(match String::from_utf8_lossy(&out) {
        std::borrow::Cow::Borrowed(_) => out,
        std::borrow::Cow::Owned(text) => text.into_bytes(),
    })
}

/// Copies at least one byte, and further bytes as long as `is` accepts them; returns how many.
fn plain(rest: &[u8], out: &mut Vec<u8>, is: impl Fn(u8) -> bool) -> usize {
    let len = rest.iter().position(|&b| !is(b)).unwrap_or(rest.len()).max(1);
    out.extend_from_slice(&rest[..len]);
    len
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_')
}

/// Copies a word outside texts, or writes `null` for an invalid number; returns its length.
fn word(rest: &[u8], out: &mut Vec<u8>) -> usize {
    let len = rest.iter().position(|&b| !is_word(b)).unwrap_or(rest.len());
    let word = &rest[..len];
    let name = word.strip_prefix(b"-").or(word.strip_prefix(b"+")).unwrap_or(word);
    let is_no_number = ["nan", "inf", "infinity"].iter().any(|no| name.eq_ignore_ascii_case(no.as_bytes()));
    out.extend_from_slice(if is_no_number { b"null" } else { word });
    len
}

/// Copies an escape sequence (both halves of a surrogate pair together); returns its length.
fn escape(rest: &[u8], out: &mut Vec<u8>) -> usize {
    let len = match unit(rest) {
        None => rest.len().min(2),
        Some(0xd800..0xdc00) if rest.get(6..).and_then(unit).is_some_and(|low| (0xdc00..0xe000).contains(&low)) => 12,
        Some(0xd800..0xe000) => {
            out.extend_from_slice(REPLACEMENT);
            return 6;
        }
        Some(_) => 6,
    };
    out.extend_from_slice(&rest[..len]);
    len
}

/// Returns the value of an escape sequence of four digits.
fn unit(escape: &[u8]) -> Option<u16> {
    let digits = escape.strip_prefix(b"\\u")?.get(..4)?;
    let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
    u16::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| is_hex)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::repaired_line;

    fn value(line: &[u8]) -> serde_json::Value {
        serde_json::from_slice(&repaired_line(line).expect("it is short")).expect("it is JSON now")
    }

    #[test]
    fn what_is_json_stays_as_it_is() {
        let line = r#"{"a":[-1.5e+10,true,null,"NaN \ud83d\ude00 \"x\\\" \u00e9"],"NaN":{"b":"Infinity"}}"#;
        assert_eq!(repaired_line(line.as_bytes()).as_deref(), Some(line.as_bytes()));
    }

    #[test]
    fn what_other_programs_write_becomes_json() {
        for (line, expected) in [
            (&br#"["a\ud83d","\ude00b","\ud83d\ud83d\ude00","\uD83Dx\uDE00"]"#[..], r#"["a�","�b","�😀","�x�"]"#),
            (br#"{"a":NaN,"b":-Infinity,"c":[nan,inf, Infinity ]}"#, r#"{"a":null,"b":null,"c":[null,null,null]}"#),
            (b"\0{\"a\":\"x\0y\tz\x1f\"\0}\0\0", r#"{"a":"x\u0000y\tz\u001f"}"#),
            (b"{\"a\":\"caf\xe9 \xed\xa0\x80\"}", r#"{"a":"caf� ���"}"#),
        ] {
            assert_eq!(value(line), serde_json::from_str::<serde_json::Value>(expected).expect("JSON"), "{expected}");
        }
        for line in ["{\"a\":\"\\", "{\"a\":\"\\u12", "{\"a\":\"\\ud800\\u", "[NaNa]", "\"\\u+123\""] {
            let repaired = repaired_line(line.as_bytes()).expect("it is short");
            assert!(serde_json::from_slice::<serde_json::Value>(&repaired).is_err(), "{line}");
        }
    }

    #[test]
    fn a_long_line_of_control_characters_is_given_up() {
        assert_eq!(repaired_line(&[b"\"", &[1; 1 << 20][..]].concat()), None);
    }
}
