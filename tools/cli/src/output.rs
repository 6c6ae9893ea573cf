//! Output of data to stdout or the file of `-o`. A closed pipe is not an error.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::failure::{Failure, Result};

/// Bytes that are written at once.
const BUFFER: usize = 64 << 10;

/// An opened output.
pub(crate) struct Output {
    name: String,
    inner: BufWriter<Box<dyn Write>>,
}

impl Output {
    /// Opens stdout.
    pub(crate) fn stdout() -> Self {
        Self { name: "stdout".into(), inner: BufWriter::with_capacity(BUFFER, Box::new(io::stdout().lock())) }
    }

    /// Makes a file, or opens stdout for `-`.
    pub(crate) fn file(path: &Path) -> Result<Self> {
        if path.as_os_str() == "-" {
            return Ok(Self::stdout());
        }
        let name = path.display().to_string();
        let file = File::create(path).map_err(|error| Failure::writing(&name, &error))?;
        Ok(Self { name, inner: BufWriter::with_capacity(BUFFER, Box::new(file)) })
    }

    /// Opens the file of `-o` if there is one, stdout otherwise.
    pub(crate) fn chosen(path: Option<&Path>) -> Result<Self> {
        path.map_or_else(|| Ok(Self::stdout()), Self::file)
    }

    /// Writes bytes as they are.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.inner.write_all(bytes).map_err(|error| Failure::writing(&self.name, &error))
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

    /// Hands everything over.
    pub(crate) fn flush(&mut self) -> Result<()> {
        self.inner.flush().map_err(|error| Failure::writing(&self.name, &error))
    }
}

/// An output for callbacks of the library: it stops the work when writing fails, and says why afterwards.
pub(crate) struct Sink {
    output: Output,
    failed: Option<Failure>,
}

impl Sink {
    /// Writes to this output.
    pub(crate) fn new(output: Output) -> Self {
        Self { output, failed: None }
    }

    /// Writes bytes as they are.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> nddb::Result<()> {
        self.output.write(bytes).map_err(|failure| {
            self.failed = Some(failure);
            nddb::Error::Cancelled
        })
    }

    /// Hands everything over, and says how the work ended.
    pub(crate) fn finish<T>(mut self, outcome: Result<T>) -> Result<T> {
        if let Some(failure) = self.failed {
            return Err(failure);
        }
        let done = outcome?;
        self.output.flush()?;
        Ok(done)
    }
}

/// A folder of results: its files get their names when all of them are whole.
pub(crate) struct Folder {
    path: PathBuf,
    names: Vec<String>,
}

/// What unfinished files end in.
const PART: &str = "part";

impl Folder {
    /// Makes the folder, unless it is there.
    pub(crate) fn make(path: &Path) -> Result<Self> {
        fs::create_dir_all(path).map_err(|error| Failure::writing(&path.display().to_string(), &error))?;
        Ok(Self { path: path.into(), names: Vec::new() })
    }

    /// Begins a file.
    pub(crate) fn file(&mut self, name: &str) -> Result<Output> {
        self.names.push(name.into());
        Output::file(&self.part(name))
    }

    fn part(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.{PART}"))
    }

    /// Names all files, instead of earlier ones.
    pub(crate) fn finish(mut self) -> Result<()> {
        for name in std::mem::take(&mut self.names) {
            let path = self.path.join(&name);
            let named = fs::rename(self.part(&name), &path);
            named.map_err(|error| Failure::writing(&path.display().to_string(), &error))?;
        }
        Ok(())
    }
}

impl Drop for Folder {
    /// Removes what was not finished.
    fn drop(&mut self) {
        for name in &self.names {
            let _ = fs::remove_file(self.part(name));
        }
    }
}

/// Writes one line of JSON to stdout.
pub(crate) fn print_json(value: &Value) -> Result<()> {
    let mut output = Output::stdout();
    output.json(value)?;
    output.flush()
}
