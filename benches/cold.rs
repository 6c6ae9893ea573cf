//! Opening and querying a database that is not in the page cache.
//!
//! `cargo bench --bench cold -- --len 10M [--queries 500] [--rounds 5] [--db PATH]`
//!
//! A separate process opens the database each time, so that no file is mapped when its pages are dropped from the
//! cache. (The pages of the program itself stay.) The database has one run and no memtable. Queries return document
//! numbers, not ids.
#![allow(clippy::print_stdout, reason = "figures are printed as plain text")]

mod common;

use std::path::Path;
use std::time::Instant;

use common::{Options, asked, drop_from_page_cache, figure, measure, median, quantile, say};
use nddb::{Fingerprint, Reader, Within};

fn main() {
    let (mut options, asked) = Options::read::<asked::Paths>(10_000_000, 500);
    if options.test {
        options.queries = options.queries.min(50);
    }
    if let Some(path) = asked.ask {
        return ask(&path, &options);
    }
    let folder = options.folder();
    let path = asked.database(folder.path(), &options);
    let rounds = options.rounds(5);
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); 6];
    for round in 0..rounds {
        drop_from_page_cache(&path);
        let (seed, queries) = (round.to_string(), options.queries.to_string());
        let path = path.to_str().expect("a path of letters");
        let (figures, _) = asked::again(&["--ask", path, "--seed", &seed, "--queries", &queries]);
        for (column, figure) in columns.iter_mut().zip(figures) {
            column.push(figure);
        }
    }
    let goal = |goal| if options.test { "" } else { goal };
    figure("open and first answer, cold, ms, median", format_args!("{:.1}", median(&columns[0])), goal("50"));
    figure("of it, opening", format_args!("{:.1}", median(&columns[1])), "");
    let what = format!("next {} queries, cold, mean ms, median of rounds", options.queries);
    figure(&what, format_args!("{:.3}", median(&columns[2])), goal("0.5"));
    figure("of these, p99 ms, median of rounds", format_args!("{:.3}", median(&columns[3])), "");
    figure("CPU ms a query", format_args!("{:.3}", median(&columns[4])), "");
    figure("KB read from disk a query", format_args!("{:.0}", median(&columns[5]) / 1e3), "");
}

/// Opens a database, runs the first query and then the others, and prints milliseconds, and the bytes that a
/// query reads.
fn ask(path: &Path, options: &Options) {
    let queries = asked::queries(path, options.queries, options.seed);
    let start = Instant::now();
    let reader = Reader::open(path).expect("the database");
    let opened = start.elapsed();
    let view = reader.view();
    let probe = |query: &Fingerprint| {
        let answers = view.probe(std::slice::from_ref(query), Within(3));
        answers.expect("no damage").len()
    };
    probe(&queries[0]);
    let first = start.elapsed();
    let (mut times, read) = (Vec::new(), read_bytes());
    let (_, spent) = measure(|| {
        for query in &queries[1..] {
            let start = Instant::now();
            probe(query);
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
    });
    let len = times.len();
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let p99 = quantile(&mut times, 0.99);
    let ms = |time: std::time::Duration| time.as_secs_f64() * 1e3;
    let (cpu, read) = (spent.cpu_us(len) / 1e3, (read_bytes() - read) / len as f64);
    say(format_args!("{:.3} {:.3} {mean:.4} {p99:.4} {cpu:.4} {read:.0}", ms(first), ms(opened)));
}

/// Returns the number of bytes that this process has read from disk.
fn read_bytes() -> f64 {
    let text = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("read_bytes: "));
    line.and_then(|bytes| bytes.parse().ok()).unwrap_or(0.0)
}
