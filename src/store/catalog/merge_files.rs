//! Merging the sorted files of the families whose rows ascend by number. Each load and each flush brings files of its
//! own, and RocksDB merges none whose keys overlap no others'; but each one is opened with the catalog.

use rocksdb::{BottommostLevelCompaction, CompactOptions, LiveFile};

use super::families::Family;
use super::open::Catalog;
use crate::{Error, Result};

/// Fewest files that are merged.
const FILES_MIN: usize = 4;
/// What RocksDB calls the number of failures of its own threads.
const FAILURES: &str = "rocksdb.background-errors";

impl Catalog {
    /// Merges the newest sorted files of prints and of documents, if there are many, up to `most` bytes of a family.
    /// `begins` is told the bytes of a family before, which are needed once more on the disk, and may say no.
    pub(crate) fn merge_files(&self, most: u64, begins: &mut dyn FnMut(u64) -> bool) -> Result<()> {
        for family in [Family::Prints, Family::Documents] {
            let files = self.files_by_number(family)?;
            let sizes: Vec<u64> = files.iter().map(|file| file.size as u64).collect();
            let (earlier, newest) = files.split_at(files.len() - newest_to_merge(&sizes, most));
            let Some(first) = newest.first() else { continue };
            let is_apart = earlier.iter().all(|file| file.end_key < first.start_key);
            if !is_apart || !begins(newest.iter().map(|file| file.size as u64).sum()) {
                continue;
            }
            let last = newest.iter().filter_map(|file| file.end_key.as_ref()).max();
            self.merge_range(family, first.start_key.as_ref(), last)?;
        }
        Ok(())
    }

    /// Returns the sorted files of a family by their least keys.
    fn files_by_number(&self, family: Family) -> Result<Vec<LiveFile>> {
        let mut files = self.db.live_files().map_err(self.failed("list its files"))?;
        files.retain(|file| file.column_family_name == family.name());
        files.sort_by(|a, b| a.start_key.cmp(&b.start_key));
        Ok(files)
    }

    fn merge_range(&self, family: Family, first: Option<&Vec<u8>>, last: Option<&Vec<u8>>) -> Result<()> {
        let mut options = CompactOptions::default();
        options.set_bottommost_level_compaction(BottommostLevelCompaction::ForceOptimized);
        let before = self.failures()?;
        self.db.compact_range_cf_opt(self.family(family), first, last, &options);
        // The call itself tells nothing.
        if self.failures()? == before {
            return Ok(());
        }
        let (action, path, source) = ("merge its files", self.path.clone(), "RocksDB failed".into());
        Err(Error::Catalog { action, path, damaged: false, source })
    }

    fn failures(&self) -> Result<Option<u64>> {
        self.db.property_int_value(FAILURES).map_err(self.failed("be asked for failures"))
    }
}

/// Returns how many of the last files are merged, of these sizes in bytes: those of which none is larger than twice all
/// behind it, unless they are few. So files grow, and no row is written often.
fn newest_to_merge(sizes: &[u64], most: u64) -> usize {
    let (mut files, mut sum) = (0, 0);
    for &size in sizes.iter().rev() {
        if files > 0 && size > 2 * sum || sum + size > most {
            break;
        }
        files += 1;
        sum += size;
    }
    if files < FILES_MIN { 0 } else { files }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Document, Fingerprint, Reader, Writer};

    #[test]
    fn files_are_merged_when_there_are_four_of_a_size() {
        const MOST: u64 = 1000;
        for (sizes, files) in [
            (&[][..], 0),
            (&[7, 7, 7], 0),
            (&[7, 7, 7, 7], 4),
            (&[90, 7, 7, 7, 7], 4),
            (&[56, 7, 7, 7, 7], 5),
            (&[7, 7, 7, 7, 4], 5),
            (&[28, 7, 7], 0),
            (&[400, 400, 400, 400], 0),
            (&[400, 10, 10, 10, 10], 4),
            (&[1, 1, 1, 9], 4),
        ] {
            assert_eq!(newest_to_merge(sizes, MOST), files, "{sizes:?}");
        }
        // Of a thousand loads of one size few files are left, and no row is written often.
        let (mut sizes, mut written) = (Vec::new(), 0);
        for _ in 0..1000 {
            sizes.push(1);
            let kept = sizes.len() - newest_to_merge(&sizes, u64::MAX);
            if kept < sizes.len() {
                let merged = sizes.drain(kept..).sum::<u64>();
                written += merged;
                sizes.push(merged);
            }
            assert!(sizes.len() <= 12, "{sizes:?}");
        }
        assert!(written <= 9 * 1000, "{written}");
    }

    #[test]
    fn loads_leave_few_files_and_their_rows() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("db");
        let mut writer = Writer::create(&path, &Config::within(3).expect("k")).expect("a database");
        let documents = |load: u64| (0..50).map(move |index| (format!("{load} of {index}"), load << 32 | index));
        for load_number in 0..40 {
            load(&mut writer, documents(load_number));
            let [prints, records] = files(&writer);
            assert!(prints <= 7 && records <= 7, "after {load_number}");
        }
        writer.close().expect("closed");
        let reader = Reader::open(&path).expect("a reader");
        for (id, fingerprint) in (0..40).flat_map(documents) {
            let stored = reader.view().get(&id).expect("read").expect("a document");
            assert_eq!(stored.fingerprint, Fingerprint(fingerprint));
        }
    }

    #[test]
    fn whoever_stops_a_merge_of_files_has_loaded_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("db");
        let mut writer = Writer::create(&path, &Config::within(3).expect("k")).expect("a database");
        writer.watch(Box::new(|progress| progress.phase != "merge catalog"));
        for load_number in 0..6 {
            load(&mut writer, [(load_number.to_string(), load_number)].into_iter());
        }
        assert_eq!(files(&writer), [6, 6]);
        writer.watch(Box::new(|_| true));
        writer.close().expect("closed");
        let writer = Writer::open(&path).expect("the database");
        assert_eq!(files(&writer), [1, 1]);
        assert!((0..6).all(|id| writer.view().get(&id.to_string()).expect("read").is_some()));
    }

    fn load(writer: &mut Writer, documents: impl Iterator<Item = (String, u64)>) {
        let mut load = writer.bulk_load().expect("a load");
        for (id, fingerprint) in documents {
            load.push(Document::bare(&id, Fingerprint(fingerprint)).expect("an id")).expect("taken");
        }
        load.finish().expect("loaded");
    }

    fn files(writer: &Writer) -> [usize; 2] {
        [Family::Prints, Family::Documents]
            .map(|family| writer.catalog().files_by_number(family).expect("listed").len())
    }
}
