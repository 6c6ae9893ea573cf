//! CHECKED: when the database was last checked, and what was found (SPEC.md 8.8).

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::time::{Duration, SystemTime};

use super::dir::{CHECKED_TMP, Dir};
use super::regular;

const CHECKED: &str = "CHECKED";
/// No recorded check is longer, in bytes.
const LENGTH_MAX: u64 = 100;

/// The last check of a whole database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastCheck {
    /// When it ended, to the second.
    pub time: SystemTime,
    /// The number of the manifest that was checked; 0 if it could not be read.
    pub generation: u64,
    /// The number of faults.
    pub faults: u64,
}

impl LastCheck {
    /// Returns a check that ends now.
    pub(crate) fn now(generation: Option<u64>, faults: u64) -> Self {
        Self { time: SystemTime::now(), generation: generation.unwrap_or(0), faults }
    }

    fn encode(&self) -> String {
        let time = self.time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        format!("{time} {} {}\n", self.generation, self.faults)
    }

    fn decode(text: &str) -> Option<Self> {
        let mut numbers = text.strip_suffix('\n')?.split(' ').map(|number| number.parse::<u64>().ok());
        let mut next = || numbers.next().flatten();
        let (time, generation, faults) = (next()?, next()?, next()?);
        let time = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(time))?;
        numbers.next().is_none().then_some(Self { time, generation, faults })
    }
}

impl Dir {
    /// Records a check. A folder that cannot be written stays as it is: a check needs no permission to write.
    pub(crate) fn record_check(&self, check: &LastCheck) {
        let _ = self.replace_checked(&check.encode());
    }

    /// Puts a new file in the place of CHECKED. What is there is never opened for writing: it might be a link.
    fn replace_checked(&self, text: &str) -> io::Result<()> {
        let [path, tmp] = [CHECKED, CHECKED_TMP].map(|name| self.root().join(name));
        let _ = fs::remove_file(&tmp);
        File::create_new(&tmp)?.write_all(text.as_bytes())?;
        fs::rename(tmp, path)
    }

    /// Returns the last check that was recorded, if any.
    pub(crate) fn last_check(&self) -> Option<LastCheck> {
        let mut text = String::new();
        regular::open(&self.root().join(CHECKED)).ok()?.take(LENGTH_MAX).read_to_string(&mut text).ok()?;
        LastCheck::decode(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recorded_is_read_again_and_anything_else_is_no_check() {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = Dir::make_in(&folder.path().join("a"), "db").expect("created");
        assert_eq!(dir.last_check(), None);
        let check =
            LastCheck { time: SystemTime::UNIX_EPOCH + Duration::from_secs(1_764_000_000), generation: 7, faults: 2 };
        dir.record_check(&check);
        assert_eq!(dir.last_check(), Some(check));
        assert_eq!(check.encode(), "1764000000 7 2\n");
        for text in ["", "1 2 3", "1 2\n", "1 2 3 4\n", "x 2 3\n", "1  3\n", "18446744073709551615 1 1\n"] {
            assert_eq!(LastCheck::decode(text), None, "{text:?}");
        }
    }
}
