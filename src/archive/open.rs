//! Opens the files and remote objects of inputs, and identifies archives.
#![expect(clippy::disallowed_methods, reason = "the inputs")]

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use nddb_format::record::Archive;
use nddb_remote::{RemoteFile, is_remote};
use xxhash_rust::xxh3::Xxh3Default;

use super::names::text_of;
use super::ranges::Ranges;
use super::source::{ByteOrigin, ReadSeek, Source};
use super::zip::{self, ZipArchives};
use super::{ArchiveError, Options};

/// Number of bytes at each end of a file from which its identity is computed.
const IDENTITY_PART: u64 = 64 << 10;
/// Remote objects that are identified at a time.
const REQUESTS: usize = 32;

/// An input, and the id of its document if it was found in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The file, the address of a remote object, or `-` for the standard input.
    pub path: PathBuf,
    /// For a single-document file found in a folder: its path below that folder as text, with `/` between the
    /// components; preceded by the path of the folder if there are several.
    pub document: Option<String>,
    /// The ranges of a WARC, WET or ARC file that are read, one record each; `None` means the whole file.
    pub ranges: Option<Ranges>,
}

/// The identity of an archive, by which a later run recognises it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArchiveIdentity {
    /// The absolute path, so that the file is found from any folder, or the address of a remote object without
    /// credentials, as text; [`path_of`](super::path_of) makes it a path again.
    pub path: String,
    /// The file's size.
    pub size: u64,
    /// XXH3-128, most significant byte first, of the first 64 KiB followed by the last 64 KiB. For a smaller file, both
    /// parts are the whole file.
    pub hash: [u8; 16],
    /// Time of the last modification, in nanoseconds since 1970; 0 if unknown. It reveals changes between the two ends
    /// of the file.
    pub modified: u64,
}

impl Located {
    /// Returns whether this is a file or a remote object, which can be read again, and not a stream.
    #[must_use]
    pub fn is_file(&self) -> bool {
        is_file(&self.path)
    }

    /// Returns the size of the file or of its selected ranges in bytes, or 0 if it is not known. The size of a remote
    /// object is not asked for.
    #[must_use]
    pub fn size(&self) -> u64 {
        if let Some(ranges) = &self.ranges {
            return ranges.bytes();
        }
        fs::metadata(&self.path).map_or(0, |metadata| if metadata.is_file() { metadata.len() } else { 0 })
    }
}

impl ArchiveIdentity {
    /// Returns the archive as a database stores it, with these options, restricted to these ranges if there are any,
    /// and without progress.
    pub fn into_archive(self, options: &Options, ranges: Option<&Ranges>) -> Archive {
        let reading = ranges.map_or_else(|| options.reading(), |ranges| Some(ranges.reading(options)));
        Archive::unread(self.path, self.size, self.hash, self.modified, reading)
    }

    /// Returns whether the file has the time of modification of an archive, as far as both are known.
    pub fn is_unmodified(&self, archive: &Archive) -> bool {
        self.modified == archive.modified || self.modified == 0 || archive.modified == 0
    }

    /// Returns whether the file has the size and both ends of an archive, whatever its path and time of modification.
    pub fn is_of(&self, archive: &Archive) -> bool {
        (self.size, self.hash) == (archive.size, archive.hash)
    }
}

/// Returns whether a path is that of a file or of a remote object, which can be read again, and not a stream. Whether
/// the object is there is not asked.
#[must_use]
pub fn is_file(path: &Path) -> bool {
    is_remote(path) || path.is_file()
}

/// Returns the absolute path of a file; the address of a remote object is returned as it is.
///
/// # Errors
///
/// The path is empty, or the current folder is not known.
pub fn absolute(path: &Path) -> io::Result<PathBuf> {
    if is_remote(path) { Ok(path.to_owned()) } else { std::path::absolute(path) }
}

/// Opens a file or a remote object, or the standard input for `-`.
pub(super) fn source(path: &Path) -> Result<Source, ArchiveError> {
    let opening = |source| failed("opening", path, source);
    if path.as_os_str() == "-" {
        return Ok(Source::new(ByteOrigin::Forward(Box::new(io::stdin()))));
    }
    let (file, size): (Box<dyn ReadSeek>, u64) = if is_remote(path) {
        let object = RemoteFile::open(path).map_err(opening)?;
        let size = object.size();
        (Box::new(object), size)
    } else {
        let file = File::open(path).map_err(opening)?;
        let metadata = file.metadata().map_err(opening)?;
        if !metadata.is_file() {
            return Ok(Source::new(ByteOrigin::Forward(Box::new(file))));
        }
        (Box::new(file), metadata.len())
    };
    let found = zip::archives(file, size).map_err(|source| failed("reading", path, source))?;
    Ok(Source::new(match found {
        ZipArchives::None(file) => ByteOrigin::Seekable(file, size),
        ZipArchives::Archives(archives, len) => ByteOrigin::Seekable(Box::new(archives), len),
        ZipArchives::Unusable(why) => return Err(ArchiveError::UnusableZip { path: path.to_owned(), why }),
    }))
}

/// Returns the bytes of a source in a form that can be read at any offset, and their number. Bytes of a stream are
/// copied to an unnamed temporary file.
#[cfg(feature = "parquet")]
pub(super) fn seekable(source: Source) -> io::Result<(Box<dyn ReadSeek>, u64)> {
    match source.into_origin() {
        (ByteOrigin::Seekable(origin, size), _) => Ok((origin, size)),
        (ByteOrigin::Forward(mut rest), held) => {
            let mut file = tempfile::tempfile()?;
            let size = io::copy(&mut held.as_slice().chain(&mut rest), &mut file)?;
            Ok((Box::new(file), size))
        }
    }
}

/// Returns the identity of a file or a remote object.
///
/// # Errors
///
/// The file does not exist, or cannot be read.
pub fn identity(path: &Path) -> Result<ArchiveIdentity, ArchiveError> {
    let refused = |source| failed("identifying", path, source);
    let (file, size, modified): (Box<dyn ReadSeek>, _, _) = if is_remote(path) {
        let object = RemoteFile::open(path).map_err(refused)?;
        let (size, modified) = (object.size(), object.modified());
        (Box::new(object), size, modified)
    } else {
        let file = File::open(path).map_err(refused)?;
        let metadata = file.metadata().map_err(refused)?;
        (Box::new(file), metadata.len(), metadata.modified().ok())
    };
    let since = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).ok();
    let modified = modified.and_then(since).and_then(|since| u64::try_from(since.as_nanos()).ok());
    let hash = hash_of_ends(file, size).map_err(refused)?;
    let path = text_of(absolute(path).map_err(refused)?);
    Ok(ArchiveIdentity { path, size, hash, modified: modified.unwrap_or(0) })
}

/// Returns the hash of the first and the last bytes of a file.
fn hash_of_ends(mut file: impl Read + Seek, size: u64) -> io::Result<[u8; 16]> {
    let part = size.min(IDENTITY_PART);
    let mut hasher = Xxh3Default::new();
    let mut bytes = Vec::new();
    for offset in [0, size - part] {
        bytes.clear();
        file.seek(SeekFrom::Start(offset))?;
        file.by_ref().take(part).read_to_end(&mut bytes)?;
        hasher.update(&bytes);
    }
    Ok(hasher.digest128().to_be_bytes())
}

/// Returns the identities of files and remote objects, in their order; `None` for no path, and for one that cannot be
/// read. If there are remote objects, several threads ask for them, because each answer takes its time.
pub fn identities(paths: &[Option<&Path>]) -> Vec<Option<ArchiveIdentity>> {
    let identify = |path: &Option<&Path>| path.and_then(|path| identity(path).ok());
    let threads = paths.iter().flatten().filter(|path| is_remote(path)).count().min(REQUESTS);
    let mut found = vec![None; paths.len()];
    let fill = |found: &mut [_], paths: &[_]| found.iter_mut().zip(paths).for_each(|(to, path)| *to = identify(path));
    if threads == 0 {
        fill(&mut found, paths);
        return found;
    }
    let share = paths.len().div_ceil(threads);
    std::thread::scope(|scope| {
        for (found, paths) in found.chunks_mut(share).zip(paths.chunks(share)) {
            scope.spawn(move || fill(found, paths));
        }
    });
    found
}

pub(super) fn failed(action: &'static str, path: &Path, source: io::Error) -> ArchiveError {
    ArchiveError::Io { action, path: path.to_owned(), source }
}
