//! Parquet: the format of the files that [`table`](crate::table) reads.

use super::{InputFormat, Layout, Opened, Opening};
use crate::error::ArchiveError;
#[cfg(feature = "parquet")]
use crate::ids::{self, Ids};
#[cfg(feature = "parquet")]
use crate::open;
use crate::source::Source;
#[cfg(feature = "parquet")]
use crate::table::ParquetRows;

pub(super) const FORMAT: InputFormat = InputFormat {
    name: "parquet",
    endings: &["parquet", "pq"],
    // Metadata may be readable or encrypted.
    looks_like: |head| head.starts_with(b"PAR1") || head.starts_with(b"PARE"),
    layout: Layout::Table(open_file),
    read_as: |_, _| None,
    open: |_, file| Err(unusable(file, "it is compressed as a whole; unpack it")),
};

#[cfg(feature = "parquet")]
fn open_file(source: Source, file: &Opening<'_>) -> Result<Opened, ArchiveError> {
    let reading = |source| file.reading(source);
    let (origin, size) = open::seekable(source).map_err(reading)?;
    let name = ids::name(file.path, file.options.id_from);
    let table = ParquetRows::open(origin, size, name, file.options).map_err(reading)?;
    let entries = Box::new(table.map_err(|why| unusable(file, &why))?);
    Ok(Opened { entries, ids: Ids::made(file.options) })
}

#[cfg(not(feature = "parquet"))]
fn open_file(_: Source, file: &Opening<'_>) -> Result<Opened, ArchiveError> {
    Err(unusable(file, "this nddb was compiled without the feature `parquet`"))
}

fn unusable(file: &Opening<'_>, why: &str) -> ArchiveError {
    ArchiveError::UnusableTable { path: file.path.to_owned(), why: why.to_owned() }
}
