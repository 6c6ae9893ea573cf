//! The golden databases.

use std::ops::Deref;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// A golden database, unpacked into a temporary folder that goes with this value.
pub struct Golden(TempDir);

impl Golden {
    /// Unpacks the database of an archive that `tests/data` has.
    ///
    /// # Panics
    /// If `tar` cannot unpack it.
    #[must_use]
    pub fn unpacked(archive: &Path) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let done = Command::new("tar").arg("-xf").arg(archive).arg("-C").arg(folder.path()).status();
        assert!(done.expect("tar runs").success(), "tar cannot unpack {}", archive.display());
        Self(folder)
    }
}

impl Deref for Golden {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

impl AsRef<Path> for Golden {
    fn as_ref(&self) -> &Path {
        self
    }
}

/// Returns a golden database of format 1, which `tests/data/README.md` describes.
///
/// # Panics
/// As [`Golden::unpacked`].
#[must_use]
pub fn golden(name: &str) -> Golden {
    let data = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../data/v1"));
    Golden::unpacked(&data.join(name).with_extension("tar"))
}
