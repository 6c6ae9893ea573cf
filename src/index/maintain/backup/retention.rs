//! Removing old backups.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use super::parts::{DATABASE, LIST, read_list};
use crate::Result;
use crate::catalog::identity_of;
use crate::disk::copy::modified;
use crate::disk::dir::names;
use crate::disk::staging::remove_published;

/// Removes old backups of a database from the folder that holds `backup`, but not this one and the newest `keep - 1`
/// others. Returns the paths of those removed, the oldest first.
///
/// Backups of other databases, folders that are no complete backups, and all other files of the folder stay. The
/// catalogs of all backups of a database have the same identity; a database restored from one has it, too. The age of a
/// backup is that of its list.
///
/// # Errors
/// [`crate::Error::NotABackup`] if `backup` is no backup; [`crate::Error::Io`] if a backup cannot be removed; older
/// ones are removed by then.
pub fn remove_old_backups(backup: impl AsRef<Path>, keep: NonZeroUsize) -> Result<Vec<PathBuf>> {
    let newest = backup.as_ref();
    read_list(newest)?;
    let folder = match newest.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let Some(identity) = identity_of(&newest.join(DATABASE))? else { return Ok(Vec::new()) };
    let mut others = Vec::new();
    for name in names(folder)?.into_iter().filter(|name| Some(name.as_os_str()) != newest.file_name()) {
        let other = folder.join(name);
        let Some(made) = modified(&other.join(LIST))? else { continue };
        if identity_of(&other.join(DATABASE))?.as_ref() == Some(&identity) {
            others.push((made, other));
        }
    }
    others.sort_unstable();
    others.truncate(others.len().saturating_sub(keep.get() - 1));
    others.into_iter().map(|(_, other)| remove_published(&other).map(|()| other)).collect()
}
