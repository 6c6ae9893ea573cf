//! Worker processes: this test binary again, with a role given by a variable, exchanging lines.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The variable with the role of a worker.
const ROLE: &str = "NDDB_TEST_WORKER";
/// Prefix of a worker's lines, which distinguishes them from those of the test harness.
const MARK: &str = "worker: ";
const TEST: &str = "support::worker::a_worker_process_does_what_it_is_told";

/// A worker process, killed when dropped.
pub(crate) struct Worker {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Worker {
    /// Starts a worker and sends it its first lines.
    pub(crate) fn start(role: &str, lines: &[&str]) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("the binary knows where it is"));
        command.args([TEST, "--exact", "--nocapture", "--test-threads=1"]).env(ROLE, role);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary can be run again");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
        let mut worker = Self { child, input, output };
        lines.iter().for_each(|line| worker.tell(line));
        worker
    }

    /// Sends a line; a worker that has ended ignores it.
    pub(crate) fn tell(&mut self, line: &str) {
        if let Some(input) = &mut self.input {
            let _ = writeln!(input, "{line}").and_then(|()| input.flush());
        }
    }

    /// Returns the next line that the worker sends; `None` when it has ended. A line cut by its end does not count.
    pub(crate) fn hear(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).expect("the pipe can be read");
            // The harness writes a test's name without ending the line.
            let message = line.strip_suffix('\n')?.split_once(MARK);
            if let Some((_, message)) = message {
                return Some(message.into());
            }
        }
    }

    /// Returns the next line of a worker that must send one.
    pub(crate) fn answer(&mut self) -> String {
        self.hear().expect("the worker has not ended")
    }

    /// Kills the worker, as with `kill -9`.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends");
    }

    /// Waits for the worker's end, and asserts success.
    pub(crate) fn finish(mut self) {
        self.input = None;
        while self.hear().is_some() {}
        let status = self.child.wait().expect("it ends");
        assert!(status.success(), "a worker failed: {status}");
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The parent, as seen by a worker.
#[derive(Default)]
pub(crate) struct Parent(());

impl Parent {
    /// Sends a line.
    pub(crate) fn tell(&mut self, line: &str) {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{MARK}{line}").and_then(|()| out.flush()).expect("the parent listens");
    }

    /// Returns the next line from the parent; `None` when it has ended the conversation.
    pub(crate) fn hear(&mut self) -> Option<String> {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).expect("the pipe can be read");
        line.strip_suffix('\n').map(str::to_owned)
    }

    /// Returns the next line of a parent that must send one.
    pub(crate) fn answer(&mut self) -> String {
        self.hear().expect("the parent has not ended")
    }
}

#[test]
fn a_worker_process_does_what_it_is_told() {
    let parent = Parent::default();
    match std::env::var(ROLE).as_deref() {
        Ok("holds the lock") => crate::api::hold_the_lock(parent),
        Ok("changes its folder") => crate::api::embedding::change_the_folder(parent),
        Ok("asks for the lock") => crate::api::ask_for_the_lock(parent),
        Ok("reads") => crate::model::read(parent),
        Ok("is killed") => crate::kill::write(parent),
        Ok("ends at a call") => crate::kill::end_at_a_call(parent),
        Ok("is killed while it loads") => crate::ingest::load_until_killed(parent),
        Ok("backs up") => crate::backup::back_up(parent),
        Ok("ends while it backs up") => crate::backup::end_at_a_call(parent),
        Ok("reads whole commits") => crate::readers::read(parent),
        Ok(role) => panic!("no such role: {role}"),
        // Run with the other tests, without a parent.
        Err(_) => (),
    }
}
