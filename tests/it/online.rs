//! Online verdicts over real pages: the same as by brute force, and as the pairs of the whole database.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use nddb::archive::{EntryContent, Input, Options};
use nddb::detect::{Collection, Line, NearDuplicate, OnlineDetector, PairOptions, document_of_page, pairs};
use nddb::sketch::{Profile, Recipe};
use nddb::verdict::{Constants, FeatureValues, Method};
use nddb::{Config, Document, Reader, Stored, Writer};
use nddb_format::record::Record;
use nddb_page::sketch::agreement;
use nddb_verdict::{b_similarity, c_similarity};

use super::support::say;

const METHODS: [&str; 6] = ["identity", "hamming", "b", "c", "combined", "split"];
/// Number of pages read of the archive.
const PAGES: usize = 1200;

fn real(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data").join(name);
    if path.exists() {
        return Some(path);
    }
    say(&format!("{} is not there: verdicts on real pages are not tested", path.display()));
    None
}

/// Loads the documents of an archive into a database, half by a bulk load and half one by one.
fn database(archive: &Path, path: &Path, recipe: &str) -> usize {
    let recipe = Recipe::from_label(recipe).expect("a recipe");
    let config = Config::within(3).expect("k").recipe(&recipe.label());
    let mut writer = Writer::create(path, &config).expect("a new database");
    let mut input = Input::open(archive, &Options::default()).expect("an archive");
    let mut documents = Vec::new();
    while documents.len() < PAGES
        && let Ok(Some(entry)) = input.next()
    {
        if let EntryContent::Page(page) = entry.content {
            documents.push(document_of_page(&page.id, &page.page(), &recipe).expect("an id"));
        }
    }
    let half = documents.len() / 2;
    let rest = documents.split_off(half);
    let mut load = writer.bulk_load().expect("a load");
    documents.into_iter().for_each(|document| load.push(document).expect("taken"));
    load.finish().expect("loaded");
    for document in rest {
        writer.insert(document).expect("taken");
    }
    writer.close().expect("closed");
    2 * half
}

/// Returns whether two documents are near-duplicates by the definition of a method.
fn is_near(method: &str, a: &Stored, b: &Stored) -> bool {
    let (x, y) = (&a.record, &b.record);
    if x.tokens != Some(0) && x.digest == y.digest {
        return true;
    }
    let (p, q) = (x.projection.unwrap_or_default(), y.projection.unwrap_or_default());
    let known = x.projection.is_some() && y.projection.is_some();
    let equal = x.supershingles.zip(y.supershingles).map_or(0, |(a, b)| b_similarity(&a, &b));
    let agree = if known { c_similarity(&p, &q) } else { 0 };
    let piece = |words: &[u64; 6], index: usize| (words[index / 2] >> (32 * (index % 2))) as u32;
    let shares = (0..12).any(|index| piece(&p, index) == piece(&q, index));
    match method {
        "identity" => false,
        "hamming" => !a.unprinted && !b.unprinted && (a.fingerprint.0 ^ b.fingerprint.0).count_ones() <= 3,
        "b" => equal >= 2,
        "c" => agree >= 372 && shares,
        "combined" => equal >= 2 && agree >= 355,
        "split" if x.site.is_some() && x.site == y.site => equal >= 2 && agree >= 355,
        "split" => agree >= 372 && (shares || equal >= 2),
        "model" => {
            let (Some(p), Some(q)) = (profile(x), profile(y)) else { return false };
            let (Some(u), Some(v)) = (x.min_bytes.as_deref(), y.min_bytes.as_deref()) else { return false };
            let shares = p.bands().iter().zip(q.bands()).any(|(p, q)| *p == q);
            shares && Constants::MAIN.probability(&FeatureValues::of(&p, &q, agreement(u, v))) >= 0.5
        }
        other => panic!("{other} reads texts"),
    }
}

fn profile(record: &Record) -> Option<Profile> {
    record.profile.as_deref().map(Profile::from_bytes)
}

#[test]
fn real_pages_have_the_near_duplicates_that_a_look_at_all_of_them_finds() {
    assert_answers("web-c/1", &METHODS);
    assert_answers("main-c/1", &["model", "identity", "c"]);
}

/// Compares the online answers and the pairs of the whole database with brute force over all documents.
fn assert_answers(recipe: &str, methods: &[&str]) {
    let Some(archive) = real("crawl/kafka.warc.gz") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("db");
    let len = database(&archive, &path, recipe);
    assert!(len > 500, "{len} pages");
    let reader = Reader::open(&path).expect("a reader");
    let mut all = Vec::new();
    let mut keep = |stored| {
        all.push(stored);
        Ok(true)
    };
    reader.view().each(&mut keep).expect("readable");
    for &name in methods {
        let method: Box<dyn Method> = name.parse().expect("a method");
        let online = OnlineDetector { group_limit: PAGES, ..OnlineDetector::new(method.clone()) };
        let mut found = BTreeSet::new();
        for stored in &all {
            let answer = online.ask(reader.view(), &Document::from(stored.clone())).expect("an answer");
            assert!(answer.complete);
            let want: BTreeSet<u64> =
                all.iter().filter(|other| is_near(name, stored, other)).map(|other| other.number).collect();
            let number = |found: &NearDuplicate| found.number;
            let got: BTreeSet<u64> = answer.matches.iter().map(number).collect();
            assert_eq!(got, want, "{method}, {}", stored.record.id);
            let id = &stored.record.id;
            let others = answer.matches.iter().map(|found| &found.id).filter(|other| *other != id);
            found.extend(others.map(|other| (id.min(other).clone(), id.max(other).clone())));
        }
        let options = PairOptions { expand: true, ..PairOptions::new(method.clone()) };
        let collection = Collection::build(reader.view(), &options.resources, &mut |_| true).expect("a collection");
        let mut want = BTreeSet::new();
        pairs(reader.view(), &collection, &options, &mut |_| true, &mut |line| {
            if let Line::Pair(pair) = line {
                want.insert((collection.id(pair.a).to_owned(), collection.id(pair.b).to_owned()));
            }
            Ok(())
        })
        .expect("pairs");
        assert!(found == want, "{method}: {} online, {} pairs", found.len(), want.len());
        say(&format!("{method}: {} pairs among {len} real pages", want.len()));
    }
}
