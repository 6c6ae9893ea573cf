//! Arrow IPC: files (Feather) and streams, which [`rows`] reads.

#[cfg(feature = "parquet")]
mod cell;
#[cfg(feature = "parquet")]
mod messages;
#[cfg(feature = "parquet")]
mod rows;

use super::{InputFormat, Layout, Opened, Opening};
use crate::error::ArchiveError;
#[cfg(feature = "parquet")]
use crate::ids::{self, Ids};
#[cfg(feature = "parquet")]
use crate::open;
use crate::source::Source;

pub(super) const FORMAT: InputFormat = InputFormat {
    name: "arrow",
    endings: &["arrow", "arrows", "feather", "ipc"],
    looks_like,
    layout: Layout::Table(open_file),
    read_as: |_, _| None,
    open: |_, file| Err(file.unusable("it is compressed as a whole; unpack it")),
};

/// The mark of a file, or the beginning of a stream: the mark of a message, and the size of its header.
fn looks_like(head: &[u8]) -> bool {
    let header = head.strip_prefix(&[0xff; 4]).and_then(|rest| rest.first_chunk());
    let is_header =
        |size: &[u8; 4]| matches!(u32::from_le_bytes(*size), size if size % 8 == 0 && (8..1 << 24).contains(&size));
    head.starts_with(b"ARROW1") || header.is_some_and(is_header)
}

#[cfg(feature = "parquet")]
fn open_file(source: Source, file: &Opening<'_>) -> Result<Opened, ArchiveError> {
    let reading = |source| file.reading(source);
    let (origin, size) = open::seekable(source).map_err(reading)?;
    let name = ids::name(file.path, file.options.id_from);
    let rows = rows::ArrowRows::open(origin, size, name, file).map_err(reading)?;
    Ok(Opened { entries: Box::new(rows.map_err(|why| file.unusable(why))?), ids: Ids::made(file.options) })
}

#[cfg(not(feature = "parquet"))]
fn open_file(_: Source, file: &Opening<'_>) -> Result<Opened, ArchiveError> {
    Err(file.unusable("this nddb was compiled without the feature `parquet`, which reads Arrow, too"))
}
