//! Values of `prints` and `documents` (SPEC 9.2 and 9.3).

use xxhash_rust::xxh3::xxh3_64;

use super::cursor::{Cursor, VERSION, put_text};
use super::id::check_id;
use crate::Result;
use crate::error::malformed;

/// Number of min-values of a record (Henzinger 2006, 2: m = 84).
pub const MIN_VALUES: usize = 84;

/// Bytes of a profile.
pub const PROFILE: usize = 295;

/// Value of `prints`: the part of a document that a memtable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Print {
    /// The fingerprint.
    pub fingerprint: u64,
    /// The document has fewer than two tokens: it is in no run, and its fingerprint never matches.
    pub unprinted: bool,
}

impl Print {
    /// Bytes of a value.
    pub const SIZE: usize = 10;

    /// Returns the bytes: version, flags, fingerprint.
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[0] = VERSION;
        bytes[1] = u8::from(self.unprinted);
        bytes[2..].copy_from_slice(&self.fingerprint.to_le_bytes());
        bytes
    }

    /// Reads a value.
    ///
    /// # Errors
    /// [`crate::FormatError`] for the first rule that is broken.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new("print", bytes)?;
        let flags = cursor.u8()?;
        if flags > 1 {
            return malformed("print", 1, "unknown flags are zero");
        }
        let print = Self { fingerprint: cursor.u64()?, unprinted: flags == 1 };
        cursor.end()?;
        Ok(print)
    }
}

/// The location of a document's bytes in an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcePosition {
    /// Number of the archive in `sources`.
    pub archive: u32,
    /// Offset in the file of the compressed member that holds the record, or of the record.
    pub offset: u64,
    /// Offset of the record in the decompressed member, in bytes.
    pub inner: u64,
    /// Bytes of the record.
    pub length: u64,
}

/// Value of `documents`: everything about a document except its fingerprint. Absent parts take no space.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The user's id.
    pub id: String,
    /// The address the page was fetched from.
    pub url: Option<String>,
    /// The site, by the recipe's rule.
    pub site: Option<String>,
    /// When the page was fetched, in seconds since 1970.
    pub date: Option<i64>,
    /// Number of tokens.
    pub tokens: Option<u64>,
    /// Digest of the token sequence (Henzinger 2006, identity sets).
    pub digest: Option<[u8; 16]>,
    /// Low 32 bits of each min-value.
    pub min_values: Option<Box<[u32; MIN_VALUES]>>,
    /// Supershingles of algorithm B: as a rule [`supershingles_of`] the min-values, in which case they take no space.
    pub supershingles: Option<[u64; 6]>,
    /// Projection of algorithm C.
    pub projection: Option<[u64; 6]>,
    /// The location of the page's bytes in an archive.
    pub source: Option<SourcePosition>,
    /// Number of the batch that the document belongs to.
    pub batch: Option<u32>,
    /// The page was truncated at a limit before its terms were found.
    pub truncated: bool,
    /// The small sketches of content, title, headings and numbers that the default verdict compares.
    pub profile: Option<Box<[u8; PROFILE]>>,
}

const URL: u16 = 1;
const SITE: u16 = 1 << 1;
const DATE: u16 = 1 << 2;
const TOKENS: u16 = 1 << 3;
const DIGEST: u16 = 1 << 4;
const MIN_HASH: u16 = 1 << 5;
const SUPERSHINGLES: u16 = 1 << 6;
const PROJECTION: u16 = 1 << 7;
const SOURCE: u16 = 1 << 8;
const BATCH: u16 = 1 << 9;
const TRUNCATED: u16 = 1 << 10;
const PROFILED: u16 = 1 << 11;
const HASHED: u16 = 1 << 12;
const KNOWN: u16 = (1 << 13) - 1;

/// The optional parts in the order of their flag bits, as SPEC.md lists them: name and size, 0 for text.
pub const PARTS: [(&str, usize); 13] = [
    ("url", 0),
    ("site", 0),
    ("date", 8),
    ("tokens", 8),
    ("digest", 16),
    ("min_values", 4 * MIN_VALUES),
    ("supershingles", 48),
    ("projection", 48),
    ("source", 28),
    ("batch", 4),
    ("truncated", 0),
    ("profile", PROFILE),
    ("hashed", 0),
];

/// Supershingles of a page, m' of Henzinger 2006, 2.
const SUPERSHINGLES_LEN: usize = 6;

/// Returns the supershingles of min-values: XXH3 (64 bits, seed 0) of each run of 14, 4 bytes each, little-endian
/// (Henzinger 2006, 2).
pub fn supershingles_of(min_values: &[u32; MIN_VALUES]) -> [u64; SUPERSHINGLES_LEN] {
    const RUN: usize = MIN_VALUES / SUPERSHINGLES_LEN;
    let bytes = min_values.map(u32::to_le_bytes);
    let (runs, _) = bytes.as_chunks::<RUN>();
    std::array::from_fn(|index| xxh3_64(runs[index].as_flattened()))
}

impl Record {
    fn flags(&self) -> u16 {
        let flag = |present: bool, flag: u16| if present { flag } else { 0 };
        flag(self.url.is_some(), URL)
            | flag(self.site.is_some(), SITE)
            | flag(self.date.is_some(), DATE)
            | flag(self.tokens.is_some(), TOKENS)
            | flag(self.digest.is_some(), DIGEST)
            | flag(self.min_values.is_some(), MIN_HASH)
            | match (self.supershingles, &self.min_values) {
                (Some(supershingles), Some(values)) if supershingles == supershingles_of(values) => HASHED,
                (supershingles, _) => flag(supershingles.is_some(), SUPERSHINGLES),
            }
            | flag(self.projection.is_some(), PROJECTION)
            | flag(self.source.is_some(), SOURCE)
            | flag(self.batch.is_some(), BATCH)
            | flag(self.truncated, TRUNCATED)
            | flag(self.profile.is_some(), PROFILED)
    }

    /// Returns whether the record has nothing but an id and perhaps a batch.
    pub fn is_bare(&self) -> bool {
        // Min-values are checked first, because with them computing the flags would hash them.
        self.min_values.is_none() && self.flags() & !BATCH == 0
    }

    /// Appends the bytes to `out`: version, flags, id, then the parts that the flags name.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        let flags = self.flags();
        out.push(VERSION);
        out.extend_from_slice(&flags.to_le_bytes());
        put_text(out, &self.id);
        for text in [&self.url, &self.site].into_iter().flatten() {
            put_text(out, text);
        }
        if let Some(date) = self.date {
            out.extend_from_slice(&date.to_le_bytes());
        }
        if let Some(tokens) = self.tokens {
            out.extend_from_slice(&tokens.to_le_bytes());
        }
        if let Some(digest) = &self.digest {
            out.extend_from_slice(digest);
        }
        if let Some(values) = &self.min_values {
            values.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
        }
        let stored = self.supershingles.filter(|_| flags & SUPERSHINGLES != 0);
        for words in [stored, self.projection].into_iter().flatten() {
            words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
        }
        if let Some(source) = &self.source {
            out.extend_from_slice(&source.archive.to_le_bytes());
            for word in [source.offset, source.inner, source.length] {
                out.extend_from_slice(&word.to_le_bytes());
            }
        }
        if let Some(batch) = self.batch {
            out.extend_from_slice(&batch.to_le_bytes());
        }
        if let Some(profile) = &self.profile {
            out.extend_from_slice(&profile[..]);
        }
    }

    /// Encodes the record.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.encode_into(&mut out);
        out
    }

    /// Reads a value.
    ///
    /// # Errors
    /// [`crate::FormatError`] for the first rule that is broken.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new("record", bytes)?;
        let flags = cursor.u16()?;
        if flags & !KNOWN != 0 {
            return malformed("record", 1, "unknown flags are zero");
        }
        if flags & HASHED != 0 && flags & (MIN_HASH | SUPERSHINGLES) != MIN_HASH {
            return malformed("record", 1, "supershingles are left out where min-values give them");
        }
        let id = cursor.text()?.to_owned();
        check_id(&id)?;
        fn part<'a, T>(
            flags: u16,
            flag: u16,
            cursor: &mut Cursor<'a>,
            read: fn(&mut Cursor<'a>) -> Result<T>,
        ) -> Result<Option<T>> {
            if flags & flag == 0 { Ok(None) } else { read(cursor).map(Some) }
        }
        let words = |cursor: &mut Cursor<'_>| -> Result<[u64; 6]> {
            let mut words = [0; 6];
            words.iter_mut().try_for_each(|word| cursor.u64().map(|value| *word = value))?;
            Ok(words)
        };
        let mut record = Self {
            id,
            url: part(flags, URL, &mut cursor, |cursor| cursor.text().map(str::to_owned))?,
            site: part(flags, SITE, &mut cursor, |cursor| cursor.text().map(str::to_owned))?,
            date: part(flags, DATE, &mut cursor, |cursor| Ok(i64::from_le_bytes(cursor.array()?)))?,
            tokens: part(flags, TOKENS, &mut cursor, Cursor::u64)?,
            digest: part(flags, DIGEST, &mut cursor, Cursor::array)?,
            min_values: part(flags, MIN_HASH, &mut cursor, |cursor| {
                let mut values = Box::new([0; MIN_VALUES]);
                values.iter_mut().try_for_each(|value| cursor.u32().map(|read| *value = read))?;
                Ok(values)
            })?,
            supershingles: part(flags, SUPERSHINGLES, &mut cursor, words)?,
            projection: part(flags, PROJECTION, &mut cursor, words)?,
            source: part(flags, SOURCE, &mut cursor, |cursor| {
                Ok(SourcePosition {
                    archive: cursor.u32()?,
                    offset: cursor.u64()?,
                    inner: cursor.u64()?,
                    length: cursor.u64()?,
                })
            })?,
            batch: part(flags, BATCH, &mut cursor, Cursor::u32)?,
            truncated: flags & TRUNCATED != 0,
            profile: part(flags, PROFILED, &mut cursor, |cursor| cursor.array().map(Box::new))?,
        };
        cursor.end()?;
        if flags & HASHED != 0 {
            record.supershingles = record.min_values.as_deref().map(supershingles_of);
        }
        Ok(record)
    }

    /// Decodes the id, url and site of a value and nothing else.
    ///
    /// # Errors
    /// [`crate::FormatError`] if the beginning of the value is malformed.
    pub fn head_of(bytes: &[u8]) -> Result<Head<'_>> {
        let mut cursor = Cursor::new("record", bytes)?;
        let flags = cursor.u16()?;
        let id = cursor.text()?;
        let url = if flags & URL != 0 { Some(cursor.text()?) } else { None };
        let site = if flags & SITE != 0 { Some(cursor.text()?) } else { None };
        Ok(Head { id, url, site })
    }
}

/// The beginning of a record, as shown in answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head<'a> {
    /// The user's id.
    pub id: &'a str,
    /// The address the page was fetched from.
    pub url: Option<&'a str>,
    /// Its site.
    pub site: Option<&'a str>,
}
