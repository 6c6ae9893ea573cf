//! Values of `batches`, `sources` and `meta` (SPEC 9.4 to 9.6).

use super::cursor::{Cursor, VERSION, put_text};
use crate::Result;
use crate::error::malformed;
use crate::scheme::{K_MAX, LEVELS_MAX};

/// Visibility of the documents of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum BatchState {
    /// A mere label: its documents become visible when they are committed.
    Open = 0,
    /// Its documents are invisible until the batch is committed.
    Pending = 1,
    /// Cancelled: its documents are deleted.
    Cancelled = 2,
    /// The batch is being committed: like `Open`, while the documents that it replaces are being deleted.
    Committing = 3,
}

/// A batch: a named set of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Number of the batch.
    pub number: u32,
    /// State of the batch.
    pub state: BatchState,
}

impl Batch {
    /// Returns the bytes: version, state, number.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![VERSION, self.state as u8];
        out.extend_from_slice(&self.number.to_le_bytes());
        out
    }

    /// Reads a value.
    ///
    /// # Errors
    /// [`crate::FormatError`] for the first rule that is broken.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new("batch", bytes)?;
        let state = match cursor.u8()? {
            0 => BatchState::Open,
            1 => BatchState::Pending,
            2 => BatchState::Cancelled,
            3 => BatchState::Committing,
            _ => return malformed("batch", 1, "a batch is open, pending, cancelled or being committed"),
        };
        let batch = Self { number: cursor.u32()?, state };
        cursor.end()?;
        Ok(batch)
    }
}

/// State of a number range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RangeState {
    /// Its documents are visible.
    Committed = 0,
    /// The range belongs to a pending batch.
    Pending = 1,
    /// A bulk load reserved the range and has not finished: opening cancels it.
    Loading = 2,
    /// Its numbers are deleted.
    Cancelled = 3,
}

/// A range of document numbers that is labelled, pending or bulk loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// One more than the greatest number; the least is in the key.
    pub high: u64,
    /// State of the range.
    pub state: RangeState,
    /// Number of the batch that the range belongs to, 0 for none.
    pub batch: u32,
}

impl Range {
    /// Returns the bytes: version, state, batch, high.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![VERSION, self.state as u8];
        out.extend_from_slice(&self.batch.to_le_bytes());
        out.extend_from_slice(&self.high.to_le_bytes());
        out
    }

    /// Reads a value.
    ///
    /// # Errors
    /// [`crate::FormatError`] for the first rule that is broken.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new("number range", bytes)?;
        let state = match cursor.u8()? {
            0 => RangeState::Committed,
            1 => RangeState::Pending,
            2 => RangeState::Loading,
            3 => RangeState::Cancelled,
            _ => return malformed("number range", 1, "a range is committed, pending, loading or cancelled"),
        };
        let range = Self { batch: cursor.u32()?, high: cursor.u64()?, state };
        cursor.end()?;
        Ok(range)
    }
}

/// The document numbers of one bulk load, whose documents are ordered only by their dates and ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// One more than the greatest number; the least is in the key.
    pub high: u64,
}

impl Load {
    /// Returns the bytes: version, high.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        out.extend_from_slice(&self.high.to_le_bytes());
        out
    }

    /// Reads a value.
    ///
    /// # Errors
    /// [`crate::FormatError`] for the first rule that is broken.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new("load", bytes)?;
        let load = Self { high: cursor.u64()? };
        cursor.end()?;
        Ok(load)
    }
}

/// An archive that documents were loaded from, and its progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archive {
    /// Path of the archive when it was loaded.
    pub path: String,
    /// Bytes of the file.
    pub size: u64,
    /// Hash of the first and last 64 KB of the file.
    pub hash: [u8; 16],
    /// Every document of the archive has been loaded.
    pub finished: bool,
    /// The resume point: offset of a member in the file, in bytes.
    pub offset: u64,
    /// The resume point: offset in the decompressed member, in bytes.
    pub inner: u64,
    /// Number of documents loaded from the archive.
    pub documents: u64,
    /// When the file was last modified before it was read, in nanoseconds since 1970; 0 if unknown.
    pub modified: u64,
    /// The options with which it was read, unless they were the default.
    pub reading: Option<Reading>,
}

/// The options with which an archive was read: needed to find the same pages in it again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reading {
    /// Size at which records and pages are truncated, in bytes.
    pub limit: u64,
    /// Name of the format, `auto` if it is recognised.
    pub format: String,
    /// Names of the JSON fields of id, text, HTML, fingerprint and URL.
    pub fields: [String; 5],
}

/// Version of the layout of an archive with a [`Reading`]; an archive without one has [`VERSION`].
const VERSION_READING: u8 = 2;

impl Archive {
    /// Returns an archive of which nothing has been read.
    pub fn unread(path: String, size: u64, hash: [u8; 16], modified: u64, reading: Option<Reading>) -> Self {
        Self { path, size, hash, finished: false, offset: 0, inner: 0, documents: 0, modified, reading }
    }

    /// Returns the archive as if nothing had been read of it.
    pub fn again(self) -> Self {
        let Self { path, size, hash, modified, reading, .. } = self;
        Self::unread(path, size, hash, modified, reading)
    }

    /// Returns the bytes: version, finished, size, hash, offset, inner, documents, modified, path, and the reading if
    /// any.
    pub fn encode(&self) -> Vec<u8> {
        let version = if self.reading.is_some() { VERSION_READING } else { VERSION };
        let mut out = vec![version, u8::from(self.finished)];
        out.extend_from_slice(&self.size.to_le_bytes());
        out.extend_from_slice(&self.hash);
        for word in [self.offset, self.inner, self.documents, self.modified] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        put_text(&mut out, &self.path);
        if let Some(Reading { limit, format, fields }) = &self.reading {
            out.extend_from_slice(&limit.to_le_bytes());
            put_text(&mut out, format);
            fields.iter().for_each(|field| put_text(&mut out, field));
        }
        out
    }

    /// Reads a value.
    ///
    /// # Errors
    /// [`crate::FormatError`] for the first rule that is broken.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::up_to(VERSION_READING, "archive", bytes)?;
        let finished = match cursor.u8()? {
            0 => false,
            1 => true,
            _ => return malformed("archive", 1, "an archive is finished or not"),
        };
        let mut archive = Self {
            finished,
            size: cursor.u64()?,
            hash: cursor.array()?,
            offset: cursor.u64()?,
            inner: cursor.u64()?,
            documents: cursor.u64()?,
            modified: cursor.u64()?,
            path: cursor.text()?.to_owned(),
            reading: None,
        };
        if bytes[0] == VERSION_READING {
            let (limit, format) = (cursor.u64()?, cursor.text()?.to_owned());
            let mut fields: [String; 5] = Default::default();
            for field in &mut fields {
                cursor.text()?.clone_into(field);
            }
            archive.reading = Some(Reading { limit, format, fields });
        }
        cursor.end()?;
        Ok(archive)
    }
}

/// Row `settings` of `meta`: the parameters fixed when a database is created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Identity of the catalog; the manifest repeats it.
    pub catalog: u128,
    /// Width of a fingerprint, in bits.
    pub bits: u8,
    /// Greatest distance that probes answer.
    pub k: u8,
    /// Levels of the scheme of new runs; `None` if the planner chooses for each run.
    pub levels: Option<Vec<u8>>,
    /// Restart interval of new runs.
    pub restart: u16,
    /// Name and version of the recipe.
    pub recipe: String,
    /// Whether the texts of pages are kept.
    pub keeps_words: bool,
}

impl Settings {
    /// Returns the bytes: version, bits, k, flags (1: levels are fixed, 2: texts are kept), levels, 4 groups, restart, catalog,
    /// recipe.
    pub fn encode(&self) -> Vec<u8> {
        let levels = self.levels.as_deref().unwrap_or(&[]);
        let mut groups = [0; LEVELS_MAX];
        groups[..levels.len()].copy_from_slice(levels);
        let flags = u8::from(self.levels.is_some()) | u8::from(self.keeps_words) << 1;
        let mut out = vec![VERSION, self.bits, self.k, flags, levels.len() as u8];
        out.extend_from_slice(&groups);
        out.extend_from_slice(&self.restart.to_le_bytes());
        out.extend_from_slice(&self.catalog.to_le_bytes());
        put_text(&mut out, &self.recipe);
        out
    }

    /// Reads a value.
    ///
    /// # Errors
    /// [`crate::FormatError`] for the first rule that is broken.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new("settings", bytes)?;
        let (bits, k, flags, len) = (cursor.u8()?, cursor.u8()?, cursor.u8()?, usize::from(cursor.u8()?));
        crate::fingerprint::check_bits(bits)?;
        if k > K_MAX || k >= bits {
            return malformed("settings", 2, "k is at most 7 and less than bits");
        }
        let groups: [u8; LEVELS_MAX] = cursor.array()?;
        if flags > 3 || len > LEVELS_MAX || groups[len..].iter().any(|&byte| byte != 0) {
            return malformed("settings", 3, "levels are chosen or not, at most 4, zeros after them");
        }
        let settings = Self {
            bits,
            k,
            levels: (flags & 1 == 1).then(|| groups[..len].to_vec()),
            restart: cursor.u16()?,
            catalog: u128::from_le_bytes(cursor.array()?),
            recipe: cursor.text()?.to_owned(),
            keeps_words: flags & 2 == 2,
        };
        cursor.end()?;
        Ok(settings)
    }
}

/// Row `counters` of `meta`, written with every commit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// The next document number; all below it are used or abandoned.
    pub next_number: u64,
    /// Number of commits so far.
    pub commits: u64,
    /// Number of documents that are not deleted, pending ones included.
    pub live: u64,
    /// Number of the next archive.
    pub next_archive: u32,
    /// Number of the next batch.
    pub next_batch: u32,
}

impl Counters {
    /// Returns the bytes: version, then the fields in order.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        for word in [self.next_number, self.commits, self.live] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.extend_from_slice(&self.next_archive.to_le_bytes());
        out.extend_from_slice(&self.next_batch.to_le_bytes());
        out
    }

    /// Reads a value.
    ///
    /// # Errors
    /// [`crate::FormatError`] for the first rule that is broken.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new("counters", bytes)?;
        let counters = Self {
            next_number: cursor.u64()?,
            commits: cursor.u64()?,
            live: cursor.u64()?,
            next_archive: cursor.u32()?,
            next_batch: cursor.u32()?,
        };
        cursor.end()?;
        Ok(counters)
    }
}
