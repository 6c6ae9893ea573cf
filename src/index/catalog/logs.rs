//! The logs of RocksDB: their names, and a check for records that it would read in an endless loop.
//!
//! RocksDB's logs, including the list of sorted files, consist of blocks of 32 KB. A block consists of records, each
//! with a checksum (4 bytes), a length (2 bytes, little-endian) and a kind. If a record has a kind that only reused
//! logs have, and the log began with another kind, RocksDB (11.8) reads the same record for ever. No log of a catalog
//! is reused, so such a record is damage: one flipped bit is enough.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::disk::dir;
use crate::{Error, Result};

/// Bytes of a block; no record spans blocks.
pub(super) const BLOCK: usize = 32 << 10;
/// Bytes before the contents of a record.
pub(super) const HEADER: usize = 7;
/// The kinds of records of reused logs.
const REUSED: [u8; 6] = [5, 6, 7, 8, 11, 131];

/// A log, and the length up to which it is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Torn {
    pub(super) name: OsString,
    pub(super) length: usize,
}

/// Fails if reading a log among the files `names` of a catalog's folder would not end; torn logs are checked up to the
/// torn end.
///
/// # Errors
/// [`Error::Catalog`] that names the file and the byte; [`Error::Io`].
pub(super) fn check(path: &Path, names: &[OsString], torn: &[Torn]) -> Result<()> {
    for name in names.iter().filter(|name| is_log(name)) {
        let mut start = 0;
        let end = torn.iter().find(|torn| torn.name == *name).map_or(usize::MAX, |torn| torn.length);
        dir::read_blocks(&path.join(name), BLOCK, &mut |block| {
            if let Some(index) = endless(&block[..block.len().min(end.saturating_sub(start))]) {
                let name = name.display();
                let what = format!("{name} is damaged at byte {}: a record of a reused log", start + index);
                let (action, path, source) = ("be opened", path.to_owned(), what.into());
                return Err(Error::Catalog { action, path, damaged: true, source });
            }
            start += block.len();
            Ok(())
        })?;
    }
    Ok(())
}

/// Returns whether a file of a catalog is a log, or a list of sorted files, which RocksDB keeps as a log.
pub(super) fn is_log(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.ends_with(".log") || name.starts_with("MANIFEST"))
}

/// Returns the number of a log of rows; numbers ascend from log to log.
pub(super) fn log_number(name: &OsStr) -> Option<u64> {
    name.to_str()?.strip_suffix(".log")?.parse().ok()
}

/// Returns the offset in a block of a record that RocksDB would read for ever. A wrong length, which leads to bytes in
/// the block that are no record, is damage, too.
fn endless(block: &[u8]) -> Option<usize> {
    headers(block).find(|header| REUSED.contains(&header.kind)).map(|header| header.start)
}

/// The header of a record: its offset in its block, its kind, and the offset after the record.
pub(super) struct Header {
    pub(super) start: usize,
    pub(super) kind: u8,
    pub(super) end: usize,
}

/// Returns the headers of a block, each where the record before it ends; checksums are not computed.
pub(super) fn headers(block: &[u8]) -> impl Iterator<Item = Header> {
    let at = |start: usize| {
        let &[_, _, _, _, low, high, kind] = block.get(start..start + HEADER)? else { return None };
        Some(Header { start, kind, end: start + HEADER + usize::from(u16::from_le_bytes([low, high])) })
    };
    std::iter::successors(at(0), move |header| at(header.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(records: &[(u8, usize)]) -> Vec<u8> {
        let mut log = Vec::new();
        for &(kind, length) in records {
            log.extend([1, 2, 3, 4]);
            log.extend((length as u16).to_le_bytes());
            log.push(kind);
            log.extend(vec![5; length]);
        }
        log
    }

    #[test]
    fn records_of_reused_logs_are_found_and_contents_are_not_taken_for_records() {
        assert_eq!(endless(&[]), None);
        assert_eq!(endless(&log(&[(1, 40), (2, 0), (3, 500), (4, 12)])), None);
        for kind in REUSED {
            assert_eq!(endless(&log(&[(1, 40), (kind, 0), (3, 500)])), Some(47));
        }
        let sound = log(&[(1, 40), (1, 60_000)]);
        (0..sound.len()).for_each(|end| assert_eq!(endless(&sound[..end]), None));
    }
}
