//! One file: where it goes, and the file while it is written.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Seek as _, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::NamedTempFile;

use super::list::{Complete, ListWriter};
use super::target::{self, PART, PathTarget, RANDOM};
use super::{OutputError, Outputs, Result};
use crate::lock::Lock;

/// Number of bytes per write.
const BUFFER: usize = 64 << 10;

/// Where an output goes: it may be written, and no other run does while this lives.
#[derive(Clone, Debug)]
pub struct Destination {
    path: PathBuf,
    target: PathTarget,
    /// Held for as long as this lives and the file is written.
    #[expect(dead_code, reason = "it is only held")]
    lock: Option<Arc<Lock>>,
    outputs: Outputs,
}

impl Destination {
    pub(super) fn new(path: &Path, target: PathTarget, lock: Option<Arc<Lock>>, outputs: Outputs) -> Self {
        Self { path: path.into(), target, lock, outputs }
    }

    /// Returns the path as the user gave it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether it is stdout.
    #[must_use]
    pub fn is_stdout(&self) -> bool {
        self.target == PathTarget::Stdout
    }

    /// Begins the file.
    ///
    /// # Errors
    /// [`OutputError::Io`].
    pub fn create(&self) -> Result<OutputFile> {
        let inner = match &self.target {
            PathTarget::Stdout => Ok(Inner::Stdout(io::stdout())),
            PathTarget::Remote(path) => Upload::begin(path).map(Inner::Upload),
            PathTarget::Direct(path) => File::options().write(true).open(path).map(Inner::Direct),
            PathTarget::File { folder, name } => part(folder, name).map(Inner::File),
        };
        let inner = inner.map_err(OutputError::io(&self.path))?;
        Ok(OutputFile { to: self.clone(), inner: BufWriter::with_capacity(BUFFER, inner), bytes: 0, listed: None })
    }
}

/// Makes a temporary file of a random name beside the final one, which may be read by those that the earlier one could
/// be read by.
fn part(folder: &Path, name: &OsStr) -> io::Result<NamedTempFile> {
    let earlier = fs::symlink_metadata(folder.join(name)).ok().filter(fs::Metadata::is_file);
    let file = tempfile::Builder::new()
        .prefix(&target::part_prefix(name))
        .suffix(PART)
        .rand_bytes(RANDOM)
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder)?;
    if let Some(earlier) = earlier {
        // Where this is refused, the file has the mode of a new one.
        let _ = file.as_file().set_permissions(earlier.permissions());
    }
    Ok(file)
}

/// A file that is being written. It gets its name by [`OutputFile::finish`]; without that, nothing is left of it.
#[derive(Debug)]
pub struct OutputFile {
    to: Destination,
    inner: BufWriter<Inner>,
    bytes: u64,
    /// It is one of several lists that are published together.
    listed: Option<ListWriter<Sealed>>,
}

#[derive(Debug)]
enum Inner {
    Stdout(io::Stdout),
    Direct(File),
    Upload(Upload),
    File(NamedTempFile),
}

impl OutputFile {
    /// Opens stdout, which is registered nowhere.
    #[must_use]
    pub fn stdout() -> Self {
        let inner = BufWriter::with_capacity(BUFFER, Inner::Stdout(io::stdout()));
        Self { to: Outputs::default().stdout(), inner, bytes: 0, listed: None }
    }

    /// Makes it one of lists that are published together.
    pub(super) fn in_list(self, name: &str, complete: Complete<Sealed>) -> Self {
        Self { listed: Some(ListWriter::new(name, complete)), ..self }
    }

    /// Returns the name, for messages.
    #[must_use]
    pub fn name(&self) -> String {
        if self.to.is_stdout() { "stdout".into() } else { self.to.path.display().to_string() }
    }

    /// Returns an error of writing this file.
    #[must_use]
    pub fn failed(&self, source: io::Error) -> OutputError {
        OutputError::Io { path: self.name().into(), source }
    }

    /// Completes the file and gives it its name; returns its number of bytes.
    ///
    /// # Errors
    /// [`OutputError::Io`]: what had the name before is as it was.
    pub fn finish(mut self) -> Result<u64> {
        let (bytes, listed) = (self.bytes, self.listed.take());
        let sealed = self.seal()?;
        match listed {
            Some(listed) => listed.complete(sealed),
            None => sealed.publish()?,
        }
        Ok(bytes)
    }

    /// Makes the bytes durable.
    pub(super) fn seal(self) -> Result<Sealed> {
        let name = PathBuf::from(self.name());
        let Self { to, inner, .. } = self;
        let sealed = inner.into_inner().map_err(io::IntoInnerError::into_error).and_then(|mut inner| {
            match &mut inner {
                Inner::Stdout(stdout) => stdout.flush()?,
                Inner::Direct(file) => file.flush()?,
                Inner::Upload(_) => (),
                Inner::File(file) => file.as_file().sync_all()?,
            }
            Ok(inner)
        });
        Ok(Sealed { inner: sealed.map_err(OutputError::io(name))?, to })
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.bytes += written as u64;
        if let Some(listed) = &mut self.listed {
            listed.add(&bytes[..written]);
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl Write for Inner {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::Direct(file) => file.write(bytes),
            Self::Upload(upload) => upload.write(bytes),
            Self::File(file) => file.as_file_mut().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::Direct(file) => file.flush(),
            Self::Upload(upload) => upload.flush(),
            Self::File(file) => file.as_file_mut().flush(),
        }
    }
}

/// A file whose bytes are durable, and which has no name yet.
#[derive(Debug)]
pub(super) struct Sealed {
    inner: Inner,
    to: Destination,
}

impl Sealed {
    /// Returns whether a file will be replaced.
    pub(super) fn replaces(&self) -> bool {
        matches!(&self.to.target, PathTarget::File { folder, name } if fs::symlink_metadata(folder.join(name)).is_ok())
    }

    /// Gives the file its name, and makes that durable.
    pub(super) fn publish(self) -> Result<()> {
        let replaces = self.replaces();
        self.publish_telling(replaces)
    }

    /// As [`Sealed::publish`]; `replaces` is whether to tell that a file is replaced.
    pub(super) fn publish_telling(self, replaces: bool) -> Result<()> {
        let PathTarget::File { folder, .. } = &self.to.target else { return self.rename_telling(replaces) };
        let (folder, path) = (folder.clone(), self.to.path.clone());
        self.rename_telling(replaces)?;
        sync_folder(&folder).map_err(OutputError::io(path))
    }

    /// As [`Sealed::publish`], of a file that is replaced again: what it replaces is not told.
    pub(super) fn publish_quietly(mut self) -> Result<()> {
        self.to.outputs = Outputs::default();
        self.publish()
    }

    /// Gives the file its name; a remote object is sent. The folder is to be synced.
    pub(super) fn rename(self) -> Result<()> {
        let replaces = self.replaces();
        self.rename_telling(replaces)
    }

    fn rename_telling(self, replaces: bool) -> Result<()> {
        let Self { inner, to } = self;
        let failed = OutputError::io(&to.path);
        match (inner, &to.target) {
            (Inner::File(file), PathTarget::File { folder, name }) => {
                let path = folder.join(name);
                file.persist(&path).map_err(|error| failed(error.error))?;
                to.outputs.published(&path, replaces.then_some(&*to.path));
            }
            (Inner::Upload(upload), _) => upload.send().map_err(failed)?,
            _ => (),
        }
        Ok(())
    }
}

/// Makes the names in a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    match synced {
        // Some file systems cannot sync a folder, and a folder may be writable without being readable.
        Err(error) => match error.kind() {
            io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied => Ok(()),
            _ => Err(error),
        },
        synced => synced,
    }
}

/// A remote object that is being written: into a temporary file, which is sent when it is complete, so that no part of it
/// is ever seen.
#[derive(Debug)]
struct Upload {
    path: PathBuf,
    file: File,
}

impl Upload {
    /// Begins an object.
    fn begin(path: &Path) -> io::Result<Self> {
        nddb_remote::check_writable(path)?;
        Ok(Self { path: path.to_owned(), file: tempfile::tempfile()? })
    }

    /// Sends what was written.
    fn send(mut self) -> io::Result<()> {
        self.file.rewind()?;
        nddb_remote::upload(&self.path, &mut self.file, &mut |_| true)
    }
}

impl Write for Upload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
