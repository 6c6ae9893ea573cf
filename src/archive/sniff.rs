//! Detection of a body's type by its first bytes.

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

/// Returns whether a body begins like text of any kind: without control characters.
pub(super) fn looks_like_text(body: &[u8]) -> bool {
    !body.is_empty() && body.iter().take(256).all(|&b| b >= b' ' || matches!(b, b'\t' | b'\n' | b'\r' | b'\x0c'))
}
