//! The sorted files in RocksDB's list of sorted files, and the log that is needed in addition.
//!
//! If a sorted file is missing, exchanged or damaged, a secondary instance continues without an error with an older
//! state of the column family: documents of a lost file would seem never to have been stored. So the files of a catalog
//! for reading are compared with the list. RocksDB does not notice a missing log either. But the list has the number of
//! a log, and this log or a later one must exist at any time. The list is a log (see [`super::logs`]) of changes. A
//! change is a sequence of tags with their fields (RocksDB's `db/version_edit.cc`).

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::logs::{BLOCK, HEADER, log_number};
use crate::disk::dir::{self, Dir};
use crate::{Error, Result};

/// The file that names the list.
const CURRENT: &str = "CURRENT";
/// The last custom field of a file.
const LAST: u64 = 1;
/// The bit of tags that older versions ignore: their field is a string.
const IGNORABLE: u64 = 1 << 13;
/// Tags of this kind that are not ignored here.
const WITHOUT_LENGTH: [u64; 2] = [IGNORABLE + 4, IGNORABLE + 5];

/// The files that a list names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ListedFiles {
    /// The numbers and lengths of the sorted files.
    files: BTreeMap<u64, u64>,
    /// The greatest number of a log with which a column family begins; older rows are in sorted files.
    log: u64,
    /// The number of the next file, which is greater than that of the list itself; 0 if the list does not have it.
    next: u64,
}

/// Compares the sorted files of a catalog for reading with the list. Returns the fault; `None` if the files are those
/// of the list. If a writer is active, the catalog may only have to catch up with the list. A list with an unknown kind
/// of change is ignored.
///
/// # Errors
/// Errors of [`present`].
pub(super) fn difference(path: &Path, live: &BTreeSet<OsString>) -> Result<Option<Error>> {
    let Some(listed) = present(path)? else { return Ok(None) };
    let missed = listed.files.keys().map(|number| name_of(*number)).find(|name| !live.contains(OsStr::new(name)));
    let Some(name) = missed.or_else(|| (live.len() > listed.files.len()).then(|| CURRENT.to_owned())) else {
        return Ok(None);
    };
    if !dir::names(path)?.iter().any(|found| *found == *name) {
        return Ok(Some(Error::Missing { path: path.join(name) }));
    }
    // RocksDB may have failed to open it for another reason than its contents.
    match dir::read_blocks(&path.join(&name), BLOCK, &mut |_| Ok(())) {
        Err(error) if error.is_of_environment() => Err(error),
        _ => Ok(Some(foreign(path, &name))),
    }
}

/// Returns the error for a file of a catalog that is damaged or exchanged.
fn foreign(path: &Path, name: &str) -> Error {
    let source = format!("{name} is damaged, or not the file that belongs there").into();
    Error::Catalog { action: "be opened", path: path.to_owned(), damaged: true, source }
}

/// Fails if the log that was written when the catalog was last open is missing.
///
/// # Errors
/// [`Error::Missing`] that names a log; as [`present`].
pub(super) fn check_log(path: &Path) -> Result<()> {
    // The list first: later logs have greater numbers.
    let Some(listed) = present(path)? else { return Ok(()) };
    let has_log = dir::names(path)?.iter().filter_map(|name| log_number(name)).any(|number| number >= listed.log);
    if has_log { Ok(()) } else { Err(Error::Missing { path: path.join(format!("{:06}.log", listed.log)) }) }
}

/// Puts back the sorted file, if any, that RocksDB removed because it could not make the list naming it durable. Such a
/// file is kept until the catalog has been opened for writing, which makes a new list. Returns whether there was one.
///
/// # Errors
/// [`Error::Io`].
pub(super) fn put_back(dir: &Dir) -> Result<bool> {
    match lost(dir)? {
        Some(name) => dir.put_back(&name).map(|()| true),
        None => Ok(false),
    }
}

/// Returns the name of the sorted file that [`put_back`] puts back, if any.
///
/// # Errors
/// [`Error::Io`].
pub(super) fn lost(dir: &Dir) -> Result<Option<String>> {
    let Some(kept) = dir.kept() else { return Ok(None) };
    let path = dir.catalog();
    let Some(ListedFiles { files, .. }) = present(&path)? else { return Ok(None) };
    let names = dir::names(&path)?;
    // Files are ingested one at a time, and the writer ingests no others after a failure. RocksDB opens the file only
    // if it is the one in the list.
    let is_there = |name: &str| names.iter().any(|one| *one == *name);
    let all = files.iter().map(|(number, length)| (name_of(*number), *length));
    let lost: Vec<(String, u64)> = all.filter(|(name, _)| !is_there(name)).collect();
    match &lost[..] {
        [(name, length)] if *length == kept => Ok(Some(name.clone())),
        _ => Ok(None),
    }
}

/// Returns the name of a sorted file.
fn name_of(number: u64) -> String {
    format!("{number:06}.sst")
}

/// Returns the files that the current list names; `None` if the list has an unknown kind of change.
///
/// # Errors
/// [`Error::Catalog`] if the file is an earlier list under the name of the current one; [`Error::Io`].
fn present(path: &Path) -> Result<Option<ListedFiles>> {
    let read = |name: &str| -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        dir::read_blocks(&path.join(name), BLOCK, &mut |block| {
            bytes.extend_from_slice(block);
            Ok(())
        })?;
        Ok(bytes)
    };
    let current = read(CURRENT)?;
    let name = str::from_utf8(current.trim_ascii_end()).unwrap_or_default();
    let listed = parse(&read(name)?);
    let number = name.rsplit_once('-').and_then(|(_, number)| number.parse::<u64>().ok());
    match (&listed, number) {
        (Some(listed), Some(number)) if (1..=number).contains(&listed.next) => Err(foreign(path, name)),
        _ => Ok(listed),
    }
}

/// Returns the files that a list names; `None` if the list has an unknown kind of change.
fn parse(list: &[u8]) -> Option<ListedFiles> {
    let mut listed = ListedFiles::default();
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
                apply(&change, &mut listed)?;
            }
            rest = after;
        }
    }
    Some(listed)
}

/// Applies a change.
fn apply(change: &[u8], listed: &mut ListedFiles) -> Option<()> {
    let mut fields = Fields(change);
    while !fields.0.is_empty() {
        match fields.number()? {
            // Comparator, a new column family.
            1 | 201 => fields.text()?,
            2 => listed.log = listed.log.max(fields.number()?),
            3 => listed.next = listed.next.max(fields.number()?),
            // Numbers of the last write, of other logs; the column family, the most of them, an atomic group.
            4 | 9 | 10 | 200 | 203 | 300 => drop(fields.number()?),
            // The cursor of compaction.
            5 => {
                fields.number()?;
                fields.text()?;
            }
            6 => {
                let [_level, number] = fields.numbers()?;
                listed.files.remove(&number);
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
                listed.files.insert(number, length);
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
    /// Takes a number, seven bits per byte, the least significant first.
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
        let numbers = |list: &[u8]| parse(list).map(|listed| listed.files.into_keys().collect::<Vec<u64>>());
        let list = [record(1, &added(9)), record(1, &change), record(2, first), record(4, last)].concat();
        assert_eq!(numbers(&list), Some(vec![14, 15]));
        assert_eq!(numbers(&list[..list.len() - 1]), Some(vec![13, 14]), "what is being written is not there");
        let padded = [record(1, &added(9)), vec![0; 20]].concat();
        let padded = parse(&padded).map(|listed| listed.files);
        assert_eq!(padded, Some(BTreeMap::from([(9, 100)])), "with its length");
        let numbers = [record(1, &[2, 7, 200, 1, 1, 3, 30]), record(1, &[2, 5, 3, 12])].concat();
        let listed = parse(&numbers).map(|listed| (listed.log, listed.next));
        assert_eq!(listed, Some((7, 30)), "the greatest");
    }

    #[test]
    fn a_list_that_is_not_understood_names_nothing() {
        for change in [vec![99, 1], vec![103, 0], vec![1, 200], vec![0x84, 0x40, 1]] {
            assert_eq!(parse(&record(1, &change)), None, "{change:?}");
        }
        // Tags that older versions skip have a length.
        assert_eq!(parse(&record(1, &[0x81, 0x40, 2, 5, 5])), Some(ListedFiles::default()));
    }
}
