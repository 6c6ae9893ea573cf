//! What can go wrong, with the file it concerns and the next step.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use nddb_format::FormatError;

/// A `Result` of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something could not be done.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A system call failed.
    Io {
        /// What was being done.
        action: &'static str,
        /// To which file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file of the database is damaged.
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The rule of SPEC.md that it breaks, and where.
        source: FormatError,
    },
    /// Two parts of the database contradict each other.
    Inconsistent {
        /// The database or the file.
        path: PathBuf,
        /// What contradicts what.
        what: String,
    },
    /// A newer nddb made the file.
    Newer {
        /// The file.
        path: PathBuf,
        /// What it asks for.
        source: FormatError,
    },
    /// Another process writes to the database.
    Locked {
        /// The database.
        path: PathBuf,
        /// Who holds the lock, as it wrote itself down.
        holder: String,
    },
    /// There is no database at this path.
    NotADatabase {
        /// The path.
        path: PathBuf,
        /// What is there instead.
        why: &'static str,
    },
    /// There is something at the path where a database was to be made.
    AlreadyExists {
        /// The path.
        path: PathBuf,
    },
    /// The database was made with another recipe or other parameters.
    Mismatch {
        /// What differs.
        what: &'static str,
        /// As the database has it.
        database: String,
        /// As it was asked for.
        asked: String,
    },
    /// A method of detection cannot be used on this database.
    Method {
        /// Its name.
        method: &'static str,
        /// Why not.
        why: String,
    },
    /// A value is outside of what the database can do.
    OutOfRange {
        /// Which value.
        what: &'static str,
        /// As it was asked for.
        asked: u64,
        /// The most that is possible.
        limit: u64,
    },
    /// A document cannot be taken as it is.
    Document {
        /// Its id, cut to a readable length.
        id: String,
        /// Why not.
        why: String,
    },
    /// The batch is not in the state that this needs.
    Batch {
        /// Its name.
        name: String,
        /// What is the matter.
        why: &'static str,
    },
    /// There is not enough memory or disk space.
    OverLimit {
        /// What there is not enough of.
        what: &'static str,
        /// Bytes needed.
        need: u64,
        /// Bytes there are.
        have: u64,
    },
    /// The catalog failed.
    Catalog {
        /// What was being done.
        action: &'static str,
        /// The catalog's folder.
        path: PathBuf,
        /// Whether it says that its files are damaged.
        damaged: bool,
        /// What it says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A write failed earlier: what is on disk is sound, this writer's memory may not be.
    Poisoned,
    /// The caller asked to stop; everything acknowledged is kept and the work can go on later.
    Cancelled,
    /// Writers replaced files faster than this reader could open them.
    Busy {
        /// The database.
        path: PathBuf,
    },
}

impl Error {
    /// Makes an [`Error::Io`] of what the system says.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }

    /// Makes an [`Error::Corrupt`] or [`Error::Newer`] of what the format says.
    pub(crate) fn format(path: &Path) -> impl FnOnce(FormatError) -> Self {
        let path = path.to_owned();
        move |source| match source {
            FormatError::Version { .. } => Self::Newer { path, source },
            _ => Self::Corrupt { path, source },
        }
    }

    /// Whether a file that should be there is not: a reader that sees this looks at the newer state.
    pub(crate) fn is_missing_file(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }

    /// What the user can do about it, if there is something that always helps.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Corrupt { path, .. } | Self::Inconsistent { path, .. } => {
                let database = path.ancestors().find(|folder| folder.join("LOCK").exists()).unwrap_or(path);
                let database = database.display();
                Some(format!("'nddb check {database}' lists all damage, 'nddb rebuild {database}' repairs runs"))
            }
            Self::Catalog { damaged: true, .. } => {
                Some("restore the catalog from a backup: runs are made from it, not it from them".into())
            }
            Self::Newer { .. } => Some("use the newer nddb that wrote it".into()),
            Self::Locked { .. } => Some("wait until that process ends; readers need no lock".into()),
            Self::NotADatabase { path, .. } if path.is_file() => Some("give the folder of a database".into()),
            Self::NotADatabase { path, .. } => Some(format!("'nddb create {}' makes one", path.display())),
            Self::AlreadyExists { .. } => Some("choose another path, or remove what is there".into()),
            Self::Mismatch { .. } => {
                Some("fingerprints of different recipes cannot be compared: use another database".into())
            }
            Self::OverLimit { .. } => {
                Some("free some space or raise the limit, then run the same command again".into())
            }
            Self::Poisoned => Some("open the database again".into()),
            Self::Cancelled => Some("run the same command again to go on".into()),
            Self::Busy { .. } => Some("try again".into()),
            // EMFILE of Linux, macOS and the BSDs.
            Self::Io { source, .. } if source.raw_os_error() == Some(24) => {
                Some("too many files are open: raise the limit ('ulimit -n'), or have 'nddb compact' merge runs".into())
            }
            Self::Io { source, .. } if source.kind() == io::ErrorKind::StorageFull => {
                Some("free some space, then run the same command again: nothing acknowledged is lost".into())
            }
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { action, path, .. } => write!(f, "{}: cannot {action}", path.display()),
            Self::Corrupt { path, .. } => write!(f, "{}: damaged", path.display()),
            Self::Inconsistent { path, what } => write!(f, "{}: {what}", path.display()),
            Self::Newer { path, .. } => write!(f, "{}: made by a newer nddb", path.display()),
            Self::Locked { path, holder } => write!(f, "{}: locked by another writer ({holder})", path.display()),
            Self::NotADatabase { path, why } => write!(f, "{}: not an nddb database: {why}", path.display()),
            Self::AlreadyExists { path } => write!(f, "{}: exists already", path.display()),
            Self::Mismatch { what, database, asked } => {
                write!(f, "the database has {what} '{database}', not '{asked}'")
            }
            Self::Method { method, why } => write!(f, "method '{method}' cannot be used here: {why}"),
            Self::OutOfRange { what, asked, limit } => write!(f, "{what} is {asked}, the limit here is {limit}"),
            Self::Document { id, why } => write!(f, "document '{id}': {why}"),
            Self::Batch { name, why } => write!(f, "batch '{name}' {why}"),
            Self::OverLimit { what, need, have } => write!(f, "not enough {what}: {need} bytes needed, {have} there"),
            Self::Catalog { action, path, .. } => write!(f, "{}: the catalog cannot {action}", path.display()),
            Self::Poisoned => write!(f, "an earlier write failed, this writer takes no more"),
            Self::Cancelled => write!(f, "stopped on request"),
            Self::Busy { path } => {
                write!(f, "{}: its files were replaced faster than they could be opened", path.display())
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Corrupt { source, .. } | Self::Newer { source, .. } => Some(source),
            Self::Catalog { source, .. } => Some(source.as_ref()),
            _ => None,
        }
    }
}
