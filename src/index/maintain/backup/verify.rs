//! Checking a backup.

use std::path::Path;

use nddb_format::backup::BackupFile;

use super::parts::{Contents, DATABASE, path_in, read_list};
use crate::disk::copy::Held;
use crate::maintain::check::{CheckOptions, CheckReport, Fault, check};
use crate::set::FingerprintSet;
use crate::spill::progress::{Progress, Ticker};
use crate::{Error, NextStep, Result};

/// The result of checking a backup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackupReport {
    /// The files that are missing, or differ from the list.
    pub faults: Vec<Fault>,
    /// Number of files of the list.
    pub files: u64,
    /// Bytes of these files.
    pub bytes: u64,
    /// The check of the database in the backup; `None` if there are faults already.
    pub check: Option<CheckReport>,
}

impl BackupReport {
    /// Returns whether there are no faults.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty() && self.check.as_ref().is_some_and(CheckReport::is_sound)
    }
}

/// Checks a backup: the size and the checksum of every file, then the database in it as [`check`] does. Nothing is
/// changed.
///
/// # Errors
/// [`Error::NotABackup`]; [`Error::DamagedBackup`] if its list cannot be read; those of [`check`].
pub fn verify_backup(
    path: impl AsRef<Path>,
    options: &CheckOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<BackupReport> {
    let path = path.as_ref();
    let files = read_list(path)?.files;
    let bytes = files.iter().map(|file| file.size).sum();
    let ticker = Ticker::new(watch);
    ticker.start("compare files", Some(bytes), "bytes")?;
    let mut faults = Vec::new();
    for file in &files {
        if let Some(what) = difference(path, file, &mut Contents::default(), &ticker)? {
            let next = "restore another backup, or back the database up again".into();
            faults.push(Fault {
                path: path_in(path, file),
                location: "the whole file".into(),
                what,
                next,
                repairable: false,
            });
        }
    }
    let is_whole = faults.is_empty();
    let database = path.join(DATABASE);
    let check_all = || {
        ticker.lend(|watch| match FingerprintSet::is_at(&database) {
            true => FingerprintSet::check(&database, options.threads, watch),
            false => check(&database, options, watch),
        })
    };
    let mut check = is_whole.then(check_all).transpose()?;
    for fault in check.iter_mut().flat_map(|check| &mut check.faults) {
        fault.next = NextStep::RestoreAndRebuild;
    }
    Ok(BackupReport { faults, files: files.len() as u64, bytes, check })
}

/// Returns how a file differs from its line in the list.
pub(super) fn difference(
    backup: &Path,
    file: &BackupFile,
    contents: &mut Contents,
    ticker: &Ticker<'_>,
) -> Result<Option<String>> {
    let mut held = match Held::open(&path_in(backup, file)) {
        Ok(held) => held,
        Err(error) if error.is_missing_file() => return Ok(Some("it is missing".into())),
        Err(error) => return unreadable(error),
    };
    if held.length() != file.size {
        return Ok(Some(format!("it has {} bytes, the list says {}", held.length(), file.size)));
    }
    match contents.checksum(&mut held, &mut |bytes| ticker.add(bytes)) {
        Ok(checksum) if checksum == file.checksum => Ok(None),
        Ok(checksum) => Ok(Some(format!("its checksum is {checksum:08x}, the list says {:08x}", file.checksum))),
        Err(error) => unreadable(error),
    }
}

/// Returns the difference of a file that cannot be read.
fn unreadable(error: Error) -> Result<Option<String>> {
    match &error {
        Error::Io { source, .. } if !error.is_of_environment() => Ok(Some(format!("it cannot be read: {source}"))),
        _ => Err(error),
    }
}
