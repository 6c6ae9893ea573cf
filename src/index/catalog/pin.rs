//! The files of a catalog at one moment, taken while another process writes (a part of a backup).
//!
//! RocksDB's own checkpoint must be made by the writing process. But the files suffice: sorted files never change once
//! the list of sorted files names them, and the list and the logs only grow at their ends. So the names and lengths of
//! one moment define the state. They belong to one moment if only the newest log changed between two listings, one
//! before and one after they were noted.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::logs::is_log;
use super::open::Catalog;
use crate::disk::bugs::{Bug, bug};
use crate::disk::copy::{self, Held, link_or_hold};
use crate::disk::dir::{self, Dir};
use crate::{Error, Result};

/// Attempts to find the files unchanged for a moment.
const ATTEMPTS: u32 = 64;
/// The file that names the list of sorted files.
const CURRENT: &str = "CURRENT";
/// The file with the identity that RocksDB gave the catalog.
const IDENTITY: &str = "IDENTITY";

/// The files of a catalog on their way into another folder.
#[derive(Debug)]
pub(crate) struct Pinned {
    from: PathBuf,
    /// The folder of the copy.
    copy: Dir,
    to: PathBuf,
    /// Sorted files that have a second name in the new folder (`None`), or are held open for a copy.
    sorted: BTreeMap<OsString, Option<Held>>,
    /// The list of sorted files and the logs.
    logs: Vec<(OsString, Held)>,
    /// Contents of the file that names the list.
    current: Vec<u8>,
}

/// The names in the folder of a catalog, and the list and identity on which the state depends besides the logs.
#[derive(PartialEq, Eq)]
struct Sight {
    names: Vec<OsString>,
    current: Vec<u8>,
    list_length: u64,
}

impl Sight {
    /// The name of the list of sorted files.
    fn list(&self) -> &OsStr {
        OsStr::from_bytes(self.current.trim_ascii_end())
    }
}

/// Returns whether a file of a catalog is a sorted file.
fn is_sorted(name: &OsStr) -> bool {
    name.as_bytes().ends_with(b".sst")
}

impl Pinned {
    /// Returns an empty backup from the catalog of a database into the catalog of its copy.
    pub(crate) fn new(dir: &Dir, copy: &Dir) -> Self {
        let (from, to) = (dir.catalog(), copy.catalog());
        Self { from, copy: copy.clone(), to, sorted: BTreeMap::new(), logs: Vec::new(), current: Vec::new() }
    }

    /// Takes the files of the current moment, replacing those of an earlier one.
    ///
    /// # Errors
    /// [`Error::Busy`] if a writer replaces files all the time; errors of the disk.
    pub(crate) fn pin(&mut self) -> Result<()> {
        for attempt in 0..ATTEMPTS {
            match self.try_pin(link_or_hold) {
                Ok(true) => return Ok(()),
                Ok(false) => (),
                Err(error) if error.is_missing_file() && attempt + 1 < ATTEMPTS => (),
                Err(error) => return Err(error),
            }
            std::thread::sleep(Duration::from_micros(100 << attempt.min(9)));
        }
        Err(Error::Busy { path: self.from.clone() })
    }

    /// Takes the files by `hold`. Returns whether they are of one moment.
    fn try_pin(&mut self, hold: fn(&Path, &Path) -> Result<Option<Held>>) -> Result<bool> {
        let before = self.look()?;
        for name in before.names.iter().filter(|name| is_sorted(name)) {
            // A file that was being written at an earlier attempt may be complete and in the list by now.
            if let Some(known) = self.sorted.get_mut(name) {
                known.as_mut().map_or(Ok(()), Held::measure)?;
                continue;
            }
            let held = hold(&self.from.join(name), &self.to.join(name))?;
            self.sorted.insert(name.clone(), held);
        }
        self.logs.clear();
        let newest = before.names.iter().rfind(|name| log_of_rows(name));
        for name in &before.names {
            if bug(Bug::BackupWithoutLog, &self.from) && Some(name) == newest {
                continue;
            }
            if log_of_rows(name) || name == before.list() {
                self.logs.push((name.clone(), Held::open(&self.from.join(name))?));
            }
        }
        let is_same = self.look()? == before;
        self.current = before.current;
        Ok(is_same)
    }

    fn look(&self) -> Result<Sight> {
        let mut names = dir::names(&self.from)?;
        names.retain(|name| is_log(name) || is_sorted(name));
        let mut sight = Sight { names, current: copy::read_small(&self.from.join(CURRENT))?, list_length: 0 };
        sight.list_length = copy::length(&self.from.join(sight.list()))?;
        Ok(sight)
    }

    /// Offers the sorted files that are held for a copy to `link`, with the names that they get in the database, and
    /// drops those to which it has given a second name.
    pub(crate) fn link_others(&mut self, link: &mut dyn FnMut(&str, &mut Held) -> Result<bool>) -> Result<()> {
        for (name, held) in &mut self.sorted {
            let path = format!("{}/{}", dir::CATALOG, name.display());
            if let Some(file) = held
                && link(&path, file)?
            {
                *held = None;
            }
        }
        Ok(())
    }

    /// Returns the bytes that [`Pinned::write`] copies.
    pub(crate) fn bytes_to_copy(&self) -> u64 {
        let sorted = self.sorted.values().flatten().map(Held::length);
        sorted.chain(self.logs.iter().map(|(_, held)| held.length())).sum()
    }

    /// Writes the files that could not be linked, and removes sorted files that do not belong to the state, such as
    /// those that a merge of RocksDB is writing. Returns each file with its checksum, if it was computed.
    pub(crate) fn write(mut self, progress: copy::Progress<'_>) -> Result<Vec<(OsString, Option<u32>)>> {
        let mut files = Vec::new();
        for (name, held) in &mut self.logs {
            files.push((name.clone(), Some(held.copy(&self.to.join(&name), progress)?)));
        }
        let mut small = vec![(CURRENT, self.current)];
        if let Some(identity) = unless_missing(copy::read_small(&self.from.join(IDENTITY)))? {
            small.push((IDENTITY, identity));
        }
        for (name, bytes) in small {
            dir::write_synced(&self.to.join(name), &bytes)?;
            files.push((name.into(), Some(crc32fast::hash(&bytes))));
        }
        let mut sorted = BTreeMap::new();
        for (name, held) in self.sorted {
            let checksum = held.map(|mut held| held.copy(&self.to.join(&name), progress)).transpose()?;
            sorted.insert(name, checksum);
        }
        let catalog = Catalog::open_secondary(&self.copy)?;
        let live = catalog.live_files()?;
        drop(catalog);
        for (name, checksum) in sorted {
            if live.contains(&name) {
                files.push((name, checksum));
            } else {
                copy::remove(&self.to.join(&name))?;
            }
        }
        Ok(files)
    }
}

/// Returns whether a file is a log of rows, rather than a list of sorted files.
fn log_of_rows(name: &OsStr) -> bool {
    name.as_bytes().ends_with(b".log")
}

fn unless_missing<T>(outcome: Result<T>) -> Result<Option<T>> {
    match outcome {
        Err(error) if error.is_missing_file() => Ok(None),
        outcome => outcome.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As it happens between two file systems.
    fn hold(from: &Path, _: &Path) -> Result<Option<Held>> {
        Held::open(from).map(Some)
    }

    #[test]
    fn a_sorted_file_that_was_half_written_when_it_was_first_seen_is_copied_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let (outer, database) = (folder.path().join("backup"), folder.path().join("db"));
        let config = crate::Config::within(3).expect("k");
        let mut writer = crate::Writer::create(&database, &config).expect("a database");
        let document = crate::Document::bare("a", crate::Fingerprint(1)).expect("a document");
        writer.insert(document).expect("inserted");
        writer.close().expect("closed");
        let dir = Dir::open(&database).expect("a database");
        let copy = Dir::make_in(&outer, "copy").expect("a folder");
        let file = dir.catalog().join("999999.sst");
        dir::write_synced(&file, b"the first half").expect("written");
        let mut pinned = Pinned::new(&dir, &copy);
        assert!(pinned.try_pin(hold).expect("looked at"));
        dir::write_synced(&file, b"the first half, and the second one").expect("written");
        assert!(pinned.try_pin(hold).expect("looked at"));
        let held = pinned.sorted.get_mut(OsStr::new("999999.sst")).and_then(Option::as_mut).expect("held for a copy");
        let to = copy.catalog().join("999999.sst");
        held.copy(&to, &mut |_| Ok(())).expect("copied");
        assert_eq!(copy::read(&to).expect("a copy"), b"the first half, and the second one");
    }
}
