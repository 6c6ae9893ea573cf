//! Errors of this crate, with the file concerned and advice on the next step.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nddb_format::FormatError;
use nddb_format::record::ShownId;

use crate::next_step::NextStep;
use crate::within::Within;

/// The reason why a folder that `Writer::create` has not completed is not a database.
pub(crate) const INTERRUPTED: &str = "no database was ever completed here: making it was interrupted";

/// The reason why a backup is not a database.
pub(crate) const A_BACKUP: &str = "it is a backup";

/// The reason why a set is not a database of documents.
pub(crate) const A_SET: &str = "it is a set of fingerprints, which has no documents";

/// The reason why what was opened as a set is none.
pub(crate) const NO_SET: &str = "it is no set of fingerprints";

/// A `Result` of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The errors of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A system call failed.
    #[error("{}: cannot {action}", path.display())]
    Io {
        /// The action that failed.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file of the database is damaged.
    #[error("{}: damaged", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The rule of SPEC.md that the file breaks, and where.
        source: FormatError,
    },
    /// A file or folder of the database is missing.
    #[error("{}: missing from the database", path.display())]
    Missing {
        /// The file or folder.
        path: PathBuf,
    },
    /// Damage that a rebuild cannot repair: the lost data is stored nowhere else.
    #[error("{}: {what}", path.display())]
    BeyondRepair {
        /// The file or folder.
        path: PathBuf,
        /// The damage.
        what: String,
    },
    /// Two parts of the database contradict each other.
    #[error("{}: {what}", path.display())]
    Inconsistent {
        /// The database or the file.
        path: PathBuf,
        /// The contradiction.
        what: String,
    },
    /// A newer nddb made the file.
    #[error("{}: made by a newer nddb", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version that the file requires.
        source: FormatError,
    },
    /// Another process writes to the database.
    #[error("{}: locked by another writer ({holder}){}", path.display(), told(*waited))]
    Locked {
        /// The database.
        path: PathBuf,
        /// Description of the process that holds the lock.
        holder: String,
        /// How long this process waited for it; zero if it did not wait.
        waited: Duration,
    },
    /// The path no longer leads to the folder that was opened there, or to the lock that this writer holds.
    #[error("{}: moved, removed or replaced by another since it was opened", path.display())]
    Moved {
        /// The path.
        path: PathBuf,
    },
    /// There is no database at this path.
    #[error("{}: not an nddb database: {why}", path.display())]
    NotADatabase {
        /// The path.
        path: PathBuf,
        /// The reason, such as the file that is there instead.
        why: &'static str,
    },
    /// There is no backup at this path.
    #[error("{}: not a backup: {why}", path.display())]
    NotABackup {
        /// The path.
        path: PathBuf,
        /// The reason, such as the file that is there instead.
        why: &'static str,
    },
    /// A file of a backup is missing or damaged.
    #[error("{}: {what}", path.display())]
    DamagedBackup {
        /// The file.
        path: PathBuf,
        /// Description of the damage.
        what: String,
    },
    /// The path where something was to be created exists.
    #[error("{}: exists already", path.display())]
    AlreadyExists {
        /// The path.
        path: PathBuf,
    },
    /// An unrelated folder exists where a folder was to be made before getting its final name.
    #[error(
        "{}: in the way of {}, which is made there first: it is not of nddb's making",
        path.display(),
        target.display()
    )]
    InTheWay {
        /// The unrelated folder.
        path: PathBuf,
        /// The path where something was to be created.
        target: PathBuf,
    },
    /// A new folder was to be made inside a database or a backup.
    #[error("{}: is inside of {}", path.display(), folder.display())]
    Inside {
        /// The path where it was to be made.
        path: PathBuf,
        /// The folder of the database or backup.
        folder: PathBuf,
    },
    /// The database was created with another recipe or other parameters.
    #[error("the database has {what} '{database}', not '{requested}'")]
    Mismatch {
        /// The parameter that differs.
        what: &'static str,
        /// Its value in the database.
        database: String,
        /// Its value as requested.
        requested: String,
    },
    /// A database was to be merged into itself or into a copy of it.
    #[error("{}: this is the database itself, or a copy of it", path.display())]
    SameDatabase {
        /// The path of the other.
        path: PathBuf,
    },
    /// A detection method cannot be used on this database.
    #[error("method '{method}' cannot be used here: {why}")]
    Method {
        /// Name of the method.
        method: &'static str,
        /// The reason.
        why: String,
    },
    /// A value exceeds the limits of the database.
    #[error("{what} is {requested}, the limit is {limit}")]
    OutOfRange {
        /// The parameter.
        what: &'static str,
        /// Its value as requested.
        requested: u64,
        /// The greatest value possible.
        limit: u64,
    },
    /// Not enough document numbers are left, because they are never used twice.
    #[error("no document numbers left: {given} of {limit} are used, {needed} more are needed")]
    OutOfNumbers {
        /// Number of document numbers given out.
        given: u64,
        /// Number of document numbers needed.
        needed: u64,
        /// The greatest number of document numbers of a database.
        limit: u64,
    },
    /// A document is invalid.
    #[error("document '{}': {why}", ShownId(id))]
    Document {
        /// Id of the document, cut to a readable length.
        id: String,
        /// The reason.
        why: String,
    },
    /// The runs have changed since a compaction was planned.
    #[error("{}: the runs have changed since this compaction was planned", path.display())]
    StalePlan {
        /// The database.
        path: PathBuf,
    },
    /// The batch is in the wrong state.
    #[error("batch '{name}' {why}")]
    Batch {
        /// Name of the batch.
        name: String,
        /// The reason.
        why: &'static str,
    },
    /// There is not enough memory or disk space.
    #[error("not enough {what}: {need} bytes needed, {have} available")]
    OverLimit {
        /// The resource that is missing.
        what: &'static str,
        /// Bytes needed.
        need: u64,
        /// Bytes available.
        have: u64,
    },
    /// The catalog failed.
    #[error("{}: the catalog cannot {action}", path.display())]
    Catalog {
        /// The action that failed.
        action: &'static str,
        /// The catalog's folder.
        path: PathBuf,
        /// Whether RocksDB reports that its files are damaged.
        damaged: bool,
        /// The error of RocksDB.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A write failed earlier: the state on disk is sound, but the state of this writer may not be.
    #[error("an earlier write failed; this writer accepts no more changes")]
    Poisoned,
    /// A bulk load failed earlier, and documents that it had accepted are not stored.
    #[error("the load failed before and accepts no more documents: {why}")]
    LoadFailed {
        /// The error that made it fail.
        why: String,
    },
    /// The caller stopped the work; acknowledged changes are kept, and the work can be continued later.
    #[error("stopped on request")]
    Cancelled,
    /// Writers replaced files faster than this reader could open them.
    #[error("{}: its files were replaced faster than they could be opened", path.display())]
    Busy {
        /// The database.
        path: PathBuf,
    },
}

impl Error {
    /// Makes an [`Error::Io`] from an error of the system.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }

    /// Like [`Error::io`], for a file of the database that must exist.
    pub(crate) fn io_of_part(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| match source.kind() {
            io::ErrorKind::NotFound => Self::Missing { path: path.to_owned() },
            _ => Self::Io { action, path: path.to_owned(), source },
        }
    }

    /// Makes an [`Error::Corrupt`] or [`Error::Newer`] from an error of the format.
    pub fn format(path: &Path) -> impl FnOnce(FormatError) -> Self {
        move |source| match source {
            FormatError::Version { .. } => Self::Newer { path: path.to_owned(), source },
            _ => Self::Corrupt { path: path.to_owned(), source },
        }
    }

    /// Returns whether an expected file does not exist: a reader then retries with the newer state.
    pub(crate) fn is_missing_file(&self) -> bool {
        matches!(self, Self::Missing { .. })
            || matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }

    /// Returns what to do about it, if there is advice that always helps and never harms stored data.
    pub fn next_step(&self) -> Option<NextStep> {
        Some(match self {
            Self::Corrupt { path, .. } | Self::Inconsistent { path, .. } | Self::Missing { path } => {
                return repair(path);
            }
            Self::BeyondRepair { .. } | Self::Catalog { damaged: true, .. } => BRINGS_BACK.into(),
            Self::Newer { .. } => "use the newer nddb that wrote it".into(),
            Self::Locked { .. } => NextStep::Wait,
            Self::Moved { .. } => {
                "open the database again: nothing was changed at the path, and what was acknowledged is in the folder \
                 that has been there"
                    .into()
            }
            Self::NotADatabase { path, why } => match *why {
                _ if !path.exists() => NextStep::Create(path.clone()),
                INTERRUPTED => NextStep::CreateAgain(path.clone()),
                A_BACKUP => NextStep::Restore,
                A_SET => NextStep::NotASet,
                NO_SET => NextStep::CreateSet,
                _ if path.is_file() => "give the folder of a database".into(),
                _ => NextStep::GiveDatabase,
            },
            Self::AlreadyExists { path } if path.join("BACKUP").exists() => {
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                NextStep::NextBackup(folder.unwrap_or(Path::new(".")).to_owned())
            }
            Self::AlreadyExists { path } if path.join("MANIFEST").exists() => NextStep::DatabaseThere(path.clone()),
            Self::AlreadyExists { path } if path.join("catalog").exists() => NextStep::RebuildManifest(path.clone()),
            Self::AlreadyExists { .. } => "choose another path".into(),
            Self::InTheWay { path, target } => NextStep::Other(
                format!("rename {}, or choose another path than {}", path.display(), target.display()).into(),
            ),
            Self::Inside { folder, .. } => {
                NextStep::Other(format!("choose a path outside of {}", folder.display()).into())
            }
            Self::NotABackup { .. } => NextStep::Backup,
            Self::DamagedBackup { .. } => NextStep::OtherBackup,
            Self::OutOfRange { what: "k", limit, .. } if *limit == u64::from(Within::MAX.0) => {
                NextStep::Other(format!("a query by distance reaches {limit} bits in any database").into())
            }
            Self::OutOfRange { what: "k", limit, .. } => NextStep::WithinK(*limit),
            Self::Mismatch { what: "k", .. } => NextStep::CreateOfK,
            Self::Mismatch { .. } => {
                "fingerprints of different recipes cannot be compared: use another database".into()
            }
            Self::SameDatabase { .. } => "name the other database that documents are to be taken from".into(),
            Self::OutOfNumbers { .. } => NextStep::MergeIntoNew,
            Self::OverLimit { what: "mapped files", .. } => NextStep::MapFewer,
            Self::OverLimit { .. } => NextStep::Room("free some space or raise the limit"),
            Self::Poisoned => "open the database again".into(),
            Self::LoadFailed { .. } => "start another load with all documents; stored documents are kept".into(),
            Self::Cancelled => NextStep::Room("to continue"),
            Self::Busy { .. } => "try again".into(),
            Self::StalePlan { .. } => "make a new plan: the runs may have been merged already".into(),
            Self::Io { .. } | Self::Catalog { .. } if self.system_error() == Some(libc::EFBIG) => {
                NextStep::Room("raise the limit of the size of files ('ulimit -f')")
            }
            Self::Io { action, .. } if action.contains("temporary") => NextStep::TemporaryFolder,
            Self::Io { action: "create the folder", path, source } if source.kind() == std::io::ErrorKind::NotFound => {
                // A name alone has the empty path as parent.
                let above = path.parent().filter(|above| !above.as_os_str().is_empty())?;
                NextStep::Other(format!("if the path is right, create {} first", above.display()).into())
            }
            // ENOMEM: when mapping a file, this error means that there are too many maps.
            Self::Io { action: "map the file", source, .. } if source.raw_os_error() == Some(12) => NextStep::MapFewer,
            Self::Io { .. } | Self::Catalog { .. } if self.system_error() == Some(libc::EMFILE) => {
                "too many files are open: raise the limit ('ulimit -n')".into()
            }
            Self::Io { .. } | Self::Catalog { .. } if self.is_over_limit() => {
                NextStep::Room("free some space (nothing acknowledged is lost)")
            }
            _ => return None,
        })
    }

    /// Returns the number of the system's error.
    fn system_error(&self) -> Option<i32> {
        match self {
            Self::Io { source, .. } => source.raw_os_error(),
            Self::Catalog { source, .. } => source.downcast_ref().and_then(io::Error::raw_os_error),
            _ => None,
        }
    }

    /// Returns whether the error comes from the environment of this process, such as its permissions, its limits, its
    /// temporary files or the network, and so says nothing about what is stored.
    pub fn is_of_environment(&self) -> bool {
        match self {
            Self::OverLimit { .. } | Self::Busy { .. } | Self::Locked { .. } | Self::Cancelled => true,
            Self::Io { action, source, .. } => action.contains("temporary") || is_of_environment(source),
            Self::Catalog { source, .. } => source.downcast_ref().is_some_and(is_of_environment),
            _ => false,
        }
    }

    /// Returns whether memory or disk space was missing.
    pub fn is_over_limit(&self) -> bool {
        match self {
            Self::OverLimit { .. } => true,
            Self::Io { source, .. } => is_full(source),
            Self::Catalog { source, .. } => source.downcast_ref().is_some_and(is_full),
            _ => false,
        }
    }
}

/// Tells how long a process waited for a lock.
fn told(waited: Duration) -> String {
    if waited.is_zero() { String::new() } else { format!("; waited {:.1} s for it", waited.as_secs_f64()) }
}

/// Returns whether an error of the system comes from the environment of a process: its permissions, its limits, its
/// connection to a file system.
fn is_of_environment(source: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    let of_kind = matches!(
        source.kind(),
        Kind::PermissionDenied
            | Kind::ReadOnlyFilesystem
            | Kind::OutOfMemory
            | Kind::ResourceBusy
            | Kind::TimedOut
            | Kind::StaleNetworkFileHandle
            | Kind::NetworkDown
            | Kind::NetworkUnreachable
            | Kind::HostUnreachable
            | Kind::NotConnected
            | Kind::ConnectionReset
            | Kind::ConnectionAborted
            | Kind::WouldBlock
            | Kind::Interrupted
    );
    // EMFILE and ENFILE have no kind.
    of_kind || is_full(source) || matches!(source.raw_os_error(), Some(libc::EMFILE | libc::ENFILE | libc::ENOLCK))
}

/// The advice for damage of the only copy.
const BRINGS_BACK: &str = "restore a backup of the database, or load its documents again into a new one";

/// Returns whether an error of the system is that of a full disk or an exceeded quota.
fn is_full(source: &io::Error) -> bool {
    matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge)
}

/// Returns the advice for a damaged or missing part of a database. Files of runs and MANIFEST can be rebuilt from the
/// catalog; for everything else, a check is advised. None for a file outside a database.
fn repair(path: &Path) -> Option<NextStep> {
    // The catalog has a LOCK of its own.
    let is_database = |folder: &&Path| folder.join("catalog").exists() || folder.join("MANIFEST").exists();
    let root = path.ancestors().find(is_database)?;
    let database = root.to_owned();
    Some(match path.strip_prefix(root).ok().and_then(|part| part.iter().next()) {
        // The catalog has lost the file that a load was ingesting: opening for writing puts it back.
        Some(part) if part == "catalog" && root.join("tmp/taken-in.sst").exists() => NextStep::RebuildOrLoad(database),
        Some(part) if part == "catalog" && !path.exists() => BRINGS_BACK.into(),
        Some(part) if (part == "MANIFEST" || part == "runs") && root.join("catalog").exists() => {
            NextStep::Rebuild(database)
        }
        // Of a static index there is nothing to check.
        _ if !root.join("catalog").exists() && !root.join("LOCK").exists() => return None,
        _ => NextStep::Check(database),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_no_more_files_can_be_mapped_the_advice_says_what_to_do() {
        let of_system = |action, code| {
            let source = io::Error::from_raw_os_error(code);
            Error::Io { action, path: PathBuf::from("db/runs/1.seg"), source }.next_step()
        };
        assert_eq!(of_system("map the file", 12), Some(NextStep::MapFewer));
        assert_ne!(of_system("read the file", 12), Some(NextStep::MapFewer));
        let over = |what| Error::OverLimit { what, need: 1 << 16, have: 1 << 16 }.next_step();
        assert_eq!(over("mapped files"), Some(NextStep::MapFewer));
        assert_eq!(over("disk space"), Some(NextStep::Room("free some space or raise the limit")));
    }
}
