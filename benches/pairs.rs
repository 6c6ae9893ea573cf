//! All pairs of a database: fingerprints within 3 bits from the tables of the runs, and supershingles with sorts on
//! disk.
//!
//! `cargo bench --bench pairs -- --len 10M`, `-- --sketches 10M`; without either option, both run at small sizes. The
//! sketches are random, but clustered like the fingerprints: each supershingle of a document in a cluster equals that
//! of the centre with probability one half.
#![allow(clippy::print_stdout, reason = "figures are printed as plain text")]

mod common;

use clap::Args;
use common::{Options, Random, figure, measure, say};
use nddb::detect::{Collection, Line, PairOptions, Resources};
use nddb::verdict::Method;
use nddb::verdict::methods::{B, Hamming};
use nddb::{Config, Document, Fingerprint, Reader, Within, Writer};

/// Memory limit for sorting fingerprints, in bytes.
const MEMORY: u64 = 128 << 20;

#[derive(Args)]
struct More {
    /// Number of documents with sketches: 200K.
    #[arg(long, value_parser = common::count)]
    sketches: Option<usize>,
}

fn main() {
    let (options, More { sketches }) = Options::read::<More>(1_000_000, 0);
    let folder = options.folder();
    if options.sized || sketches.is_none() {
        fingerprints(&folder.path().join("prints"), &options);
    }
    if !options.sized || sketches.is_some() {
        let most = if options.test { 5_000 } else { usize::MAX };
        supershingles(&folder.path().join("sketches"), sketches.unwrap_or(200_000).min(most), options.seed);
    }
}

/// Returns the peak of resident memory since the last call, in MB: without and with mapped pages of files.
fn resident() -> (f64, f64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|size| size.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
    };
    let seen = (field("RssAnon:"), field("VmHWM:"));
    // Resets the peak.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    seen
}

fn load(path: &std::path::Path, documents: impl Iterator<Item = Document>) {
    let mut writer = Writer::create(path, &Config::within(3).expect("k")).expect("a new database");
    let mut load = writer.bulk_load().expect("a load");
    documents.for_each(|document| load.push(document).expect("taken"));
    load.finish().expect("loaded");
    // Compacts the database, as an operator would.
    while let Some(plan) = writer.plan_compaction() {
        writer.compact(&plan).expect("compacted");
    }
}

fn fingerprints(path: &std::path::Path, options: &Options) {
    let stored = common::fingerprints(options.len, options.seed);
    load(
        path,
        (0..)
            .zip(&stored)
            .map(|(index, &print): (usize, _)| Document::bare(&index.to_string(), Fingerprint(print)).expect("an id")),
    );
    drop(stored);
    let reader = Reader::open(path).expect("a reader");
    let runs = reader.view().stats().expect("figures").runs.len();
    say(format_args!("{} fingerprints in {runs} runs, k = 3", options.len));
    let (mut pairs, mut sum) = (0u64, 0u64);
    resident();
    let (_, spent) = measure(|| {
        let resources = Resources { memory_limit: MEMORY, ..Resources::default() };
        for pair in reader.view().close_pairs(Within(3), &resources, None).expect("pairs") {
            let (a, b) = pair.expect("a pair");
            pairs += 1;
            sum = sum.wrapping_add(a.0 ^ b.0.rotate_left(1));
        }
    });
    let (_, most) = resident();
    let goal = |goal: &'static str| if options.len == 10_000_000 { goal } else { "" };
    figure("pairs of distinct fingerprints", pairs, "");
    figure("CPU s", format_args!("{:.2}", spent.cpu.as_secs_f64()), goal("6"));
    figure("most resident, pages of files included, MB", format_args!("{most:.0}"), goal("300"));
    say(format_args!("(check sum {sum:016x})"));
    whole(&reader, Hamming::default().into(), "");
}

fn supershingles(path: &std::path::Path, len: usize, seed: u64) {
    let mut random = Random(seed ^ 0xb);
    let mut centre = [0u64; 6];
    let mut left = 0;
    load(
        path,
        (0..len).map(|index| {
            let mut own: [u64; 6] = std::array::from_fn(|_| random.next());
            // A fifth of the documents are in clusters of 1 to 200.
            if left == 0 && random.index(500) == 0 {
                (centre, left) = (own, 1 + random.index(200));
            } else if left > 0 {
                left -= 1;
                own.iter_mut().zip(&centre).for_each(|(own, centre)| {
                    if random.next() >> 63 == 0 {
                        *own = *centre;
                    }
                });
            }
            Document::bare(&index.to_string(), Fingerprint(random.next()))
                .expect("an id")
                .with_sketches(Some(own), None)
        }),
    );
    let reader = Reader::open(path).expect("a reader");
    say(format_args!("{len} documents with supershingles"));
    whole(&reader, B::default().into(), if len == 10_000_000 { "60" } else { "" });
}

/// Does the work of `nddb pairs` without the output.
fn whole(reader: &Reader, method: Box<dyn Method>, goal: &str) {
    let resources = Resources::default();
    let options = PairOptions { resources: resources.clone(), ..PairOptions::new(method.clone()) };
    resident();
    let (collection, spent) = measure(|| Collection::build(reader.view(), &resources, &mut |_| true).expect("read"));
    figure("reading the catalog, CPU s", format_args!("{:.2}", spent.cpu.as_secs_f64()), "");
    let mut pairs = 0u64;
    let (summary, spent) = measure(|| {
        nddb::detect::pairs(reader.view(), &collection, &options, &mut |_| true, &mut |line| {
            pairs += u64::from(matches!(line, Line::Pair(_)));
            Ok(())
        })
        .expect("pairs")
    });
    let (own, most) = resident();
    figure(&format!("method {method}, groups and pairs, CPU s"), format_args!("{:.2}", spent.cpu.as_secs_f64()), goal);
    figure("pairs", pairs, "");
    figure("hot groups", summary.hot_groups, "");
    figure("its own memory at the end, and the most resident, MB", format_args!("{own:.0} {most:.0}"), "");
}
