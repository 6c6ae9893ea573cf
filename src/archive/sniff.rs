//! Detection of a body's type by its first bytes.

use nddb_page::text::PageKind;

/// Returns whether a body begins like HTML: after white space and a byte order mark, with a tag of the WHATWG's
/// sniffing table, a document type or a comment, case-insensitively. An XML declaration counts if an `<html` follows
/// closely.
pub(super) fn looks_like_html(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let Some(begin) = body.iter().take(1024).position(|b| !b.is_ascii_whitespace()) else { return false };
    let body = &body[begin..];
    if body.starts_with(b"<?xml") {
        return body[..body.len().min(1024)].windows(5).any(|w| w.eq_ignore_ascii_case(b"<html"));
    }
    const TAGS: [&[u8]; 18] = [
        b"<!doctype html",
        b"<html",
        b"<head",
        b"<script",
        b"<iframe",
        b"<h1",
        b"<div",
        b"<font",
        b"<table",
        b"<a",
        b"<style",
        b"<title",
        b"<b",
        b"<body",
        b"<br",
        b"<p",
        b"<meta",
        b"<center",
    ];
    if body.starts_with(b"<!--") {
        return true;
    }
    TAGS.iter().any(|tag| {
        body.len() > tag.len()
            && body[..tag.len()].eq_ignore_ascii_case(tag)
            && matches!(body[tag.len()], b' ' | b'>' | b'\t' | b'\n' | b'\r' | b'\x0c' | b'/')
    })
}

/// Returns whether a file certainly is a page, by its first bytes, and not a template or a text with some tags: it begins
/// with a document type, `<html>` or `<head>`, perhaps after comments.
pub(super) fn is_whole_page(head: &[u8]) -> bool {
    if memchr::memmem::find(head, b"<?php").is_some() {
        return false;
    }
    let mut rest = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    while let Some(comment) = rest.strip_prefix(b"<!--") {
        let Some(end) = memchr::memmem::find(comment, b"-->") else { return false };
        rest = comment[end + 3..].trim_ascii_start();
    }
    let begins = [&b"<!doctype html"[..], b"<html", b"<head", b"<?xml"];
    let is = |begin: &&[u8]| rest.get(..begin.len()).is_some_and(|found| found.eq_ignore_ascii_case(begin));
    begins.iter().any(is) && looks_like_html(rest)
}

/// The first bytes of binary files that are served or stored as pages.
const MAGICS: [&[u8]; 44] = [
    // Pictures.
    b"\xff\xd8\xff",
    b"\x89PNG\r\n\x1a\n",
    b"GIF87a",
    b"GIF89a",
    b"II*\0",
    b"MM\0*",
    b"\0\0\x01\0",
    b"\0\0\x02\0",
    b"8BPS",
    b"AT&TFORM",
    b"\0\0\0\x0cjP  ",
    b"\xff\x0a",
    b"v/1\x01",
    // Fonts.
    b"wOFF",
    b"wOF2",
    b"OTTO\0",
    b"\0\x01\0\0",
    b"true\0",
    b"ttcf\0",
    // Documents.
    b"%PDF-",
    b"%!PS",
    b"{\\rtf",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    b"SQLite format 3\0",
    // Archives and programs.
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x1f\x8b\x08",
    b"\x28\xb5\x2f\xfd",
    b"\xfd7zXZ\0",
    b"7z\xbc\xaf\x27\x1c",
    b"Rar!\x1a\x07",
    b"\x7fELF",
    b"\xca\xfe\xba\xbe",
    b"\0asm",
    b"MSCF\0",
    b"!<arch>\n",
    // Sound and film.
    b"ID3\x02",
    b"ID3\x03",
    b"ID3\x04",
    b"OggS\0",
    b"fLaC\0",
    b"\x1aE\xdf\xa3",
    b"FLV\x01",
    b"MThd\0",
];
/// Bytes from which it is decided whether a body is binary.
const EXAMINED: usize = 1445;

/// Returns whether a body is no page and no text but a binary file: by its first bytes, or, of plain text, because many
/// of them are control characters, which no text in any encoding has.
pub(super) fn is_binary(body: &[u8], kind: PageKind) -> bool {
    let has = |at: usize, magic: &[u8]| body.get(at..).is_some_and(|rest| rest.starts_with(magic));
    let is_container = match body {
        // RIFF: WebP, WAV, AVI. ISO media: MP4, HEIC, AVIF. Tar. Bitmaps, whose reserved bytes are zero.
        _ if has(0, b"RIFF") => [&b"WEBP"[..], b"WAVE", b"AVI "].iter().any(|kind| has(8, kind)),
        [0, 0, ..] if has(4, b"ftyp") => true,
        [b'B', b'M', ..] => has(6, b"\0\0\0\0"),
        [b'M', b'Z', ..] => has(6, b"\0\0") || has(3, b"\0"),
        // A frame of MP3 or AAC. FF FE is the mark of UTF-16.
        [0xff, 0xf1 | 0xf2 | 0xf3 | 0xf9 | 0xfa | 0xfb, ..] => true,
        _ => has(257, b"ustar"),
    };
    if is_container || MAGICS.iter().any(|magic| body.starts_with(magic)) {
        return true;
    }
    if kind != PageKind::Text {
        return false;
    }
    // Escape characters belong to ISO 2022. Zeros and other control characters are halves of characters in UTF-16: either
    // all of them are the same half, or most characters have the same one, that of their script.
    let head = &body[..body.len().min(EXAMINED)];
    let half = |half: usize| head.iter().copied().skip(half).step_by(2);
    let is_control = |b: &u8| matches!(b, 1..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
    let controls = |at: usize| half(at).filter(is_control).count();
    let is_of_script = |at: usize| (1..0x20).any(|script| half(at).filter(|b| *b == script).count() * 4 > head.len());
    controls(0).min(controls(1)) * 64 > head.len() && !is_of_script(0) && !is_of_script(1)
}

/// Returns whether a body begins like text of any kind: without control characters.
pub(super) fn looks_like_text(body: &[u8]) -> bool {
    !body.is_empty() && body.iter().take(256).all(|&b| b >= b' ' || matches!(b, b'\t' | b'\n' | b'\r' | b'\x0c'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_files_are_none_of_the_kinds_of_pages() {
        let (text, html) = (PageKind::Text, PageKind::Html);
        for magic in MAGICS {
            let body = [magic, &b"words that stand in metadata ".repeat(20)].concat();
            assert!(is_binary(&body, text) && is_binary(&body, html), "{magic:?}");
        }
        let mut bitmap = b"BM\x36\x10\x0e\0\0\0\0\0\x36\0".to_vec();
        bitmap.extend([7; 50]);
        let tar = [&[b'a'; 257][..], b"ustar\x0000"].concat();
        for body in [&bitmap[..], &tar, b"RIFF\x24\0\0\0WEBPVP8 ", b"\0\0\0\x1cftypisom", b"MZ\x90\0\x03\0\0\0"] {
            assert!(is_binary(body, html), "{body:?}");
        }
        let noise: Vec<u8> = (0..2000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        assert!(is_binary(&[b"x", &noise[..]].concat(), text), "noise");
    }

    #[test]
    fn a_whole_page_is_more_than_a_text_with_tags() {
        for page in [
            "<!DOCTYPE html><p>",
            "\u{feff} <HTML lang=de>",
            "<!-- a --><!-- b -->\n<html>",
            "<?xml version='1.0'?><html>",
        ] {
            assert!(is_whole_page(page.as_bytes()), "{page}");
        }
        for other in
            ["<h1 align=center>README</h1>", "<!-- a", "<?xml version='1.0'?><svg>", "<html><?php echo 1 ?>", "one", ""]
        {
            assert!(!is_whole_page(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn texts_in_any_encoding_are_texts() {
        let utf16: Vec<u8> = "BM is short, MZ too. Привет, 日本語".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for body in [
            b"BM is short for Bench Mark.".as_slice(),
            b"MZ is short, too.",
            b"RIFF raff of WAVE",
            b"GIF is a format",
            b"true stories",
            b"\xff\xfea\0b\0",
            b"\x1b$B4A;z\x1b(B of ISO 2022",
            "\u{feff}Καλημέρα".as_bytes(),
            b"one page\x0canother page",
            &utf16,
            &"Привет, мир. ".repeat(9).encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>(),
            b"",
        ] {
            assert!(!is_binary(body, PageKind::Text), "{body:?}");
        }
    }
}
