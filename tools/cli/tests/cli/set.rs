//! Sets: fingerprints without documents, by the commands alone.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::helper::{Dir, copy_folder, prints};

/// A set of two runs with `tables`, and its fingerprints: random ones, and near kin of them in another run.
fn set(dir: &Dir, tables: &str) -> BTreeSet<u64> {
    let first = prints(4000);
    let second: Vec<u64> = (0u32..).zip(&first).map(|(i, print)| print ^ 1 << (i % 64) ^ 1 << (i / 64 % 64)).collect();
    dir.write_prints("first.u64le", &first);
    dir.write_prints("second.u64le", &second);
    dir.nddb(["create", "set", "--set", "--tables", tables]).done().says(&["set: made, a set, 64 bits, k = 3"]);
    dir.nddb(["load", "set", "first.u64le"]).done().says(&["4,000 read; 4,000 fingerprints in 1 run"]);
    dir.nddb(["load", "set", "-"]).stdin(dir.read("second.u64le")).done().says(&["in 2 runs"]);
    first.into_iter().chain(second).collect()
}

fn near(all: &BTreeSet<u64>, query: u64, k: u32) -> Vec<(u32, u64)> {
    let mut near: Vec<(u32, u64)> =
        all.iter().map(|print| ((print ^ query).count_ones(), *print)).filter(|one| one.0 <= k).collect();
    near.sort_unstable();
    near
}

#[test]
fn answers_of_a_set_are_those_of_brute_force_as_lines_and_as_rows() {
    for tables in ["1", "10"] {
        let dir = Dir::new();
        let all = set(&dir, tables);
        let queries: Vec<u64> = all.iter().step_by(40).map(|print| print ^ 1 << 7).chain([5]).collect();
        dir.write_prints("q.u64le", &queries);
        for (k, merged) in [(3, false), (5, true)] {
            if merged {
                dir.nddb(["compact", "set"]).done().says(&["2 merged; 7,938 fingerprints in 1 run"]);
            }
            let k_text = k.to_string();
            let lines = dir.nddb(["query", "set", "--fp-file", "q.u64le", "-k", &k_text]).done().lines();
            let rows = dir.nddb(["query", "set", "--fp-file", "q.u64le", "-k", &k_text, "--format", "tsv"]).done();
            let mut table = String::new();
            assert_eq!(lines.len(), queries.len());
            for (ordinal, (query, line)) in queries.iter().zip(lines).enumerate() {
                let found = near(&all, *query, k);
                let one = |(distance, print): &(u32, u64)| json!({"fp": format!("{print:016x}"), "distance": distance});
                let matches: Vec<Value> = found.iter().map(one).collect();
                let want = json!({"fp": format!("{query:016x}"), "count": found.len(), "matches": matches});
                assert_eq!(line, want);
                found.iter().for_each(|(distance, print)| table += &format!("{ordinal}\t{print:016x}\t{distance}\n"));
            }
            assert_eq!(rows.stdout, table);
        }
        let one = dir.nddb(["query", "set", "--fp", "0000000000000005", "-q"]).ends(1);
        assert_eq!(one.stdout, "");
        dir.nddb(["check", "set"]).done().says(&["sound"]);
        let stats = dir.nddb(["stats", "set", "--json"]).done().json();
        let len = all.len().to_string();
        let plan = dir.nddb(["plan", "--docs", &len, "--set", "--tables", tables, "--json"]).done().json();
        let (planned, real) = (plan["bytes"].as_f64().expect("bytes"), stats["bytes"].as_f64().expect("bytes"));
        assert!((planned / real - 1.0).abs() < 0.1, "{planned} planned, {real} there");
        dir.nddb(["plan", "--docs", "8e9", "--set"]).done();
        assert_eq!((&stats["fingerprints"], &stats["runs"]), (&json!(all.len()), &json!(1)));
        dir.nddb(["stats", "set"]).done();
    }
}

#[test]
fn the_reader_in_python_reads_a_set() {
    let dir = Dir::new();
    let all = set(&dir, "4");
    let script = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/spec_reader.py");
    let query = *all.first().expect("a fingerprint") ^ 1;
    let asked = format!("{query:016x}");
    for args in [&["--database"][..], &["--within", "3", &asked]] {
        let Some(mut python) = nddb_test_support::python("the reader in Python") else { return };
        let read = python.arg(&script).args(args).arg(dir.path("set")).output().expect("it runs");
        assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
        let text = String::from_utf8(read.stdout).expect("text");
        if args.len() == 1 {
            assert!(text.contains("\"runs\":2,") && text.contains("\"fingerprints\":8000,"), "{text}");
        } else {
            let found: BTreeSet<String> = text.lines().map(str::to_owned).collect();
            let line = |(distance, print): (u32, u64)| format!("{{\"fp\":\"{print:016x}\",\"distance\":{distance}}}");
            assert_eq!(found, near(&all, query, 3).into_iter().map(line).collect());
        }
    }
    let ours = dir.lab(["segment", "set/MANIFEST", "--json"]).done().json();
    let Some(mut python) = nddb_test_support::python("the reader in Python") else { return };
    let theirs = python.arg(&script).arg(dir.path("set/MANIFEST")).output().expect("it runs");
    assert_eq!(ours, serde_json::from_slice::<Value>(&theirs.stdout).expect("JSON"));
}

#[test]
fn sets_are_merged_checked_and_mended() {
    let dir = Dir::new();
    let all = set(&dir, "4");
    dir.nddb(["create", "other", "--set"]).done();
    dir.nddb(["merge", "other", "set"]).done().says(&["8,000 read; 7,938 fingerprints in 1 run"]);
    dir.nddb(["merge", "other", "other"]).tells(2, &["other"]);
    let (query, k) = (format!("{:016x}", all.first().expect("one")), "4");
    let asked = |db| dir.nddb(["query", db, "--fp", &query, "-k", k]).done().stdout;
    assert_eq!(asked("other"), asked("set"));

    copy_folder(&dir.path("set"), &dir.path("copy"));
    assert_eq!(asked("copy"), asked("set"));
    let flip = |file: &str| {
        let mut bytes = dir.read(file);
        bytes[2000] ^= 1;
        dir.write(file, &bytes);
    };
    flip("copy/runs/00000002.seg");
    let found = dir.nddb(["check", "copy"]).ends(13);
    assert!(found.stdout.contains("copy/runs/00000002.seg: block 0: ") && found.stdout.contains("'nddb rebuild copy'"));
    dir.nddb(["rebuild", "copy"]).done().says(&["1 made again"]);
    dir.nddb(["check", "copy"]).done();
    assert_eq!(asked("copy"), asked("set"));
    dir.nddb(["backup", "set", "kept"]).done().says(&["backup: 8,000 fingerprints, "]);
    dir.nddb(["backup", "verify", "kept"]).done().says(&["sound: 32,000 fingerprints of all tables in "]);
    dir.nddb(["backup", "restore", "kept", "back"]).done().says(&["restore: 8,000 fingerprints, "]);
    flip("other/runs/00000001.seg");
    let found = dir.nddb(["check", "other"]).ends(13);
    assert!(found.stdout.contains("load its fingerprints again"), "{}", found.stdout);
    dir.nddb(["rebuild", "other"]).tells(13, &["no table of its run is sound"]);
}

#[test]
fn a_set_refuses_by_name_what_needs_documents() {
    let dir = Dir::new();
    set(&dir, "1");
    dir.nddb(["create", "set", "--set"]).tells(1, &["set"]);
    dir.nddb(["create", "new", "--set", "--pieces"]).tells(2, &["--pieces"]);
    dir.write("p.jsonl", b"{\"id\": \"a\", \"text\": \"one two three\"}\n");
    dir.write("cut.u64le", &[1; 12]);
    dir.nddb(["load", "set", "p.jsonl"]).tells(2, &["p.jsonl: a set takes files of fingerprints"]);
    dir.nddb(["load", "set", "first.u64le", "--batch", "may"]).tells(2, &["--batch is for databases of documents"]);
    dir.nddb(["load", "set", "cut.u64le"]).tells(1, &["4 bytes after the last fingerprint"]);
    for args in [
        &["query", "set", "--id", "a"][..],
        &["query", "set", "--all"],
        &["query", "set", "--fp", "0000000000000005", "--why"],
        &["query", "set", "set", "--fp", "0000000000000005"],
        &["check", "set", "--sample-recall", "9"],
        &["compact", "set", "--tables", "4"],
        &["stats", "set", "--format", "prometheus"],
    ] {
        dir.nddb(args).tells(2, &["is for databases of documents; this is a set of fingerprints"]);
    }
    for args in [
        &["get", "set", "a"][..],
        &["rm", "set", "a"],
        &["add", "set"],
        &["pairs", "set"],
        &["cluster", "set"],
        &["export", "set"],
        &["sources", "ls", "set"],
        &["batch", "ls", "set"],
        &["against", "set", "p.jsonl"],
    ] {
        dir.nddb(args).tells(10, &["it is a set of fingerprints, which has no documents"]);
    }
    dir.nddb(["create", "db"]).done();
    dir.nddb(["merge", "set", "db"]).tells(10, &["it is no set of fingerprints"]);
    dir.nddb(["merge", "db", "set"]).tells(10, &["it is a set of fingerprints"]);
}
