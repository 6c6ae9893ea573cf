use std::collections::BTreeSet;

use nddb_format::fingerprint::low_mask;
use nddb_test_support::Random;

use super::*;
use crate::View;
use crate::read::reader::Reader;
use crate::write::plan::CompactionPlan;
use crate::write::writer::Writer;
use crate::{Config, Document};

fn found(view: View<'_>, k: u8) -> Vec<(u64, u64)> {
    let folder = tempfile::tempdir().expect("a folder");
    let resources = Resources { memory_limit: 0, folder: folder.path().into(), threads: 1 };
    let pairs = view.close_pairs(Within(k), &resources, None).expect("pairs");
    pairs.map(|pair| pair.map(|(a, b)| (a.0, b.0)).expect("a pair")).collect()
}

fn expected(prints: &BTreeSet<u64>, k: u8) -> Vec<(u64, u64)> {
    let near = |a: u64, b: u64| (a ^ b).count_ones() <= k.into();
    prints.iter().flat_map(|&a| prints.range(a + 1..).filter(move |&&b| near(a, b)).map(move |&b| (a, b))).collect()
}

#[test]
fn every_pair_is_found_once_whatever_the_runs_are_made_of() {
    let mut random = Random(5);
    for (bits, k, len) in [(64u8, 3u8, 1500), (64, 0, 100), (64, 7, 400), (32, 3, 1200), (13, 2, 600), (8, 4, 200)] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("db");
        let config = Config::within(k).and_then(|config| config.bits(bits)).expect("a configuration");
        let mut writer = Writer::create(&path, &config).expect("a new database");
        let mut prints = BTreeSet::new();
        let mut all: Vec<u64> = Vec::new();
        for index in 0..len {
            let base = if all.is_empty() || random.below(3) == 0 {
                random.next()
            } else {
                all[random.below(all.len() as u64) as usize]
            };
            let flips = random.below(u64::from(k) + 3);
            let print = (0..flips).fold(base, |print, _| print ^ 1 << random.below(bits.into())) & low_mask(bits);
            all.push(print);
            prints.insert(print);
            let document = Document::bare(&index.to_string(), Fingerprint(print)).expect("an id");
            writer.insert(document).expect("taken");
            if index == len / 2 || index == len * 3 / 4 {
                writer.commit().expect("durable");
                writer.flush().expect("flushed");
                if index == len / 2 {
                    // Later runs have other tables.
                    let mut plan = CompactionPlan::of(&writer.snapshot().runs[..1]);
                    plan.levels = Some(vec![k + 2]);
                    writer.compact(&plan).expect("compacted");
                }
            }
        }
        writer.commit().expect("durable");
        drop(writer);
        let reader = Reader::open(&path).expect("a reader");
        for k in 0..=k {
            assert_eq!(found(reader.view(), k), expected(&prints, k), "f={bits} k={k}");
        }
        assert!(reader.view().close_pairs(Within(k + 1), &Resources::default(), None).is_err());
    }
}

#[test]
fn a_crowd_of_fingerprints_is_found_as_well_as_the_scattered() {
    let mut random = Random(9);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("db");
    let config = Config::within(3).and_then(|config| config.levels(&[])).expect("one table without a prefix");
    let mut writer = Writer::create(&path, &config).expect("a new database");
    let prints: BTreeSet<u64> =
        (0..4000).map(|_| (0..8).fold(0xabcd_0123_4567_89ab, |print, _| print ^ 1 << random.below(30))).collect();
    for print in &prints {
        writer.insert(Document::bare(&print.to_string(), Fingerprint(*print)).expect("an id")).expect("taken");
    }
    writer.commit().expect("durable");
    writer.flush().expect("flushed");
    assert_eq!(found(writer.view(), 3), expected(&prints, 3));
    drop(writer);
}

#[test]
fn a_watcher_can_stop_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut writer = Writer::create(folder.path().join("db"), &Config::within(3).expect("k")).expect("a new database");
    writer.insert(Document::bare("a", Fingerprint(1)).expect("an id")).expect("taken");
    writer.commit().expect("durable");
    let outcome = writer.view().close_pairs(Within(3), &Resources::default(), Some(&mut |_| false));
    assert!(matches!(outcome.map(drop), Err(Error::Cancelled)));
}
