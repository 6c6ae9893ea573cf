//! Sorted files on their way into the catalog when RocksDB cannot make its list of them durable: it then removes the
//! file, which the list on disk names all the same.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use nddb::{CheckOptions, Error, Reader, RebuildOptions, Writer};
use nddb_index::testing::observe_storage;

use super::support::steps::create;
use super::support::{bare, folder};

/// Sorted files of a load of documents that have nothing but a fingerprint: prints, documents, ids.
const FILES: usize = 3;
/// Documents of each load.
const LEN: u64 = 200;

fn ids(load: u64) -> impl Iterator<Item = (String, u64)> {
    // Not in a sequence, which has no rows of its own.
    (0..LEN).map(move |index| (format!("{load} of {}", index * 7919 % 1000), index << 40 | load))
}

fn load(writer: &mut Writer, number: u64) -> nddb::Result<()> {
    let mut load = writer.bulk_load()?;
    for (id, print) in ids(number) {
        load.push(bare(&id, print))?;
    }
    load.finish().map(drop)
}

fn sorted_files(path: &Path) -> BTreeSet<PathBuf> {
    let entries = std::fs::read_dir(path.join("catalog")).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.extension().is_some_and(|ending| ending == "sst")).collect()
}

/// Makes a database whose second load was ended after `taken` of its files, of the last of which only the name is left
/// under which it is kept.
fn database(path: &Path, taken: usize) -> PathBuf {
    let mut writer = create(path);
    load(&mut writer, 0).expect("loaded");
    writer.close().expect("closed");
    let mut writer = Writer::open(path).expect("opened");
    let before = sorted_files(path);
    let calls = AtomicUsize::new(0);
    let observer = observe_storage(path, move |action, at| {
        // Behind each file comes the next, and MANIFEST after the last one.
        let is_next = action == "rename the file" || action == "create the file" && at.ends_with("MANIFEST.tmp");
        let fails = is_next && calls.fetch_add(1, Ordering::Relaxed) == taken;
        if fails { Err(io::Error::from_raw_os_error(5)) } else { Ok(()) }
    });
    let error = load(&mut writer, 1).expect_err("it is ended");
    assert!(matches!(error, Error::Io { .. }), "{error:?}");
    drop((writer, observer));
    let new: Vec<PathBuf> = sorted_files(path).difference(&before).cloned().collect();
    assert_eq!(new.len(), taken, "{new:?}");
    let (last, kept) = (new.last().expect("a file"), path.join("tmp/taken-in.sst"));
    std::fs::rename(last, &kept).expect("moved");
    kept
}

fn assert_whole(path: &Path, what: &str) {
    let reader = Reader::open(path).unwrap_or_else(|error| panic!("{what}: {error:?}"));
    for (id, _) in ids(0) {
        assert!(reader.view().get(&id).expect("read").is_some(), "{what}: {id} is lost");
    }
    for (id, _) in ids(1) {
        assert!(reader.view().get(&id).expect("read").is_none(), "{what}: {id} was never loaded");
    }
    let report = nddb::check(path, &CheckOptions::default(), &mut |_| true).expect("checked");
    assert!(report.is_sound(), "{what}: {report:#?}");
}

#[test]
fn a_sorted_file_that_the_list_names_and_rocksdb_removed_is_put_back_by_the_next_opening() {
    for taken in 1..=FILES {
        for rebuilds in [false, true] {
            let what = format!("{taken} files, by a rebuild: {rebuilds}");
            let folder = folder();
            let path = folder.path().join("db");
            database(&path, taken);
            // A reader sees everything already, and changes nothing.
            assert_whole(&path, &format!("{what}, as it was left"));
            if rebuilds {
                let rebuilt = nddb::rebuild(&path, &RebuildOptions::default(), &mut |_| true).expect("rebuilt");
                assert!(rebuilt.sorted_file, "{what}: {rebuilt:?}");
            }
            Writer::open(&path).unwrap_or_else(|error| panic!("{what}: {error:?}")).close().expect("closed");
            assert_whole(&path, &what);
            let mut writer = Writer::open(&path).expect("opened");
            load(&mut writer, 1).expect("loaded again");
            writer.close().expect("closed");
            let reader = Reader::open(&path).expect("opened");
            assert_eq!(reader.view().stats().expect("counted").documents, 2 * LEN, "{what}");
        }
    }
}

#[test]
fn an_opening_that_fails_keeps_the_file_for_the_next_one() {
    let folder = folder();
    let path = folder.path().join("db");
    let kept = database(&path, 2);
    for action in ["link the file", "sync the folder"] {
        let observer =
            observe_storage(
                &path,
                move |step, _| {
                    if step == action { Err(io::Error::from_raw_os_error(5)) } else { Ok(()) }
                },
            );
        let opened = Writer::open(&path);
        drop(observer);
        // Where it cannot be linked, it is copied.
        assert_eq!(opened.is_ok(), action == "link the file", "{action}: {opened:?}");
        if action == "link the file" {
            drop(opened);
            assert_whole(&path, action);
            std::fs::remove_dir_all(&path).expect("removed");
            database(&path, 2);
        } else {
            assert!(kept.exists(), "{action}");
            // A name that was not made durable may be gone.
            let linked = sorted_files(&path).into_iter().next_back().expect("a file");
            std::fs::remove_file(linked).expect("removed");
        }
    }
    Writer::open(&path).expect("opened").close().expect("closed");
    assert_whole(&path, "in the end");
}

#[test]
fn another_file_is_not_put_back() {
    let folder = folder();
    let path = folder.path().join("db");
    let kept = database(&path, 1);
    let before = sorted_files(&path);
    let bytes = std::fs::read(&kept).expect("readable");
    std::fs::write(&kept, &bytes[1..]).expect("written");
    let error = Writer::open(&path).expect_err("a file is missing");
    assert!(matches!(error, Error::Catalog { damaged: true, .. }), "{error:?}");
    assert_eq!(sorted_files(&path), before);
    std::fs::write(&kept, &bytes).expect("written");
    Writer::open(&path).expect("opened").close().expect("closed");
    assert_whole(&path, "the file itself");
}
