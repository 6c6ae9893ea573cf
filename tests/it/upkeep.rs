//! When a database forgets deleted documents, and the effect of storage calls that fail.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nddb::{CheckOptions, Compacted, Error, Fingerprint, Reader, Within, Writer};
use nddb_format::record::Archive;
use nddb_index::testing::{StorageObserver, observe_storage};

use super::support::steps::create;
use super::support::{Mount, Random, bare, folder};

/// Makes the storage calls below a folder fail that `fails` selects by action and path.
fn failing(
    folder: &Path,
    kind: io::ErrorKind,
    fails: impl Fn(&str, &Path) -> bool + Send + Sync + 'static,
) -> StorageObserver {
    observe_storage(folder, move |action, path| if fails(action, path) { Err(kind.into()) } else { Ok(()) })
}

fn insert(writer: &mut Writer, ids: impl Iterator<Item = u64>, seed: u64) {
    for id in ids {
        writer.insert(bare(&id.to_string(), Random::fixed(seed << 32 ^ id).next())).expect("inserted");
    }
    writer.commit().expect("committed");
}

fn assert_sound(path: &Path) {
    let report = nddb::check(path, &CheckOptions::default(), &mut |_| true).expect("checked");
    assert!(report.is_sound(), "{report:#?}");
}

/// Returns the number of files under `runs/` with an extension.
fn files(path: &Path, ending: &str) -> usize {
    let entries = std::fs::read_dir(path.join("runs")).expect("listed");
    entries.filter(|entry| entry.as_ref().expect("listed").path().extension().is_some_and(|end| end == ending)).count()
}

fn compact_all(writer: &mut Writer) -> Option<Compacted> {
    writer.flush().expect("flushed");
    writer.plan_full_compaction().map(|plan| writer.compact(&plan).expect("compacted"))
}

#[test]
fn a_failure_behind_the_rename_of_the_manifest_or_of_an_fsync_poisons_the_writer() {
    let full = io::ErrorKind::StorageFull;
    type Fails = fn(&str, &Path) -> bool;
    let cases: [(&str, Fails, bool); 5] = [
        ("the rename", |action, _| action == "replace the file", true),
        ("fsync of the folder", |action, path| action == "sync the folder" && !path.ends_with("runs"), true),
        (
            "fsync of a segment",
            |action, path| action == "sync the file" && path.extension().is_some_and(|end| end == "seg"),
            true,
        ),
        (
            "fsync of the next manifest",
            |action, path| action == "sync the file" && path.ends_with("MANIFEST.tmp"),
            true,
        ),
        ("a full disk", |action, path| action == "write to the file" && path.ends_with("MANIFEST.tmp"), false),
    ];
    for (what, fails, poisons) in cases {
        let folder = folder();
        let path = folder.path().join("db");
        let mut writer = create(&path);
        insert(&mut writer, 0..100, 1);
        let observer = failing(&path, full, fails);
        let error = writer.flush().expect_err(what);
        assert!(matches!(error, Error::Io { .. }), "{what}: {error:?}");
        drop(observer);
        assert_eq!(writer.view().get("7").expect("answered").map(|stored| stored.number), Some(7), "{what}");
        let outcome = writer.insert(bare("more", 1)).and_then(|_| writer.commit()).and_then(|()| writer.flush());
        if poisons {
            assert!(matches!(outcome, Err(Error::Poisoned)), "{what}: {outcome:?}");
            drop(writer);
            writer = Writer::open(&path).expect("opened");
            insert(&mut writer, 100..101, 1);
            writer.flush().expect("flushed");
        } else {
            outcome.expect(what);
        }
        writer.close().expect("closed");
        assert_sound(&path);
        let reader = Reader::open(&path).expect("opened");
        assert_eq!(reader.view().stats().expect("counted").documents, 101, "{what}");
    }
}

#[test]
fn what_is_deleted_or_cancelled_leaves_nothing_behind_over_several_openings() {
    let folder = folder();
    let path = folder.path().join("db");
    let mut writer = create(&path);
    let mut load = writer.bulk_load().expect("a load");
    (0..80_000u64).for_each(|id| load.push(bare(&id.to_string(), Random::fixed(id).next())).expect("taken"));
    load.finish().expect("loaded");
    // Enough deletions to be folded into a file.
    for low in (0..70_000u64).step_by(10_000) {
        (low..low + 10_000).for_each(|id| assert!(writer.delete(&id.to_string()).expect("deleted")));
        writer.commit().expect("committed");
    }
    writer.label("night", true).expect("labelled");
    let mut load = writer.bulk_load().expect("a load");
    (0..5_000u64).for_each(|id| load.push(bare(&format!("n{id}"), Random::fixed(!id).next())).expect("taken"));
    load.finish().expect("loaded");
    writer.unlabel().expect("unlabelled");
    insert(&mut writer, 100_000..100_100, 1);
    writer.flush().expect("flushed");
    assert_eq!(writer.cancel_batch("night").expect("cancelled"), 5_000);
    drop(writer);
    let mut writer = Writer::open(&path).expect("opened");
    let done = compact_all(&mut writer).expect("there is something to drop");
    assert_eq!(done.documents_dropped, 75_000);
    // As if the process had ended before any removal.
    drop(writer);
    let mut writer = Writer::open(&path).expect("opened");
    if let Some(done) = compact_all(&mut writer) {
        assert_eq!((done.documents_dropped, done.bytes_after), (0, done.bytes_before), "nothing is written again");
    }
    writer.close().expect("closed");
    let writer = Writer::open(&path).expect("opened");
    let stats = writer.view().stats().expect("counted");
    assert_eq!((stats.documents, stats.deleted, files(&path, "del")), (10_100, 0, 0));
    assert_eq!(writer.plan_full_compaction(), None);
    writer.close().expect("closed");
    let report = nddb::check(&path, &CheckOptions::default(), &mut |_| true).expect("checked");
    assert!(report.is_sound(), "{report:#?}");
    // Prints, documents and ids of each, and no rows of removed ones.
    assert_eq!(report.rows, 3 * 10_100);
}

#[test]
fn documents_deleted_before_they_came_into_a_run_are_forgotten() {
    let folder = folder();
    let path = folder.path().join("db");
    let mut writer = create(&path);
    insert(&mut writer, 0..50, 1);
    (0..50).for_each(|id| assert!(writer.delete(&id.to_string()).expect("deleted")));
    writer.commit().expect("committed");
    writer.flush().expect("flushed");
    insert(&mut writer, 50..60, 1);
    writer.close().expect("closed");
    let writer = Writer::open(&path).expect("opened");
    assert_eq!(writer.view().stats().expect("counted").deleted, 0);
    assert_eq!(nddb::check(&path, &CheckOptions::default(), &mut |_| true).expect("checked").rows, 30);
}

#[test]
fn replaced_files_go_after_the_grace_whatever_is_committed_and_one_that_cannot_go_is_no_failure() {
    let folder = folder();
    let path = folder.path().join("db");
    let mut writer = create(&path);
    for round in 0..3 {
        insert(&mut writer, round * 100..round * 100 + 100, 1);
        writer.flush().expect("flushed");
        compact_all(&mut writer);
    }
    let before = files(&path, "post");
    assert!(before > 1, "the replaced ones are still there");
    std::thread::sleep(Duration::from_millis(5_100));
    let observer = failing(&path, io::ErrorKind::PermissionDenied, |action, _| action == "remove the file");
    writer.insert(bare("last", 1)).expect("inserted");
    writer.commit().expect("it is durable, whatever cannot be removed");
    assert_eq!(files(&path, "post"), before);
    drop(observer);
    writer.commit().expect("nothing to commit");
    assert_eq!(files(&path, "post"), 1);
    writer.close().expect("closed");
    assert_sound(&path);
}

#[test]
fn closing_tells_of_what_it_cannot_remove_and_the_next_opening_removes_it() {
    for fails in ["sync the folder", "remove the file"] {
        let folder = folder();
        let path = folder.path().join("db");
        let mut writer = create(&path);
        insert(&mut writer, 0..100, 1);
        writer.flush().expect("flushed");
        (0..50).for_each(|id| assert!(writer.delete(&id.to_string()).expect("deleted")));
        writer.commit().expect("committed");
        compact_all(&mut writer);
        let observer = failing(&path, io::ErrorKind::Other, move |action, _| action == fails);
        let error = writer.close().expect_err(fails);
        assert!(matches!(error, Error::Io { .. }), "{fails}: {error:?}");
        drop(observer);
        assert_sound(&path);
        let mut writer = Writer::open(&path).expect("opened");
        assert_eq!(files(&path, "post"), 1, "{fails}");
        compact_all(&mut writer);
        writer.close().expect("closed");
        let stats = Reader::open(&path).expect("opened").view().stats().expect("counted");
        assert_eq!((stats.documents, stats.deleted), (50, 0), "{fails}");
    }
}

#[test]
fn a_refresh_that_fails_shows_nothing_of_what_came_later() {
    for failed_read in [1, 2] {
        let folder = folder();
        let path = folder.path().join("db");
        let mut writer = create(&path);
        insert(&mut writer, 0..10, 1);
        let mut reader = Reader::open(&path).expect("opened");
        insert(&mut writer, 5..20, 2);
        let reads = Arc::new(AtomicU64::new(0));
        let counted = reads.clone();
        let observer = failing(&path, io::ErrorKind::PermissionDenied, move |action, path| {
            action == "read the file"
                && path.ends_with("MANIFEST")
                && counted.fetch_add(1, Ordering::Relaxed) + 1 >= failed_read
        });
        reader.refresh().expect_err("MANIFEST cannot be read");
        assert!(reads.load(Ordering::Relaxed) >= failed_read);
        drop(observer);
        assert_eq!(reader.view().get("15").expect("answered"), None);
        let old = reader.view().get("7").expect("answered").expect("is stored");
        assert_eq!(old.number, 7, "the version of the old state");
        assert!(reader.refresh().expect("refreshed"));
        assert_eq!(reader.view().get("7").expect("answered").expect("is stored").number, 12);
        assert!(reader.view().get("15").expect("answered").is_some());
    }
}

#[test]
fn a_load_in_progress_is_in_no_memtable_and_says_how_far_its_run_is() {
    let folder = folder();
    let path = folder.path().join("db");
    let mut writer = create(&path);
    insert(&mut writer, 0..10, 1);
    writer.flush().expect("flushed");
    let seen = Arc::new(AtomicU64::new(0));
    let (greatest, of) = (seen.clone(), path.clone());
    writer.watch(Box::new(move |progress| {
        if progress.phase == "write run" && progress.done > 0 {
            greatest.fetch_max(progress.done, Ordering::Relaxed);
            let reader = Reader::open(&of).expect("opened");
            let stats = reader.view().stats().expect("counted");
            assert_eq!((stats.memtable_documents, stats.documents), (0, 10));
            assert_eq!(reader.view().get("500").expect("answered"), None);
            return false;
        }
        true
    }));
    let mut load = writer.bulk_load().expect("a load");
    (0..1_000u64).for_each(|id| load.push(bare(&id.to_string(), !id)).expect("taken"));
    assert!(matches!(load.finish(), Err(Error::Cancelled)));
    assert!(seen.load(Ordering::Relaxed) > 0);
    writer.watch(Box::new(|_| true));
    drop(writer);
    let writer = Writer::open(&path).expect("opened");
    assert_eq!(writer.view().stats().expect("counted").memtable_documents, 0);
}

#[test]
fn a_merge_that_was_interrupted_marks_no_archive_as_loaded() {
    let folder = folder();
    let (source, path) = (folder.path().join("source"), folder.path().join("db"));
    let mut writer = create(&source);
    let archive = Archive::unread("crawl.warc".into(), 1 << 20, [7; 16], 9, None);
    let (number, known) = writer.archives(vec![archive.clone()], &|_| false).expect("known").remove(0);
    let len = 200_000u64;
    let mut load = writer.bulk_load().expect("a load");
    (0..len).for_each(|id| load.push(bare(&format!("{id}."), Random::fixed(id).next())).expect("taken"));
    load.progress(number, Archive { finished: true, documents: len, ..known });
    load.finish().expect("loaded");
    writer.close().expect("closed");
    let mut writer = create(&path);
    writer.set_memory_limit(16 << 20);
    let mut chunks = 0;
    writer.watch(Box::new(move |progress| {
        chunks += u64::from(progress.phase == "sort ids");
        chunks < 2
    }));
    let error = writer.merge(&source).expect_err("interrupted in its second chunk");
    assert!(matches!(error, Error::Cancelled), "{error:?}");
    writer.watch(Box::new(|_| true));
    let documents = writer.view().stats().expect("counted").documents;
    assert!((1..len).contains(&documents), "{documents}");
    let known = |writer: &mut Writer| writer.archives(vec![archive.clone()], &|_| false).expect("known").remove(0).1;
    assert!(!known(&mut writer).finished);
    assert_sound(&path);
    writer.merge(&source).expect("merged");
    assert!(known(&mut writer).finished);
    assert_eq!(writer.view().stats().expect("counted").documents, len);
    writer.close().expect("closed");
    assert_sound(&path);
}

#[test]
fn a_large_batch_is_committed_as_a_whole_by_writes_of_bounded_size() {
    let len = 25_000u64;
    // Ids that do not count on: of others one row says what is replaced.
    let name = |id: u64| format!("{id}.");
    for failed in 1..=4 {
        let folder = folder();
        let path = folder.path().join("db");
        let mut writer = create(&path);
        for batch in ["", "night"] {
            if !batch.is_empty() {
                writer.label(batch, true).expect("labelled");
            }
            let mut load = writer.bulk_load().expect("a load");
            let print = |id: u64| Random::fixed(id << 8 ^ batch.len() as u64).next();
            (0..len).for_each(|id| load.push(bare(&name(id), print(id))).expect("taken"));
            load.finish().expect("loaded");
        }
        let commits = Arc::new(AtomicU64::new(0));
        let counted = commits.clone();
        let observer = failing(&path, io::ErrorKind::Other, move |action, _| {
            action == "commit" && counted.fetch_add(1, Ordering::Relaxed) + 1 == failed
        });
        writer.commit_batch("night").expect_err("a write fails");
        assert!(matches!(writer.commit(), Err(Error::Poisoned)));
        drop((observer, writer));
        let assert_state = |view: nddb::View<'_>| {
            let stats = view.stats().expect("counted");
            let committed = failed > 1;
            assert_eq!((stats.documents, stats.pending), if committed { (len, 0) } else { (len, len) });
            for id in (0..len).step_by(997) {
                let stored = view.get(&name(id)).expect("answered").expect("is stored");
                assert_eq!(stored.number >= len, committed, "failure {failed}, id {id}");
            }
        };
        assert_state(Reader::open(&path).expect("opened").view());
        assert_sound(&path);
        let writer = Writer::open(&path).expect("opened");
        assert_state(writer.view());
        writer.close().expect("closed");
        assert_state(Reader::open(&path).expect("opened").view());
        assert_sound(&path);
    }
}

#[test]
fn a_reshape_to_more_tables_asks_for_their_space() {
    let Some(mount) = Mount::new(96, "a reshape without space") else { return };
    let path = mount.path().join("db");
    let mut writer = create(&path);
    writer.set_levels(Some(&[4])).expect("levels");
    let mut load = writer.bulk_load().expect("a load");
    (0..200_000u64).for_each(|id| load.push(bare(&id.to_string(), Random::fixed(id).next())).expect("taken"));
    load.finish().expect("loaded");
    let wide = mount.path().join("ballast");
    let free = |left: u64| {
        let _ = std::fs::remove_file(&wide);
        let ballast = mount.fill();
        let size = std::fs::metadata(&ballast).expect("is there").len();
        std::fs::OpenOptions::new().write(true).open(&ballast).and_then(|file| file.set_len(size - left)).expect("cut");
    };
    // Enough for the present bytes, not for five times as many tables.
    free(12 << 20);
    let began = Instant::now();
    match writer.reshape(Some(&[6])) {
        Err(Error::OverLimit { need, have, .. }) => assert!(need > have && need > 20 * 200_000 * 6),
        other => panic!("{other:?} in {:?}", began.elapsed()),
    }
    assert_eq!(writer.view().find(&[Fingerprint(Random::fixed(5).next())], Within(0)).expect("answered")[0].count, 1);
}

#[test]
fn runs_are_merged_beside_the_commits_and_what_is_deleted_meanwhile_is_not_lost() {
    let folder = folder();
    let path = folder.path().join("db");
    let mut writer = create(&path);
    writer.merge_in_background(true);
    let (rounds, len) = (60u64, 400u64);
    for round in 0..rounds {
        insert(&mut writer, round * len..(round + 1) * len, 1);
        writer.begin_flush().expect("begun");
        // While the run is built, and while older ones are merged.
        for id in [round * len, round * len / 2 + 1] {
            assert!(writer.delete(&id.to_string()).expect("answered") || round == 0 || id % len == 1);
        }
        writer.commit().expect("committed");
        let near = Random::fixed(1 << 32 ^ (round * len + 7)).next() ^ 5;
        let found = writer.view().find(&[Fingerprint(near)], Within(3));
        assert_eq!(found.expect("answered")[0].matches[0].id, (round * len + 7).to_string());
    }
    writer.close().expect("closed");
    let mut writer = Writer::open(&path).expect("opened");
    let stats = writer.view().stats().expect("counted");
    assert!(stats.runs.len() <= 8, "{} runs of {rounds} flushes", stats.runs.len());
    assert_eq!(stats.memtable_documents, 0);
    let documents = stats.documents;
    for id in 0..rounds * len {
        let stored = writer.view().get(&id.to_string()).expect("answered");
        let print = Fingerprint(Random::fixed(1 << 32 ^ id).next());
        let found = writer.view().find(&[print], Within(0)).expect("answered");
        assert_eq!(found[0].count, u64::from(stored.is_some()), "document {id}");
    }
    assert_sound(&path);
    compact_all(&mut writer);
    writer.close().expect("closed");
    assert_sound(&path);
    let writer = Writer::open(&path).expect("opened");
    let stats = writer.view().stats().expect("counted");
    assert_eq!((stats.documents, stats.deleted, stats.runs.len()), (documents, 0, 1));
}

#[test]
fn a_damaged_run_that_cannot_be_merged_fails_no_commit() {
    let folder = folder();
    let path = folder.path().join("db");
    let mut writer = create(&path);
    for round in 0..8u64 {
        insert(&mut writer, round * 300..(round + 1) * 300, 1);
        writer.flush().expect("flushed");
    }
    writer.close().expect("closed");
    let entries = std::fs::read_dir(path.join("runs")).expect("listed");
    for entry in entries {
        let file = entry.expect("listed").path();
        let mut bytes = std::fs::read(&file).expect("read");
        let middle = 1024 + 100;
        if bytes.len() > middle && file.extension().is_some_and(|end| end == "seg") {
            bytes[middle] ^= 1;
            std::fs::write(&file, bytes).expect("written");
        }
    }
    let mut writer = Writer::open(&path).expect("opened");
    writer.merge_in_background(true);
    insert(&mut writer, 10_000..10_010, 1);
    insert(&mut writer, 10_010..10_020, 1);
    assert!(matches!(writer.close(), Err(Error::Corrupt { .. })), "who waits for the merges is told");
    let reader = Reader::open(&path).expect("opened");
    assert!(reader.view().get("10015").expect("answered").is_some());
}
