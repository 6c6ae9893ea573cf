//! Files that are compressed as a whole by bzip2, xz or lz4.
//!
//! Such a file is read from the beginning as a stream of decompressed bytes, and positions are offsets in this stream.
//! Damage ends the stream.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bzip2::bufread::MultiBzDecoder;
use lz4_flex::frame::FrameDecoder;
use lzma_rust2::XzReader;

use super::limits::Limits;
use super::source::{ByteOrigin, Source};

/// Number of bytes that are read at once.
const PIECE: usize = 64 << 10;

/// The kinds of compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Bzip2,
    Xz,
    Lz4,
}

/// Returns how a file is compressed, by its first bytes.
pub(super) fn packing(head: &[u8]) -> Option<Packing> {
    const MAGICS: [(&[u8], Packing); 4] = [
        (b"BZh", Packing::Bzip2),
        (b"\xfd7zXZ\0", Packing::Xz),
        (b"\x04\x22\x4d\x18", Packing::Lz4),
        (b"\x02\x21\x4c\x18", Packing::Lz4),
    ];
    MAGICS.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, packing)| *packing)
}

/// Returns the source of the decompressed bytes.
pub(super) fn unpacked(source: Source, packing: Packing, limits: &Limits) -> Source {
    let size = source.size();
    let counted = Counted::new(source);
    let read = counted.counter();
    let bytes = BufReader::with_capacity(PIECE, counted);
    let decoder: Box<dyn Read + Send> = match packing {
        Packing::Bzip2 => Box::new(MultiBzDecoder::new(bytes)),
        Packing::Xz => {
            // A block may claim a dictionary of any size, so the size is limited to the largest window plus some
            // overhead.
            let most = u32::try_from((limits.zstd_window >> 10) + (1 << 10)).unwrap_or(u32::MAX);
            Box::new(XzReader::new_mem_limit(bytes, true, most))
        }
        Packing::Lz4 => Box::new(Frames(FrameDecoder::new(bytes))),
    };
    Source::unpacked(ByteOrigin::Forward(decoder), read, size.unwrap_or(0))
}

/// The bytes of a file, counted.
pub(super) struct Counted {
    source: Source,
    read: Arc<AtomicU64>,
}

impl Counted {
    pub(super) fn new(source: Source) -> Self {
        Self { source, read: Arc::default() }
    }

    /// Returns the counter of bytes read.
    pub(super) fn counter(&self) -> Arc<AtomicU64> {
        self.read.clone()
    }
}

impl Read for Counted {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(out)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// All frames of an lz4 file; the decoder itself reads only one.
struct Frames(FrameDecoder<BufReader<Counted>>);

impl Read for Frames {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.0.read(out)?;
            if read > 0 || out.is_empty() || self.0.get_mut().fill_buf()?.is_empty() {
                return Ok(read);
            }
        }
    }
}
