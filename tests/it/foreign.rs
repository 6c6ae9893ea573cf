//! Databases and backups from somebody else: no link in them is followed, no pipe is waited for, and nothing outside of
//! them is written.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use nddb::{CheckOptions, RebuildOptions, Writer};
use nddb_index::testing::observe_storage;

use super::damage::{bare, copy_folder, sample};

/// The files and folders of a database that are opened by their names, and some that are found there.
fn names(database: &Path) -> Vec<String> {
    let mut names: Vec<String> = [
        "CHECKED",
        "CHECKED.tmp",
        "LOCK",
        "MANIFEST",
        "MANIFEST.tmp",
        "ORIGIN",
        "catalog",
        "catalog/CURRENT",
        "catalog/IDENTITY",
        "catalog/LOCK",
        "catalog/LOG",
        "catalog/999999.log",
        "nddb-partial",
        "runs",
        "tmp",
    ]
    .map(String::from)
    .into();
    for (folder, ending) in [("runs", "seg"), ("runs", "post"), ("catalog", "sst"), ("catalog", "log")] {
        let entries =
            fs::read_dir(database.join(folder)).expect("a folder").map(|entry| entry.expect("an entry").path());
        let file = entries.filter(|path| path.extension().is_some_and(|it| it == ending)).min();
        names.extend(file.map(|file| format!("{folder}/{}", file.file_name().expect("a name").display())));
    }
    names
}

/// Everything that opens a database; what it says does not matter.
fn open_in_all_ways(path: &Path, beside: &Path) {
    if let Ok(report) = nddb::check(path, &CheckOptions::default(), &mut |_| true) {
        report.record(path);
    }
    let _ = nddb::Reader::open(path).map(|reader| reader.view().stats().map(drop));
    let _ = nddb::backup(path, beside.join("backup"), &mut |_| true);
    let _ = fs::remove_dir_all(beside.join("backup"));
    if let Ok(mut writer) = Writer::open(path) {
        let _ = writer.insert(bare("new", 77));
        let _ = writer.close();
    }
    let _ = nddb::rebuild(path, &RebuildOptions::default(), &mut |_| true);
    drop(Writer::create(path, &nddb::Config::within(3).expect("k")));
}

#[test]
fn links_and_pipes_in_a_database_lead_nowhere() {
    let sample = sample();
    let folder = tempfile::tempdir().expect("a folder");
    for name in names(&sample.path) {
        for kind in ["link to a file", "link to a folder", "pipe"] {
            let outside = folder.path().join("outside");
            fs::create_dir(&outside).expect("made");
            let precious = outside.join("00000001.seg");
            fs::write(&precious, "precious").expect("written");
            let database = folder.path().join("db");
            copy_folder(&sample.path, &database);
            let at = database.join(&name);
            let _ = if at.is_dir() { fs::remove_dir_all(&at) } else { fs::remove_file(&at) };
            match kind {
                "link to a file" => symlink(&precious, &at).expect("linked"),
                "link to a folder" => symlink(&outside, &at).expect("linked"),
                _ => assert!(Command::new("mkfifo").arg(&at).status().expect("runs").success()),
            }
            open_in_all_ways(&database, folder.path());
            let left: Vec<PathBuf> =
                fs::read_dir(&outside).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
            assert_eq!(left, [precious.as_path()], "{name}, a {kind}");
            assert_eq!(fs::read(&precious).expect("kept"), b"precious", "{name}, a {kind}");
            fs::remove_dir_all(&database).expect("removed");
            fs::remove_dir_all(&outside).expect("removed");
        }
    }
}

#[test]
fn a_link_in_the_place_of_a_file_is_found_by_the_check() {
    let sample = sample();
    let folder = tempfile::tempdir().expect("a folder");
    for name in names(&sample.path).into_iter().filter(|name| sample.path.join(name).is_file() && !name.contains("LO"))
    {
        let database = folder.path().join("db");
        copy_folder(&sample.path, &database);
        let moved = folder.path().join("moved");
        fs::rename(database.join(&name), &moved).expect("moved");
        symlink(&moved, database.join(&name)).expect("linked");
        let is_found = match nddb::check(&database, &CheckOptions::default(), &mut |_| true) {
            Ok(report) => !report.is_sound(),
            Err(_) => true,
        };
        assert!(is_found, "{name}");
        fs::remove_dir_all(&database).expect("removed");
    }
    // The folder itself may be a link.
    let link = folder.path().join("link");
    symlink(&sample.path, &link).expect("linked");
    assert!(nddb::check(&link, &CheckOptions::default(), &mut |_| true).expect("checked").is_sound());
    Writer::open(&link).expect("opened").close().expect("closed");
}

#[test]
fn what_keeps_a_process_from_reading_is_no_damage() {
    let sample = sample();
    let before = fs::read(sample.path.join("MANIFEST")).expect("readable");
    // EACCES, EMFILE, ENOMEM, ENOSPC, EDQUOT, EROFS, ESTALE.
    for code in [13, 24, 12, 28, 122, 30, 116] {
        let _observer = observe_storage(&sample.path, move |action, path| match action {
            "read the file" if path.ends_with("MANIFEST") => Err(std::io::Error::from_raw_os_error(code)),
            _ => Ok(()),
        });
        let told = [
            nddb::check(&sample.path, &CheckOptions::default(), &mut |_| true).map(drop),
            nddb::rebuild(&sample.path, &RebuildOptions::default(), &mut |_| true).map(drop),
        ];
        for outcome in told {
            let error = outcome.expect_err("it cannot be read");
            assert!(error.is_of_environment(), "{code}: {error:?}");
            assert!(error.to_string().contains("MANIFEST"), "{code}: {error}");
        }
    }
    assert_eq!(fs::read(sample.path.join("MANIFEST")).expect("readable"), before);
    // A disk that cannot be read is damage.
    let _observer = observe_storage(&sample.path, move |action, path| match action {
        "read the file" if path.ends_with("MANIFEST") => Err(std::io::Error::from_raw_os_error(5)),
        _ => Ok(()),
    });
    let report = nddb::check(&sample.path, &CheckOptions::default(), &mut |_| true).expect("checked");
    assert!(!report.is_sound());
}
