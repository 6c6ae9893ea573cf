//! Lists, one line for each id or other thing: the one reader of them. A list may be compressed with gzip or zstd, may
//! be UTF-8 or UTF-16, may begin with a byte order mark, and its lines may end as on Windows.
//!
//! `nddb cluster -o` writes a summary beside its lists, with the length and digest of each. A list that was cut short
//! is known by it. A list without a summary is read as it is, with a warning if it is empty.

use std::fs;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;

use nddb_archive::Utf8Reader;
use nddb_remote::is_remote;
use serde::Deserialize;
use xxhash_rust::xxh3::Xxh3Default;

use crate::error::{Advice, JobError, Result};
use crate::input::{self, MAGIC};
use crate::named_id::NamedId;
use crate::output::UNFINISHED;
use crate::packed::Packing;

/// The name of the summary beside lists.
const SUMMARY: &str = "summary.json";
/// Bytes that are hashed at once.
const PIECE: usize = 256 << 10;

/// What the summary says of a list.
#[derive(Deserialize)]
struct Written {
    lines: u64,
    bytes: u64,
    /// The XXH3-64 of all bytes as 16 hexadecimal digits.
    xxh3: String,
}

/// What is noticed of a list that is used nevertheless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListDoubt {
    /// It is empty, and no summary says so.
    Empty,
    /// It is whole, but another one than was written: somebody has edited it.
    Edited,
}

/// Compares a list with what the summary beside it says.
///
/// # Errors
/// The list has fewer lines than were written, or ends inside a line; or it cannot be read.
pub fn check(path: &Path) -> Result<Option<ListDoubt>> {
    let Some(written) = written(path)? else {
        let is_empty = fs::metadata(path).is_ok_and(|at| at.is_file() && at.len() == 0);
        return Ok(is_empty.then_some(ListDoubt::Empty));
    };
    let (mut lines, mut bytes, mut last, mut hasher) = (0_u64, 0_u64, b'\n', Xxh3Default::new());
    let mut file = input::open(path)?;
    let mut piece = vec![0; PIECE];
    loop {
        match file.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => {
                let read = &piece[..read];
                lines += read.iter().filter(|&&b| b == b'\n').count() as u64;
                bytes += read.len() as u64;
                last = read[read.len() - 1];
                hasher.update(read);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(JobError::reading(path, &error)),
        }
    }
    if bytes == written.bytes && format!("{:016x}", hasher.digest()) == written.xxh3 {
        return Ok(None);
    }
    let name = path.display();
    if lines < written.lines || last != b'\n' {
        let ends = if last == b'\n' { "" } else { " and ends inside a line" };
        let message = format!(
            "{name}: it has {lines} of the {} lines that {SUMMARY} beside it tells{ends}: it was cut short",
            written.lines
        );
        return Err(JobError::input(message).advise(Advice::WriteListsOrMove));
    }
    Ok(Some(ListDoubt::Edited))
}

/// Returns what the summary beside a list says of it, if there is one and it names the list.
fn written(path: &Path) -> Result<Option<Written>> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Ok(None);
    };
    let summary = folder.join(SUMMARY);
    if is_remote(path) || name == "-" {
        return Ok(None);
    }
    let text = match fs::read(&summary) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(JobError::reading(&summary, &error)),
    };
    if text == UNFINISHED {
        let message = format!("{}: the last clustering into this folder did not end", summary.display());
        return Err(JobError::input(message).advise(Advice::ListsOfTwoRuns));
    }
    // Another tool may have a file of this name.
    let Ok(mut value) = serde_json::from_slice::<serde_json::Value>(&text) else { return Ok(None) };
    Ok(serde_json::from_value(value["lists"][name].take()).ok())
}

/// Opens a list, or stdin for `-`, to be read line by line: decompressed, as UTF-8.
///
/// # Errors
/// Errors of [`check`]; the list cannot be read.
pub fn lines(path: &Path) -> Result<Box<dyn BufRead>> {
    check(path)?;
    let mut file: Box<dyn Read + Send> =
        if path.as_os_str() == "-" { Box::new(io::stdin()) } else { input::open(path)? };
    let mut head = Vec::new();
    let opened = file.by_ref().take(MAGIC).read_to_end(&mut head).and_then(|_| {
        let packing = Packing::of_bytes(&head);
        Utf8Reader::new(packing.unpack(Box::new(Cursor::new(head).chain(file)))?)
    });
    Ok(Box::new(BufReader::new(opened.map_err(|error| JobError::reading(path, &error))?)))
}

/// Passes on the lines of a list with their numbers, without line ends.
///
/// # Errors
/// Errors of [`lines`], of UTF-8 that is none, and of `visit`.
pub fn each_line(path: &Path, visit: &mut dyn FnMut(u64, &str) -> Result<()>) -> Result<()> {
    for (number, line) in (1..).zip(lines(path)?.lines()) {
        let line = line.map_err(|error| match error.kind() {
            ErrorKind::InvalidData => {
                let message = format!("{}: line {number} cannot be read: {error}", path.display());
                JobError::input(message).advise(Advice::ConvertList)
            }
            _ => JobError::reading(path, &error),
        })?;
        visit(number, line.strip_suffix('\r').unwrap_or(&line))?;
    }
    Ok(())
}

/// Passes on ids, one per line, in the form of the lists of `cluster`: tab, line end and backslash are `\t`, `\n`, `\r`
/// and `\\`, other control characters `\u001b`. If a number and a text with the same digits are both ids, they are
/// `\#17` and `\"17`. Empty lines are passed over.
///
/// # Errors
/// Errors of [`each_line`]; a line that is no id.
pub fn each_id(path: &Path, visit: &mut dyn FnMut(NamedId) -> Result<()>) -> Result<()> {
    each_line(path, &mut |number, line| {
        if line.is_empty() {
            return Ok(());
        }
        let id = NamedId::of_cell(line).ok_or_else(|| {
            let message = format!(
                "{}: line {number}: {line:?} has a backslash that begins no \\t, \\n, \\r, \\\\ or \\u001b, and \
                 no \\#17 or \\\"17",
                path.display()
            );
            JobError::input(message).advise(Advice::DoubleBackslash)
        })?;
        visit(id)
    })
}

/// Reads ids like [`each_id`].
///
/// # Errors
/// Errors of [`each_id`].
pub fn ids(path: &Path) -> Result<Vec<NamedId>> {
    let mut ids = Vec::new();
    each_id(path, &mut |id| {
        ids.push(id);
        Ok(())
    })?;
    Ok(ids)
}

/// The first ids of a list that were not found, for a message.
#[derive(Debug, Default)]
pub struct UnknownIds {
    count: u64,
    first: Vec<String>,
}

impl UnknownIds {
    /// Number of ids that are named.
    const NAMED: usize = 3;

    /// Counts an id.
    pub fn add(&mut self, id: &str) {
        self.count += 1;
        if self.first.len() < Self::NAMED {
            self.first.push(format!("'{id}'"));
        }
    }

    /// Returns the number of ids.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Names the first ids: `'a', 'b', 'c', ...`.
    pub fn named(&self) -> String {
        let more = if self.count > Self::NAMED as u64 { ", ..." } else { "" };
        self.first.join(", ") + more
    }

    /// Says that nothing of a list is stored.
    pub fn nothing(&self, list: &Path) -> String {
        format!("{}: nothing in this list is stored: {}", list.display(), self.named())
    }
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    /// A folder with a list, and with a summary that tells of another one.
    fn folder(list: &[u8], written: Option<&[u8]>) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("remove.txt");
        fs::write(&path, list).expect("written");
        if let Some(written) = written {
            let lines = written.iter().filter(|&&b| b == b'\n').count();
            let (bytes, xxh3) = (written.len(), format!("{:016x}", xxh3_64(written)));
            let lists = serde_json::json!({"remove.txt": {"lines": lines, "bytes": bytes, "xxh3": xxh3}});
            fs::write(folder.path().join(SUMMARY), serde_json::json!({"lists": lists}).to_string()).expect("written");
        }
        (folder, path)
    }

    fn read(list: &[u8]) -> Vec<String> {
        let (_folder, path) = folder(list, None);
        ids(&path).expect("a list").iter().map(|id| id.as_id().to_owned()).collect()
    }

    #[test]
    fn a_list_is_the_same_in_every_encoding() {
        let utf16 = |units: Vec<u16>| units.into_iter().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        io::Write::write_all(&mut gzip, "\u{feff}a1\r\nä2\n".as_bytes()).expect("written");
        for list in [
            "a1\nä2\n".into(),
            "a1\r\n\r\nä2".into(),
            "\u{feff}a1\nä2\n".into(),
            utf16("\u{feff}a1\r\nä2\r\n".encode_utf16().collect()),
            utf16("a1\nä2".encode_utf16().collect()),
            gzip.finish().expect("written"),
            zstd::bulk::compress("a1\nä2\n".as_bytes(), 0).expect("compressed"),
        ] {
            assert_eq!(read(&list), ["a1", "ä2"], "{list:?}");
        }
        assert_eq!(read(b""), [""; 0]);
        let (_folder, path) = folder(b"a1\n\xe42\n", None);
        let error = ids(&path).expect_err("Latin-1");
        assert!(error.to_string().contains("line 2") && error.advice() == Some(&Advice::ConvertList));
    }

    #[test]
    fn a_list_that_was_cut_short_is_an_error_and_an_edited_one_is_used() {
        let whole = b"a\nb\nc\n";
        let told = |list: &[u8]| {
            let (_folder, path) = folder(list, Some(whole));
            match check(&path) {
                Ok(doubt) => Ok(doubt),
                Err(error) => {
                    assert!(ids(&path).is_err());
                    Err(error.to_string())
                }
            }
        };
        assert_eq!(told(whole), Ok(None));
        let edited = Ok(Some(ListDoubt::Edited));
        assert_eq!((told(b"a\nb\nd\n"), told(b"a\nb\nc\nd\n")), (edited.clone(), edited));
        for cut in (0..whole.len()).map(|len| &whole[..len]).chain([&b"a\nb\nc\nd"[..]]) {
            let message = told(cut).expect_err("cut short");
            assert!(message.contains("of the 3 lines"), "{message}");
        }
        let (_folder, path) = folder(b"a\nb", None);
        assert!(check(&path).is_ok_and(|doubt| doubt.is_none()), "a list alone is read as it is");
    }
}
