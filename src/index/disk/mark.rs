//! The file that marks a folder as unfinished, until all of it is there.

use std::fs;
use std::io;
use std::path::Path;

use super::files::names;
use super::lock::LOCK;
use super::regular;
use super::steps::step;
use crate::{Error, Result};

/// The file that marks a folder as unfinished.
pub(super) const MARK: &str = "nddb-partial";
/// The contents of that file, for people who find it.
const MARK_TEXT: &str =
    "nddb makes a backup or a database in this folder, or was interrupted: then it may be removed\n";

/// Writes the file that marks a folder as unfinished, unless it is there.
pub(super) fn mark(folder: &Path) -> Result<()> {
    let path = folder.join(MARK);
    match step("create the file", &path).and_then(|()| fs::File::create_new(&path)) {
        Ok(mut file) => {
            // The text is only for people.
            let _ = io::Write::write_all(&mut file, MARK_TEXT.as_bytes());
            Ok(())
        }
        Err(_) if regular::is_regular(&path) => Ok(()),
        Err(error) => Err(Error::io("create the file", &path)(error)),
    }
}

/// Returns whether a path is a folder, not a link to one, with the remains of an interrupted process: its mark, or at
/// most a lock, because the lock is made before the mark and removed after it.
pub(super) fn has_remains(path: &Path) -> bool {
    let has_at_most_a_lock = || names(path).is_ok_and(|names| names.iter().all(|name| name == LOCK));
    let has_mark = || regular::is_regular(&path.join(MARK));
    // The mark may be made while the names are read.
    regular::is_folder(path) && (has_mark() || has_at_most_a_lock() || has_mark())
}
