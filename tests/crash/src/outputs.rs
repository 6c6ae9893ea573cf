//! Outputs, lists and backups under crashes: a command is killed at a storage call, or the power is cut, or the call
//! fails. Under each final name is then the earlier file or the new one, whole; a command that ends without an error
//! has written everything, durably; and the same command, run once more, completes its work and leaves nothing else.

use std::fs;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::time::SystemTime;

use crate::commands::{Command, Outputs};
use crate::cuts::unwound;
use crate::disk::{self, Disk, Image, Loss, files_below};
use crate::judge::Verdict;
use crate::support::{Random, folder, say};
use crate::trace::{End, Event, Fate, Plan, Trace};

/// The variable with the command of a child, and where it ends.
const COMMAND: &str = "NDDB_CRASH_COMMAND";

/// The exit code of a command that did its work without what could not be read, and said so.
const SKIPPED: u8 = 3;

/// The crashes of a command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crashes {
    pub(crate) command: Command,
    /// Of the crashes, every so many-th is made.
    pub(crate) every: usize,
    pub(crate) seed: u64,
    /// Syncs that are left out by mistake, by their descriptions.
    pub(crate) omits: Option<fn(&str) -> bool>,
}

/// What has been counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Crashed {
    /// Storage calls of the command.
    pub(crate) calls: usize,
    pub(crate) kills: usize,
    /// Power cuts of the model, torn writes among them.
    pub(crate) cuts: usize,
    /// Calls that failed.
    pub(crate) failures: usize,
    /// Of these, those that the command told.
    pub(crate) told: usize,
}

/// A command in its folder, which has the same path for each crash.
struct Stage {
    crashes: Crashes,
    folder: tempfile::TempDir,
    before: Disk,
    image: Image,
    /// When the files were modified, as databases know it of their archives.
    times: Vec<(PathBuf, SystemTime)>,
    earlier: Outputs,
    new: Outputs,
    names: Vec<PathBuf>,
    events: Vec<Event>,
    reads: u64,
}

#[derive(Clone, Copy, Debug)]
enum Crash {
    Kill(u64, Fate),
    Cut(usize, Loss),
    Fail(u64, Fate),
}

impl Crashes {
    pub(crate) fn new(command: Command, every: usize, seed: u64) -> Self {
        Self { command, every, seed, omits: None }
    }

    /// Makes the crashes and judges what they leave.
    pub(crate) fn run(self) -> Verdict<Crashed> {
        let stage = unwound(AssertUnwindSafe(|| self.stage()))?;
        let calls = stage.events.len();
        let mut all: Vec<Crash> = (0..=calls).flat_map(|call| Loss::ALL.map(|loss| Crash::Cut(call, loss))).collect();
        // Only power cuts show what was not synced.
        if self.omits.is_none() {
            let kills = [Fate::EndBefore, Fate::EndWithin, Fate::EndAfter];
            all.extend((1..=calls as u64).flat_map(|call| kills.map(|fate| Crash::Kill(call, fate))));
            let failures = [Fate::Fail(libc::EIO), Fate::Fail(libc::ENOSPC), Fate::Full];
            all.extend((1..=calls as u64).flat_map(|call| failures.map(|fate| Crash::Fail(call, fate))));
            all.extend((1..=stage.reads).map(|read| Crash::Fail(read, Fate::FailRead)));
        }
        let mut random = Random::fixed(self.seed ^ 0x0f11e5);
        let mut counted = Crashed { calls, ..Crashed::default() };
        let first = random.index(self.every);
        for crash in all.into_iter().skip(first).step_by(self.every) {
            let outcome = unwound(AssertUnwindSafe(|| stage.crash(crash, &mut random))).and_then(|outcome| outcome);
            let last = |call: usize| stage.events[..call].last().map(Event::describe).unwrap_or_default();
            let told = outcome.map_err(|why| match crash {
                Crash::Cut(call, _) => {
                    format!("{:?}, {crash:?} of {calls} calls, behind {}: {why}", self.command, last(call))
                }
                _ => format!("{:?}, {crash:?} of {calls} calls: {why}", self.command),
            })?;
            match crash {
                Crash::Kill(..) => counted.kills += 1,
                Crash::Cut(..) => counted.cuts += 1,
                Crash::Fail(..) => counted.failures += usize::from(told.is_some()),
            }
            counted.told += usize::from(told == Some(true));
        }
        Ok(counted)
    }

    fn stage(self) -> Stage {
        let folder = folder();
        let root = folder.path();
        self.command.prepare(root);
        let before = Disk::of(root);
        let image = before.cut(Loss::Nothing, &mut Random::fixed(0));
        let modified = |path: &Path| path.metadata().and_then(|metadata| metadata.modified()).expect("it has a time");
        let times = files_below(root).into_iter().map(|path| (path.clone(), modified(&path))).collect();
        let earlier = self.command.outputs(root);
        let trace = Trace::begin(root, true, None);
        trace.omit(self.omits);
        assert_eq!(self.command.run(root), 0, "{:?} succeeds", self.command);
        let (events, reads) = (trace.events().into_iter().map(|(_, event)| event).collect(), trace.reads());
        let (new, names) = (self.command.outputs(root), self.command.names(root));
        assert!(new != earlier && !new.is_empty(), "{:?} writes something", self.command);
        Stage { crashes: self, before, image, times, earlier, new, names, events, reads, folder }
    }
}

impl Stage {
    fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Makes a crash and judges what it leaves. Returns of a call that failed whether it was told, if it was made.
    fn crash(&self, crash: Crash, random: &mut Random) -> Verdict<Option<bool>> {
        match crash {
            Crash::Cut(call, loss) => {
                let mut disk = self.before.clone();
                self.events[..call].iter().for_each(|event| disk.take(event));
                self.put(&disk.cut(loss, random));
                self.judge(call == self.events.len()).map(|()| None)
            }
            Crash::Kill(call, fate) => {
                self.put(&self.image);
                let ended = self.kill(call, fate)?;
                self.judge(!ended).map(|()| None)
            }
            Crash::Fail(call, fate) => {
                self.put(&self.image);
                let trace = Trace::begin(self.root(), true, Some(Plan { call, fate, end: End::Killed }));
                let exit = self.crashes.command.run(self.root());
                let (met, events) = (trace.met(), trace.events());
                drop(trace);
                let told = exit != 0;
                let Some(met) = met else { return Ok(None) };
                let failed = |why| format!("{met} fails, exit code {exit}: {why}");
                if exit == SKIPPED {
                    return self.again().map_err(failed).map(|()| Some(true));
                }
                self.judge(!told).map_err(failed)?;
                // What a failed sync was to make durable is lost by the next power cut.
                let mut disk = self.before.clone();
                events.iter().for_each(|(_, event)| disk.take(event));
                let loss = *random.pick(&Loss::ALL);
                self.put(&disk.cut(loss, random));
                self.judge(!told).map_err(|why| failed(format!("after a power cut, {loss:?}: {why}")))?;
                Ok(Some(told))
            }
        }
    }

    /// Replaces the contents of the folder.
    fn put(&self, image: &Image) {
        for entry in fs::read_dir(self.root()).expect("it can be listed") {
            let path = entry.expect("it can be listed").path();
            let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.expect("it can be removed");
        }
        disk::write(image, self.root());
        for (path, time) in &self.times {
            if let Ok(file) = fs::File::options().write(true).open(path) {
                file.set_modified(*time).expect("its time can be set");
            }
        }
    }

    /// Judges what is there; `is_done` says that the command has ended without an error.
    fn judge(&self, is_done: bool) -> Verdict {
        let (command, root) = (self.crashes.command, self.root());
        command.is_whole(root, &self.earlier, &self.new)?;
        if is_done && command.outputs(root) != self.new {
            return Err("the command has ended without an error, and not all outputs are new".into());
        }
        self.again()
    }

    /// Runs the command once more, and judges what it leaves.
    fn again(&self) -> Verdict {
        let (command, root) = (self.crashes.command, self.root());
        let exit = command.run_again(root);
        if exit != 0 {
            return Err(format!("the same command again: exit code {exit}"));
        }
        command.is_whole(root, &self.earlier, &self.new).map_err(|why| format!("run again: {why}"))?;
        if command.outputs(root) != self.new {
            return Err("run again, the outputs are others".into());
        }
        let names = command.names(root);
        if names != self.names {
            let left: Vec<&PathBuf> = names.iter().filter(|name| !self.names.contains(name)).collect();
            let gone: Vec<&PathBuf> = self.names.iter().filter(|name| !names.contains(name)).collect();
            let with: Vec<PathBuf> = left.iter().flat_map(|path| files_below(path)).collect();
            return Err(format!("run again, {left:?} is left, with {with:?}, and {gone:?} is missing"));
        }
        Ok(())
    }

    /// Lets a child run the command and end at a call. Returns whether it ended there.
    fn kill(&self, call: u64, fate: Fate) -> Verdict<bool> {
        let mut program = process::Command::new(std::env::current_exe().expect("the program knows where it is"));
        if cfg!(test) {
            program.args(["tests::a_child_does_its_task", "--exact", "--nocapture", "--test-threads=1"]);
        }
        let command = Command::ALL.iter().position(|command| *command == self.crashes.command).expect("one of all");
        let task = format!("{command} {call} {fate:?} {}", self.root().display());
        let output = program.env(COMMAND, task).stdin(Stdio::null()).output().expect("the program can be run again");
        match std::os::unix::process::ExitStatusExt::signal(&output.status) {
            Some(libc::SIGKILL) => Ok(true),
            None if output.status.success() => Ok(false),
            _ => Err(format!("a child: {}: {}", output.status, String::from_utf8_lossy(&output.stderr))),
        }
    }
}

/// Runs the command of a child, if this process is one. Returns whether it is.
pub(crate) fn do_command() -> bool {
    let Ok(line) = std::env::var(COMMAND) else { return false };
    let [command, call, fate, root] = line.splitn(4, ' ').collect::<Vec<_>>()[..] else { panic!("{line}: no command") };
    let fates = [Fate::EndBefore, Fate::EndWithin, Fate::EndAfter];
    let fate = fates.into_iter().find(|known| format!("{known:?}") == fate).expect("a fate");
    let (call, command) = (call.parse().expect("a number"), Command::ALL[command.parse::<usize>().expect("a number")]);
    let trace = Trace::begin(Path::new(root), false, Some(Plan { call, fate, end: End::Killed }));
    assert_eq!(command.run(Path::new(root)), 0, "{line}");
    drop(trace);
    true
}

/// Crashes all commands, and says what was counted.
pub(crate) fn sweep(arguments: &[&str]) -> Verdict {
    let (mut every, mut seed) = (1, 1);
    for argument in arguments {
        match argument.split_once('=').and_then(|(name, value)| Some((name, value.parse::<usize>().ok()?))) {
            Some(("every", value)) => every = value.max(1),
            Some(("seed", value)) => seed = value as u64,
            _ => return Err(format!("{argument}: there are every=N, seed=N")),
        }
    }
    for command in Command::ALL {
        let crashed = Crashes::new(command, every, seed).run()?;
        say(&format!("{command:?}: {crashed:?}"));
    }
    Ok(())
}
