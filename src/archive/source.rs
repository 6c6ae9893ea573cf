//! The bytes of a file as on disk, through one buffer that can look ahead and step back.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use nddb_remote::is_remote_failure;

use super::codec::Fault;

/// Maximum number of bytes available at once.
pub(super) const LOOK: usize = 128 << 10;

/// Reading and seeking in one trait, for files and buffers.
pub(super) trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

/// The origin of the bytes.
pub(super) enum ByteOrigin {
    /// A seekable origin of a known size.
    Seekable(Box<dyn ReadSeek>, u64),
    /// An origin that only goes forward: the standard input.
    Forward(Box<dyn Read + Send>),
}

/// A buffered origin with its offset.
pub(super) struct Source {
    origin: ByteOrigin,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Offset in the file of the byte after the buffer's last.
    next: u64,
    at_end: bool,
    /// For decompressed bytes, the file from which they come.
    packed: Option<Packed>,
}

/// A file that decompresses to a source.
struct Packed {
    /// Number of bytes read from the file, and its size (0 if not known).
    read: Arc<AtomicU64>,
    size: u64,
    /// The reason why the file cannot be decompressed further.
    fault: Option<Fault>,
}

impl Source {
    pub(super) fn new(origin: ByteOrigin) -> Source {
        Source { origin, buffer: vec![0; 2 * LOOK], start: 0, end: 0, next: 0, at_end: false, packed: None }
    }

    /// Returns the source of a file's decompressed bytes, given the counter of bytes read from the file, and its size.
    pub(super) fn unpacked(origin: ByteOrigin, read: Arc<AtomicU64>, size: u64) -> Source {
        Source { packed: Some(Packed { read, size, fault: None }), ..Source::new(origin) }
    }

    /// Returns the number of bytes read of the compressed file behind this source, and its size.
    pub(super) fn packed(&self) -> Option<(u64, u64)> {
        self.packed.as_ref().map(|packed| (packed.read.load(Ordering::Relaxed), packed.size))
    }

    /// Takes the reason why the file cannot be decompressed further, if there is one.
    pub(super) fn take_fault(&mut self) -> Option<Fault> {
        self.packed.as_mut()?.fault.take()
    }

    fn read_origin(&mut self, out: Range<usize>) -> io::Result<usize> {
        let read = read(&mut self.origin, &mut self.buffer[out]);
        self.without_fault(read)
    }

    /// Turns damage into the end of the source. Decoders report damage as an error without an OS error number, as a
    /// remote store does when it does not answer.
    fn without_fault(&mut self, read: io::Result<usize>) -> io::Result<usize> {
        match (read, &mut self.packed) {
            (Err(error), Some(packed)) if error.raw_os_error().is_none() && !is_remote_failure(&error) => {
                packed.fault = Some(match error.kind() {
                    ErrorKind::UnexpectedEof => Fault::cut("the file is cut off"),
                    ErrorKind::OutOfMemory => Fault::damage("the compressed file needs too much memory"),
                    _ => Fault::damage("the compressed file does not decompress further"),
                });
                Ok(0)
            }
            (read, _) => read,
        }
    }

    /// Returns the origin, and the bytes that were read from it and not consumed.
    #[cfg(feature = "parquet")]
    pub(super) fn into_origin(self) -> (ByteOrigin, Vec<u8>) {
        let held = self.available().to_vec();
        (self.origin, held)
    }

    /// Returns the size of the file, if known.
    pub(super) fn size(&self) -> Option<u64> {
        match self.origin {
            ByteOrigin::Seekable(_, size) => Some(size),
            ByteOrigin::Forward(_) => None,
        }
    }

    /// Returns the offset of the end, if it is known by now: of an origin that only goes forward, when it was reached.
    pub(super) fn end(&self) -> Option<u64> {
        self.size().or(self.at_end.then_some(self.next))
    }

    /// Returns the bytes that are read and not consumed.
    pub(super) fn available(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Returns the offset of the first available byte.
    pub(super) fn offset(&self) -> u64 {
        self.next - (self.end - self.start) as u64
    }

    pub(super) fn consume(&mut self, len: usize) {
        self.start = (self.start + len).min(self.end);
    }

    /// Makes at least `want` bytes available (at most [`LOOK`]) unless the file ends before; returns the number
    /// available.
    pub(super) fn fill(&mut self, want: usize) -> io::Result<usize> {
        let want = want.min(LOOK);
        while self.end - self.start < want && !self.at_end {
            if self.buffer.len() - self.end < LOOK {
                self.buffer.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.start = 0;
            }
            let len = self.read_origin(self.end..self.buffer.len())?;
            self.end += len;
            self.next += len as u64;
            self.at_end = len == 0;
        }
        Ok(self.end - self.start)
    }

    /// Reads into `out` directly, past the buffer when it is empty; returns 0 at the end only.
    pub(super) fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let held = self.available();
        if held.is_empty() && !self.at_end && out.len() >= LOOK {
            let read = read(&mut self.origin, out);
            let len = self.without_fault(read)?;
            self.start = 0;
            self.end = 0;
            self.next += len as u64;
            self.at_end = len == 0;
            return Ok(len);
        }
        self.fill(1)?;
        let len = out.len().min(self.end - self.start);
        out[..len].copy_from_slice(&self.buffer[self.start..self.start + len]);
        self.start += len;
        Ok(len)
    }

    /// Seeks to an offset; returns false and does not move if the origin cannot seek.
    pub(super) fn seek(&mut self, offset: u64) -> io::Result<bool> {
        let first = self.next - self.end as u64;
        if (first..=self.next).contains(&offset) {
            self.start = (offset - first) as usize;
            return Ok(true);
        }
        match &mut self.origin {
            ByteOrigin::Seekable(origin, _) => {
                origin.seek(SeekFrom::Start(offset))?;
                self.start = 0;
                self.end = 0;
                self.next = offset;
                self.at_end = false;
                Ok(true)
            }
            ByteOrigin::Forward(_) if offset < first => Ok(false),
            ByteOrigin::Forward(_) => {
                while self.offset() < offset {
                    let step = (offset - self.offset()).min(self.fill(1)? as u64);
                    if step == 0 {
                        break;
                    }
                    self.consume(step as usize);
                }
                Ok(true)
            }
        }
    }
}

fn read(origin: &mut ByteOrigin, out: &mut [u8]) -> io::Result<usize> {
    loop {
        let result = match origin {
            ByteOrigin::Seekable(origin, _) => origin.read(out),
            ByteOrigin::Forward(origin) => origin.read(out),
        };
        match result {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}
