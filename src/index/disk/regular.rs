//! Opening the files of a folder that may come from somebody else: no link is followed, and nothing but a regular file
//! is opened, so that neither reading nor writing a database touches a file outside of it or waits at a pipe.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use super::system;
use crate::{Error, Result};

/// Maximum size of a file that is read as a whole although nothing tells its size, in bytes.
const SIZE_MAX: u64 = 64 << 20;

/// Opens a file for reading.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    open_with(path, OpenOptions::new().read(true))
}

/// Opens a file.
pub(super) fn open_with(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let file = system::open_regular(path, options)?.ok_or_else(not_regular)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
}

/// Reads a file.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a file of at most 64 MiB, such as MANIFEST, whose contents tell whether they are whole.
pub(crate) fn read_small(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(SIZE_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > SIZE_MAX {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is larger than such a file can be"));
    }
    Ok(bytes)
}

/// Returns whether a path is a regular file, not a link to one.
pub(super) fn is_regular(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
}

/// Returns whether a path is a folder, not a link to one.
pub(crate) fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Refuses folders that are links or files. Those that do not exist are passed.
pub(crate) fn refuse_other_than_folders(root: &Path, names: &[&str]) -> Result<()> {
    for path in names.iter().map(|name| root.join(name)) {
        match fs::symlink_metadata(&path) {
            Ok(metadata) if !metadata.is_dir() => return Err(Error::io("open the folder", &path)(not_regular())),
            _ => (),
        }
    }
    Ok(())
}

pub(super) fn not_regular() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "it is a link or a device; nddb follows no links inside of a database or a backup",
    )
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_folders_and_pipes_are_neither_followed_nor_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let [file, link, pipe, none] = ["file", "link", "pipe", "none"].map(|name| folder.path().join(name));
        fs::write(&file, "contents").expect("written");
        symlink(&file, &link).expect("linked");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("runs").success());
        assert_eq!(read_small(&file).expect("read"), b"contents");
        for path in [&link, &pipe, &folder.path().to_owned()] {
            let kind = open(path).expect_err("no regular file").kind();
            assert_eq!(kind, io::ErrorKind::InvalidData, "{path:?}");
            assert!(!is_regular(path), "{path:?}");
        }
        for path in [&link, &pipe] {
            let opened = open_with(path, OpenOptions::new().read(true).write(true).create(true));
            assert_eq!(opened.expect_err("no regular file").kind(), io::ErrorKind::InvalidData, "{path:?}");
        }
        assert_eq!(open(&none).expect_err("nothing").kind(), io::ErrorKind::NotFound);
        File::create(folder.path().join("large")).and_then(|file| file.set_len(SIZE_MAX + 1)).expect("sparse");
        assert_eq!(read_small(&folder.path().join("large")).expect_err("large").kind(), io::ErrorKind::InvalidData);
    }
}
