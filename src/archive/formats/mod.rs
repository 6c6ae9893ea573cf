//! The input formats, one file each, and the list of them.
//!
//! A new format is a file here that has a value of [`InputFormat`], and two lines in this file: its `mod`, and its
//! place in the list. Names, file name endings and detection follow from the value.

mod arc;
mod arrow;
mod csv;
mod fingerprints;
mod html;
mod input_format;
mod jsonl;
mod parquet;
mod warc;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use nddb_remote::{is_listable, is_remote};

pub(crate) use self::fingerprints::parse_hex;
use self::input_format::text_start;
pub(crate) use self::input_format::{InputFormat, Layout, Opened, Opening};
pub use self::jsonl::{repaired_line, trimmed_line};

/// Declares [`Format`], and lists the formats in the order in which a file is tried.
macro_rules! formats {
    ($($(#[$doc:meta])* $name:ident: $value:expr,)*) => {
        /// The format of an input. Compression is not part of the format and always detected.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Format {
            /// Detected by content, then by name.
            #[default]
            Auto,
            $($(#[$doc])* $name,)*
        }

        impl Format {
            const ALL: &[Format] = &[$(Format::$name,)*];

            /// Returns what the format is.
            pub(crate) fn rules(self) -> &'static InputFormat {
                match self {
                    Format::Auto => &warc::WARC,
                    $(Format::$name => &$value,)*
                }
            }
        }
    };
}

formats! {
    /// Web ARChive, 0.17 to 1.1.
    Warc: warc::WARC,
    /// WARC with `conversion` records; either name reads both.
    Wet: warc::WET,
    /// The Internet Archive's format before WARC.
    Arc: arc::FORMAT,
    /// One document per file: HTML, or plain text when the name ends in `.txt`.
    Html: html::FORMAT,
    /// One JSON object per line.
    Jsonl: jsonl::FORMAT,
    /// One document per row, below a header; the delimiter is a comma, a tab or a semicolon.
    Csv: csv::FORMAT,
    /// One document per row.
    Parquet: parquet::FORMAT,
    /// Arrow IPC, as files (Feather) and as streams; one document per row.
    Arrow: arrow::FORMAT,
    /// Lines of id, tab, 16 hex digits; with a header of columns, the same as [`Format::Csv`].
    Tsv: fingerprints::TSV,
    /// Raw fingerprints of eight bytes, least significant first.
    U64le: fingerprints::U64LE,
}

/// Endings of file names that say how a file is compressed, or that it is being written.
const COMPRESSED: [&str; 7] = [".open", ".gz", ".zst", ".zstd", ".bz2", ".xz", ".lz4"];

impl Format {
    /// Returns whether the format has bare fingerprints, without pages.
    #[must_use]
    pub fn is_raw(self) -> bool {
        matches!(self, Format::Tsv | Format::U64le)
    }

    /// Returns whether a file of this format is read if `requested` is the requested format.
    pub(crate) fn is_read_as(self, requested: Format) -> bool {
        let of_crawls = |format| matches!(format, Format::Warc | Format::Wet);
        requested == Format::Auto || requested == self || of_crawls(requested) && of_crawls(self)
    }

    /// Returns the usual ending of the names of its files.
    #[must_use]
    pub fn ending(self) -> &'static str {
        self.rules().endings.first().unwrap_or(&self.rules().name)
    }

    /// Returns the format of a file name's ending, before any ending of compression.
    #[must_use]
    pub fn of_name(path: &Path) -> Option<Format> {
        // What follows in the address of a server is not of the name.
        let end = if is_remote(path) && !is_listable(path) { &['?', '#'][..] } else { &[] };
        let name = path.to_string_lossy();
        let name = Path::new(name.split(end).next()?).file_name()?.to_string_lossy().to_ascii_lowercase();
        let mut name = name.as_str();
        for ending in COMPRESSED {
            name = name.strip_suffix(ending).unwrap_or(name);
        }
        let (_, ending) = name.rsplit_once('.')?;
        Self::ALL.iter().copied().find(|format| format.rules().endings.contains(&ending))
    }

    /// Tells whether the decompressed start of a member, after damage, is one at which reading of a file of this format
    /// continues; if the format is not known, a record of any format is.
    pub(crate) fn continues_at(format: Option<Format>, bytes: &[u8]) -> bool {
        match format.map(|format| format.rules().layout) {
            Some(Layout::Records(starts)) => starts(bytes.trim_ascii_start()) == Some(true),
            Some(Layout::Lines) => !bytes.is_empty(),
            Some(Layout::Document | Layout::Numbers | Layout::Table(_)) => false,
            None => [Format::Warc, Format::Arc].iter().any(|&format| Self::continues_at(Some(format), bytes)),
        }
    }

    /// Returns the format of a file, given its first (decompressed) bytes.
    pub(crate) fn of_content(head: &[u8]) -> Option<Format> {
        Self::ALL.iter().copied().find(|format| (format.rules().looks_like)(head))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Format::Auto { "auto" } else { self.rules().name })
    }
}

/// A word that is not the name of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormatName(String);

impl fmt::Display for UnknownFormatName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown format {:?}; formats are {}", self.0, Format::Auto)?;
        Format::ALL.iter().try_for_each(|format| write!(f, ", {format}"))
    }
}

impl std::error::Error for UnknownFormatName {}

impl FromStr for Format {
    type Err = UnknownFormatName;

    fn from_str(name: &str) -> Result<Format, UnknownFormatName> {
        let mut all = [Format::Auto].into_iter().chain(Self::ALL.iter().copied());
        all.find(|format| format.to_string().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownFormatName(name.to_owned()))
    }
}
