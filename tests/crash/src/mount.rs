//! Small file systems in files, whose power can be cut.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::judge::Verdict;
use crate::support::{folder, say};

/// Bytes of a file system; its file has holes.
const SIZE: u64 = 512 << 20;

/// Kinds of file systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileSystem {
    /// XFS.
    Xfs,
    /// ext4 that neither writes contents before names nor at a rename.
    StrictExt4,
}

impl FileSystem {
    pub(crate) const ALL: [Self; 2] = [Self::Xfs, Self::StrictExt4];

    /// The name by which it is made and mounted, the options, and those of making it.
    fn options(self) -> (&'static str, &'static str, &'static [&'static str]) {
        match self {
            Self::Xfs => ("xfs", "loop", &["-q", "-f"]),
            Self::StrictExt4 => ("ext4", "loop,data=writeback,noauto_da_alloc", &["-q", "-F"]),
        }
    }
}

/// A file system that is mounted until it is dropped.
pub(crate) struct Mount {
    kind: FileSystem,
    folder: tempfile::TempDir,
}

impl Mount {
    /// Makes and mounts a file system. `None`, with a message, where that is not possible or not permitted.
    pub(crate) fn new(kind: FileSystem) -> Option<Self> {
        let mount = Self { kind, folder: folder() };
        let image = mount.image();
        let made = std::fs::File::create(&image).and_then(|file| file.set_len(SIZE));
        made.expect("a file can be made");
        std::fs::create_dir(mount.path()).expect("a folder can be made");
        let (name, _, options) = kind.options();
        let image = image.to_string_lossy().into_owned();
        let arguments: Vec<&str> = options.iter().copied().chain([&*image]).collect();
        let mounted = run(&format!("mkfs.{name}"), &arguments).and_then(|()| mount.mount());
        if let Err(why) = mounted {
            say(&format!("left out, power cuts on {kind:?}: {why}"));
            return None;
        }
        Some(mount)
    }

    /// Where it is mounted.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("mounted")
    }

    fn image(&self) -> PathBuf {
        self.folder.path().join("image")
    }

    fn mount(&self) -> Verdict {
        let (name, options, _) = self.kind.options();
        run("mount", &["-t", name, "-o", options, &text(&self.image()), &text(&self.path())])
    }

    /// Writes all that is not on disk.
    pub(crate) fn sync(&self) {
        let _ = run("sync", &["-f", &text(&self.path())]);
    }

    /// Mounts it again, as after a power cut.
    pub(crate) fn again(&self) -> Verdict {
        run("umount", &[&text(&self.path())]).and_then(|()| self.mount())
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = run("umount", &["--lazy", &text(&self.path())]);
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn run(program: &str, arguments: &[&str]) -> Verdict {
    let output = Command::new(program).args(arguments).output().map_err(|error| format!("{program}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}
