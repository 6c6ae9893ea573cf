//! Files and remote objects that are read.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nddb_remote::{RemoteFile, is_remote};

use crate::error::{Advice, JobError, Result};
use crate::packed::Packing;
use crate::scratch::Scratch;

/// Number of bytes per read.
const PIECE: usize = 256 << 10;
/// Bytes by which the compression of a file is known.
pub(crate) const MAGIC: u64 = 6;

/// Opens a file or a remote object; a folder is an error.
///
/// # Errors
/// [`JobError::Input`].
pub fn open(path: &Path) -> Result<Box<dyn Read + Send>> {
    let opened: io::Result<Box<dyn Read + Send>> = if is_remote(path) {
        RemoteFile::open(path).map(|object| Box::new(object) as _)
    } else {
        File::open(path).map(|file| Box::new(BufReader::with_capacity(PIECE, file)) as _)
    };
    opened.map_err(|error| JobError::reading(path, &error))
}

/// Detects the compression of a file that is to be written in part.
///
/// # Errors
/// It cannot be read, or parts of such a file cannot be written.
pub fn packing(path: &Path) -> Result<Packing> {
    let mut head = Vec::new();
    open(path)?.take(MAGIC).read_to_end(&mut head).map_err(|error| JobError::reading(path, &error))?;
    let name = path.display();
    if head.starts_with(b"BZh") || head.starts_with(b"\xfd7zXZ\0") || head.starts_with(b"\x04\x22\x4d\x18") {
        let message = format!("{name}: files of bzip2, xz and lz4 cannot be written in part");
        return Err(JobError::options(message).advise(Advice::Recompress));
    }
    if head.starts_with(b"PK\x03\x04") {
        let message = format!("{name}: a WACZ file cannot be written in part");
        return Err(JobError::options(message).advise(Advice::Unpack));
    }
    Ok(Packing::of_bytes(&head))
}

/// Copies stdin to a temporary file, for readers that need it twice. The copy is removed when the first value is
/// dropped, or, if the process is killed, by the next one that makes temporary files there.
///
/// # Errors
/// [`JobError::Output`]: the folder of temporary files cannot be written.
pub fn spooled_stdin() -> Result<(Scratch, PathBuf)> {
    let folder = tempfile::env::temp_dir();
    let copied = Scratch::with_copy(&folder, &mut io::stdin().lock());
    copied.map_err(|error| crate::output::OutputError::io(folder)(error).into())
}

/// Opens a file for random access. A remote object is copied to a temporary file.
#[cfg(feature = "parquet")]
pub(crate) fn random_access(path: &Path) -> Result<File> {
    let copied = |mut object: RemoteFile| {
        let mut file = tempfile::tempfile()?;
        io::copy(&mut object, &mut file)?;
        Ok(file)
    };
    let opened = if is_remote(path) { RemoteFile::open(path).and_then(copied) } else { File::open(path) };
    opened.map_err(|error| JobError::reading(path, &error))
}

/// The size of a file or a remote object in bytes; 0 if there is none.
pub fn size(path: &Path) -> u64 {
    if is_remote(path) {
        return RemoteFile::open(path).map_or(0, |object| object.size());
    }
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// Whether two paths lead to one file that exists.
pub(crate) fn is_same_file(a: &Path, b: &Path) -> bool {
    let identity = |path| fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()));
    identity(a).is_some_and(|a| identity(b) == Some(a))
}
