use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use nddb_format::postings::NUMBER_END;
use nddb_format::record::{Counters, Record};

use super::Repeat;
use crate::disk::steps::observe_storage;
use crate::within::Within;
use crate::{Config, Document, Error, Fingerprint, Writer};

fn bare(id: &str, fingerprint: u64) -> Document {
    Document::bare(id, Fingerprint(fingerprint)).expect("a good id")
}

/// Changes made through the writer while a load holds it. At present only tests do this.
#[test]
fn what_is_staged_or_committed_during_a_load_keeps_its_numbers_and_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut writer = Writer::create(folder.path().join("db"), &Config::within(3).expect("k")).expect("created");
    let mut load = writer.bulk_load().expect("a load");
    (0..100u64).for_each(|id| load.push(bare(&format!("loaded {id}"), id << 20)).expect("taken"));
    load.writer.insert(bare("committed", 1 << 50)).expect("staged");
    load.writer.commit().expect("committed");
    load.writer.insert(bare("staged", 1 << 51)).expect("staged");
    let loaded = load.finish().expect("loaded");
    assert_eq!(loaded.documents, 100);
    let view = writer.view();
    let stats = view.stats().expect("counted");
    assert_eq!((stats.documents, stats.next_number), (102, 102));
    for (id, fingerprint) in [("committed", 1 << 50), ("staged", 1 << 51), ("loaded 7", 7 << 20)] {
        let stored = view.get(id).expect("answered").expect("is stored");
        assert_eq!((stored.record.id.as_str(), stored.fingerprint), (id, Fingerprint(fingerprint)));
        let found = view.find(&[Fingerprint(fingerprint)], Within(0));
        assert_eq!(found.expect("answered")[0].matches[0].id, id);
    }
    assert_eq!(stats.memtable_documents, 0);
}

/// Repeated ids are counted in the same way whether or not the documents before them are committed.
#[test]
fn an_id_that_comes_again_in_a_load_is_a_repeat_wherever_the_load_is_cut() {
    for checkpoints in [false, true] {
        for bare_prints in [false, true] {
            let folder = tempfile::tempdir().expect("a folder");
            let mut writer = Writer::create(folder.path().join("db"), &Config::within(3).expect("k")).expect("created");
            let document = |id: &str, fingerprint| match bare_prints {
                true => bare(id, fingerprint),
                false => bare(id, fingerprint).with_date(Some(1)),
            };
            writer.insert(document("3", 1 << 40)).expect("stored before");
            let mut load = writer.bulk_load().expect("a load");
            for input in [4, 9] {
                load.from_input(input);
                // The first 5,000 ids of the second input are those of the first, 10 of them with other prints.
                for ordinal in 0..5_000 {
                    let print = if input == 9 && ordinal < 10 { ordinal + 1 } else { ordinal << 20 };
                    load.push(document(&ordinal.to_string(), print)).expect("taken");
                }
                if checkpoints {
                    load.checkpoint().expect("committed");
                }
            }
            let loaded = load.finish().expect("loaded");
            assert_eq!((loaded.documents, loaded.replaced, loaded.unchanged, loaded.repeated), (5_000, 1, 4_990, 10));
            assert_eq!(loaded.repeat, Some(Repeat { id: "0".into(), input: 9 }));
            assert_eq!(writer.view().stats().expect("counted").documents, 5_000);
        }
    }
}

/// A label on many commits and loads is one range in the catalog.
#[test]
fn the_ranges_of_a_label_are_one_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("db");
    let mut writer = Writer::create(&path, &Config::within(3).expect("k")).expect("created");
    writer.label("day", false).expect("labelled");
    for round in 0..20u64 {
        writer.insert(bare(&format!("{round}"), round)).expect("inserted");
        writer.commit().expect("committed");
        if round % 5 == 0 {
            let mut load = writer.bulk_load().expect("a load");
            load.push(bare(&format!("loaded {round}"), round)).expect("taken");
            load.finish().expect("loaded");
        }
    }
    assert_eq!(writer.catalog().ranges().expect("read").len(), 1);
    writer.unlabel().expect("unlabelled");
    writer.insert(bare("of none", 1)).expect("inserted");
    writer.label("day", false).expect("labelled");
    writer.insert(bare("again", 1)).expect("inserted");
    writer.commit().expect("committed");
    assert_eq!(writer.catalog().ranges().expect("read").len(), 2);
    assert_eq!(writer.batches().expect("listed")[0].2, 25);
    drop(writer);
    let writer = Writer::open(&path).expect("opened");
    assert_eq!(writer.batches().expect("listed")[0].2, 25);
}

/// Replacing an interval writes one row for the whole interval. If a part of it is removed earlier, the row is
/// shortened.
#[test]
fn an_interval_is_replaced_by_one_row_that_leaves_part_by_part() {
    const LEN: u64 = 5000;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("db");
    let mut writer = Writer::create(&path, &Config::within(3).expect("k")).expect("created");
    let load = |writer: &mut Writer, numbers: Range<u64>, seed: u64| {
        let mut load = writer.bulk_load().expect("a load");
        numbers.for_each(|id| load.push(bare(&id.to_string(), id << 20 ^ seed)).expect("taken"));
        load.finish().expect("loaded")
    };
    let deletions = |writer: &Writer| {
        let mut all = Vec::new();
        writer.catalog().deletions(0, &mut |_, numbers| all.push((numbers.start, numbers.end))).expect("read");
        all
    };
    // Two runs, each of an interval.
    load(&mut writer, 0..LEN, 1);
    load(&mut writer, LEN..2 * LEN, 1);
    writer.label("night", true).expect("labelled");
    let again = load(&mut writer, 100..2 * LEN, 2);
    assert_eq!(again.replaced, 2 * LEN - 100);
    let batch = writer.batch_number().expect("a batch");
    let mut replaced = Vec::new();
    let mut see = |numbers: Range<u64>| {
        replaced.push((numbers.start, numbers.end));
        Ok(true)
    };
    writer.catalog().replaced(batch, 0, &mut see).expect("read");
    assert_eq!((replaced, deletions(&writer)), (vec![(100, 2 * LEN)], Vec::new()));
    writer.commit_batch("night").expect("committed");
    writer.catalog().replaced(batch, 0, &mut |_| panic!("a row is left")).expect("read");
    assert_eq!(deletions(&writer), [(100, 2 * LEN)]);
    assert_eq!(writer.view().stats().expect("counted").documents, 2 * LEN);

    // The second run is written without them: its part leaves.
    let second = crate::write::plan::CompactionPlan::of(&writer.snapshot().runs[1..2]);
    let done = writer.compact(&second).expect("compacted");
    assert_eq!(done.documents_dropped, LEN);
    writer.close().expect("closed");
    let mut writer = Writer::open(&path).expect("opened");
    assert_eq!(deletions(&writer), [(100, LEN)]);
    let plan = writer.plan_full_compaction().expect("there is something to drop");
    writer.compact(&plan).expect("compacted");
    writer.close().expect("closed");
    let writer = Writer::open(&path).expect("opened");
    assert_eq!(deletions(&writer), []);
    for id in 0..2 * LEN {
        let stored = writer.view().get(&id.to_string()).expect("answered").expect("is stored");
        assert_eq!(stored.fingerprint.0, id << 20 ^ if id < 100 { 1 } else { 2 });
    }
    drop(writer);
    assert!(crate::check(&path, &crate::CheckOptions::default(), &mut |_| true).expect("checked").is_sound());
}

/// Files cannot store greater numbers, so a document that would get one is refused before anything is written.
#[test]
fn numbers_that_a_database_does_not_have_are_refused_and_nothing_is_reserved() {
    const LEFT: u64 = 10;
    let folder = tempfile::tempdir().expect("a folder");
    let (path, other) = (folder.path().join("db"), folder.path().join("other"));
    let mut source = Writer::create(&other, &Config::within(3).expect("k")).expect("created");
    (0..=LEFT).for_each(|id| _ = source.insert(bare(&format!("{id}."), id << 20)).expect("staged"));
    source.close().expect("closed");
    let mut writer = Writer::create(&path, &Config::within(3).expect("k")).expect("created");
    writer.set_counters(Counters { next_number: NUMBER_END - LEFT, ..*writer.counters() });
    let refused = |error: Error, len: u64| match error {
        Error::OutOfNumbers { given, needed, limit } => {
            assert_eq!((given, needed, limit), (NUMBER_END - LEFT, len, NUMBER_END));
        }
        error => panic!("{error:?}"),
    };
    refused(writer.merge(&other).expect_err("a number too many"), LEFT + 1);
    // An interval.
    let mut load = writer.bulk_load().expect("a load");
    let pushed = (0..5000).try_for_each(|id| load.push(bare(&format!("i{id}"), id << 20)));
    refused(pushed.and_then(|()| load.finish().map(|_| ())).expect_err("too many"), 5000);
    (0..LEFT).for_each(|id| _ = writer.insert(bare(&format!("{id}."), id << 20)).expect("staged"));
    refused(writer.insert(bare("one more", 1)).expect_err("a number too many"), LEFT + 1);
    refused(writer.insert(bare("0.", 1)).expect_err("a number too many"), LEFT + 1);
    assert_eq!(writer.counters().next_number, NUMBER_END - LEFT);
    writer.commit().expect("committed");
    assert_eq!(writer.counters().next_number, NUMBER_END);
    writer.flush().expect("flushed");
    writer.close().expect("closed");
    let mut writer = Writer::open(&path).expect("opened");
    assert_eq!(writer.view().stats().expect("counted").documents, LEFT);
    let again = writer.merge(&other).expect_err("a number too many");
    assert!(matches!(again, Error::OutOfNumbers { needed: 1, .. }), "{again:?}");
    assert_eq!(writer.view().get("0.").expect("answered").expect("is stored").fingerprint, Fingerprint(0));
    writer.close().expect("closed");
    assert!(crate::check(&path, &crate::CheckOptions::default(), &mut |_| true).expect("checked").is_sound());
}

#[test]
fn a_load_that_failed_takes_no_more_and_says_what_it_failed_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("db");
    let config = Config::within(2).and_then(|config| config.bits(20)).expect("in range");
    let mut writer = Writer::create(&path, &config).expect("created");
    let first = AtomicBool::new(true);
    // The disk is full for a moment, which does a writer no harm.
    let observer = observe_storage(&path.join("runs"), move |action, _| {
        let fails = action == "create the file" && first.swap(false, Ordering::Relaxed);
        if fails { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    });
    let mut load = writer.bulk_load().expect("a load");
    let documents = |half: u64| (half * 500..(half + 1) * 500).map(|id| bare(&format!("{} {id}", id % 7), id));
    documents(0).for_each(|document| load.push(document).expect("taken"));
    let refused = load.push(bare("too wide", 1 << 30)).err();
    assert!(matches!(refused, Some(Error::OutOfRange { .. })), "{refused:?}");
    load.push(bare("behind it", 3)).expect("what is refused ends no load");
    let full = load.checkpoint().err();
    assert!(full.as_ref().is_some_and(Error::is_over_limit), "{full:?}");
    let mut failures = vec![load.push(bare("more", 4)).err(), load.push_bare("more 2".into(), Fingerprint(5)).err()];
    failures.extend([load.checkpoint().err(), load.label("day").err(), load.finish().err()]);
    for failure in failures {
        let is_told = matches!(&failure, Some(Error::LoadFailed { why }) if why.contains("create the file"));
        assert!(is_told, "{failure:?}");
    }
    drop(observer);
    assert_eq!(writer.view().stats().expect("counted").documents, 0);
    let mut load = writer.bulk_load().expect("another load");
    (0..2).flat_map(documents).for_each(|document| load.push(document).expect("taken"));
    assert_eq!(load.finish().expect("loaded").documents, 1000);
}

#[test]
fn a_stored_document_is_recalled_by_its_id_its_address_and_the_digest_of_its_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut writer = Writer::create(folder.path().join("db"), &Config::within(3).expect("k")).expect("created");
    let (id, url, date) = ("a".to_owned(), Some("http://a.example/".to_owned()), Some(17));
    let document = |tokens: u64, page: u8| {
        let record = Record { id: id.clone(), url: url.clone(), date, tokens: Some(tokens), ..Record::default() };
        Document::sketched(Fingerprint(tokens), record).expect("a good id").with_page_digest([page; 16])
    };
    for (tokens, page) in [(1, 1), (20, 2)] {
        let mut load = writer.bulk_load().expect("a load");
        load.push(document(tokens, page)).expect("taken");
        load.finish().expect("loaded");
    }
    let mut load = writer.bulk_load().expect("a load");
    let recall = load.recall();
    let of = |id: &str, url: Option<&str>, page: u8| recall.document(id, url, &[page; 16]).expect("answered");
    assert_eq!(of("a", url.as_deref(), 2), Some(document(20, 2).with_date(None)));
    for (id, url, page) in [("a", url.as_deref(), 3), ("a", None, 2), ("b", url.as_deref(), 2)] {
        assert_eq!(of(id, url, page), None, "{id} {url:?} {page}");
    }
    // The load meanwhile replaces it.
    load.push(document(30, 3)).expect("taken");
    load.checkpoint().expect("committed");
    assert_eq!(of("a", url.as_deref(), 3).map(|it| it.fingerprint()), Some(Fingerprint(30)));
    load.finish().expect("loaded");
}

/// Runs with keys and deleted documents are merged to the same files, whatever the number of threads.
#[test]
fn a_merge_on_several_threads_makes_the_files_of_one() {
    let merged = |threads: usize| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut writer = Writer::create(folder.path().join("db"), &Config::within(3).expect("k")).expect("created");
        writer.set_threads(threads);
        for run in 0..3u64 {
            for id in 1000 * run..1000 * (run + 1) {
                let record = Record { id: id.to_string(), digest: Some([id as u8; 16]), ..Record::default() };
                let print = Fingerprint(nddb_format::digest::mix(id / 2));
                writer.insert(Document::sketched(print, record).expect("a good id")).expect("staged");
            }
            writer.commit().expect("committed");
            writer.flush().expect("a run");
        }
        (0..3000u64).step_by(3).for_each(|id| assert!(writer.delete(&id.to_string()).expect("known")));
        writer.commit().expect("committed");
        let plan = writer.plan_full_compaction().expect("three runs");
        let done = writer.compact(&plan).expect("merged");
        assert_eq!((done.runs_before, done.runs_after, done.documents_dropped), (3, 1, 1000), "{threads} threads");
        let run = &writer.snapshot().runs[0].entry;
        assert!(run.keys.is_some() && run.summaries.is_some() && run.segments.len() > 1);
        let mut files: Vec<_> = std::fs::read_dir(folder.path().join("db/runs")).expect("listed").collect();
        files.sort_by_key(|file| file.as_ref().expect("a file").file_name());
        let of = |file: io::Result<std::fs::DirEntry>| {
            let file = file.expect("a file");
            (file.file_name(), std::fs::read(file.path()).expect("read"))
        };
        files.into_iter().map(of).collect::<Vec<_>>()
    };
    let on_one = merged(1);
    [2, 7, 16].into_iter().for_each(|threads| assert!(merged(threads) == on_one, "{threads} threads"));
}
