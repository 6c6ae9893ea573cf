//! A small file system for a test, where the tests have the right to mount one.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{folder, say};

/// A file system in memory, unmounted when dropped.
pub(crate) struct Mount {
    folder: tempfile::TempDir,
}

impl Mount {
    /// Mounts a file system of `mebibytes` MiB; prints that the test `what` is left out if that is not permitted.
    pub(crate) fn new(mebibytes: u32, what: &str) -> Option<Self> {
        let folder = folder();
        let options = format!("size={mebibytes}m");
        let mounted = mount(&["-t", "tmpfs", "-o", &options, "nddb-test"], folder.path());
        if !mounted {
            say(&format!("left out, for it needs the right to mount a small file system: {what}"));
        }
        mounted.then_some(Self { folder })
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// Makes the file system read-only, or writable again.
    pub(crate) fn read_only(&self, on: bool) {
        let options = if on { "remount,ro" } else { "remount,rw" };
        assert!(mount(&["-o", options], self.folder.path()), "it can be mounted again");
    }

    /// Fills the file system to the last byte; returns the file that does.
    pub(crate) fn fill(&self) -> PathBuf {
        let ballast = self.folder.path().join("ballast");
        let mut file = std::fs::File::create(&ballast).expect("a file can be made");
        let mut size = 1 << 20;
        while size > 0 {
            match std::io::Write::write(&mut file, &vec![1; size]) {
                Ok(_) => (),
                Err(_) => size /= 2,
            }
        }
        ballast
    }
}

fn mount(options: &[&str], path: &Path) -> bool {
    let output = Command::new("mount").args(options).arg(path).output();
    output.is_ok_and(|output| output.status.success())
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.folder.path()).output();
    }
}
