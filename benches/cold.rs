//! Opening and querying a database that is not in the page cache.
//!
//! `cargo bench --bench cold -- --len 10M [--queries 500] [--rounds 5] [--db PATH]`
//!
//! A separate process opens the database each time, so that no file is mapped when its pages are dropped from the
//! cache. (The pages of the program itself stay.) The database has one run and no memtable. Queries return document
//! numbers, not ids.
#![allow(clippy::print_stdout, reason = "figures are printed as plain text")]

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use clap::Args;
use common::{Options, drop_from_page_cache, figure, measure, median, quantile, say};
use nddb::{Fingerprint, Reader, Within, Work, Writer};
use nddb_index::testing;

#[derive(Args)]
struct More {
    /// The database; created if it does not exist [default: in a temporary folder].
    #[arg(long)]
    db: Option<PathBuf>,
    /// Opens and queries this database: the task of a measured process.
    #[arg(long, hide = true)]
    ask: Option<PathBuf>,
}

fn main() {
    let (mut options, more) = Options::read::<More>(10_000_000, 500);
    if options.test {
        options.queries = options.queries.min(50);
    }
    if let Some(path) = more.ask {
        return ask(&path, &options);
    }
    let folder = options.folder();
    let path = more.db.unwrap_or_else(|| folder.path().join("db"));
    if !path.exists() {
        let stored = common::fingerprints(options.len, options.seed);
        let config = options.config();
        Writer::create(&path, &config).and_then(Writer::close).expect("a new database");
        let (_, spent) = measure(|| testing::add_run(&path, &config, &stored, 1).expect("a run"));
        say(format_args!("{} fingerprints, seed {}, made in {spent}", options.len, options.seed));
        let queries = common::queries(&stored, 100_000, options.seed);
        let bytes: Vec<u8> = queries.iter().flat_map(|query| query.to_le_bytes()).collect();
        std::fs::write(path.join("queries"), bytes).expect("the queries");
    }
    let rounds = options.rounds(5);
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); 4];
    for round in 0..rounds {
        drop_from_page_cache(&path);
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--ask", path.to_str().expect("a path of letters"), "--seed", &round.to_string()]);
        command.args(["--queries", &options.queries.to_string()]);
        let output = command.output().expect("this program again");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        for (column, figure) in columns.iter_mut().zip(text.split_whitespace()) {
            column.push(figure.parse().expect("a figure"));
        }
    }
    let goal = |goal| if options.test { "" } else { goal };
    figure("open and first answer, cold, ms, median", format_args!("{:.1}", median(&columns[0])), goal("50"));
    figure("of it, opening", format_args!("{:.1}", median(&columns[1])), "");
    let what = format!("next {} queries, cold, mean ms, median of rounds", options.queries);
    figure(&what, format_args!("{:.3}", median(&columns[2])), goal("0.5"));
    figure("of these, p99 ms, median of rounds", format_args!("{:.3}", median(&columns[3])), "");
}

/// Opens a database, runs the first query and then the others, and prints milliseconds.
fn ask(path: &Path, options: &Options) {
    let mut queries: Vec<Fingerprint> = std::fs::read(path.join("queries"))
        .expect("the queries")
        .chunks_exact(8)
        .map(|bytes| Fingerprint(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))))
        .collect();
    let index = (options.seed as usize * 7_919) % queries.len();
    queries.rotate_left(index);
    let start = Instant::now();
    let reader = Reader::open(path).expect("the database");
    let opened = start.elapsed();
    let view = reader.view();
    let probe = |query: &Fingerprint| {
        let answers = view.probe(std::slice::from_ref(query), Within(3), None, &mut Work::default());
        answers.expect("no damage").len()
    };
    probe(&queries[0]);
    let first = start.elapsed();
    let mut times = Vec::new();
    for query in &queries[1..options.queries.min(queries.len())] {
        let start = Instant::now();
        probe(query);
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let p99 = quantile(&mut times, 0.99);
    let ms = |time: std::time::Duration| time.as_secs_f64() * 1e3;
    say(format_args!("{:.3} {:.3} {mean:.4} {p99:.4}", ms(first), ms(opened)));
}
