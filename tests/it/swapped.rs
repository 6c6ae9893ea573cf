//! Folders that are moved away, and others put in their place, under readers and writers that have them open.

use std::path::Path;

use nddb::{CheckOptions, Error, Reader, Writer};

use super::support::steps::create;
use super::support::{bare, folder};

/// Adds the documents `name 0`, `name 1` and so on, in a run of their own or above the runs.
fn add(writer: &mut Writer, name: &str, len: u64, flushes: bool) {
    for index in 0..len {
        writer.insert(bare(&format!("{name} {index}"), index)).expect("inserted");
    }
    writer.commit().expect("committed");
    if flushes {
        writer.flush().expect("flushed");
    }
}

/// Makes a database whose documents are called so.
fn database(path: &Path, name: &str, len: u64, flushes: bool) {
    let mut writer = create(path);
    add(&mut writer, name, len, flushes);
    writer.close().expect("closed");
}

/// The ids that a reader finds, in their order.
fn found(reader: &Reader) -> Vec<String> {
    let found = reader.probe(nddb::Fingerprint(0), nddb::Within(3)).expect("answered");
    let mut ids: Vec<String> = found.into_iter().map(|one| one.id).collect();
    for id in &ids {
        assert!(reader.view().get(id).expect("read").is_some_and(|stored| stored.record.id == *id), "{id}");
    }
    ids.sort_unstable();
    ids
}

/// Puts another folder in the place of a database, which is moved away.
fn put_in_place(path: &Path, other: &Path) {
    std::fs::rename(path, path.with_extension("old")).expect("moved away");
    std::fs::rename(other, path).expect("moved in");
}

fn assert_sound(path: &Path) {
    let report = nddb::check(path, &CheckOptions::default(), &mut |_| true).expect("checked");
    assert!(report.is_sound(), "{}: {report:#?}", path.display());
}

#[test]
fn a_reader_that_refreshes_answers_from_the_database_that_is_at_its_path_now() {
    for (was_flushed, is_flushed, len, other_len) in [
        (true, true, 4, 4),
        (true, false, 4, 4),
        (false, true, 4, 4),
        (false, false, 4, 4),
        (true, true, 8, 3),
        (false, false, 3, 8),
    ] {
        let why = format!("{was_flushed} {is_flushed} {len} {other_len}");
        let folder = folder();
        let (path, other) = (folder.path().join("db"), folder.path().join("other"));
        database(&path, "old", len, was_flushed);
        database(&other, "new", other_len, is_flushed);
        let mut reader = Reader::open(&path).expect("opened");
        let old = found(&reader);
        assert!(old.iter().all(|id| id.starts_with("old")) && old.len() >= 3, "{why}: {old:?}");
        let new = found(&Reader::open(&other).expect("opened"));
        put_in_place(&path, &other);
        assert_eq!(found(&reader), old, "{why}: until it refreshes");
        assert!(reader.refresh().expect("refreshed"), "{why}");
        assert_eq!(found(&reader), new, "{why}");
        assert!(!reader.refresh().expect("refreshed"), "{why}: nothing is new");
        let mut writer = Writer::open(&path).expect("opened");
        writer.insert(bare("newest", 0)).expect("inserted");
        writer.commit().expect("committed");
        assert!(reader.refresh().expect("refreshed"), "{why}");
        assert!(found(&reader).contains(&"newest".into()), "{why}");
    }
}

#[test]
fn a_reader_follows_a_restored_database_and_not_the_one_that_it_replaces() {
    for (lost, since) in [(3, 0), (3, 3), (0, 3), (3, 9), (9, 3)] {
        let why = format!("{lost} lost, {since} added since");
        let folder = folder();
        let (path, backup) = (folder.path().join("db"), folder.path().join("backup"));
        database(&path, "kept", 3, true);
        nddb::backup(&path, &backup, &mut |_| true).expect("a backup");
        let mut writer = Writer::open(&path).expect("opened");
        add(&mut writer, "lost", lost, true);
        writer.close().expect("closed");
        let mut reader = Reader::open(&path).expect("opened");
        let before = found(&reader);
        std::fs::rename(&path, folder.path().join("old")).expect("moved away");
        let error = reader.refresh().expect_err("there is nothing");
        assert!(matches!(error, Error::NotADatabase { .. }), "{why}: {error:?}");
        assert_eq!(found(&reader), before, "{why}: the old state is kept");
        nddb::restore(&backup, &path, &mut |_| true).expect("restored");
        let mut writer = Writer::open(&path).expect("opened");
        add(&mut writer, "since", since, true);
        writer.close().expect("closed");
        assert!(reader.refresh().expect("refreshed"), "{why}");
        assert_eq!(found(&reader), found(&Reader::open(&path).expect("opened")), "{why}");
    }
}

#[test]
fn a_reader_notices_that_files_of_another_database_were_put_into_its_folder() {
    let folder = folder();
    let (path, other) = (folder.path().join("db"), folder.path().join("other"));
    database(&path, "old", 4, true);
    database(&other, "new", 4, true);
    let mut reader = Reader::open(&path).expect("opened");
    let new = found(&Reader::open(&other).expect("opened"));
    for name in ["MANIFEST", "runs", "catalog"] {
        std::fs::rename(path.join(name), folder.path().join(name)).expect("moved away");
        std::fs::rename(other.join(name), path.join(name)).expect("moved in");
    }
    assert!(reader.refresh().expect("refreshed"));
    assert_eq!(found(&reader), new);
}

/// What a writer does in a folder that is no longer at its path.
type Change = fn(&mut Writer) -> nddb::Result<()>;

#[test]
fn a_writer_whose_folder_was_replaced_changes_neither_and_says_so() {
    let changes: [(&str, Change); 6] = [
        ("commit", |writer| writer.insert(bare("late", 9)).and_then(|_| writer.commit())),
        ("flush", Writer::flush),
        ("compact", |writer| {
            let plan = writer.plan_full_compaction().expect("runs to merge");
            writer.compact(&plan).map(drop)
        }),
        ("load", |writer| {
            let mut load = writer.bulk_load()?;
            for index in 0..1000 {
                load.push(bare(&format!("late {index}"), index))?;
            }
            load.finish().map(drop)
        }),
        ("label", |writer| {
            writer.label("late", false).and_then(|()| writer.insert(bare("late", 9))).and_then(|_| writer.commit())
        }),
        ("reshape", |writer| writer.reshape(Some(&[6])).map(drop)),
    ];
    for (what, change) in changes {
        let folder = folder();
        let (path, backup) = (folder.path().join("db"), folder.path().join("backup"));
        let mut writer = create(&path);
        add(&mut writer, "first", 50, true);
        nddb::backup(&path, &backup, &mut |_| true).expect("a backup");
        add(&mut writer, "second", 50, true);
        add(&mut writer, "third", 50, false);
        let old = folder.path().join("old");
        std::fs::rename(&path, &old).expect("moved away");
        nddb::restore(&backup, &path, &mut |_| true).expect("restored");
        let mut restored = Writer::open(&path).expect("it has a lock of its own");
        add(&mut restored, "since", 50, true);

        let error = change(&mut writer).expect_err(what);
        assert!(matches!(&error, Error::Moved { path: named } if *named == path), "{what}: {error:?}");
        assert!(
            error.next_step().is_some_and(|step| step.to_string().contains("open the database again")),
            "{error:?}"
        );
        for _ in 0..2 {
            let error = writer.insert(bare("later", 9)).and_then(|_| writer.commit()).expect_err(what);
            assert!(matches!(error, Error::Poisoned), "{what}: {error:?}");
        }
        drop(writer);

        add(&mut restored, "after", 50, true);
        restored.close().expect("closed");
        for (path, all) in [(&path, ["first", "since", "after"]), (&old, ["first", "second", "third"])] {
            assert_sound(path);
            let reader = Reader::open(path).expect("opened");
            let ids = || all.iter().flat_map(|name| (0..50).map(move |index| format!("{name} {index}")));
            for id in ids() {
                assert!(reader.view().get(&id).expect("read").is_some(), "{what}: {}: {id} is lost", path.display());
            }
            assert_eq!(reader.view().stats().expect("counted").documents, 150, "{what}: {}", path.display());
            Writer::open(path).expect("opened").close().expect("closed");
        }
    }
}

#[test]
fn a_writer_whose_lock_was_replaced_says_so() {
    let folder = folder();
    let path = folder.path().join("db");
    let mut writer = create(&path);
    add(&mut writer, "first", 3, true);
    std::fs::remove_file(path.join("LOCK")).expect("removed");
    std::fs::write(path.join("LOCK"), "another process").expect("written");
    let error = writer.insert(bare("late", 9)).and_then(|_| writer.commit()).expect_err("another may write now");
    assert!(matches!(error, Error::Moved { .. }), "{error:?}");
    drop(writer);
    assert_sound(&path);
}
