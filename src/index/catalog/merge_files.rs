//! Merging the sorted files of the catalog. Each load and each flush adds files, and RocksDB does not merge files whose
//! keys do not overlap. Opening the catalog opens every file, so there should be few.

use std::ops::Range;

use rocksdb::{BottommostLevelCompaction, CompactOptions};

use super::families::Family;
use super::open::Catalog;
use crate::{Error, Result};

/// Minimum number of sections that are merged.
const SECTIONS_MIN: usize = 4;
/// RocksDB's name for the number of failures of its own threads.
const FAILURES: &str = "rocksdb.background-errors";

/// Sorted files of a column family that overlap only each other; usually a single file.
struct Section {
    first: Vec<u8>,
    last: Vec<u8>,
    bytes: u64,
}

impl Catalog {
    /// Merges neighbouring sorted files of each family, if there are many of about one size, up to `most` bytes.
    /// `begins` is called with the size of the files, and may refuse; merging needs that much additional disk space.
    pub(crate) fn merge_files(&self, most: u64, begins: &mut dyn FnMut(u64) -> bool) -> Result<()> {
        let sections = self.sections()?;
        for (family, sections) in Family::ALL.into_iter().zip(&sections) {
            let sizes: Vec<u64> = sections.iter().map(|section| section.bytes).collect();
            let merged = &sections[to_merge(&sizes, most)];
            let (Some(first), Some(last)) = (merged.first(), merged.last()) else { continue };
            if begins(merged.iter().map(|section| section.bytes).sum()) {
                self.merge_range(family, &first.first, &last.last)?;
            }
        }
        Ok(())
    }

    /// Returns the sorted files of all families, by their keys.
    fn sections(&self) -> Result<[Vec<Section>; Family::ALL.len()]> {
        let mut files = self.db.live_files().map_err(self.failed("list its files"))?;
        files.sort_by(|a, b| a.start_key.cmp(&b.start_key));
        let mut all = Family::ALL.map(|_| Vec::<Section>::new());
        for file in files {
            let family = Family::ALL.into_iter().find(|family| family.name() == file.column_family_name);
            let (Some(family), Some(first), Some(last)) = (family, file.start_key, file.end_key) else { continue };
            let (sections, bytes) = (&mut all[family as usize], file.size as u64);
            match sections.last_mut() {
                Some(section) if first <= section.last => {
                    section.last = last.max(std::mem::take(&mut section.last));
                    section.bytes += bytes;
                }
                _ => sections.push(Section { first, last, bytes }),
            }
        }
        Ok(all)
    }

    fn merge_range(&self, family: Family, first: &[u8], last: &[u8]) -> Result<()> {
        let mut options = CompactOptions::default();
        options.set_bottommost_level_compaction(BottommostLevelCompaction::ForceOptimized);
        self.dir.check_place()?;
        let before = self.failures()?;
        self.db.compact_range_cf_opt(self.family(family), Some(first), Some(last), &options);
        // The call itself does not report failure.
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

/// Returns which neighbours, of these sizes in bytes, are merged: the longest sequence in which no file is larger than
/// twice the others together, unless it is short. So files grow, and no row is rewritten often.
fn to_merge(sizes: &[u64], most: u64) -> Range<usize> {
    let mut longest = 0..0;
    for begin in 0..sizes.len() {
        let (mut sum, mut largest) = (0, 0);
        for (end, &size) in (begin + 1..).zip(&sizes[begin..]) {
            (sum, largest) = (sum + size, largest.max(size));
            if sum > most {
                break;
            }
            if largest <= 2 * (sum - largest) && end - begin > longest.len() {
                longest = begin..end;
            }
        }
    }
    if longest.len() < SECTIONS_MIN { 0..0 } else { longest }
}

#[cfg(test)]
mod tests {
    use nddb_test_support::Random;

    use super::*;
    use crate::{Config, Document, Fingerprint, Reader, Writer};

    #[test]
    fn files_are_merged_when_there_are_four_of_a_size() {
        const MOST: u64 = 1000;
        for (sizes, merged) in [
            (&[][..], 0..0),
            (&[7, 7, 7], 0..0),
            (&[7, 7, 7, 7], 0..4),
            (&[90, 7, 7, 7, 7], 1..5),
            (&[7, 7, 7, 7, 90], 0..4),
            (&[56, 7, 7, 7, 7], 0..5),
            (&[7, 7, 7, 7, 4], 0..5),
            (&[28, 7, 7], 0..0),
            (&[400, 400, 400, 400], 0..0),
            (&[400, 10, 10, 10, 10], 1..5),
            (&[10, 10, 400, 10, 10], 0..0),
            (&[1, 1, 1, 9], 0..0),
        ] {
            assert_eq!(to_merge(sizes, MOST), merged, "{sizes:?}");
        }
    }

    #[test]
    fn a_thousand_loads_leave_few_files_and_write_no_row_often() {
        let mut random = Random::seeded("files of a thousand loads");
        for (anywhere, files) in [(false, 7), (true, 40)] {
            let (mut sizes, mut written) = (Vec::new(), 0);
            for _ in 0..1000 {
                let place = if anywhere { random.index(sizes.len() + 1) } else { sizes.len() };
                sizes.insert(place, 1);
                let merged = to_merge(&sizes, u64::MAX);
                if !merged.is_empty() {
                    let sum = sizes[merged.clone()].iter().sum();
                    sizes.splice(merged, [sum]);
                    written += sum;
                }
                assert!(sizes.len() <= files, "{sizes:?}");
            }
            assert!(written <= 9 * 1000, "{written}");
        }
    }

    #[test]
    fn loads_leave_few_files_and_their_rows() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("db");
        Writer::create(&path, &Config::within(3).expect("k")).expect("a database").close().expect("closed");
        let documents = |load: u64| (0..50).map(move |index| (format!("{load} of {index}"), load << 32 | index));
        for load_number in 0..40 {
            let mut writer = Writer::open(&path).expect("the database");
            load(&mut writer, documents(load_number));
            let all = files(&writer);
            assert!(all.iter().all(|&files| files <= 10), "after {load_number}: {all:?}");
            writer.close().expect("closed");
        }
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
        assert_eq!(files_with_rows(&writer), [6, 6, 6]);
        writer.watch(Box::new(|_| true));
        writer.close().expect("closed");
        let writer = Writer::open(&path).expect("the database");
        assert_eq!(files_with_rows(&writer), [1, 1, 1]);
        assert!((0..6).all(|id| writer.view().get(&id.to_string()).expect("read").is_some()));
    }

    fn load(writer: &mut Writer, documents: impl Iterator<Item = (String, u64)>) {
        let mut load = writer.bulk_load().expect("a load");
        for (id, fingerprint) in documents {
            load.push(Document::bare(&id, Fingerprint(fingerprint)).expect("an id")).expect("taken");
        }
        load.finish().expect("loaded");
    }

    /// Returns the number of sorted files of each family.
    fn files(writer: &Writer) -> [usize; Family::ALL.len()] {
        let files = writer.catalog().db.live_files().expect("listed");
        Family::ALL.map(|family| files.iter().filter(|file| file.column_family_name == family.name()).count())
    }

    fn files_with_rows(writer: &Writer) -> [usize; 3] {
        let all = files(writer);
        [Family::Prints, Family::Documents, Family::Ids].map(|family| all[family as usize])
    }
}
