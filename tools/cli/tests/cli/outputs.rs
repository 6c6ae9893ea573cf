//! Outputs: what is refused, what is replaced when, and what a run that fails or is killed leaves.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use nddb_test_support::Random;
use rustix::process::{Pid, Signal, kill_process};

use crate::helper::{Dir, prints};

/// Three documents, of which two are near-duplicates, in `in.jsonl`, a database of them, and their clusters.
fn clustered() -> Dir {
    let dir = Dir::new();
    let words: Vec<String> = (0..80).map(|word| format!("word{word}")).collect();
    let text = words.join(" ");
    let other: Vec<String> = (0..80).map(|word| format!("other{word}")).collect();
    let line = |id: &str, text: &str| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    let lines = [line("a", &text), line("b", &text), line("c", &other.join(" "))].concat();
    dir.write("in.jsonl", lines.as_bytes());
    dir.write("list.txt", b"in.jsonl\n");
    dir.nddb(["create", "db", "-q"]).done();
    dir.nddb(["load", "db", "in.jsonl", "-q"]).done();
    dir.nddb(["cluster", "db", "-o", "clusters", "-q"]).done();
    dir
}

#[test]
fn an_output_is_nothing_that_the_command_reads() {
    let dir = clustered();
    symlink("in.jsonl", dir.path("link")).expect("linked");
    fs::hard_link(dir.path("in.jsonl"), dir.path("hard")).expect("linked");
    symlink(".", dir.path("here")).expect("linked");
    fs::create_dir(dir.path("folder")).expect("made");
    fs::hard_link(dir.path("in.jsonl"), dir.path("folder/in.jsonl")).expect("linked");
    let before = ["in.jsonl", "list.txt", "clusters/remove.tsv", "clusters/remove.txt", "db/MANIFEST"]
        .map(|name| (name, dir.read(name)));
    let cases = [
        "dedup in.jsonl -o in.jsonl",
        "dedup in.jsonl -o ./in.jsonl",
        "dedup in.jsonl -o here/in.jsonl",
        "dedup in.jsonl -o link",
        "dedup in.jsonl -o hard",
        "dedup in.jsonl -o folder",
        "dedup in.jsonl -o out.jsonl --removed in.jsonl",
        "dedup in.jsonl -o out.jsonl --report in.jsonl",
        "dedup --from-list list.txt -o list.txt",
        "dedup --from-list list.txt -o out.jsonl --removed in.jsonl",
        "dedup in.jsonl -o out.tsv --removed out.tsv",
        "dedup in.jsonl -o out.tsv --report ./out.tsv",
        "dedup in.jsonl -o out.tsv --removed x.html --report x.html",
        "dedup in.jsonl -o db/kept.jsonl",
        "dedup in.jsonl -o out.jsonl --against db --removed db/catalog/CURRENT",
        "filter db in.jsonl --clusters clusters -o in.jsonl",
        "filter db in.jsonl --clusters clusters -o out.jsonl --removed in.jsonl",
        "filter db in.jsonl --clusters clusters -o out.jsonl --removed-documents in.jsonl",
        "filter db in.jsonl --clusters clusters -o out.jsonl --removed-documents out.jsonl",
        "filter db in.jsonl --clusters clusters -o out.jsonl --removed clusters/remove.tsv",
        "filter db in.jsonl --clusters clusters -o clusters/remove.txt",
        "filter db in.jsonl --remove list.txt -o list.txt",
        "filter db in.jsonl list.txt --clusters clusters -o .",
        "load db in.jsonl --skipped in.jsonl --again",
        "load db --from-list list.txt --skipped list.txt --again",
        "load db --from-list list.txt --skipped hard --again",
        "load db in.jsonl --skipped db/LOCK --again",
        "export db -o db/MANIFEST",
        "export db --format parquet -o db/MANIFEST",
        "pairs db -o db/new",
        "report db -o db/catalog/CURRENT",
        "stats db -o db/MANIFEST",
        "audit db -o db/MANIFEST",
        "show db a b --html db/MANIFEST",
        "cluster db -o db",
        "cluster db -o db/clusters",
        "cluster db -o clusters --never-remove clusters/keep.txt",
        "query db --docs in.jsonl -o in.jsonl",
        "query db --text in.jsonl -o in.jsonl",
        "query db --all -o db/MANIFEST",
        "against in.jsonl db --list in.jsonl",
        "against in.jsonl db -o in.jsonl",
        "against in.jsonl db -o out.jsonl --list out.jsonl",
    ];
    for case in cases {
        let ran = dir.nddb(case.split(' ')).run();
        let is_told = ["would replace it", "is the output of", "is in the folder of the database", "two outputs"];
        assert_eq!(ran.code, Some(2), "{case}: {}", ran.stderr);
        assert!(is_told.iter().any(|told| ran.stderr.contains(told)), "{case}: {}", ran.stderr);
        assert!(ran.stderr.contains("hint: "), "{case}: {}", ran.stderr);
        before.iter().for_each(|(name, bytes)| assert!(dir.read(name) == *bytes, "{case}: {name}"));
    }
    assert!(!dir.path("out.jsonl").exists() && !dir.path("db/clusters").exists());
    for case in ["fit --docs in.jsonl --pairs list.txt --output in.jsonl", "scan db --list -o db/MANIFEST"] {
        dir.lab(case.split(' ')).ends(2).says(&["hint: give -"]);
    }
    dir.nddb("check db -q".split(' ')).done();
}

#[test]
fn an_earlier_output_is_named_when_it_is_replaced() {
    let dir = clustered();
    let ran = dir.nddb("dedup in.jsonl -o kept.jsonl --removed removed.tsv".split(' ')).done();
    assert!(!ran.stderr.contains("replaced"), "{}", ran.stderr);
    let ran = dir.nddb("dedup in.jsonl -o kept.jsonl --removed removed.tsv".split(' ')).done();
    ran.says(&["replaced: removed.tsv, kept.jsonl"]);
    dir.nddb("export db -o kept.jsonl".split(' ')).done().says(&["replaced: kept.jsonl"]);
    let quiet = dir.nddb("export db -o kept.jsonl -q".split(' ')).done();
    assert_eq!(quiet.stderr, "");
    let ran = dir.nddb("cluster db -o clusters".split(' ')).done();
    ran.says(&["replaced: clusters/clusters.jsonl, clusters/clusters.tsv, clusters/keep.txt and 4 more"]);
}

#[test]
fn a_users_own_files_beside_an_output_are_left_alone() {
    let dir = clustered();
    dir.write("mine", b"mine");
    dir.write("kept.jsonl.part", b"mine");
    symlink("mine", dir.path("linked.jsonl.part")).expect("linked");
    dir.nddb("dedup in.jsonl -o kept.jsonl".split(' ')).done();
    dir.nddb("dedup in.jsonl -o linked.jsonl".split(' ')).done();
    assert_eq!([dir.read("kept.jsonl.part"), dir.read("mine")], [b"mine", b"mine"]);
    let lines = |name: &str| dir.read(name).iter().filter(|&&byte| byte == b'\n').count();
    assert_eq!([lines("kept.jsonl"), lines("linked.jsonl")], [2, 2]);
}

/// A database of so many fingerprints that an export takes a while.
fn large() -> Dir {
    let dir = Dir::with_database();
    let lines: String = prints(60_000).iter().enumerate().map(|(n, print)| format!("{n}\t{print:016x}\n")).collect();
    dir.write("in.tsv", lines.as_bytes());
    dir.nddb(["load", "db", "in.tsv", "-q"]).done();
    dir
}

/// Names in a folder, with hidden ones.
fn names(dir: &Dir) -> Vec<String> {
    let entries = fs::read_dir(dir.path(".")).expect("a folder").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_killed_command_leaves_the_earlier_output_and_the_next_one_cleans_up() {
    let dir = large();
    let begun = Instant::now();
    dir.nddb(["export", "db", "-o", "out.jsonl", "-q"]).done();
    // Kills are within the time that a whole export takes, on whatever machine.
    let took = u64::try_from(begun.elapsed().as_micros()).expect("less than an age");
    let whole = dir.read("out.jsonl");
    let before = names(&dir);
    let mut random = Random::seeded("kills");
    let mut is_left = false;
    for round in 0..12 {
        let mut child = dir.nddb(["export", "db", "-o", "out.jsonl", "-q"]).start();
        std::thread::sleep(Duration::from_micros(random.below(took)));
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        assert!(dir.read("out.jsonl") == whole, "round {round}");
        is_left |= names(&dir).iter().any(|name| name.ends_with(".nddb-part"));
    }
    assert!(is_left, "no kill was in time");
    dir.nddb(["export", "db", "-o", "out.jsonl", "-q"]).done();
    assert_eq!(names(&dir), before);
    assert!(dir.read("out.jsonl") == whole);
}

#[test]
fn a_command_that_is_interrupted_leaves_the_earlier_output() {
    let dir = large();
    dir.write("out.jsonl", b"earlier");
    let before = names(&dir);
    // Below nohup, commands ignore the end of their terminal, too.
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("a mask of signals");
    let is_nohup = u64::from_str_radix(ignored.trim(), 16).expect("hex") & 1 == 1;
    let signals = [Signal::INT, Signal::TERM, Signal::HUP];
    for signal in &signals[..signals.len() - usize::from(is_nohup)] {
        // On a busy machine the command may end before the signal reaches it.
        let is_interrupted = (0..50).any(|_| {
            dir.write("out.jsonl", b"earlier");
            let mut child = dir.nddb(["export", "db", "-o", "out.jsonl", "-q"]).start();
            while !names(&dir).iter().any(|name| name.ends_with(".nddb-part")) {
                if child.try_wait().expect("it can be waited for").is_some() {
                    return false;
                }
            }
            kill_process(Pid::from_child(&child), *signal).expect("it is not waited for");
            let code = child.wait().expect("it ends").code();
            assert!([Some(0), Some(130)].contains(&code), "{signal:?}: {code:?}");
            code == Some(130)
        });
        assert!(is_interrupted, "{signal:?}");
        assert_eq!((dir.read("out.jsonl"), names(&dir)), (b"earlier".to_vec(), before.clone()));
    }
}

#[test]
fn the_second_of_two_commands_to_one_output_is_told_of_the_first() {
    let dir = large();
    // It waits for the rest of its input, and holds its output.
    let mut child = dir.nddb(["load", "db", "-", "--format", "tsv", "--skipped", "out", "-q"]).start();
    while !names(&dir).contains(&".out.nddb-lock".into()) {
        assert!(child.try_wait().expect("it lives").is_none());
    }
    let holder = format!("pid {} on ", child.id());
    let told = ["out: is being written by another command", &holder, "nddb load", "hint: wait"];
    dir.nddb(["export", "db", "-o", "out"]).tells(11, &told);
    dir.nddb(["dedup", "in.tsv", "-o", "out"]).tells(11, &told);
    child.kill().expect("it lives");
    child.wait().expect("it ends");
    dir.nddb(["export", "db", "-o", "out", "-q"]).done();
    // A folder.
    dir.write(".nddb-lock", b"pid 1 on host: killed");
    dir.nddb(["cluster", "db", "-o", ".", "-q"]).done();
    assert!(!names(&dir).iter().any(|name| name.contains("nddb-")), "{:?}", names(&dir));
}

#[test]
fn the_summary_of_clusters_describes_each_list() {
    let dir = clustered();
    let summary: serde_json::Value = serde_json::from_slice(&dir.read("clusters/summary.json")).expect("JSON");
    let lists = summary["lists"].as_object().expect("lists");
    let names: Vec<&str> = lists.keys().map(String::as_str).collect();
    assert_eq!(names, ["clusters.jsonl", "clusters.tsv", "keep.txt", "pairs.jsonl", "remove.tsv", "remove.txt"]);
    for (name, list) in lists {
        let bytes = dir.read(&format!("clusters/{name}"));
        assert_eq!(list["bytes"], bytes.len(), "{name}");
        assert_eq!(list["lines"], bytes.iter().filter(|&&byte| byte == b'\n').count(), "{name}");
        assert_eq!(list["xxh3"], format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&bytes)), "{name}");
    }
    assert_eq!(fs::read_dir(dir.path("clusters")).expect("there").count(), 7, "no temporary file");
    // As after a kill while the lists are replaced.
    dir.write("clusters/summary.json", b"{\"unfinished\": true}\n");
    let told = ["clusters/summary.json: the last 'nddb cluster -o' to this folder did not end", "hint: its lists"];
    dir.nddb("filter db in.jsonl --clusters clusters -o kept.jsonl".split(' ')).tells(1, &told);
    dir.nddb("rm db --ids-from clusters/remove.txt".split(' ')).tells(1, &told);
}

#[test]
fn a_limit_of_the_size_of_files_ends_a_command_with_a_message() {
    let dir = large();
    dir.write("out.jsonl", b"earlier");
    let limited = |blocks: u32, command: &str| {
        let mut shell = std::process::Command::new("sh");
        let nddb = env!("CARGO_BIN_EXE_nddb");
        shell.arg("-c").arg(format!("ulimit -f {blocks}; exec {nddb} {command}")).current_dir(dir.path("."));
        let output = shell.output().expect("it can be started");
        (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
    };
    let (code, said) = limited(1000, "export db -o out.jsonl -q");
    assert_eq!(code, Some(14), "{said}");
    assert!(said.contains("out.jsonl: cannot be written") && said.contains("ulimit -f"), "{said}");
    assert_eq!(dir.read("out.jsonl"), b"earlier");
    dir.nddb(["create", "new", "-q"]).done();
    let (code, said) = limited(100, "load new in.tsv -q --progress off");
    assert_eq!(code, Some(14), "{said}");
    assert!(said.starts_with("nddb: "), "{said}");
    dir.nddb(["check", "new", "-q"]).done();
}

#[test]
fn what_a_killed_dedup_left_beside_its_output_goes_with_the_next() {
    let dir = clustered();
    fs::create_dir_all(dir.path(".nddb-temporary-killed/documents.nddb")).expect("made");
    dir.write(".nddb-temporary-killed/LOCK", b"pid 1");
    let before: Vec<String> = names(&dir).into_iter().filter(|name| !name.starts_with(".nddb")).collect();
    dir.nddb("dedup in.jsonl -o kept.jsonl -q".split(' ')).done();
    let left: Vec<String> = names(&dir).into_iter().filter(|name| name != "kept.jsonl").collect();
    assert_eq!(left, before);
}

#[test]
fn the_copy_of_stdin_of_a_killed_command_is_removed_by_the_next_one() {
    let dir = Dir::new();
    fs::create_dir(dir.path("temporary")).expect("made");
    let temporary = dir.path("temporary").to_str().expect("text").to_owned();
    let left = || fs::read_dir(&temporary).expect("a folder").count();
    let line = r#"{"id":"a","text":"one two three four five"}"#.to_owned() + "\n";
    let mut child =
        dir.nddb(["dedup", "-", "--format", "jsonl", "-o", "out.jsonl", "-q"]).env("TMPDIR", &temporary).start();
    while left() == 0 {
        assert!(child.try_wait().expect("it lives").is_none());
    }
    // Its copy is locked a moment later; then it waits for its input.
    std::thread::sleep(std::time::Duration::from_millis(300));
    child.kill().expect("it lives");
    child.wait().expect("it ends");
    assert_eq!(left(), 1);
    dir.nddb(["dedup", "-", "--format", "jsonl", "-o", "out.jsonl", "-q"]).env("TMPDIR", &temporary).stdin(line).done();
    assert_eq!(left(), 0);
}
