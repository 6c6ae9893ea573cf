//! Disks that are full or read-only.

use std::collections::BTreeMap;

use nddb::Fingerprint;

use super::super::support::{Mount, Random, say};
use super::*;

fn assert_all(view: &nddb::View<'_>, acknowledged: &BTreeMap<String, u64>) {
    let queries: Vec<Fingerprint> = acknowledged.values().map(|&print| Fingerprint(print)).collect();
    let found = view.find(&queries, Within(0)).expect("answers go on");
    for ((id, _), answer) in acknowledged.iter().zip(&found) {
        assert!(answer.matches.iter().any(|found| &found.id == id), "{id} is lost");
    }
}

/// Works until it fails for want of space, with an error that says so.
fn until_full(writer: &mut Writer, random: &mut Random, acknowledged: &mut BTreeMap<String, u64>) -> Error {
    loop {
        let group: BTreeMap<String, u64> =
            (0..500).map(|_| (format!("document {}", random.next()), random.next())).collect();
        for (id, print) in &group {
            if let Err(error) = writer.insert(bare(id, *print)) {
                return error;
            }
        }
        match writer.commit() {
            Ok(()) => acknowledged.extend(group),
            Err(error) => return error,
        }
        if random.percent(10)
            && let Err(error) = writer.flush()
        {
            return error;
        }
        assert!(acknowledged.len() < 10_000_000, "the disk never fills");
    }
}

/// Returns the writer, opened again if it is poisoned.
fn go_on(writer: Writer, path: &Path, random: &mut Random) -> Writer {
    let mut writer = writer;
    let outcome = writer.insert(bare(&format!("after {}", random.next()), 1)).and_then(|_| writer.commit());
    match outcome {
        Ok(()) => writer,
        Err(error) => {
            say(&format!("the writer has to be opened again: {error}"));
            assert!(matches!(error, Error::Poisoned), "{error:?}");
            drop(writer);
            let mut writer = Writer::open(path).expect("there is space to open it");
            writer.insert(bare(&format!("after {}", random.next()), 1)).expect("inserted");
            writer.commit().expect("committed");
            writer
        }
    }
}

#[test]
fn on_a_full_disk_answers_go_on_and_nothing_acknowledged_is_lost() {
    let mut random = Random::seeded("full disk");
    let Some(mount) = Mount::new(96, "what becomes of a full disk") else { return };
    let path = mount.path().join("db");
    let mut writer = create(&path);
    let mut acknowledged = BTreeMap::new();
    for number in 0..20_000 {
        acknowledged.insert(format!("document {number}"), random.next());
    }
    for (id, print) in &acknowledged {
        writer.insert(bare(id, *print)).expect("inserted");
    }
    writer.commit().expect("there is space");
    writer.flush().expect("there is space");
    let early = Reader::open(&path).expect("opened");
    for round in 0..4 {
        let ballast = mount.fill();
        let space = std::fs::metadata(&ballast).expect("is there").len();
        let file = std::fs::OpenOptions::new().write(true).open(&ballast).expect("is there");
        // From no space at all to some, so that different steps fail.
        file.set_len(space - random.below(1 + round * 2_000_000).min(space)).expect("cut");
        drop(file);
        let error = until_full(&mut writer, &mut random, &mut acknowledged);
        say(&format!("full: {error}; {:?}", std::error::Error::source(&error).map(ToString::to_string)));
        assert!(
            error.is_over_limit() && error.next_step().is_some_and(|step| step.to_string().contains("free some space")),
            "{error:?}"
        );
        assert_all(&writer.view(), &acknowledged);
        let late = Reader::open(&path).expect("a reader needs no space there");
        assert_all(&late.view(), &acknowledged);
        assert!(early.view().get("document 0").expect("answers go on").is_some());
        // The same once more, and opening again, while the disk is still full.
        let retried = writer.insert(bare("again", 1)).and_then(|_| writer.commit());
        say(&format!("while it is full: {retried:?}"));
        if round % 2 == 1 {
            drop(writer);
            match Writer::open(&path) {
                Ok(opened) => writer = opened,
                Err(error) => {
                    say(&format!("opening while it is full: {error}"));
                    assert_all(&Reader::open(&path).expect("a reader needs no space there").view(), &acknowledged);
                    std::fs::remove_file(&ballast).expect("removed");
                    writer = Writer::open(&path).expect("there is space to open it");
                }
            }
        }
        let _ = std::fs::remove_file(&ballast);
        writer = go_on(writer, &path, &mut random);
        assert_all(&writer.view(), &acknowledged);
    }
    writer.flush().expect("there is space again");
    writer.close().expect("closed");
    let writer = Writer::open(&path).expect("opened");
    assert_all(&writer.view(), &acknowledged);
}

#[test]
fn a_database_that_there_is_no_space_for_can_be_made_by_the_same_command_later() {
    let Some(mount) = Mount::new(16, "a database that there is no space for") else { return };
    let ballast = mount.fill();
    let path = mount.path().join("db");
    let config = Config::within(3).expect("k");
    let error = Writer::create(&path, &config).expect_err("the disk is full");
    assert!(error.is_over_limit(), "{error:?}");
    std::fs::remove_file(&ballast).expect("removed");
    Writer::create(&path, &config).and_then(Writer::close).expect("what was left behind is no hindrance");
}

#[test]
fn a_flush_without_space_is_refused_before_anything_is_written() {
    let Some(mount) = Mount::new(64, "a flush without space") else { return };
    let path = mount.path().join("db");
    let mut writer = create(&path);
    let mut random = Random::seeded("flush without space");
    let acknowledged: BTreeMap<String, u64> = (0..20_000).map(|id| (id.to_string(), random.next())).collect();
    for (id, print) in &acknowledged {
        writer.insert(bare(id, *print)).expect("inserted");
    }
    writer.commit().expect("there is space");
    let ballast = mount.fill();
    match writer.flush() {
        Err(error @ Error::OverLimit { .. }) => assert!(error.next_step().is_some()),
        other => panic!("{other:?}"),
    }
    assert_all(&writer.view(), &acknowledged);
    std::fs::remove_file(&ballast).expect("removed");
    writer.flush().expect("there is space again, and the writer goes on");
    assert_all(&writer.view(), &acknowledged);
}

#[test]
fn a_database_that_may_not_be_written_to_can_be_read_and_a_writer_says_why_it_stops() {
    let Some(mount) = Mount::new(64, "a disk that may not be written to") else { return };
    let path = mount.path().join("db");
    let mut writer = create(&path);
    for number in 0..1000 {
        writer.insert(bare(&number.to_string(), number << 20)).expect("inserted");
    }
    writer.commit().expect("committed");
    writer.flush().expect("flushed");
    writer.insert(bare("last", 1)).expect("inserted");
    writer.close().expect("closed");
    mount.read_only(true);
    let reader = Reader::open(&path).expect("opened");
    assert_eq!(reader.probe(Fingerprint(1), Within(0)).expect("answered")[0].id, "last");
    assert_eq!(reader.probe(Fingerprint(5 << 20), Within(0)).expect("answered")[0].id, "5");
    match Writer::open(&path) {
        Err(Error::Io { path: named, source, .. }) => {
            assert!(named.starts_with(&path));
            assert_eq!(source.kind(), std::io::ErrorKind::ReadOnlyFilesystem);
        }
        other => panic!("{other:?}"),
    }
    let error = Writer::create(mount.path().join("other"), &Config::within(3).expect("k")).err();
    assert!(matches!(error, Some(Error::Io { .. })), "{error:?}");
    mount.read_only(false);
    drop(Writer::open(&path).expect("nothing is lost"));
}

#[test]
fn after_a_write_that_failed_a_writer_answers_only_poisoned_until_it_is_opened_again() {
    let folder = folder();
    let path = folder.path().join("db");
    let mut writer = create(&path);
    writer.insert(bare("a", 1)).expect("inserted");
    writer.commit().expect("committed");
    // A flush cannot create its files if the folder is missing.
    std::fs::rename(path.join("runs"), path.join("away")).expect("renamed");
    let error = writer.flush().err();
    assert!(matches!(error, Some(Error::Io { .. })), "{error:?}");
    std::fs::rename(path.join("away"), path.join("runs")).expect("renamed");
    let poisoned = |outcome: Option<Error>, what: &str| {
        assert!(matches!(outcome, Some(Error::Poisoned)), "{what}: {outcome:?}");
    };
    poisoned(writer.flush().err(), "flush");
    poisoned(writer.insert(bare("b", 1)).err(), "insert");
    poisoned(hamming(3).insert_if_new(&mut writer, bare("b", 1)).err(), "insert_if_new");
    poisoned(writer.delete("a").err(), "delete");
    poisoned(writer.commit().err(), "commit");
    poisoned(writer.label("x", false).err(), "label");
    poisoned(writer.delete_site("x").err(), "delete_site");
    poisoned(writer.delete_where(|_| true).err(), "delete_where");
    poisoned(writer.delete_batch("x").err(), "delete_batch");
    poisoned(writer.bulk_load().err(), "bulk_load");
    poisoned(writer.reshape(None).err(), "reshape");
    assert_eq!(writer.view().get("a").expect("answers go on").map(|stored| stored.number), Some(0));
    poisoned(writer.close().err(), "close");
    let mut writer = Writer::open(&path).expect("opened");
    assert!(writer.view().get("a").expect("answered").is_some());
    writer.flush().expect("flushed");
    writer.insert(bare("b", 1)).expect("inserted");
    writer.commit().expect("committed");
}
