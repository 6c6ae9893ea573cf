//! `segment` and `scan`: what needs no database.

use std::path::PathBuf;

use nddb_format::Fingerprint;
use nddb_format::scheme::Scheme;
use nddb_format::segment::encode;

use crate::helper::{Dir, keys, prints};

/// Writes the segment of table 1 of ten of these fingerprints.
fn write_segment(dir: &Dir, name: &str, prints: &[u64]) {
    let scheme = Scheme::new(64, 3, &[5], 32).expect("a standard scheme");
    let mut permuted: Vec<u64> = prints.iter().map(|&print| scheme.tables()[1].permute(Fingerprint(print)).0).collect();
    permuted.sort_unstable();
    dir.write(name, &encode(&scheme, 1, &permuted).expect("sorted fingerprints"));
}

fn files(dir: &Dir, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir.path("db/runs")).expect("a folder").flatten().map(|entry| entry.path());
    entries.filter(|path| path.extension().is_some_and(|found| found == ending)).collect()
}

#[test]
fn a_segment_is_printed_whole() {
    let dir = Dir::new();
    let prints = prints(1000);
    write_segment(&dir, "one.seg", &prints);
    let value = dir.lab(["segment", "one.seg", "--json"]).done().json();
    let expected = [
        "kind",
        "format",
        "reader_min",
        "bits",
        "k",
        "table",
        "prefix",
        "groups",
        "block_size",
        "restart",
        "count",
        "digest",
        "code_lengths",
        "identity",
        "blocks",
        "fingerprints",
    ];
    assert_eq!(keys(&value), expected);
    assert_eq!((&value["kind"], &value["count"], &value["table"]), (&"segment".into(), &1000.into(), &1.into()));
    assert_eq!(keys(&value["blocks"][0]), ["count", "restarts", "first", "key"]);
    let mut found: Vec<u64> = value["fingerprints"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|hex| u64::from_str_radix(hex.as_str().expect("hex"), 16).expect("hex"))
        .collect();
    found.sort_unstable();
    let mut expected = prints;
    expected.sort_unstable();
    assert_eq!(found, expected);
    let text = dir.lab(["segment", "one.seg"]).done().stdout;
    assert!(text.contains("count            1000\n") && text.contains("bits a fingerprint"), "{text}");
}

#[test]
fn the_other_files_of_a_database_are_printed_too() {
    let dir = Dir::with_documents();
    let value = dir.lab(["segment", "db/MANIFEST", "--json"]).done().json();
    assert_eq!((&value["kind"], &value["bits"]), (&"manifest".into(), &64.into()));
    assert_eq!(value["runs"][0]["documents"], 3);
    let post = files(&dir, "post").remove(0);
    let value = dir.lab(["segment".as_ref(), post.as_os_str(), "--json".as_ref()]).done().json();
    assert_eq!((&value["kind"], &value["lists"]), (&"postings".into(), &serde_json::json!([[1], [0], [2]])));
}

#[test]
fn a_damaged_or_foreign_file_is_named() {
    let dir = Dir::new();
    write_segment(&dir, "one.seg", &prints(1000));
    let mut bytes = dir.read("one.seg");
    bytes[1024 + 700] ^= 1;
    dir.write("damaged.seg", &bytes);
    dir.lab(["segment", "damaged.seg"]).tells(13, &["damaged.seg: checksum of block 0"]);
    dir.write("cut.seg", &bytes[..3000]);
    dir.lab(["segment", "cut.seg", "--json"]).tells(13, &["cut.seg"]);
    dir.write("other", b"PK\x03\x04 something else");
    dir.lab(["segment", "other"]).tells(1, &["other: not a file of an nddb database", "50 4b"]);
    dir.write("empty", b"");
    dir.lab(["segment", "empty"]).tells(1, &["empty: not a file"]);
    dir.lab(["segment", "none"]).tells(1, &["none", "No such file"]);
}

#[test]
fn a_segment_is_scanned_without_a_database() {
    let dir = Dir::new();
    let stored = prints(2000);
    write_segment(&dir, "one.seg", &stored);
    let queries = [stored[7] ^ 1, 12345, stored[1999], stored[7] ^ 0xf];
    dir.write_prints("q.u64le", &queries);
    let expected = format!("0\t{:016x}\t1\n2\t{:016x}\t0\n", stored[7], stored[1999]);
    let sorted = |text: String| {
        let mut lines: Vec<String> = text.lines().map(|line| format!("{line}\n")).collect();
        lines.sort();
        lines.concat()
    };
    let scan =
        |more: &[&str]| sorted(dir.lab([&["scan", "one.seg", "--queries", "q.u64le"], more].concat()).done().stdout);
    assert_eq!(scan(&[]), expected);
    assert_eq!(scan(&["-k", "0"]), format!("2\t{:016x}\t0\n", stored[1999]));
    // Ranges of blocks, from the file or by a pipe, find together what the whole does.
    let bytes = dir.read("one.seg");
    dir.write("head", &bytes[..1024]);
    let blocks = dir.lab(["segment", "one.seg", "--json"]).done().json()["blocks"].as_array().map_or(0, Vec::len);
    assert!(blocks > 4, "{blocks}");
    let (mut by_range, mut by_pipe) = (String::new(), String::new());
    for first in (0..blocks).step_by(3) {
        let (offset, count) = (first.to_string(), 3.min(blocks - first).to_string());
        by_range += &scan(&["--offset", &offset, "--count", &count]);
        let piped = &bytes[1024 * (1 + first)..1024 * (1 + blocks.min(first + 3))];
        let args = ["scan", "-", "--header", "head", "--queries", "q.u64le", "--offset", &offset];
        by_pipe += &dir.lab(args).stdin(piped).done().stdout;
    }
    assert_eq!(sorted(by_range), expected);
    assert_eq!(sorted(by_pipe), expected);
    dir.lab(["scan", "one.seg", "--queries", "q.u64le", "-k", "17"]).tells(2, &["17"]);
    dir.lab(["scan", "one.seg", "--queries", "none"]).tells(1, &["none"]);
    dir.lab(["scan", "-", "--queries", "q.u64le"]).tells(2, &["--header"]);
    dir.lab(["scan", "one.seg", "--queries", "q.u64le", "--offset", "1"]).tells(2, &["--count"]);
    dir.lab(["scan", "one.seg", "--queries", "q.u64le", "--offset", "1", "--count", "999"]).tells(2, &["limit"]);
    dir.write("cut", &bytes[1024..1024 + 1500]);
    let args = ["scan", "cut", "--header", "head", "--queries", "q.u64le"];
    dir.lab(args).tells(13, &["cut: block is cut off"]);
}

#[test]
fn the_reader_in_python_prints_the_files_of_the_golden_databases_alike() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let dir = Dir::new();
    for name in ["web", "narrow", "keys", "summaries", "parts"] {
        let database = nddb_test_support::golden(name);
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(database.join("runs")).expect("a folder").flatten().map(|entry| entry.path()).collect();
        files.sort();
        assert!(files.len() >= 7 || ["keys", "parts"].contains(&name), "{name} has segments and postings");
        let script = root.join("tests/spec_reader.py");
        let Some(mut python) = nddb_test_support::python("the reader in Python") else { return };
        let theirs = python.arg(script).args(&files).output().expect("it runs");
        assert!(theirs.status.success(), "{}", String::from_utf8_lossy(&theirs.stderr));
        let theirs = String::from_utf8(theirs.stdout).expect("text");
        for (file, theirs) in files.iter().zip(theirs.lines()) {
            let file = file.to_str().expect("a path that is text");
            let ours = dir.lab(["segment", file, "--json"]).done().json();
            let theirs: serde_json::Value = serde_json::from_str(theirs).expect("JSON");
            assert!(ours == theirs, "{file}");
        }
        assert_eq!(theirs.lines().count(), files.len());
    }
}
