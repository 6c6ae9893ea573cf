//! File system access of archives: opens inputs, lists folders, identifies archives.
#![expect(clippy::disallowed_methods, reason = "the inputs")]

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use nddb_format::record::Archive;
use xxhash_rust::xxh3::Xxh3Default;

use super::names::text_of;
use super::ranges::Ranges;
#[cfg(feature = "parquet")]
use super::source::ReadSeek;
use super::source::{Origin, Source};
use super::zip::{self, Found};
use super::{ArchiveError, Entry, EntryContent, Format, Input, Options};

/// Number of bytes at each end of a file from which its identity is computed.
const IDENTITY_PART: u64 = 64 << 10;

/// An input, and the id of its document if it was found in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The file, or `-` for the standard input.
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
    /// The absolute path, so that the file is found from any folder, as text; [`path_of`](super::path_of) makes it a
    /// path again.
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
    /// Returns whether this is a file, which can be read again, and not a stream.
    #[must_use]
    pub fn is_file(&self) -> bool {
        self.path.is_file()
    }

    /// Returns the size of the file or of its selected ranges in bytes, or 0 if it is not known.
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

    /// Returns whether the file has the size and both ends of an archive, whatever its path and time of modification.
    pub fn is_of(&self, archive: &Archive) -> bool {
        (self.size, self.hash) == (archive.size, archive.hash)
    }
}

/// Opens a file, or the standard input for `-`.
pub(super) fn source(path: &Path) -> Result<Source, ArchiveError> {
    if path.as_os_str() == "-" {
        return Ok(Source::new(Origin::Forward(Box::new(io::stdin()))));
    }
    let file = File::open(path).map_err(|source| failed("opening", path, source))?;
    let metadata = file.metadata().map_err(|source| failed("opening", path, source))?;
    if !metadata.is_file() {
        return Ok(Source::new(Origin::Forward(Box::new(file))));
    }
    let size = metadata.len();
    let found = zip::archives(Box::new(file), size).map_err(|source| failed("reading", path, source))?;
    Ok(Source::new(match found {
        Found::None(file) => Origin::Seekable(file, size),
        Found::Archives(archives, len) => Origin::Seekable(Box::new(archives), len),
        Found::Unusable(why) => return Err(ArchiveError::UnusableZip { path: path.to_owned(), why }),
    }))
}

/// Returns the bytes of a source in a form that can be read at any offset, and their number. Bytes of a stream are
/// copied to an unnamed temporary file.
#[cfg(feature = "parquet")]
pub(super) fn seekable(source: Source) -> io::Result<(Box<dyn ReadSeek>, u64)> {
    match source.into_origin() {
        (Origin::Seekable(origin, size), _) => Ok((origin, size)),
        (Origin::Forward(mut rest), held) => {
            let mut file = tempfile::tempfile()?;
            let size = io::copy(&mut held.as_slice().chain(&mut rest), &mut file)?;
            Ok((Box::new(file), size))
        }
    }
}

/// The inputs of a list of paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// The inputs, in the order of the paths; those of a folder sorted by path.
    pub located: Vec<Located>,
    /// Number of files in folders that are not inputs: they are hidden, or their names do not belong to a known format
    /// or not to the requested one.
    pub passed_over: u64,
}

/// Lists the inputs of paths. A file is an input; a folder contributes all files below it whose names belong to a known
/// format or, unless `format` is [`Format::Auto`], to that format. A `.html`, `.htm`, `.xhtml`, `.txt` or `.text` file
/// is one document; the others are archives. A `.json` or `.csv` file is an input if that format is requested, or if it
/// begins with a document, because few such files contain any. Files and folders whose names begin with `.` or `_` are
/// hidden, by the convention of data tools (`_SUCCESS`, `_temporary`, `._part`), except partitions (`_name=value`).
///
/// Links to folders are not followed, so that no folder is read twice.
///
/// # Errors
///
/// A path does not exist or cannot be listed, or a folder has no input.
pub fn expand<P: AsRef<Path>>(paths: &[P], format: Format) -> Result<Inputs, ArchiveError> {
    let mut inputs = Inputs::default();
    let are_several = paths.iter().filter(|path| path.as_ref().is_dir()).count() > 1;
    for path in paths.iter().map(AsRef::as_ref) {
        let is_folder =
            path.as_os_str() != "-" && fs::metadata(path).map_err(|source| failed("opening", path, source))?.is_dir();
        if !is_folder {
            inputs.located.push(Located { path: path.to_owned(), document: None, ranges: None });
            continue;
        }
        // Files of two folders may have equal paths below them.
        let within = if are_several { path.components().as_path().into() } else { OsString::new() };
        let (mut found, passed_over) = below(path, within, format)?;
        if found.is_empty() {
            return Err(ArchiveError::NoDocuments { path: path.to_owned() });
        }
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        inputs.located.extend(found.into_iter().map(|(_, located)| located));
        inputs.passed_over += passed_over;
    }
    Ok(inputs)
}

/// Returns the inputs below a folder and the number of other files. Each input has its path below the folder, with `/`
/// between the components, after `within` if that is not empty.
fn below(folder: &Path, within: OsString, format: Format) -> Result<(Vec<(OsString, Located)>, u64), ArchiveError> {
    let (mut found, mut passed_over) = (Vec::new(), 0);
    let mut folders = vec![(folder.to_owned(), within, false)];
    while let Some((folder, name, is_hidden)) = folders.pop() {
        let refused = |source| failed("listing", &folder, source);
        for entry in fs::read_dir(&folder).map_err(refused)? {
            let entry = entry.map_err(refused)?;
            let mut name = name.clone();
            if !name.is_empty() {
                name.push("/");
            }
            name.push(entry.file_name());
            let path = entry.path();
            let kind = entry.file_type().map_err(refused)?;
            let is_hidden = is_hidden || is_hidden_name(&entry.file_name());
            if kind.is_dir() {
                folders.push((path, name, is_hidden));
                continue;
            }
            // A link may be dangling.
            if !kind.is_file() && !fs::metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
                continue;
            }
            let named = || Format::of_name(&path).filter(|found| found.is_read_as(format));
            let is_no_input = is_hidden || format == Format::Auto && is_doubtful(&path) && !has_documents(&path);
            match (!is_no_input).then(named).flatten() {
                Some(Format::Html) => {
                    let document = Some(text_of(&name));
                    found.push((name, Located { path, document, ranges: None }));
                }
                Some(_) => found.push((name, Located { path, document: None, ranges: None })),
                None => passed_over += 1,
            }
        }
    }
    Ok((found, passed_over))
}

/// Returns whether a name marks files, or folders of files, that are not data, by the convention of tools that write
/// data sets.
fn is_hidden_name(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b".") || name.starts_with(b"_") && !name.contains(&b'=')
}

/// Returns whether a file's name ends in `.json` or `.csv`, whatever its compression: most such files are not
/// documents.
fn is_doubtful(path: &Path) -> bool {
    let is = |ending: &OsStr| ["json", "csv"].iter().any(|name| ending.eq_ignore_ascii_case(name));
    let ends_so = |path: &Path| path.extension().is_some_and(is);
    ends_so(path) || path.file_stem().is_some_and(|stem| ends_so(Path::new(stem)))
}

/// Returns whether a file begins with a document, judged by the usual names of fields.
fn has_documents(path: &Path) -> bool {
    let options = Options { format: Format::of_name(path).unwrap_or_default(), ..Options::default() };
    let first = || Input::open(path, &options).and_then(|mut input| input.next()).ok().flatten();
    let is_document = |entry: Entry| matches!(entry.content, EntryContent::Page(_) | EntryContent::Fingerprint { .. });
    first().is_some_and(is_document)
}

/// Returns the identity of a file.
///
/// # Errors
///
/// The file does not exist, or cannot be read.
pub fn identity(path: &Path) -> Result<ArchiveIdentity, ArchiveError> {
    let refused = |source| failed("identifying", path, source);
    let mut file = File::open(path).map_err(refused)?;
    let metadata = file.metadata().map_err(refused)?;
    let size = metadata.len();
    let part = size.min(IDENTITY_PART);
    let mut hasher = Xxh3Default::new();
    let mut bytes = Vec::new();
    for offset in [0, size - part] {
        bytes.clear();
        file.seek(SeekFrom::Start(offset)).map_err(refused)?;
        file.by_ref().take(part).read_to_end(&mut bytes).map_err(refused)?;
        hasher.update(&bytes);
    }
    let since = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).ok();
    let modified = metadata.modified().ok().and_then(since).and_then(|since| u64::try_from(since.as_nanos()).ok());
    Ok(ArchiveIdentity {
        path: text_of(std::path::absolute(path).map_err(refused)?),
        size,
        hash: hasher.digest128().to_be_bytes(),
        modified: modified.unwrap_or(0),
    })
}

pub(super) fn failed(action: &'static str, path: &Path, source: io::Error) -> ArchiveError {
    ArchiveError::Io { action, path: path.to_owned(), source }
}
