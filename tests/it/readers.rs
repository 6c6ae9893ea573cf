//! Reader processes that open, refresh and query in a loop while the writer writes, flushes, loads and compacts:
//! every answer is that of one commit, complete, and never of an older one than before.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nddb::{CheckOptions, Reader, View, Writer};

use super::support::commits::{self, ADDED, REPLACED, is_load, mixed};
use super::support::steps::create;
use super::support::{Parent, Random, Worker, bare, folder, say};

/// Duration of the writer.
const TIME: Duration = Duration::from_secs(12);

/// Makes the next commit of one writer.
fn write(mut writer: Writer, path: &Path, commits: &mut u64, random: &mut Random) -> Writer {
    let commit = *commits;
    commits::make(&mut writer, commit);
    *commits += 1;
    commits::keep_up(writer, path, commit, random)
}

/// Asserts that a view is the state after one commit; returns that commit.
fn assert_whole(view: &View<'_>, random: &mut Random) -> u64 {
    // Every commit takes the same number of numbers, so that the last number seen identifies the commit; a load
    // takes its numbers before it is committed.
    let complete = view.complete_to();
    assert_eq!(complete % (ADDED + REPLACED), 0, "half a commit");
    let mut commit = complete / (ADDED + REPLACED) - 1;
    if commits::newest(view, commit.saturating_sub(1), commit) != commit {
        assert!(is_load(commit), "commit {commit} is half visible");
        commit -= 1;
    }
    commits::assert_whole(view, commit, random);
    commit
}

/// A worker that reads until it is told the last commit, which it must then see.
pub(crate) fn read(mut parent: Parent) {
    let path = parent.answer();
    let mut random = Random::fixed(parent.answer().parse().expect("a number"));
    let end = Arc::new(AtomicU64::new(u64::MAX));
    let last_commit = end.clone();
    std::thread::spawn(move || {
        let last = Parent::default().answer();
        last_commit.store(last.parse().expect("a number"), Ordering::Relaxed);
    });
    let mut reader = Reader::open(&path).expect("opened");
    let (mut states, mut rounds, mut before) = (0, 0, 0);
    loop {
        let last = end.load(Ordering::Relaxed);
        if random.percent(20) {
            reader = Reader::open(&path).expect("opened");
        } else {
            reader.refresh().expect("refreshed");
        }
        let commit = catch_unwind(AssertUnwindSafe(|| assert_whole(&reader.view(), &mut random)));
        let commit = commit.unwrap_or_else(|_| {
            // Distinguishes a fault of the reader from one of the database.
            let generations = [reader.view().generation(), Reader::open(&path).expect("opened").view().generation()];
            let fresh = assert_whole(&Reader::open(&path).expect("opened").view(), &mut random);
            panic!("a fresh reader finds commit {fresh} whole, of manifests {generations:?}");
        });
        assert!(commit >= before, "commit {commit} behind commit {before}");
        states += u64::from(commit > before);
        before = commit;
        rounds += 1;
        if random.percent(30) {
            // Without a refresh nothing changes, whatever the writer does meanwhile.
            std::thread::sleep(Duration::from_millis(random.below(60)));
            assert_eq!(assert_whole(&reader.view(), &mut random), commit);
        }
        if last != u64::MAX {
            assert_eq!(commit, last, "what was committed before a refresh is seen by it");
            break;
        }
    }
    parent.tell(&format!("{rounds} times refreshed or opened, {states} states"));
}

#[test]
fn a_reader_that_missed_the_log_of_a_deletion_does_not_see_the_document_again() {
    let folder = folder();
    let path = folder.path().join("db");
    let mut writer = create(&path);
    for number in 0..20 {
        writer.insert(bare(&format!("early {number}"), mixed(1, 0, number))).expect("inserted");
    }
    writer.commit().expect("committed");
    writer.flush().expect("flushed");
    let mut reader = Reader::open(&path).expect("opened");
    for number in 0..10 {
        assert!(writer.delete(&format!("early {number}")).expect("deleted"));
    }
    writer.commit().expect("committed");
    writer.flush().expect("flushed");
    let plan = writer.plan_full_compaction().expect("there are deleted documents");
    writer.compact(&plan).expect("compacted");
    for round in 0..6 {
        // Each time the catalog archives its log, and at some time the record of the deletion.
        writer.insert(bare(&format!("late {round}"), mixed(2, 0, round))).expect("inserted");
        writer.close().expect("closed");
        writer = Writer::open(&path).expect("opened");
    }
    // Its rows bypass the log.
    let mut load = writer.bulk_load().expect("a load begins");
    (0..20).for_each(|number| load.push(bare(&format!("loaded {number}"), mixed(3, 0, number))).expect("taken"));
    load.finish().expect("loaded");
    reader.refresh().expect("refreshed");
    for number in 0..20 {
        let stored = reader.view().get(&format!("early {number}")).expect("answered");
        assert_eq!(stored.is_some(), number >= 10, "early {number}");
    }
}

/// Each writer has logs of its own, so that the reader has to open the catalog anew, and keeps what it knows of the
/// documents that are in no run.
#[test]
fn a_reader_follows_one_writer_after_the_other() {
    let mut random = Random::seeded("one writer after the other");
    let folder = folder();
    let path = folder.path().join("db");
    let mut commits = 0;
    create(&path).close().expect("closed");
    let mut reader = Reader::open(&path).expect("opened");
    for round in 0..12 {
        let mut writer = Writer::open(&path).expect("opened");
        commits::stage(&mut writer, commits);
        commits += 1;
        match random.below(5) {
            0 => writer.flush().expect("flushed"),
            1 if let Some(plan) = writer.plan_full_compaction() => drop(writer.compact(&plan).expect("compacted")),
            _ => (),
        }
        writer.close().expect("closed");
        assert!(reader.refresh().expect("refreshed"), "round {round}");
        let fresh = Reader::open(&path).expect("opened");
        for view in [reader.view(), fresh.view()] {
            assert_eq!(assert_whole(&view, &mut random), commits - 1, "round {round}");
        }
        assert!(!reader.refresh().expect("refreshed"), "nothing has changed");
    }
}

#[test]
fn a_reader_that_missed_the_log_of_a_batch_s_commit_sees_its_documents() {
    let folder = folder();
    let path = folder.path().join("db");
    let mut writer = create(&path);
    writer.label("pending", true).expect("a batch");
    for number in 0..20 {
        writer.insert(bare(&format!("pending {number}"), mixed(1, 0, number))).expect("inserted");
    }
    writer.commit().expect("committed");
    let mut reader = Reader::open(&path).expect("opened");
    assert_eq!(reader.view().get("pending 0").expect("answered"), None);
    assert_eq!(writer.commit_batch("pending").expect("committed"), 20);
    for round in 0..6 {
        // Each time the catalog archives its log, and at some time the record of the pending range.
        writer.label(&format!("batch {round}"), false).expect("a batch");
        writer.insert(bare(&format!("late {round}"), mixed(2, 0, round))).expect("inserted");
        writer.close().expect("closed");
        writer = Writer::open(&path).expect("opened");
    }
    reader.refresh().expect("refreshed");
    for id in (0..20).map(|number| format!("pending {number}")).chain((0..6).map(|round| format!("late {round}"))) {
        assert!(reader.view().get(&id).expect("answered").is_some(), "{id}");
    }
}

#[test]
fn readers_of_other_processes_see_whole_commits_in_their_order() {
    let mut random = Random::seeded("readers");
    let folder = folder();
    let path = folder.path().join("db");
    let mut commits = 0;
    let mut writer = create(&path);
    writer.merge_in_background(true);
    let mut writer = write(writer, &path, &mut commits, &mut random);
    let start = |random: &mut Random| {
        Worker::start("reads whole commits", &[&path.to_string_lossy(), &random.next().to_string()])
    };
    let mut workers: Vec<Worker> = (0..2).map(|_| start(&mut random)).collect();
    let begun = Instant::now();
    while begun.elapsed() < TIME {
        writer = write(writer, &path, &mut commits, &mut random);
    }
    writer.close().expect("closed");
    for worker in &mut workers {
        worker.tell(&(commits - 1).to_string());
    }
    for mut worker in workers {
        say(&format!("{commits} commits; a reader: {}", worker.answer()));
        worker.finish();
    }
    let report = nddb::check(&path, &CheckOptions::default(), &mut |_| true).expect("checked");
    assert!(report.is_sound(), "{report:#?}");
}
