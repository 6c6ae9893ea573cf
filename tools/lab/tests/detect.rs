//! Detection on real pages: every method finds the same pairs as comparing all pairs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use nddb::archive::{EntryContent, Input, Options};
use nddb::detect::{Collection, Line, PairOptions, Resources, document_of_page};
use nddb::sketch::{LeadingWords, Profile, Recipe};
use nddb::verdict::{Method, methods};
use nddb::{Config, Reader, Stored, Writer};
use nddb_evaluate::eval::{Corpus, Labels};
use nddb_format::record::Record;
use nddb_verdict::{b_similarity, c_similarity};

#[expect(clippy::print_stderr, reason = "a test tells what it leaves out")]
fn say(text: &str) {
    eprintln!("{text}");
}

const METHODS: [&str; 7] = ["identity", "hamming", "b", "c", "combined", "split", "min-hash"];

/// The method with this name. If it compares projections, `complete` tells whether it finds all that differ in 12 bits.
fn completed(name: &str, complete: bool) -> Box<dyn Method> {
    let mut method: Box<dyn Method> = name.parse().expect("a method");
    if method.has_parameter("complete") {
        method.set("complete", &complete.to_string()).expect("a flag");
    }
    method
}

fn labelled(name: &str) -> Option<PathBuf> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/labelled").join(name).join("docs.jsonl.zst");
    if path.is_file() {
        return Some(path);
    }
    say(&format!("{} is not there: detection is not tested on it", path.display()));
    None
}

fn load(path: &Path, database: &Path) -> Vec<Stored> {
    let recipe = Recipe::default();
    let mut writer = Writer::create(database, &Config::within(3).expect("k")).expect("a new database");
    let mut load = writer.bulk_load().expect("a load");
    let mut input = Input::open(path, &Options::default()).expect("readable");
    while let Some(entry) = input.next().expect("readable") {
        let EntryContent::Page(entry) = entry.content else { continue };
        load.push(document_of_page(&entry.id, &entry.page(), &recipe).expect("an id")).expect("taken");
    }
    load.finish().expect("loaded");
    let mut all = Vec::new();
    let each = writer.view().each(&mut |stored| {
        all.push(stored);
        Ok(true)
    });
    each.expect("read");
    all
}

fn profiles(a: &Record, b: &Record) -> Option<[Profile; 2]> {
    Some([Profile::from_bytes(a.profile.as_deref()?), Profile::from_bytes(b.profile.as_deref()?)])
}

/// Whether seven neighbouring short min-values in one of twelve runs are equal, or the first three of a run and the
/// name of the page, or six neighbouring min-values of the whole text. The name is the first two words of its title
/// that are no numbers, or else of its headings; without such words, four min-values must be equal.
fn shares_short_run(a: &Profile, b: &Profile) -> bool {
    let name = |profile: &Profile| {
        let of = |words: &LeadingWords| words.plain().take(2).collect::<Vec<_>>();
        let title = of(&profile.title);
        if title.is_empty() { of(&profile.headings) } else { title }
    };
    let same_name = name(a) == name(b);
    let named = if name(a).is_empty() { 4 } else { 3 };
    a.short.chunks(7).zip(b.short.chunks(7)).any(|(a, b)| a == b || same_name && a[..named] == b[..named])
        || a.whole.chunks_exact(6).zip(b.whole.chunks_exact(6)).any(|(a, b)| a == b)
}

/// Whether two documents are on one site and have titles or headings that all differ in their words, numbers left out.
fn names_differ(a: &Record, b: &Record, profiles: &[Profile; 2]) -> bool {
    let words = |words: &LeadingWords| words.plain().collect::<BTreeSet<_>>();
    let [x, y] = profiles;
    let both = [(words(&x.title), words(&y.title)), (words(&x.headings), words(&y.headings))];
    let equal: Vec<bool> = both.iter().filter(|(x, y)| !x.is_empty() && !y.is_empty()).map(|(x, y)| x == y).collect();
    a.site.is_some() && a.site == b.site && equal.contains(&false) && !equal.contains(&true)
}

/// The verdict of a method on two documents, by its definition.
fn is_near(method: &str, complete: bool, a: &Stored, b: &Stored) -> bool {
    let (x, y) = (&a.record, &b.record);
    if x.tokens != Some(0) && x.digest == y.digest {
        return true;
    }
    let equal = x.supershingles.zip(y.supershingles).map_or(0, |(x, y)| b_similarity(&x, &y));
    let agree = x.projection.zip(y.projection).map_or(0, |(x, y)| c_similarity(&x, &y));
    let bit = |words: &[u64; 6], bit: usize| words[bit / 64] >> (bit % 64) & 1;
    let piece = |from: usize, until: usize| {
        x.projection.zip(y.projection).is_some_and(|(x, y)| (from..until).all(|at| bit(&x, at) == bit(&y, at)))
    };
    let shares = || match complete {
        false => (0..12).any(|i| piece(32 * i, 32 * i + 32)),
        true => (0..7).any(|i| piece(30 * i, 30 * i + 30)) || (0..6).any(|i| piece(210 + 29 * i, 239 + 29 * i)),
    };
    match method {
        "hamming" => !a.unprinted && !b.unprinted && (a.fingerprint.0 ^ b.fingerprint.0).count_ones() <= 3,
        "b" => equal >= 2,
        "c" => agree >= 372 && shares(),
        "combined" => equal >= 2 && agree >= 355,
        "split" if x.site.is_some() && x.site == y.site => equal >= 2 && agree >= 355,
        "split" => agree >= 372 && (equal >= 2 || shares()),
        "min-hash" => {
            let (p, q) = (x.min_bytes.as_deref(), y.min_bytes.as_deref());
            let (Some(p), Some(q), Some(profiles)) = (p, q, profiles(x, y)) else { return false };
            let agree = p.iter().zip(q).filter(|(p, q)| p == q).count();
            agree >= 36 && shares_short_run(&profiles[0], &profiles[1]) && !names_differ(x, y, &profiles)
        }
        _ => false,
    }
}

fn agrees(name: &str) {
    let Some(path) = labelled(name) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let database = folder.path().join("db");
    let all = load(&path, &database);
    assert!(all.len() > 400);
    let reader = Reader::open(&database).expect("a reader");
    let collection = Collection::build(reader.view(), &Resources::default(), &mut |_| true).expect("a collection");
    for method in METHODS {
        for complete in [false, true] {
            let options = PairOptions { expand: true, ..PairOptions::new(completed(method, complete)) };
            let mut found = BTreeSet::new();
            let outcome = nddb::detect::pairs(reader.view(), &collection, &options, &mut |_| true, &mut |line| {
                if let Line::Pair(pair) = line {
                    found.insert((pair.a.min(pair.b), pair.a.max(pair.b)));
                }
                Ok(())
            });
            let summary = outcome.expect("pairs");
            assert_eq!(summary.pairs, found.len() as u64, "each once");
            let mut want = BTreeSet::new();
            for (a, x) in (0u32..).zip(&all) {
                let near = (a + 1..).zip(&all[a as usize + 1..]).filter(|(_, y)| is_near(method, complete, x, y));
                want.extend(near.map(|(b, _)| (a, b)));
            }
            let (missing, extra) = (want.difference(&found).count(), found.difference(&want).count());
            assert_eq!((missing, extra), (0, 0), "{name}, {method}, complete {complete}");
            assert!(!want.is_empty() || method == "identity", "{name}, {method}");
        }
    }
}

#[test]
fn terms_of_service_over_the_years_are_compared_as_by_hand() {
    agrees("ota-dev");
}

#[test]
fn versions_of_manuals_are_compared_as_by_hand() {
    agrees("docsites-dev");
}

/// The counts of an evaluation of labelled pages equal those from the list of all pairs, for every method that is fast
/// enough.
#[test]
fn evaluation_scores_what_all_pairs_are() {
    let every: Vec<&str> = methods::all().iter().map(|method| method.name()).collect();
    for (name, methods) in [("ota-dev", &every[..]), ("docsites-dev", &METHODS[..])] {
        let Some(documents) = labelled(name) else { continue };
        let labels = std::fs::read(documents.with_file_name("pairs.tsv")).expect("beside the documents");
        let labels = Labels::read(&labels[..]).expect("labels");
        let folder = tempfile::tempdir().expect("a folder");
        let resources = Resources { folder: folder.path().into(), ..Resources::default() };
        let (config, recipe) = (Config::within(7).expect("k"), Recipe::default());
        let documents = (documents.as_path(), &Options::default());
        let corpus = Corpus::load(documents, &folder.path().join("db"), &config, &recipe, &resources, &mut |_| true)
            .expect("documents");
        let gold = corpus.gold(&labels).expect("a database");
        for &method in methods {
            let options = PairOptions { resources: resources.clone(), ..PairOptions::new(completed(method, false)) };
            let (returned, summary) = corpus.run(&options, &gold, 1, &mut |_| true).expect("pairs");
            let (mut found, mut pairs, mut unlabelled) = (vec![false; gold.pairs.len()], 0, 0);
            let expand = PairOptions { expand: true, ..options };
            let all = nddb::detect::pairs(corpus.view(), corpus.collection(), &expand, &mut |_| true, &mut |line| {
                let Line::Pair(pair) = line else { return Ok(()) };
                pairs += 1;
                match gold.find(pair.a, pair.b) {
                    Some(index) => found[index] = true,
                    None => unlabelled += 1,
                }
                Ok(())
            });
            assert_eq!(returned.found(), found, "{name}, {method}");
            assert_eq!((returned.pairs(), returned.unlabelled()), (pairs, unlabelled), "{name}, {method}");
            let all = all.expect("pairs");
            assert_eq!((summary.pairs, summary.candidates), (all.pairs, all.candidates), "{name}, {method}");
            assert!(pairs > 20, "{name}, {method}");
        }
    }
}
