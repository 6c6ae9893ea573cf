//! What programs need that have the library in them: threads, waiting, resuming, folders that change.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nddb::{Error, Reader, Search, SharedReader, Within, Work, Writer};

use super::{Parent, Worker, bare, create, folder};

#[test]
fn a_lock_is_waited_for_as_long_as_told() {
    let folder = folder();
    let path = folder.path().join("db");
    create(&path).close().expect("closed");
    let mut holding = Worker::start("holds the lock", &[&path.to_string_lossy(), "nddb load of the tests"]);
    assert_eq!(holding.answer(), "opened");
    let refused = Writer::open_within(&path, "x", Duration::from_millis(150)).err();
    let Some(Error::Locked { holder, waited, .. }) = refused else { panic!("not locked: {refused:?}") };
    assert!(holder.contains("nddb load of the tests") && waited >= Duration::from_millis(150), "{holder}, {waited:?}");
    std::thread::scope(|scope| {
        let patient = scope.spawn(|| Writer::open_within(&path, "x", Duration::from_secs(60)));
        std::thread::sleep(Duration::from_millis(100));
        holding.finish();
        patient.join().expect("no panic").expect("the lock is free after a while");
    });
}

#[test]
fn a_database_opened_by_a_relative_path_goes_on_in_a_process_that_changes_its_folder() {
    let folder = folder();
    let mut worker = Worker::start("changes its folder", &[&folder.path().to_string_lossy()]);
    assert_eq!(worker.answer(), "201 documents");
    worker.finish();
    let reader = Reader::open(folder.path().join("db")).expect("opened");
    assert_eq!(reader.probe(nddb::Fingerprint(7), Within(0)).expect("answered").len(), 1);
}

#[expect(clippy::disallowed_methods, reason = "a process of its own changes its folder: that is what is tested")]
pub(crate) fn change_the_folder(mut parent: Parent) {
    std::env::set_current_dir(parent.answer()).expect("a folder");
    let mut writer = create(Path::new("db"));
    let mut reader = Reader::open("db").expect("opened");
    std::env::set_current_dir("/").expect("a folder");
    for number in 0..200 {
        writer.insert(bare(&number.to_string(), number)).expect("inserted");
    }
    writer.commit().expect("committed");
    writer.flush().expect("flushed");
    let mut load = writer.bulk_load().expect("begun");
    load.push(bare("loaded", 1 << 40)).expect("pushed");
    load.finish().expect("loaded");
    let plan = writer.plan_full_compaction().expect("two runs");
    writer.compact(&plan).expect("merged");
    writer.close().expect("closed");
    reader.refresh().expect("refreshed");
    let mut documents = 0;
    let counted = reader.view().each(&mut |_| {
        documents += 1;
        Ok(true)
    });
    counted.expect("read");
    parent.tell(&format!("{documents} documents"));
}

#[test]
fn threads_keep_the_state_that_they_have_taken_while_another_refreshes() {
    let folder = folder();
    let path = folder.path().join("db");
    let mut writer = create(&path);
    writer.insert(bare("first", 1)).expect("inserted");
    writer.commit().expect("committed");
    let shared = SharedReader::open(&path).expect("opened");
    assert!(!shared.refresh().expect("refreshed"), "nothing has changed");
    let before = shared.current();
    let ids = |reader: &Reader| {
        let mut ids = Vec::new();
        let read = reader.view().each(&mut |stored| {
            ids.push(stored.record.id);
            Ok(true)
        });
        read.expect("read");
        ids
    };
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Whatever each asks of one state is of that state.
        for _ in 0..3 {
            scope.spawn(|| {
                while !is_over.load(Ordering::SeqCst) {
                    let reader = shared.current();
                    let number = reader.view().complete_to();
                    assert_eq!((ids(&reader).len() as u64, reader.view().complete_to()), (number, number));
                }
            });
        }
        for round in 0..20 {
            writer.insert(bare(&format!("later-{round}"), 1 << (round + 8))).expect("inserted");
            writer.commit().expect("committed");
            if round % 5 == 4 {
                writer.flush().expect("flushed");
            }
            assert!(shared.refresh().expect("refreshed"));
        }
        is_over.store(true, Ordering::SeqCst);
    });
    assert_eq!(ids(&before), ["first"]);
    assert_eq!(ids(&shared.current()).len(), 21);
}

#[test]
fn who_stopped_at_a_document_goes_on_behind_it() {
    let folder = folder();
    let path = folder.path().join("db");
    let mut writer = create(&path);
    // Some of them bare fingerprints whose ids count on, which are stored as an interval.
    let mut load = writer.bulk_load().expect("begun");
    for number in 0..6000 {
        load.push(bare(&number.to_string(), number << 20)).expect("pushed");
    }
    load.push(bare("another", 3)).expect("pushed");
    load.finish().expect("loaded");
    writer.delete("4097").expect("deleted");
    writer.close().expect("closed");
    let reader = Reader::open(&path).expect("opened");
    let mut all = Vec::new();
    let each = reader.view().each(&mut |stored| {
        all.push(stored);
        Ok(true)
    });
    each.expect("read");
    assert_eq!(all.len(), 6000);
    let (mut resumed, mut first) = (Vec::new(), 0);
    loop {
        let (before, reader) = (resumed.len(), Reader::open(&path).expect("opened"));
        let each = reader.view().each_from(first, &mut |stored| {
            first = stored.number + 1;
            resumed.push(stored);
            Ok(resumed.len() - before < 700)
        });
        each.expect("read");
        if resumed.len() == before {
            break;
        }
    }
    assert!(resumed == all, "{} of {}", resumed.len(), all.len());
}

#[test]
fn a_plan_whose_runs_were_merged_meanwhile_is_stale() {
    let folder = folder();
    let mut writer = create(&folder.path().join("db"));
    for round in 0..2 {
        writer.insert(bare(&round.to_string(), round)).expect("inserted");
        writer.commit().expect("committed");
        writer.flush().expect("flushed");
    }
    let plan = writer.plan_full_compaction().expect("two runs");
    writer.compact(&plan).expect("merged");
    let refused = writer.compact(&plan).expect_err("the runs are gone");
    assert!(matches!(refused, Error::StalePlan { .. }) && refused.next_step().is_some(), "{refused}");
    writer.insert(bare("more", 5)).expect("the writer goes on");
    writer.close().expect("closed");
}

#[test]
fn a_query_stops_when_it_is_told_to() {
    let folder = folder();
    let path = folder.path().join("db");
    let mut writer = create(&path);
    for number in 0..2000 {
        writer.insert(bare(&number.to_string(), 7)).expect("inserted");
    }
    writer.commit().expect("committed");
    let answer = |asked: &AtomicU64, most: u64| {
        let stop = || asked.fetch_add(1, Ordering::SeqCst) >= most;
        writer.view().find(&[nddb::Fingerprint(7)], Search::within(Within(3)).until(&stop))
    };
    let asked = AtomicU64::new(0);
    let answers = answer(&asked, u64::MAX).expect("answered");
    assert_eq!(answers[0].matches.len(), 2000);
    let asked = asked.into_inner();
    assert!(asked > 10, "it asks while documents are looked up: {asked}");
    for most in 0..asked {
        let stopped = answer(&AtomicU64::new(0), most);
        assert!(matches!(stopped, Err(Error::Cancelled)), "{most}: {stopped:?}");
    }
    assert_eq!(answer(&AtomicU64::new(0), asked).expect("answered"), answers);
    assert_eq!(writer.view().find(&[nddb::Fingerprint(7)], Within(3)).expect("answered"), answers);
}

#[test]
fn readers_that_wait_for_a_commit_move_on_when_there_is_one() {
    let folder = folder();
    let path = folder.path().join("db");
    let mut writer = create(&path);
    let (mut reader, shared) = (Reader::open(&path).expect("opened"), SharedReader::open(&path).expect("opened"));
    let (none, long) = (Duration::ZERO, Duration::from_secs(60));
    assert!(!reader.watch_commits(none).expect("looked") && !shared.watch_commits(none).expect("looked"));
    let begun = Instant::now();
    assert!(!reader.watch_commits(Duration::from_millis(50)).expect("looked"));
    assert!(begun.elapsed() >= Duration::from_millis(50));
    for number in 0..20u64 {
        let id = number.to_string();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| reader.watch_commits(long));
            let waiting_too = scope.spawn(|| shared.watch_commits(long));
            // Before and after the others have begun to wait.
            std::thread::sleep(Duration::from_millis(number % 2 * 30));
            // Each kind of change: documents, runs, deletions.
            match number % 4 {
                2 => assert!(writer.delete(&(number - 1).to_string()).expect("deleted")),
                _ => drop(writer.insert(bare(&id, number)).expect("inserted")),
            }
            writer.commit().expect("committed");
            assert!(waiting.join().expect("no panic").expect("moved on"), "{number}");
            assert!(waiting_too.join().expect("no panic").expect("moved on"), "{number}");
        });
        // A commit may come after another change, such as the end of a grace period.
        let is_there = |view: nddb::View<'_>| {
            let documents = |view: nddb::View<'_>| view.stats().expect("counted").documents;
            view.contains(&id).expect("looked up") == (number % 4 != 2) && documents(view) == documents(writer.view())
        };
        while !is_there(reader.view()) {
            assert!(reader.watch_commits(long).expect("moved on"), "{number}");
        }
        while !is_there(shared.current().view()) {
            assert!(shared.watch_commits(long).expect("moved on"), "{number}");
        }
        if number % 7 == 6 {
            writer.flush().expect("flushed");
            assert!(reader.watch_commits(long).expect("moved on") && shared.watch_commits(long).expect("moved on"));
        }
    }
    // Another database at the path.
    writer.close().expect("closed");
    let other = folder.path().join("other");
    let mut writer = create(&other);
    writer.insert(bare("another", 1)).expect("inserted");
    writer.commit().expect("committed");
    writer.close().expect("closed");
    std::fs::rename(&path, folder.path().join("former")).expect("moved");
    std::fs::rename(&other, &path).expect("moved");
    assert!(reader.watch_commits(long).expect("moved on") && shared.watch_commits(long).expect("moved on"));
    assert!(reader.view().contains("another").expect("looked up"));
    assert!(shared.current().view().contains("another").expect("looked up"));
}

#[test]
fn the_work_of_queries_is_counted_on_all_threads_and_states() {
    let folder = folder();
    let path = folder.path().join("db");
    let mut writer = create(&path);
    for number in 0..3000u64 {
        writer.insert(bare(&number.to_string(), number.wrapping_mul(0x9e37_79b9_7f4a_7c15))).expect("inserted");
    }
    writer.commit().expect("committed");
    writer.flush().expect("flushed");
    let mut reader = Reader::open(&path).expect("opened");
    assert_eq!(reader.view().work(), Work::default());
    let ask = |view: nddb::View<'_>| {
        let mut work = Work::default();
        for number in 0..100u64 {
            let query = nddb::Fingerprint(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 1);
            assert_eq!(view.probe(&[query], Search::within(Within(3)).count(&mut work)).expect("answered")[0].count, 1);
        }
        work
    };
    let mut all = Work::default();
    std::thread::scope(|scope| {
        let view = reader.view();
        let threads: Vec<_> = (0..20).map(|_| scope.spawn(move || ask(view))).collect();
        threads.into_iter().for_each(|thread| all += thread.join().expect("no panic"));
    });
    assert_eq!(reader.view().work(), all);
    assert_eq!(all.queries, 2000);
    assert!(all.probes > all.excluded && all.blocks >= all.queries && all.entries >= all.queries, "{all:?}");
    assert_eq!(all.bytes(), 1024 * all.blocks);
    writer.insert(bare("more", 5)).expect("inserted");
    writer.commit().expect("committed");
    assert!(reader.refresh().expect("refreshed"));
    assert_eq!(reader.view().work(), all, "also on earlier states");
    let found = reader.probe(nddb::Fingerprint(5), Within(0)).expect("answered");
    assert_eq!((found.len(), reader.view().work().queries), (1, 2001));
    assert_eq!(writer.view().work(), Work::default(), "of this reader alone");
}
