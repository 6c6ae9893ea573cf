//! A database that a process of its own opens and asks, as a user's does.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use clap::Args;
use nddb::{Fingerprint, Writer};
use nddb_index::testing;

use super::{Options, measure, say};

/// Number of queries beside a database.
const QUERIES: usize = 100_000;

/// The databases of a bench that starts itself.
#[derive(Args)]
pub struct Paths {
    /// The database; created if it does not exist [default: in a temporary folder].
    #[arg(long)]
    db: Option<PathBuf>,
    /// Opens and queries this database: the task of a measured process.
    #[arg(long, hide = true)]
    pub ask: Option<PathBuf>,
}

impl Paths {
    /// Returns the path of the database, by default in `folder`, and makes it unless it exists.
    pub fn database(self, folder: &Path, options: &Options) -> PathBuf {
        let path = self.db.unwrap_or_else(|| folder.join("db"));
        if !path.exists() {
            make(&path, options);
        }
        path
    }
}

/// Makes a database with one run in `path`, with queries beside it.
fn make(path: &Path, options: &Options) {
    let stored = super::fingerprints(options.len, options.seed);
    let config = options.config();
    Writer::create(path, &config).and_then(Writer::close).expect("a new database");
    let (_, spent) = measure(|| testing::add_run(path, &config, &stored, 1).expect("a run"));
    say(format_args!("{} fingerprints, seed {}, made in {spent}", options.len, options.seed));
    let queries = super::queries(&stored, QUERIES, options.seed);
    let bytes: Vec<u8> = queries.iter().flat_map(|query| query.to_le_bytes()).collect();
    std::fs::write(path.join("queries"), bytes).expect("the queries");
}

/// Returns `len` of the queries beside a database; each seed begins elsewhere.
pub fn queries(path: &Path, len: usize, seed: u64) -> Vec<Fingerprint> {
    let bytes = std::fs::read(path.join("queries")).expect("the queries");
    let mut queries: Vec<Fingerprint> =
        bytes.as_chunks().0.iter().map(|bytes| Fingerprint(u64::from_le_bytes(*bytes))).collect();
    let index = (seed as usize * 7_919) % queries.len();
    queries.rotate_left(index);
    queries.truncate(len);
    queries
}

/// What a process used from its start to its end.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    /// Processor time, in user mode and in the kernel.
    pub cpu: Duration,
    /// The part of `cpu` in the kernel.
    pub kernel: Duration,
    /// Page faults, with and without a read from disk.
    pub faults: u64,
}

/// Runs this program again with other arguments. Returns the words that it prints, as numbers, and what it used.
#[allow(clippy::zombie_processes, reason = "wait4 waits for it, and says what it used")]
pub fn again(arguments: &[&str]) -> (Vec<f64>, Used) {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    let mut child = command.args(arguments).stdout(std::process::Stdio::piped()).spawn().expect("this program again");
    let text = std::io::read_to_string(child.stdout.take().expect("its output")).expect("text");
    let child = child.id() as libc::pid_t;
    // SAFETY: both structures are valid for the call to write to, and nobody else waits for the process.
    let (status, usage) = unsafe {
        let (mut status, mut usage): (libc::c_int, libc::rusage) = (0, std::mem::zeroed());
        assert_eq!(libc::wait4(child, &mut status, 0, &mut usage), child, "it ends");
        (std::process::ExitStatus::from_raw(status), usage)
    };
    assert!(status.success(), "{status}");
    let time = |time: libc::timeval| Duration::new(time.tv_sec as u64, 1000 * time.tv_usec as u32);
    let kernel = time(usage.ru_stime);
    let faults = (usage.ru_minflt + usage.ru_majflt) as u64;
    let figures = text.split_whitespace().map(|figure| figure.parse().expect("a figure")).collect();
    (figures, Used { cpu: kernel + time(usage.ru_utime), kernel, faults })
}
