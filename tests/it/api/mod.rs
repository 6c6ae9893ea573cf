//! The library as seen by its users: opening, refusing, locking, full disks.

use std::path::Path;

use nddb::{Config, Error, Outcome, Reader, Within, Writer};

use super::support::{Parent, Worker, bare, folder, hamming};

mod batches;
mod disk;
pub(crate) mod embedding;
mod inserting;
mod refusals;

fn create(path: &Path) -> Writer {
    Writer::create(path, &Config::within(3).expect("k")).expect("created")
}

/// Lists everything under a folder but the text of a lock file: names, sizes and times of change.
fn listing(folder: &Path) -> Vec<(String, u64, std::time::SystemTime)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("readable") {
        let entry = entry.expect("readable");
        let metadata = entry.metadata().expect("readable");
        let name = entry.path().to_string_lossy().into_owned();
        all.push((name, metadata.len(), metadata.modified().expect("has times")));
        if metadata.is_dir() {
            all.extend(listing(&entry.path()));
        }
    }
    all.sort();
    all
}

#[test]
fn a_database_is_found_again_with_all_that_was_fixed_when_it_was_made() {
    let folder = folder();
    let path = folder.path().join("db");
    let config = Config::within(2).and_then(|config| config.bits(40)).and_then(|config| config.levels(&[4, 5]));
    let config = config.and_then(|config| config.restart(16)).expect("in range").recipe("wayback64/1");
    Writer::create(&path, &config).and_then(Writer::close).expect("created");
    let writer = Writer::open(&path).expect("opened");
    let reader = Reader::open(&path).expect("opened");
    assert_eq!(writer.settings(), reader.view().settings());
    let settings = writer.settings();
    assert_eq!((settings.bits, settings.k, settings.restart), (40, 2, 16));
    assert_eq!((settings.levels.as_deref(), &settings.recipe[..]), (Some(&[4, 5][..]), "wayback64/1"));
}

#[test]
fn an_empty_folder_may_become_a_database() {
    let folder = folder();
    create(folder.path()).close().expect("closed");
    assert!(Reader::open(folder.path()).is_ok());
}

#[test]
fn a_reader_sees_what_was_committed_and_moves_on_only_when_told() {
    let folder = folder();
    let path = folder.path().join("db");
    let mut writer = create(&path);
    let mut reader = Reader::open(&path).expect("opened");
    writer.insert(bare("a", 7)).expect("inserted");
    assert!(!reader.refresh().expect("refreshed"), "nothing was committed");
    writer.commit().expect("committed");
    assert_eq!(reader.probe(nddb::Fingerprint(7), Within(3)).expect("answered"), []);
    assert!(reader.refresh().expect("refreshed"));
    assert_eq!(reader.probe(nddb::Fingerprint(7), Within(3)).expect("answered")[0].id, "a");
    assert!(!reader.refresh().expect("refreshed"), "nothing is new");
    writer.flush().expect("flushed");
    assert!(reader.refresh().expect("refreshed"));
    assert_eq!(reader.probe(nddb::Fingerprint(7), Within(3)).expect("answered")[0].id, "a");
}

#[test]
fn a_reader_writes_nothing_in_the_folder_of_the_database() {
    let folder = folder();
    let path = folder.path().join("db");
    let mut writer = create(&path);
    for number in 0..1000 {
        writer.insert(bare(&number.to_string(), number)).expect("inserted");
    }
    writer.commit().expect("committed");
    writer.flush().expect("flushed");
    writer.insert(bare("more", 5000)).expect("inserted");
    writer.close().expect("closed");
    let before = listing(&path);
    let mut reader = Reader::open(&path).expect("opened");
    assert!(!reader.probe(nddb::Fingerprint(5001), Within(3)).expect("answered").is_empty());
    reader.refresh().expect("refreshed");
    drop(reader);
    assert_eq!(listing(&path), before);
}

#[test]
fn the_lock_names_its_holder_in_the_same_process_and_in_others() {
    let folder = folder();
    let path = folder.path().join("db");
    create(&path).close().expect("closed");
    let locked_by = |wanted: &str| match Writer::open(&path) {
        Err(error @ Error::Locked { .. }) => {
            let text = error.to_string();
            assert!(text.contains(wanted) && text.contains(&*path.to_string_lossy()), "{text}");
            assert!(error.next_step().is_some());
        }
        other => panic!("not locked: {other:?}"),
    };
    let own = Writer::open(&path).expect("opened");
    locked_by(&format!("process {}", std::process::id()));
    let mut asking = Worker::start("asks for the lock", &[&path.to_string_lossy()]);
    assert!(asking.answer().contains(&format!("process {}", std::process::id())));
    asking.finish();
    drop(own);

    let mut holding = Worker::start("holds the lock", &[&path.to_string_lossy(), "nddb load of the tests"]);
    assert_eq!(holding.answer(), "opened");
    locked_by("nddb load of the tests");
    assert!(Reader::open(&path).is_ok(), "a reader needs no lock");
    holding.finish();
    drop(Writer::open(&path).expect("the lock is free"));

    let mut holding =
        Worker::start("holds the lock", &[&path.to_string_lossy(), "a name that is much longer than the other"]);
    assert_eq!(holding.answer(), "opened");
    locked_by("a name that is much longer than the other");
    holding.kill();
    drop(Writer::open_as(&path, "x").expect("a lock dies with its process"));
}

pub(crate) fn hold_the_lock(mut parent: Parent) {
    let path = parent.answer();
    let holder = parent.answer();
    let writer = Writer::open_as(path, &holder).expect("opened");
    parent.tell("opened");
    assert_eq!(parent.hear(), None);
    writer.close().expect("closed");
}

pub(crate) fn ask_for_the_lock(mut parent: Parent) {
    match Writer::open(parent.answer()) {
        Err(error @ Error::Locked { .. }) => parent.tell(&error.to_string()),
        other => panic!("not locked: {other:?}"),
    }
}
