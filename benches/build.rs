//! Building a run, ten tables and postings, on disk, from unsorted fingerprints in memory, on one thread.
//!
//! `cargo bench --bench build -- --len 10M [--rounds 3] [--threads 1]`; 100M need 6 GB of memory and of disk.
#![allow(clippy::print_stdout, reason = "figures are printed as plain text")]

mod common;

use clap::Args;
use common::{Options, figure, measure, median, say};
use nddb::Writer;
use nddb_index::testing;

#[derive(Args)]
struct More {
    /// Threads that build the run.
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

fn main() {
    let (options, more) = Options::read::<More>(10_000_000, 0);
    let large = options.len >= 100_000_000;
    let rounds = options.rounds(if large { 1 } else { 3 });
    let threads = more.threads;
    let stored = common::fingerprints(options.len, options.seed);
    let folder = options.folder();
    let config = options.config();
    let (mut cpu, mut wall) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let path = folder.path().join(round.to_string());
        Writer::create(&path, &config).and_then(Writer::close).expect("a new database");
        let (run, spent) = measure(|| testing::add_run(&path, &config, &stored, threads).expect("a run"));
        if round == 0 {
            let (tables, size) = (run.tables, run.size as f64 / 1e6);
            say(format_args!("{} fingerprints, {tables} tables, {size:.0} MB, seed {}", options.len, options.seed));
        }
        cpu.push(spent.cpu.as_secs_f64());
        wall.push(spent.wall.as_secs_f64());
        std::fs::remove_dir_all(&path).expect("the database of this round");
    }
    let goal = match options.len {
        10_000_000 => "6.00",
        100_000_000 => "70.00",
        _ => "",
    };
    figure("CPU s, median of rounds", format_args!("{:.2}", median(&cpu)), goal);
    figure("s, synced to disk, median of rounds", format_args!("{:.2}", median(&wall)), "");
}
