//! The end of a log torn by a power cut: an unacknowledged change, of which the file system has written a later part
//! but not an earlier one.
//!
//! RocksDB ignores a change that is cut off. But a file may get its new length and its last bytes before the bytes in
//! between. These then read as zeros, so the checksum of the change is wrong, and RocksDB takes this for damage and
//! refuses to open. Such an end is recognised by a whole sector of zeros that no complete change follows. A flipped bit
//! makes no such sector, so it is still reported as damage.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::logs::{BLOCK, HEADER, Header, Torn, headers, log_number};
use crate::Result;
use crate::disk::bugs::{Bug, bug};
use crate::disk::{copy, dir};

/// Minimum number of bytes that a disk writes atomically.
const SECTOR: usize = 512;
/// Least number of zeros, from the beginning of a sector to the end of a log, that cannot be part of a change: a change
/// ends with counters, and not all of these are so small.
const ZEROS_MIN: usize = 32;
/// A change in one record; the beginning, the middle and the end of a change in several records.
const WHOLE: u8 = 1;
const FIRST: u8 = 2;
const MIDDLE: u8 = 3;
const LAST: u8 = 4;

/// Returns those with torn ends among the newest log and the newest list of sorted files.
///
/// # Errors
/// [`crate::Error::Io`].
pub(super) fn torn(path: &Path, names: &[OsString]) -> Result<Vec<Torn>> {
    let mut all = Vec::new();
    let newest = names.iter().filter(|name| log_number(name).is_some()).max_by_key(|name| log_number(name));
    let current = copy::read_small(&path.join("CURRENT"))?;
    let list = names.iter().find(|name| name.as_bytes() == current.trim_ascii_end());
    for name in newest.into_iter().chain(list) {
        let file = path.join(name);
        let takes_damage = bug(Bug::DamageTakenForTorn, path);
        let mut may_be_torn = takes_damage;
        dir::read_blocks(&file, BLOCK, &mut |block| {
            may_be_torn = may_be_torn || block_may_be_torn(block);
            Ok(())
        })?;
        // The checksums of most logs need not be computed: RocksDB does that when it opens them.
        if may_be_torn && let Some(length) = whole_length(&copy::read(&file)?, takes_damage) {
            all.push(Torn { name: name.clone(), length });
        }
    }
    Ok(all)
}

/// Returns whether a block has a place that a torn end has: a header that is none, or a sector of zeros.
fn block_may_be_torn(block: &[u8]) -> bool {
    let is_none = |header: Header| !(WHOLE..=LAST).contains(&header.kind) || header.end > block.len();
    headers(block).any(is_none) || is_empty_somewhere(block, 0, block.len())
}

/// Returns the length up to which a log is whole, if the rest is torn; `None` if nothing is torn. By a mistake that
/// tests make, the rest is torn if it is damaged.
fn whole_length(log: &[u8], takes_damage: bool) -> Option<usize> {
    let (mut whole, mut is_open, mut is_broken, mut has_zeros) = (0, false, false, false);
    for (start, block) in (0..).step_by(BLOCK).zip(log.chunks(BLOCK)) {
        let mut at = 0;
        while at + HEADER <= block.len() {
            let Some((kind, end)) = record(block, at) else {
                // The beginning of the next record is unknown.
                let is_next = |next: &usize| {
                    let kind = block.get(next + HEADER - 1);
                    kind.is_some_and(|kind| (WHOLE..=LAST).contains(kind)) && record(block, *next).is_some()
                };
                let next = (at + 1..block.len()).find(is_next).unwrap_or(block.len());
                if takes_damage {
                    return Some(whole);
                }
                (is_broken, is_open) = (true, false);
                has_zeros |= is_empty_somewhere(block, at, next);
                at = next;
                continue;
            };
            match kind {
                FIRST => is_open = true,
                MIDDLE => (),
                WHOLE | LAST if kind == LAST && !is_open => (),
                WHOLE | LAST if is_broken => return None,
                WHOLE | LAST => (whole, is_open) = (start + end, false),
                // An unknown kind.
                _ => return None,
            }
            at = end;
        }
    }
    (is_broken && has_zeros).then_some(whole)
}

/// Returns the kind and the end of the record at an offset of a block, if there is one.
fn record(block: &[u8], at: usize) -> Option<(u8, usize)> {
    let &[a, b, c, d, low, high, kind] = block.get(at..at + HEADER)? else { return None };
    let end = at + HEADER + usize::from(u16::from_le_bytes([low, high]));
    let contents = block.get(at + HEADER - 1..end)?;
    (kind != 0 && checksum(contents) == u32::from_le_bytes([a, b, c, d])).then_some((kind, end))
}

/// Returns whether, between two offsets of a block, a whole sector or the header that begins there is zero.
fn is_empty_somewhere(block: &[u8], from: usize, to: usize) -> bool {
    let is_empty = |bytes: &[u8]| bytes.iter().all(|&byte| byte == 0);
    let sectors = (from.next_multiple_of(SECTOR)..to).step_by(SECTOR);
    let mut sectors = sectors.map(|sector| &block[sector..(sector + SECTOR).min(block.len())]);
    let is_long = |sector: &[u8]| sector.len() >= ZEROS_MIN;
    sectors.any(|sector| is_long(sector) && is_empty(sector)) || is_empty(&block[from..(from + HEADER).min(to)])
}

/// Table of the CRC-32C, a byte at a time.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut crc, mut bit) = (byte as u32, 0);
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0x82f6_3b78 } else { crc >> 1 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

/// Returns RocksDB's checksum of a record: the CRC-32C of its kind and contents, rotated and masked.
fn checksum(bytes: &[u8]) -> u32 {
    let crc = !bytes.iter().fold(!0u32, |crc, &byte| crc >> 8 ^ TABLE[(crc as u8 ^ byte) as usize]);
    crc.rotate_right(15).wrapping_add(0xa282_ead8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole_length(log: &[u8]) -> Option<usize> {
        super::whole_length(log, false)
    }

    /// Writes changes of these sizes as RocksDB does.
    fn log(changes: &[usize]) -> (Vec<u8>, Vec<usize>) {
        let (mut log, mut ends) = (Vec::new(), Vec::new());
        for (index, &size) in changes.iter().enumerate() {
            let (mut left, mut is_first) = (vec![index as u8 + 100; size], true);
            loop {
                let room = BLOCK - log.len() % BLOCK;
                if room < HEADER {
                    log.resize(log.len() + room, 0);
                    continue;
                }
                let part: Vec<u8> = left.drain(..left.len().min(room - HEADER)).collect();
                let kind = match (is_first, left.is_empty()) {
                    (true, true) => WHOLE,
                    (true, false) => FIRST,
                    (false, false) => MIDDLE,
                    (false, true) => LAST,
                };
                let record = [&[kind], &part[..]].concat();
                log.extend(checksum(&record).to_le_bytes());
                log.extend((part.len() as u16).to_le_bytes());
                log.extend(record);
                is_first = false;
                if left.is_empty() {
                    break;
                }
            }
            ends.push(log.len());
        }
        (log, ends)
    }

    #[test]
    fn the_checksum_is_that_of_rocksdb() {
        // The CRC-32C of "123456789" is e3069283.
        assert_eq!(checksum(b"123456789"), 0xe306_9283u32.rotate_right(15).wrapping_add(0xa282_ead8));
    }

    #[test]
    fn an_end_with_zeros_is_torn_wherever_they_are() {
        let (whole, ends) = log(&[100, 5_000, 90_000]);
        assert_eq!(whole_length(&whole), None);
        assert!(!whole.chunks(BLOCK).any(block_may_be_torn), "its checksums are not computed");
        let first = ends[1].next_multiple_of(SECTOR);
        for sector in (first..whole.len() - SECTOR).step_by(SECTOR) {
            let mut torn = whole.clone();
            torn[sector..sector + SECTOR].fill(0);
            assert_eq!(whole_length(&torn), Some(ends[1]), "{sector}");
            assert!(torn.chunks(BLOCK).any(block_may_be_torn), "{sector}: it is looked at");
            torn[sector..].fill(0);
            assert_eq!(whole_length(&torn), Some(ends[1]), "{sector} and all behind it");
            assert!(torn.chunks(BLOCK).any(block_may_be_torn), "{sector}: it is looked at");
            assert_eq!(whole_length(&torn[..sector]), None, "what is cut off has no zeros");
        }
    }

    #[test]
    fn damage_of_what_was_acknowledged_is_not_torn() {
        let (whole, ends) = log(&[100, 5_000, 90_000, 70]);
        for sector in (0..ends[2]).step_by(SECTOR) {
            let mut damaged = whole.clone();
            damaged[sector..ends[2].min(sector + SECTOR)].fill(0);
            assert_eq!(whole_length(&damaged), None, "{sector}: a whole change is behind it");
        }
        for byte in (0..whole.len()).step_by(97) {
            let mut damaged = whole.clone();
            damaged[byte] ^= 4;
            assert_eq!(whole_length(&damaged), None, "a bit of byte {byte}");
        }
    }
}
