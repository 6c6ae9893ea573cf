//! The first queries of a process whose files are in the page cache.
//!
//! `cargo bench --bench fresh -- --len 10M [--queries 10K] [--rounds 5] [--db PATH] [--read-back]`
//!
//! A process of its own opens the database, answers the queries one after the other with document numbers, and ends.
//! The system counts the processor time and the page faults of the whole process; those of a process that only opens
//! the database are subtracted. mih-rs, with its index in memory, answers the same queries in the same round.
#![allow(clippy::print_stdout, reason = "figures are printed as plain text")]

mod common;

use std::hint::black_box;
use std::path::Path;

use clap::Args;
use common::{Options, asked, figure, measure, median};
use nddb::{Reader, Within};

#[derive(Args)]
struct More {
    #[command(flatten)]
    asked: asked::Paths,
    /// Leaves mih-rs out.
    #[arg(long)]
    no_mih: bool,
    /// Drops the files from the page cache and lets the queries of a first process read them back.
    #[arg(long)]
    read_back: bool,
}

fn main() {
    let (options, more) = Options::read::<More>(10_000_000, 10_000);
    if let Some(path) = more.asked.ask {
        return ask(&path, &options);
    }
    let folder = options.folder();
    let path = more.asked.database(folder.path(), &options);
    let index = (!more.no_mih).then(|| mih_rs::Index::new(common::fingerprints(options.len, options.seed)));
    let index = index.transpose().expect("an index");
    if more.read_back {
        common::drop_from_page_cache(&path);
        let (name, len) = (path.to_str().expect("a path of letters"), options.queries.to_string());
        let cpu = asked::again(&["--ask", name, "--queries", &len]).1.cpu;
        common::say(format_args!("the first process: {:.2} CPU s", cpu.as_secs_f64()));
    }
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); 7];
    for round in 0..options.rounds(5) as u64 {
        let name = path.to_str().expect("a path of letters");
        let run =
            |len: usize| asked::again(&["--ask", name, "--seed", &round.to_string(), "--queries", &len.to_string()]).1;
        let (opened, whole) = (run(0), run(options.queries));
        let us = |time: std::time::Duration| time.as_secs_f64() * 1e6;
        let each = |us: f64| us / options.queries as f64;
        let all = each(us(whole.cpu) - us(opened.cpu));
        let figures = [
            all,
            each(us(whole.kernel) - us(opened.kernel)),
            whole.faults.saturating_sub(opened.faults) as f64,
            us(opened.cpu) / 1e3,
            us(whole.cpu) / 1e3,
        ];
        columns.iter_mut().zip(figures).for_each(|(column, figure)| column.push(figure));
        if let Some(index) = &index {
            let queries = asked::queries(&path, options.queries, round);
            let mut searcher = index.range_searcher();
            let mut search = || queries.iter().for_each(|query| _ = black_box(searcher.run(query.0, 3).len()));
            search();
            let (_, spent) = measure(search);
            columns[5].push(spent.cpu_us(queries.len()));
            columns[6].push(all / spent.cpu_us(queries.len()));
        }
    }
    let show = |what: &str, column: usize, goal: &str| {
        if !columns[column].is_empty() {
            figure(what, format_args!("{:.2}", median(&columns[column])), if options.test { "" } else { goal });
        }
    };
    show(&format!("first {} queries: CPU us a query", options.queries), 0, "");
    show("of these, in the kernel", 1, "");
    show("page faults", 2, "");
    show("a process that only opens: CPU ms", 3, "");
    show("a process that also answers: CPU ms", 4, "");
    show("mih-rs, warm: CPU us a query", 5, "");
    show("first queries relative to mih-rs, warm", 6, "1.2");
}

/// Opens a database and answers the queries one after the other.
fn ask(path: &Path, options: &Options) {
    let queries = asked::queries(path, options.queries, options.seed);
    let reader = Reader::open(path).expect("the database");
    let view = reader.view();
    for query in &queries {
        black_box(view.probe(std::slice::from_ref(query), Within(3)).expect("no damage"));
    }
}
