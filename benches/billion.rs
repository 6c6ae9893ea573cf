//! A billion bare fingerprints with ordinal ids: load, bytes by kind, opening, queries, batch queries, check.
//!
//! `cargo bench --bench billion -- --len 1G --dir FOLDER [--levels 4] [--queries 1000] [--memory 4000]`
//!
//! Nothing of all is in memory at once: the data of the other benches is made 10 million at a time, each with the next
//! seed, as it is loaded. Each load is of 31.25 million documents, and four of these are merged into a run of 125
//! million: a full merge would need twice the disk. The folder needs 37 bytes a fingerprint with four tables.
#![allow(clippy::print_stdout, reason = "figures are printed as plain text")]

mod common;

use std::path::Path;
use std::time::{Duration, Instant};

use clap::Args;
use common::{
    Options, drop_from_page_cache, figure, measure,
    memory::{Watched, anonymous},
    quantile, say,
};
use nddb::{CheckOptions, Document, Fingerprint, Reader, Within, Writer};

/// Most documents of a load.
const LOAD_MAX: usize = 31_250_000;
/// Loads whose runs are merged into one, once.
const MERGED: usize = 4;
/// Fingerprints made at a time.
const PART: usize = 10_000_000;
/// Queries of one batch.
const BATCH: usize = 1_000_000;

#[derive(Args)]
struct More {
    /// Memory limit of the load, in MB.
    #[arg(long, default_value_t = 4000)]
    memory: u64,
}

fn main() {
    let (mut options, more) = Options::read::<More>(1_000_000_000, 1_000);
    options.levels.get_or_insert_with(|| vec![4]);
    let folder = options.folder();
    let path = folder.path().join("db");
    let mut writer = Writer::create(&path, &options.config()).expect("a new database");
    writer.set_memory_limit(more.memory << 20);
    writer.set_threads(2);
    let watched = Watched::start();
    let (sample, spent) = measure(|| load(&mut writer, &options));
    writer.close().expect("closed");
    let len = options.len as f64;
    let goal = |goal| if options.test { "" } else { goal };
    say(format_args!("{} fingerprints, levels {:?}, seed {}", options.len, options.levels, options.seed));
    figure("load, making of the data included", spent, "");
    figure("of it, CPU us a fingerprint", format_args!("{:.2}", spent.cpu_us(options.len)), "");
    figure("greatest anonymous memory, MB", format_args!("{:.0}", watched.end()), goal("4000"));
    sizes(&path, len);

    drop_from_page_cache(&path);
    let start = Instant::now();
    let reader = Reader::open(&path).expect("opened");
    figure("opening, cold, ms", format_args!("{:.1}", ms(start.elapsed())), "");
    let queries: Vec<Fingerprint> =
        common::queries(&sample, options.queries, options.seed).into_iter().map(Fingerprint).collect();
    // What a process makes once of each table, and checks of each block, belongs to neither the disk nor a query.
    for how in ["cold", "again", "warm"] {
        ask(&reader, &queries, how);
    }
    figure("anonymous memory of the reader, MB", format_args!("{:.0}", anonymous()), "");
    let queries: Vec<Fingerprint> = common::queries(&sample, if options.test { 1000 } else { BATCH }, !options.seed)
        .into_iter()
        .map(Fingerprint)
        .collect();
    let (found, spent) = measure(|| {
        let resources = nddb::Resources { memory_limit: 1 << 30, ..Default::default() };
        let matches = reader.view().batch_query(&queries, Within(3), &resources, None).expect("answered");
        matches.inspect(|found| assert!(found.is_ok(), "{found:?}")).count()
    });
    figure(&format!("batch of {} queries, {found} matches", queries.len()), spent, "");
    drop(reader);
    let (report, spent) = measure(|| nddb::check(&path, &CheckOptions::default(), &mut |_| true).expect("checked"));
    assert!(report.is_sound(), "{report:#?}");
    figure("check", spent, "");
}

/// Loads the fingerprints in runs. Returns a sample.
fn load(writer: &mut Writer, options: &Options) -> Vec<u64> {
    let mut sample = Vec::new();
    let (mut part, mut next) = (Vec::new(), 0);
    for (loads, first) in (1..).zip((0..options.len).step_by(LOAD_MAX)) {
        let mut load = writer.bulk_load().expect("a load");
        for ordinal in first..options.len.min(first + LOAD_MAX) {
            if next == part.len() {
                let seed = options.seed + (ordinal / PART) as u64;
                part = common::fingerprints(PART.min(options.len - ordinal), seed);
                sample.extend(part.iter().take(20_000));
                next = 0;
            }
            load.push(Document::bare(&ordinal.to_string(), Fingerprint(part[next])).expect("an id")).expect("taken");
            next += 1;
        }
        load.stop().expect("loaded");
        // The lowest tier comes first: the youngest four runs, and not those of 125 million.
        if loads % MERGED == 0 {
            let plan = writer.plan_compaction().expect("four runs of one size");
            writer.compact(&plan).expect("merged");
        }
        say(format_args!("{} loaded, {} runs", options.len.min(first + LOAD_MAX), runs(writer)));
    }
    sample
}

fn runs(writer: &Writer) -> usize {
    writer.view().stats().expect("counted").runs.len()
}

fn sizes(path: &Path, len: f64) {
    let reader = Reader::open(path).expect("opened");
    let stats = reader.view().stats().expect("counted");
    let bytes = &stats.bytes;
    figure("documents; runs", format_args!("{}; {}", stats.documents, stats.runs.len()), "");
    for (kind, bytes) in [("tables", bytes.segments), ("postings", bytes.postings), ("catalog", bytes.catalog)] {
        figure(
            &format!("{kind}, GB; bytes a fingerprint"),
            format_args!("{:.2}; {:.2}", bytes as f64 / 1e9, bytes as f64 / len),
            "",
        );
    }
}

fn ask(reader: &Reader, queries: &[Fingerprint], how: &str) {
    let (mut times, mut found) = (Vec::with_capacity(queries.len()), 0);
    let (_, spent) = measure(|| {
        for query in queries {
            let start = Instant::now();
            let answers = reader.view().find(std::slice::from_ref(query), Within(3));
            found += answers.expect("answered")[0].count;
            times.push(ms(start.elapsed()));
        }
    });
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    figure(
        &format!("{} queries with ids, {how}, {found} matches, mean ms", queries.len()),
        format_args!("{mean:.3}"),
        "",
    );
    figure("of it, CPU us a query", format_args!("{:.0}", spent.cpu_us(queries.len())), "");
    figure("p99, ms", format_args!("{:.3}", quantile(&mut times, 0.99)), "");
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
