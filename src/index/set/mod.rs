//! Sets: distinct fingerprints alone, without documents, numbers and deletions (SPEC 8.10). A set has the runs of a
//! database without postings, and no catalog; only a new run, or fewer of them, changes it.

mod check;
mod write;

pub use self::write::SetWriter;

use std::path::Path;

use nddb_format::Fingerprint;
use nddb_format::manifest::Manifest;

use crate::disk::dir::Dir;
use crate::error::NO_SET;
use crate::read::probe::Match;
use crate::read::snapshot::Snapshot;
use crate::runs::run::Verify;
use crate::spill::progress::Progress;
use crate::spill::resources::Resources;
use crate::within::Within;
use crate::{Error, Result};

/// Attempts to open the files of a manifest before a writer replaces it by the next.
const ATTEMPTS: u32 = 64;

/// A set of fingerprints, open for reading.
///
/// ```
/// use nddb_index::{Config, Fingerprint, FingerprintSet, SetWriter, Within};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("seen");
/// SetWriter::create(&path, &Config::within(3)?)?;
/// let mut writer = SetWriter::open(&path, "an example", Default::default())?;
/// for fingerprint in [0b0111, 0b1111, 0xffff_0000, 0b0111] {
///     writer.push(Fingerprint(fingerprint))?;
/// }
/// writer.flush()?;
/// let set = FingerprintSet::open(&path)?;
/// let found = set.find(&[Fingerprint(0b0011)], Within(2))?;
/// assert_eq!(found, [[(1, Fingerprint(0b0111)), (2, Fingerprint(0b1111))]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FingerprintSet {
    snapshot: Snapshot,
}

/// Reads the MANIFEST of a set.
fn manifest_of(dir: &Dir) -> Result<Manifest> {
    let bytes = dir.read_manifest()?;
    if !Manifest::is_of_set(&bytes) {
        return Err(Error::NotADatabase { path: dir.root().into(), why: NO_SET });
    }
    Manifest::decode(&bytes).map_err(Error::format(&dir.manifest_path()))
}

impl FingerprintSet {
    /// Returns whether there is a set, perhaps a damaged one.
    pub fn is_at(path: impl AsRef<Path>) -> bool {
        Dir::open(path.as_ref()).and_then(|dir| dir.read_manifest()).is_ok_and(|bytes| Manifest::is_of_set(&bytes))
    }

    /// Opens a set.
    ///
    /// # Errors
    /// [`Error::NotADatabase`], also for a database of documents; damage of the parts that opening reads.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let dir = Dir::open(path.as_ref())?;
        for _ in 0..ATTEMPTS {
            let manifest = manifest_of(&dir)?;
            let generation = manifest.generation;
            match Snapshot::open(&dir, manifest, Verify::FirstTouch, None) {
                Ok(snapshot) => return Ok(Self { snapshot }),
                // A writer may have removed files of this manifest after it published the next one.
                Err(Error::Missing { .. }) if manifest_of(&dir)?.generation != generation => (),
                Err(error) => return Err(error),
            }
        }
        Err(Error::Busy { path: path.as_ref().into() })
    }

    /// Returns the manifest that is open.
    pub fn manifest(&self) -> &Manifest {
        &self.snapshot.manifest
    }

    /// Returns the number of fingerprints of all runs. One that is in several runs is counted in each.
    pub fn len(&self) -> u64 {
        self.manifest().complete
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Predicts the time of a query in nanoseconds, if all files are in memory.
    pub fn predicted_ns(&self, within: Within) -> f64 {
        self.snapshot.predicted_ns(within)
    }

    /// Finds all fingerprints within `within` bits of each query, ascending by (distance, fingerprint).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if the distance exceeds [`Within::MAX`] or a query the width of the set; damage.
    pub fn find(&self, queries: &[Fingerprint], within: Within) -> Result<Vec<Vec<(u32, Fingerprint)>>> {
        let found = self.snapshot.probe_many(queries, within.into())?;
        let prints = found.into_iter().map(|found| {
            let of = |Match { distance, fingerprint, .. }| (distance, fingerprint);
            let mut prints: Vec<_> = found.matches.into_iter().map(of).collect();
            prints.dedup();
            prints
        });
        Ok(prints.collect())
    }

    /// Finds everything within `within` bits of each of many queries, by one pass over all fingerprints where that is
    /// cheaper than probes: (ordinal of the query, distance, fingerprint), ascending. So many ranges or queries are read
    /// at a time as there are threads; matches take about as much memory as is granted, beyond that temporary files.
    /// All matches are found before this returns, which `watch` can stop.
    ///
    /// # Errors
    /// Errors of [`FingerprintSet::find`]; [`Error::Cancelled`].
    pub fn batch_query(
        &self,
        queries: &[Fingerprint],
        within: Within,
        resources: &Resources,
        watch: Option<&mut (dyn FnMut(&Progress) -> bool + Send)>,
    ) -> Result<impl Iterator<Item = Result<(u64, u32, Fingerprint)>> + use<>> {
        let (_, rows) = self.snapshot.batch_rows(queries, within, resources, watch)?;
        let mut last = None;
        let distinct = rows.filter(move |row| row.as_ref().map_or(true, |row| last.replace(*row) != Some(*row)));
        Ok(distinct.map(|row| row.map(|[key, _, print]| (key >> 8, (key & 0xff) as u32, Fingerprint(print)))))
    }
}

#[cfg(test)]
mod tests;
