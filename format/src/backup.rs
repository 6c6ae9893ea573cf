//! The list of the files of a backup (SPEC 8.5): text, so that other tools can compare it.

use std::fmt::Write;

use crate::error::malformed;
use crate::{FormatError, Result};

/// The newest version of the list that this crate reads, and the one that it writes.
const VERSION: u16 = 1;
/// The first line, up to the version.
const TITLE: &str = "nddb backup ";
/// The end of the last line.
const END: &str = " end\n";
/// Bytes of the last line: a checksum and [`END`].
const LAST: usize = 8 + END.len();
const WHAT: &str = "list of a backup";

/// A file of a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupFile {
    /// Path in the folder of the database: `MANIFEST`, or a name after `catalog/` or `runs/`.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// CRC-32 of the file.
    pub checksum: u32,
}

/// Returns the list of these files, whose paths ascend.
///
/// # Errors
/// [`FormatError::Malformed`] for paths that a list cannot contain.
pub fn encode(files: &[BackupFile]) -> Result<Vec<u8>> {
    let mut text = format!("{TITLE}{VERSION}\n");
    for file in files {
        // Writing to a String never fails.
        let _ = writeln!(text, "{:08x} {} {}", file.checksum, file.size, file.path);
    }
    let checksum = crc32fast::hash(text.as_bytes());
    let _ = write!(text, "{checksum:08x}{END}");
    decode(text.as_bytes())?;
    Ok(text.into_bytes())
}

/// Returns the files of a list.
///
/// # Errors
/// [`FormatError`]: the rule that the bytes break.
pub fn decode(bytes: &[u8]) -> Result<Vec<BackupFile>> {
    if !bytes.starts_with(TITLE.as_bytes()) {
        let mut found = [0; 8];
        found.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        return Err(FormatError::Magic { what: WHAT, found });
    }
    let mut offset = line_end(bytes, 0)?;
    let version = std::str::from_utf8(&bytes[TITLE.len()..offset - 1]).ok().and_then(decimal);
    match version.and_then(|version| u16::try_from(version).ok()) {
        Some(VERSION) => (),
        Some(found) if found > VERSION => {
            return Err(FormatError::Version { what: WHAT, found, newest: VERSION });
        }
        _ => return malformed(WHAT, TITLE.len(), "the first line is 'nddb backup' and a version"),
    }
    let end = check_end(bytes)?;
    let mut files: Vec<BackupFile> = Vec::new();
    while offset < end {
        let next = line_end(bytes, offset)?;
        let Some(file) = line(&bytes[offset..next - 1]) else {
            return malformed(WHAT, offset, "a line is a checksum, a size and a path");
        };
        if !is_path(&file.path) {
            return malformed(WHAT, offset, "a path is MANIFEST, or a name in catalog or runs");
        }
        if files.last().is_some_and(|last| last.path >= file.path) {
            return malformed(WHAT, offset, "paths ascend");
        }
        files.push(file);
        offset = next;
    }
    if !files.iter().any(|file| file.path == "MANIFEST") {
        return malformed(WHAT, end, "the list has MANIFEST");
    }
    Ok(files)
}

/// Checks the last line. Returns its offset.
fn check_end(bytes: &[u8]) -> Result<usize> {
    let cut =
        || FormatError::Truncated { what: WHAT, need: bytes.len() as u64 + LAST as u64, have: bytes.len() as u64 };
    let end = bytes.len().checked_sub(LAST).ok_or_else(cut)?;
    let (all, last) = bytes.split_at(end);
    let is_end = last.ends_with(END.as_bytes()) && all.ends_with(b"\n");
    let stored = if is_end { hex(&last[..8]) } else { None };
    let stored = stored.ok_or_else(cut)?;
    let computed = crc32fast::hash(all);
    if stored != computed {
        return Err(FormatError::Checksum { what: WHAT, index: 0, stored, computed });
    }
    Ok(end)
}

/// Returns the offset after the line that begins at `offset`.
fn line_end(bytes: &[u8], offset: usize) -> Result<usize> {
    let length = bytes[offset..].iter().position(|&byte| byte == b'\n');
    let have = bytes.len() as u64;
    length.map(|length| offset + length + 1).ok_or(FormatError::Truncated { what: WHAT, need: have + 1, have })
}

fn line(line: &[u8]) -> Option<BackupFile> {
    let mut words = std::str::from_utf8(line).ok()?.splitn(3, ' ');
    let (checksum, size, path) = (words.next()?, words.next()?, words.next()?);
    Some(BackupFile { path: path.into(), size: decimal(size)?, checksum: hex(checksum.as_bytes())? })
}

/// Reads a number as it is written: without a sign or leading zeros.
fn decimal(digits: &str) -> Option<u64> {
    let number: u64 = digits.parse().ok()?;
    (number.to_string() == digits).then_some(number)
}

/// Reads 8 lower-case hexadecimal digits.
fn hex(digits: &[u8]) -> Option<u32> {
    let is_plain = digits.len() == 8 && digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    let digits = std::str::from_utf8(digits).ok().filter(|_| is_plain)?;
    u32::from_str_radix(digits, 16).ok()
}

/// Returns whether a path is a valid path of a file in the folder of a database.
fn is_path(path: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && !name.starts_with('.')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    match path.split_once('/') {
        Some(("catalog" | "runs", name)) => is_name(name),
        _ => path == "MANIFEST",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, size: u64, checksum: u32) -> BackupFile {
        BackupFile { path: path.into(), size, checksum }
    }

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let files = [file("MANIFEST", 240, 0xfe), file("catalog/000012.sst", 0, u32::MAX), file("runs/1.seg", 7, 0)];
        let list = encode(&files).expect("a list");
        assert_eq!(decode(&list).expect("sound"), files);
        let text = String::from_utf8(list.clone()).expect("text");
        let first = "nddb backup 1\n000000fe 240 MANIFEST\nffffffff 0 catalog/000012.sst\n00000000 7 runs/1.seg\n";
        assert_eq!(text, format!("{first}{:08x} end\n", crc32fast::hash(first.as_bytes())));
        for length in 0..list.len() {
            assert!(decode(&list[..length]).is_err(), "cut at {length}");
        }
        for index in 0..list.len() {
            let mut flipped = list.clone();
            flipped[index] ^= 1;
            assert!(decode(&flipped).is_err(), "flipped at {index}");
        }
        assert!(encode(&[file("MANIFEST", 1, 1), file("catalog/a\nb", 1, 1)]).is_err());
    }
}
