//! Probes of one run in memory: all stored fingerprints within 3 bits of a query, with document numbers.
//!
//! `cargo bench --bench probe -- --len 10M [--queries 200K] [--rounds 5] [--k 3] [--levels 5] [--restart 32]
//! [--within 8,10,12] [--no-mih] [--looks] [--db PATH]`
//!
//! First it prints what searches of a block index read; with `--looks`, this alone, without a database.
//! With `--within`, a hundredth of the queries are also asked within these distances, and for the ten nearest within
//! each (of mih-rs, at any distance); those of them that have ten so near also for the ten nearest at any distance.
//! With `--db`, the database at that path is used; if it does not exist, it is created and kept.
#![allow(clippy::print_stdout, reason = "figures are printed as plain text")]

mod common;

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use common::{Options, figure, measure, median, quantile, say};
use nddb::{Fingerprint, Reader, Search, Within, Work, Writer};
use nddb_index::testing;

/// Number of queries per call in pipelined mode.
const BATCH: usize = 1_000;

#[derive(Args)]
struct More {
    /// The database; created if it does not exist [default: in a temporary folder].
    #[arg(long)]
    db: Option<PathBuf>,
    /// The k of the database.
    #[arg(long, default_value_t = 3)]
    k: u8,
    /// Greater distances.
    #[arg(long, value_delimiter = ',')]
    within: Vec<u8>,
    /// Prints what searches read, and ends.
    #[arg(long)]
    looks: bool,
    /// Leaves mih-rs out.
    #[arg(long)]
    no_mih: bool,
}

fn main() {
    let (options, more) = Options::read::<More>(10_000_000, 200_000);
    let rounds = options.rounds(5);
    let stored = common::fingerprints(options.len, options.seed);
    let queries: Vec<Fingerprint> =
        common::queries(&stored, options.queries, options.seed).into_iter().map(Fingerprint).collect();
    let folder = options.folder();
    let path = more.db.unwrap_or_else(|| folder.path().join("db"));
    say(format_args!("{} fingerprints, seed {}", options.len, options.seed));
    common::looks::print(&stored, &queries, &options);
    if more.looks {
        return;
    }
    if !path.exists() {
        let config = options.config_within(more.k);
        Writer::create(&path, &config).and_then(Writer::close).expect("a new database");
        let (run, spent) = measure(|| testing::add_run(&path, &config, &stored, 1).expect("a run"));
        say(format_args!("{} distinct ones, {} tables, made in {spent}", run.fingerprints, run.tables));
    }
    let reader = Reader::open(&path).expect("the database");
    let view = reader.view();
    let one = |query: &[Fingerprint], work: &mut Work| {
        view.probe(query, Search::within(Within(3)).count(work)).expect("no damage")
    };

    // One query after the other, so that the first round touches each block for the first time.
    let mut work = Work::default();
    let mut found = [0u64; 2];
    let mut counts: Vec<u64> = Vec::with_capacity(queries.len());
    let (_, spent) = measure(|| {
        for query in &queries {
            for matches in one(std::slice::from_ref(query), &mut work) {
                found[0] += matches.count;
                let mut values: Vec<u64> = matches.matches.iter().map(|found| found.fingerprint.0).collect();
                values.sort_unstable();
                values.dedup();
                found[1] += values.len() as u64;
                counts.push(matches.count);
            }
        }
    });
    let each = |number: u64| number as f64 / queries.len() as f64;
    let goal = |least: usize, goal| if options.len >= least && !options.test { goal } else { "" };
    figure("documents found, a query", format_args!("{:.2}", each(found[0])), "");
    figure("documents found, p99 of queries", quantile(&mut counts, 0.99), "");
    figure("fingerprints found, a query", format_args!("{:.2}", each(found[1])), "");
    figure("first touch, checksums verified: CPU us a query", format_args!("{:.2}", spent.cpu_us(queries.len())), "");
    figure("tables probed, a query", format_args!("{:.1}", each(work.probes)), "");
    figure("blocks decoded, a query", format_args!("{:.2}", each(work.blocks)), "");
    figure("entries decoded, a query", format_args!("{:.1}", each(work.entries)), "");

    // By now all checksums are verified, except those of blocks that only other queries reach.
    let mut cpu = Vec::new();
    let mut walls: Vec<f32> = Vec::with_capacity(queries.len());
    let (mut p50, mut p99) = (Vec::new(), Vec::new());
    let mut pipelined = Vec::new();
    for _ in 0..rounds {
        let (_, spent) = measure(|| {
            for query in &queries {
                black_box(one(std::slice::from_ref(query), &mut work));
            }
        });
        cpu.push(spent.cpu_us(queries.len()));
        walls.clear();
        for query in &queries {
            let start = Instant::now();
            black_box(one(std::slice::from_ref(query), &mut work));
            walls.push(start.elapsed().as_nanos() as f32 / 1e3);
        }
        p50.push(f64::from(quantile(&mut walls, 0.50)));
        p99.push(f64::from(quantile(&mut walls, 0.99)));
        let (_, spent) = measure(|| {
            for batch in queries.chunks(BATCH) {
                black_box(one(batch, &mut work));
            }
        });
        pipelined.push(spent.cpu_us(queries.len()));
    }
    let least = if options.len >= 100_000_000 { "4.00" } else { "2.50" };
    figure(
        "single queries: CPU us a query, median of rounds",
        format_args!("{:.2}", median(&cpu)),
        goal(10_000_000, least),
    );
    figure("single queries: CPU us a query, best round", format_args!("{:.2}", quantile(&mut cpu, 0.0)), "");
    figure("single queries: wall us, p50", format_args!("{:.2}", median(&p50)), "");
    figure(
        "single queries: wall us, p99, median of rounds",
        format_args!("{:.2}", median(&p99)),
        goal(10_000_000, "8.00"),
    );
    figure("single queries: wall us, p99, best round", format_args!("{:.2}", quantile(&mut p99, 0.0)), "");
    figure("batches of 1,000, pipelined: CPU us a query", format_args!("{:.2}", median(&pipelined)), "");

    let far = &queries[..queries.len().div_ceil(100)];
    let times = |queries: &[Fingerprint], ask: &mut dyn FnMut(Fingerprint) -> u64| {
        let (mut found, mut cpu) = (0, Vec::new());
        for _ in 0..rounds.min(3) {
            let (documents, spent) = measure(|| queries.iter().map(|&query| ask(query)).sum::<u64>());
            found = documents;
            cpu.push(spent.cpu_us(queries.len()));
        }
        (found, median(&cpu))
    };
    let mut asked = Vec::new();
    for &k in &more.within {
        let mut work = Work::default();
        let mut range =
            |query| view.probe(&[query], Search::within(Within(k)).count(&mut work)).expect("no damage")[0].count;
        let (found, us) = times(far, &mut range);
        let rounds = (rounds.min(3) * far.len()) as f64;
        let (probes, entries) = (work.probes as f64 / rounds, work.entries as f64 / rounds);
        figure(&format!("within {k}: CPU us a query"), format_args!("{us:.1}"), "");
        figure(
            &format!("within {k}: documents; prefixes; entries decoded, a query"),
            format_args!("{:.1}; {probes:.0}; {entries:.0}", found as f64 / far.len() as f64),
            "",
        );
        let mut nearest = |query| view.nearest(query, 10, Within(k)).expect("no damage").len() as u64;
        let (_, us) = times(far, &mut nearest);
        figure(&format!("the nearest 10 within {k}: CPU us a query"), format_args!("{us:.1}"), "");
        let mut full = far.to_vec();
        full.retain(|&query| view.nearest(query, 10, Within(k)).expect("no damage").len() == 10);
        if !full.is_empty() {
            let mut nearest = |query| view.nearest(query, 10, Within::MAX).expect("no damage").len() as u64;
            let (_, us) = times(&full, &mut nearest);
            let what = format!("the nearest 10 of {} queries that have ten within {k}: CPU us a query", full.len());
            figure(&what, format_args!("{us:.1}"), "");
        }
        asked.push((k, found, full));
    }
    if more.no_mih {
        return;
    }
    let (index, spent) = measure(|| mih_rs::Index::new(stored).expect("an index"));
    say(format_args!("mih-rs in memory: made in {spent}"));
    let file = folder.path().join("mih");
    let written = std::fs::File::create(&file).map(std::io::BufWriter::new).expect("a new file");
    index.serialize_into(written).expect("room for the file");
    let opened = Instant::now();
    let read = std::fs::File::open(&file).map(std::io::BufReader::new).expect("the file");
    let index = mih_rs::Index::<u64>::deserialize_from(read).expect("its own file");
    figure("mih-rs, loaded from its file: s", format_args!("{:.2}", opened.elapsed().as_secs_f64()), "");
    let _ = std::fs::remove_file(&file);
    let mut searcher = index.range_searcher();
    let mut cpu = Vec::new();
    for _ in 0..rounds.min(3) {
        let mut documents = 0;
        let (_, spent) = measure(|| {
            for query in &queries {
                documents += searcher.run(query.0, 3).len() as u64;
            }
        });
        assert_eq!(documents, found[0], "both find the same documents");
        cpu.push(spent.cpu_us(queries.len()));
    }
    figure("mih-rs, single queries: CPU us a query, median", format_args!("{:.2}", median(&cpu)), "");
    for (k, found, _) in &asked {
        let (documents, us) = times(far, &mut |query| searcher.run(query.0, (*k).into()).len() as u64);
        assert_eq!(documents, *found, "both find the same documents within {k}");
        figure(&format!("mih-rs, within {k}: CPU us a query"), format_args!("{us:.1}"), "");
    }
    let mut searcher = index.topk_searcher();
    let (_, us) = times(far, &mut |query| searcher.run(query.0, 10).len() as u64);
    figure("mih-rs, the nearest 10 at any distance: CPU us a query", format_args!("{us:.1}"), "");
    for (k, _, full) in asked.iter().filter(|(.., full)| !full.is_empty()) {
        let (_, us) = times(full, &mut |query| searcher.run(query.0, 10).len() as u64);
        figure(&format!("mih-rs, the same of those that have ten within {k}"), format_args!("{us:.1}"), "");
    }
}
