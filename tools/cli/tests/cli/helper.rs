//! A folder to run commands in, and a command with its outcome.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use nddb::archive::{Compression, Response, WarcWriter};
use serde_json::Value;
use tempfile::TempDir;

/// A folder that goes away with the test.
pub(crate) struct Dir(TempDir);

impl Dir {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    /// A folder with the database `db`, of the default parameters.
    pub(crate) fn with_database() -> Self {
        let dir = Self::new();
        dir.nddb(["create", "db"]).done();
        dir
    }

    /// A folder with the database `db`, whose sketches are of whole pages: digits make a difference.
    pub(crate) fn with_database_of_whole_pages() -> Self {
        let dir = Self::new();
        dir.nddb(["create", "db", "--recipe", "web"]).done();
        dir
    }

    /// A folder with the database `db` of three documents a, b and c, the first two one bit apart.
    pub(crate) fn with_documents() -> Self {
        let dir = Self::with_database();
        dir.write("three.tsv", b"a\t00000000000000ff\nb\t00000000000000fe\nc\tffffffff00000000\n");
        dir.nddb(["load", "db", "three.tsv"]).done();
        dir
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).expect("the folder is writable");
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("the file is there")
    }

    /// Expects no lock and no temporary file of an output in this folder.
    #[track_caller]
    pub(crate) fn is_clean(&self) {
        for entry in fs::read_dir(self.0.path()).expect("a folder").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            assert!(!name.contains(".nddb-"), "{name} is left");
        }
    }

    /// Writes fingerprints of eight bytes each.
    pub(crate) fn write_prints(&self, name: &str, prints: &[u64]) {
        let bytes: Vec<u8> = prints.iter().flat_map(|print| print.to_le_bytes()).collect();
        self.write(name, &bytes);
    }

    /// Writes a WARC file of HTML pages, as (address, body).
    pub(crate) fn write_warc(&self, name: &str, pages: &[(&str, &str)]) {
        let compression = if name.ends_with(".gz") { Compression::Gzip } else { Compression::Plain };
        let mut writer = WarcWriter::new(Vec::new(), compression);
        let headers = [("Content-Type", "text/html; charset=utf-8")];
        for (url, body) in pages {
            let body = body.as_bytes();
            let page = Response { url, date: 1_700_000_000, id: Some(url), status: 200, headers: &headers, body };
            writer.response(&page).expect("memory is writable");
        }
        self.write(name, &writer.finish().expect("memory is writable"));
    }

    /// A command that runs in this folder.
    pub(crate) fn nddb<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> TestCommand {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nddb"));
        command.args(args).current_dir(self.0.path()).env_remove("NDDB_DB");
        TestCommand { command, stdin: Vec::new() }
    }

    /// `nddb-lab`, which runs in this folder.
    pub(crate) fn lab<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> TestCommand {
        let mut command = Command::new(lab());
        command.args(args).current_dir(self.0.path()).env_remove("NDDB_DB");
        TestCommand { command, stdin: Vec::new() }
    }
}

/// The program `nddb-lab`, which is another package: tests of the workspace build it beside `nddb`.
pub(crate) fn lab() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_nddb")).with_file_name("nddb-lab");
    assert!(path.exists(), "{} is missing: cargo build -p nddb-lab", path.display());
    path
}

/// A command to be run.
pub(crate) struct TestCommand {
    command: Command,
    stdin: Vec<u8>,
}

/// How a command ended, and what it wrote.
pub(crate) struct Ran {
    what: String,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl TestCommand {
    pub(crate) fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.stdin = text.into();
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Starts it, with pipes to and from.
    pub(crate) fn start(&mut self) -> Child {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        self.command.spawn().expect("nddb can be started")
    }

    /// Runs it to its end.
    pub(crate) fn run(mut self) -> Ran {
        let what = format!("{:?}", self.command);
        let mut child = self.start();
        let mut input = child.stdin.take().expect("a pipe");
        let bytes = std::mem::take(&mut self.stdin);
        // It need not read all that it is given.
        let feeder = std::thread::spawn(move || drop(input.write_all(&bytes)));
        let output = child.wait_with_output().expect("nddb comes to an end");
        feeder.join().expect("the feeder comes to an end");
        Ran::of(what, output)
    }

    /// Runs it, without input, to its end, which must come within this time. Returns the most memory that it was seen
    /// to take, in KB, too: 0 where the system does not tell.
    pub(crate) fn watched(mut self, limit: Duration) -> (Ran, u64) {
        let what = format!("{:?}", self.command);
        let (begun, mut child, mut peak) = (Instant::now(), self.start(), 0);
        drop(child.stdin.take());
        while child.try_wait().expect("it can be waited for").is_none() {
            peak = peak_memory(child.id()).max(peak);
            if begun.elapsed() > limit {
                child.kill().expect("it can be ended");
                panic!("{what} does not come to an end");
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        (Ran::of(what, child.wait_with_output().expect("it has ended")), peak)
    }

    /// Runs it and expects success.
    pub(crate) fn done(self) -> Ran {
        self.ends(0)
    }

    /// Runs it and expects this exit code.
    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Ran {
        let ran = self.run();
        ran.ended(code);
        ran
    }

    /// Runs it and expects this exit code, nothing on stdout, and a message with all of these words.
    #[track_caller]
    pub(crate) fn tells(self, code: i32, words: &[&str]) -> Ran {
        let ran = self.ends(code);
        assert_eq!(ran.stdout, "", "{}", ran.what);
        ran.says(words);
        ran
    }
}

impl Ran {
    fn of(what: String, output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("nddb writes UTF-8");
        Self { what, code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Expects this exit code.
    #[track_caller]
    pub(crate) fn ended(&self, code: i32) {
        assert_eq!(self.code, Some(code), "{}\nstdout: {}\nstderr: {}", self.what, self.stdout, self.stderr);
    }

    /// Expects all of these words on stderr.
    #[track_caller]
    pub(crate) fn says(&self, words: &[&str]) {
        for word in words {
            assert!(self.stderr.contains(word), "{}\nlacks {word:?} on stderr: {}", self.what, self.stderr);
        }
    }

    /// The lines of stdout as JSON.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let read = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error}: {line}", self.what));
        self.stdout.lines().map(read).collect()
    }

    /// The one line of stdout as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let mut lines = self.lines();
        assert_eq!(lines.len(), 1, "{}: {}", self.what, self.stdout);
        lines.remove(0)
    }
}

/// Pages as (address, date, body), each a record in a frame of zstd, of two files with a dictionary each that were
/// concatenated.
pub(crate) fn concatenated(files: [&[(&str, i64, &str)]; 2]) -> Vec<u8> {
    let record = |&(url, date, body): &(&str, i64, &str)| {
        let mut writer = WarcWriter::new(Vec::new(), Compression::Plain);
        let headers = [("Content-Type", "text/html; charset=utf-8")];
        let page = Response { url, date, id: Some(url), status: 200, headers: &headers, body: body.as_bytes() };
        writer.response(&page).expect("memory is writable");
        writer.finish().expect("memory is writable")
    };
    let samples: Vec<Vec<u8>> =
        (0..40).map(|sample| record(&("http://example.org/sample", sample, &format!("<p>sample {sample}")))).collect();
    let mut all = Vec::new();
    for (file, size) in files.iter().zip([2048, 1024]) {
        let dictionary = zstd::dict::from_samples(&samples, size).expect("there are samples enough");
        all.extend(b"\x5d\x2a\x4d\x18");
        all.extend((dictionary.len() as u32).to_le_bytes());
        all.extend(&dictionary);
        let mut compressor = zstd::bulk::Compressor::with_dictionary(3, &dictionary).expect("a dictionary");
        for page in *file {
            all.extend(compressor.compress(&record(page)).expect("memory is writable"));
        }
    }
    all
}

/// The most memory that a process has taken so far, in KB; 0 if it has ended, or where the system does not tell.
fn peak_memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
    peak.unwrap_or(0)
}

/// The keys of a JSON object, in order.
pub(crate) fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// The ids of the matches of an answer.
pub(crate) fn ids(answer: &Value) -> Vec<&str> {
    let matches = answer["matches"].as_array().expect("matches");
    matches.iter().map(|found| found["id"].as_str().expect("an id")).collect()
}

/// Numbers that look random: SplitMix64.
pub(crate) fn prints(len: usize) -> Vec<u64> {
    (1..=len as u64).map(|index| nddb_format::digest::mix(index.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect()
}

/// Copies a folder with all that is in it.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy_folder(&from, &to);
        } else {
            fs::copy(from, to).expect("copied");
        }
    }
}
