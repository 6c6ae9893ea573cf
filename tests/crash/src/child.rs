//! Processes that do a workload until they are killed: this program once more.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use nddb::Writer;
use nddb_index::testing::{Bug, seed_bug};

use crate::judge::{Reached, Verdict};
use crate::support::{Random, small_thresholds};
use crate::trace::{End, Fate, Plan, Trace};
use crate::workload::{Workload, database};

/// The variable with what a child is to do.
pub(crate) const TASK: &str = "NDDB_CRASH_CHILD";
/// What its lines begin with, which distinguishes them from those of the tests.
const MARK: &str = "crash: ";

/// What a child does, and where it ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    /// The seed of the workload; `None` to open the database for writing.
    pub(crate) seed: Option<u64>,
    /// The number of the last storage call, from 1 on; 0 to come to the end.
    pub(crate) call: u64,
    pub(crate) fate: Fate,
    /// Whether the power is cut.
    pub(crate) cuts: bool,
    pub(crate) bug: Option<Bug>,
}

impl Task {
    /// The work of a seed, as a whole.
    pub(crate) fn whole(seed: u64) -> Self {
        Self { seed: Some(seed), call: 0, fate: Fate::EndAfter, cuts: false, bug: None }
    }

    /// The same with a random end among so many calls.
    pub(crate) fn ends(self, calls: u64, random: &mut Random) -> Self {
        let fate = *random.pick(&[Fate::EndBefore, Fate::EndWithin, Fate::EndAfter]);
        Self { call: 1 + random.below(calls), fate, ..self }
    }

    /// Returns the workload of a seed.
    pub(crate) fn workload(seed: u64) -> Workload {
        Workload::new(seed, 12)
    }

    fn to_line(self, root: &Path) -> String {
        let seed = self.seed.map_or_else(|| "open".to_owned(), |seed| seed.to_string());
        let bug = self.bug.and_then(|bug| Bug::ALL.iter().position(|other| *other == bug));
        let bug = bug.map_or_else(|| "none".to_owned(), |bug| bug.to_string());
        format!("{seed} {} {:?} {} {bug} {}", self.call, self.fate, self.cuts, root.display())
    }

    fn of_line(line: &str) -> (Self, &Path) {
        let parts: Vec<&str> = line.splitn(6, ' ').collect();
        let [seed, call, fate, cuts, bug, root] = parts[..] else { panic!("{line}: no task") };
        let fates = [Fate::EndBefore, Fate::EndWithin, Fate::EndAfter];
        let fate = fates.into_iter().find(|known| format!("{known:?}") == fate).expect("a fate");
        let bug = bug.parse().ok().map(|bug: usize| Bug::ALL[bug]);
        let call = call.parse().expect("a number");
        (Self { seed: seed.parse().ok(), call, fate, cuts: cuts == "true", bug }, Path::new(root))
    }

    /// Lets a child do this in a folder, and returns how far it came.
    pub(crate) fn run(self, root: &Path) -> Verdict<Life> {
        let mut command = Command::new(std::env::current_exe().expect("the program knows where it is"));
        if cfg!(test) {
            command.args(["tests::a_child_does_its_task", "--exact", "--nocapture", "--test-threads=1"]);
        }
        command.env(TASK, self.to_line(root)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program can be run again");
        let output = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
        let mut life = Life { reached: Reached { done: 0, begun: false }, calls: None };
        for line in output.lines() {
            let line = line.expect("the pipe can be read");
            let Some((_, told)) = line.split_once(MARK) else { continue };
            match told.split_once(' ') {
                Some(("begin", _)) => life.reached.begun = true,
                Some(("done", deed)) => {
                    life.reached = Reached { done: deed.parse::<usize>().expect("a number") + 1, begun: false };
                }
                Some(("calls", calls)) => life.calls = calls.parse().ok(),
                _ => panic!("{line}: unknown"),
            }
        }
        let output = child.wait_with_output().expect("it ends");
        if output.status.success() && life.calls.is_some() || output.status.signal() == Some(libc::SIGKILL) {
            return Ok(life);
        }
        Err(format!("a process fails, {}: {}", output.status, String::from_utf8_lossy(&output.stderr)))
    }
}

/// How far a child came.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Life {
    pub(crate) reached: Reached,
    /// The number of its storage calls, if it came to the end.
    pub(crate) calls: Option<u64>,
}

/// Does the task of a child, if this process is one. Returns whether it is.
pub(crate) fn do_task() -> bool {
    let Ok(line) = std::env::var(TASK) else { return false };
    let (task, root) = Task::of_line(&line);
    small_thresholds();
    let folder = File::open(root).expect("the folder exists");
    let end = if task.cuts { End::PowerCut(folder.as_raw_fd()) } else { End::Killed };
    let _bug = task.bug.map(|bug| seed_bug(root, bug));
    let plan = (task.call > 0).then_some(Plan { call: task.call, fate: task.fate, end });
    let trace = Trace::begin(root, false, plan);
    match task.seed {
        Some(seed) => {
            Task::workload(seed)
                .run(root, &mut |deed| tell("begin", deed as u64), &mut |deed| tell("done", deed as u64));
        }
        None => drop(Writer::open(database(root)).expect("opened without repair")),
    }
    tell("calls", trace.calls());
    true
}

fn tell(what: &str, number: u64) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{MARK}{what} {number}").and_then(|()| out.flush()).expect("the parent listens");
}
