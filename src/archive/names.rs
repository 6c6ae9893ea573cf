//! Names of files as text. Ids of documents and paths of archives are UTF-8, but names of files need not be.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::str;

const DIGITS: &[u8; 16] = b"0123456789ABCDEF";

/// Returns a name as text. Bytes that are not UTF-8 become `%` and two hex digits. In a name with such bytes, and in a
/// name that looks like the text of such a name, each `%` becomes `%25`. An address loses its credentials
/// ([`nddb_remote::without_credentials`]). All other names are unchanged, and no two of them have the same text.
pub fn text_of(name: impl AsRef<OsStr>) -> String {
    let name = nddb_remote::path_without_credentials(Path::new(name.as_ref()));
    let name = name.as_os_str().as_bytes();
    match str::from_utf8(name) {
        Ok(text) if !is_escaped(name) => text.to_owned(),
        _ => escaped(name),
    }
}

/// Returns the path from which [`text_of`] makes this text.
pub fn path_of(text: &str) -> PathBuf {
    let bytes = text.as_bytes();
    let name = if is_escaped(bytes) { unescaped(bytes) } else { bytes.to_vec() };
    OsString::from_vec(name).into()
}

/// Returns whether this name looks like the text that [`text_of`] makes of another name.
fn is_escaped(text: &[u8]) -> bool {
    let name = unescaped(text);
    name != text && escaped(&name).as_bytes() == text && (str::from_utf8(&name).is_err() || is_escaped(&name))
}

fn escaped(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len() + 8);
    for chunk in name.utf8_chunks() {
        text += &chunk.valid().replace('%', "%25");
        for &byte in chunk.invalid() {
            text.extend(['%', char::from(DIGITS[usize::from(byte >> 4)]), char::from(DIGITS[usize::from(byte & 15)])]);
        }
    }
    text
}

/// Replaces every `%` that [`escaped`] may have written.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let digit = |byte: u8| DIGITS.iter().position(|&digit| digit == byte).map(|value| value as u8);
    let (mut name, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some((&first, after)) = rest.split_first() {
        let byte = match *after {
            [high, low, ..] if first == b'%' => digit(high).zip(digit(low)).map(|(high, low)| high << 4 | low),
            _ => None,
        };
        let byte = byte.filter(|&byte| byte == b'%' || byte >= 0x80);
        name.push(byte.unwrap_or(first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    name
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn names_that_are_text_stay_as_they_are_and_other_bytes_are_escaped() {
        for (name, text) in [
            (&b"a/page.html"[..], "a/page.html"),
            ("caf\u{e9} 100%.html".as_bytes(), "caf\u{e9} 100%.html"),
            // Addresses as names of files, as tools that copy sites write them.
            (b"caf%C3%A9%2Fb.html", "caf%C3%A9%2Fb.html"),
            (b"caf\xe9.html", "caf%E9.html"),
            (b"100%\xff", "100%25%FF"),
            (b"\xff%FF", "%FF%25FF"),
            // Names that look like the text of another name.
            (b"caf%E9.html", "caf%25E9.html"),
            (b"caf%25E9.html", "caf%2525E9.html"),
            (b"%25.html", "%25.html"),
            (b"%e9%", "%e9%"),
        ] {
            assert_eq!(text_of(OsStr::from_bytes(name)), text);
            assert_eq!(path_of(text).as_os_str().as_bytes(), name);
        }
    }

    #[test]
    fn no_two_names_have_the_same_text() {
        let parts: [&[u8]; 8] = [b"%", b"25", b"C3", b"A9", b"\xc3", b"\xa9", b"\xff", b"x"];
        let mut texts = HashMap::new();
        for number in 0..8usize.pow(5) {
            let name: Vec<u8> = (0..5).flat_map(|place| parts[number >> (3 * place) & 7]).copied().collect();
            let text = text_of(OsStr::from_bytes(&name));
            assert_eq!(path_of(&text).as_os_str().as_bytes(), name, "{text}");
            assert!(texts.insert(text, name.clone()).is_none_or(|other| other == name));
        }
    }
}
