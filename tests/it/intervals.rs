//! Bare fingerprints whose ids count on, which have no rows of their own: they are documents like all others.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use nddb::{CheckOptions, Loaded, Reader, RebuildOptions, RebuildWhat, View, Writer};
use nddb_format::manifest::Manifest;
use nddb_index::testing::observe_storage;

use super::support::steps::create;
use super::support::{Content, Label, Model, Random, Truth, bare, folder};

/// Documents that are enough for an interval.
const ENOUGH: u64 = 4096;

fn fingerprint(seed: u64, ordinal: u64) -> u64 {
    Random::fixed((seed << 32) + ordinal / 2).next() ^ (ordinal & 1)
}

fn load(writer: &mut Writer, prefix: &str, ordinals: std::ops::Range<u64>, seed: u64) -> Loaded {
    let mut load = writer.bulk_load().expect("a load");
    for ordinal in ordinals {
        load.push(bare(&format!("{prefix}{ordinal}"), fingerprint(seed, ordinal))).expect("taken");
    }
    load.finish().expect("loaded")
}

fn truth_of(prefix: &str, ordinals: std::ops::Range<u64>, seed: u64) -> Truth {
    let document = |ordinal| (format!("{prefix}{ordinal}"), Some(fingerprint(seed, ordinal)));
    Truth { documents: ordinals.map(document).collect() }
}

fn has_intervals(path: &Path) -> bool {
    Manifest::decode(&std::fs::read(path.join("MANIFEST")).expect("read")).expect("a manifest").intervals
}

fn assert_sound(path: &Path) {
    let report = nddb::check(path, &CheckOptions { sample_recall: Some(20), ..CheckOptions::default() }, &mut |_| true);
    let report = report.expect("checked");
    assert!(report.is_sound(), "{report:#?}");
}

/// Compares some ids and queries, and all documents in the order of their numbers.
fn assert_all(truth: &Truth, view: &View<'_>, random: &mut Random, why: &str) {
    let prints: Vec<u64> = truth.documents.values().copied().flatten().collect();
    let queries: Vec<u64> = (0..12)
        .map(|_| if prints.is_empty() { random.next() } else { random.pick(&prints) ^ 1 << random.below(64) })
        .collect();
    truth.assert_answers(view, &queries, 0..=3, &[1], why);
    let known: Vec<&str> = truth.documents.keys().map(String::as_str).collect();
    let mut ids: Vec<String> = (0..30).filter(|_| !known.is_empty()).map(|_| (*random.pick(&known)).into()).collect();
    ids.extend(["a", "a1", "", "b7", "0"].map(|prefix| format!("{prefix}{}", random.below(20_000))));
    truth.assert_ids(view, ids.iter().map(String::as_str), why);
    let (mut found, mut last) = (0, None);
    view.each(&mut |stored| {
        assert!(last.replace(stored.number) < Some(stored.number), "{why}: numbers ascend");
        assert_eq!(truth.documents.get(&stored.record.id), Some(&Some(stored.fingerprint.0)), "{why}");
        found += 1;
        Ok(true)
    })
    .expect("visited");
    assert_eq!(found, known.len(), "{why}");
}

#[test]
fn documents_without_rows_are_found_replaced_removed_and_forgotten() {
    let (folder, mut random) = (folder(), Random::fixed(1));
    let path = folder.path().join("db");
    let mut writer = create(&path);
    assert_eq!(load(&mut writer, "", 0..3 * ENOUGH, 1).documents, 3 * ENOUGH);
    assert!(has_intervals(&path));
    let mut truth = truth_of("", 0..3 * ENOUGH, 1);
    assert_all(&truth, &writer.view(), &mut random, "loaded");
    assert_all(&truth, &Reader::open(&path).expect("opened").view(), &mut random, "read");
    assert_sound(&path);

    // The same again is known; what differs is replaced, by rows or by an interval.
    let again = load(&mut writer, "", 0..3 * ENOUGH, 1);
    assert_eq!((again.documents, again.unchanged), (0, 3 * ENOUGH));
    let other = load(&mut writer, "", 50..60, 2);
    assert_eq!((other.documents, other.replaced), (10, 10));
    truth.documents.extend(truth_of("", 50..60, 2).documents);
    let more = load(&mut writer, "", ENOUGH..4 * ENOUGH, 3);
    assert_eq!((more.documents, more.replaced, more.unchanged), (3 * ENOUGH, 2 * ENOUGH, 0));
    truth.documents.extend(truth_of("", ENOUGH..4 * ENOUGH, 3).documents);
    let mut reader = Reader::open(&path).expect("opened");
    for id in (10..20).chain(2 * ENOUGH..2 * ENOUGH + 1500) {
        assert!(writer.delete(&id.to_string()).expect("deleted"));
        truth.documents.remove(&id.to_string());
    }
    writer.commit().expect("committed");
    assert_all(&truth, &writer.view(), &mut random, "removed");
    reader.refresh().expect("refreshed");
    assert_all(&truth, &reader.view(), &mut random, "refreshed");

    let plan = writer.plan_full_compaction().expect("there is something to drop");
    writer.compact(&plan).expect("compacted");
    writer.close().expect("closed");
    assert_sound(&path);
    reader.refresh().expect("refreshed");
    assert_all(&truth, &reader.view(), &mut random, "forgotten, refreshed");
    let mut writer = Writer::open(&path).expect("opened");
    assert_all(&truth, &writer.view(), &mut random, "forgotten");
    assert_eq!(writer.view().stats().expect("counted").documents, truth.documents.len() as u64);

    // Ids that are free again.
    let loaded = load(&mut writer, "", 10..20, 4);
    assert_eq!((loaded.documents, loaded.replaced), (10, 0));
    truth.documents.extend(truth_of("", 10..20, 4).documents);
    assert_all(&truth, &writer.view(), &mut random, "loaded again");
    drop(writer);
    assert_sound(&path);
}

/// A writer that crashed before it published a deletion removes the print of that number a second time: the other
/// prints of its group stay.
#[test]
fn numbers_that_are_forgotten_twice_leave_their_group() {
    let (folder, mut random) = (folder(), Random::fixed(5));
    let path = folder.path().join("db");
    let mut writer = create(&path);
    load(&mut writer, "", 0..ENOUGH, 1);
    let mut truth = truth_of("", 0..ENOUGH, 1);
    // The prints of a group stand under its first number.
    for id in ["0", "512", "513"] {
        assert!(writer.delete(id).expect("deleted"));
        truth.documents.remove(id);
    }
    writer.commit().expect("committed");
    let plan = writer.plan_full_compaction().expect("there is something to drop");
    writer.compact(&plan).expect("compacted");
    let failed = Arc::new(AtomicUsize::new(0));
    let counted = failed.clone();
    let observer = observe_storage(&path, move |action, _| {
        let fails = action == "replace the file";
        counted.fetch_add(usize::from(fails), Ordering::SeqCst);
        if fails { Err(io::ErrorKind::Other.into()) } else { Ok(()) }
    });
    drop(writer.close());
    drop(observer);
    assert_eq!(failed.load(Ordering::SeqCst), 1, "the rows are gone, and no manifest says so");
    for _ in 0..2 {
        let mut writer = Writer::open(&path).expect("opened");
        if let Some(plan) = writer.plan_full_compaction() {
            writer.compact(&plan).expect("compacted");
        }
        writer.delete("1000").expect("deleted");
        truth.documents.remove("1000");
        writer.commit().expect("committed");
        writer.flush().expect("flushed");
        writer.close().expect("closed");
        assert_all(&truth, &Reader::open(&path).expect("opened").view(), &mut random, "forgotten again");
        assert_sound(&path);
    }
}

#[test]
fn runs_are_rebuilt_of_documents_without_rows() {
    let (folder, mut random) = (folder(), Random::fixed(2));
    let path = folder.path().join("db");
    let mut writer = create(&path);
    load(&mut writer, "x", 7..7 + ENOUGH, 5);
    load(&mut writer, "y", 0..10, 6);
    let mut truth = truth_of("x", 7..7 + ENOUGH, 5);
    truth.documents.extend(truth_of("y", 0..10, 6).documents);
    drop(writer);
    for file in std::fs::read_dir(path.join("runs")).expect("listed") {
        std::fs::remove_file(file.expect("listed").path()).expect("removed");
    }
    std::fs::remove_file(path.join("MANIFEST")).expect("removed");
    let options = RebuildOptions { what: RebuildWhat::Damaged, ..RebuildOptions::default() };
    let rebuilt = nddb::rebuild(&path, &options, &mut |_| true).expect("rebuilt");
    assert_eq!(rebuilt.documents, truth.documents.len() as u64);
    assert!(has_intervals(&path), "older readers must refuse it still");
    assert_sound(&path);
    assert_all(&truth, &Writer::open(&path).expect("opened").view(), &mut random, "rebuilt");
}

#[test]
fn a_merge_of_databases_takes_intervals_as_intervals() {
    let (folder, mut random) = (folder(), Random::fixed(3));
    let (ours, theirs) = (folder.path().join("ours"), folder.path().join("theirs"));
    let mut source = create(&theirs);
    source.label("day", false).expect("labelled");
    load(&mut source, "d", 0..2 * ENOUGH, 7);
    source.unlabel().expect("unlabelled");
    load(&mut source, "e", 0..100, 8);
    source.delete("d9").expect("deleted");
    source.close().expect("closed");
    let mut writer = create(&ours);
    load(&mut writer, "d", 5..15, 7);
    let merged = writer.merge(&theirs).expect("merged");
    assert_eq!((merged.documents, merged.unchanged), (2 * ENOUGH - 1 + 100 - 9, 9));
    let mut truth = truth_of("d", 0..2 * ENOUGH, 7);
    truth.documents.extend(truth_of("e", 0..100, 8).documents);
    assert!(has_intervals(&ours));
    assert_all(&truth, &writer.view(), &mut random, "merged");
    assert_eq!(writer.batches().expect("listed")[0].2, 2 * ENOUGH - 1 - 9, "documents of the batch");
    drop(writer);
    assert_sound(&ours);
}

/// A load of an interval that fails at any storage call leaves the documents of before or all of them.
#[test]
fn a_load_that_fails_anywhere_is_whole_or_not_there() {
    let mut random = Random::fixed(4);
    let (mut calls, mut outcomes) = (0, [0; 2]);
    loop {
        let folder = folder();
        let path = folder.path().join("db");
        let mut writer = create(&path);
        load(&mut writer, "p", 0..20, 9);
        let mut before = truth_of("p", 0..20, 9);
        let count = Arc::new(AtomicUsize::new(0));
        let watched = count.clone();
        let observer = observe_storage(&path, move |_, _| {
            if watched.fetch_add(1, Ordering::SeqCst) == calls { Err(io::ErrorKind::Other.into()) } else { Ok(()) }
        });
        let mut loading = writer.bulk_load().expect("a load");
        let mut outcome = Ok(());
        for ordinal in 10..10 + ENOUGH {
            outcome = outcome.and_then(|()| loading.push(bare(&format!("p{ordinal}"), fingerprint(10, ordinal))));
        }
        let outcome = outcome.and_then(|()| loading.finish().map(drop));
        drop((writer, observer));
        let mut after = before.clone();
        after.documents.extend(truth_of("p", 10..10 + ENOUGH, 10).documents);
        let mut writer = Writer::open(&path).expect("opened");
        let is_there = writer.view().get("p100").expect("asked").is_some();
        assert!(is_there || outcome.is_err());
        outcomes[usize::from(is_there)] += 1;
        let truth = if is_there { &after } else { &before };
        assert_all(truth, &writer.view(), &mut random, &format!("storage call {calls}"));
        // What is left of it does not stand in the way of the next.
        let loaded = load(&mut writer, "p", 10..10 + ENOUGH, 10);
        assert_eq!(loaded.documents, if is_there { 0 } else { ENOUGH });
        writer.close().expect("closed");
        before = after;
        assert_all(&before, &Reader::open(&path).expect("opened").view(), &mut random, "loaded again");
        assert_sound(&path);
        if outcome.is_ok() && count.load(Ordering::SeqCst) <= calls {
            break;
        }
        calls += 1;
    }
    assert!(calls > 20 && outcomes[0] > 20 && outcomes[1] > 0, "{calls} calls, {outcomes:?}");
}

/// Random changes by all means, against a map.
#[test]
fn random_changes_of_intervals_agree_with_a_map() {
    let mut random = Random::seeded("intervals");
    let folder = folder();
    let path = folder.path().join("db");
    let (mut writer, mut model) = (create(&path), Model::default());
    let mut reader = Reader::open(&path).expect("opened");
    for step in 0..40 {
        let label = match random.below(6) {
            0 => Some(Label { name: "pending".into(), pending: true }),
            1 => Some(Label { name: "label".into(), pending: false }),
            _ => None,
        };
        if !model.label(label.as_ref()) {
            continue;
        }
        match &label {
            Some(label) => writer.label(&label.name, label.pending).expect("labelled"),
            None => writer.unlabel().expect("unlabelled"),
        }
        let prefix = *random.pick(&["a", "a1", "", "a0"]);
        let (start, seed) = (random.below(3000), random.below(2));
        let what = random.below(10);
        match what {
            0..5 => {
                let len = if random.percent(70) { ENOUGH + random.below(3000) } else { random.below(300) };
                let loaded = load(&mut writer, prefix, start..start + len, seed);
                let mut unchanged = 0;
                for ordinal in start..start + len {
                    let content = Content { print: Some(fingerprint(seed, ordinal)), site: None };
                    unchanged +=
                        u64::from(model.insert(&format!("{prefix}{ordinal}"), content) == nddb::Outcome::Unchanged);
                }
                model.commit();
                assert_eq!((loaded.unchanged, loaded.documents), (unchanged, len - unchanged), "step {step}");
            }
            5 => {
                for ordinal in (start..start + 2500).step_by(1 + random.index(2)) {
                    let id = format!("{prefix}{ordinal}");
                    assert_eq!(writer.delete(&id).expect("deleted"), model.delete(&id), "step {step}: {id}");
                }
                writer.commit().expect("committed");
            }
            6 => {
                let plan = writer.plan_full_compaction();
                plan.map(|plan| writer.compact(&plan).expect("compacted"));
            }
            7 => {
                writer.close().expect("closed");
                writer = Writer::open(&path).expect("opened");
            }
            8 => {
                if let Some(documents) = model.commit_batch("pending") {
                    assert_eq!(writer.commit_batch("pending").expect("committed"), documents, "step {step}");
                }
            }
            _ => {
                if let Some(documents) = model.cancel_batch("pending") {
                    assert_eq!(writer.cancel_batch("pending").expect("cancelled"), documents, "step {step}");
                }
            }
        }
        let truth = model.truth();
        assert_all(&truth, &writer.view(), &mut random, &format!("step {step}, {what}"));
        if random.percent(50) {
            reader.refresh().expect("refreshed");
            assert_all(&truth, &reader.view(), &mut random, &format!("step {step}, refreshed"));
        }
    }
    writer.close().expect("closed");
    assert!(has_intervals(&path));
    assert_sound(&path);
}
