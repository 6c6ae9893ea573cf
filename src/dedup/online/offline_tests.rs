//! Online and offline verdicts agree: the matches of every document are the pairs of the database.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use nddb_index::{Config, Document, Error, Fingerprint, Outcome, Reader, Scope, View, Writer};
use nddb_page::sketch::Recipe;
use nddb_page::text::Page;
use nddb_test_support::Random;
use nddb_verdict::Method;
use nddb_verdict::methods::{Hamming, Identity, IdentityOf, all as every};

use super::detector::OnlineDetector;
use super::query::{Query, queried};
use crate::default_method::MethodChoice;
use crate::options::PairOptions;
use crate::pair::Line;
use crate::support::{self, collection, texts};
use crate::{UnreadTexts, document_of_page, pairs};

/// Recipes with an index of every kind, and one with that of hamming alone.
const RECIPES: [&str; 4] = ["main-c/1", "main/1", "web-c/1", "1e0ng/1"];

type Pairs = BTreeSet<(String, String)>;

/// Makes documents that differ in which of their properties and sketches are known.
struct Mixed {
    recipe: Recipe,
    texts: Vec<String>,
    synthetic: Vec<support::Page>,
    made: Vec<Document>,
}

impl Mixed {
    fn new(recipe: &str, random: &mut Random) -> Self {
        let recipe = Recipe::from_label(recipe).expect("a recipe");
        let (texts, synthetic) = (texts(40, random.next()), support::pages(40, random.next()));
        Self { recipe, texts, synthetic, made: Vec::new() }
    }

    /// A page with a title and an address.
    fn page(&self, id: &str, random: &mut Random) -> Document {
        let (text, url) = (random.pick(&self.texts), format!("http://site{}.org/{id}", random.below(3)));
        let title = ["", "red fox", "red fox hunting", "blue whale"][random.index(4)];
        let html = format!("<title>{title}</title><body><h1>{title}</h1><p>{text}</p>");
        document_of_page(id, &Page { url: Some(&url), ..Page::html(&html) }, &self.recipe).expect("a document")
    }

    /// Another document, often like one that was made before.
    fn next(&mut self, id: &str, random: &mut Random) -> Document {
        let old = self.made.get(random.index(self.made.len().max(1))).cloned();
        let with_id = |mut document: Document| {
            document.record_mut().id = id.into();
            document
        };
        let document = match (random.below(16), old) {
            // Only the fingerprint is known.
            (0..3, Some(old)) => {
                let flips = random.below(5);
                Document::bare(id, Fingerprint(random.near(old.fingerprint().0, flips, 64))).expect("an id")
            }
            // A copy.
            (3..5, Some(old)) => with_id(old),
            // Without some of the known properties.
            (5..8, Some(old)) => {
                let mut document = with_id(old);
                let record = document.record_mut();
                for part in 0..7 {
                    match part {
                        _ if random.below(3) > 0 => (),
                        0 => record.digest = None,
                        1 => record.supershingles = None,
                        2 => record.projection = None,
                        3 => record.min_bytes = None,
                        4 => record.profile = None,
                        5 => record.site = None,
                        _ => record.tokens = None,
                    }
                }
                // Another text with equal sketches.
                if random.percent(50) {
                    record.digest = record.digest.map(|_| u128::from(random.next()).to_be_bytes());
                }
                document
            }
            (8, _) => {
                let body = ["", "one", "1 2 3 4 5", "7 8 9", "<p>"][random.index(5)];
                document_of_page(id, &Page::html(body), &self.recipe).expect("a document")
            }
            (9..12, _) => {
                let of = random.index(self.synthetic.len());
                let page = self.synthetic[of].near(id, random);
                self.synthetic.push(page.clone());
                page.document()
            }
            _ => self.page(id, random),
        };
        self.made.push(document.clone());
        document
    }
}

/// Fills a database with several runs and with replaced and deleted documents; returns the live documents by their ids.
fn fill(path: &Path, mixed: &mut Mixed, random: &mut Random) -> (Writer, BTreeMap<String, Document>) {
    let config = Config::within(3).expect("k").recipe(&mixed.recipe.label());
    let mut writer = Writer::create(path, &config).expect("a new database");
    let mut live = BTreeMap::new();
    let mut load = writer.bulk_load().expect("a load");
    for index in 0..60 {
        let document = mixed.next(&format!("loaded {index}"), random);
        load.push(document.clone()).expect("taken");
        live.insert(document.id().to_owned(), document);
    }
    load.finish().expect("loaded");
    for index in 0..100 {
        change(&mut writer, &mut live, mixed, index, random);
        match random.below(16) {
            0 => writer.commit().expect("durable"),
            1 => {
                writer.commit().expect("durable");
                writer.flush().expect("flushed");
            }
            _ => (),
        }
    }
    writer.commit().expect("durable");
    (writer, live)
}

/// Inserts, replaces or deletes a document.
fn change(
    writer: &mut Writer,
    live: &mut BTreeMap<String, Document>,
    mixed: &mut Mixed,
    index: usize,
    random: &mut Random,
) {
    let old = live.keys().nth(random.index(live.len())).cloned().unwrap_or_default();
    if random.percent(10) {
        assert!(writer.delete(&old).expect("deleted"));
        live.remove(&old);
        return;
    }
    let id = if random.percent(10) { old } else { format!("{:x} {index}", random.below(256)) };
    let document = mixed.next(&id, random);
    if writer.insert(document.clone()).expect("taken") != Outcome::Unchanged {
        live.insert(id, document);
    }
}

/// Detectors of each method with an index, with several thresholds, with and without hamming for undecided pairs; and
/// the default detector.
fn detectors(view: View<'_>, random: &mut Random) -> Vec<OnlineDetector> {
    let mut detectors = vec![OnlineDetector::usual(view)];
    let of_content = Identity { of: IdentityOf::Content };
    for method in every().into_iter().chain([of_content.into()]) {
        for or_hamming in [None, Some(Hamming::within(3))] {
            let mut usual = method.clone();
            if random.percent(50) && method.settings().iter().any(|setting| setting.name == "complete") {
                usual.set("complete", "true").expect("a flag");
            }
            detectors.push(OnlineDetector::chosen(MethodChoice { method: usual, or_hamming }));
            let (method, or_hamming) =
                (varied(&*method, random), or_hamming.map(|_| Hamming::within(random.below(4) as u32)));
            detectors.push(OnlineDetector::chosen(MethodChoice { method, or_hamming }));
        }
    }
    detectors.retain(|online| online.check(view).is_ok());
    detectors.iter_mut().for_each(|online| online.group_limit = 10_000);
    detectors
}

/// The method with other thresholds, but the same pieces of projections: with `complete`, queries and the join of all
/// documents may find different pairs among those that differ in more than 12 bits.
fn varied(method: &dyn Method, random: &mut Random) -> Box<dyn Method> {
    let mut other = method.boxed();
    for setting in method.settings().iter().filter(|setting| setting.is_threshold) {
        let value = match setting.name {
            "k" => random.below(4).to_string(),
            "b" => (2 + random.below(3)).to_string(),
            "c" | "same" => (330 + random.below(50)).to_string(),
            "agreement" => random.below(60).to_string(),
            _ => (random.below(100) as f64 / 100.0).to_string(),
        };
        other.set(setting.name, &value).expect("in range");
    }
    other
}

/// All pairs of a database.
fn offline(reader: &Reader, online: &OnlineDetector) -> Result<Pairs, Error> {
    let options =
        PairOptions { or_hamming: online.or_hamming, expand: true, ..support::options(online.method.clone()) };
    let collection = collection(reader, &options.resources);
    let mut found = Pairs::new();
    pairs(reader.view(), &collection, &options, &mut |_| true, &mut |line| {
        if let Line::Pair(pair) = line {
            found.insert((collection.id(pair.a).to_owned(), collection.id(pair.b).to_owned()));
        }
        Ok(())
    })
    .map(|summary| {
        assert_eq!(summary.unread, UnreadTexts::default());
        found
    })
}

/// All pairs by a query for every document, so each pair is found from both sides. A document of which nothing is known
/// has no pairs.
fn asked(online: &OnlineDetector, scope: Scope<'_>, live: &BTreeMap<String, Document>, what: &str) -> Pairs {
    let mut directed = Pairs::new();
    for (id, document) in live {
        let answer = match Query::new(online, scope, queried(document), None) {
            Err(Error::Method { .. }) => continue,
            query => query.and_then(Query::all).expect("an answer"),
        };
        assert!(answer.complete, "{what}, {id}");
        assert_eq!(answer.count, answer.matches.len() as u64, "{what}, {id}");
        let others = answer.matches.into_iter().map(|found| found.id).filter(|other| other != id);
        directed.extend(others.map(|other| (id.clone(), other)));
    }
    for (a, b) in &directed {
        assert!(directed.contains(&(b.clone(), a.clone())), "{what}: {a} finds {b}, which does not find it");
    }
    directed.into_iter().filter(|(a, b)| a < b).collect()
}

fn assert_same(online: &Pairs, offline: &Pairs, what: &str) {
    let few = |pairs: &Pairs, others: &Pairs| pairs.difference(others).take(3).cloned().collect::<Vec<_>>();
    let differ = (few(online, offline), few(offline, online));
    assert_eq!(differ, (Vec::new(), Vec::new()), "{what}: online alone, offline alone");
}

#[test]
fn each_document_is_near_to_those_that_all_pairs_say() {
    let mut random = Random::seeded("online and offline");
    for recipe in RECIPES {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("db");
        let mut mixed = Mixed::new(recipe, &mut random);
        let (mut writer, mut live) = fill(&path, &mut mixed, &mut random);
        let detectors = detectors(writer.view(), &mut random);
        let committed = Reader::open(&path).expect("a reader");
        let before = live.clone();
        for index in 0..40 {
            change(&mut writer, &mut live, &mut mixed, 1000 + index, &mut random);
        }
        let staged: Vec<Pairs> = detectors
            .iter()
            .map(|online| {
                asked(online, writer.scope().expect("a scope"), &live, &format!("{recipe}, staged: {online:?}"))
            })
            .collect();
        writer.close().expect("closed");
        let reader = Reader::open(&path).expect("a reader");
        let mut found = 0;
        for (online, staged) in detectors.iter().zip(&staged) {
            let what = format!("{recipe}: {online:?}");
            let want = match offline(&committed, online) {
                // No document has the sketches that the method compares.
                Err(Error::Method { .. }) => continue,
                want => want.expect("pairs"),
            };
            let got = asked(online, Scope::of(committed.view()), &before, &what);
            assert_same(&got, &want, &what);
            let what = format!("{what}, committed");
            let want = offline(&reader, online).expect("pairs");
            assert_same(&asked(online, Scope::of(reader.view()), &live, &what), &want, &what);
            assert_same(staged, &want, &format!("{what}, before"));
            found += want.len();
        }
        assert!(found > 100, "{recipe}: {found} pairs, {} ways", detectors.len());
    }
}
