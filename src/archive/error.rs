//! Errors that make a whole input unreadable.

use std::io;
use std::path::PathBuf;

/// The next step where no field or column makes a document.
pub(crate) const NAME_ONE: &str = "name that of the text or of the page";

/// The reasons why an input cannot be opened or read further.
///
/// Damage inside a file is not an error: it becomes a skipped entry.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The operating system reported an error.
    #[error("{}: {action} failed", path.display())]
    Io {
        /// The action that failed.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is compressed or packed in an unsupported way.
    #[error("{}: unsupported container {container}; unpack it, or recompress it with gzip or zstd", path.display())]
    UnsupportedContainer {
        /// The file.
        path: PathBuf,
        /// The container's name.
        container: &'static str,
    },
    /// Neither content nor name identify the format of the file.
    #[error("{}: neither content nor name tell the format; name it", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The zstd frames of the file need a dictionary that is not in the file.
    #[error("{}: the zstd frames need dictionary {dictionary}, which is not at the start of the file", path.display())]
    MissingDictionary {
        /// The file.
        path: PathBuf,
        /// The dictionary's id, as in the first frame.
        dictionary: u32,
    },
    /// The dictionary at the beginning of a zstd file is invalid.
    #[error("{}: the zstd dictionary at the start of the file cannot be used: {rule}", path.display())]
    BadDictionary {
        /// The file.
        path: PathBuf,
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// The archives in a WACZ file cannot be read.
    #[error("{}: the zip file cannot be read: {why}", path.display())]
    UnusableZip {
        /// The file.
        path: PathBuf,
        /// The reason and what to do.
        why: &'static str,
    },
    /// A Parquet file cannot be read as a table of documents.
    #[error("{}: the Parquet file cannot be read: {why}", path.display())]
    UnusableTable {
        /// The file.
        path: PathBuf,
        /// The reason, in words.
        why: String,
    },
    /// The content of a file is not a document in its format.
    #[error("{}: {why}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The reason and what to do, in words.
        why: String,
    },
    /// A folder contains no document or archive.
    #[error(
        "{}: no file below this folder is of a format that is read, by its name or its first bytes",
        path.display()
    )]
    NoDocuments {
        /// The folder.
        path: PathBuf,
    },
    /// Ranges were selected in a file that has no records.
    #[error("{}: ranges can be read of WARC, WET and ARC files, and this is none", path.display())]
    NotSelectable {
        /// The file.
        path: PathBuf,
    },
    /// A name in an index matches several archives equally well.
    #[error("{name}: which archive is meant is not clear: {}", alike(paths))]
    Ambiguous {
        /// The name.
        name: String,
        /// The archives; if there is only one, another name in the index matches it equally well.
        paths: Vec<PathBuf>,
    },
    /// There is no page at the position requested.
    #[error("{}: {found} instead of a page at byte {offset}+{inner}", path.display())]
    NotAPage {
        /// The file.
        path: PathBuf,
        /// The position's offset.
        offset: u64,
        /// The position's offset inside the member that begins at `offset`.
        inner: u64,
        /// The kind of entry at the position.
        found: &'static str,
    },
}

/// Names archives that a name matches equally well.
fn alike(paths: &[PathBuf]) -> String {
    let which = if paths.len() == 1 { "another name in the index matches equally well" } else { "all fit as well" };
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    format!("{}: {which}", paths.join(", "))
}

impl ArchiveError {
    /// Returns whether a file has none of the fields or columns that make a document: another one may be named.
    pub fn lacks_fields(&self) -> bool {
        matches!(self, Self::Unusable { why, .. } | Self::UnusableTable { why, .. } if why.ends_with(NAME_ONE))
    }
}
