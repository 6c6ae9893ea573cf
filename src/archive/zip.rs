//! WACZ: web archives inside a zip file, in its folder `archive/`.
//!
//! The archives are stored without compression, so that a record can be read at its place. They are read as one
//! stream, one after the other in the order of the zip's directory, and positions are offsets in this stream. Whatever
//! else is in the zip (an index, a list of pages) is not read.

use std::io::{self, Read, Seek, SeekFrom};

use super::packed;
use super::source::ReadSeek;
use super::{gzip, zstandard};

/// The first bytes of a zip file.
const MAGIC: &[u8; 4] = b"PK\x03\x04";
const DIRECTORY_ENTRY: &[u8; 4] = b"PK\x01\x02";
const DIRECTORY_END: &[u8; 4] = b"PK\x05\x06";
const DIRECTORY_END_64: &[u8; 4] = b"PK\x06\x06";
const LOCATOR_64: &[u8; 4] = b"PK\x06\x07";
/// Sizes of these records, without parts of variable length.
const LOCAL_LEN: u64 = 30;
const ENTRY_LEN: usize = 46;
const END_LEN: usize = 22;
const END_64_LEN: usize = 56;
const LOCATOR_LEN: usize = 20;
/// Longest comment at the end of a zip file.
const COMMENT_MAX: u64 = 0xffff;
/// Largest directory that is read, in bytes.
const DIRECTORY_MAX: u64 = 64 << 20;
/// The folder of the archives.
const FOLDER: &[u8] = b"archive/";

/// A file in the zip: where its bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    /// Offset in the stream of all spans.
    begin: u64,
    /// Offset in the zip file.
    offset: u64,
    len: u64,
}

/// The archives of a WACZ file as one stream.
pub(super) struct Archives {
    file: Box<dyn ReadSeek>,
    spans: Vec<Span>,
    at: u64,
    len: u64,
}

/// The result of looking for archives in a file.
pub(super) enum ZipArchives {
    /// The file is no zip file, or one without archives: it is given back.
    None(Box<dyn ReadSeek>),
    /// The archives of a WACZ file, and their number of bytes.
    Archives(Archives, u64),
    /// The archives cannot be read, for this reason.
    Unusable(&'static str),
}

/// Looks for archives in a file of this size.
pub(super) fn archives(mut file: Box<dyn ReadSeek>, size: u64) -> io::Result<ZipArchives> {
    if read_at(&mut file, 0, MAGIC.len(), size)?.is_none_or(|head| head != MAGIC) {
        file.seek(SeekFrom::Start(0))?;
        return Ok(ZipArchives::None(file));
    }
    let spans = match directory(&mut file, size)? {
        Some(directory) => spans(&directory, &mut file, size)?,
        None => {
            Err("its directory, which is at the end of a zip file, cannot be read: complete the file, or unpack it")
        }
    };
    match spans {
        Ok(spans) if spans.is_empty() => {
            file.seek(SeekFrom::Start(0))?;
            Ok(ZipArchives::None(file))
        }
        Ok(spans) => {
            let len = spans.iter().map(|span| span.len).sum();
            Ok(ZipArchives::Archives(Archives { file, spans, at: 0, len }, len))
        }
        Err(why) => Ok(ZipArchives::Unusable(why)),
    }
}

/// Reads bytes at an offset; `None` if the file ends before.
fn read_at(file: &mut dyn ReadSeek, offset: u64, len: usize, size: u64) -> io::Result<Option<Vec<u8>>> {
    if offset.checked_add(len as u64).is_none_or(|end| end > size) {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = vec![0; len];
    match file.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads the directory, which lists the files of a zip file; `None` if there is none.
fn directory(file: &mut dyn ReadSeek, size: u64) -> io::Result<Option<Vec<u8>>> {
    let tail_len = size.min(COMMENT_MAX + END_LEN as u64);
    let tail_begin = size - tail_len;
    let Some(tail) = read_at(file, tail_begin, tail_len as usize, size)? else { return Ok(None) };
    // The comment may contain anything, so the last end whose comment reaches to the end of the file is meant.
    let is_end = |at: &usize| {
        let comment = tail.get(at + 20..at + END_LEN).map(|len| u16::from_le_bytes([len[0], len[1]]));
        comment.is_some_and(|comment| at + END_LEN + usize::from(comment) == tail.len())
    };
    let Some(at) = memchr::memmem::rfind_iter(&tail, DIRECTORY_END).find(is_end) else { return Ok(None) };
    let (mut len, mut offset) = (number(&tail, at + 12, 4), number(&tail, at + 16, 4));
    if len == Some(u64::from(u32::MAX)) || offset == Some(u64::from(u32::MAX)) {
        let end = tail_begin + at as u64;
        let Some(locator) = end.checked_sub(LOCATOR_LEN as u64) else { return Ok(None) };
        let Some(locator) = read_at(file, locator, LOCATOR_LEN, size)? else { return Ok(None) };
        let place = number(&locator, 8, 8).filter(|_| locator.starts_with(LOCATOR_64));
        let Some(place) = place else { return Ok(None) };
        let Some(end) = read_at(file, place, END_64_LEN, size)? else { return Ok(None) };
        if !end.starts_with(DIRECTORY_END_64) {
            return Ok(None);
        }
        (len, offset) = (number(&end, 40, 8), number(&end, 48, 8));
    }
    match (len, offset) {
        (Some(len), Some(offset)) if len <= DIRECTORY_MAX => read_at(file, offset, len as usize, size),
        _ => Ok(None),
    }
}

/// Returns the archives of a directory.
fn spans(directory: &[u8], file: &mut dyn ReadSeek, size: u64) -> io::Result<Result<Vec<Span>, &'static str>> {
    const BROKEN: &str = "its directory is damaged";
    let (mut spans, mut begin, mut kind) = (Vec::new(), 0_u64, None);
    let mut rest = directory;
    while !rest.is_empty() {
        let Some((entry, after)) = Entry::read(rest) else { return Ok(Err(BROKEN)) };
        rest = after;
        if !is_archive(entry.name) {
            continue;
        }
        if entry.is_encrypted {
            return Ok(Err("an archive in it is encrypted; unpack it"));
        }
        if entry.method != 0 || entry.len != entry.packed_len {
            return Ok(Err("an archive in it is compressed by zip, and not just stored; unpack it, and read archive/"));
        }
        let Some(local) = read_at(file, entry.offset, LOCAL_LEN as usize, size)? else { return Ok(Err(BROKEN)) };
        let Some(names) = number(&local, 26, 2).zip(number(&local, 28, 2)).filter(|_| local.starts_with(MAGIC)) else {
            return Ok(Err(BROKEN));
        };
        let offset = entry.offset + LOCAL_LEN + names.0 + names.1;
        // Files that overlap would be more than the zip file.
        let total = begin.checked_add(entry.len).filter(|&total| total <= size);
        let (Some(total), Some(_)) = (total, offset.checked_add(entry.len).filter(|&end| end <= size)) else {
            return Ok(Err(BROKEN));
        };
        if entry.len == 0 {
            continue;
        }
        let head = read_at(file, offset, entry.len.min(8) as usize, size)?.unwrap_or_default();
        let found = compression(&head);
        if *kind.get_or_insert(found) != found {
            return Ok(Err("its archives are compressed in different ways; unpack it, and read archive/"));
        }
        spans.push(Span { begin, offset, len: entry.len });
        begin = total;
    }
    Ok(Ok(spans))
}

/// Returns a number that tells how a file is compressed.
fn compression(head: &[u8]) -> u8 {
    match head {
        _ if head.starts_with(&gzip::MAGIC) => 1,
        _ if head.starts_with(&zstandard::MAGIC) || zstandard::is_skippable(head) => 2,
        _ if packed::packing(head).is_some() => 3,
        _ => 0,
    }
}

/// Returns whether a file of a WACZ is a web archive.
fn is_archive(name: &[u8]) -> bool {
    let Some(name) = name.strip_prefix(FOLDER) else { return false };
    let name = name.to_ascii_lowercase();
    [&b".warc"[..], b".warc.gz", b".warc.zst"].iter().any(|end| name.ends_with(end))
}

/// An entry of the directory.
struct Entry<'a> {
    name: &'a [u8],
    is_encrypted: bool,
    /// 0 for files that are stored as they are.
    method: u64,
    packed_len: u64,
    len: u64,
    /// Offset of the header before the file.
    offset: u64,
}

impl Entry<'_> {
    /// Reads an entry; returns it and the bytes after it.
    fn read(bytes: &[u8]) -> Option<(Entry<'_>, &[u8])> {
        if !bytes.starts_with(DIRECTORY_ENTRY) {
            return None;
        }
        let field = |at, len| number(bytes, at, len);
        let sizes = [28, 30, 32].map(|at| field(at, 2));
        let [name_len, extra_len, comment_len] = [sizes[0]? as usize, sizes[1]? as usize, sizes[2]? as usize];
        let name = bytes.get(ENTRY_LEN..ENTRY_LEN + name_len)?;
        let extra = bytes.get(ENTRY_LEN + name_len..ENTRY_LEN + name_len + extra_len)?;
        let after = bytes.get(ENTRY_LEN + name_len + extra_len + comment_len..)?;
        // What does not fit into 32 bits is in a field of its own, in this order.
        let mut large = zip64(extra);
        let mut wide = |value: u64| {
            if value != u64::from(u32::MAX) {
                return Some(value);
            }
            let wide = number(large, 0, 8)?;
            large = &large[8..];
            Some(wide)
        };
        let len = wide(field(24, 4)?)?;
        let packed_len = wide(field(20, 4)?)?;
        let offset = wide(field(42, 4)?)?;
        let (is_encrypted, method) = (field(8, 2)? & 1 != 0, field(10, 2)?);
        Some((Entry { name, is_encrypted, method, packed_len, len, offset }, after))
    }
}

/// Returns the content of the extra field with sizes of 64 bits; empty if there is none.
fn zip64(mut extra: &[u8]) -> &[u8] {
    while let (Some(id), Some(len)) = (number(extra, 0, 2), number(extra, 2, 2)) {
        let Some(content) = extra.get(4..4 + len as usize) else { break };
        if id == 1 {
            return content;
        }
        extra = &extra[4 + len as usize..];
    }
    &[]
}

/// Returns a number of up to eight bytes, the least significant first.
fn number(bytes: &[u8], at: usize, len: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(len)?)?;
    Some(bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
}

impl Read for Archives {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let index = self.spans.partition_point(|span| span.begin <= self.at).saturating_sub(1);
        let Some(span) = self.spans.get(index) else { return Ok(0) };
        let inside = self.at - span.begin;
        let len = (span.len.saturating_sub(inside)).min(out.len() as u64) as usize;
        if len == 0 {
            return Ok(0);
        }
        self.file.seek(SeekFrom::Start(span.offset + inside))?;
        let read = self.file.read(&mut out[..len])?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for Archives {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.len.checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.at)
    }
}
