//! Filters: probes with them answer like brute force, and damage in one is found.

use std::fs;
use std::path::{Path, PathBuf};

use nddb::{Config, Fingerprint, Reader, Search, Verify, View, Within, Work, Writer};
use nddb_format::filter::FilterKind;
use nddb_format::segment::Segment;

use super::damage::{assert_blamed, check, flip, segment};
use super::support::{Random, bare, folder};

/// Returns a fingerprint near one of these.
fn near_one(stored: &[u64], flips: u64, random: &mut Random) -> u64 {
    let one = *random.pick(stored);
    random.near(one, flips, 64)
}

/// Makes a database of three runs of clustered fingerprints, and returns these by document number.
fn database(path: &Path, levels: &[u8], random: &mut Random) -> Vec<u64> {
    let config = Config::within(3).and_then(|config| config.levels(levels)).expect("a scheme");
    let mut writer = Writer::create(path, &config).expect("a new database");
    let mut stored: Vec<u64> = Vec::new();
    for len in [9_000, 5_000, 3_000] {
        let mut load = writer.bulk_load().expect("a load");
        for _ in 0..len {
            let near = random.percent(40) && !stored.is_empty();
            let print = if near { near_one(&stored, 2, random) } else { random.next() };
            load.push(bare(&stored.len().to_string(), print)).expect("taken");
            stored.push(print);
        }
        load.finish().expect("loaded");
    }
    writer.close().expect("closed");
    stored
}

/// Compares probes with a look at every fingerprint. Returns the blocks decoded a query.
fn assert_complete(view: View<'_>, stored: &[u64], random: &mut Random) -> f64 {
    let mut work = Work::default();
    let queries: Vec<u64> =
        (0..60).map(|index| if index % 3 == 0 { random.next() } else { near_one(stored, 3, random) }).collect();
    for within in [0, 1, 3] {
        for &query in &queries {
            let found =
                view.probe(&[Fingerprint(query)], Search::within(Within(within)).count(&mut work)).expect("an answer");
            let mut wanted: Vec<(u32, u64)> = (0..)
                .zip(stored)
                .map(|(number, print)| ((print ^ query).count_ones(), number))
                .filter(|(distance, _)| *distance <= u32::from(within))
                .collect();
            wanted.sort_unstable();
            let found: Vec<(u32, u64)> = found[0].matches.iter().map(|found| (found.distance, found.number)).collect();
            assert_eq!(found, wanted, "{query:016x} within {within}");
        }
    }
    work.blocks as f64 / (3.0 * queries.len() as f64)
}

#[test]
fn probes_with_filters_answer_like_a_look_at_every_fingerprint() {
    let mut random = Random::seeded("filters");
    let folder = folder();
    for (levels, kind, blocks) in
        [(&[4][..], FilterKind::Bitmap, 7.0), (&[5], FilterKind::Bloom, 5.0), (&[4, 4], FilterKind::Bloom, 5.0)]
    {
        let path = folder.path().join(format!("{levels:?}"));
        let stored = database(&path, levels, &mut random);
        let bytes = fs::read(segment(&path, 0, 0)).expect("readable");
        let filter = *Segment::open(&bytes[..]).expect("a segment").filter().expect("a filter");
        assert_eq!(filter.kind(), kind, "{levels:?}");
        for verify in [Verify::FirstTouch, Verify::Always] {
            let reader = Reader::open_with(&path, verify).expect("opened");
            let decoded = assert_complete(reader.view(), &stored, &mut random);
            assert!(decoded < blocks, "{levels:?}: {decoded} blocks a query");
        }
        let mut writer = Writer::open(&path).expect("opened");
        let plan = writer.plan_full_compaction().expect("three runs");
        writer.compact(&plan).expect("merged");
        assert_complete(writer.view(), &stored, &mut random);
        writer.close().expect("closed");
        assert!(check(&path).is_sound());
    }
}

#[test]
fn a_damaged_filter_never_hides_a_fingerprint() {
    let mut random = Random::seeded("damaged filters");
    let folder = folder();
    let path = folder.path().join("db");
    let stored = database(&path, &[5], &mut random);
    let tables: Vec<PathBuf> = (0..10).map(|table| segment(&path, 0, table)).collect();
    for (table, file) in tables.iter().enumerate().step_by(4) {
        let sound = fs::read(file).expect("readable");
        let opened = Segment::open(&sound[..]).expect("a segment");
        let (offset, size) = (opened.filter_offset(), opened.filter_bytes().len());
        for byte in [0, size - 1, random.index(size), random.index(size)] {
            flip(file, offset + byte, random.below(8) as u8);
            let what = format!("byte {byte} of the filter of table {table}");
            assert_blamed(&check(&path), file, &what);
            let (reader, mut refused) = (Reader::open(&path).expect("headers are sound"), 0);
            for (number, &print) in (0..).zip(&stored) {
                match reader.view().probe(&[Fingerprint(print)], Within(3)) {
                    Ok(found) => assert!(found[0].matches.iter().any(|found| found.number == number), "{what}"),
                    Err(error) => {
                        assert!(error.to_string().contains(".seg"), "{error}");
                        refused += 1;
                    }
                }
            }
            assert!(refused > 0, "{what}: nobody saw it");
            fs::write(file, &sound).expect("writable");
        }
    }
}
