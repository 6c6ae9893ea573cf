//! Loading documents: bulk load of raw fingerprints, insert-if-new in groups, crawl archives.
//!
//! `cargo bench --bench ingest -- --len 10M`, `-- --insert 200K`, `-- --warc FILE`; without any of these options, all
//! three run at small sizes.
#![allow(clippy::print_stdout, reason = "figures are printed as plain text")]

mod common;

use std::hint::black_box;
use std::path::{Path, PathBuf};

use clap::Args;
use common::{Options, Spent, figure, measure, say};
use nddb::archive::{self, Compression, EntryContent, Input, Response, WarcWriter};
use nddb::detect::{OnlineDetector, document_of_page};
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::verdict::methods::Hamming;
use nddb::{Config, Document, Fingerprint, Writer};

/// Documents of a durable group.
const GROUP: usize = 1_000;

#[derive(Args)]
struct More {
    /// Number of documents for insert-if-new: 200K.
    #[arg(long, value_parser = common::count)]
    insert: Option<usize>,
    /// The archive that is loaded.
    #[arg(long)]
    warc: Option<PathBuf>,
}

fn main() {
    let (options, More { insert: inserted, warc }) = Options::read::<More>(1_000_000, 0);
    let folder = options.folder();
    let chosen = warc.is_some() || inserted.is_some() || options.sized;
    if !chosen || options.sized {
        bulk(&folder.path().join("bulk"), &options);
    }
    if !chosen || inserted.is_some() {
        let most = if options.test { 2_000 } else { usize::MAX };
        let len = inserted.unwrap_or(20_000).min(most);
        insert(&folder.path().join("bare"), len, options.seed, false);
        insert(&folder.path().join("full"), len, options.seed, true);
    }
    if !chosen || warc.is_some() {
        let path = folder.path().join("made.warc.gz");
        let path = warc.unwrap_or_else(|| {
            make_archive(&path, if options.test { 50 } else { 2_000 });
            path
        });
        archive(&folder.path().join("archive"), &path);
    }
}

fn create(path: &Path) -> Writer {
    Writer::create(path, &Config::within(3).expect("a distance")).expect("a new database")
}

fn bulk(path: &Path, options: &Options) {
    let stored = common::fingerprints(options.len, options.seed);
    let mut writer = create(path);
    let (_, spent) = measure(|| {
        let mut load = writer.bulk_load().expect("a load");
        for (index, &fingerprint) in stored.iter().enumerate() {
            let document = Document::bare(&index.to_string(), Fingerprint(fingerprint)).expect("an id");
            load.push(document).expect("taken");
        }
        load.finish().expect("loaded")
    });
    say(format_args!("bulk load of {} raw fingerprints, catalog included", options.len));
    figure(
        "CPU s",
        format_args!("{:.2}", spent.cpu.as_secs_f64()),
        if options.len >= 10_000_000 { "30 at 10M" } else { "" },
    );
    figure("s", format_args!("{:.2}", spent.wall.as_secs_f64()), "");
}

fn per_second(len: usize, spent: Spent) -> f64 {
    len as f64 / spent.wall.as_secs_f64()
}

fn insert(path: &Path, len: usize, seed: u64, full: bool) {
    let stored = common::fingerprints(len, seed);
    let recipe = Recipe::default();
    let text = "one two three four five six seven eight nine ten";
    let document = |(index, fingerprint): (usize, &u64)| {
        let (id, fingerprint) = (format!("urn:uuid:{index:012}"), Fingerprint(*fingerprint));
        if !full {
            return Document::bare(&id, fingerprint).expect("an id");
        }
        // Each document has a text of its own; equal texts would be duplicates.
        let page = document_of_page(&id, &Page::text(&format!("{text} {index}")), &recipe).expect("an id");
        let page = page.renamed(&id, fingerprint).expect("an id");
        page.with_url("https://www.example.org/a/page.html", recipe.site_of("https://www.example.org/a/page.html"))
    };
    let documents: Vec<Document> = stored.iter().enumerate().map(document).collect();
    let detector = OnlineDetector::new(Hamming::default());
    let mut writer = create(path);
    let ((), spent) = measure(|| {
        let mut documents = documents.into_iter().peekable();
        while documents.peek().is_some() {
            for document in documents.by_ref().take(GROUP) {
                black_box(detector.insert_if_new(&mut writer, document).expect("a verdict"));
            }
            writer.commit().expect("durable");
        }
    });
    let (what, goal) = if full { ("full records", "10000") } else { ("bare fingerprints", "30000") };
    say(format_args!("insert-if-new of {len} {what}, durable in groups of {GROUP}"));
    figure("documents a second", format_args!("{:.0}", per_second(len, spent)), goal);
    figure("CPU us a document", format_args!("{:.1}", spent.cpu_us(len)), "");
}

/// Loads an archive until its documents are committed, once as a whole and once stage by stage.
fn archive(path: &Path, archive: &Path) {
    let options = archive::Options::default();
    let recipe = Recipe::default();
    let pages = || {
        let mut input = Input::open(archive, &options).expect("an archive");
        std::iter::from_fn(move || input.next().expect("readable")).filter_map(|entry| match entry.content {
            EntryContent::Page(page) => Some(page),
            _ => None,
        })
    };
    let (bytes, read) = measure(|| pages().map(|page| page.body.len() as u64).sum::<u64>());
    let sketched = |page: archive::PageEntry| document_of_page(&page.id, &page.page(), &recipe).expect("an id");
    let (documents, both) = measure(|| pages().map(sketched).collect::<Vec<_>>());
    let len = documents.len();
    drop(documents);
    let mut writer = create(path);
    let (loaded, all) = measure(|| {
        let mut load = writer.bulk_load().expect("a load");
        pages().map(sketched).for_each(|document| load.push(document).expect("taken"));
        load.finish().expect("loaded")
    });
    let speed = |spent: Spent| bytes as f64 / 1e6 / spent.cpu.as_secs_f64();
    let share = |part: f64| format!("{:.0}%", 100.0 * part / all.cpu.as_secs_f64());
    say(format_args!("{len} pages of {:.1} MB, {} committed", bytes as f64 / 1e6, loaded.documents));
    figure("MB of payload a CPU second, archive to committed", format_args!("{:.0}", speed(all)), "80");
    figure("share of decompressing and parsing", share(read.cpu.as_secs_f64()), "");
    figure("share of text and sketches", share(both.cpu.as_secs_f64() - read.cpu.as_secs_f64()), "");
    figure("share of catalog and run", share(all.cpu.as_secs_f64() - both.cpu.as_secs_f64()), "");
}

/// Makes an archive of pages of a few hundred words, drawn from a small vocabulary.
fn make_archive(path: &Path, pages: usize) {
    let mut random = common::Random(common::SEED);
    let file = std::fs::File::create(path).expect("a file");
    let mut warc = WarcWriter::new(std::io::BufWriter::new(file), Compression::Gzip);
    for page in 0..pages {
        let mut body = String::from("<html><head><title>A page</title></head><body>");
        for _ in 0..300 {
            body.push_str(&format!("<p>word{} <b>term{}</b>", random.index(5000), random.index(500)));
        }
        let url = format!("https://site{}.example/{page}", page % 7);
        let headers = [("Content-Type", "text/html; charset=utf-8")];
        let response = Response { url: &url, date: 0, id: None, status: 200, headers: &headers, body: body.as_bytes() };
        warc.response(&response).expect("written");
    }
    warc.finish().expect("written");
}
