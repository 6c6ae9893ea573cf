//! Pages as revisit records name them: the digest of the payload, the address and the date.

use std::path::PathBuf;
use std::rc::Rc;

use crate::removed::Place;
use nddb_archive::{HttpParts, Options, PageEntry, Position, WholeRecord, path_of, read_record};
use nddb_format::record::Archive;
use sha1::{Digest, Sha1};

/// What two pages with the same payload have in common: the SHA-1 of its bytes and their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Payload {
    sha1: [u8; 20],
    len: u64,
}

impl Payload {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self { sha1: Sha1::digest(bytes).into(), len: bytes.len() as u64 }
    }

    /// Returns the digest as WARC writes it: `sha1:` and base 32.
    pub(super) fn label(&self) -> String {
        const DIGITS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
        // 20 bytes are four times 40 bits: 8 digits each.
        let digits = self.sha1.chunks(5).flat_map(|five| {
            let bits = five.iter().fold(0_u64, |bits, &byte| bits << 8 | u64::from(byte));
            (0..8).rev().map(move |digit| char::from(DIGITS[(bits >> (5 * digit) & 31) as usize]))
        });
        "sha1:".chars().chain(digits).collect()
    }
}

/// The fields by which a revisit record refers to another record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReferredRecord {
    pub(super) url: String,
    /// WARC-Date, as it is written.
    pub(super) date: String,
    pub(super) id: Option<String>,
}

impl ReferredRecord {
    /// Returns address and date, which tell a capture from others, in whatever file it is.
    pub(super) fn capture(&self) -> (&str, &str) {
        (&self.url, &self.date)
    }
}

/// A page that is, or may become, the origin of a revisit record.
pub(super) struct Page {
    pub(super) payload: Payload,
    pub(super) origin: Rc<ReferredRecord>,
}

impl Page {
    /// Returns the page of a record; `None` unless this is a whole HTTP response with all that others refer to.
    pub(super) fn of(record: &WholeRecord) -> Option<Self> {
        let is_in_parts = record.field("warc-truncated").or(record.field("warc-segment-number")).is_some();
        if !record.is("response") || !record.is_whole() || is_in_parts {
            return None;
        }
        let HttpParts { payload, .. } = record.http()?;
        let origin = ReferredRecord {
            url: record.uri("warc-target-uri").filter(|url| !url.is_empty())?,
            date: String::from_utf8(record.field("warc-date")?.to_vec()).ok()?,
            id: record.uri("warc-record-id").filter(|id| !id.is_empty()),
        };
        Some(Self { payload: Payload::of(payload), origin: Rc::new(origin) })
    }
}

/// The archives of a database, from which earlier pages are read.
pub(super) struct Sources(std::collections::HashMap<u32, (PathBuf, Options)>);

impl Sources {
    pub(super) fn new(archives: &[(u32, Archive)]) -> Self {
        let read = |archive: &Archive| (path_of(&archive.path), Options::from_reading(archive.reading.as_ref()));
        Self(archives.iter().map(|(number, archive)| (*number, read(archive))).collect())
    }

    /// Reads the page at a place, which was fetched at this time; an error if it cannot be read or is another one.
    /// `None` if it is no whole HTTP response in a WARC file.
    pub(super) fn read(&self, place: Place, date: i64) -> Result<Option<Page>, ()> {
        let (path, options) = self.0.get(&place.archive).ok_or(())?;
        let position = Position { offset: place.offset, inner: place.inner, length: 0 };
        match read_record(path, &position, options) {
            Ok((PageEntry { date: Some(found), .. }, record)) if found == date => Ok(Page::of(&record)),
            _ => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_written_in_base_32() {
        // By coreutils: printf words | sha1sum | xxd -r -p | base32.
        assert_eq!(Payload::of(b"").label(), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
        assert_ne!(Payload::of(b"words"), Payload::of(b"word"));
    }
}
