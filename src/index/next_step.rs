//! What to do about an error, as a value that each interface puts into its own words.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use crate::within::Within;

/// What to do about an error. `Display` says it for users of the library.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NextStep {
    /// Check the database at this path: that lists all damage, and what repairs it.
    Check(PathBuf),
    /// Rebuild the database at this path, which repairs it.
    Repair(PathBuf),
    /// Rebuild the database at this path, or check it to see all damage.
    Rebuild(PathBuf),
    /// Rebuild the database at this path: it has lost its MANIFEST.
    RebuildManifest(PathBuf),
    /// Rebuild the database at this path, or load into it: both restore what an interrupted load left.
    RebuildOrLoad(PathBuf),
    /// Create a database at this path, where there is nothing.
    Create(PathBuf),
    /// Create the database at this path once more: the first time was interrupted.
    CreateAgain(PathBuf),
    /// Give the folder of a database, or create one in a new folder.
    GiveDatabase,
    /// Restore a database from this backup.
    Restore,
    /// Give a database with documents: what a set does is less.
    NotASet,
    /// Create a set.
    CreateSet,
    /// Choose another path: a database is at this one.
    DatabaseThere(PathBuf),
    /// Make the next backup in this folder, beside the one that is there.
    NextBackup(PathBuf),
    /// Make a backup in a new folder.
    Backup,
    /// Use another backup, or verify this one to see all damage.
    OtherBackup,
    /// Restore the backup, then rebuild the database: it was damaged when the backup was made.
    RestoreAndRebuild,
    /// Keep pairs and clusters within this distance, which was fixed when the database was created.
    WithinK(u64),
    /// Create a database of that k, and load the documents again.
    CreateOfK,
    /// Merge the database into a new one, which gives its documents new numbers.
    MergeIntoNew,
    /// Wait for the other writer.
    Wait,
    /// Map fewer files.
    MapFewer,
    /// Use another folder for temporary files.
    TemporaryFolder,
    /// Make room, or raise the limit that this names, and do the same again.
    Room(&'static str),
    /// Anything that no interface has a name for.
    Other(Cow<'static, str>),
}

impl From<&'static str> for NextStep {
    fn from(text: &'static str) -> Self {
        Self::Other(text.into())
    }
}

impl fmt::Display for NextStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Check(path) => write!(f, "a check of {} lists all damage, and what repairs it", path.display()),
            Self::Repair(path) => write!(f, "a rebuild of {} repairs it", path.display()),
            Self::Rebuild(path) => write!(f, "a rebuild of {} repairs it; a check lists all damage", path.display()),
            Self::RebuildManifest(path) => write!(
                f,
                "a database without MANIFEST exists: a rebuild of {} restores it, or says that there is nothing to \
                 restore; or choose another path",
                path.display()
            ),
            Self::RebuildOrLoad(path) => write!(f, "a rebuild of {} or the next load restores it", path.display()),
            Self::Create(path) => write!(f, "if the path is right, create a database at {}", path.display()),
            Self::CreateAgain(path) => write!(f, "create the database at {} again", path.display()),
            Self::GiveDatabase => f.write_str("give the folder of a database, or create one in a new folder"),
            Self::Restore => f.write_str("restore a database from it"),
            Self::NotASet => {
                f.write_str("use a database with documents; sets are loaded, queried, checked, merged and backed up")
            }
            Self::CreateSet => f.write_str("create a set"),
            Self::DatabaseThere(path) => {
                write!(f, "a database exists there ({}); choose another path", path.display())
            }
            Self::NextBackup(folder) => {
                write!(f, "a backup exists there: make the next one in a new folder of {}", folder.display())
            }
            Self::Backup => f.write_str("make a backup in a new folder"),
            Self::OtherBackup => f.write_str("use another backup; verifying this one lists all of its damage"),
            Self::RestoreAndRebuild => f.write_str(
                "it was so when the backup was made: restore another backup, or this one, and rebuild the restored \
                 database",
            ),
            Self::WithinK(limit) => write!(
                f,
                "the k of a database is the greatest distance of pairs and clusters, which is {limit} here; a query by \
                 distance reaches {} bits",
                Within::MAX.0
            ),
            Self::CreateOfK => f.write_str("create a database of that k, and load the documents again"),
            Self::MergeIntoNew => f.write_str("merge it into a new database, which numbers its documents anew"),
            Self::Wait => f.write_str("wait for that process; readers need no lock"),
            Self::MapFewer => f.write_str(
                "this process has mapped as many files as it can: have fewer readers open, compact the database, or \
                 raise the system's limit ('sysctl vm.max_map_count')",
            ),
            Self::TemporaryFolder => f.write_str("set TMPDIR to a folder that can be written and has space"),
            Self::Room(what) => write!(f, "{what}, then do the same again"),
            Self::Other(text) => f.write_str(text),
        }
    }
}
