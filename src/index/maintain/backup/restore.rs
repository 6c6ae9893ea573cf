//! Restoring a database from a backup.

use std::path::Path;

use nddb_format::backup::{BackupFile, BackupOrigin};

use super::parts::{BackupSummary, holder, path_in, read_list};
use crate::disk::copy::{Held, link_or_hold, sync_contents};
use crate::disk::dir::Dir;
use crate::disk::staging::{Staging, refuse_inside};
use crate::process::new_identity;
use crate::spill::progress::{Progress, Ticker};
use crate::{Error, Result};

/// Returns the identity of the database whose backup a database was restored from; `None` if it was created.
///
/// # Errors
/// [`Error::NotADatabase`]; [`Error::Inconsistent`] if the record of it is damaged.
pub fn restored_from(database: impl AsRef<Path>) -> Result<Option<u128>> {
    Ok(Dir::open(database.as_ref())?.origin()?.map(|origin| origin.parent))
}

/// Makes a new database at `path` from a backup, which is not changed.
///
/// Every file is read and compared with the list of the backup. Files that never change become hard links if the file
/// system allows it. The database has an identity of its own, and records that of the database of the backup. It
/// appears, by a rename, when everything is durable.
///
/// # Errors
/// [`Error::NotABackup`]; [`Error::DamagedBackup`] if a file is missing or differs; [`Error::AlreadyExists`] if there
/// is anything at `path`; [`Error::Inside`] if `path` is inside of the backup; [`Error::InTheWay`] if there is an
/// unrelated folder at `path.partial`, where it is made first; [`Error::OverLimit`] without space for
/// the copies; [`Error::Cancelled`] if `watch` returned `false`. There is no database then.
pub fn restore(
    backup: impl AsRef<Path>,
    path: impl AsRef<Path>,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<BackupSummary> {
    let backup = backup.as_ref();
    let list = read_list(backup)?;
    let files = list.files;
    refuse_inside(path.as_ref(), backup)?;
    let staging = Staging::create(path.as_ref(), &holder("restore"))?;
    // Locked until the name of the folder is durable, because no process may commit before.
    let dir = Dir::create(staging.path(), &holder("restore"))?;
    let ticker = Ticker::new(watch);
    ticker.start("restore", Some(files.iter().map(|file| file.size).sum()), "bytes")?;
    if !files.iter().any(|file| file.path.starts_with("catalog/")) {
        dir.remove_empty_catalog()?; // a set
    }
    let mut taken = Vec::with_capacity(files.len());
    for file in &files {
        let (from, to) = (path_in(backup, file), dir.root().join(&file.path));
        let held = if never_changes(file) { link_or_hold(&from, &to) } else { Held::open(&from).map(Some) };
        taken.push(held.map_err(|error| as_damage(error, &from))?);
    }
    dir.need_space(taken.iter().flatten().map(Held::length).sum())?;
    let mut linked = 0;
    for (file, held) in files.iter().zip(taken) {
        let (from, to) = (path_in(backup, file), dir.root().join(&file.path));
        let mut progress = |bytes| ticker.add(bytes);
        let (length, checksum) = match held {
            Some(mut held) => (held.length(), held.copy(&to, &mut progress)?),
            None => {
                let mut held = Held::open(&to)?;
                sync_contents(&to)?;
                linked += file.size;
                (held.length(), held.checksum(&mut progress)?)
            }
        };
        if (length, checksum) != (file.size, file.checksum) {
            let what = "is not the file that the list of the backup describes".into();
            return Err(Error::DamagedBackup { path: from, what });
        }
    }
    let summary = BackupSummary::of(dir.root(), &files, linked)?;
    // Backups of this database do not count as those of the other one.
    dir.write_origin(&BackupOrigin { database: new_identity(path.as_ref()), parent: list.database })?;
    dir.sync_names()?;
    staging.publish()?;
    Ok(summary)
}

/// Returns whether a database never writes to a file again: files of runs, and sorted files of RocksDB.
fn never_changes(file: &BackupFile) -> bool {
    file.path.starts_with("runs/") || file.path.ends_with(".sst")
}

/// A listed file that is missing is damage of the backup.
fn as_damage(error: Error, path: &Path) -> Error {
    if error.is_missing_file() { Error::DamagedBackup { path: path.into(), what: "is missing".into() } } else { error }
}
