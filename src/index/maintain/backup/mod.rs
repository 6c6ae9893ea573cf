//! Backups: copying one state of a database while another process may write (SPEC 10.14), checking the copy, and
//! restoring a database from it.

mod make;
mod parts;
mod restore;
mod verify;

pub use make::backup;
pub use parts::BackupSummary;
pub use restore::restore;
pub use verify::{BackupReport, verify_backup};
