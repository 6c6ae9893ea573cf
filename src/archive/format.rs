//! The formats, their names, and how a file's format is found.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::{arc, raw, sniff, warc};

/// What an input is. Whether it is compressed is not part of the format and always found out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Found by content, then by name.
    #[default]
    Auto,
    /// Web ARChive, 0.17 to 1.1.
    Warc,
    /// The same with `conversion` records; both names read both.
    Wet,
    /// The Internet Archive's format before WARC.
    Arc,
    /// One document per file: HTML, or plain text when the name ends in `.txt`.
    Html,
    /// One JSON object per line.
    Jsonl,
    /// Lines of id, tab, 16 hex digits.
    Tsv,
    /// Raw fingerprints of eight bytes, least significant first.
    U64le,
}

const NAMES: [(Format, &str); 8] = [
    (Format::Auto, "auto"),
    (Format::Warc, "warc"),
    (Format::Wet, "wet"),
    (Format::Arc, "arc"),
    (Format::Html, "html"),
    (Format::Jsonl, "jsonl"),
    (Format::Tsv, "tsv"),
    (Format::U64le, "u64le"),
];

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(format, _)| format == self).map_or("", |(_, name)| name);
        f.write_str(name)
    }
}

/// A word that is no format's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormatName(String);

impl fmt::Display for UnknownFormatName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown format {:?}; formats are", self.0)?;
        for (i, (_, name)) in NAMES.iter().enumerate() {
            write!(f, "{}{name}", if i == 0 { " " } else { ", " })?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownFormatName {}

impl FromStr for Format {
    type Err = UnknownFormatName;

    fn from_str(name: &str) -> Result<Format, UnknownFormatName> {
        NAMES
            .iter()
            .find(|(_, known)| known.eq_ignore_ascii_case(name))
            .map(|(format, _)| *format)
            .ok_or_else(|| UnknownFormatName(name.to_owned()))
    }
}

/// Returns the format that a name's ending stands for, behind any ending of compression.
pub(super) fn by_name(path: &Path) -> Option<Format> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let mut name = name.as_str();
    for ending in [".open", ".gz", ".zst", ".zstd"] {
        name = name.strip_suffix(ending).unwrap_or(name);
    }
    Some(match name.rsplit_once('.')?.1 {
        "warc" | "wet" => Format::Warc,
        "arc" => Format::Arc,
        "html" | "htm" | "xhtml" | "txt" | "text" => Format::Html,
        "jsonl" | "ndjson" | "json" => Format::Jsonl,
        "tsv" => Format::Tsv,
        "u64le" | "u64" => Format::U64le,
        _ => return None,
    })
}

/// Returns the format that the first (decompressed) bytes of a file show.
pub(super) fn by_content(head: &[u8]) -> Option<Format> {
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
