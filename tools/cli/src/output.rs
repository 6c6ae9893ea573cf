//! Output of data to stdout, or to what an option names. A closed pipe is not an error.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use nddb_jobs::output::{Destination, OutputError, OutputFile, Outputs};
use nddb_jobs::packed::PackedFile;
use nddb_jobs::rows::{Column, RowFormat, Rows};
use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::json_table::Tabled;
use crate::messages;
use crate::terminal::SafeWriter;

/// An opened output. What has a name gets it by [`Output::finish`]; without that, nothing is left of it.
pub struct Output {
    inner: Laid,
    /// Why writing failed in a callback of the library.
    failed: Option<Failure>,
}

/// An output, as it is, safe for a terminal, or laid out.
enum Laid {
    Plain(PackedFile),
    Terminal(SafeWriter<PackedFile>),
    Tabled(Box<Tabled<PackedFile>>),
}

impl Output {
    /// Opens stdout. A terminal gets no control characters of ids, names and addresses.
    pub fn stdout() -> Self {
        let (file, is_terminal) = (PackedFile::plain(OutputFile::stdout()), io::stdout().is_terminal());
        let inner = if is_terminal { Laid::Terminal(SafeWriter::new(file)) } else { Laid::Plain(file) };
        Self { inner, failed: None }
    }

    /// Opens stdout for text that has colours, and no other control characters.
    pub fn coloured_stdout() -> Self {
        Self::of(OutputFile::stdout())
    }

    /// Begins an output, compressed as its name says.
    pub fn create(to: &Destination) -> Result<Self> {
        if to.is_stdout() {
            return Ok(Self::stdout());
        }
        Ok(Self { inner: Laid::Plain(PackedFile::named(to)?), failed: None })
    }

    /// Writes into a file that was begun.
    pub fn of(file: OutputFile) -> Self {
        Self { inner: Laid::Plain(PackedFile::plain(file)), failed: None }
    }

    /// Writes lines of JSON as tables from now on.
    pub fn tabled(self) -> Self {
        match self.inner {
            Laid::Plain(file) => Self { inner: Laid::Tabled(Box::new(Tabled::new(file))), ..self },
            // Its cells are safe.
            Laid::Terminal(safe) => Self { inner: Laid::Tabled(Box::new(Tabled::new(safe.into_inner()))), ..self },
            Laid::Tabled(_) => self,
        }
    }

    /// Writes bytes as they are.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.writer().write_all(bytes).map_err(Failure::passed)
    }

    /// Writes bytes as they are, in a callback of the library. If that fails, the callback stops the work, and
    /// [`Output::ended`] returns the error.
    pub fn emit(&mut self, bytes: &[u8]) -> nddb::Result<()> {
        self.write(bytes).map_err(|failure| {
            self.failed = Some(failure);
            nddb::Error::Cancelled
        })
    }

    /// Writes a line of text.
    pub fn line(&mut self, text: &str) -> Result<()> {
        self.write(text.as_bytes())?;
        self.write(b"\n")
    }

    /// Writes a line of JSON.
    pub fn json(&mut self, value: &Value) -> Result<()> {
        self.line(&value.to_string())
    }

    /// Hands over what is buffered, so that the reader of a pipe sees it.
    pub fn flush(&mut self) -> Result<()> {
        self.writer().flush().map_err(Failure::passed)
    }

    /// Returns the outcome of work with callbacks, or the error of writing that stopped it.
    pub fn ended<T>(&mut self, outcome: Result<T>) -> Result<T> {
        match self.failed.take() {
            Some(failure) => Err(failure),
            None => outcome,
        }
    }

    /// Completes the output, and gives a file its name.
    pub fn finish(self) -> Result<()> {
        let file = match self.inner {
            Laid::Plain(file) => file,
            Laid::Terminal(safe) => safe.into_inner(),
            Laid::Tabled(tabled) => tabled.finish().map_err(Failure::passed)?,
        };
        file.finish()?;
        Ok(())
    }

    /// Completes the output if the work succeeded; returns its outcome, or the error of writing.
    pub fn finish_after<T>(mut self, outcome: Result<T>) -> Result<T> {
        let done = self.ended(outcome)?;
        self.finish()?;
        Ok(done)
    }

    fn writer(&mut self) -> &mut dyn Write {
        match &mut self.inner {
            Laid::Plain(file) => file,
            Laid::Terminal(safe) => safe,
            Laid::Tabled(tabled) => tabled,
        }
    }
}

/// For what writes by itself, such as an encoder: errors have the name of the output.
impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}

/// Begins the rows of the file of `-o`, or of stdout.
pub(crate) fn rows(format: RowFormat, to: &Destination, columns: Vec<Column>) -> Result<Rows> {
    refuse_terminal(format, to)?;
    Ok(Rows::new(format, PackedFile::named(to)?, columns)?)
}

/// Refuses a Parquet file on a terminal, unless `-` says so.
pub(crate) fn refuse_terminal(format: RowFormat, to: &Destination) -> Result<()> {
    let is_terminal = to.is_stdout() && to.path() != Path::new("-") && io::stdout().is_terminal();
    if format == RowFormat::Parquet && is_terminal {
        return Err(Failure::usage("refusing to write Parquet to a terminal; use -o FILE"));
    }
    Ok(())
}

/// Writes one line of JSON to stdout.
pub(crate) fn print_json(value: &Value) -> Result<()> {
    messages::wipe();
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
