//! What makes a whole input unreadable.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why an input could not be opened or read any further.
///
/// Damage inside a file is no error: it comes out as an entry that was skipped.
#[derive(Debug)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The operating system refused.
    Io {
        /// What was being done.
        action: &'static str,
        /// To which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is compressed or packed in a way that nddb does not read.
    UnsupportedContainer {
        /// The file.
        path: PathBuf,
        /// The container's name.
        container: &'static str,
    },
    /// Neither the bytes nor the name tell what the file is.
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The zstd frames of the file need a dictionary that is not in it.
    MissingDictionary {
        /// The file.
        path: PathBuf,
        /// The dictionary's number, as the first frame names it.
        dictionary: u32,
    },
    /// The dictionary in front of a zstd file cannot be used.
    BadDictionary {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        rule: &'static str,
    },
    /// A folder holds no file that is a document.
    NoDocuments {
        /// The folder.
        path: PathBuf,
    },
    /// No page stands at the position that was asked for.
    NotAPage {
        /// The file.
        path: PathBuf,
        /// The position's offset.
        offset: u64,
        /// The position's offset inside the member at that offset.
        inner: u64,
        /// What stands there.
        found: &'static str,
    },
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArchiveError::Io { action, path, .. } => write!(f, "{}: {action} failed", path.display()),
            ArchiveError::UnsupportedContainer { path, container } => write!(
                f,
                "{}: unsupported container {container}; unpack it, or recompress it with gzip or zstd",
                path.display()
            ),
            ArchiveError::UnknownFormat { path } => {
                write!(f, "{}: neither content nor name tell the format; name it with --format", path.display())
            }
            ArchiveError::MissingDictionary { path, dictionary } => write!(
                f,
                "{}: the zstd frames need dictionary {dictionary}, which is not at the start of the file",
                path.display()
            ),
            ArchiveError::BadDictionary { path, rule } => {
                write!(f, "{}: the zstd dictionary at the start of the file cannot be used: {rule}", path.display())
            }
            ArchiveError::NoDocuments { path } => {
                write!(f, "{}: no file below this folder has a name that tells a format that is read", path.display())
            }
            ArchiveError::NotAPage { path, offset, inner, found } => {
                write!(f, "{}: {found} instead of a page at byte {offset}+{inner}", path.display())
            }
        }
    }
}

impl std::error::Error for ArchiveError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ArchiveError::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
