//! Many processes at one database: readers, a writer that is killed and started again, backups and checks beside it.
//! Every view is that of one commit, as a whole: none before what was acknowledged when it was taken, none that had not
//! begun, and never an older one than before.
//!
//! The commits are numbered (`support::commits`). Two files tell all processes which is the last that has begun and the
//! last that was acknowledged.

use std::fs;
use std::io::{Read, Seek};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use nddb::{CheckOptions, Error, Reader, Writer};

use crate::judge::Verdict;
use crate::support::commits;
use crate::support::steps::create;
use crate::support::{Random, folder, say, small_thresholds};

/// The variable with what a process is to do.
const ROLE: &str = "NDDB_CRASH_ROLE";
/// Longest life of a writer, in milliseconds.
const LIFE_MS: u64 = 1500;

/// How long the processes run, and how many read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Processes {
    pub(crate) time: Duration,
    pub(crate) readers: usize,
    pub(crate) seed: u64,
}

/// What has been counted.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(not(test), expect(dead_code, reason = "the program prints them"))]
pub(crate) struct Counts {
    /// Commits that were acknowledged.
    pub(crate) commits: u64,
    /// Writers that were killed.
    pub(crate) kills: u64,
    /// Views that were compared with the model.
    pub(crate) views: u64,
    /// Backups that were verified, restored and read.
    pub(crate) backups: u64,
    /// Checks beside the writer.
    pub(crate) checks: u64,
}

impl Processes {
    /// Reads what is asked for.
    pub(crate) fn of(arguments: &[&str]) -> Verdict<Self> {
        let mut all = Self { time: Duration::from_secs(600), readers: 8, seed: 1 };
        for argument in arguments {
            let known = argument.split_once('=').and_then(|(name, value)| Some((name, value.parse::<u64>().ok()?)));
            match known {
                Some(("seconds", value)) => all.time = Duration::from_secs(value),
                Some(("readers", value)) => all.readers = value as usize,
                Some(("seed", value)) => all.seed = value,
                _ => return Err(format!("{argument}: there are seconds=N, readers=N, seed=N")),
            }
        }
        Ok(all)
    }

    /// Lets them run, and says what was counted.
    pub(crate) fn run(self) -> Verdict<Counts> {
        let (folder, mut random) = (folder(), Random::fixed(self.seed));
        let place = ProcessFolder(folder.path().to_owned());
        place.begin();
        let others = ["back up", "check"].into_iter().chain(std::iter::repeat_n("read", self.readers));
        let mut others: Vec<Process> = others.map(|role| place.start(role, random.next())).collect();
        let (begun, mut kills) = (Instant::now(), 0);
        let mut failed = None;
        while failed.is_none() && begun.elapsed() < self.time {
            let mut writer = place.start("write", random.next());
            let until = Instant::now() + Duration::from_millis(20 + random.below(LIFE_MS));
            while failed.is_none() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(10));
                failed = others.iter_mut().chain([&mut writer]).find_map(Process::has_ended);
            }
            writer.child.kill().and_then(|()| writer.child.wait()).map_err(|error| error.to_string())?;
            kills += 1;
        }
        place.stop();
        for process in &mut others {
            let ended = process.child.wait().map_err(|error| error.to_string())?;
            failed = failed.or_else(|| (!ended.success()).then(|| process.last_words(ended)));
        }
        if let Some(words) = failed {
            let kept = folder.keep();
            return Err(format!("seed {}: {words}\nIts database is in {}", self.seed, kept.display()));
        }
        let writer = Writer::open(place.database()).map_err(|error| format!("no writer opens it: {error:?}"))?;
        let commit = commits::newest(&writer.view(), place.number("acknowledged"), place.number("begun"));
        commits::assert_whole(&writer.view(), commit, &mut random);
        drop(writer);
        place.is_sound()?;
        let counts = Counts {
            commits: place.number("acknowledged"),
            kills,
            views: place.sum("views"),
            backups: place.sum("backups"),
            checks: place.sum("checks"),
        };
        say(&format!("{} readers, seed {}, {:?}: {counts:?}", self.readers, self.seed, begun.elapsed()));
        Ok(counts)
    }
}

/// A process that is killed if its parent gives up.
struct Process {
    child: Child,
    role: String,
    /// What it writes to stderr.
    said: fs::File,
}

impl Process {
    /// Returns what it said, if it has ended.
    fn has_ended(&mut self) -> Option<String> {
        self.child.try_wait().ok().flatten().map(|ended| self.last_words(ended))
    }

    fn last_words(&mut self, ended: ExitStatus) -> String {
        let mut words = String::new();
        let read = self.said.rewind().and_then(|()| self.said.read_to_string(&mut words));
        let words = read.map_or_else(|error| error.to_string(), |_| words);
        format!("the process that is to {} ends, {ended}: {}", self.role, words.trim())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The folder of all processes: the database, and files of numbers.
struct ProcessFolder(PathBuf);

impl ProcessFolder {
    fn database(&self) -> PathBuf {
        self.0.join("db")
    }

    fn begin(&self) {
        self.note("begun", 0);
        commits::make(&mut create(&self.database()), 0);
        self.note("acknowledged", 0);
    }

    /// Writes a number so that it is read as a whole.
    fn note(&self, name: &str, number: u64) {
        let path = self.0.join(name);
        let new = path.with_extension(format!("new-{}", std::process::id()));
        fs::write(&new, number.to_string()).and_then(|()| fs::rename(&new, &path)).expect("the folder is writable");
    }

    fn number(&self, name: &str) -> u64 {
        fs::read_to_string(self.0.join(name)).expect("it is there").parse().expect("a number")
    }

    /// Returns the sum of the numbers that processes have noted under names that begin so.
    fn sum(&self, name: &str) -> u64 {
        let entries = fs::read_dir(&self.0).expect("a folder").map(|entry| entry.expect("an entry").file_name());
        let names = entries.filter_map(|entry| entry.into_string().ok()).filter(|entry| entry.starts_with(name));
        names.map(|entry| self.number(&entry)).sum()
    }

    fn stop(&self) {
        self.note("stop", 0);
    }

    fn goes_on(&self) -> bool {
        !self.0.join("stop").exists()
    }

    fn is_sound(&self) -> Verdict {
        let report = nddb::check(self.database(), &CheckOptions::default(), &mut |_| true);
        match report {
            Ok(report) if report.is_sound() => Ok(()),
            other => Err(format!("the check says {other:?}")),
        }
    }

    /// Starts a process with a role: this program once more.
    fn start(&self, role: &str, seed: u64) -> Process {
        let mut command = Command::new(std::env::current_exe().expect("the program knows where it is"));
        if cfg!(test) {
            command.args(["tests::a_child_does_its_task", "--exact", "--nocapture", "--test-threads=1"]);
            command.stdout(std::process::Stdio::null());
        }
        let said = tempfile::tempfile().expect("a file");
        command.stderr(said.try_clone().expect("a file"));
        command.env(ROLE, format!("{seed}:{role}:{}", self.0.display()));
        Process { child: command.spawn().expect("the program can be run again"), role: role.to_owned(), said }
    }

    /// Asserts that what a reader sees is the state after one commit, at least that which was acknowledged before it
    /// looked.
    fn assert_view(&self, reader: &Reader, least: u64, random: &mut Random) -> u64 {
        let commit = commits::newest(&reader.view(), least, self.number("begun"));
        commits::assert_whole(&reader.view(), commit, random);
        commit
    }

    fn write(&self, random: &mut Random) {
        let path = self.database();
        let mut writer = Writer::open(&path).expect("opened without repair");
        writer.merge_in_background(random.percent(70));
        // What had begun when the writer before was killed was done, or not at all.
        let mut commit = commits::newest(&writer.view(), self.number("acknowledged"), self.number("begun"));
        commits::complete(&mut writer, commit);
        self.note("acknowledged", commit);
        loop {
            commit += 1;
            self.note("begun", commit);
            commits::make(&mut writer, commit);
            self.note("acknowledged", commit);
            writer = commits::keep_up(writer, &path, commit, random);
        }
    }

    fn read(&self, random: &mut Random) {
        let path = self.database();
        let mut reader = Reader::open(&path).expect("opened");
        let (mut views, mut before) = (0, 0);
        while self.goes_on() {
            let least = self.number("acknowledged").max(before);
            if random.percent(20) {
                reader = Reader::open(&path).expect("opened");
            } else {
                reader.refresh().expect("refreshed");
            }
            before = self.assert_view(&reader, least, random);
            if random.percent(20) {
                // Without a refresh nothing changes, whatever happens meanwhile.
                std::thread::sleep(Duration::from_millis(random.below(100)));
                commits::assert_whole(&reader.view(), before, random);
            }
            views += 1;
        }
        self.note(&format!("views {}", std::process::id()), views);
    }

    fn back_up(&self, random: &mut Random) {
        let (backup, restored) = (self.0.join("backup"), self.0.join("restored"));
        let mut backups = 0;
        while self.goes_on() {
            let least = self.number("acknowledged");
            match nddb::backup(self.database(), &backup, &mut |_| true) {
                Err(Error::Busy { .. }) => continue,
                outcome => drop(outcome.expect("backed up")),
            }
            let report = nddb::verify_backup(&backup, &CheckOptions::default(), &mut |_| true).expect("verified");
            assert!(report.is_sound(), "{report:#?}");
            nddb::restore(&backup, &restored, &mut |_| true).expect("restored");
            self.assert_view(&Reader::open(&restored).expect("opened"), least, random);
            for folder in [&backup, &restored] {
                fs::remove_dir_all(folder).expect("removed");
            }
            backups += 1;
        }
        self.note("backups", backups);
    }

    fn check(&self) {
        let mut checks = 0;
        while self.goes_on() {
            self.is_sound().unwrap_or_else(|why| panic!("beside the writer: {why}"));
            checks += 1;
        }
        self.note("checks", checks);
    }
}

/// Does what this process is to do, if it is one of them. Returns whether it is.
pub(crate) fn do_role() -> bool {
    let Ok(line) = std::env::var(ROLE) else { return false };
    small_thresholds();
    let [seed, role, root] = line.splitn(3, ':').collect::<Vec<_>>()[..] else { panic!("{line}: no role") };
    let (place, random) = (ProcessFolder(root.into()), &mut Random::fixed(seed.parse().expect("a number")));
    match role {
        "write" => place.write(random),
        "read" => place.read(random),
        "back up" => place.back_up(random),
        "check" => place.check(),
        _ => panic!("{line}: no such role"),
    }
    true
}
