//! Detection of a file's format by its first bytes.

use super::format::Format;
use super::{arc, raw, sniff, warc};

/// Returns whether a file begins like Parquet, with readable or encrypted metadata.
pub(super) fn is_table(head: &[u8]) -> bool {
    head.starts_with(b"PAR1") || head.starts_with(b"PARE")
}

/// Returns the format of a file, given its first (decompressed) bytes.
pub(super) fn by_content(head: &[u8]) -> Option<Format> {
    if is_table(head) {
        return Some(Format::Parquet);
    }
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let begin = head.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(head.len());
    let head = &head[begin..];
    if warc::starts(head) == Some(true) {
        return Some(Format::Warc);
    }
    if head.starts_with(b"filedesc:") || arc::starts(head) == Some(true) {
        return Some(Format::Arc);
    }
    let line = &head[..memchr::memchr(b'\n', head).unwrap_or(head.len())];
    if raw::parse_line(line).is_ok() {
        return Some(Format::Tsv);
    }
    if let Some(rest) = head.strip_prefix(b"{") {
        let next = rest.iter().find(|b| !b.is_ascii_whitespace());
        if matches!(next, Some(b'"' | b'}')) {
            return Some(Format::Jsonl);
        }
    }
    sniff::looks_like_html(head).then_some(Format::Html)
}
