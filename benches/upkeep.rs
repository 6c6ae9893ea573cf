//! A database over a long time: the cost of queries after hundreds of loads or thousands of commits without compaction,
//! the delays of inserts while runs are merged, and the cost of opening, keeping open and refreshing a reader of a
//! catalog with sketches.
//!
//! `cargo bench --bench upkeep -- --loads 400 --len 20K [--queries 20K] [--pages [--new]]`
//! `cargo bench --bench upkeep -- --commits 100K [--queries 20K]`
//! `cargo bench --bench upkeep -- --waits 10M`
//! `cargo bench --bench upkeep -- --sketched 5M`
#![allow(clippy::print_stdout, reason = "figures are printed as plain text")]

mod common;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use clap::Args;
use common::{
    Clock, Options, Random, Spent, drop_from_page_cache, figure, measure, median, memory::anonymous, quantile, say,
};
use nddb::detect::{OnlineDetector, document_of_page};
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::{Document, Fingerprint, Reader, Within, Writer};

/// Loads after which queries are measured.
const SETTLED: usize = 300;
/// Documents of a commit.
const GROUP: usize = 1_000;
/// Documents per commit when there are many small commits. One document of each commit replaces an earlier one.
const SMALL_GROUP: usize = 100;
/// How often queries are measured during the commits.
const MEASURED: usize = 100;

/// The queries of a measurement, all of one kind.
enum Queries {
    /// Fingerprints whose neighbours within three bits are looked up.
    Near(Vec<Fingerprint>),
    /// Pages for which the default verdict is computed.
    Verdicts(Vec<Document>),
}

impl Queries {
    fn near(stored: &[u64], options: &Options) -> Self {
        Self::Near(common::queries(stored, options.queries, options.seed).into_iter().map(Fingerprint).collect())
    }

    fn len(&self) -> usize {
        match self {
            Self::Near(all) => all.len(),
            Self::Verdicts(all) => all.len(),
        }
    }
}

fn bare(id: usize, print: u64) -> Document {
    Document::bare(&id.to_string(), Fingerprint(print)).expect("an id")
}

fn page(id: usize, random: &mut Random, recipe: &Recipe) -> Document {
    let text: String = (0..100 + random.below(200)).map(|_| format!("w{:x} ", random.below(50_000))).collect();
    let url = format!("http://site{}.example/{id}", id % 1000);
    document_of_page(&id.to_string(), &Page { url: Some(&url), ..Page::text(&text) }, recipe).expect("an id")
}

#[derive(Args)]
struct More {
    /// Loads of `--len` documents.
    #[arg(long, default_value_t = 400)]
    loads: usize,
    /// Loads pages with all sketches of the recipe `main`, and computes default verdicts: half of the queries are
    /// stored pages.
    #[arg(long)]
    pages: bool,
    /// With `--pages`: only queries for pages that are not stored.
    #[arg(long, requires = "pages")]
    new: bool,
    /// Instead of loads, measures this number of commits of 100 documents each, by one writer.
    #[arg(long, value_parser = common::count)]
    commits: Option<usize>,
    /// Instead of loads, measures inserts during a merge of this many documents.
    #[arg(long, value_parser = common::count)]
    waits: Option<usize>,
    /// Instead of loads, measures a reader of this many sketched documents.
    #[arg(long, value_parser = common::count)]
    sketched: Option<usize>,
    /// Runs the reader process on this database.
    #[arg(long, hide = true)]
    reader: Option<PathBuf>,
}

fn main() {
    let (options, more) = Options::read::<More>(20_000, 20_000);
    match more {
        More { reader: Some(path), .. } => read(&path),
        More { sketched: Some(len), .. } => sketched(&options, if options.test { 2_000 } else { len }),
        More { waits: Some(len), .. } => waits(&options, if options.test { 20_000 } else { len }),
        More { commits: Some(count), .. } => commits(&options, if options.test { 400 } else { count }),
        More { loads, pages, new, .. } => days(&options, if options.test { 12 } else { loads }, pages, new),
    }
}

/// The cost of a query for a newly opened reader, in microseconds: the median of three executions.
#[derive(Clone, Copy, Default)]
struct Cost {
    /// Processor time of the querying thread.
    own: f64,
    /// Processor time of the whole process, with the flushes and merges that run meanwhile.
    all: f64,
}

fn ask(path: &Path, queries: &Queries) -> Cost {
    let reader = Reader::open(path).expect("the database");
    let online = OnlineDetector::usual(reader.view());
    let ask = || match queries {
        Queries::Near(all) => drop(reader.view().probe(all, Within(3)).expect("answers")),
        Queries::Verdicts(all) => {
            all.iter().for_each(|page| drop(online.ask(reader.view(), page).expect("a verdict")));
        }
    };
    ask();
    let spent = [(); 3].map(|()| measure(ask).1);
    let own = median(&spent.map(|spent| spent.own_us(queries.len())));
    Cost { own, all: median(&spent.map(|spent| spent.cpu_us(queries.len()))) }
}

/// The costs of queries and the numbers of runs, before compaction.
#[derive(Default)]
struct Course {
    costs: Vec<Cost>,
    runs: usize,
    rewrites: u8,
}

impl Course {
    /// Measures the current state of the database.
    fn measure(&mut self, path: &Path, queries: &Queries) {
        self.costs.push(ask(path, queries));
        let runs = Reader::open(path).expect("the database").view().stats().expect("counted").runs;
        self.runs = self.runs.max(runs.len());
        self.rewrites = self.rewrites.max(runs.iter().map(|run| run.rewrites).max().unwrap_or(0));
    }

    /// Compacts the database, and prints the cost of queries before, relative to the cost now.
    fn print(&self, path: &Path, queries: &Queries, documents: usize) {
        let mut writer = Writer::open(path).expect("the database");
        if let Some(plan) = writer.plan_full_compaction() {
            writer.compact(&plan).expect("compacted");
        }
        writer.close().expect("closed");
        let compacted = ask(path, queries).own;
        let ratio = |cost: f64| format!("{:.2}", cost / compacted);
        let mean = |of: fn(&Cost) -> f64| ratio(self.costs.iter().map(of).sum::<f64>() / self.costs.len() as f64);
        let greatest = |of: fn(&Cost) -> f64| self.costs.iter().map(of).fold(0.0, f64::max);
        let most = greatest(|cost| cost.own);
        figure("query after compaction, CPU us", format_args!("{compacted:.2}"), "");
        figure("mean cost of a query, of that", mean(|cost| cost.own), "3");
        figure("greatest cost", format_args!("{} ({most:.2} us)", ratio(most)), "4");
        figure("mean, with flushes and merges meanwhile", mean(|cost| cost.all), "3");
        figure("greatest, with flushes and merges meanwhile", ratio(greatest(|cost| cost.all)), "");
        figure("runs, at most", self.runs, "");
        let bound = (documents as f64 / 65_536.0).log(4.0) + 2.0;
        figure("rewrites of a document, at most", self.rewrites, &format!("{bound:.2}"));
    }
}

/// Each day a process loads documents and ends.
fn days(options: &Options, loads: usize, of_pages: bool, are_new: bool) {
    let settled = SETTLED.min(loads / 2);
    let folder = options.folder();
    let path = folder.path().join("db");
    let recipe = Recipe::named("main").expect("a recipe");
    let config = if of_pages { options.config().recipe(&recipe.label()) } else { options.config() };
    Writer::create(&path, &config).and_then(Writer::close).expect("a new database");
    let len = loads * options.len;
    // Each page has a seed of its own, so that it can be generated again.
    let page = |id: usize| page(id, &mut Random(options.seed + id as u64), &recipe);
    let (stored, queries) = if of_pages {
        let stored = settled * options.len;
        let is_stored = |query: usize| !are_new && query.is_multiple_of(2);
        let of = |query: usize| if is_stored(query) { query * 7919 % stored } else { len + query };
        (Vec::new(), Queries::Verdicts((0..options.queries).map(|query| page(of(query))).collect()))
    } else {
        let stored = common::fingerprints(len, options.seed);
        let queries = Queries::near(&stored, options);
        (stored, queries)
    };
    let mut course = Course::default();
    let ((), spent) = measure(|| {
        for day in 0..loads {
            let mut writer = Writer::open(&path).expect("the database");
            writer.merge_in_background(true);
            let mut load = writer.bulk_load().expect("a load");
            for id in day * options.len..(day + 1) * options.len {
                let document = stored.get(id).map_or_else(|| page(id), |&print| bare(id, print));
                load.push(document).expect("taken");
            }
            load.finish().expect("loaded");
            writer.close().expect("closed");
            if day >= settled {
                course.measure(&path, &queries);
            }
        }
    });
    say(format_args!("{loads} loads of {}, queries from the {settled}th on, in {spent}", options.len));
    course.print(&path, &queries, len);
}

/// One writer commits small groups and merges in the background meanwhile.
fn commits(options: &Options, count: usize) {
    let settled = count / 4 * 3;
    let folder = options.folder();
    let path = folder.path().join("db");
    let mut writer = Writer::create(&path, &options.config()).expect("a new database");
    writer.merge_in_background(true);
    let stored = common::fingerprints(count * SMALL_GROUP, options.seed);
    let queries = Queries::near(&stored, options);
    let mut random = Random(options.seed);
    let mut course = Course::default();
    let every = ((count - settled) / MEASURED).max(1);
    let ((), spent) = measure(|| {
        for (group, prints) in stored.chunks(SMALL_GROUP).enumerate() {
            let first = group * SMALL_GROUP;
            for (index, &print) in prints.iter().enumerate() {
                let replaces = index == 0 && group > 0;
                let id = if replaces { random.index(first) } else { first + index };
                writer.insert(bare(id, print)).expect("taken");
            }
            writer.commit().expect("durable");
            if group >= settled && group % every == 0 {
                course.measure(&path, &queries);
            }
        }
    });
    writer.close().expect("closed");
    say(format_args!("{count} commits of {SMALL_GROUP}, queries from the {settled}th on, in {spent}"));
    course.print(&path, &queries, stored.len());
}

/// Inserts while runs are merged.
fn waits(options: &Options, len: usize) {
    let folder = options.folder();
    let path = folder.path().join("db");
    let mut writer = Writer::create(&path, &options.config()).expect("a new database");
    let stored = common::fingerprints(len, options.seed);
    // Ten loads of equal size are left unmerged.
    for (load_number, prints) in stored.chunks(len.div_ceil(10)).enumerate() {
        let mut load = writer.bulk_load().expect("a load");
        for (index, &print) in prints.iter().enumerate() {
            load.push(bare(load_number * len + index, print)).expect("taken");
        }
        load.finish().expect("loaded");
    }
    writer.merge_in_background(true);
    let mut random = Random(options.seed);
    let (mut waits, mut commits, mut id) = (Vec::new(), Vec::new(), 20 * len);
    let began = Instant::now();
    while waits.len() < options.queries || writer.view().stats().expect("counted").runs.len() > 5 && !options.test {
        for _ in 0..GROUP {
            let document = bare(id, random.next());
            id += 1;
            let at = Instant::now();
            writer.insert(document).expect("taken");
            waits.push(at.elapsed().as_secs_f64() * 1e3);
        }
        let at = Instant::now();
        writer.commit().expect("durable");
        commits.push(at.elapsed().as_secs_f64() * 1e3);
    }
    say(format_args!("{} inserts and {} commits in {:?}", waits.len(), commits.len(), began.elapsed()));
    figure("insert, ms, 99.99th percentile", format_args!("{:.2}", quantile(&mut waits, 0.9999)), "20");
    figure("insert, ms, maximum", format_args!("{:.2}", quantile(&mut waits, 1.0)), "20");
    figure("commit with its fsync, ms, median", format_args!("{:.2}", quantile(&mut commits, 0.5)), "");
    figure("commit with its fsync, ms, maximum", format_args!("{:.2}", quantile(&mut commits, 1.0)), "");
    writer.close().expect("closed");
}

/// Measures the cost of a reader of `len` sketched documents.
fn sketched(options: &Options, len: usize) {
    let recipe = Recipe::named("main").expect("a recipe");
    let folder = options.folder();
    let path = folder.path().join("db");
    let config = options.config().recipe(&recipe.label());
    let mut writer = Writer::create(&path, &config).expect("a new database");
    let mut random = Random(options.seed);
    let ((), spent) = measure(|| {
        let mut load = writer.bulk_load().expect("a load");
        (0..len).for_each(|id| load.push(page(id, &mut random, &recipe)).expect("taken"));
        load.finish().expect("loaded");
    });
    say(format_args!("{len} sketched documents, loaded in {spent}"));
    writer.close().expect("closed");
    let (rounds, commits) = if options.test { (1, 2) } else { (15, 15) };
    // When the readers open, all documents are in runs; later, the documents of the commits are not.
    let openings: Vec<[f64; 4]> = (0..rounds).map(|_| Child::open(&path).1).collect();
    let mut writer = Writer::open(&path).expect("the database");
    let (mut child, _) = Child::open(&path);
    let mut id = len;
    let refreshes: Vec<[f64; 3]> = (0..commits)
        .map(|_| {
            for _ in 0..1000 {
                writer.insert(page(id, &mut random, &recipe)).expect("taken");
                id += 1;
            }
            writer.commit().expect("durable");
            child.refresh()
        })
        .collect();
    drop(child);
    let full: Vec<[f64; 4]> = (0..rounds).map(|_| Child::open(&path).1).collect();
    let middle = |values: &mut dyn Iterator<Item = f64>| format!("{:.1}", median(&values.collect::<Vec<_>>()));
    let of = |rows: &[[f64; 4]], column: usize| middle(&mut rows.iter().map(|row| row[column]));
    let of_refresh = |column: usize| middle(&mut refreshes.iter().map(|row| row[column]));
    figure("opening, page cache cold, ms", of(&openings, 0), "");
    figure("opening and first verdict, ms", of(&openings, 1), "30");
    figure("the same, CPU ms", of(&openings, 2), "");
    figure("anonymous memory then, MB", of(&openings, 3), "150");
    figure("refresh after a commit of 1,000, ms", of_refresh(0), "5");
    figure("the same, CPU ms", of_refresh(1), "");
    figure(
        "the greatest of them, ms",
        format_args!("{:.1}", refreshes.iter().map(|row| row[0]).fold(0.0, f64::max)),
        "",
    );
    figure(
        "anonymous memory at most, MB",
        format_args!("{:.1}", refreshes.iter().map(|row| row[2]).fold(0.0, f64::max)),
        "150",
    );
    figure(&format!("opening with {} documents in no run, ms", 1000 * commits), of(&full, 0), "100");
    figure("anonymous memory then, MB", of(&full, 3), "150");
}

/// A reader in its own process.
struct Child {
    process: std::process::Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Child {
    /// Opens a database that is not in the page cache. Returns the time of opening, the time of opening and a verdict,
    /// the processor time of both, and the memory.
    fn open(path: &Path) -> (Self, [f64; 4]) {
        drop_from_page_cache(path);
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--reader", path.to_str().expect("a path of letters")]);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("this program again");
        let lines = BufReader::new(process.stdout.take().expect("a pipe")).lines();
        let mut child = Self { process, lines };
        let opened = child.hear();
        (child, opened)
    }

    /// Refreshes the reader to the newest state. Returns the time, the processor time and the memory.
    fn refresh(&mut self) -> [f64; 3] {
        writeln!(self.process.stdin.as_ref().expect("a pipe"), "refresh").expect("heard");
        self.hear()
    }

    fn hear<const N: usize>(&mut self) -> [f64; N] {
        let line = self.lines.next().expect("a line").expect("readable");
        let figures: Vec<f64> = line.split_whitespace().map(|figure| figure.parse().expect("a figure")).collect();
        figures.try_into().expect("as many figures")
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        assert!(self.process.wait().expect("it ends").success());
    }
}

/// The reader process: opens the database, runs a query, and refreshes on request.
fn read(path: &Path) {
    let ms = |spent: Spent| format!("{} {}", spent.wall.as_secs_f64() * 1e3, spent.cpu.as_secs_f64() * 1e3);
    let clock = Clock::start();
    let mut reader = Reader::open(path).expect("the database");
    let opening = clock.spent().wall.as_secs_f64() * 1e3;
    let query = page(7, &mut Random(1), &Recipe::named("main").expect("a recipe"));
    OnlineDetector::usual(reader.view()).ask(reader.view(), &query).expect("a verdict");
    println!("{opening} {} {}", ms(clock.spent()), anonymous());
    for line in std::io::stdin().lines() {
        line.expect("readable");
        let (is_changed, spent) = measure(|| reader.refresh().expect("refreshed"));
        assert!(is_changed, "a commit");
        println!("{} {}", ms(spent), anonymous());
    }
}
