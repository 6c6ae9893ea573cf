//! What the path of an output leads to, and what tells two outputs, or an output and an input, to be the same.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use nddb_remote::is_remote;

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PathTarget {
    Stdout,
    /// What has no other name that it could be renamed from: a device, a pipe, a file descriptor under /dev or /proc.
    Direct(PathBuf),
    /// An object of a store.
    Remote(PathBuf),
    /// A file, which exists or not: its folder, without links, and its name there.
    File {
        folder: PathBuf,
        name: OsString,
    },
}

/// What makes two outputs the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Identity {
    /// An existing file: device and inode.
    File(u64, u64),
    /// A name in a folder, by the folder's device and inode.
    Name(u64, u64, OsString),
    Remote(String),
    Stdout,
}

/// Links that are followed before a path is taken to lead nowhere.
const LINKS_MAX: u32 = 40;

/// Whether a path is one of the names of stdout.
pub(super) fn is_stdout(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

/// Whether a path is that of an open file descriptor or of another file of the system.
fn is_of_system(path: &Path) -> bool {
    path.starts_with("/dev") && !path.starts_with("/dev/shm") || path.starts_with("/proc")
}

/// Whether a path is a device, a pipe or a socket.
fn is_device(found: &Metadata) -> bool {
    !found.is_dir() && !found.is_file()
}

/// Whether an output cannot be written under another name and renamed: stdout, a device, a pipe, or any path in /dev
/// (without /dev/shm) and /proc.
#[must_use]
pub fn is_nameless(path: &Path) -> bool {
    path.as_os_str() == "-" || is_of_system(path) || fs::metadata(path).is_ok_and(|found| is_device(&found))
}

impl PathTarget {
    /// Follows a path. `Ok(None)` if it is a folder, or named as one.
    pub(super) fn of(path: &Path) -> io::Result<Option<Self>> {
        if is_stdout(path) {
            return Ok(Some(Self::Stdout));
        }
        if is_remote(path) {
            nddb_remote::check_writable(path)?;
            return Ok(Some(Self::Remote(path.into())));
        }
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Ok(None),
            Ok(found) if is_device(&found) || is_of_system(path) => return Ok(Some(Self::Direct(path.into()))),
            Ok(_) => return Self::named(&path.canonicalize()?).map(Some),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Err(_) if is_of_system(path) => return Ok(Some(Self::Direct(path.into()))),
            Err(_) => (),
        }
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Ok(None);
        }
        // Nothing is there, or a link to what is not there yet.
        let mut path = path.to_owned();
        for _ in 0..LINKS_MAX {
            match fs::read_link(&path) {
                Ok(to) => path = folder_of(&path).join(to),
                Err(_) => return Self::named(&path).map(Some),
            }
        }
        Err(io::Error::other("too many links"))
    }

    fn named(path: &Path) -> io::Result<Self> {
        let name = path.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(Self::File { folder: folder_of(path).canonicalize()?, name: name.to_owned() })
    }

    /// Returns the path of a file without links, or that of what is written directly; `None` for stdout that is no
    /// file, and of a store.
    pub(super) fn path(&self) -> Option<PathBuf> {
        match self {
            Self::File { folder, name } => Some(folder.join(name)),
            Self::Direct(path) => path.canonicalize().ok(),
            Self::Stdout => Path::new("/dev/stdout").canonicalize().ok(),
            Self::Remote(_) => None,
        }
    }

    /// Returns the existing file that is written or replaced.
    pub(super) fn existing(&self) -> Option<Identity> {
        let found = match self {
            Self::File { folder, name } => fs::metadata(folder.join(name)).ok(),
            Self::Direct(path) => fs::metadata(path).ok(),
            Self::Stdout => return descriptor(io::stdout()),
            Self::Remote(_) => return Some(self.place()),
        };
        found.filter(Metadata::is_file).map(|found| Identity::of(&found))
    }

    /// Returns what no two outputs of a run may have in common.
    pub(super) fn place(&self) -> Identity {
        match self {
            Self::Stdout => Identity::Stdout,
            Self::Remote(path) => Identity::Remote(address(path)),
            Self::Direct(path) => match fs::metadata(path) {
                Ok(found) => Identity::of(&found),
                Err(_) => Identity::Name(0, 0, path.into()),
            },
            Self::File { folder, name } => match fs::metadata(folder) {
                Ok(found) => Identity::Name(found.dev(), found.ino(), name.clone()),
                Err(_) => Identity::Name(0, 0, folder.join(name).into()),
            },
        }
    }

    /// Returns whether several outputs can go there without harm, as to /dev/null.
    pub(super) fn is_shared(&self) -> bool {
        let is_terminal_or_null = |found: Metadata| found.file_type().is_char_device();
        matches!(self, Self::Direct(path) if fs::metadata(path).is_ok_and(is_terminal_or_null))
    }
}

impl Identity {
    pub(super) fn of(found: &Metadata) -> Self {
        Self::File(found.dev(), found.ino())
    }

    /// Returns what a path leads to that is read: `None` if there is nothing.
    pub(super) fn read(path: &Path) -> Option<Self> {
        if path.as_os_str() == "-" {
            return descriptor(io::stdin());
        }
        if is_remote(path) {
            return Some(Self::Remote(address(path)));
        }
        fs::metadata(path).ok().filter(Metadata::is_file).map(|found| Self::of(&found))
    }
}

/// Returns the regular file that a descriptor leads to.
fn descriptor(of: impl AsFd) -> Option<Identity> {
    let found = rustix::fs::fstat(of).ok()?;
    let is_file = rustix::fs::FileType::from_raw_mode(found.st_mode).is_file();
    #[allow(clippy::unnecessary_cast, reason = "the widths differ by system")]
    is_file.then_some(Identity::File(found.st_dev as u64, found.st_ino as u64))
}

/// Returns an address so that equal objects have equal ones: with one scheme for each kind of store.
fn address(path: &Path) -> String {
    let text = path.to_string_lossy();
    let Some((scheme, rest)) = text.split_once("://") else { return text.into_owned() };
    let scheme = match &*scheme.to_ascii_lowercase() {
        "s3a" => "s3".to_owned(),
        "abfss" => "abfs".to_owned(),
        other => other.to_owned(),
    };
    format!("{scheme}://{rest}")
}

/// Returns the folder that a path is in.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the database whose folder a path without links is in, or is.
pub(super) fn database_around(path: &Path) -> Option<&Path> {
    path.ancestors().find(|folder| {
        folder.join("catalog").is_dir() && ["MANIFEST", "LOCK"].iter().any(|name| folder.join(name).is_file())
    })
}

/// Longest name of an output of which the names of its lock and its temporary file are made as they are.
const NAME_MAX: usize = 200;
/// How the names of locks and temporary files end.
const LOCK: &str = ".nddb-lock";
pub(super) const PART: &str = ".nddb-part";
/// Number of random characters in the name of a temporary file.
pub(super) const RANDOM: usize = 8;

/// Returns the name of an output's lock.
pub(super) fn lock_name(name: &OsStr) -> OsString {
    lock_of_stem(&stem(name))
}

/// Returns how the name of an output's temporary file begins.
pub(super) fn part_prefix(name: &OsStr) -> OsString {
    let mut prefix = stem(name);
    prefix.push(".");
    prefix
}

/// Returns how the names of an output's lock and temporary file begin: a long name is replaced by its hash.
pub(super) fn stem(name: &OsStr) -> OsString {
    let mut stem = OsString::from(".");
    if name.len() > NAME_MAX {
        stem.push(format!("{:016x}", xxhash_rust::xxh3::xxh3_64(name.as_encoded_bytes())));
    } else {
        stem.push(name);
    }
    stem
}

/// Returns whether a name is one that this crate gives to locks and temporary files.
pub(super) fn is_reserved(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b".") && (name.ends_with(LOCK.as_bytes()) || name.ends_with(PART.as_bytes()))
}

/// Returns the [`stem`] of a temporary file's name; `None` for other names.
pub(super) fn part_stem(name: &OsStr) -> Option<&OsStr> {
    use std::os::unix::ffi::OsStrExt;
    let stem = name.as_bytes().strip_suffix(PART.as_bytes())?;
    let (stem, random) = stem.split_at_checked(stem.len().checked_sub(RANDOM)?)?;
    let stem = stem.strip_suffix(b".")?;
    let is_ours = stem.starts_with(b".") && stem.len() > 1 && random.iter().all(u8::is_ascii_alphanumeric);
    is_ours.then(|| OsStr::from_bytes(stem))
}

/// Returns the name of the lock of a [`stem`].
pub(super) fn lock_of_stem(stem: &OsStr) -> OsString {
    let mut lock = stem.to_owned();
    lock.push(LOCK);
    lock
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_temporary_files_are_told_from_those_of_users() {
        let long = OsString::from("x".repeat(255));
        for name in [OsStr::new("kept.jsonl"), OsStr::new(".a"), &long] {
            let mut part = part_prefix(name);
            part.push("a1B2c3D4");
            part.push(PART);
            assert!(part.len() <= 255 && is_reserved(&part) && is_reserved(&lock_name(name)));
            assert_eq!(part_stem(&part), Some(&*stem(name)));
            assert_eq!(lock_of_stem(&stem(name)), lock_name(name));
        }
        for mine in
            ["kept.jsonl.part", ".kept.nddb-part", "kept.a1B2c3D4.nddb-part", ".a1B2c3D4.nddb-part", ".nddb-part"]
        {
            assert_eq!(part_stem(OsStr::new(mine)), None, "{mine}");
        }
    }

    #[test]
    fn equal_objects_have_equal_addresses() {
        assert_eq!(address(Path::new("s3a://b/x")), address(Path::new("S3://b/x")));
        assert_ne!(address(Path::new("s3://b/x")), address(Path::new("s3://b/X")));
    }
}
