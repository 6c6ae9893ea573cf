//! Compression of files: that of an input, and outputs that are compressed in the same way.

use std::io::{self, Read, Write};
use std::path::Path;

use flate2::write::GzEncoder;
use nddb_archive::Limits;

use crate::output::{Destination, OutputError, OutputFile, Result};

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
}

/// An output that is compressed while it is written. Its errors of writing are [`OutputError`]s with its name inside of
/// errors of the system. It gets its name by [`PackedFile::finish`]; without that, nothing is left of it.
pub struct PackedFile {
    name: String,
    inner: Inner,
}

enum Inner {
    Plain(OutputFile),
    Gzip(GzEncoder<OutputFile>),
    Zstd(zstd::Encoder<'static, OutputFile>),
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
            Packing::Gzip => Inner::Gzip(GzEncoder::new(file, flate2::Compression::default())),
            Packing::Zstd => Inner::Zstd(zstd::Encoder::new(file, 0).map_err(OutputError::io(&name))?),
        };
        Ok(Self { name, inner })
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
            Inner::Gzip(encoder) => encoder.finish(),
            Inner::Zstd(encoder) => encoder.finish(),
        };
        file.map_err(OutputError::io(self.name))?.finish()
    }

    fn writer(&mut self) -> &mut dyn Write {
        match &mut self.inner {
            Inner::Plain(file) => file,
            Inner::Gzip(encoder) => encoder,
            Inner::Zstd(encoder) => encoder,
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
