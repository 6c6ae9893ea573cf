//! The character set of a page, and its text in UTF-8.
//!
//! The order is that of the HTML standard's "encoding sniffing": a byte order mark wins over all, then the label of the
//! HTTP header, then the page's own `<meta>` (or XML declaration), then a guess from the bytes. There are two
//! departures. A text recognised as UTF-16 is decoded as UTF-16 whatever its label, because no other text has such zero
//! bytes. A text that is UTF-8 except for a few bytes counts as UTF-8, even if the detector, which is made for
//! browsers, rejects it. Decoding never fails: malformed bytes become U+FFFD.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::{memchr, memmem};

use crate::text::site::host_of;
use crate::text::{Page, PageKind};

mod utf_16;
mod utf_8;

/// Number of bytes that are searched for a `<meta>`. The standard says 1,024, but pages often have long comments or
/// scripts before the `<meta>`, and browsers search further.
const META_REACH: usize = 4096;

/// Number of bytes that the detector reads, beginning with the first byte that is not ASCII.
const GUESS_REACH: usize = 64 * 1024;

/// Returns the text of a page (HTML standard, 13.2.3 "The input byte stream").
pub fn decode<'a>(page: &Page<'a>) -> Cow<'a, str> {
    let (charset, size) = sniff(page);
    let body = &page.body[size..];
    match charset {
        Charset::Utf32(read) => Cow::Owned(utf_32(body, read)),
        Charset::Web(encoding) => encoding.decode_without_bom_handling(body).0,
    }
}

/// The decoder of a page's bytes.
#[derive(Clone, Copy)]
pub(crate) enum Charset {
    /// UTF-32, by its byte order: browsers no longer read it, but old archives contain it.
    Utf32(fn([u8; 4]) -> u32),
    /// An encoding that browsers read.
    Web(&'static Encoding),
}

/// Returns the character set of a page, and the size of its byte order mark in bytes.
pub(crate) fn sniff(page: &Page<'_>) -> (Charset, usize) {
    let body = page.body;
    if body.starts_with(&[0xff, 0xfe, 0, 0]) {
        return (Charset::Utf32(u32::from_le_bytes), 4);
    }
    if body.starts_with(&[0, 0, 0xfe, 0xff]) {
        return (Charset::Utf32(u32::from_be_bytes), 4);
    }
    if let Some((encoding, size)) = Encoding::for_bom(body) {
        return (Charset::Web(encoding), size);
    }
    let encoding = utf_16::of_letters(body)
        .or_else(|| page.charset.and_then(|label| labelled(label.as_bytes())))
        .or_else(|| match page.kind {
            PageKind::Html => declared(&body[..body.len().min(META_REACH)]),
            PageKind::Text => None,
        })
        .unwrap_or_else(|| guess(page));
    let is_utf_16 = encoding == UTF_16LE || encoding == UTF_16BE;
    // A label for UTF-16 is not a reliable indication of the byte order.
    let encoding = is_utf_16.then(|| utf_16::of_ideographs(body)).flatten().unwrap_or(encoding);
    (Charset::Web(encoding), 0)
}

/// Looks up a label. Labels that only mean "do not decode this" count as unknown.
fn labelled(label: &[u8]) -> Option<&'static Encoding> {
    let label = label.trim_ascii().trim_ascii_start();
    let label = label.strip_prefix(b"\"").unwrap_or(label);
    let label = label.strip_suffix(b"\"").unwrap_or(label);
    Encoding::for_label(label).filter(|&encoding| encoding != REPLACEMENT)
}

/// Returns the character set that a page of markup declares (HTML standard, 13.2.3.2).
fn declared(head: &[u8]) -> Option<&'static Encoding> {
    let mut rest = head;
    if rest.starts_with(b"<?xml")
        && let Some(end) = memchr(b'>', rest)
        && let Some(found) = assigned(&rest[..end], b"encoding")
    {
        return Some(found);
    }
    while let Some(at) = memchr(b'<', rest) {
        rest = &rest[at..];
        if rest.starts_with(b"<!--") {
            // A `<meta>` in a comment declares nothing.
            rest = &rest[memmem::find(rest, b"-->").unwrap_or(rest.len())..];
        } else if rest.len() > 5 && rest[1..5].eq_ignore_ascii_case(b"meta") {
            let end = memchr(b'>', rest).unwrap_or(rest.len());
            if let Some(found) = assigned(&rest[..end], b"charset") {
                return Some(found);
            }
            rest = &rest[end..];
        } else {
            rest = &rest[1..];
        }
    }
    None
}

/// Returns the label of `name = label` in a tag; the label may be quoted.
fn assigned(tag: &[u8], name: &[u8]) -> Option<&'static Encoding> {
    let lower = tag.to_ascii_lowercase();
    for at in memmem::find_iter(&lower, name) {
        let value = lower[at + name.len()..].trim_ascii_start();
        let Some(value) = value.strip_prefix(b"=") else {
            continue;
        };
        let value = value.trim_ascii_start();
        let value = match value.first() {
            Some(b'"' | b'\'') => &value[1..],
            _ => value,
        };
        let end = value
            .iter()
            .position(|byte| matches!(byte, b'"' | b'\'' | b';' | b'>' | b' ' | b'\t' | b'\n'))
            .unwrap_or(value.len());
        if let Some(found) = labelled(&value[..end]) {
            // If the <meta> of a page could be read as ASCII, the page is not UTF-16, whatever it declares.
            return Some(if found == UTF_16LE || found == UTF_16BE {
                UTF_8
            } else if found == X_USER_DEFINED {
                WINDOWS_1252
            } else {
                found
            });
        }
    }
    None
}

/// Guesses the character set from the bytes, with the top-level domain of the page as a hint.
fn guess(page: &Page<'_>) -> &'static Encoding {
    let body = page.body;
    let ascii = Encoding::ascii_valid_up_to(body);
    let escapes = memchr(0x1b, &body[..ascii]).is_some();
    if !escapes && (ascii == body.len() || Encoding::utf8_valid_up_to(body) == body.len()) {
        return UTF_8;
    }
    let from = if escapes { 0 } else { ascii };
    let to = body.len().min(from.saturating_add(GUESS_REACH));
    if !escapes && utf_8::is_damaged(&body[from..to]) {
        return UTF_8;
    }
    if let Some(encoding) = utf_16::of_ideographs(body) {
        return encoding;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(&body[from..to], to == body.len());
    let host = page.url.and_then(host_of).unwrap_or_default();
    let tld = host.rsplit('.').next().unwrap_or_default();
    // The detector panics on a hint that is not a lower-case name.
    let fit = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let hint = (!tld.is_empty() && tld.bytes().all(fit)).then_some(tld.as_bytes());
    detector.guess(hint, Utf8Detection::Allow)
}

/// Decodes UTF-32.
fn utf_32(bytes: &[u8], read: fn([u8; 4]) -> u32) -> String {
    let (whole, rest) = bytes.as_chunks::<4>();
    let mut text: String = whole.iter().map(|&unit| utf_32_unit(unit, read)).collect();
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}

/// Decodes one character of UTF-32.
pub(crate) fn utf_32_unit(unit: [u8; 4], read: fn([u8; 4]) -> u32) -> char {
    char::from_u32(read(unit)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page<'a>(charset: Option<&'a str>, body: &'a [u8]) -> Page<'a> {
        Page { kind: PageKind::Html, charset, url: None, body }
    }

    #[test]
    fn a_byte_order_mark_wins_over_the_header() {
        let body = b"\xef\xbb\xbfstra\xc3\x9fe";
        assert_eq!(decode(&page(Some("windows-1251"), body)), "straße");
        assert_eq!(decode(&page(Some("utf-8"), b"\xff\xfea\0\xdf\0")), "aß", "UTF-16, little-endian");
        assert_eq!(decode(&page(None, b"\xfe\xff\0a\0\xdf")), "aß");
        assert_eq!(decode(&page(None, b"\xff\xfe\0\0a\0\0\0\xdf\0\0\0")), "aß", "UTF-32, little-endian");
        assert_eq!(decode(&page(None, b"\0\0\xfe\xff\0\0\0a\0\x11\0\0")), "a\u{fffd}");
    }

    #[test]
    fn the_header_wins_over_the_page_and_the_page_over_a_guess() {
        let body = b"<meta charset=koi8-r>\xe9";
        assert_eq!(decode(&page(Some("iso-8859-1"), body)), "<meta charset=koi8-r>é");
        assert_eq!(decode(&page(Some(" \"ISO-8859-1\" "), body)), "<meta charset=koi8-r>é");
        assert_eq!(decode(&page(Some("no such set"), body)), "<meta charset=koi8-r>И");
        assert_eq!(decode(&page(None, body)), "<meta charset=koi8-r>И");
    }

    #[test]
    fn old_and_xml_declarations_are_read_and_comments_are_not() {
        let old = b"<META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset=KOI8-R'>\xe9";
        assert!(decode(&page(None, old)).ends_with('И'));
        let xml = b"<?xml version='1.0' encoding='koi8-r'?>\xe9";
        assert!(decode(&page(None, xml)).ends_with('И'));
        let comment = b"<!-- <meta charset=koi8-r> --><meta charset = \"iso-8859-5\">\xb8";
        assert!(decode(&page(None, comment)).ends_with('И'));
        let sixteen = b"<meta charset=utf-16>\xc3\xa9";
        assert!(decode(&page(None, sixteen)).ends_with('é'));
    }

    #[test]
    fn without_any_word_the_bytes_decide() {
        assert_eq!(decode(&page(None, "naïve 日本".as_bytes())), "naïve 日本");
        let japanese = "これは日本語の文章です。漢字とひらがなが混ざっています。";
        let (bytes, ..) = encoding_rs::SHIFT_JIS.encode(japanese);
        assert_eq!(decode(&page(None, &bytes)), japanese);
        let (bytes, ..) = encoding_rs::ISO_2022_JP.encode(japanese);
        assert_eq!(decode(&page(None, &bytes)), japanese);
        let russian = "Все счастливые семьи похожи друг на друга";
        let (bytes, ..) = encoding_rs::WINDOWS_1251.encode(russian);
        assert_eq!(decode(&page(None, &bytes)), russian);
    }

    #[test]
    fn a_stray_or_cut_byte_does_not_change_the_character_set() {
        let text = "Château d’eau – où l’été s’achève ".repeat(3_000);
        let mut stray = text.clone().into_bytes();
        stray.splice(10..10, *b"caf\xe9 ");
        let expected = format!("{}caf\u{fffd} {}", &text[..10], &text[10..]);
        assert!(decode(&page(None, &stray)) == expected);
        let cut = &text.as_bytes()[..text.len() - 4];
        assert!(decode(&page(None, cut)) == format!("{}\u{fffd}", &text[..text.len() - 5]));
    }

    #[test]
    fn utf_16_needs_no_mark() {
        let bytes = |text: &str, order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            let letters = "<p>Straße</p>";
            for charset in [None, Some("utf-16"), Some("utf-8"), Some("iso-8859-1")] {
                assert_eq!(decode(&page(charset, &bytes(letters, order))), letters, "{charset:?}");
            }
            let ideographs = "幸福的家庭都是相似的,各有各的不幸。";
            for charset in [None, Some("utf-16")] {
                assert_eq!(decode(&page(charset, &bytes(ideographs, order))), ideographs, "{charset:?}");
            }
        }
    }

    #[test]
    fn malformed_bytes_become_replacement_characters() {
        assert_eq!(decode(&page(Some("utf-8"), b"a\xffb\0")), "a\u{fffd}b\0");
        assert_eq!(decode(&page(None, b"")), "");
        for charset in ["hz-gb-2312", "iso-2022-kr", "replacement"] {
            assert_eq!(decode(&page(Some(charset), b"plain")), "plain");
        }
    }

    #[test]
    fn an_odd_top_level_domain_is_no_hint() {
        for url in ["http://1.2.3.4/", "http://[::1]/", "http://a.b_c/", "http://пример.рф/", "x"] {
            let page = Page { kind: PageKind::Text, charset: None, url: Some(url), body: b"caf\xe9" };
            assert!(decode(&page).starts_with("caf"), "{url}");
        }
    }
}
