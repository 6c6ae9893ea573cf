//! The list of the files of a backup (SPEC 8.5): text, so that other tools can compare it.

use std::fmt::Write;

use crate::error::malformed;
use crate::{FormatError, Result};

/// The newest version of the list that this crate reads, and the one that it writes.
const VERSION: u16 = 1;
/// The first line, up to the version.
const TITLE: &str = "nddb backup ";
/// The beginning of the second line.
const OF: &str = "database ";
/// The end of the last line.
const END: &str = " end\n";
/// Bytes of the last line: a checksum and [`END`].
const LAST: usize = 8 + END.len();
const WHAT: &str = "list of a backup";

/// What a backup is of, and its files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackupList {
    /// Identity of the database.
    pub database: u128,
    /// Generation of the manifest.
    pub generation: u64,
    /// Number of commits up to this generation.
    pub commits: u64,
    /// Number of the backup in its folder: greater than those of all earlier ones.
    pub number: u64,
    /// The files; their paths ascend.
    pub files: Vec<BackupFile>,
}

/// A file of a backup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackupFile {
    /// Path in the folder of the database: `MANIFEST`, or a name after `catalog/` or `runs/`.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// CRC-32 of the file.
    pub checksum: u32,
    /// The tag that an object store gave the file when it was written: printable ASCII without spaces.
    pub tag: Option<String>,
}

impl BackupList {
    /// The age of a backup of a database: an older one is less. It does not depend on clocks.
    pub fn age(&self) -> (u64, u64, u64) {
        (self.generation, self.commits, self.number)
    }
}

/// Where a restored database comes from (SPEC 8.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackupOrigin {
    /// Identity of the database.
    pub database: u128,
    /// Identity of the database of whose backup it was made.
    pub parent: u128,
}

impl BackupOrigin {
    /// Encodes it: a line of text.
    pub fn encode(&self) -> String {
        format!("{:032x} {:032x}\n", self.database, self.parent)
    }

    /// Decodes it; `None` if the bytes are something else.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (database, parent) = str::from_utf8(bytes).ok()?.strip_suffix('\n')?.split_once(' ')?;
        Some(Self { database: identity(database)?, parent: identity(parent)? })
    }
}

/// Returns the text of a list.
///
/// # Errors
/// [`FormatError::Malformed`] for paths and tags that a list cannot contain.
pub fn encode(list: &BackupList) -> Result<Vec<u8>> {
    let mut text = format!("{TITLE}{VERSION}\n");
    // Writing to a String never fails.
    let _ = writeln!(text, "{OF}{:032x} {} {} {}", list.database, list.generation, list.commits, list.number);
    for file in &list.files {
        let _ = write!(text, "{:08x} {} {}", file.checksum, file.size, file.path);
        let _ = file.tag.as_ref().map(|tag| write!(text, " {tag}"));
        text.push('\n');
    }
    let checksum = crc32fast::hash(text.as_bytes());
    let _ = write!(text, "{checksum:08x}{END}");
    decode(text.as_bytes())?;
    Ok(text.into_bytes())
}

/// Reads a list.
///
/// # Errors
/// [`FormatError`]: the rule that the bytes break.
pub fn decode(bytes: &[u8]) -> Result<BackupList> {
    if !bytes.starts_with(TITLE.as_bytes()) {
        let mut found = [0; 8];
        found.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        return Err(FormatError::Magic { what: WHAT, found });
    }
    let mut offset = line_end(bytes, 0)?;
    let version = str::from_utf8(&bytes[TITLE.len()..offset - 1]).ok().and_then(decimal);
    match version.and_then(|version| u16::try_from(version).ok()) {
        Some(VERSION) => (),
        Some(found) if found > VERSION => {
            return Err(FormatError::Version { what: WHAT, found, newest: VERSION });
        }
        _ => return malformed(WHAT, TITLE.len(), "the first line is 'nddb backup' and a version"),
    }
    let end = check_end(bytes)?;
    let next = line_end(bytes, offset)?;
    let Some(mut list) = second_line(&bytes[offset..next - 1]) else {
        return malformed(WHAT, offset, "the second line is 'database', an identity and three numbers");
    };
    offset = next;
    let files = &mut list.files;
    while offset < end {
        let next = line_end(bytes, offset)?;
        let Some(file) = line(&bytes[offset..next - 1]) else {
            return malformed(WHAT, offset, "a line is a checksum, a size, a path and perhaps a tag");
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
    Ok(list)
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

fn second_line(line: &[u8]) -> Option<BackupList> {
    let mut words = str::from_utf8(line).ok()?.strip_prefix(OF)?.split(' ');
    let database = identity(words.next()?)?;
    let mut number = || words.next().and_then(decimal);
    let list = BackupList { database, generation: number()?, commits: number()?, number: number()?, files: Vec::new() };
    words.next().is_none().then_some(list)
}

fn line(line: &[u8]) -> Option<BackupFile> {
    let mut words = str::from_utf8(line).ok()?.splitn(4, ' ');
    let (checksum, size, path) = (words.next()?, words.next()?, words.next()?);
    let tag = words.next().map(String::from);
    if tag.as_ref().is_some_and(|tag| !is_tag(tag)) {
        return None;
    }
    Some(BackupFile { path: path.into(), size: decimal(size)?, checksum: hex(checksum.as_bytes())?, tag })
}

/// Returns whether a tag of an object store can be in a list.
pub fn is_tag(tag: &str) -> bool {
    !tag.is_empty() && tag.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Reads an identity of 32 lower-case hexadecimal digits.
fn identity(digits: &str) -> Option<u128> {
    let number = u128::from_str_radix(digits, 16).ok()?;
    (format!("{number:032x}") == digits).then_some(number)
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
        BackupFile { path: path.into(), size, checksum, tag: None }
    }

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let files = [file("MANIFEST", 240, 0xfe), file("catalog/000012.sst", 0, u32::MAX), file("runs/1.seg", 7, 0)];
        let mut backup = BackupList { database: 10, generation: 5, commits: 4, number: 3, files: files.into() };
        backup.files[2].tag = Some("\"3-a\"".into());
        let list = encode(&backup).expect("a list");
        assert_eq!(decode(&list).expect("sound"), backup);
        let text = String::from_utf8(list.clone()).expect("text");
        let first = "nddb backup 1\ndatabase 0000000000000000000000000000000a 5 4 3\n000000fe 240 MANIFEST\n\
                     ffffffff 0 catalog/000012.sst\n00000000 7 runs/1.seg \"3-a\"\n";
        assert_eq!(text, format!("{first}{:08x} end\n", crc32fast::hash(first.as_bytes())));
        for length in 0..list.len() {
            assert!(decode(&list[..length]).is_err(), "cut at {length}");
        }
        for index in 0..list.len() {
            let mut flipped = list.clone();
            flipped[index] ^= 1;
            assert!(decode(&flipped).is_err(), "flipped at {index}");
        }
        let of = |files: &[BackupFile]| encode(&BackupList { files: files.into(), ..BackupList::default() });
        assert!(of(&[file("MANIFEST", 1, 1)]).is_ok());
        assert!(of(&[file("MANIFEST", 1, 1), file("catalog/a\nb", 1, 1)]).is_err());
        assert!(of(&[BackupFile { tag: Some("a b".into()), ..file("MANIFEST", 1, 1) }]).is_err());
    }

    #[test]
    fn an_origin_is_read_as_it_was_written_and_nothing_else_is_one() {
        let origin = BackupOrigin { database: 1, parent: u128::MAX };
        let text = origin.encode();
        assert_eq!(text, format!("{:032x} {}\n", 1, "f".repeat(32)));
        assert_eq!(BackupOrigin::decode(text.as_bytes()), Some(origin));
        for wrong in ["", &text[1..], text.trim_end(), &text.to_uppercase(), &text.replace(' ', "  "), "1 2\n"] {
            assert_eq!(BackupOrigin::decode(wrong.as_bytes()), None, "{wrong:?}");
        }
    }
}
