//! Backups: copying one state of a database while another process may write (SPEC 10.14), checking the copy,
//! restoring a database from it, and removing old ones.

mod make;
mod parts;
mod restore;
mod retention;
mod verify;

pub use make::{backup, backup_and_keep};
pub use parts::BackupSummary;
pub use restore::restore;
pub use retention::Retention;
pub use verify::{BackupReport, verify_backup};
