//! The input formats, their names, and their file name extensions.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use nddb_remote::{is_listable, is_remote};

/// The format of an input. Compression is not part of the format and always detected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Detected by content, then by name.
    #[default]
    Auto,
    /// Web ARChive, 0.17 to 1.1.
    Warc,
    /// WARC with `conversion` records; either name reads both.
    Wet,
    /// The Internet Archive's format before WARC.
    Arc,
    /// One document per file: HTML, or plain text when the name ends in `.txt`.
    Html,
    /// One JSON object per line.
    Jsonl,
    /// One document per row, below a header; the delimiter is a comma, a tab or a semicolon.
    Csv,
    /// One document per row.
    Parquet,
    /// Lines of id, tab, 16 hex digits; with a header of columns, the same as [`Format::Csv`].
    Tsv,
    /// Raw fingerprints of eight bytes, least significant first.
    U64le,
}

const NAMES: [(Format, &str); 10] = [
    (Format::Auto, "auto"),
    (Format::Warc, "warc"),
    (Format::Wet, "wet"),
    (Format::Arc, "arc"),
    (Format::Html, "html"),
    (Format::Jsonl, "jsonl"),
    (Format::Csv, "csv"),
    (Format::Parquet, "parquet"),
    (Format::Tsv, "tsv"),
    (Format::U64le, "u64le"),
];

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(format, _)| format == self).map_or("", |(_, name)| name);
        f.write_str(name)
    }
}

/// A word that is not the name of a format.
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

impl Format {
    /// Returns whether the format has bare fingerprints, without pages.
    #[must_use]
    pub fn is_raw(self) -> bool {
        matches!(self, Format::Tsv | Format::U64le)
    }

    /// Returns whether a file of this format is read if `requested` is the requested format.
    pub(super) fn is_read_as(self, requested: Format) -> bool {
        let of_crawls = |format| matches!(format, Format::Warc | Format::Wet);
        requested == Format::Auto || requested == self || of_crawls(requested) && of_crawls(self)
    }

    /// Returns the format of a file name, whatever its compression.
    #[must_use]
    pub fn of_name(path: &Path) -> Option<Format> {
        by_name(path)
    }
}

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

/// Returns the format of a file name's extension, before any extension of compression.
pub(super) fn by_name(path: &Path) -> Option<Format> {
    // What follows in the address of a server is not of the name.
    let end = if is_remote(path) && !is_listable(path) { &['?', '#'][..] } else { &[] };
    let name = path.to_string_lossy();
    let name = Path::new(name.split(end).next()?).file_name()?.to_string_lossy().to_ascii_lowercase();
    let mut name = name.as_str();
    for ending in [".open", ".gz", ".zst", ".zstd", ".bz2", ".xz", ".lz4"] {
        name = name.strip_suffix(ending).unwrap_or(name);
    }
    Some(match name.rsplit_once('.')?.1 {
        "warc" | "wet" | "wacz" => Format::Warc,
        "arc" => Format::Arc,
        "html" | "htm" | "xhtml" | "txt" | "text" => Format::Html,
        "jsonl" | "ndjson" | "json" => Format::Jsonl,
        "csv" => Format::Csv,
        "parquet" | "pq" => Format::Parquet,
        "tsv" => Format::Tsv,
        "u64le" | "u64" => Format::U64le,
        _ => return None,
    })
}
