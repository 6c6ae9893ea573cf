//! The sorted files that RocksDB's list of them names.
//!
//! A secondary instance that does not find a sorted file goes on with an older state of its family, without an error:
//! documents of a lost file would be documents that never were. So the files of the list are looked for when a catalog
//! is opened for reading. The list is a log (see [`super::logs`]) of changes, each a sequence of tags with their fields
//! (RocksDB's `db/version_edit.cc`).

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::logs::{BLOCK, HEADER};
use crate::disk::dir::{self, Dir};
use crate::{Error, Result};

/// The file that names the list.
const CURRENT: &str = "CURRENT";
/// Attempts to see list and files of one moment, beside a writer.
const ATTEMPTS: usize = 64;
/// The last custom field of a file.
const LAST: u64 = 1;
/// The bit of tags that older versions read past: their field is a string.
const IGNORABLE: u64 = 1 << 13;
/// Of these the tags whose field is none.
const WITHOUT_LENGTH: [u64; 2] = [IGNORABLE + 4, IGNORABLE + 5];

/// Fails if a sorted file that the list names is not there.
///
/// A writer removes a file after the list says so: one that is missing although the list is still as it was is lost. A
/// list with a change that is not known here is not looked at.
///
/// # Errors
/// [`Error::Missing`] that names the file; [`Error::Io`].
pub(super) fn check(path: &Path) -> Result<()> {
    let mut before = contents(path)?;
    for _ in 0..ATTEMPTS {
        let Some(listed) = files(&before) else { return Ok(()) };
        let Some((lost, _)) = lost(&listed, &dir::names(path)?).next() else { return Ok(()) };
        let after = contents(path)?;
        if after == before {
            return Err(Error::Missing { path: path.join(lost) });
        }
        before = after;
    }
    Err(Error::Busy { path: path.to_owned() })
}

/// Puts back the sorted file that RocksDB removed because it could not make the list durable that names it, if there is
/// such a file: it is kept until the catalog has been opened for writing, which makes a new list. Returns whether there
/// was one.
///
/// # Errors
/// [`Error::Io`].
pub(super) fn put_back(dir: &Dir) -> Result<bool> {
    let Some(kept) = dir.kept() else { return Ok(false) };
    let path = dir.catalog();
    let Some(listed) = files(&contents(&path)?) else { return Ok(false) };
    let names = dir::names(&path)?;
    // One file is taken in at a time, and the writer takes no more when that has failed. RocksDB opens the file only if
    // it is the one of the list.
    let lost: Vec<(String, u64)> = lost(&listed, &names).collect();
    match &lost[..] {
        [(name, length)] if *length == kept => dir.put_back(name).map(|()| true),
        _ => Ok(false),
    }
}

/// Returns the names and lengths of the files of a list that are not among the names, which are sorted.
fn lost(listed: &BTreeMap<u64, u64>, names: &[OsString]) -> impl Iterator<Item = (String, u64)> {
    let is_there = |name: &str| names.binary_search_by(|one| one.as_os_str().cmp(OsStr::new(name))).is_ok();
    let all = listed.iter().map(|(number, length)| (format!("{number:06}.sst"), *length));
    all.filter(move |(name, _)| !is_there(name))
}

/// Returns the present list.
fn contents(path: &Path) -> Result<Vec<u8>> {
    let read = |name: &str| -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        dir::read_blocks(&path.join(name), BLOCK, &mut |block| {
            bytes.extend_from_slice(block);
            Ok(())
        })?;
        Ok(bytes)
    };
    let current = read(CURRENT)?;
    read(str::from_utf8(current.trim_ascii_end()).unwrap_or_default())
}

/// Returns the numbers and lengths of the sorted files that a list names; `None` if it has a change that is not known
/// here.
fn files(list: &[u8]) -> Option<BTreeMap<u64, u64>> {
    let mut files = BTreeMap::new();
    let mut change = Vec::new();
    for block in list.chunks(BLOCK) {
        let mut rest = block;
        while let Some((&[_, _, _, _, low, high, kind], contents)) = rest.split_first_chunk::<HEADER>() {
            let length = usize::from(u16::from_le_bytes([low, high]));
            // A record that is being written.
            let Some((part, after)) = contents.split_at_checked(length) else { break };
            match kind {
                1 | 2 => change = part.to_vec(),
                3 | 4 => change.extend(part),
                // The rest of the block is unused.
                0 => break,
                _ => return None,
            }
            if kind == 1 || kind == 4 {
                apply(&change, &mut files)?;
            }
            rest = after;
        }
    }
    Some(files)
}

/// Applies a change to the files.
fn apply(change: &[u8], files: &mut BTreeMap<u64, u64>) -> Option<()> {
    let mut fields = Fields(change);
    while !fields.0.is_empty() {
        match fields.number()? {
            // Comparator, a new column family.
            1 | 201 => fields.text()?,
            // Numbers of logs, of the next file, of the last write; the column family, the most of them, an atomic
            // group.
            2 | 3 | 4 | 9 | 10 | 200 | 203 | 300 => drop(fields.number()?),
            // The cursor of compaction.
            5 => {
                fields.number()?;
                fields.text()?;
            }
            6 => {
                let [_level, number] = fields.numbers()?;
                files.remove(&number);
            }
            tag @ (7 | 100 | 102 | 103) => {
                let [_level, number] = fields.numbers()?;
                // The path, the size; the least and the greatest key; the first and the last write.
                if tag == 102 {
                    fields.number()?;
                }
                let length = fields.number()?;
                fields.text()?;
                fields.text()?;
                if tag != 7 {
                    fields.numbers::<2>()?;
                }
                while tag == 103 && fields.number()? != LAST {
                    fields.text()?;
                }
                files.insert(number, length);
            }
            // A column family that is dropped.
            202 => {}
            tag if tag & IGNORABLE != 0 && !WITHOUT_LENGTH.contains(&tag) => fields.text()?,
            _ => return None,
        }
    }
    Some(())
}

/// The rest of a change.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    /// Takes a number, seven bits a byte, the least first.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn numbers<const N: usize>(&mut self) -> Option<[u64; N]> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Some(numbers)
    }

    /// Takes a string with its length before it.
    fn text(&mut self) -> Option<()> {
        let length = usize::try_from(self.number()?).ok()?;
        self.0 = self.0.get(length..)?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record of a log.
    fn record(kind: u8, contents: &[u8]) -> Vec<u8> {
        [&[1, 2, 3, 4][..], &(contents.len() as u16).to_le_bytes(), &[kind], contents].concat()
    }

    /// A change that adds a file, as RocksDB writes it, with a custom field.
    fn added(number: u8) -> Vec<u8> {
        [&[103, 0, number, 100][..], &[2, 7, 7], &[2, 8, 8], &[5, 6], &[6, 1, 9, 1]].concat()
    }

    #[test]
    fn files_are_those_added_and_not_deleted() {
        let change = [&[200, 1, 1][..], &added(13), &added(14), &[6, 0, 9, 2, 4]].concat();
        let more = [added(15), vec![6, 0, 13]].concat();
        let (first, last) = more.split_at(5);
        let numbers = |list: &[u8]| files(list).map(|files| files.into_keys().collect::<Vec<u64>>());
        let list = [record(1, &added(9)), record(1, &change), record(2, first), record(4, last)].concat();
        assert_eq!(numbers(&list), Some(vec![14, 15]));
        assert_eq!(numbers(&list[..list.len() - 1]), Some(vec![13, 14]), "what is being written is not there");
        let padded = [record(1, &added(9)), vec![0; 20]].concat();
        assert_eq!(files(&padded), Some(BTreeMap::from([(9, 100)])), "with its length");
    }

    #[test]
    fn a_list_that_is_not_understood_names_nothing() {
        for change in [vec![99, 1], vec![103, 0], vec![1, 200], vec![0x84, 0x40, 1]] {
            assert_eq!(files(&record(1, &change)), None, "{change:?}");
        }
        // Tags that older versions read past have a length.
        assert_eq!(files(&record(1, &[0x81, 0x40, 2, 5, 5])), Some(BTreeMap::new()));
    }
}
