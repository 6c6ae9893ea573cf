//! Parts shared by all benches: the data, the queries, options, clocks and plain text output.
//!
//! **Data.** 80% of the fingerprints are uniform. The others are in clusters: 1 to 200 copies of a random uniform
//! fingerprint, each with 0 to 6 bits flipped. The number of copies is the least of four draws, so that small clusters
//! are more common and a query finds about 1.3 documents. Copies without a flipped bit (about 3% of the data) give
//! fingerprints that several documents share. The order is shuffled, so that neither document numbers nor the order in
//! memory reveal the clusters.
//!
//! **Queries.** Half of the queries are stored values with 0 to 3 bits flipped, half are uniform.
//!
//! All values are drawn from SplitMix64 (Steele, Lea, Flood 2014) with a seed that is printed with the figures: the
//! same size and seed give the same data everywhere.
#![allow(dead_code, unreachable_pub, reason = "each bench uses its part of this module")]
#![allow(clippy::print_stdout, reason = "figures are printed as plain text")]

pub mod asked;
pub mod looks;
pub mod memory;
pub mod second_count;
pub mod sorted;

use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, Parser};
pub use nddb_test_support::Random;

/// The seed of all figures in README.md.
pub const SEED: u64 = 2007;

/// Returns `len` fingerprints, 20% of them in clusters.
pub fn fingerprints(len: usize, seed: u64) -> Vec<u64> {
    let mut random = Random(seed);
    let lone = len - len / 5;
    let mut prints: Vec<u64> = Vec::with_capacity(len);
    prints.extend((0..lone).map(|_| random.next()));
    while prints.len() < len {
        let centre = prints[random.index(lone)];
        let least = (0..4).map(|_| random.index(200)).min().unwrap_or(0);
        let size = (1 + least).min(len - prints.len());
        for _ in 0..size {
            let flips = random.index(7);
            prints.push(random.flip(centre, flips));
        }
    }
    // Shuffles by the algorithm of Fisher and Yates.
    for last in (1..len).rev() {
        prints.swap(last, random.index(last + 1));
    }
    prints
}

/// Returns `len` uniform fingerprints.
pub fn uniform(len: usize, seed: u64) -> Vec<u64> {
    let mut random = Random(seed);
    (0..len).map(|_| random.next()).collect()
}

/// Returns `len` queries in random order: half are stored values with 0 to 3 bits flipped, half are uniform.
pub fn queries(stored: &[u64], len: usize, seed: u64) -> Vec<u64> {
    let mut random = Random(seed ^ 0x5155_4552_4945_5321);
    let draw = |_| {
        if random.next() >> 63 == 0 {
            return random.next();
        }
        let (value, flips) = (stored[random.index(stored.len())], random.index(4));
        random.flip(value, flips)
    };
    (0..len).map(draw).collect()
}

/// The options of every bench. Each bench has its own defaults of `--len` and `--queries`.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of stored fingerprints, or documents.
    pub len: usize,
    /// Whether `--len` was given.
    pub sized: bool,
    /// Number of queries.
    pub queries: usize,
    /// Seed of the data.
    pub seed: u64,
    /// Folder for databases; a temporary one by default.
    pub dir: Option<PathBuf>,
    /// Whether this is a quick run at a tiny size, which only shows that the bench works (in continuous integration).
    pub test: bool,
    rounds: Option<usize>,
    /// Levels of the scheme, unless the planner chooses.
    pub levels: Option<Vec<u8>>,
    /// Restart interval of the scheme, if given.
    pub restart: Option<u16>,
}

/// The command line of a bench: the options of all benches, and its own in `More`.
#[derive(Parser)]
struct CommandLine<More: Args> {
    /// Stored fingerprints, or documents: 20K, 10M.
    #[arg(long, value_parser = count)]
    len: Option<usize>,
    /// Queries, or pairs: 20K, 1M.
    #[arg(long, value_parser = count)]
    queries: Option<usize>,
    /// Number of rounds; figures are medians.
    #[arg(long)]
    rounds: Option<usize>,
    /// Seed of the data.
    #[arg(long, default_value_t = SEED)]
    seed: u64,
    /// Folder for databases [default: a temporary one].
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Levels of the scheme, as 5 or 4,4 [default: the planner's choice].
    #[arg(long, value_delimiter = ',')]
    levels: Option<Vec<u8>>,
    /// Restart interval of the scheme.
    #[arg(long)]
    restart: Option<u16>,
    /// A quick run at a tiny size.
    #[arg(long)]
    test: bool,
    /// Passed by cargo.
    #[arg(long, hide = true)]
    bench: bool,
    #[command(flatten)]
    more: More,
}

/// No options of its own.
#[derive(Args)]
pub struct NoMore {}

impl Options {
    /// Reads the command line. `len` and `queries` are the defaults of `--len` and `--queries`. With `--test`, they are
    /// at most 20,000 and 1,000, even if the options say more.
    pub fn read<More: Args>(len: usize, queries: usize) -> (Self, More) {
        let line = CommandLine::<More>::parse();
        let most = |number: usize, most: usize| if line.test { number.min(most) } else { number };
        let options = Self {
            len: most(line.len.unwrap_or(len), 20_000),
            sized: line.len.is_some(),
            queries: most(line.queries.unwrap_or(queries), 1_000),
            seed: line.seed,
            dir: line.dir,
            test: line.test,
            rounds: line.rounds,
            levels: line.levels,
            restart: line.restart,
        };
        (options, line.more)
    }

    /// Returns the number of measurements: the value of `--rounds`, one in a test, else `usual`.
    pub fn rounds(&self, usual: usize) -> usize {
        self.rounds.unwrap_or(if self.test { 1 } else { usual }).max(1)
    }

    /// Returns the parameters of a database of k = 3.
    pub fn config(&self) -> nddb::Config {
        self.config_within(3)
    }

    /// Returns the parameters of a database, with the scheme chosen by the planner, unless `--levels` (such as `5` or
    /// `4,4`) and `--restart` are given.
    pub fn config_within(&self, k: u8) -> nddb::Config {
        let mut config = nddb::Config::within(k).expect("a distance");
        if let Some(levels) = &self.levels {
            config = config.levels(levels).expect("a scheme");
        }
        match self.restart {
            Some(restart) => config.restart(restart).expect("a restart interval"),
            None => config,
        }
    }

    /// Creates a folder for databases, which is removed when dropped.
    pub fn folder(&self) -> tempfile::TempDir {
        let result = match &self.dir {
            Some(dir) => std::fs::create_dir_all(dir).and_then(|()| tempfile::tempdir_in(dir)),
            None => tempfile::tempdir(),
        };
        result.expect("a folder for the databases of this bench")
    }
}

/// Reads a number with an optional K, M or G (thousands).
pub fn count(text: &str) -> Result<usize, String> {
    let (digits, factor) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 1e3),
        Some(b'm' | b'M') => (&text[..text.len() - 1], 1e6),
        Some(b'g' | b'G') => (&text[..text.len() - 1], 1e9),
        _ => (text, 1.0),
    };
    let number: f64 = digits.parse().map_err(|_| "a number like 10M".to_owned())?;
    Ok((number * factor) as usize)
}

/// A clock that measures wall time and processor time of the process from its start.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    wall: Instant,
    cpu: Duration,
    own: Duration,
}

/// The time that a [`Clock`] has measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// Wall time.
    pub wall: Duration,
    /// Processor time of all threads, in user mode and in the kernel.
    pub cpu: Duration,
    /// The part of `cpu` that the calling thread spent.
    pub own: Duration,
}

impl Clock {
    /// Starts measuring.
    pub fn start() -> Self {
        Self { cpu: cpu_time(), own: own_time(), wall: Instant::now() }
    }

    /// Returns the time spent since the start.
    pub fn spent(&self) -> Spent {
        let wall = self.wall.elapsed();
        Spent { wall, cpu: cpu_time().saturating_sub(self.cpu), own: own_time().saturating_sub(self.own) }
    }
}

/// Measures the time that `work` takes.
pub fn measure<T>(work: impl FnOnce() -> T) -> (T, Spent) {
    let clock = Clock::start();
    let result = work();
    (result, clock.spent())
}

/// Returns the processor time of this process.
fn cpu_time() -> Duration {
    clock_time(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// Returns the processor time of the calling thread.
fn own_time() -> Duration {
    clock_time(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn clock_time(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is valid for the call to write to.
    let outcome = unsafe { libc::clock_gettime(clock, &mut time) };
    assert_eq!(outcome, 0, "the system has a clock of processor time");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

impl Spent {
    /// Returns the processor time per item for `len` items, in microseconds.
    pub fn cpu_us(&self, len: usize) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / len.max(1) as f64
    }

    /// Returns the processor time of the calling thread per item for `len` items, in microseconds.
    pub fn own_us(&self, len: usize) -> f64 {
        self.own.as_secs_f64() * 1e6 / len.max(1) as f64
    }

    /// Returns the wall time per item for `len` items, in microseconds.
    pub fn wall_us(&self, len: usize) -> f64 {
        self.wall.as_secs_f64() * 1e6 / len.max(1) as f64
    }
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} CPU s, {:.2} s", self.cpu.as_secs_f64(), self.wall.as_secs_f64())
    }
}

/// Returns the quantile `part` (0 to 1) of the values: this share of the values does not exceed it. Sorts the values.
pub fn quantile<T: Copy + PartialOrd>(values: &mut [T], part: f64) -> T {
    values.sort_unstable_by(|a, b| a.partial_cmp(b).expect("numbers"));
    values[((values.len() as f64 * part) as usize).min(values.len() - 1)]
}

/// Returns the median of the values.
pub fn median(values: &[f64]) -> f64 {
    quantile(&mut values.to_vec(), 0.5)
}

/// Prints a figure: its name, the measured value and the target.
pub fn figure(what: &str, value: impl fmt::Display, goal: &str) {
    let goal = if goal.is_empty() { String::new() } else { format!("   (to reach: {goal})") };
    println!("{what:<52} {value:>10}{goal}");
}

/// Prints a line of text.
pub fn say(text: impl fmt::Display) {
    println!("{text}");
}

/// Asks the system to drop the pages of all files in a folder from its page cache, after writing them. Without root,
/// this works only for files that no process has mapped.
pub fn drop_from_page_cache(folder: &std::path::Path) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            drop_from_page_cache(&path);
            continue;
        }
        let Ok(file) = std::fs::File::open(&path) else { continue };
        let _ = file.sync_all();
        // SAFETY: the descriptor is open during the call.
        let _ = unsafe { libc::posix_fadvise(std::os::fd::AsRawFd::as_raw_fd(&file), 0, 0, libc::POSIX_FADV_DONTNEED) };
    }
}
