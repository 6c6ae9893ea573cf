//! Compression of files: that of an input, and outputs that are compressed in the same way.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::mem;
use std::panic::resume_unwind;
use std::path::Path;
use std::thread::{self, JoinHandle};

use flate2::write::GzEncoder;
use nddb_archive::Limits;
use nddb_index::spill::busy;

use crate::output::{Destination, OutputError, OutputFile, Result};

/// Bytes of a block.
const BLOCK: usize = 1 << 20;

/// The compression of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Not at all.
    Plain,
    /// By gzip.
    Gzip,
    /// By zstd.
    Zstd,
}

impl Packing {
    /// Detects the compression of bytes; six of them suffice.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        match bytes {
            [0x1f, 0x8b, ..] => Self::Gzip,
            // A zstd frame, or a skippable frame, which may hold a dictionary.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            _ => Self::Plain,
        }
    }

    /// Returns the compression that the extension of the name implies.
    pub fn of_name(path: &Path) -> Self {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("gz") => Self::Gzip,
            Some("zst" | "zstd") => Self::Zstd,
            _ => Self::Plain,
        }
    }

    /// Returns a reader of the decompressed bytes.
    ///
    /// # Errors
    /// Memory is missing.
    pub fn unpack<'a>(self, read: Box<dyn Read + Send + 'a>) -> io::Result<Box<dyn Read + Send + 'a>> {
        Ok(match self {
            Self::Plain => read,
            Self::Gzip => Box::new(flate2::read::MultiGzDecoder::new(read)),
            Self::Zstd => {
                let mut decoder = zstd::Decoder::new(read)?;
                // What was loaded is read again, whatever window it needs.
                decoder.window_log_max(Limits::WINDOW_MAX.ilog2())?;
                Box::new(decoder)
            }
        })
    }

    /// Returns a block that can be unpacked alone.
    fn packed(self, block: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Self::Plain => Ok(block.to_vec()),
            Self::Gzip => {
                let mut encoder = GzEncoder::new(Vec::with_capacity(block.len() / 2), flate2::Compression::default());
                encoder.write_all(block)?;
                encoder.finish()
            }
            Self::Zstd => zstd::encode_all(block, 0),
        }
    }
}

/// An output that is compressed while it is written. Its errors of writing are [`OutputError`]s with its name inside of
/// errors of the system. It gets its name by [`PackedFile::finish`]; without that, nothing is left of it.
pub struct PackedFile {
    name: String,
    inner: Inner,
}

enum Inner {
    Plain(OutputFile),
    Packed(Blocks),
}

/// An output in blocks, which are compressed one by one on threads: members of gzip, or frames of zstd. Their borders
/// depend on the bytes alone.
struct Blocks {
    file: OutputFile,
    packing: Packing,
    threads: usize,
    block: Vec<u8>,
    begun: usize,
    /// The blocks that are being compressed.
    at_work: VecDeque<JoinHandle<io::Result<Vec<u8>>>>,
}

impl Blocks {
    /// Compresses the block, or begins to.
    fn end_block(&mut self) -> io::Result<()> {
        let (block, packing) = (mem::take(&mut self.block), self.packing);
        let place = self.begun % self.threads.max(1);
        self.begun += 1;
        if self.threads <= 1 {
            return self.file.write_all(&packing.packed(&block)?);
        }
        if self.at_work.len() >= self.threads {
            self.write_first()?;
        }
        self.at_work.push_back(thread::spawn(move || {
            let packed = packing.packed(&block);
            busy::note(place);
            packed
        }));
        Ok(())
    }

    /// Writes the first of the blocks that are being compressed. Returns whether there is one.
    fn write_first(&mut self) -> io::Result<bool> {
        let Some(first) = self.at_work.pop_front() else { return Ok(false) };
        self.file.write_all(&first.join().unwrap_or_else(|panic| resume_unwind(panic))?)?;
        Ok(true)
    }

    fn finish(mut self) -> io::Result<OutputFile> {
        if self.begun == 0 || !self.block.is_empty() {
            self.end_block()?;
        }
        while self.write_first()? {}
        Ok(self.file)
    }
}

impl Write for Blocks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(BLOCK - self.block.len());
        self.block.extend_from_slice(&bytes[..taken]);
        if self.block.len() == BLOCK {
            self.end_block()?;
        }
        Ok(taken)
    }

    /// A block ends where it is full.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl PackedFile {
    /// Begins an output.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn create(to: &Destination, packing: Packing) -> Result<Self> {
        let file = to.create()?;
        let name = file.name();
        let inner = match packing {
            Packing::Plain => Inner::Plain(file),
            packing => {
                let (block, at_work) = (Vec::new(), VecDeque::new());
                Inner::Packed(Blocks { file, packing, threads: 1, block, begun: 0, at_work })
            }
        };
        Ok(Self { name, inner })
    }

    /// Compresses on this number of threads, which does not change the bytes.
    pub fn on(mut self, threads: usize) -> Self {
        if let Inner::Packed(blocks) = &mut self.inner {
            blocks.threads = threads;
        }
        self
    }

    /// Begins an output, compressed as its name says.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn named(to: &Destination) -> Result<Self> {
        Self::create(to, if to.is_stdout() { Packing::Plain } else { Packing::of_name(to.path()) })
    }

    /// Writes into a file that was begun.
    pub fn plain(file: OutputFile) -> Self {
        Self { name: file.name(), inner: Inner::Plain(file) }
    }

    /// Returns an error of writing this file.
    pub(crate) fn failed(&self, error: io::Error) -> OutputError {
        error.downcast().unwrap_or_else(OutputError::io(&self.name))
    }

    /// Completes the output, and gives a file its name; returns its number of bytes, compressed.
    ///
    /// # Errors
    /// It cannot be written: what had the name before is as it was.
    pub fn finish(self) -> Result<u64> {
        let file = match self.inner {
            Inner::Plain(file) => Ok(file),
            Inner::Packed(blocks) => blocks.finish(),
        };
        file.map_err(OutputError::io(self.name))?.finish()
    }

    fn writer(&mut self) -> &mut dyn Write {
        match &mut self.inner {
            Inner::Plain(file) => file,
            Inner::Packed(blocks) => blocks,
        }
    }

    fn wrapped(&self, error: io::Error) -> io::Error {
        io::Error::new(error.kind(), OutputError::io(&self.name)(error))
    }
}

impl Write for PackedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes).map_err(|error| self.wrapped(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush().map_err(|error| self.wrapped(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Outputs;

    #[test]
    fn outputs_do_not_depend_on_the_number_of_threads() {
        let folder = tempfile::tempdir().expect("a folder");
        for (packing, name) in [(Packing::Gzip, "a.gz"), (Packing::Zstd, "a.zst"), (Packing::Plain, "a")] {
            for len in [0, 1, BLOCK / 8, 5 * BLOCK / 8 + 3] {
                let bytes: Vec<u8> = (0..len as u64).flat_map(|at| (at * at / 7).to_le_bytes()).collect();
                let mut first = None;
                for threads in [1, 2, 7, 16] {
                    let to = Outputs::default().file("-o", &folder.path().join(name)).expect("an output");
                    let mut output = PackedFile::named(&to).expect("begun").on(threads);
                    bytes.chunks(100_000).for_each(|part| output.write_all(part).expect("written"));
                    output.finish().expect("complete");
                    let written = std::fs::read(to.path()).expect("written");
                    assert!(first.get_or_insert_with(|| written.clone()) == &written, "{name} {len} {threads}");
                }
                let (mut unpacked, packed) = (Vec::new(), first.expect("an output"));
                packing.unpack(Box::new(&*packed)).and_then(|mut read| read.read_to_end(&mut unpacked)).expect("sound");
                assert!(unpacked == bytes, "{name} {len}");
            }
        }
    }
}
