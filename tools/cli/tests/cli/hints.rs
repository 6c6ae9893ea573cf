//! What errors advise: each advice is followed, and nothing that is stored is lost by it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::helper::{Dir, Ran, copy_folder};

/// A folder with the database `db`: documents in runs and in the catalog's files, and one in its log.
fn dir() -> Dir {
    let dir = Dir::with_documents();
    let page = format!("<p>{}", (0..50).map(|word| format!("word{word} ")).collect::<String>());
    dir.write_warc("p.warc", &[("http://example.org/", &page)]);
    dir.nddb(["load", "db", "p.warc"]).done();
    dir.nddb(["compact", "db", "--all"]).done();
    dir.nddb(["add", "db"]).stdin(r#"{"id":"last","text":"one two three"}"#).done();
    dir
}

/// The files below a folder of the database, with this ending.
fn files(dir: &Dir, folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir.path("db").join(folder)).expect("a folder");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == ending));
    files.sort();
    files
}

/// The hint of a command, and the command that it names first.
fn hint(ran: &Ran) -> (String, Option<Vec<String>>) {
    let hint = ran.stderr.lines().find_map(|line| line.strip_prefix("hint: "));
    let hint = hint.unwrap_or_else(|| panic!("no hint: {}", ran.stderr));
    let quoted = hint.split('\'').find_map(|part| part.strip_prefix("nddb "));
    (hint.to_owned(), quoted.map(|line| line.split(' ').map(str::to_owned).collect()))
}

/// Everything that was stored is there, and sound.
#[track_caller]
fn is_whole(dir: &Dir) {
    dir.nddb(["check", "db"]).done();
    assert_eq!(dir.nddb(["get", "db", "a", "b", "c", "http://example.org/", "last"]).done().lines().len(), 5);
}

/// What is done to a database.
type Harm = fn(&Dir);

/// What is done to a database, the command that meets it, its exit code, and words of its message and hint.
type Case = (&'static str, Harm, &'static [&'static str], i32, &'static [&'static str]);

fn lose_manifest(dir: &Dir) {
    fs::remove_file(dir.path("db/MANIFEST")).expect("removed");
}

fn lose_segment(dir: &Dir) {
    fs::remove_file(&files(dir, "runs", "seg")[0]).expect("removed");
}

fn cut_segment(dir: &Dir) {
    let file = &files(dir, "runs", "seg")[0];
    let bytes = fs::read(file).expect("readable");
    fs::write(file, &bytes[..bytes.len() - 8]).expect("writable");
}

fn flip_manifest(dir: &Dir) {
    let mut bytes = dir.read("db/MANIFEST");
    bytes[100] ^= 1;
    dir.write("db/MANIFEST", &bytes);
}

#[test]
fn what_a_rebuild_repairs_is_repaired_by_the_hint() {
    let cases: &[Case] = &[
        ("MANIFEST lost", lose_manifest, &["stats", "db"], 13, &["MANIFEST: missing", "'nddb rebuild db'"]),
        ("the same, to be written", lose_manifest, &["rm", "db", "a"], 13, &["MANIFEST: missing", "'nddb rebuild db'"]),
        ("the same, to be made again", lose_manifest, &["create", "db"], 1, &["exists already", "'nddb rebuild db'"]),
        ("the same, checked", lose_manifest, &["check", "db"], 13, &["'nddb rebuild db'"]),
        ("MANIFEST flipped", flip_manifest, &["stats", "db"], 13, &["MANIFEST: damaged", "'nddb rebuild db'"]),
        ("segment lost", lose_segment, &["get", "db", "a"], 13, &[".seg: missing", "'nddb rebuild db'"]),
        ("segment cut", cut_segment, &["get", "db", "a"], 13, &[".seg: has", "'nddb rebuild db'"]),
        ("the same, checked", cut_segment, &["check", "db"], 13, &["'nddb rebuild db'"]),
    ];
    for (what, harm, command, code, words) in cases {
        let dir = dir();
        harm(&dir);
        let ran = dir.nddb(command.iter()).ends(*code);
        ran.says(words);
        let (_, advised) = hint(&ran);
        dir.nddb(advised.unwrap_or_else(|| panic!("{what}: no command"))).done();
        is_whole(&dir);
        let generation = dir.nddb(["stats", "db", "--json"]).done().json()["generation"].as_u64().expect("a number");
        assert!(generation < 100_000, "{what}: generation {generation}");
    }
}

fn lose_catalog(dir: &Dir) {
    fs::remove_dir_all(dir.path("db/catalog")).expect("removed");
}

fn lose_current(dir: &Dir) {
    fs::remove_file(dir.path("db/catalog/CURRENT")).expect("removed");
}

fn lose_sorted_files(dir: &Dir) {
    files(dir, "catalog", "sst").iter().for_each(|file| fs::remove_file(file).expect("removed"));
}

/// Flips a bit in the records of the documents: the largest sorted file.
fn flip_sorted_file(dir: &Dir) {
    let files = files(dir, "catalog", "sst");
    let size = |file: &&PathBuf| fs::metadata(file).expect("a file").len();
    let file = files.iter().max_by_key(size).expect("a sorted file");
    let mut bytes = fs::read(file).expect("readable");
    bytes[20] ^= 1;
    fs::write(file, bytes).expect("writable");
}

#[test]
fn what_no_rebuild_repairs_is_told_with_what_brings_it_back() {
    let cases: [(&str, Harm); 4] = [
        ("catalog lost", lose_catalog),
        ("CURRENT lost", lose_current),
        ("sorted files lost", lose_sorted_files),
        ("sorted file flipped", flip_sorted_file),
    ];
    for (what, harm) in cases {
        let dir = dir();
        dir.nddb(["compact", "db", "--all"]).done();
        copy_folder(&dir.path("db"), &dir.path("backup"));
        harm(&dir);
        for command in [&["check", "db"][..], &["rebuild", "db"]] {
            let ran = dir.nddb(command.iter()).ends(13);
            let (hint, _) = hint(&ran);
            assert!(hint.contains("backup") && hint.contains("load its documents again"), "{what} {command:?}: {hint}");
            assert!(!ran.stderr.contains("sound"), "{what} {command:?}: {}", ran.stderr);
        }
        if !what.contains("flipped") {
            for command in [&["stats", "db"][..], &["get", "db", "a"], &["rm", "db", "a"]] {
                let ran = dir.nddb(command.iter()).ends(13);
                let (hint, _) = hint(&ran);
                let brings_back = hint.contains("backup") && hint.contains("load its documents again");
                assert!(brings_back, "{what} {command:?}: {}", ran.stderr);
            }
        }
        fs::remove_dir_all(dir.path("db")).expect("removed");
        copy_folder(&dir.path("backup"), &dir.path("db"));
        is_whole(&dir);
    }
}

#[test]
fn a_manifest_of_another_database_is_told_and_put_right() {
    let dir = dir();
    dir.nddb(["create", "other"]).done();
    fs::copy(dir.path("other/MANIFEST"), dir.path("db/MANIFEST")).expect("copied");
    for command in [&["get", "db", "a"][..], &["rm", "db", "a"]] {
        let ran = dir.nddb(command.iter()).ends(13);
        assert_eq!(hint(&ran).1, Some(vec!["check".into(), "db".into()]));
    }
    dir.nddb(["check", "db"]).ends(13).says(&["hint: "]);
    dir.nddb(["rebuild", "db"]).tells(13, &["do not belong together", "remove MANIFEST", "hint: restore a backup"]);
    fs::remove_file(dir.path("db/MANIFEST")).expect("removed");
    dir.nddb(["rebuild", "db"]).done();
    is_whole(&dir);
}

#[test]
fn errors_of_the_command_line_advise_what_can_be_typed() {
    let dir = dir();
    dir.write("file", b"");
    fs::create_dir(dir.path("empty")).expect("writable");
    dir.nddb(["create", "other", "--recipe", "1e0ng"]).done();
    // A command, its code, words; and whether the command of the hint succeeds.
    let cases: &[(&[&str], i32, &[&str], bool)] = &[
        (&["stats", "none"], 10, &["no such file or directory", "'nddb create none'"], true),
        (&["stats", "file"], 10, &["give the folder"], false),
        (&["stats", "empty"], 10, &["give the folder"], false),
        (&["create", "db"], 1, &["exists already", "'nddb stats db'", "another path"], true),
        (&["merge", "db", "db"], 2, &["the database itself", "name the other database"], false),
        (&["merge", "db", "other"], 12, &["recipe", "use another database"], false),
        (&["query", "db", "--id", "a", "--method", "c"], 12, &["recipes that fit", "another --method"], false),
        (&["query", "db", "--id", "a", "-k", "17"], 2, &["-k 17 is above 16", "give -k 16 or less"], false),
        (&["load", "db", "missing.warc"], 1, &["missing.warc"], false),
        (&["rm", "db", "--ids-from", "odd.txt"], 1, &["line 1", "backslash of an id as two"], false),
    ];
    dir.write("odd.txt", b"a\\x\n");
    for (command, code, words, named) in cases {
        let ran = dir.nddb(command.iter()).ends(*code);
        ran.says(words);
        if *named {
            dir.nddb(hint(&ran).1.unwrap_or_else(|| panic!("{command:?}: no command"))).done();
        }
        is_whole(&dir);
    }
    let copied = dir.path("copied");
    copy_folder(&dir.path("db"), &copied);
    dir.nddb(["merge", "db", "copied"]).tells(2, &["or a copy of it"]);
}

#[test]
fn a_full_disk_is_told_as_one() {
    let dir = dir();
    if !Path::new("/dev/full").exists() {
        nddb_test_support::say("left out, for there is no /dev/full: what is told of a full disk");
        return;
    }
    for command in [
        &["pairs", "db", "-o", "/dev/full"][..],
        &["load", "db", "p.warc", "cut.warc", "--again", "--skipped", "/dev/full"],
    ] {
        dir.write("cut.warc", b"WARC/1.0\r\nno header\r\n\r\n");
        dir.nddb(command.iter()).ends(14).says(&["No space left", "hint: free some space"]);
    }
    is_whole(&dir);
}
