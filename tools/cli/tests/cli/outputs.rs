//! Outputs: what is refused, what is replaced when, and what a run that fails or is killed leaves.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use nddb_test_support::Random;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::helper::{Dir, copy_folder, prints};

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
        "dedup in.jsonl -o out.jsonl --removed both --report both",
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
        "against in.jsonl db -o out --list out",
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
    let ran = dir.nddb("cluster db -o new".split(' ')).done();
    assert!(!ran.stderr.contains("replaced"), "{}", ran.stderr);
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
    let told = ["clusters/summary.json: the last clustering into this folder did not end", "hint: its lists"];
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

/// Commands, and what they write: files and a folder of lists.
const WRITERS: [(&str, &[&str]); 12] = [
    ("export db -o out.jsonl", &["out.jsonl"]),
    ("export db --format parquet -o out.parquet", &["out.parquet"]),
    ("pairs db -o out.tsv --format tsv", &["out.tsv"]),
    ("query db --all -o out.jsonl", &["out.jsonl"]),
    ("report db -o out.html", &["out.html"]),
    ("show db d0 d1 --html out.html", &["out.html"]),
    ("audit db -o out.html", &["out.html"]),
    ("against in.jsonl db -o out.jsonl --list near.txt", &["out.jsonl", "near.txt"]),
    ("load db bad.jsonl --skipped skipped.jsonl", &["skipped.jsonl"]),
    ("filter db in.jsonl --clusters clusters -o out.jsonl --removed out.tsv", &["out.jsonl", "out.tsv"]),
    ("dedup in.jsonl -o out.jsonl --removed out.tsv", &["out.jsonl", "out.tsv"]),
    ("cluster db -o lists", &["lists"]),
];

/// A folder in which commands write outputs, again and again.
struct Stage {
    dir: Dir,
    command: String,
    outputs: &'static [&'static str],
    earlier: Files,
    new: Files,
    inputs: Files,
    names: Vec<String>,
}

type Files = BTreeMap<String, Vec<u8>>;

/// Returns the files at or below a path.
fn files_of(dir: &Dir, name: &str) -> Files {
    match fs::read_dir(dir.path(name)) {
        Ok(entries) => entries
            .flat_map(|entry| {
                files_of(dir, &format!("{name}/{}", entry.expect("listed").file_name().to_str().expect("text")))
            })
            .collect(),
        Err(_) => fs::read(dir.path(name)).map(|bytes| (name.to_owned(), bytes)).into_iter().collect(),
    }
}

impl Stage {
    /// Makes the inputs of a command, and runs it once.
    fn of(command: &str, outputs: &'static [&'static str]) -> Self {
        let dir = Dir::new();
        let text =
            |seed: usize| (0..80).map(|word| format!("w{} ", (word * seed * 37 + word) % 1009)).collect::<String>();
        let line = |id: usize| format!("{{\"id\":\"d{id}\",\"text\":\"{}{}\"}}\n", text(id / 2 + 1), id % 2);
        dir.write("in.jsonl", (0..120).map(line).collect::<String>().as_bytes());
        dir.write("bad.jsonl", "no JSON\n".repeat(400).as_bytes());
        dir.write("spared.txt", b"d1\nd3\n");
        dir.nddb(["create", "db", "-q"]).done();
        dir.nddb(["load", "db", "in.jsonl", "-q"]).done();
        dir.nddb(["cluster", "db", "-o", "clusters", "-q"]).done();
        dir.nddb(["cluster", "db", "-o", "lists.before", "--never-remove", "spared.txt", "-q"]).done();
        copy_folder(&dir.path("db"), &dir.path("db.before"));
        let command = format!("{command} -q");
        let mut stage = Self {
            dir,
            command,
            outputs,
            earlier: Files::new(),
            new: Files::new(),
            inputs: Files::new(),
            names: Vec::new(),
        };
        stage.reset();
        (stage.earlier, stage.inputs) = (stage.outputs(), stage.inputs());
        let ran = stage.dir.nddb(stage.command.split(' ')).run();
        assert!([Some(0), Some(3)].contains(&ran.code), "{}: {}", stage.command, ran.stderr);
        (stage.new, stage.names) = (stage.outputs(), names(&stage.dir));
        assert!(stage.new.keys().eq(stage.earlier.keys()), "{}", stage.command);
        assert!(stage.new.iter().any(|(name, bytes)| stage.earlier[name] != *bytes), "{}", stage.command);
        stage
    }

    /// Makes the folder as it was before the command.
    fn reset(&self) {
        for output in self.outputs {
            match *output {
                "lists" => {
                    let _ = fs::remove_dir_all(self.dir.path("lists"));
                    copy_folder(&self.dir.path("lists.before"), &self.dir.path("lists"));
                }
                output => self.dir.write(output, b"of an earlier run\n"),
            }
        }
        if self.command.starts_with("load") {
            fs::remove_dir_all(self.dir.path("db")).expect("removed");
            copy_folder(&self.dir.path("db.before"), &self.dir.path("db"));
        }
    }

    fn outputs(&self) -> Files {
        let all = self.outputs.iter().flat_map(|output| files_of(&self.dir, output));
        all.filter(|(name, _)| !name.contains("nddb-")).collect()
    }

    fn inputs(&self) -> Files {
        let mut inputs = ["in.jsonl", "bad.jsonl", "clusters"].to_vec();
        if !self.command.starts_with("load") {
            inputs.extend(["db/MANIFEST", "db/runs"]);
        }
        inputs.into_iter().flat_map(|input| files_of(&self.dir, input)).collect()
    }

    /// Returns whether a file is the new output, except for the time that a page tells.
    fn is_new(&self, name: &str, bytes: &[u8]) -> bool {
        let new = &self.new[name];
        let is_page = || name.ends_with(".html") && bytes.len() == new.len() && bytes.ends_with(b"</html>\n");
        new == bytes || is_page()
    }

    /// Asserts that each output is the earlier one or the new one, whole, and that no input has changed.
    fn is_whole(&self, why: &str) {
        assert!(self.inputs() == self.inputs, "{}, {why}: an input has changed", self.command);
        let outputs = self.outputs();
        for name in self.earlier.keys() {
            let bytes = outputs.get(name).unwrap_or_else(|| panic!("{}, {why}: {name} is gone", self.command));
            // Between two sets of lists, the summary says that they do not belong together.
            let is_between = || name == "lists/summary.json" && bytes == b"{\"unfinished\": true}\n";
            let is_whole = self.earlier[name] == *bytes || self.is_new(name, bytes);
            let (command, len, new) = (&self.command, bytes.len(), self.new[name].len());
            assert!(is_whole || is_between(), "{command}, {why}: {name} has {len} bytes, and the new one {new}");
        }
        assert!(outputs.keys().eq(self.earlier.keys()), "{}, {why}: {:?}", self.command, outputs.keys());
    }

    /// Asserts that the command, run once more, completes its work, and removes what was left.
    fn is_done_again(&self, why: &str) {
        let ran = self.dir.nddb(self.command.split(' ')).run();
        assert!([Some(0), Some(3)].contains(&ran.code), "{}, {why}: {}", self.command, ran.stderr);
        let outputs = self.outputs();
        let is_new = outputs.len() == self.new.len() && outputs.iter().all(|(name, bytes)| self.is_new(name, bytes));
        assert!(is_new && names(&self.dir) == self.names, "{}, {why}", self.command);
    }
}

#[test]
fn no_command_leaves_half_an_output_where_it_cannot_write_on() {
    for (command, outputs) in WRITERS {
        let stage = Stage::of(command, outputs);
        let is_changed = |(name, bytes): &(&String, &Vec<u8>)| bytes.len() > 1024 && stage.earlier[*name] != **bytes;
        for (name, bytes) in stage.new.iter().filter(is_changed) {
            stage.reset();
            // In blocks of 512 bytes: half of the output.
            let script =
                format!("ulimit -f {}; exec {} {}", bytes.len() / 1024, env!("CARGO_BIN_EXE_nddb"), stage.command);
            let ran = std::process::Command::new("sh").arg("-c").arg(script).current_dir(stage.dir.path(".")).output();
            let ran = ran.expect("it can be started");
            let why = format!("half of {name}: {}", String::from_utf8_lossy(&ran.stderr));
            assert_eq!(ran.status.code(), Some(14), "{command}, {why}");
            assert!(why.contains("ulimit -f"), "{command}, {why}");
            assert!(stage.outputs()[name] != *bytes, "{command}, {why}");
            stage.is_whole(&why);
            if !command.starts_with("load") {
                stage.is_done_again(&why);
            }
        }
    }
}

#[test]
fn no_command_leaves_half_an_output_where_it_is_killed() {
    let mut random = Random::seeded("kills of each command");
    for (command, outputs) in WRITERS {
        let stage = Stage::of(command, outputs);
        let begun = Instant::now();
        stage.dir.nddb(stage.command.split(' ')).run();
        let took = u64::try_from(begun.elapsed().as_micros()).expect("less than an age");
        for _ in 0..4 {
            stage.reset();
            let mut child = stage.dir.nddb(stage.command.split(' ')).start();
            let after = random.below(took);
            std::thread::sleep(Duration::from_micros(after));
            child.kill().expect("it can be killed");
            child.wait().expect("it ends");
            stage.is_whole(&format!("killed after {after} us"));
        }
        if !command.starts_with("load") {
            stage.is_done_again("after kills");
        }
    }
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

#[test]
fn a_known_ending_decides_the_format_of_a_table() {
    let dir = clustered();
    let first = |name: &str| {
        let bytes = dir.read(name);
        String::from_utf8_lossy(&bytes).lines().next().unwrap_or_default().to_owned()
    };
    for name in ["t.jsonl", "t.ndjson"] {
        dir.nddb(["export", "db", "-o", name, "-q"]).done();
        assert!(first(name).starts_with(r#"{"id":"a","#), "{name}");
    }
    dir.nddb(["export", "db", "-o", "t.csv", "-q"]).done();
    assert_eq!(first("t.csv"), "id,url,fp,site,batch");
    dir.nddb(["export", "db", "-o", "t.tsv", "-q"]).done();
    assert!(first("t.tsv").starts_with("a\t"));
    dir.nddb(["export", "db", "-o", "t.parquet", "-q"]).done();
    assert!(dir.read("t.parquet").starts_with(b"PAR1"));
    dir.nddb(["export", "db", "-o", "t.tsv.gz", "-q"]).done();
    assert!(dir.read("t.tsv.gz").starts_with(b"\x1f\x8b"));
    dir.nddb(["export", "db", "-o", "t.unknown", "--format", "tsv", "-q"]).done();
    assert_eq!(dir.read("t.unknown"), dir.read("t.tsv"));
    dir.nddb(["pairs", "db", "-o", "p.tsv", "-q"]).done();
    assert!(first("p.tsv").contains('\t'), "{}", first("p.tsv"));
    dir.nddb(["query", "db", "--id", "a", "-o", "q.txt"]).done();
    assert!(first("q.txt").starts_with("a: 1 match"), "{}", first("q.txt"));
    for (name, begin) in [("r.tsv", "id\tkept\t"), ("r.csv", "id,kept,"), ("r.jsonl", "{\"id\":"), ("r", "id\tkept\t")]
    {
        dir.nddb(["dedup", "in.jsonl", "-o", "kept.jsonl", "--removed", name, "-q"]).done();
        assert!(first(name).starts_with(begin), "{name}: {}", first(name));
    }
}

#[test]
fn an_ending_that_is_not_that_of_the_format_is_refused() {
    let dir = clustered();
    fs::write(dir.path("other.jsonl"), dir.read("in.jsonl")).expect("written");
    let cases = [
        ("dedup in.jsonl -o o.parquet", "o.parquet: its name says parquet, and it is written as jsonl"),
        ("dedup in.jsonl -o o.csv.gz", "o.csv.gz: its name says csv, and it is written as jsonl"),
        ("dedup in.jsonl -o o.jsonl.bz2", "o.jsonl.bz2: cannot be compressed as its name says"),
        ("dedup in.jsonl other.jsonl -o o.jsonl", "o.jsonl: is the name of a file, and -o needs a folder here"),
        ("dedup in.jsonl -o o.jsonl --removed r.warc", "r.warc: its name says warc"),
        ("dedup in.jsonl -o o.jsonl --report r.jsonl", "r.jsonl: its name says jsonl, and it is written as html"),
        ("filter db in.jsonl --clusters clusters -o o.parquet", "o.parquet: its name says parquet"),
        ("export db -o o.warc", "o.warc: its name says warc, and it is written as jsonl, tsv, csv or parquet"),
        ("export db --format tsv -o o.csv", "o.csv: its name says csv, and it is written as tsv"),
        ("export db -o o.parquet.gz", "o.parquet.gz: cannot be compressed as its name says"),
        ("pairs db -o o.csv", "o.csv: its name says csv, and it is written as jsonl, tsv, parquet or txt"),
        ("pairs db --format jsonl -o o.tsv", "o.tsv: its name says tsv, and it is written as jsonl"),
        ("query db --all --format table -o o.jsonl", "o.jsonl: its name says jsonl"),
        ("cluster db -o o.jsonl", "o.jsonl: is the name of a file"),
        ("report db -o o.jsonl", "o.jsonl: its name says jsonl, and it is written as html"),
        ("audit db -o o.csv", "o.csv: its name says csv"),
        ("report db -o o.txt", "o.txt: its name says txt, and it is written as html"),
        ("query db --all --format table -o o.html", "o.html: its name says html, and it is written as txt"),
        ("against in.jsonl db --list o.tsv", "o.tsv: its name says tsv, and it is written as txt"),
    ];
    let before = names(&dir);
    for (command, why) in cases {
        dir.nddb(command.split(' ')).tells(2, &[why, "hint: "]);
        assert_eq!(names(&dir), before, "{command}");
    }
    // The folder is meant.
    dir.nddb(["dedup", "in.jsonl", "other.jsonl", "-o", "o.jsonl/", "-q"]).done();
    assert!(dir.path("o.jsonl/in.jsonl").is_file());
}

#[test]
fn stdout_has_the_data_alone() {
    let dir = clustered();
    for command in ["dedup in.jsonl -o - --json", "export db -o - --json", "pairs db -o - --json", "pairs db --json"] {
        let ran = dir.nddb(command.split(' ')).done();
        let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert!(lines.iter().all(|line| line.get("seconds").is_none()), "{command}: {}", ran.stdout);
        let summaries = ran.stderr.lines().filter(|line| line.starts_with('{') && line.contains("\"seconds\":"));
        assert_eq!(summaries.count(), 1, "{command}: {}", ran.stderr);
    }
    let ran = dir.nddb(["dedup", "in.jsonl", "-o", "kept.jsonl", "--progress", "json"]).done();
    let last = ran.stderr.lines().rfind(|line| line.starts_with('{')).expect("an object");
    let last: Value = serde_json::from_str(last).expect("JSON");
    assert_eq!((&last["phase"], &last["summary"]["removed"]), (&"done".into(), &1.into()), "{last}");
}

#[test]
fn a_dry_run_says_what_would_go_and_writes_nothing() {
    let dir = clustered();
    let before = names(&dir);
    for command in [
        "dedup in.jsonl --dry-run",
        "dedup in.jsonl --dry-run -o o.jsonl --removed r.tsv --report r.html",
        "filter db in.jsonl --clusters clusters --dry-run",
        "filter db in.jsonl --clusters clusters --dry-run -o o.jsonl --removed-documents r.jsonl",
    ] {
        let ran = dir.nddb(command.split(' ')).done();
        let rows: Vec<&str> = ran.stdout.lines().collect();
        assert!(rows.len() == 2 && rows[0].starts_with("id\tkept\t") && rows[1].starts_with("b\ta\t"), "{rows:?}");
        ran.says(&["1 removed", "nothing was written"]);
        let ran = dir.nddb(format!("{command} --json").split(' ')).done();
        let numbers: Value = serde_json::from_str(&ran.stdout).expect("one object");
        assert_eq!(numbers["removed"], 1, "{command}");
        assert_eq!(names(&dir), before, "{command}");
    }
    dir.nddb(["dedup", "in.jsonl"]).tells(2, &["--output"]);
}

#[test]
fn rows_of_csv_keep_their_bytes() {
    let dir = Dir::new();
    let text = |word: &str| (0..60).map(|number| format!("{word}{number}")).collect::<Vec<_>>().join(" ");
    let (one, two) = (text("one"), text("two"));
    for (name, header, rows) in [
        (
            "commas.csv",
            "\u{feff}id,text,note\r\n",
            [format!("a,\"{one}\",\"x\r\ny\"\r\n"), format!("b,{one},\r\n"), format!("c,{two},z\r\n")],
        ),
        (
            "semicolons.csv",
            "sep=;\nid;text\n",
            [format!("a;{one}\n"), format!("\n\nb;\"{one}\"\n"), format!("c;{two}")],
        ),
        ("tabs.tsv", "id\ttext\n", [format!("a\t{one}\n"), format!("b\t{one}\n"), format!("c\t{two}\n")]),
    ] {
        dir.write(name, format!("{header}{}", rows.concat()).as_bytes());
        let ending = name.rsplit('.').next().expect("an ending");
        let (kept, packed) = (format!("kept.{ending}"), format!("kept.{ending}.gz"));
        dir.nddb(["dedup", name, "-o", &kept, "-q"]).done();
        let want = format!("{header}{}{}", rows[0], rows[2]);
        assert_eq!(String::from_utf8(dir.read(&kept)).expect("text"), want, "{name}");
        dir.nddb(["dedup", name, "-o", &packed, "-q"]).done();
        let mut unpacked = String::new();
        let bytes = dir.read(&packed);
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut unpacked).expect("gzip");
        assert_eq!(unpacked, want, "{name}");
        // A compressed input, and one that is not loaded here.
        let db = format!("{name}.nddb");
        dir.nddb(["create", &db, "-q"]).done();
        dir.nddb(["load", &db, &packed, name, "-q"]).done();
        dir.nddb(["cluster", &db, "-o", &format!("{name}-clusters"), "-q"]).done();
        let clusters = format!("{name}-clusters");
        let other = format!("other.{ending}");
        dir.nddb(["filter", &db, name, "--clusters", &clusters, "-o", &kept, "--removed-documents", &other, "-q"])
            .done();
        assert_eq!(String::from_utf8(dir.read(&kept)).expect("text"), want, "{name}");
        assert_eq!(String::from_utf8(dir.read(&other)).expect("text"), format!("{header}{}", rows[1]), "{name}");
    }
    dir.nddb(["dedup", "commas.csv", "-o", "o.tsv"]).tells(2, &["its name says tsv, and it is written as csv"]);
    dir.nddb(["dedup", "tabs.tsv", "-o", "o.csv"]).tells(2, &["its name says csv, and it is written as tsv"]);
}
