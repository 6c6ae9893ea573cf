//! Output of data to stdout, or to what an option names. A closed pipe is not an error.

use std::io::{self, IsTerminal, Write};

use flate2::write::GzEncoder;
use nddb_jobs::output::{Destination, OutputError, OutputFile, Outputs};
use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::inputs::Packing;
use crate::tabled::Tabled;
use crate::terminal::SafeWriter;

/// An opened output. What has a name gets it by [`Output::finish`]; without that, nothing is left of it.
pub(crate) struct Output {
    name: String,
    inner: Packed,
    /// Why writing failed in a callback of the library.
    failed: Option<Failure>,
}

/// An output, compressed or laid out.
enum Packed {
    Plain(OutputFile),
    Terminal(SafeWriter<OutputFile>),
    Gzip(GzEncoder<OutputFile>),
    Zstd(zstd::Encoder<'static, OutputFile>),
    Tabled(Box<Tabled<OutputFile>>),
}

impl Output {
    /// Opens stdout. A terminal gets no control characters of ids, names and addresses.
    pub(crate) fn stdout() -> Self {
        let (file, is_terminal) = (OutputFile::stdout(), io::stdout().is_terminal());
        let inner = if is_terminal { Packed::Terminal(SafeWriter::new(file)) } else { Packed::Plain(file) };
        Self { name: "stdout".into(), inner, failed: None }
    }

    /// Opens stdout for text that has colours, and no other control characters.
    pub(crate) fn coloured_stdout() -> Self {
        Self::of(OutputFile::stdout())
    }

    /// Begins an output, compressed as its name says.
    pub(crate) fn create(to: &Destination) -> Result<Self> {
        match Packing::of_name(to.path()) {
            _ if to.is_stdout() => Ok(Self::stdout()),
            Packing::Plain => Ok(Self::of(to.create()?)),
            packing => Self::packed(to, packing),
        }
    }

    /// Begins a compressed output.
    pub(crate) fn packed(to: &Destination, packing: Packing) -> Result<Self> {
        let file = to.create()?;
        let name = file.name();
        let inner = match packing {
            Packing::Plain => Packed::Plain(file),
            Packing::Gzip => Packed::Gzip(GzEncoder::new(file, flate2::Compression::default())),
            Packing::Zstd => {
                let encoder = zstd::Encoder::new(file, 0);
                Packed::Zstd(encoder.map_err(|error| Failure::writing(&name, &error))?)
            }
        };
        Ok(Self { name, inner, failed: None })
    }

    /// Writes into a file that was begun.
    pub(crate) fn of(file: OutputFile) -> Self {
        Self { name: file.name(), inner: Packed::Plain(file), failed: None }
    }

    /// Writes lines of JSON as tables from now on.
    pub(crate) fn tabled(self) -> Self {
        match self.inner {
            Packed::Plain(file) => Self { inner: Packed::Tabled(Box::new(Tabled::new(file))), ..self },
            // Its cells are safe.
            Packed::Terminal(safe) => Self { inner: Packed::Tabled(Box::new(Tabled::new(safe.into_inner()))), ..self },
            inner => Self { inner, ..self },
        }
    }

    /// Writes bytes as they are.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.writer().write_all(bytes).map_err(|error| Failure::writing(&self.name, &error))
    }

    /// Writes bytes as they are, in a callback of the library. If that fails, the callback stops the work, and
    /// [`Output::ended`] returns the error.
    pub(crate) fn emit(&mut self, bytes: &[u8]) -> nddb::Result<()> {
        self.write(bytes).map_err(|failure| {
            self.failed = Some(failure);
            nddb::Error::Cancelled
        })
    }

    /// Writes a line of text.
    pub(crate) fn line(&mut self, text: &str) -> Result<()> {
        self.write(text.as_bytes())?;
        self.write(b"\n")
    }

    /// Writes a line of JSON.
    pub(crate) fn json(&mut self, value: &Value) -> Result<()> {
        self.line(&value.to_string())
    }

    /// Hands over what is buffered, so that the reader of a pipe sees it.
    pub(crate) fn flush(&mut self) -> Result<()> {
        self.writer().flush().map_err(|error| Failure::writing(&self.name, &error))
    }

    /// Returns the outcome of work with callbacks, or the error of writing that stopped it.
    pub(crate) fn ended<T>(&mut self, outcome: Result<T>) -> Result<T> {
        match self.failed.take() {
            Some(failure) => Err(failure),
            None => outcome,
        }
    }

    /// Completes the output, and gives a file its name.
    pub(crate) fn finish(self) -> Result<()> {
        self.finish_counted().map(|_| ())
    }

    /// Completes the output, and gives a file its name; returns its number of bytes.
    pub(crate) fn finish_counted(self) -> Result<u64> {
        let failed = |error: &io::Error| Failure::writing(&self.name, error);
        let file = match self.inner {
            Packed::Plain(file) => file,
            Packed::Terminal(safe) => safe.into_inner(),
            Packed::Gzip(encoder) => encoder.finish().map_err(|error| failed(&error))?,
            Packed::Zstd(encoder) => encoder.finish().map_err(|error| failed(&error))?,
            Packed::Tabled(tabled) => tabled.finish().map_err(|error| failed(&error))?,
        };
        Ok(file.finish()?)
    }

    /// Completes the output if the work succeeded; returns its outcome, or the error of writing.
    pub(crate) fn finish_after<T>(mut self, outcome: Result<T>) -> Result<T> {
        let done = self.ended(outcome)?;
        self.finish()?;
        Ok(done)
    }

    fn writer(&mut self) -> &mut dyn Write {
        match &mut self.inner {
            Packed::Plain(file) => file,
            Packed::Terminal(safe) => safe,
            Packed::Gzip(encoder) => encoder,
            Packed::Zstd(encoder) => encoder,
            Packed::Tabled(tabled) => tabled,
        }
    }

    /// Returns an error of writing with the name of the output, as [`Failure::unwritten`] expects.
    fn named(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: cannot be written: {error}", self.name))
    }
}

/// For what writes by itself, such as an encoder: errors have the name of the output.
impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes).map_err(|error| self.named(&error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush().map_err(|error| self.named(&error))
    }
}

/// Writes one line of JSON to stdout.
pub(crate) fn print_json(value: &Value) -> Result<()> {
    let mut output = Output::stdout();
    output.json(value)?;
    output.finish()
}

/// Returns which files of earlier runs were replaced, in words; `None` if none was.
pub(crate) fn replaced(outputs: &Outputs) -> Option<String> {
    /// Names that are told.
    const TOLD: usize = 3;
    let replaced = outputs.replaced();
    let (names, rest) = replaced.split_at(replaced.len().min(TOLD));
    let names: Vec<String> = names.iter().map(|path| path.display().to_string()).collect();
    match (names.len(), rest.len()) {
        (0, _) => None,
        (_, 0) => Some(format!("replaced: {}", names.join(", "))),
        (_, rest) => Some(format!("replaced: {} and {rest} more", names.join(", "))),
    }
}

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Self {
        Self::output(&error)
    }
}
