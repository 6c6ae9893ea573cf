//! Values of `prints` and `documents` (SPEC 9.2 and 9.3).

use xxhash_rust::xxh3::Xxh3Default;

use super::cursor::{Cursor, VERSION, put_text};
use super::id::check_id;
use crate::Result;
use crate::error::malformed;
use crate::parts::Parts;

/// Number of min-values of a document (Henzinger 2006, 2: m = 84).
pub const MIN_VALUES: usize = 84;

/// Bytes of a profile.
pub const PROFILE: usize = 303;

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
    /// A byte of each min-value: see [`min_byte`].
    pub min_bytes: Option<Box<[u8; MIN_VALUES]>>,
    /// Supershingles of algorithm B.
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
    /// The words of the page as its compared text, if the database keeps words.
    pub words: Option<String>,
    /// Characters of the text were replaced before it was stored (SPEC 9.3).
    pub garbled: bool,
    /// Digest of the page as it was read: see [`page_digest`].
    pub page: Option<[u8; 16]>,
    /// Number of distinct tokens.
    pub distinct: Option<u32>,
    /// The parts of the text, if the database keeps parts.
    pub parts: Option<Box<Parts>>,
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
const MARKED: u16 = 1 << 10;
const PROFILED: u16 = 1 << 11;
const WORDS: u16 = 1 << 12;
const PAGE: u16 = 1 << 13;
const DISTINCT: u16 = 1 << 14;
const PARTED: u16 = 1 << 15;

/// Bits of the marks.
const TRUNCATED: u8 = 1;
const GARBLED: u8 = 2;

/// The optional parts in the order of their flag bits, as SPEC.md lists them: name and size, 0 for text.
pub const PARTS: [(&str, usize); 16] = [
    ("url", 0),
    ("site", 0),
    ("date", 8),
    ("tokens", 8),
    ("digest", 16),
    ("min_bytes", MIN_VALUES),
    ("supershingles", 48),
    ("projection", 48),
    ("source", 28),
    ("batch", 4),
    ("marks", 1),
    ("profile", PROFILE),
    ("words", 0),
    ("page", 16),
    ("distinct", 4),
    ("parts", 0),
];

/// Returns the byte of a min-value that is stored and compared: the top one of its product with an odd number. Equal
/// min-values have equal bytes; so does one in 256 pairs of different ones (b-bit minwise hashing, Li and Koenig 2010).
/// The lowest byte would do as well, except for contents of one shingle, whose 84 min-values have equal low bytes
/// either all together or not at all.
#[inline]
pub fn min_byte(value: u32) -> u8 {
    (value.wrapping_mul(0x9e37_79b1) >> 24) as u8
}

/// Returns the digest of a page as it was read: whether it is markup, the declared character set, and the bytes after
/// transfer and content decoding.
pub fn page_digest(is_markup: bool, charset: &str, body: &[u8]) -> [u8; 16] {
    let mut hash = Xxh3Default::new();
    hash.update(if is_markup { b"h" } else { b"t" });
    hash.update(charset.as_bytes());
    hash.update(&[0]);
    hash.update(body);
    hash.digest128().to_be_bytes()
}

fn marks_of(cursor: &mut Cursor<'_>) -> Result<u8> {
    let at = cursor.at();
    match cursor.u8()? {
        marks @ 1..=3 => Ok(marks),
        _ => malformed("record", at, "marks are 1 to 3"),
    }
}

impl Record {
    fn marks(&self) -> u8 {
        (u8::from(self.truncated) * TRUNCATED) | (u8::from(self.garbled) * GARBLED)
    }

    fn flags(&self) -> u16 {
        let flag = |present: bool, flag: u16| if present { flag } else { 0 };
        flag(self.url.is_some(), URL)
            | flag(self.site.is_some(), SITE)
            | flag(self.date.is_some(), DATE)
            | flag(self.tokens.is_some(), TOKENS)
            | flag(self.digest.is_some(), DIGEST)
            | flag(self.min_bytes.is_some(), MIN_HASH)
            | flag(self.supershingles.is_some(), SUPERSHINGLES)
            | flag(self.projection.is_some(), PROJECTION)
            | flag(self.source.is_some(), SOURCE)
            | flag(self.batch.is_some(), BATCH)
            | flag(self.marks() != 0, MARKED)
            | flag(self.profile.is_some(), PROFILED)
            | flag(self.words.is_some(), WORDS)
            | flag(self.page.is_some(), PAGE)
            | flag(self.distinct.is_some(), DISTINCT)
            | flag(self.parts.is_some(), PARTED)
    }

    /// Returns whether the record has nothing but an id and perhaps a batch.
    pub fn is_bare(&self) -> bool {
        self.flags() & !BATCH == 0
    }

    /// Appends the bytes to `out`: version, flags, id, then the parts that the flags name.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        out.push(VERSION);
        out.extend_from_slice(&self.flags().to_le_bytes());
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
        if let Some(bytes) = &self.min_bytes {
            out.extend_from_slice(&bytes[..]);
        }
        for words in [self.supershingles, self.projection].into_iter().flatten() {
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
        if self.marks() != 0 {
            out.push(self.marks());
        }
        if let Some(profile) = &self.profile {
            out.extend_from_slice(&profile[..]);
        }
        if let Some(words) = &self.words {
            put_text(out, words);
        }
        if let Some(page) = &self.page {
            out.extend_from_slice(page);
        }
        if let Some(distinct) = self.distinct {
            out.extend_from_slice(&distinct.to_le_bytes());
        }
        if let Some(parts) = &self.parts {
            parts.encode_into(out);
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
        let marks;
        let record = Self {
            id,
            url: part(flags, URL, &mut cursor, |cursor| cursor.text().map(str::to_owned))?,
            site: part(flags, SITE, &mut cursor, |cursor| cursor.text().map(str::to_owned))?,
            date: part(flags, DATE, &mut cursor, |cursor| Ok(i64::from_le_bytes(cursor.array()?)))?,
            tokens: part(flags, TOKENS, &mut cursor, Cursor::u64)?,
            digest: part(flags, DIGEST, &mut cursor, Cursor::array)?,
            min_bytes: part(flags, MIN_HASH, &mut cursor, |cursor| cursor.array().map(Box::new))?,
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
            truncated: {
                marks = part(flags, MARKED, &mut cursor, marks_of)?.unwrap_or(0);
                marks & TRUNCATED != 0
            },
            garbled: marks & GARBLED != 0,
            profile: part(flags, PROFILED, &mut cursor, |cursor| cursor.array().map(Box::new))?,
            words: part(flags, WORDS, &mut cursor, |cursor| cursor.text().map(str::to_owned))?,
            page: part(flags, PAGE, &mut cursor, Cursor::array)?,
            distinct: part(flags, DISTINCT, &mut cursor, Cursor::u32)?,
            parts: part(flags, PARTED, &mut cursor, |cursor| Parts::decode(cursor).map(Box::new))?,
        };
        cursor.end()?;
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
