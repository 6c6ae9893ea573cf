//! Eight billion fingerprints in one table, and a million queries in a batch (Manku 2007, 4.1).
//!
//! `cargo bench --bench eight_billion -- --len 8G --dir FOLDER [--queries 1M] [--threads 2] [--restart 0]
//! [--segments 16]`
//!
//! The fingerprints are made in ascending order, twice: once for the headers of the segments, once for their blocks.
//! Only table 0 is written, in 16 segments of equal parts of all values. The folder needs 4.4 bytes a fingerprint. With
//! `--segments 1`, only the first segment is made: the costs of a fingerprint are those of the whole table.
//! A second, independent way of counting finds all matches of a sample of the queries while the data is made.
#![allow(clippy::print_stdout, reason = "figures are printed as plain text")]

mod common;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;
use common::second_count::{Match, Sample};
use common::sorted::Sorted;
use common::{Options, Random, Spent, drop_from_page_cache, figure, measure, memory::Watched, say};
use nddb::scan::scan_segments;
use nddb::{Fingerprint, Within};
use nddb_format::FormatError;
use nddb_format::scheme::Scheme;
use nddb_format::segment::{Segment, SegmentEncoder, Survey};

/// Number of segments: a power of two, at most as many as the data has parts.
const SEGMENTS: u64 = 16;
/// Queries of which all matches are counted in two ways.
const SAMPLE: usize = 1000;
/// Bytes that are written at a time.
const WRITE_SIZE: usize = 4 << 20;
const K: u32 = 3;

#[derive(Args)]
struct More {
    /// Threads that make the data and answer the batch.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// A folder for every third segment, if one disk has no room for all.
    #[arg(long)]
    third: Option<PathBuf>,
    /// Number of segments that are made.
    #[arg(long, default_value_t = SEGMENTS, value_parser = clap::value_parser!(u64).range(1..=SEGMENTS))]
    segments: u64,
}

fn main() {
    let (options, More { threads, third, segments }) = Options::read::<More>(100_000_000, 1_000_000);
    let restart = options.restart.unwrap_or(0);
    let scheme = Scheme::new(64, K as u8, &[], restart).expect("the scheme of one table");
    let data = Sorted::new(options.len as u64, options.seed);
    let folder = options.folder();
    let third = third.map(|third| tempfile::tempdir_in(third).expect("a second folder"));
    let folder_of = |segment: u64| match &third {
        Some(third) if segment % 3 == 2 => third.path(),
        _ => folder.path(),
    };

    let (surveyed, spent) = measure(|| each(threads, segments, |segment| survey(&data, &scheme, segment, &options)));
    let len: u64 = surveyed.iter().map(|(survey, _)| survey.count()).sum();
    say(format_args!("{len} distinct fingerprints, R = {restart}, {threads} threads, seed {}", options.seed));
    per(len, "making the data, first pass: the headers", spent);
    let planted: Vec<Match> = surveyed.iter().flat_map(|(_, planted)| planted).copied().collect();
    let mut random = Random(!options.seed);
    let mut queries: Vec<u64> = planted.iter().map(|pair| pair.0).collect();
    queries.resize_with(options.queries, || random.next());
    let sample =
        Sample::new(queries.iter().copied().step_by((queries.len() / SAMPLE).max(1)).collect(), K, options.test);

    let (written, spent) = measure(|| {
        each(threads, segments, |segment| {
            write(&data, &scheme, segment, &surveyed[segment as usize].0, &sample, folder_of(segment))
        })
    });
    per(len, "second pass: the blocks, and the second count", spent);
    let paths: Vec<&Path> = written.iter().map(|(path, _)| path.as_path()).collect();
    let mut counted: Vec<Match> = written.iter().flat_map(|(_, matches)| matches).copied().collect();
    counted.sort_unstable();
    let size: u64 = paths.iter().map(|path| std::fs::metadata(path).expect("a file").len()).sum();
    let bits = size as f64 * 8.0 / len as f64;
    figure("bytes of the table, GB", format_args!("{:.2}", size as f64 / 1e9), "");
    figure("bits a fingerprint", format_args!("{bits:.3}"), "");
    figure(
        "of the limit log2(C(2^64, n)) / n",
        format_args!("{:.4}", bits / limit((len * SEGMENTS / segments) as f64)),
        "1.08",
    );

    let drop_all = || (0..3).for_each(|segment| drop_from_page_cache(folder_of(segment)));
    drop_all();
    let (read, spent) = measure(|| read_whole(paths[0]));
    figure(
        "disk: one file read alone, MB a second",
        format_args!("{:.0}", read as f64 / spent.wall.as_secs_f64() / 1e6),
        "",
    );
    decode(paths[0]);
    drop_all();
    let prints: Vec<Fingerprint> = queries.iter().copied().map(Fingerprint).collect();
    for (how, goal) in [("page cache cold", ""), ("again", "100 s; 150 CPU s")] {
        let (watched, mut matches) = (Watched::start(), Vec::new());
        let kernel = kernel_seconds();
        let (read, spent) = measure(|| {
            let mut take = |query: u64, stored: Fingerprint, distance: u32| {
                let query = queries[query as usize];
                assert_eq!((query ^ stored.0).count_ones(), distance, "the distance is right");
                matches.push((query, stored.0));
                Ok(())
            };
            scan_segments(&paths, &prints, Within(K as u8), threads, &mut take).expect("answered")
        });
        assert_eq!(read, len, "everything is passed");
        matches.sort_unstable();
        matches.dedup();
        let goal = if segments == SEGMENTS { goal } else { "" };
        figure(&format!("batch of {} queries, {how}", queries.len()), spent, goal);
        figure("of it, in the kernel, CPU s", format_args!("{:.1}", kernel_seconds() - kernel), "");
        let rate = |seconds: f64| format!("{:.1}", len as f64 / seconds / 1e6);
        figure(
            "stored fingerprints, M per CPU s; per s",
            format_args!("{}; {}", rate(spent.cpu.as_secs_f64()), rate(spent.wall.as_secs_f64())),
            "80",
        );
        figure(
            "bytes of the table, MB a second",
            format_args!("{:.0}", size as f64 / spent.wall.as_secs_f64() / 1e6),
            "",
        );
        figure("greatest anonymous memory, MB", format_args!("{:.0}", watched.end()), "2000");
        let missing = planted.iter().filter(|pair| matches.binary_search(pair).is_err()).count();
        assert_eq!(missing, 0, "each planted match is found");
        let of_sample: Vec<Match> = matches.iter().copied().filter(|pair| sample.has(pair.0)).collect();
        assert!(of_sample == counted, "the sample has {} matches, the second count {}", of_sample.len(), counted.len());
        say(format_args!(
            "{} matches; all {} planted ones; the {} of a sample of {} queries equal those of the second count",
            matches.len(),
            planted.len(),
            counted.len(),
            sample.len()
        ));
    }
    drop_all();
    let (_, spent) = measure(|| each(threads, segments, |segment| verify(paths[segment as usize])));
    per(len, "check: all checksums, order, keys, count, digest", spent);
}

/// Calls `work` with the ordinal of each segment, some at a time. Returns the results in order.
fn each<T: Send>(threads: usize, segments: u64, work: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut made = Vec::new();
        loop {
            let segment = next.fetch_add(1, Ordering::Relaxed) as u64;
            if segment >= segments {
                return made;
            }
            made.push((segment, work(segment)));
        }
    };
    let mut made: Vec<(u64, T)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(worker)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread that ends")).collect()
    });
    made.sort_by_key(|one| one.0);
    made.into_iter().map(|one| one.1).collect()
}

/// Passes the values of the parts of a segment to `take`.
fn pass(data: &Sorted, segment: u64, mut take: impl FnMut(u64, &[u64])) {
    let (mut scratch, mut values) = (Vec::new(), Vec::new());
    let parts = data.parts() / SEGMENTS;
    for part in segment * parts..(segment + 1) * parts {
        data.part(part, &mut scratch, &mut values);
        take(part, &values);
    }
}

/// The first pass over a segment. Half of all queries are made of its fingerprints and their kin, by flipping 0 to 3
/// bits: these are returned with the fingerprint of which they are made.
fn survey(data: &Sorted, scheme: &Scheme, segment: u64, options: &Options) -> (Survey, Vec<Match>) {
    let (mut survey, mut planted) = (Survey::new(&scheme.tables()[0]), Vec::new());
    let each = options.queries as u64 / 2 / data.parts();
    pass(data, segment, |part, values| {
        values.iter().try_for_each(|&value| survey.push(value)).expect("ascending values");
        let mut random = Random(options.seed.rotate_left(32) ^ part);
        planted.extend((0..each).map(|_| {
            let (value, flips) = (values[random.index(values.len())], random.index(4));
            (random.flip(value, flips), value)
        }));
    });
    (survey, planted)
}

/// The second pass: writes the file of a segment. Returns its path and the matches of the sample.
fn write(
    data: &Sorted,
    scheme: &Scheme,
    segment: u64,
    survey: &Survey,
    sample: &Sample,
    folder: &Path,
) -> (PathBuf, Vec<Match>) {
    let path = folder.join(format!("{segment:02}.seg"));
    let mut file = std::fs::File::create(&path).expect("a new file");
    let (mut out, mut matches) = (Vec::new(), Vec::new());
    let header = survey.header(scheme, 0).expect("the survey is of this table");
    let mut encoder = SegmentEncoder::new(header, &mut out).expect("a complete code");
    pass(data, segment, |_, values| {
        for &value in values {
            encoder.push(value, &mut out).expect("ascending values");
        }
        sample.count(values, &mut matches);
        if out.len() > WRITE_SIZE {
            file.write_all(&out).expect("room for the file");
            out.clear();
        }
    });
    encoder.finish(&mut out).expect("both passes see the same");
    file.write_all(&out).and_then(|()| file.sync_data()).expect("room for the file");
    (path, matches)
}

/// Reads a file. Returns its size.
fn read_whole(path: &Path) -> usize {
    let (mut file, mut buffer) = (std::fs::File::open(path).expect("a file"), vec![0; WRITE_SIZE]);
    let mut size = 0;
    loop {
        match file.read(&mut buffer).expect("a file that can be read") {
            0 => return size,
            more => size += more,
        }
    }
}

fn open(path: &Path) -> Segment<memmap2::Mmap> {
    let file = std::fs::File::open(path).expect("a file");
    // SAFETY: this process has written the file, and nobody changes it.
    let map = unsafe { memmap2::Mmap::map(&file) }.expect("a map");
    map.advise(memmap2::Advice::Sequential).expect("advice");
    Segment::open(map).expect("a sound segment")
}

fn verify(path: &Path) {
    open(path).verify().expect("no damage");
}

/// Decodes a file that is in the page cache.
fn decode(path: &Path) {
    let (segment, mut len) = (open(path), 0);
    let (_, spent) = measure(|| {
        segment.scan(0, u64::MAX, &mut |values: &[u64]| {
            len += values.len();
            Ok::<_, FormatError>(())
        })
    });
    figure(
        "decoding alone, in the page cache, M per CPU s",
        format_args!("{:.0}", len as f64 / spent.cpu.as_secs_f64() / 1e6),
        "",
    );
}

fn per(len: u64, what: &str, spent: Spent) {
    figure(what, format_args!("{spent}; {:.1} CPU ns each", spent.cpu.as_secs_f64() * 1e9 / len as f64), "");
}

/// Returns the bits that any code needs for a set of `len` fingerprints of 64 bits, for each of them: Stirling's
/// approximation of log2(C(2^64, len)) / len.
fn limit(len: f64) -> f64 {
    64.0 - len.log2() + std::f64::consts::LOG2_E - (std::f64::consts::TAU * len).log2() / 2.0 / len
}

/// Returns the processor time of this process in the kernel, in seconds.
fn kernel_seconds() -> f64 {
    // SAFETY: the structure is valid for the call to write to.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::getrusage(libc::RUSAGE_SELF, &mut usage), 0, "the system counts");
        usage
    };
    usage.ru_stime.tv_sec as f64 + usage.ru_stime.tv_usec as f64 / 1e6
}
