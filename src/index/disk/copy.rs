//! Files in a second folder: hard links if the file system allows them, else copies of the open files.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::files::{SYNC_FILE, names, sync};
use super::regular;
use super::steps::step;
use crate::{Error, Result};

/// Number of bytes that are read at once.
const PIECE_SIZE: usize = 1 << 20;

/// Called with the number of bytes that were read since the last time; an error stops the work.
pub(crate) type Progress<'a> = &'a mut dyn FnMut(u64) -> Result<()>;

/// A file that is held open, up to its length at that time; it stays readable when it is removed.
#[derive(Debug)]
pub(crate) struct Held {
    file: File,
    path: PathBuf,
    length: u64,
}

impl Held {
    /// Opens a file.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = regular::open(path).map_err(Error::io("open the file", path))?;
        let length = file.metadata().map_err(Error::io("look at the file", path))?.len();
        Ok(Self { file, path: path.into(), length })
    }

    /// Updates the length to the current length of the file, which may have grown.
    pub(crate) fn measure(&mut self) -> Result<()> {
        self.length = self.file.metadata().map_err(Error::io("look at the file", &self.path))?.len();
        Ok(())
    }

    /// Returns the length in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Returns the device and the number of the file on it.
    pub(crate) fn identity(&self) -> Result<(u64, u64)> {
        let metadata = self.file.metadata().map_err(Error::io("look at the file", &self.path))?;
        Ok((metadata.dev(), metadata.ino()))
    }

    /// Passes the bytes to `visit`. Fails if there are fewer than when it was opened.
    fn read(&mut self, visit: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let refused = |error| Error::io("read the file", &self.path)(error);
        self.file.rewind().map_err(refused)?;
        let mut left = self.length;
        let mut piece = Vec::with_capacity(PIECE_SIZE);
        while left > 0 {
            piece.clear();
            (&mut self.file).take(left.min(PIECE_SIZE as u64)).read_to_end(&mut piece).map_err(refused)?;
            if piece.is_empty() {
                let what = format!("has lost its last {left} bytes");
                return Err(Error::Inconsistent { path: self.path.clone(), what });
            }
            visit(&piece)?;
            left -= piece.len() as u64;
        }
        Ok(())
    }

    /// Returns the CRC-32.
    pub(crate) fn checksum(&mut self, progress: Progress<'_>) -> Result<u32> {
        let mut crc = crc32fast::Hasher::new();
        self.read(&mut |piece| {
            crc.update(piece);
            progress(piece.len() as u64)
        })?;
        Ok(crc.finalize())
    }

    /// Writes a durable copy; returns its CRC-32.
    pub(crate) fn copy(&mut self, to: &Path, progress: Progress<'_>) -> Result<u32> {
        let refused = |action: &'static str| Error::io(action, to);
        let created = step("create the file", to).and_then(|()| File::create_new(to));
        let mut file = created.map_err(refused("create the file"))?;
        let mut crc = crc32fast::Hasher::new();
        self.read(&mut |piece| {
            crc.update(piece);
            let written = step("write to the file", to).and_then(|()| io::Write::write_all(&mut file, piece));
            written.map_err(refused("write to the file"))?;
            progress(piece.len() as u64)
        })?;
        sync(&file, SYNC_FILE, to)?;
        Ok(crc.finalize())
    }
}

/// Gives a file a second name. If that is not possible, as between file systems, returns the open file for a copy.
pub(crate) fn link_or_hold(from: &Path, to: &Path) -> Result<Option<Held>> {
    use io::ErrorKind as Kind;
    match step("link the file", to).and_then(|()| fs::hard_link(from, to)) {
        Ok(()) if regular::is_regular(to) => Ok(None),
        // The second name of a link, which the caller would follow.
        Ok(()) => {
            let _ = fs::remove_file(to);
            Err(Error::io("link the file", from)(regular::not_regular()))
        }
        Err(error) if matches!(error.kind(), Kind::NotFound | Kind::StorageFull | Kind::AlreadyExists) => {
            Err(Error::io("link the file", from)(error))
        }
        Err(_) => Held::open(from).map(Some),
    }
}

/// Returns the length of a file in bytes.
pub(crate) fn length(path: &Path) -> Result<u64> {
    Ok(fs::metadata(path).map_err(Error::io("look at the file", path))?.len())
}

/// Returns the time of the last write to a file; `None` if there is no file.
pub(crate) fn modified(path: &Path) -> Result<Option<SystemTime>> {
    match fs::metadata(path).and_then(|metadata| metadata.modified()) {
        Ok(time) => Ok(Some(time)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(Error::io("look at the file", path)(error)),
    }
}

/// Reads a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    regular::read(path).map_err(Error::io("read the file", path))
}

/// Reads a small file.
pub(crate) fn read_small(path: &Path) -> Result<Vec<u8>> {
    regular::read_small(path).map_err(Error::io("read the file", path))
}

/// Truncates a file, durably.
pub(crate) fn cut(path: &Path, length: u64) -> Result<()> {
    let file = step("cut the file", path).and_then(|()| regular::open_with(path, fs::OpenOptions::new().write(true)));
    let file = file.map_err(Error::io("open the file", path))?;
    file.set_len(length).map_err(Error::io("cut the file", path))?;
    sync(&file, SYNC_FILE, path)
}

/// Makes a folder with the files of a catalog, some of them truncated to a given length. Large ones are links.
pub(crate) fn show_cut(folder: &Path, to: &Path, ends: &[(OsString, usize)]) -> Result<()> {
    fs::create_dir(to).map_err(Error::io("create the folder", to))?;
    let is_large = |name: &OsString| Path::new(name).extension().is_some_and(|end| end == "sst" || end == "log");
    for name in names(folder)? {
        let (from, to) = (folder.join(&name), to.join(&name));
        match ends.iter().find(|(cut, _)| *cut == name) {
            Some((_, length)) => {
                let mut contents = read(&from)?;
                contents.truncate(*length);
                fs::write(&to, contents).map_err(Error::io("write to the file", &to))?;
            }
            None if is_large(&name) => {
                std::os::unix::fs::symlink(&from, &to).map_err(Error::io("link the file", &to))?;
            }
            None => fs::write(&to, read(&from)?).map_err(Error::io("write to the file", &to))?,
        }
    }
    Ok(())
}

/// Makes the contents of a file durable, whoever wrote them.
pub(crate) fn sync_contents(path: &Path) -> Result<()> {
    let file = regular::open(path).map_err(Error::io("open the file", path))?;
    sync(&file, SYNC_FILE, path)
}

/// Removes a file.
pub(crate) fn remove(path: &Path) -> Result<()> {
    let removed = step("remove the file", path).and_then(|()| fs::remove_file(path));
    removed.map_err(Error::io("remove the file", path))
}
