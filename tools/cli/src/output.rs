//! Output of data to stdout, or to the file or remote object of `-o`. A closed pipe is not an error.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use nddb_remote::is_remote;
use serde_json::Value;
use tempfile::TempDir;

use crate::failure::{Failure, Result};
use crate::inputs::{self, Packing};
use crate::tabled::Tabled;
use crate::upload::Upload;

/// Number of bytes per write.
const BUFFER: usize = 64 << 10;

/// An opened output.
pub(crate) struct Output {
    name: String,
    inner: BufWriter<Box<dyn Write>>,
    /// What [`Output::flush`] sends.
    upload: Option<Upload>,
}

impl Output {
    /// Opens stdout.
    pub(crate) fn stdout() -> Self {
        let inner = BufWriter::with_capacity(BUFFER, Box::new(io::stdout().lock()) as Box<dyn Write>);
        Self { name: "stdout".into(), inner, upload: None }
    }

    /// Makes a file or a remote object, or opens stdout for `-`.
    pub(crate) fn file(path: &Path) -> Result<Self> {
        if is_stdout(path) {
            return Ok(Self::stdout());
        }
        let name = path.display().to_string();
        let failed = |error: io::Error| Failure::writing(&name, &error);
        let upload = is_remote(path).then(|| Upload::begin(path)).transpose().map_err(failed)?;
        let file = match &upload {
            Some(upload) => upload.writer(),
            None if is_nameless(path) => existing(path),
            None => File::create(path),
        };
        let inner: Box<dyn Write> = Box::new(file.map_err(failed)?);
        Ok(Self { name, inner: BufWriter::with_capacity(BUFFER, inner), upload })
    }

    /// Opens the file of `-o`, or stdout without `-o`.
    pub(crate) fn chosen(path: Option<&Path>) -> Result<Self> {
        path.map_or_else(|| Ok(Self::stdout()), Self::file)
    }

    /// Writes lines of JSON as tables from now on.
    pub(crate) fn tabled(self) -> Self {
        let to: Box<dyn Write> = Box::new(Tabled::new(self.inner));
        Self { inner: BufWriter::with_capacity(BUFFER, to), ..self }
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

    /// Writes all buffered bytes. A remote object has what was written before the last call.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let flushed = self.inner.flush().and_then(|()| self.upload.as_mut().map_or(Ok(()), Upload::send));
        flushed.map_err(|error| Failure::writing(&self.name, &error))
    }
}

/// An output for callbacks of the library. If writing fails, the callback stops the work, and `finish` returns the
/// error.
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

    /// Writes all buffered bytes; returns the outcome of the work, or the error of writing.
    pub(crate) fn finish<T>(self, outcome: Result<T>) -> Result<T> {
        let (done, mut output) = self.end(outcome)?;
        output.flush()?;
        Ok(done)
    }

    /// Returns the outcome of the work and the output, for further writing.
    pub(crate) fn end<T>(self, outcome: Result<T>) -> Result<(T, Output)> {
        match self.failed {
            Some(failure) => Err(failure),
            None => Ok((outcome?, self.output)),
        }
    }
}

/// Bytes in a temporary file without a name, written first and then read.
pub(crate) struct Spool(BufWriter<File>);

impl Spool {
    /// Makes the file.
    pub(crate) fn new() -> Result<Self> {
        let file = tempfile::tempfile().map_err(|error| Failure::writing(&Self::folder(), &error))?;
        Ok(Self(BufWriter::with_capacity(BUFFER, file)))
    }

    fn folder() -> String {
        tempfile::env::temp_dir().display().to_string()
    }

    /// Appends bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> nddb::Result<()> {
        let failed =
            |source| nddb::Error::Io { action: "write a temporary file in", path: tempfile::env::temp_dir(), source };
        self.0.write_all(bytes).map_err(failed)
    }

    /// Completes the file, and returns a reader from its beginning.
    pub(crate) fn read(self) -> Result<impl Read> {
        let failed = |error: io::Error| Failure::writing(&Self::folder(), &error);
        let mut file = self.0.into_inner().map_err(|error| failed(error.into_error()))?;
        file.rewind().map_err(failed)?;
        Ok(BufReader::with_capacity(BUFFER, file))
    }
}

/// A folder of results: its files get their names when all of them are complete.
pub(crate) struct Folder {
    path: PathBuf,
    /// Where unfinished files are if the folder is remote.
    local: Option<TempDir>,
    names: Vec<String>,
    /// Files that the same command may have written into the folder before.
    earlier: &'static [&'static str],
}

/// Extension of unfinished files.
const PART: &str = "part";

impl Folder {
    /// Makes the folder, unless it exists. `earlier` are the files that a previous run may have left; those not written
    /// again are removed at the end, because they would look like results of this run.
    pub(crate) fn make(path: &Path, earlier: &'static [&'static str]) -> Result<Self> {
        make_folder(path)?;
        let local = is_remote(path).then(tempfile::tempdir).transpose();
        let local = local.map_err(|error| Failure::writing(&Spool::folder(), &error))?;
        Ok(Self { path: path.into(), local, names: Vec::new(), earlier })
    }

    /// Begins a file.
    pub(crate) fn file(&mut self, name: &str) -> Result<Output> {
        self.names.push(name.into());
        Output::file(&self.part(name))
    }

    fn part(&self, name: &str) -> PathBuf {
        self.local.as_ref().map_or(&*self.path, TempDir::path).join(format!("{name}.{PART}"))
    }

    /// Gives all files their names, and so replaces earlier ones.
    pub(crate) fn finish(mut self) -> Result<()> {
        let names = std::mem::take(&mut self.names);
        for name in &names {
            let path = self.path.join(name);
            let named = match &self.local {
                None => fs::rename(self.part(name), &path),
                Some(_) => File::open(self.part(name))
                    .and_then(|mut file| nddb_remote::upload(&path, &mut file, &mut |_| true)),
            };
            named.map_err(|error| Failure::writing(&path.display().to_string(), &error))?;
        }
        for name in self.earlier.iter().filter(|name| !names.iter().any(|new| new == *name)) {
            let path = self.path.join(name);
            let removed = if self.local.is_some() { nddb_remote::remove(&path) } else { fs::remove_file(&path) };
            match removed {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    let name = path.display();
                    return Err(Failure::failed(format!("{name}: of an earlier run, cannot be removed: {error}")));
                }
                _ => (),
            }
        }
        Ok(())
    }
}

impl Drop for Folder {
    /// Removes unfinished files.
    fn drop(&mut self) {
        for name in &self.names {
            let _ = fs::remove_file(self.part(name));
        }
    }
}

/// A file that gets its name when it is complete and durable, and so replaces an earlier one; a remote object that is
/// sent then; or stdout.
pub(crate) struct Published {
    /// The name, for messages.
    name: String,
    /// The final name and the temporary name.
    names: Option<(PathBuf, PathBuf)>,
    inner: Option<Packed>,
}

/// A compressed output.
enum Packed {
    Plain(BufWriter<Box<dyn Sealed>>),
    Gzip(GzEncoder<BufWriter<Box<dyn Sealed>>>),
    Zstd(zstd::Encoder<'static, BufWriter<Box<dyn Sealed>>>),
}

/// An output that can be made durable.
trait Sealed: Write + Send {
    fn seal(&mut self) -> io::Result<()>;
}

impl Sealed for File {
    fn seal(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

impl Sealed for Upload {
    fn seal(&mut self) -> io::Result<()> {
        self.send()
    }
}

impl Sealed for io::Stdout {
    fn seal(&mut self) -> io::Result<()> {
        self.flush()
    }
}

/// A device or a pipe, which stores nothing that must be made durable.
struct Device(File);

impl Write for Device {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Sealed for Device {
    fn seal(&mut self) -> io::Result<()> {
        self.flush()
    }
}

/// Opens a device, a pipe or a file descriptor under /dev/fd for writing.
fn existing(path: &Path) -> io::Result<File> {
    File::options().write(true).open(path)
}

/// Whether an output cannot be written under another name and renamed: stdout, a device, a pipe, or any path in /dev
/// (without /dev/shm) and /proc.
pub(crate) fn is_nameless(path: &Path) -> bool {
    let is_system = path.starts_with("/dev") && !path.starts_with("/dev/shm") || path.starts_with("/proc");
    path.as_os_str() == "-" || is_system || inputs::is_device(path)
}

/// Whether a path is one of the names of stdout.
fn is_stdout(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

impl Published {
    /// Begins a file. Opens stdout for `-`, and a device under its own name.
    pub(crate) fn create(path: &Path, packing: Packing) -> Result<Self> {
        let failed = |error: io::Error| Failure::writing(&path.display().to_string(), &error);
        let name = if is_stdout(path) { "stdout".into() } else { path.display().to_string() };
        let (names, inner): (_, Box<dyn Sealed>) = if is_stdout(path) {
            (None, Box::new(io::stdout()))
        } else if is_remote(path) {
            (None, Box::new(Upload::begin(path).map_err(failed)?))
        } else if is_nameless(path) {
            (None, Box::new(Device(existing(path).map_err(failed)?)))
        } else {
            let mut part = path.as_os_str().to_owned();
            part.push(format!(".{PART}"));
            let part = PathBuf::from(part);
            let file = File::create(&part).map_err(failed)?;
            (Some((path.to_owned(), part)), Box::new(file))
        };
        let inner = BufWriter::with_capacity(BUFFER, inner);
        let inner = match packing {
            Packing::Plain => Packed::Plain(inner),
            Packing::Gzip => Packed::Gzip(GzEncoder::new(inner, flate2::Compression::default())),
            Packing::Zstd => Packed::Zstd(zstd::Encoder::new(inner, 0).map_err(failed)?),
        };
        Ok(Self { name, names, inner: Some(inner) })
    }

    /// The file's name, for messages.
    pub(crate) fn name(&self) -> String {
        self.name.clone()
    }

    /// Returns an error of writing with the name of the output, as [`Failure::unwritten`] expects.
    fn named(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: cannot be written: {error}", self.name))
    }

    /// Completes the file and gives it its name.
    pub(crate) fn finish(mut self) -> Result<()> {
        let ended = self.inner.take().map_or(Ok(()), |inner| {
            let mut inner = match inner {
                Packed::Plain(inner) => inner,
                Packed::Gzip(inner) => inner.finish()?,
                Packed::Zstd(inner) => inner.finish()?,
            };
            inner.flush()?;
            inner.get_mut().seal()
        });
        let named = ended.and_then(|()| self.names.as_ref().map_or(Ok(()), |(path, part)| fs::rename(part, path)));
        named.map_err(|error| Failure::writing(&self.name(), &error))?;
        self.names = None;
        Ok(())
    }
}

impl Write for Published {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.inner {
            Some(Packed::Plain(inner)) => inner.write(bytes),
            Some(Packed::Gzip(inner)) => inner.write(bytes),
            Some(Packed::Zstd(inner)) => inner.write(bytes),
            None => Ok(0),
        }
        .map_err(|error| self.named(&error))
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.inner {
            Some(Packed::Plain(inner)) => inner.flush(),
            Some(Packed::Gzip(inner)) => inner.flush(),
            Some(Packed::Zstd(inner)) => inner.flush(),
            None => Ok(()),
        }
        .map_err(|error| self.named(&error))
    }
}

impl Drop for Published {
    /// Removes unfinished files.
    fn drop(&mut self) {
        if let Some((_, part)) = &self.names {
            let _ = fs::remove_file(part);
        }
    }
}

/// A file that is being written, and the number of its bytes so far.
pub(crate) struct Counted {
    inner: Published,
    bytes: u64,
}

impl Counted {
    /// Begins to count.
    pub(crate) fn new(inner: Published) -> Self {
        Self { inner, bytes: 0 }
    }

    /// Completes the file and gives it its name; returns its number of bytes.
    pub(crate) fn finish(self) -> Result<u64> {
        self.inner.finish()?;
        Ok(self.bytes)
    }
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Makes a folder for outputs, unless it exists. A store has no folders.
pub(crate) fn make_folder(path: &Path) -> Result<()> {
    if is_remote(path) {
        return Ok(());
    }
    fs::create_dir_all(path).map_err(|error| Failure::writing(&path.display().to_string(), &error))
}

/// Writes one line of JSON to stdout.
pub(crate) fn print_json(value: &Value) -> Result<()> {
    let mut output = Output::stdout();
    output.json(value)?;
    output.flush()
}
