//! Online verdicts by each method: querying the near-duplicates of one page, and check-and-insert.
//!
//! `cargo bench --bench online -- --len 200K [--queries 10K] [--rounds 3]`
//!
//! Pages of 100 to 300 words; every fifth stored one is an earlier page with up to 12 words replaced, and so
//! is half of the queries.
#![allow(clippy::print_stdout, reason = "figures are printed as plain text")]

mod common;

use common::{NoMore, Options, Random, figure, measure, median, say};
use nddb::detect::{Judgement, Method, OnlineDetector};
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::{Document, Reader, View, Writer};

const METHODS: [Method; 6] = [Method::Simhash, Method::B, Method::C, Method::Combined, Method::Split, Method::MinHash];
/// Documents of one commit.
const GROUP: usize = 1_000;

/// Returns the words of a page, as numbers.
fn words(random: &mut Random, stored: &[Vec<u32>], near: bool) -> Vec<u32> {
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
    Document::from_page(&id.to_string(), &page, recipe).expect("an id")
}

/// Returns each method, and the default.
fn ways(view: View<'_>) -> Vec<(String, OnlineDetector)> {
    let named = METHODS.map(|method| (method.to_string(), OnlineDetector::new(method)));
    named.into_iter().chain([("what is usual".into(), OnlineDetector::usual(view))]).collect()
}

fn main() {
    let (options, NoMore {}) = Options::read(200_000, 10_000);
    let rounds = options.rounds(3);
    let recipe = Recipe::named("main-c").expect("a recipe");
    let mut random = Random(options.seed);
    let folder = options.folder();
    let path = folder.path().join("db");
    let config = options.config().recipe(&recipe.label());
    let mut writer = Writer::create(&path, &config).expect("a new database");
    let mut stored: Vec<Vec<u32>> = Vec::with_capacity(options.len);
    let mut load = writer.bulk_load().expect("a load");
    for id in 0..options.len {
        let words = words(&mut random, &stored, id % 5 == 4);
        load.push(document(id, &words, &recipe)).expect("taken");
        stored.push(words);
    }
    load.finish().expect("loaded");
    let queries: Vec<Document> = (options.len..options.len + options.queries)
        .map(|id| document(id, &words(&mut random, &stored, id % 2 == 0), &recipe))
        .collect();
    say(format_args!("{} documents, {} queries, seed {}", options.len, queries.len(), options.seed));

    let first = Reader::open(&path).expect("the database");
    for (method, online) in ways(first.view()) {
        let reader = Reader::open(&path).expect("the database");
        let (mut times, mut found) = (Vec::new(), 0);
        for _ in 0..=rounds {
            found = 0;
            let (_, spent) = measure(|| {
                for query in &queries {
                    found += online.ask(reader.view(), query).expect("an answer").count;
                }
            });
            times.push(spent.cpu_us(queries.len()));
        }
        // The first round touches everything for the first time, and reads the records of all candidates.
        figure(&format!("ask by {method}, CPU us a query"), format_args!("{:.1}", median(&times[1..])), "");
        figure("  for the first time", format_args!("{:.1}", times[0]), "");
        figure("  matches a query", format_args!("{:.2}", found as f64 / queries.len() as f64), "");
    }
    drop(first);

    let mut next = options.len + options.queries;
    let mut more = |random: &mut Random| -> Vec<Document> {
        let ids = next..next + options.queries;
        next = ids.end;
        ids.map(|id| document(id, &words(random, &stored, id % 2 == 0), &recipe)).collect()
    };
    let queries = more(&mut random);
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
    for (method, online) in ways(writer.view()) {
        // New pages each time: those inserted for the method before would be duplicates.
        let queries = more(&mut random);
        let mut duplicates = 0;
        let (_, spent) = measure(|| {
            for (position, query) in queries.iter().enumerate() {
                match writer.insert_if_new(query.clone(), &online).expect("judged") {
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
}
