//! Limits of the system: few open files, and databases whose paths are any bytes.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use nddb::{Document, Fingerprint, Writer};

use crate::helper::{Dir, prints};

#[test]
fn a_database_of_many_files_needs_few_open_ones() {
    let dir = Dir::with_database();
    let mut writer = Writer::open(dir.path("db")).expect("opened");
    for (run, prints) in prints(3_000).chunks(25).enumerate() {
        for (index, &print) in prints.iter().enumerate() {
            let document = Document::bare(&format!("{run} {index}"), Fingerprint(print)).expect("an id");
            writer.insert(document).expect("taken");
        }
        writer.commit().and_then(|()| writer.flush()).expect("flushed");
    }
    // As a writer that is killed, it merges nothing.
    drop(writer);
    let files = std::fs::read_dir(dir.path("db/runs")).expect("a folder").count();
    assert!(files > 300, "{files} files");
    dir.write_prints("one.u64le", &prints(1));
    let nddb = env!("CARGO_BIN_EXE_nddb");
    for command in [
        "stats db",
        "check db",
        "query db --id '3 4'",
        "pairs db --method hamming",
        "backup db backup",
        "load db one.u64le",
        "compact db",
        "rebuild db --all",
        "check db",
    ] {
        let script = format!("ulimit -n 256 && exec '{nddb}' {command}");
        let ran = Command::new("sh").args(["-c", &script]).current_dir(dir.path("")).output().expect("a shell");
        assert!(ran.status.success(), "{command}: {}", String::from_utf8_lossy(&ran.stderr));
    }
}

#[test]
fn the_path_of_a_database_may_be_any_bytes() {
    let dir = Dir::new();
    dir.write_prints("one.u64le", &prints(3));
    for name in [&b"\xff\xfe"[..], b"a\nb", b" ", b"-k", b"%FF", b"\x1b[2J"] {
        let path = |ending: &str| [b"./", name, ending.as_bytes()].concat();
        let nddb = |arguments: &[&[u8]]| dir.nddb(arguments.iter().map(|bytes| OsStr::from_bytes(bytes))).done();
        let (db, backup, again) = (path(""), path(" backup"), path(" again"));
        nddb(&[b"create", &db]);
        nddb(&[b"load", &db, b"one.u64le"]);
        nddb(&[b"check", &db]);
        nddb(&[b"backup", &db, &backup]);
        nddb(&[b"backup", b"restore", &backup, &again]);
        let found = nddb(&[b"get", &again, b"2"]).json();
        assert_eq!(found["fp"], format!("{:016x}", prints(3)[2]), "{}", name.escape_ascii());
    }
}

#[test]
fn more_documents_than_pairs_and_clusters_take_are_refused_before_they_are_read() {
    let dir = Dir::with_database();
    // Nothing but its size is on the disk.
    let file = std::fs::File::create(dir.path("many.u64le")).expect("a file");
    file.set_len(8 * (u64::from(u32::MAX) - 1) + 8).expect("a sparse file");
    dir.nddb(["load", "db", "many.u64le"]).tells(
        2,
        &["db: 4,294,967,295 documents are more than 'pairs' and 'cluster' take: 4,294,967,294", "'nddb create --set'"],
    );
    assert_eq!(dir.nddb(["stats", "db", "--json"]).done().json()["documents"], 0);
}
