//! The bytes of a Parquet file for its decoder, within the limits, whatever sizes the file claims.

use std::io::{self, Read, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

use super::thrift::{self, Refused};
use crate::limits::Limits;
use crate::source::ReadSeek;

/// Number of bytes of a page's header that are read first; most headers are shorter.
const HEADER_FIRST: u64 = 256;
/// Maximum size of a page's header in bytes: writers that do not truncate statistics store texts in it.
const HEADER_MAX: u64 = 16 << 20;
/// Maximum number of elements of a list in a page's header. Today's writers write no lists there.
const LIST_MAX: u64 = 1 << 10;

/// A file, shared by the readers of the columns of a row group.
#[derive(Clone)]
pub(super) struct SharedFile {
    origin: Arc<Mutex<Box<dyn ReadSeek>>>,
    len: u64,
    limits: Limits,
    /// The error of the operating system behind an error of a decoder.
    failure: Arc<Mutex<Option<io::Error>>>,
}

impl SharedFile {
    pub(super) fn new(origin: Box<dyn ReadSeek>, len: u64, limits: &Limits) -> SharedFile {
        SharedFile { origin: Arc::new(Mutex::new(origin)), len, limits: limits.clone(), failure: Arc::default() }
    }

    /// Returns the same file, with its own record of failures.
    pub(super) fn again(&self) -> SharedFile {
        SharedFile { failure: Arc::default(), ..self.clone() }
    }

    /// Returns bytes of the file, or an error if the file is shorter.
    pub(super) fn read(&self, offset: u64, len: u64) -> io::Result<Vec<u8>> {
        if offset.checked_add(len).is_none_or(|end| end > self.len) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut origin = self.origin.lock().unwrap_or_else(PoisonError::into_inner);
        origin.seek(SeekFrom::Start(offset))?;
        let mut bytes = vec![0; len as usize];
        origin.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns the error of the system after the error of a decoder, if there was one.
    pub(super) fn take_failure(&self) -> Option<io::Error> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Reads for a decoder, and records the error of the operating system, which errors of the decoder do not keep.
    fn decode(&self, offset: u64, len: u64) -> Result<Vec<u8>> {
        self.read(offset, len).map_err(|error| {
            let message = ParquetError::General(format!("{len} bytes at byte {offset} of the file: {error}"));
            if error.kind() != io::ErrorKind::UnexpectedEof {
                *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
            message
        })
    }
}

impl Length for SharedFile {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for SharedFile {
    type T = PageHeader;

    /// Decoders call this at the header of a page, and read only the header.
    fn get_read(&self, start: u64) -> Result<PageHeader> {
        Ok(PageHeader { file: self.clone(), offset: start, bytes: Vec::new(), at: 0 })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        if length as u64 > self.limits.table_page {
            return Err(ParquetError::General(format!("a page of {length} bytes is beyond the limit memory-limit")));
        }
        self.decode(start, length as u64).map(Bytes::from)
    }
}

/// Reader of a page's header, which is checked before its first byte is passed on.
pub(super) struct PageHeader {
    file: SharedFile,
    offset: u64,
    bytes: Vec<u8>,
    at: usize,
}

impl Read for PageHeader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.bytes.is_empty() {
            self.bytes = self.checked().map_err(io::Error::other)?;
        }
        let read = (&self.bytes[self.at..]).read(out)?;
        self.at += read;
        Ok(read)
    }
}

impl PageHeader {
    /// Returns the header, and what follows within the bytes read.
    fn checked(&self) -> Result<Vec<u8>> {
        let left = self.file.len.saturating_sub(self.offset);
        let mut len = HEADER_FIRST;
        loop {
            let bytes = self.file.decode(self.offset, len.min(left))?;
            let (mut uncompressed, mut compressed) = (0, 0);
            let walked = thrift::walk(&bytes, LIST_MAX, &mut |field, value| match field {
                2 => uncompressed = value,
                3 => compressed = value,
                _ => {}
            });
            match walked {
                Ok(()) => return self.within_limits(uncompressed, compressed).map(|()| bytes),
                Err(Refused::Short) if len < left && len < HEADER_MAX => len *= 8,
                Err(_) => return Err(ParquetError::General(format!("no page header at byte {}", self.offset))),
            }
        }
    }

    fn within_limits(&self, uncompressed: i64, compressed: i64) -> Result<()> {
        let limits = &self.file.limits;
        let (Ok(from), Ok(to)) = (u64::try_from(compressed), u64::try_from(uncompressed)) else {
            return Err(ParquetError::General("a page of a negative size".to_owned()));
        };
        if to.max(from) > limits.table_page {
            return Err(ParquetError::General(format!(
                "a page of {from} bytes that decompresses to {to} is beyond {}, by the limit memory-limit",
                limits.table_page
            )));
        }
        Ok(())
    }
}
