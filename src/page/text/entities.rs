//! Character references (`&amp;`, `&#8364;`) in text and in attribute values.
//!
//! The crate htmlize has the table of 2,231 names. This module is a fast path in front of it, because most text has no
//! reference at all, and most references are one of six.

use std::borrow::Cow;

use memchr::memchr;

use crate::text::ignorable::is_ignorable;

/// Size of the longest reference that is decoded: the longest name has 32 bytes, and numbers may have leading zeros.
const REFERENCE_MAX: usize = 64;

/// Appends `text` with its references decoded (HTML standard, 13.2.5.72 to 80); references to invisible characters are
/// dropped.
pub(crate) fn decode_into(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let size = reference_size(rest.as_bytes());
        let (reference, after) = rest.split_at(size);
        match reference {
            "&" => out.push('&'),
            "&amp;" => out.push('&'),
            "&nbsp;" => out.push('\u{a0}'),
            "&lt;" => out.push('<'),
            "&gt;" => out.push('>'),
            "&quot;" => out.push('"'),
            "&#39;" => out.push('\''),
            _ => {
                let decoded = htmlize::unescape(reference);
                out.extend(decoded.chars().filter(|&c| !is_ignorable(c)));
            }
        }
        rest = after;
    }
    out.push_str(rest);
}

/// Returns the value of an attribute with its references decoded. In attributes, a name without a semicolon that is
/// followed by `=` or a letter is no reference (`?a=1&copy=2`).
pub(crate) fn decode_attribute(value: &str) -> Cow<'_, str> {
    if memchr(b'&', value.as_bytes()).is_none() {
        return Cow::Borrowed(value);
    }
    htmlize::unescape_attribute(value)
}

/// Returns the size in bytes of a possible reference at the start of `bytes`; `bytes` begin with `&`.
pub(crate) fn reference_size(bytes: &[u8]) -> usize {
    let mut size = 1;
    if bytes.get(1) == Some(&b'#') {
        size = 2;
    }
    while size < REFERENCE_MAX && bytes.get(size).is_some_and(u8::is_ascii_alphanumeric) {
        size += 1;
    }
    if bytes.get(size) == Some(&b';') {
        size += 1;
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> String {
        let mut out = String::new();
        decode_into(&mut out, text);
        out
    }

    #[test]
    fn references_of_every_kind_are_decoded() {
        assert_eq!(decoded("a &amp; b&nbsp;c &lt;&gt;&quot;&#39;"), "a & b\u{a0}c <>\"'");
        assert_eq!(decoded("&eacute;&Auml;&#233;&#xE9;&#XE9;"), "éÄééé");
        assert_eq!(decoded("&copy 2020 &notit; &#128;&#0;&#x110000;"), "© 2020 ¬it; €\u{fffd}\u{fffd}");
        assert_eq!(decoded("&CounterClockwiseContourIntegral;&NotEqualTilde;"), "∳≂\u{338}");
        assert_eq!(decoded("&#0000000000000000000000000000000065;"), "A");
    }

    #[test]
    fn what_is_no_reference_stays() {
        for text in ["", "&", "&&", "a & b", "&;", "&#;", "&#x;", "&unknown;", "AT&T", "&é"] {
            assert_eq!(decoded(text), text);
        }
        assert_eq!(decoded("&&amp;&"), "&&&");
    }

    #[test]
    fn characters_that_nobody_sees_vanish() {
        assert_eq!(decoded("Donau&shy;dampf&#173;schiff"), "Donaudampfschiff");
        assert_eq!(decoded("a&ZeroWidthSpace;b&#x2060;c&lrm;d&zwnj;"), "abcd\u{200c}");
    }

    #[test]
    fn attribute_values_keep_their_parameters() {
        assert_eq!(decode_attribute("/i?a=1&amp;b=2"), "/i?a=1&b=2");
        assert_eq!(decode_attribute("/i?a=1&copy=2"), "/i?a=1&copy=2");
        assert_eq!(decode_attribute("/plain"), "/plain");
    }
}
