//! Online verdicts by each method: queries for the near-duplicates of a page, and check-and-insert.
//!
//! `cargo bench --bench online -- --len 200K [--queries 10K] [--rounds 3] [--recipe main-c] [--usual] [--of DB]`
//!
//! Pages have 100 to 300 words. Every fifth stored page and half of the queries are copies of one of the 200,000 pages
//! before, with up to 12 words replaced. With `--usual`, only the default verdict is measured, separately for new pages
//! and for pages with a near-duplicate, and at the end the work of `nddb pairs` and `nddb cluster` without their
//! output. With `--of`, only the stored pages of a database are asked for, and the price of a candidate is printed.
#![allow(clippy::print_stdout, reason = "figures are printed as plain text")]

mod common;

use std::collections::VecDeque;

use clap::Args;
use common::{Options, Random, figure, measure, median, say};
use nddb::detect::options::GROUP_LIMIT;
use nddb::detect::{
    ClusterOptions, Collection, Judgement, Line, OnlineDetector, PairOptions, Resources, cluster, document_of_page,
    pairs,
};
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::verdict::Method;
use nddb::{Document, Reader, View, Writer};
use nddb_format::document_keys::KeyKinds;
use nddb_index::{Key, Scope, bands_of};

const METHODS: [&str; 6] = ["hamming", "b", "c", "combined", "split", "min-hash"];
/// Documents of one commit.
const GROUP: usize = 1_000;
/// Number of recent pages of which later pages may be copies.
const RECENT: usize = 200_000;

#[derive(Args)]
struct More {
    /// Recipe of the database.
    #[arg(long, default_value = "main-c")]
    recipe: String,
    /// Measures only the default verdict.
    #[arg(long)]
    usual: bool,
    /// Asks for the stored pages of this database.
    #[arg(long)]
    of: Option<std::path::PathBuf>,
}

/// Returns the words of a page, as numbers.
fn words(random: &mut Random, stored: &VecDeque<Vec<u32>>, near: bool) -> Vec<u32> {
    // Common words are frequent: the least of three draws.
    let word = |random: &mut Random| (0..3).map(|_| random.index(50_000)).min().unwrap_or(0) as u32;
    if near && !stored.is_empty() {
        let mut words = stored[random.index(stored.len())].clone();
        for _ in 0..random.index(13) {
            let position = random.index(words.len());
            words[position] = word(random);
        }
        return words;
    }
    (0..100 + random.index(200)).map(|_| word(random)).collect()
}

fn document(id: usize, words: &[u32], recipe: &Recipe) -> Document {
    let text: String = words.iter().map(|word| format!("w{word:x} ")).collect();
    let url = format!("http://site{}.example/{id}", id % 1000);
    let page = Page { url: Some(&url), ..Page::text(&text) };
    document_of_page(&id.to_string(), &page, recipe).expect("an id")
}

/// Returns each method and the default; with `usual`, only the default.
fn ways(view: View<'_>, usual: bool) -> Vec<(String, OnlineDetector)> {
    let named = METHODS.map(|name| {
        let method: Box<dyn Method> = name.parse().expect("a method");
        (name.to_owned(), OnlineDetector::new(method))
    });
    let named = named.into_iter().filter(|_| !usual);
    named.chain([("what is usual".into(), OnlineDetector::usual(view))]).collect()
}

fn main() {
    let (options, more) = Options::read::<More>(200_000, 10_000);
    let rounds = options.rounds(3);
    if let Some(path) = &more.of {
        return ask_stored(path, rounds);
    }
    let recipe = Recipe::named(&more.recipe).expect("a recipe");
    let mut random = Random(options.seed);
    let folder = options.folder();
    let path = folder.path().join("db");
    let config = options.config().recipe(&recipe.label());
    let mut writer = Writer::create(&path, &config).expect("a new database");
    let mut stored: VecDeque<Vec<u32>> = VecDeque::with_capacity(RECENT);
    let mut load = writer.bulk_load().expect("a load");
    let (_, spent) = measure(|| {
        for id in 0..options.len {
            let words = words(&mut random, &stored, id % 5 == 4);
            load.push(document(id, &words, &recipe)).expect("taken");
            if stored.len() == RECENT {
                stored.pop_front();
            }
            stored.push_back(words);
        }
        load.finish().expect("loaded");
    });
    let pages = |random: &mut Random, ids: std::ops::Range<usize>, near: &dyn Fn(usize) -> bool| -> Vec<Document> {
        ids.map(|id| document(id, &words(random, &stored, near(id)), &recipe)).collect()
    };
    let ids = options.len..options.len + options.queries;
    let sets: Vec<(&str, Vec<Document>)> = match more.usual {
        false => vec![("", pages(&mut random, ids, &|id| id % 2 == 0))],
        true => vec![
            (" of a new page", pages(&mut random, ids.clone(), &|_| false)),
            (" of a page with a near-duplicate", pages(&mut random, ids, &|_| true)),
        ],
    };
    say(format_args!("{} documents, {} queries, seed {}", options.len, options.queries, options.seed));
    figure("making the pages, and their load, CPU us each", format_args!("{:.1}", spent.cpu_us(options.len)), "");
    let first = Reader::open(&path).expect("the database");
    let stats = first.view().stats().expect("counted");
    figure("runs", stats.runs.len(), "");
    let bytes = stats.bytes;
    for (kind, bytes) in [
        ("catalog", bytes.catalog),
        ("summaries", bytes.summaries),
        ("key tables", bytes.keys),
        ("tables", bytes.segments),
        ("postings", bytes.postings),
        ("all files", bytes.total()),
    ] {
        figure(&format!("bytes a document, {kind}"), format_args!("{:.0}", bytes as f64 / options.len as f64), "");
    }
    for (method, online) in ways(first.view(), more.usual) {
        let reader = Reader::open(&path).expect("the database");
        for (kind, queries) in &sets {
            let (mut times, mut found) = (Vec::new(), 0);
            for _ in 0..=rounds {
                found = 0;
                let (_, spent) = measure(|| {
                    for query in queries {
                        found += online.ask(reader.view(), query).expect("an answer").count;
                    }
                });
                times.push(spent.cpu_us(queries.len()));
            }
            // The first round touches all pages of memory for the first time, and reads the records of all candidates.
            figure(&format!("ask by {method}{kind}, CPU us"), format_args!("{:.1}", median(&times[1..])), "");
            figure("  for the first time", format_args!("{:.1}", times[0]), "");
            figure("  matches a query", format_args!("{:.2}", found as f64 / queries.len() as f64), "");
        }
    }
    drop(first);

    let mut next = options.len + options.queries;
    let mut next_pages = |random: &mut Random| -> Vec<Document> {
        let ids = next..next + options.queries;
        next = ids.end;
        pages(random, ids, &|id| id % 2 == 0)
    };
    // The first commit deletes gigabytes of files that the load and its merges have left.
    writer.insert(next_pages(&mut random).swap_remove(0)).expect("taken");
    writer.commit().expect("durable");
    let queries = next_pages(&mut random);
    let (_, spent) = measure(|| {
        for (position, document) in queries.iter().enumerate() {
            writer.insert(document.clone()).expect("taken");
            if position % GROUP == GROUP - 1 {
                writer.commit().expect("durable");
            }
        }
        writer.commit().expect("durable");
    });
    figure("insert, CPU us a document", format_args!("{:.1}", spent.cpu_us(queries.len())), "");
    for (method, online) in ways(writer.view(), more.usual) {
        // Each method gets new pages; the pages inserted for the method before would be duplicates.
        let queries = next_pages(&mut random);
        let mut duplicates = 0;
        let (_, spent) = measure(|| {
            for (position, query) in queries.iter().enumerate() {
                match online.insert_if_new(&mut writer, query.clone()).expect("judged") {
                    Judgement::Duplicate { .. } => duplicates += 1,
                    Judgement::Inserted { .. } => (),
                }
                if position % GROUP == GROUP - 1 {
                    writer.commit().expect("durable");
                }
            }
            writer.commit().expect("durable");
        });
        let each = format_args!("{:.1}", spent.cpu_us(queries.len())).to_string();
        figure(&format!("check and insert by {method}, CPU us a document"), each, "");
        figure("  duplicates, of all", format_args!("{duplicates} of {}", queries.len()), "");
    }
    // These run last: they read the whole database, which evicts from the page cache what inserts read.
    if more.usual {
        offline(writer.view());
    }
}

/// Asks for all stored pages of a database by the default method, if that finds candidates by bands.
fn ask_stored(path: &std::path::Path, rounds: usize) {
    let reader = Reader::open(path).expect("a database");
    let (view, online) = (reader.view(), OnlineDetector::usual(reader.view()));
    let pages: Vec<_> = view.documents().collect::<Result<_, _>>().expect("read");
    let kinds = KeyKinds::of_label(&view.settings().recipe);
    let candidates = |page: &nddb::Stored| {
        let bands = bands_of(&page.record, kinds).map(Key::Megashingle);
        let mut keys: Vec<Key> = page.record.digest.map(Key::Digest).into_iter().chain(bands).collect();
        Scope::of(view).sharing(&mut keys, GROUP_LIMIT).expect("found").numbers.len()
    };
    let candidates = pages.iter().map(candidates).sum::<usize>();
    let ask = || pages.iter().for_each(|page| drop(online.ask_stored(view, page, None).expect("an answer")));
    let times: Vec<f64> = (0..=rounds).map(|_| measure(ask).1.cpu_us(pages.len())).collect();
    let (time, each) = (median(&times[1..]), candidates as f64 / pages.len() as f64);
    figure("ask for a stored page, CPU us", format_args!("{time:.1}"), "");
    figure("  candidates", format_args!("{each:.1}"), "");
    figure("  of a candidate, CPU us", format_args!("{:.2}", time / each), "");
}

/// Finds all pairs, and then all clusters, by the default method.
fn offline(view: View<'_>) {
    let resources = Resources::default();
    let options = PairOptions { resources: resources.clone(), ..PairOptions::new(OnlineDetector::usual(view).method) };
    let mut found = 0u64;
    let mut count = |line: Line| {
        found += u64::from(matches!(line, Line::Pair(_)));
        Ok(())
    };
    let (_, spent) = measure(|| {
        let collection = Collection::build(view, &resources, &mut |_| true).expect("read");
        pairs(view, &collection, &options, &mut |_| true, &mut count).expect("pairs")
    });
    figure(&format!("pairs, {found} besides groups of equal documents"), spent, "");
    let options = ClusterOptions::new(options);
    let (clusters, spent) = measure(|| {
        let collection = Collection::with_deleted(view, &resources, &mut |_| true).expect("read");
        cluster(view, &collection, &options, &mut |_| true, &mut |_| Ok(())).expect("clusters")
    });
    let summary = clusters.summary;
    figure(&format!("clusters, {} of {} documents", summary.clusters, summary.clustered), spent, "");
}
