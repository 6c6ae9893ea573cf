use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use nddb_format::record::Record;
use nddb_index::{
    CheckOptions, Config, Document, Error, Fingerprint, Outcome, Reader, Result, Stored, View, Writer, check,
};
use nddb_verdict::methods::{B, C, Hamming};
use nddb_verdict::{Method, b_similarity, c_similarity};
use proptest::prelude::*;

use super::*;
use crate::pair::Line;
use crate::support::{Page, Random, collection, completed, named, options, pages};
use crate::{document_of_page, pairs};

const METHODS: [&str; 6] = ["identity", "hamming", "b", "c", "combined", "split"];

fn create(path: &Path) -> Writer {
    Writer::create(path, &Config::within(3).expect("k").recipe("web-c/1")).expect("a new database")
}

/// All live documents, in the order of their numbers.
fn everything(view: View<'_>) -> Vec<Stored> {
    let mut all = Vec::new();
    view.each(&mut |stored| {
        all.push(stored);
        Ok(true)
    })
    .expect("readable");
    all
}

fn shares_piece(a: &[u64; 6], b: &[u64; 6]) -> bool {
    (0..6).any(|word| {
        let different = a[word] ^ b[word];
        different as u32 == 0 || different >> 32 == 0
    })
}

/// The verdict of a method on two documents by its definition: the score if they are near, the greatest score if they
/// are identical.
fn score(online: &OnlineDetector, a: &Stored, b: &Stored) -> Option<u32> {
    let (x, y) = (&a.record, &b.record);
    if x.tokens != Some(0) && x.digest.is_some() && x.digest == y.digest {
        return Some(u32::MAX);
    }
    if online.or_hamming.is_some() && (x.supershingles.is_none() || y.supershingles.is_none()) {
        // The fingerprint of a page without terms is no evidence.
        let is_bare = |record: &Record| record.tokens.is_none_or(|tokens| tokens == 0);
        let says = |record: &Record| {
            is_bare(record) || record.supershingles.is_some() || record.min_bytes.is_some() || record.profile.is_some()
        };
        if !says(x) || !says(y) {
            return None;
        }
        return score(&OnlineDetector::new(Hamming::default()), a, b);
    }
    let equal = x.supershingles.zip(y.supershingles).map_or(0, |(a, b)| b_similarity(&a, &b));
    let projections = x.projection.as_ref().zip(y.projection.as_ref());
    let agree = projections.map_or(0, |(a, b)| c_similarity(a, b));
    let shares = is_complete(&*online.method) || projections.is_some_and(|(a, b)| shares_piece(a, b));
    let c = (agree >= 372 && shares).then_some(agree);
    let combined = (equal >= 2 && agree >= 355).then_some(agree);
    match online.method.name() {
        "hamming" if a.unprinted || b.unprinted => None,
        "hamming" => {
            let distance = (a.fingerprint.0 ^ b.fingerprint.0).count_ones();
            (distance <= 3).then_some(64 - distance)
        }
        // Pairs decided by the method come before all pairs that hamming decides instead.
        "b" => (equal >= 2).then_some(64 + equal),
        "c" => c,
        "combined" => combined,
        "split" if x.site.is_some() && x.site == y.site => combined,
        "split" => c.or((agree >= 372 && equal >= 2).then_some(agree)),
        _ => None,
    }
}

/// Whether all pairs of projections that differ in 12 bits are found.
fn is_complete(method: &dyn Method) -> bool {
    method.settings().iter().any(|setting| setting.name == "complete" && setting.value.to_string() == "true")
}

/// All near-duplicates of a document, in their order.
fn defined(online: &OnlineDetector, all: &[Stored], of: &Stored) -> Vec<u64> {
    let near = all.iter().filter_map(|other| score(online, of, other).map(|score| (u32::MAX - score, other.number)));
    let mut near: Vec<(u32, u64)> = near.collect();
    near.sort_unstable();
    near.into_iter().map(|(_, number)| number).collect()
}

fn numbers(alikes: &NearDuplicates) -> Vec<u64> {
    alikes.matches.iter().map(|alike| alike.number).collect()
}

/// Whether the sketches that the method needs are known, or the document is known to be empty.
fn is_known(method: &str, record: &Record) -> bool {
    let (b, c) = (record.supershingles.is_some(), record.projection.is_some());
    record.tokens == Some(0)
        || match method {
            "identity" => record.digest.is_some(),
            "b" => b,
            "c" => c,
            "combined" | "split" => b && c,
            _ => true,
        }
}

/// Whether a sketch by which near-duplicates are found is known, or the document is known to be empty.
fn can_be_asked(method: &str, record: &Record) -> bool {
    let split = method == "split" && (record.supershingles.is_some() || record.projection.is_some());
    let combined = method == "combined" && record.supershingles.is_some();
    record.digest.is_some() || split || combined || is_known(method, record)
}

/// Compares the answers of a view with the answers of a scan of all documents, for every document and method.
fn assert_answers(view: View<'_>, what: &str) {
    let all = everything(view);
    let usual = OnlineDetector {
        group_limit: 10_000,
        or_hamming: Some(Hamming::default()),
        ..OnlineDetector::new(B::default())
    };
    let named = METHODS.iter().flat_map(|&method| {
        let by = |complete| OnlineDetector::new(completed(method, complete));
        [false, true].map(|complete| OnlineDetector { group_limit: 10_000, ..by(complete) })
    });
    for online in named.chain([usual]) {
        let (method, complete) = (online.method.name(), is_complete(&*online.method));
        for stored in &all {
            let answer = online.ask(view, &Document::from(stored.clone()));
            if online.or_hamming.is_none() && !can_be_asked(method, &stored.record) {
                assert!(matches!(answer, Err(Error::Method { .. })), "{what}, {method}: {answer:?}");
                continue;
            }
            let answer = answer.expect("an answer");
            let want = defined(&online, &all, stored);
            assert_eq!(numbers(&answer), want, "{what}, {method}, complete {complete}, {}", stored.record.id);
            assert_eq!((answer.count, answer.complete), (want.len() as u64, true));
        }
    }
}

/// Compares the answers with the pairs of the whole database.
fn assert_pairs(reader: &Reader, what: &str) {
    let view = reader.view();
    let all = everything(view);
    let of_id: BTreeMap<&str, &Stored> = all.iter().map(|stored| (&stored.record.id[..], stored)).collect();
    for method in METHODS {
        // Identical documents are a pair, even if both lack the sketches of the method.
        let can_be_asked = |id: &str| can_be_asked(method, &of_id[id].record);
        for complete in [false, true] {
            let mut want = BTreeSet::new();
            let options = crate::options::PairOptions { expand: true, ..options(completed(method, complete)) };
            let collection = collection(reader, &options.resources);
            pairs(view, &collection, &options, &mut |_| true, &mut |line| {
                if let Line::Pair(pair) = line {
                    let (a, b) = (collection.id(pair.a), collection.id(pair.b));
                    if can_be_asked(a) || can_be_asked(b) {
                        want.insert((a.to_owned(), b.to_owned()));
                    }
                }
                Ok(())
            })
            .expect("pairs");
            let online = OnlineDetector { group_limit: 10_000, ..OnlineDetector::new(completed(method, complete)) };
            let mut found = BTreeSet::new();
            for stored in all.iter().filter(|stored| can_be_asked(&stored.record.id)) {
                let (id, answer) = (&stored.record.id, online.ask(view, &Document::from(stored.clone())));
                for alike in answer.expect("an answer").matches {
                    let other = &alike.id;
                    if id != other {
                        found.insert((id.min(other).clone(), id.max(other).clone()));
                    }
                }
            }
            let (missing, extra) = (want.difference(&found).count(), found.difference(&want).count());
            assert_eq!((missing, extra), (0, 0), "{what}, {method}, complete {complete}, of {}", want.len());
        }
    }
}

#[test]
fn answers_are_those_of_a_look_at_everything_and_of_all_pairs() {
    for seed in 0..4 {
        let what = format!("seed {seed}");
        let mut random = Random(seed ^ 77);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("db");
        let mut writer = create(&path);
        let all = pages(260, seed);
        let mut load = writer.bulk_load().expect("a load");
        all[..80].iter().for_each(|page| load.push(page.document()).expect("taken"));
        load.finish().expect("loaded");
        let mut reader = Reader::open(&path).expect("a reader");
        for (position, page) in all[80..].iter().enumerate() {
            writer.insert(page.document()).expect("taken");
            match random.below(12) {
                0 => writer.commit().expect("durable"),
                1 => {
                    writer.delete(&all[random.below(position as u64 + 80) as usize].id).expect("deleted");
                }
                2 => {
                    // Another text under an existing id.
                    let old = &all[random.below(position as u64 + 80) as usize];
                    writer.insert(page.near(&old.id, &mut random).document()).expect("replaced");
                }
                3 => {
                    writer.commit().expect("durable");
                    writer.flush().expect("flushed");
                }
                _ => (),
            }
        }
        writer.commit().expect("durable");
        writer.label("soon", true).expect("a batch");
        for page in &all[..30] {
            writer.insert(page.near(&format!("pending {}", page.id), &mut random).document()).expect("taken");
        }
        writer.commit().expect("durable");
        assert_answers(writer.view(), &what);
        let before = everything(reader.view());
        assert_eq!(before.len(), 80);
        assert_answers(reader.view(), &format!("{what}, the state before"));
        assert!(reader.refresh().expect("refreshed"));
        assert_answers(reader.view(), &format!("{what}, a reader"));
        assert_pairs(&reader, &what);
        let seen = everything(reader.view()).len();
        writer.commit_batch("soon").expect("committed");
        writer.close().expect("closed");
        let reader = Reader::open(&path).expect("a reader");
        assert_eq!(everything(reader.view()).len(), seen + 30);
        assert_answers(reader.view(), &format!("{what}, the batch committed"));
        assert_pairs(&reader, &format!("{what}, the batch committed"));
        let report = check(&path, &CheckOptions::default(), &mut |_| true).expect("a report");
        assert!(report.faults.is_empty(), "{:?}", report.faults);
    }
}

/// The expected behaviour of check-and-insert: it returns the first near-duplicate under another id, or stores the
/// document.
struct Model {
    live: BTreeMap<String, Stored>,
    next: u64,
}

impl Model {
    fn insert_if_new(&mut self, online: &OnlineDetector, page: &Page) -> Option<String> {
        let print = page.fingerprint.unwrap_or(0);
        let (fingerprint, unprinted) = (Fingerprint(print), page.fingerprint.is_none());
        let stored = Stored { number: self.next, fingerprint, unprinted, record: page.document().record().clone() };
        let others = self.live.values().filter(|other| other.record.id != page.id);
        let near = others.filter_map(|other| Some((u32::MAX - score(online, &stored, other)?, other.number, other)));
        if let Some((_, _, best)) = near.min_by_key(|(score, number, _)| (*score, *number)) {
            return Some(best.record.id.clone());
        }
        self.put(stored);
        None
    }

    fn put(&mut self, stored: Stored) {
        let same = self.live.get(&stored.record.id).is_some_and(|old| {
            old.record.digest == stored.record.digest
                && (old.fingerprint, old.unprinted) == (stored.fingerprint, stored.unprinted)
                && old.record.site == stored.record.site
        });
        if !same {
            self.live.insert(stored.record.id.clone(), stored);
            self.next += 1;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn check_and_insert_is_one_step(seed in any::<u64>(), method in 0..=METHODS.len(), complete in any::<bool>()) {
        let usual = OnlineDetector { or_hamming: Some(Hamming::default()), ..OnlineDetector::new(B::default()) };
        let by = |&method| OnlineDetector::new(completed(method, complete));
        let online = METHODS.get(method).map_or(usual, by);
        let folder = tempfile::tempdir().expect("a folder");
        let mut writer = create(&folder.path().join("db"));
        let mut model = Model { live: BTreeMap::new(), next: 0 };
        let mut random = Random(seed);
        let mut judged = [0, 0];
        for mut page in pages(160, seed) {
            if random.below(5) == 0 && let Some(id) = model.live.keys().nth(random.below(20) as usize) {
                page.id = id.clone();
            }
            let outcome = online.insert_if_new(&mut writer, page.document());
            if online.or_hamming.is_none() && !is_known(online.method.name(), &page.record) {
                prop_assert!(matches!(outcome, Err(Error::Method { .. })), "{outcome:?}");
            } else {
                let found = match outcome.expect("judged") {
                    Judgement::Inserted { complete, .. } => {
                        prop_assert!(complete);
                        None
                    }
                    Judgement::Duplicate { of, .. } => Some(of.id),
                };
                judged[usize::from(found.is_some())] += 1;
                prop_assert_eq!(found, model.insert_if_new(&online, &page));
            }
            match random.below(16) {
                0 => writer.commit().expect("durable"),
                1 => if let Some(id) = model.live.keys().nth(random.below(30) as usize).cloned() {
                    prop_assert!(writer.delete(&id).expect("deleted"));
                    model.live.remove(&id);
                },
                _ => (),
            }
        }
        prop_assert!(judged[0] > 0 && judged[1] > 0, "{judged:?}");
        writer.commit().expect("durable");
        let ids: BTreeSet<String> = everything(writer.view()).into_iter().map(|stored| stored.record.id).collect();
        prop_assert_eq!(ids, model.live.keys().cloned().collect::<BTreeSet<_>>());
    }
}

#[test]
fn by_hamming_the_nearest_and_oldest_fingerprint_decides() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut writer = create(&folder.path().join("db"));
    // For each id, the number and the fingerprint of its document.
    let mut live: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut random = Random(5);
    let online = OnlineDetector::new(Hamming::default());
    let (mut next, mut duplicates) = (0, 0);
    for index in 0..3000 {
        let print =
            random.below(40).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (1 << random.below(64)) ^ (1 << random.below(64));
        let id = format!("{}", random.below(2000));
        let document = Document::bare(&id, Fingerprint(print)).expect("an id");
        let others = live.iter().filter(|(other, _)| **other != id);
        let distances = others.map(|(other, &(number, stored))| ((stored ^ print).count_ones(), number, other));
        let nearest = distances.filter(|(distance, ..)| *distance <= 3).min();
        let wanted = match nearest {
            Some((distance, _, of)) => {
                duplicates += 1;
                Ok((of.clone(), Some(distance)))
            }
            None => {
                let outcome = match live.get(&id) {
                    None => Outcome::New,
                    Some(&(_, stored)) if stored == print => Outcome::Unchanged,
                    Some(_) => Outcome::Replaced,
                };
                if outcome != Outcome::Unchanged {
                    live.insert(id, (next, print));
                    next += 1;
                }
                Err(outcome)
            }
        };
        let judged = match online.insert_if_new(&mut writer, document).expect("judged") {
            Judgement::Inserted { outcome, complete: true } => Err(outcome),
            Judgement::Duplicate { of, complete: true } => Ok((of.id, of.measures.count("distance"))),
            other => panic!("{other:?}"),
        };
        assert_eq!(judged, wanted, "document {index}");
        if index % 100 == 0 {
            writer.commit().expect("durable");
        }
    }
    assert!(duplicates > 100 && next > 100, "{duplicates} duplicates, {next} stored");
}

#[test]
fn a_hot_key_is_cut_and_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut writer = create(&folder.path().join("db"));
    let mut random = Random(9);
    let first = Page::new("0", &mut random);
    let other = |id: u64, random: &mut Random| {
        let mut page = Page { id: id.to_string(), ..first.clone() };
        page.record.digest = Some(u128::from(random.next()).to_be_bytes());
        page
    };
    for id in 0..2000 {
        writer.insert(other(id, &mut random).document()).expect("taken");
        if id == 1500 {
            writer.commit().expect("durable");
        }
    }
    for id in 0..50 {
        assert!(writer.delete(&id.to_string()).expect("deleted"));
    }
    let asked = other(5000, &mut random).document();
    for method in METHODS.into_iter().filter(|method| *method != "identity") {
        let online = OnlineDetector { group_limit: 100, ..OnlineDetector::new(named(method)) };
        let judged = online.insert_if_new(&mut writer, asked.clone()).expect("judged");
        let Judgement::Duplicate { of, complete } = judged else { panic!("{method}: {judged:?}") };
        assert_eq!((&of.id[..], complete), ("50", true), "{method}: the oldest is as near as can be");
    }
    writer.commit().expect("durable");
    for method in METHODS.into_iter().filter(|method| *method != "identity") {
        let online = OnlineDetector { group_limit: 100, ..OnlineDetector::new(named(method)) };
        let answer = online.ask(writer.view(), &asked).expect("an answer");
        assert_eq!(numbers(&answer), (50..150).collect::<Vec<u64>>(), "{method}");
        assert!(!answer.complete, "{method}");
        assert_eq!(answer.count, if method == "hamming" { 1950 } else { 100 }, "{method}");
    }
    // A match below the greatest score may be worse than a document that was not compared.
    let mut apart = other(6000, &mut random);
    if let Some(projection) = &mut apart.record.projection {
        projection[0] ^= 1;
    }
    let online = OnlineDetector { group_limit: 100, ..OnlineDetector::new(C::default()) };
    let judged = online.insert_if_new(&mut writer, apart.document()).expect("judged");
    assert!(matches!(judged, Judgement::Duplicate { complete: false, .. }), "{judged:?}");
    // A document that is near none of the compared ones is stored, with the same warning.
    if let Some(projection) = &mut apart.record.projection {
        projection[1..].iter_mut().for_each(|word| *word = !*word);
        projection[0] ^= 1;
    }
    let judged = online.insert_if_new(&mut writer, apart.document()).expect("judged");
    assert_eq!(judged, Judgement::Inserted { outcome: Outcome::New, complete: false });
}

#[test]
fn what_the_database_keeps_no_index_for_is_refused_with_what_would() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = Page::new("a", &mut Random(1)).document();
    let bare = Document::bare("b", Fingerprint(7)).expect("an id");
    let why = |outcome: Result<Judgement>| match outcome {
        Err(error @ Error::Method { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    };
    for (label, refused, said) in [
        ("web/1", &["c", "split"][..], "keeps no pieces of projections; recipes that fit: main-c/1, web-c/1"),
        ("main-offline/1", &["model", "min-hash"], "keeps no bands of profiles; recipes that fit: main/1"),
        ("main-offline/1", &["identity of content"], "keeps no keys of contents; recipes that fit: main/1"),
        ("web/1", &["identity of content"], "makes no digests of contents; recipes that fit: main/1"),
        ("main-offline/1", &["c"], "makes no projections; recipes that fit: main/1, web/1"),
        ("web-c/1", &["min-hash"], "keeps no bands of profiles; recipes that fit: main/1"),
        ("1e0ng/1", &["b", "combined"], "makes no supershingles; recipes that fit: main/1, web/1"),
        ("main-c/1", &["lcs", "cosine", "shingles"], "compares texts"),
    ] {
        let config = Config::within(3).expect("k").recipe(label);
        let path = folder.path().join(format!("{}-{}", &label[..label.len() - 2], refused[0]));
        let mut writer = Writer::create(path, &config).expect("a database");
        for &method in refused {
            let why = why(OnlineDetector::new(named(method)).insert_if_new(&mut writer, page.clone()));
            assert!(why.contains(said), "{label}, {method}: {why}");
        }
        assert!(OnlineDetector::new(Hamming::default()).insert_if_new(&mut writer, bare.clone()).is_ok());
        if label == "main-c/1" {
            for method in METHODS.into_iter().filter(|method| *method != "hamming") {
                let why = why(OnlineDetector::new(named(method)).insert_if_new(&mut writer, bare.clone()));
                assert!(why.contains("'b' only the fingerprint is known"), "{method}: {why}");
            }
        }
    }
}

/// A document made of a text says nothing beside fingerprints that another program made.
#[test]
fn a_text_is_not_compared_with_the_fingerprints_of_another_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config::within(3).expect("k").recipe("given/imagehash");
    let mut writer = Writer::create(folder.path().join("db"), &config).expect("a database");
    let online = OnlineDetector::usual(writer.view());
    let page = crate::document_of_page("a", &nddb_page::text::Page::text("one two three"), &Default::default());
    let page = page.expect("a document");
    let refused =
        [online.ask(writer.view(), &page).map(drop), online.insert_if_new(&mut writer, page.clone()).map(drop)];
    for outcome in refused {
        let why = outcome.expect_err("refused").to_string();
        assert!(why.contains("'a'") && why.contains("made by imagehash, and nddb cannot"), "{why}");
    }
    let bare = Document::bare("b", Fingerprint(7)).expect("an id");
    assert!(online.insert_if_new(&mut writer, bare.clone()).is_ok());
    assert_eq!(online.ask(writer.view(), &bare).expect("an answer").count, 0);
}

#[test]
fn a_merged_database_finds_by_pieces() {
    let folder = tempfile::tempdir().expect("a folder");
    let (ours, theirs) = (folder.path().join("ours"), folder.path().join("theirs"));
    let all = pages(120, 3);
    for (path, half) in [(&ours, &all[..60]), (&theirs, &all[60..])] {
        let mut writer = create(path);
        for page in half {
            writer.insert(page.document()).expect("taken");
        }
        writer.close().expect("closed");
    }
    let mut writer = Writer::open(&ours).expect("opened");
    writer.merge(&theirs).expect("merged");
    for page in &all[..20] {
        assert!(writer.delete(&page.id).expect("deleted"));
    }
    writer.commit().expect("durable");
    writer.flush().expect("flushed");
    let plan = writer.plan_full_compaction().expect("some documents are deleted");
    assert!(writer.compact(&plan).expect("compacted").documents_dropped > 0);
    writer.close().expect("closed");
    let reader = Reader::open(&ours).expect("a reader");
    assert_eq!(everything(reader.view()).len(), 100);
    assert_answers(reader.view(), "merged");
    let report = check(&ours, &CheckOptions::default(), &mut |_| true).expect("a report");
    assert!(report.faults.is_empty(), "{:?}", report.faults);
}

fn word_page(id: &str, text: &str) -> Document {
    document_of_page(id, &nddb_page::text::Page::text(text), &nddb_page::sketch::Recipe::default()).expect("an id")
}

/// What an older state has cached does not hide documents of later states.
#[test]
fn documents_without_a_print_are_found_however_often_was_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("db");
    let mut writer = Writer::create(&path, &Config::within(3).expect("k")).expect("a database");
    writer.insert(Document::bare("bare", Fingerprint(7)).expect("an id")).expect("taken");
    writer.commit().expect("durable");
    let mut reader = Reader::open(&path).expect("a reader");
    for round in 0..20 {
        let word = |index| word_page(&format!("{index} of {round}"), &format!("word{round}x{index}"));
        (0..3).for_each(|index| _ = writer.insert(word(index)).expect("taken"));
        writer.commit().expect("durable");
        assert!(reader.refresh().expect("refreshed"));
        for view in [writer.view(), reader.view()] {
            for index in 0..4 {
                let found = OnlineDetector::usual(view).ask(view, &word(index)).expect("an answer").matches;
                let identical = found.iter().filter(|found| found.identical).count();
                assert_eq!(identical, usize::from(index < 3), "round {round}, {index}");
            }
        }
    }
}
