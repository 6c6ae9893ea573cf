//! What programs need that have the library in them: threads, waiting, resuming, folders that change.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use nddb::{Error, Reader, SharedReader, Within, Work, Writer};

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
    assert!(matches!(refused, Error::StalePlan { .. }) && refused.hint().is_some(), "{refused}");
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
        writer.view().find_until(&[nddb::Fingerprint(7)], Within(3), None, &mut Work::default(), &stop)
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
    assert_eq!(
        writer.view().find(&[nddb::Fingerprint(7)], Within(3), None, &mut Work::default()).expect("answered"),
        answers
    );
}
