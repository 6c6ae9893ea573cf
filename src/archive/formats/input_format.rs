//! What the formats of inputs differ in.

use std::io;
use std::path::Path;

use super::Format;
use crate::entries::{Entries, EntryReader, Records};
use crate::error::ArchiveError;
use crate::ids::Ids;
use crate::open::failed;
use crate::options::Options;
use crate::source::Source;
use crate::stream::Stream;

/// An input format.
pub(crate) struct InputFormat {
    /// The name on the command line.
    pub(crate) name: &'static str,
    /// The endings of the names of its files, in lower case, without an ending of compression.
    pub(crate) endings: &'static [&'static str],
    /// Tells whether a file looks like one of this format, by its first bytes, decompressed.
    pub(crate) looks_like: fn(&[u8]) -> bool,
    pub(crate) layout: Layout,
    /// The format as which a file of this format is read, by its first bytes, if it is another one.
    pub(crate) read_as: fn(&[u8], &Options) -> Option<Format>,
    /// Opens the decompressed bytes of a file.
    pub(crate) open: fn(Stream, &Opening<'_>) -> Result<Opened, ArchiveError>,
}

/// How a file of a format is laid out.
#[derive(Clone, Copy)]
pub(crate) enum Layout {
    /// Records. The function tells whether bytes begin one; `None` if they are too few to tell.
    Records(fn(&[u8]) -> Option<bool>),
    /// Lines of text, which may be UTF-16.
    Lines,
    /// One document.
    Document,
    /// Numbers: a file may begin with any bytes, and only its name tells what it is.
    Numbers,
    /// A table that is read at any offset of its file. The function opens it.
    Table(fn(Source, &Opening<'_>) -> Result<Opened, ArchiveError>),
}

/// A file to be opened.
pub(crate) struct Opening<'a> {
    pub(crate) path: &'a Path,
    /// The id of its document, if it is a file of one document that was found in a folder.
    pub(crate) document: Option<&'a str>,
    pub(crate) options: &'a Options,
    /// Whether one of its documents is read again, by its position.
    pub(crate) is_read_again: bool,
}

/// An opened file.
pub(crate) struct Opened {
    pub(crate) entries: Box<dyn Entries>,
    pub(crate) ids: Ids,
}

impl<'a> Opening<'a> {
    pub(crate) fn new(path: &'a Path, options: &'a Options) -> Self {
        Self { path, document: None, options, is_read_again: false }
    }

    /// Returns the error of reading the file.
    pub(crate) fn reading(&self, source: io::Error) -> ArchiveError {
        failed("reading", self.path, source)
    }

    /// Returns the error of a file of which no document can be made.
    pub(crate) fn unusable(&self, why: impl Into<String>) -> ArchiveError {
        ArchiveError::Unusable { path: self.path.to_owned(), why: why.into() }
    }

    /// Returns the records or lines of a stream; `has_no_ids` means that they have no ids of their own.
    pub(super) fn records(&self, stream: Stream, reader: impl EntryReader + 'static, has_no_ids: bool) -> Opened {
        let ids = Ids::of_rows(self.path, self.options, has_no_ids);
        Opened { entries: Box::new(Records::new(stream, reader)), ids }
    }
}

/// Returns the first bytes of a text without a byte order mark and white space before them.
pub(super) fn text_start(head: &[u8]) -> &[u8] {
    head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start()
}
