//! Backups: copying one state of a database while another process may write, checking the copy, restoring a database
//! from it, and removing old ones.
//!
//! A backup is the state on disk at one moment, as a crash would leave it:
//!
//! 1. MANIFEST is read, and the files that it names are linked or opened.
//! 2. The files of the catalog are linked or opened, and the lengths of its logs noted, all at one moment
//!    (`catalog::pin`).
//! 3. If MANIFEST has changed meanwhile, all begins again.
//! 4. Opened files are copied, logs up to the noted lengths. Files that the last backup in the same folder does not
//!    have are read and checked; all files, if others are removed afterwards.
//! 5. The list `BACKUP` is written (SPEC 8.5), and the folder gets its name (`disk::staging`).

mod make;
mod parts;
mod restore;
mod retention;
mod verify;

pub use make::{backup, backup_and_keep};
pub use parts::BackupSummary;
pub use restore::{restore, restored_from};
pub use retention::Retention;
pub use verify::{BackupReport, verify_backup};
