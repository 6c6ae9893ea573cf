//! Selected ranges of archives: each is read as what stands there, and reading resumes at each.

use nddb::archive::{ByteRange, Ranges};

use super::*;

#[test]
fn selected_records_are_those_of_the_whole_archive_and_reading_resumes_at_each() {
    for compression in [Compression::Plain, Compression::Gzip, Compression::Zstd] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("pages.warc");
        std::fs::write(&path, archive(&pages(40), compression)).expect("the folder is writable");
        let options = Options::default();
        let all = drain(Input::open(&path, &options).expect("opens"));
        let wanted: Vec<Entry> = all.iter().step_by(3).cloned().collect();
        let range = |entry: &Entry| ByteRange { offset: entry.position.offset, length: entry.position.length };
        let ranges = Ranges::new(wanted.iter().rev().map(range).collect());
        let located = Located { path: path.clone(), document: None, ranges: Some(ranges.clone()) };
        assert_eq!((located.size(), ranges.len()), (ranges.bytes(), wanted.len()));
        let mut input = located.open(&options).expect("opens");
        for read in 0..=wanted.len() {
            let point = input.resume_point();
            assert_eq!(
                drain(located.open_at(&options, point).expect("opens")),
                wanted[read..],
                "{compression:?} {read}"
            );
            assert_eq!(input.next().expect("reads").as_ref(), wanted.get(read));
        }
        assert_eq!(input.bytes_read(), ranges.bytes());
    }
}

#[test]
fn ranges_of_garbage_are_skipped_one_by_one_whatever_they_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = Random(7);
    for compression in [Compression::Plain, Compression::Gzip, Compression::Zstd] {
        let path = folder.path().join("pages.warc");
        let bytes = archive(&pages(20), compression);
        std::fs::write(&path, &bytes).expect("the folder is writable");
        let end = 2 * bytes.len() as u64;
        let mut ranges: Vec<ByteRange> =
            (0..300).map(|_| ByteRange { offset: 3 + random.next() % end, length: random.next() % end }).collect();
        ranges.push(ByteRange { offset: u64::MAX, length: u64::MAX });
        let ranges = Ranges::new(ranges);
        let located = Located { path, document: None, ranges: Some(ranges.clone()) };
        let entries = drain(located.open(&Options::default()).expect("opens"));
        assert_eq!(entries.len(), ranges.len());
        let pages = entries.iter().filter(|entry| matches!(entry.content, EntryContent::Page(_))).count();
        assert!(pages < 3, "{compression:?}: {pages} of random ranges are records");
    }
}
