//! Removing old backups.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::parts::{Backup, Contents, holder};
use super::verify::difference;
use crate::Result;
use crate::disk::staging::remove_published;
use crate::spill::progress::Ticker;

/// What became of the earlier backups in the folder of a new one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// The backups that were removed, the oldest first.
    pub removed: Vec<PathBuf>,
    /// Number of backups of other databases, which were left.
    pub others: u64,
    /// The backups that are damaged and were left.
    pub damaged: Vec<PathBuf>,
}

/// Removes the older ones of `own`, the earlier backups of a database in the order of their age, so that `keep` sound
/// ones are left, a new one included. Without so many sound ones, nothing is removed.
pub(super) fn remove_old(
    own: Vec<Backup>,
    keep: NonZeroUsize,
    contents: &mut Contents,
    ticker: &Ticker<'_>,
    retention: &mut Retention,
) -> Result<()> {
    // The new one is sound.
    let mut sound = 1;
    if own.len() < keep.get() {
        return Ok(());
    }
    let mut old = own;
    while sound < keep.get() {
        let Some(backup) = old.pop() else { break };
        if is_sound(&backup, contents, ticker)? {
            sound += 1;
        } else {
            retention.damaged.push(backup.path);
        }
    }
    for backup in old {
        remove_published(&backup.path, &holder("backup --keep"))?;
        retention.removed.push(backup.path);
    }
    Ok(())
}

/// Returns whether every file of a backup is the one that its list describes.
fn is_sound(backup: &Backup, contents: &mut Contents, ticker: &Ticker<'_>) -> Result<bool> {
    ticker.start("verify earlier backups", Some(backup.list.files.iter().map(|file| file.size).sum()), "bytes")?;
    for file in &backup.list.files {
        if difference(&backup.path, file, contents, ticker)?.is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}
