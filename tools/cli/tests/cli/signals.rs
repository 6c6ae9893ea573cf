//! ^C, and two writers at once.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};

use rustix::process::{Pid, Signal, kill_process};

use crate::helper::Dir;

/// An `add` that has answered one line and waits for the next.
struct Adding {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Adding {
    fn start(dir: &Dir, args: &[&str], id: &str) -> Self {
        let mut child = dir.nddb([&["add", "db"], args].concat()).start();
        let stdin = child.stdin.take().expect("a pipe");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut adding = Self { child, stdin, stdout };
        let answer = adding.ask(id);
        assert!(answer.contains(r#""verdict":"new""#), "{answer}");
        adding
    }

    fn ask(&mut self, id: &str) -> String {
        writeln!(self.stdin, r#"{{"id":"{id}","fp":"00000000000000ff"}}"#).expect("it reads");
        let mut answer = String::new();
        self.stdout.read_line(&mut answer).expect("it answers");
        answer
    }

    fn interrupt(&self) {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, Signal::INT).expect("it lives");
    }

    fn end(mut self) -> (Option<i32>, String) {
        let code = self.child.wait().expect("it ends").code();
        let mut said = String::new();
        self.child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("UTF-8");
        (code, said)
    }
}

#[test]
fn a_second_writer_is_told_who_holds_the_lock() {
    let dir = Dir::with_documents();
    let adding = Adding::start(&dir, &[], "x");
    let holder = format!("pid {}", adding.child.id());
    dir.nddb(["rm", "db", "a"]).tells(11, &["db: locked by another writer", &holder, "nddb add", "hint: wait"]);
    let told = ["db: locked by another writer", &holder, "nddb add", "waited 0.", "hint: wait"];
    dir.nddb(["rm", "db", "a", "--lock-wait", "200ms"]).tells(11, &told);
    // Readers need no lock.
    dir.nddb(["get", "db", "a"]).done();
    dir.nddb(["rm", "db", "a", "--dry-run"]).done();
    drop(adding.stdin);
    let mut child = adding.child;
    assert!(child.wait().is_ok_and(|status| status.success()));
    dir.nddb(["rm", "db", "a", "x"]).done();
}

#[test]
fn an_interrupted_add_keeps_what_it_has_answered() {
    let dir = Dir::with_database();
    let adding = Adding::start(&dir, &[], "x");
    adding.interrupt();
    let (code, said) = adding.end();
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("add: 1 document added (0 replaced), 0 unchanged, 0 errors; interrupted"), "{said}");
    dir.nddb(["get", "db", "x"]).done();
}

#[test]
fn a_durable_line_is_durable_when_it_is_printed() {
    let dir = Dir::with_database();
    let mut adding = Adding::start(&dir, &["--durable", "--if-new"], "x");
    assert!(adding.ask("y").contains(r#""verdict":"duplicate","of":"x""#));
    adding.child.kill().expect("it lives");
    adding.child.wait().expect("it ends");
    dir.nddb(["get", "db", "x"]).done();
}

#[test]
fn an_interrupted_load_keeps_what_it_has_read() {
    let dir = Dir::with_database();
    let mut child = dir.nddb(["load", "db", "-", "--format", "tsv", "--progress", "off"]).start();
    let mut stdin = child.stdin.take().expect("a pipe");
    let lines: String = (0..10_000).map(|n| format!("{n}\t{n:016x}\n")).collect();
    stdin.write_all(lines.as_bytes()).expect("it reads");
    // It reads on until the signal: what is written after it wakes it up.
    kill_process(Pid::from_child(&child), Signal::INT).expect("it lives");
    while stdin.write_all(lines.as_bytes()).is_ok() {}
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("to continue, run the same command again"), "{said}");
    dir.nddb(["get", "db", "0"]).done();
}
