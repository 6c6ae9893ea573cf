//! Archives: the documents in the files of a crawl, and their positions.
//!
//! This crate reads all input formats of nddb: WARC 0.17 to 1.1, WET, ARC 1.0 and 2.0, JSONL, pages and text files in
//! folders, CSV, and raw fingerprints, each plain or inside gzip, zstd, bzip2, xz or lz4, WACZ, and Parquet and Arrow
//! (with the feature `parquet`). [`Input`] opens a file, detects its format, and iterates over its [`Entry`]s: a page,
//! a fingerprint, a sketch, a skipped entry with its reason, or another record that is counted and not loaded. Every
//! entry has its [`Position`], from which [`read_page`] reads it again. After every entry, [`Input::resume_point`]
//! tells where a later run can resume. A [`Selection`] restricts reading to some records of each archive.
//!
//! The file is read through three layers:
//!
//! ```text
//! open, source        the bytes of the file, of a remote object, or of the standard input
//! zip                 the archives inside a WACZ file, as one file
//! packed              what a file decompresses to, if it is compressed as a whole by bzip2, xz or lz4
//! unicode             the UTF-8 of lines and tables in UTF-16
//! stream, gzip, zstd  members and frames made into one stream of bytes; damaged members become *tears* in it
//! framing             where a record ends, when its length is right and when it is not
//! formats             records, lines and rows made into entries: one file for each format
//! http, encodings     a response made into a page
//! ```
//!
//! Tables are no streams: the rows of Parquet come from `table`, and those of Arrow from `formats::arrow`, which read
//! the file at any offset. The standard input is copied to a temporary file for them.
//!
//! All input is treated as hostile: nothing here panics, loops for ever or uses memory without bound, whatever the
//! bytes. [`Limits`] bounds the memory. Damage costs only the record or member in which it occurs; an error ends a file
//! only if the file cannot be read further.
//!
//! This crate may import the standard library, other crates, `nddb_remote` and `nddb_page::text` (for [`PageKind`]). It
//! must never import a sketch, the index or a verdict. It must never print, and writes no file except the temporary one
//! for stdin. Only the modules `open` and `listing` may use `std::fs` and open remote objects.
//!
//! [`PageKind`]: nddb_page::text::PageKind
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files"))]

mod codec;
mod date;
mod encodings;
mod entries;
mod entry;
mod error;
mod folders;
mod formats;
mod framing;
mod gzip;
mod headers;
mod http;
mod ids;
mod input;
mod layouts;
mod limits;
mod lines;
mod listing;
mod names;
mod open;
mod options;
mod packed;
mod parts;
mod ranges;
mod recognise;
mod select;
mod sniff;
mod source;
mod stream;
#[cfg(feature = "parquet")]
mod table;
#[cfg(any(test, feature = "testing"))]
mod testing;
mod unicode;
mod whole;
mod zip;
mod zstandard;

pub use date::{format_date, of_number as date_of_number, parse as date_of_text};
pub use entry::{
    Entry, EntryContent, Links, OtherKind, PageEntry, Position, Reason, ResumePoint, Revisited, SketchEntry,
};
pub use error::ArchiveError;
pub use formats::{Format, UnknownFormatName, repaired_line, trimmed_line};
pub use input::Input;
pub use layouts::text as text_fields;
pub use limits::Limits;
pub use listing::{Inputs, expand};
pub use names::{path_of, text_of};
pub use nddb_remote::is_remote;
pub use open::{ArchiveIdentity, Located, absolute, identities, identity, is_file};
pub use options::{IdFrom, JsonFields, Options};
pub use ranges::{ByteRange, Ranges};
pub use select::{Selected, Selection};
#[cfg(any(test, feature = "testing"))]
pub use testing::{Compression, Response, WarcWriter};
pub use unicode::Utf8Reader;
pub use whole::{HttpParts, WholeRecord};

pub use input::{read_page, read_record};
pub use ranges::is_selected;
