//! Backups: a copy of one state of a database, made beside a writer of another process (SPEC 10.14), checked, and
//! made a database again.

mod make;
mod parts;
mod restore;
mod verify;

pub use make::backup;
pub use parts::BackupSummary;
pub use restore::restore;
pub use verify::{BackupReport, verify_backup};
