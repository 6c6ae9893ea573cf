//! The removed documents, each compressed against the one that is kept instead.
//!
//! Documents of a group are far from each other in the inputs: while these are filtered, the documents are copied to
//! a temporary file, and then written group by group.

mod file;
mod restore;

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_128;

use self::file::{Document, SHORT, Writer};
pub(super) use self::restore::{Restore, restore};
use super::lists::Fate;
use crate::failure::{Failure, Result};
use crate::inputs::Packing;

/// The document that is kept for each removed one. Memory: 50 bytes for each, and the ids of the kept ones.
#[derive(Default)]
pub(super) struct KeptFor {
    /// By the hash of its id, the index of the kept document of each removed one.
    removed: HashMap<u128, u32>,
    /// By the hash of its id, the index of each kept document.
    kept: HashMap<u128, u32>,
    /// Ids of kept documents.
    ids: Vec<String>,
}

impl KeptFor {
    /// Adds a removed document and the one that is kept instead.
    pub(super) fn add(&mut self, id: &str, kept: &str) {
        let next = self.ids.len() as u32;
        let index = *self.kept.entry(hash(kept)).or_insert(next);
        if index == next {
            self.ids.push(kept.to_owned());
        }
        self.removed.insert(hash(id), index);
    }
}

fn hash(id: &str) -> u128 {
    xxh3_128(id.as_bytes())
}

/// A document in the temporary file.
struct Held {
    /// The index of the kept document; those that no document is kept for have a group each.
    group: u32,
    is_removed: bool,
    id: Box<str>,
    file: u32,
    packing: Packing,
    /// Its place in the temporary file.
    at: u64,
    length: u64,
}

/// The documents of the inputs that a file of duplicates gets. Memory: 80 bytes for each one, and its id.
pub(super) struct Duplicates {
    kept_for: KeptFor,
    /// Of groups that no document is kept for, the next one.
    next_group: u32,
    held: Vec<Held>,
    files: Vec<PathBuf>,
    spool: BufWriter<File>,
    at: u64,
}

impl Duplicates {
    /// Makes the temporary file.
    pub(super) fn new(kept_for: KeptFor) -> Result<Self> {
        let file = tempfile::tempfile().map_err(|error| Self::unwritten(&error))?;
        let (spool, next_group) = (BufWriter::with_capacity(1 << 20, file), kept_for.ids.len() as u32);
        Ok(Self { kept_for, next_group, held: Vec::new(), files: Vec::new(), spool, at: 0 })
    }

    fn unwritten(error: &io::Error) -> Failure {
        Failure::writing(&tempfile::env::temp_dir().display().to_string(), error)
    }

    /// Begins with the documents of an input.
    pub(super) fn begin_file(&mut self, path: &Path) {
        self.files.push(path.to_owned());
    }

    /// Begins a document if it is to be stored: a removed one, or a kept one for which others are removed. Its bytes
    /// are those that are written next.
    pub(super) fn begin(&mut self, id: &str, is_removed: bool, packing: Packing) -> bool {
        let list = if is_removed { &self.kept_for.removed } else { &self.kept_for.kept };
        let group = match list.get(&hash(id)) {
            Some(group) => *group,
            None if is_removed => {
                self.next_group += 1;
                self.next_group - 1
            }
            None => return false,
        };
        let file = self.files.len().saturating_sub(1) as u32;
        self.held.push(Held { group, is_removed, id: id.into(), file, packing, at: self.at, length: 0 });
        true
    }

    /// Stores a document whose bytes are at hand, if it is one of those that are stored.
    pub(super) fn take(&mut self, id: Option<&str>, fate: Fate, bytes: &[u8]) -> Result<()> {
        let Some(id) = id.filter(|_| fate != Fate::Spared) else { return Ok(()) };
        if self.begin(id, fate == Fate::Removed, Packing::Plain) {
            self.write_all(bytes).map_err(|error| Self::unwritten(&error))?;
        }
        Ok(())
    }

    /// Writes the file; returns its length, and that of the removed documents.
    pub(super) fn finish(mut self, path: &Path) -> Result<Stored> {
        let spool = self.spool.into_inner().map_err(|error| Self::unwritten(error.error()))?;
        let mut order: Vec<usize> = (0..self.held.len()).collect();
        // A long document is no prefix of others: it comes last in its group.
        order.sort_by_key(|&index| {
            let held = &self.held[index];
            (held.group, held.length > SHORT, held.is_removed, index)
        });
        let mut writer = Writer::create(path)?;
        let (mut last, mut removed) = (None, 0);
        for index in order {
            let held = &self.held[index];
            let alone = last != Some(held.group);
            // Of several rows with the id of the kept document the first one will do.
            if !alone && !held.is_removed {
                continue;
            }
            let contents = Piece { file: &spool, at: held.at, left: held.length };
            let contents = held.packing.unpack(Box::new(contents)).map_err(|error| Failure::unwritten(&error))?;
            let document = Document {
                kept: self.kept_for.ids.get(held.group as usize).filter(|_| held.is_removed).cloned(),
                id: std::mem::take(&mut self.held[index].id).into_string(),
                removed: self.held[index].is_removed,
                file: self.files[self.held[index].file as usize].clone(),
                number: index as u64,
                bytes: 0,
                frame: 0,
                alone,
            };
            let is_removed = document.removed;
            last = Some(self.held[index].group);
            let bytes = writer.push(document, contents)?;
            removed += if is_removed { bytes } else { 0 };
        }
        Ok(Stored { removed, bytes: writer.finish()? })
    }
}

/// What a file of duplicates came to.
pub(super) struct Stored {
    /// Bytes of the removed documents.
    pub(super) removed: u64,
    /// Bytes of the file.
    pub(super) bytes: u64,
}

impl Write for Duplicates {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.spool.write(bytes)?;
        self.at += written as u64;
        if let Some(held) = self.held.last_mut() {
            held.length += written as u64;
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.spool.flush()
    }
}

/// A part of a file.
struct Piece<'a> {
    file: &'a File,
    at: u64,
    left: u64,
}

impl Read for Piece<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let wanted = (bytes.len() as u64).min(self.left) as usize;
        let read = self.file.read_at(&mut bytes[..wanted], self.at)?;
        self.at += read as u64;
        self.left -= read as u64;
        Ok(read)
    }
}
