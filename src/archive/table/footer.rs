//! The metadata at the end of a Parquet file, and the places of columns according to it.

use std::io;
use std::panic::catch_unwind;

use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};

use super::file::SharedFile;
use super::thrift;
use crate::entry::Reason;
use crate::limits::Limits;

/// Magic at the start and the end of a Parquet file.
const MAGIC: &[u8] = b"PAR1";
/// Magic of a Parquet file with encrypted metadata.
const ENCRYPTED: &[u8] = b"PARE";
/// Maximum number of elements of a list in the metadata: row groups, columns, pairs of keys and values.
const LIST_MAX: u64 = 1 << 17;

/// Message: the reason why a row group that claims too many rows for its size is not read.
pub(super) const TOO_MANY_ROWS: &str = "more rows than its size allows (limit max-ratio)";

/// The reason why the rest of a row group is not read.
pub(super) struct Trouble {
    pub(super) reason: Reason,
    pub(super) detail: String,
}

impl From<ParquetError> for Trouble {
    fn from(error: ParquetError) -> Self {
        let detail = match error {
            ParquetError::General(detail) | ParquetError::EOF(detail) => detail,
            other => other.to_string(),
        };
        Trouble { reason: Reason::DamagedMember, detail }
    }
}

/// Returns the size of a column in a row group, if it is in a file of this size.
pub(super) fn extent(group: &RowGroupMetaData, column: usize, file: u64) -> Result<u64, Trouble> {
    let chunk = group.columns().get(column);
    let extent = chunk.and_then(|chunk| {
        let first = u64::try_from(chunk.data_page_offset()).ok()?;
        let dictionary = chunk.dictionary_page_offset().map(u64::try_from).transpose().ok()?;
        let size = u64::try_from(chunk.compressed_size()).ok()?;
        let end = first.min(dictionary.unwrap_or(first)).checked_add(size)?;
        (end <= file).then_some(size)
    });
    extent.ok_or_else(|| Trouble {
        reason: Reason::DamagedMember,
        detail: "a column is not where the metadata says".to_owned(),
    })
}

/// Reads the metadata at the end of a file.
pub(super) fn metadata(file: &SharedFile, size: u64, limits: &Limits) -> io::Result<Result<ParquetMetaData, String>> {
    let refused = |why: &str| Ok(Err(why.to_owned()));
    let head = file.read(0, size.min(4))?;
    if head == ENCRYPTED {
        return refused("its metadata is encrypted");
    }
    if head != MAGIC {
        return refused("it does not begin with PAR1; if it is compressed as a whole, unpack it");
    }
    let tail = if size < 12 { Vec::new() } else { file.read(size - 8, 8)? };
    let Some((len, magic)) = tail.split_first_chunk::<4>() else {
        return refused("it is cut off: a Parquet file has at least 12 bytes");
    };
    if magic != MAGIC {
        return refused("it does not end with PAR1: it is cut off, or still being written");
    }
    let len = u64::from(u32::from_le_bytes(*len));
    if len > limits.table_footer || len > size - 12 {
        return Ok(Err(format!("its metadata is damaged, or beyond the limit: {len} bytes of {size}")));
    }
    let bytes = file.read(size - 8 - len, len)?;
    if thrift::walk(&bytes, LIST_MAX, &mut |_, _| {}).is_err() {
        return refused("its metadata is damaged");
    }
    let read = catch_unwind(|| ParquetMetaDataReader::decode_metadata(&bytes));
    Ok(match read {
        Ok(read) => read.map_err(|error| format!("its metadata is damaged: {}", Trouble::from(error).detail)),
        Err(_) => Err("its metadata is damaged".to_owned()),
    })
}
