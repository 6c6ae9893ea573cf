//! Databases that an earlier nddb wrote stay readable, value by value.
//!
//! `tests/data/v1` and `tests/data/v2` contain them by format version, with a README of their contents; they are never
//! written again. The same documents in a new database give runs of the same bytes and the same answers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use nddb::detect::{Method, OnlineDetector};
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::{Document, Fingerprint, Reader, Within, Work, Writer};
use nddb_format::FormatError;
use nddb_format::filter::Kind;
use nddb_format::manifest::Manifest;
use nddb_format::record::BatchState;
use nddb_format::segment::Segment;
use nddb_format::summaries::{Summaries, Summary};

use super::support::golden::{
    HOT, HOT_LEN, ORDINALS, PAGES, bare, flush, is_deleted, make_filtered, make_intervals, make_keys, make_narrow,
    make_summaries, make_web, page, spread, summarized,
};

/// Number of keys of the four golden pages that are printed: of each a digest and fifteen megashingles.
const KEYS: u64 = 64;
/// The format versions of golden databases.
const VERSIONS: [&str; 2] = ["v1", "v2"];

fn golden(version: &str, name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(version).join(name)
}

fn web() -> BTreeMap<String, u64> {
    let mut all: BTreeMap<String, u64> = (0..400).map(|index| (format!("bulk-{index}"), spread(index))).collect();
    all.extend((0..HOT_LEN).map(|index| (format!("hot-{index}"), HOT)));
    all.extend((400..500).map(|index| (format!("flushed-{index}"), spread(index))));
    all.insert("bulk-7".into(), spread(7) ^ 0b101);
    all.remove("bulk-8");
    all
}

fn manifest(path: &Path) -> Manifest {
    Manifest::decode(&std::fs::read(path.join("MANIFEST")).expect("a manifest")).expect("a sound manifest")
}

/// Compares a database with its expected contents, bare documents first.
fn assert_answers(path: &Path, bare: &BTreeMap<String, u64>, k: u8) {
    let reader = Reader::open(path).expect("a database of this version");
    let view = reader.view();
    let prints: std::collections::BTreeSet<u64> = bare.values().copied().collect();
    let near = prints.iter().step_by(3).chain([&HOT]).flat_map(|&print| [print, print ^ 1, print ^ 0b1001]);
    let queries: Vec<Fingerprint> = near.filter(|print| k == 3 || *print < 1 << 16).map(Fingerprint).collect();
    let answers = view.find(&queries, Within(k), None, &mut Work::default()).expect("answers");
    for (query, answer) in queries.iter().zip(answers) {
        let mut want: Vec<(u32, &str)> = bare
            .iter()
            .map(|(id, &print)| ((print ^ query.0).count_ones(), &id[..]))
            .filter(|&(distance, _)| distance <= u32::from(k))
            .collect();
        want.sort();
        let found: Vec<(u32, &str)> = answer.matches.iter().map(|found| (found.distance, &found.id[..])).collect();
        assert_eq!(found, want, "near {query}");
    }
}

fn assert_web(path: &Path) {
    assert_answers(path, &web(), 3);
    let reader = Reader::open(path).expect("a database of this version");
    let view = reader.view();
    let recipe = Recipe::named("web").expect("a recipe");
    for (id, url, html) in PAGES {
        let stored = view.get(id).expect("readable").expect("it is there");
        let sketch = recipe.sketch(&Page { url: Some(url), ..Page::html(html) });
        assert_eq!((stored.fingerprint.0, stored.unprinted), (sketch.fingerprint, sketch.tokens < 2), "{id}");
        let record = stored.record;
        assert_eq!((record.tokens, record.digest), (Some(sketch.tokens), Some(sketch.digest)), "{id}");
        assert_eq!((record.url.as_deref(), record.date), (Some(url), Some(1_700_000_000)), "{id}");
        assert_eq!(record.site.as_deref(), Some(&sketch.site[..]), "{id}");
        assert_eq!(record.supershingles, sketch.min_hash.as_ref().map(|min_hash| min_hash.supershingles), "{id}");
        assert_eq!(record.min_values.as_deref(), sketch.min_hash.as_ref().map(|min_hash| &min_hash.values), "{id}");
        assert_eq!(record.projection, sketch.projection, "{id}");
    }
    for gone in ["bulk-8", "pending-1"] {
        assert_eq!(view.get(gone).expect("readable"), None, "{gone}");
    }
    let batches = view.batches().expect("readable");
    let batches: Vec<(&str, BatchState, u64)> =
        batches.iter().map(|(name, batch, len)| (&name[..], batch.state, *len)).collect();
    assert_eq!(batches, [("pages", BatchState::Open, 5), ("soon", BatchState::Pending, 1)]);
    assert_eq!(view.settings().recipe, "web/1");
    let runs = manifest(path).runs;
    assert_eq!(runs.iter().map(|run| run.scheme.levels().to_vec()).collect::<Vec<_>>(), [vec![4, 4], vec![]]);
    assert_eq!(runs.iter().map(|run| (run.fingerprints, run.documents)).collect::<Vec<_>>(), [(401, 4600), (101, 101)]);
}

/// Returns the bytes of all run files, in the order of the manifest; file numbers do not matter.
fn run_files(path: &Path) -> Vec<Vec<u8>> {
    let read = |number: u64, end: &str| std::fs::read(path.join(format!("runs/{number:08x}.{end}"))).expect("a file");
    manifest(path)
        .runs
        .iter()
        .flat_map(|run| {
            let segments = run.segments.iter().map(|file| read(file.number, "seg"));
            std::iter::once(read(run.postings.number, "post")).chain(segments).collect::<Vec<_>>()
        })
        .collect()
}

/// Returns the bytes of all key tables.
fn key_files(path: &Path) -> Vec<Vec<u8>> {
    let read = |number: u64, end: &str| std::fs::read(path.join(format!("runs/{number:08x}.{end}"))).expect("a file");
    let tables = manifest(path).runs.into_iter().filter_map(|run| run.keys);
    tables.flat_map(|keys| [read(keys.segment.number, "seg"), read(keys.postings.number, "post")]).collect()
}

#[test]
fn the_golden_database_of_pages_reads_value_by_value() {
    VERSIONS.iter().for_each(|version| assert_web(&golden(version, "web")));
    let versions = VERSIONS.map(|version| manifest(&golden(version, "web")).version());
    assert_eq!(versions, [1, 2]);
}

#[test]
fn the_golden_database_of_narrow_fingerprints_reads_value_by_value() {
    let all = (0..2000).map(|index| (index.to_string(), spread(index) & 0xffff)).collect();
    for version in VERSIONS {
        assert_answers(&golden(version, "narrow"), &all, 2);
        let manifest = manifest(&golden(version, "narrow"));
        assert_eq!((manifest.bits, manifest.k, manifest.runs[0].scheme.restart()), (16, 2, 0));
    }
}

#[test]
fn the_golden_database_of_filters_reads_value_by_value() {
    let path = golden("v2", "filtered");
    let all = (0..3000).map(|index| (index.to_string(), spread(index) & 0xff_ffff)).collect();
    assert_answers(&path, &all, 1);
    let kinds: Vec<_> = run_files(&path)
        .iter()
        .filter_map(|file| Segment::open(&file[..]).ok())
        .map(|segment| segment.filter().map(nddb_format::filter::Filter::kind))
        .collect();
    assert_eq!(kinds, [[Some(Kind::Bitmap); 2].as_slice(), &[Some(Kind::Bloom); 3]].concat());
    assert_sound(&path);
}

#[test]
fn the_golden_database_of_intervals_reads_value_by_value() {
    let path = golden("v2", "intervals");
    let mut all: BTreeMap<String, u64> = ORDINALS
        .filter(|&ordinal| !is_deleted(ordinal))
        .map(|ordinal| (format!("d{ordinal}"), spread(ordinal) & 0xffff))
        .collect();
    all.extend([("d7".into(), 7), ("d4694".into(), 8)]);
    assert_answers(&path, &all, 1);
    let reader = Reader::open(&path).expect("a database of this version");
    let view = reader.view();
    for ordinal in 0..5000 {
        let id = format!("d{ordinal}");
        let found = view.get(&id).expect("readable").map(|stored| (stored.record.id, stored.fingerprint.0));
        assert_eq!(found, all.get_key_value(&id).map(|(id, &print)| (id.clone(), print)));
    }
    assert_eq!(view.batches().expect("readable")[0].2, all.len() as u64 - 2);
    assert!(manifest(&path).intervals);
    assert_sound(&path);
}

/// Returns the bytes of the summaries of each run that has them.
fn summary_files(path: &Path) -> Vec<Vec<u8>> {
    let files = manifest(path).runs.into_iter().filter_map(|run| run.summaries);
    files.map(|file| std::fs::read(path.join(format!("runs/{:08x}.sum", file.number))).expect("a file")).collect()
}

#[test]
fn the_golden_database_of_summaries_reads_value_by_value() {
    let path = golden("v2", "summaries");
    let files = summary_files(&path);
    assert_eq!((files.len(), manifest(&path).runs.len()), (2, 2));
    let mut number = 0;
    for (file, when) in files.iter().zip(["loaded", "flushed"]) {
        let file = Summaries::open(&file[..]).expect("a sound file");
        file.verify().expect("a sound file");
        assert_eq!(file.header().documents, 5, "all but the empty page");
        for document in summarized(when) {
            let summary = file.get(number, &|_| Ok::<(), FormatError>(())).expect("sound");
            let want = Summary::of(document.fingerprint().0, document.record());
            assert_eq!(summary, (!document.is_unprinted()).then_some(want), "{number}");
            number += 1;
        }
    }
    let reader = Reader::open(&path).expect("a database of this version");
    for (index, document) in summarized("last").into_iter().enumerate() {
        let answer = OnlineDetector::usual(reader.view()).ask(reader.view(), &document).expect("an answer");
        let mut ids: Vec<&str> = answer.matches.iter().map(|found| &found.id[..]).collect();
        ids.sort_unstable();
        // The first two pages are of one template and are alike; the empty page and another length are of none.
        let (first, second) = (["flushed-page-1", "last-page-1", "loaded-page-1"], ["flushed-page-2", "last-page-2"]);
        let name = PAGES.get(index).map_or("bare", |(id, ..)| id);
        let want: Vec<String> = match index {
            0 | 1 => [&first[..], &second].concat().into_iter().map(String::from).collect(),
            4 => Vec::new(),
            5 => vec!["last-bare".into()],
            _ => ["flushed", "last", "loaded"].map(|when| format!("{when}-{name}")).into(),
        };
        let mut want = want;
        want.sort_unstable();
        assert_eq!(ids, want, "{name}");
        for found in &answer.matches {
            let stored = reader.view().get(&found.id).expect("readable").expect("it is there");
            assert_eq!(
                (found.number, &found.url, &found.site),
                (stored.number, &stored.record.url, &stored.record.site)
            );
            assert_eq!(found.fingerprint, Some(stored.fingerprint));
        }
    }
    assert_sound(&path);
}

/// A run without summaries is judged by the records of its documents, one with them by these: both say the same of each
/// page, to the last number of the evidence.
#[test]
fn summaries_say_what_records_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("keys");
    make_keys(&path);
    assert_eq!((summary_files(&golden("v2", "keys")).len(), summary_files(&path).len()), (0, 2));
    let (old, new) = (Reader::open(golden("v2", "keys")).expect("opened"), Reader::open(&path).expect("opened"));
    let mut matches = 0;
    for method in Method::ALL.into_iter().filter(|method| !method.needs_text() && *method != Method::Model) {
        for index in 0..PAGES.len() {
            let ask = |reader: &Reader| OnlineDetector::new(method).ask(reader.view(), &page("asked", index)).ok();
            let (old, new) = (ask(&old), ask(&new));
            assert_eq!(old, new, "{method}, page {index}");
            matches += new.map_or(0, |answer| answer.matches.len());
        }
    }
    assert!(matches > 40, "{matches} matches");
}

/// New runs have summaries, older ones get them by a compaction of all.
#[test]
fn a_database_without_summaries_gets_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("keys");
    copy(&golden("v2", "keys"), &path);
    let answers = |path: &Path| {
        let reader = Reader::open(path).expect("opened");
        let ask = |index| {
            let answer = OnlineDetector::new(Method::B).ask(reader.view(), &page("asked", index)).expect("an answer");
            answer.matches.into_iter().map(|found| (found.id, found.evidence)).collect::<Vec<_>>()
        };
        (0..PAGES.len()).map(ask).collect::<Vec<_>>()
    };
    let before = answers(&path);
    let with = |path: &Path| manifest(path).runs.iter().map(|run| run.summaries.is_some()).collect::<Vec<_>>();
    let mut writer = Writer::open(&path).expect("a database of this version");
    flush(&mut writer);
    assert_eq!((with(&path), answers(&path)), (vec![false, false, true], before.clone()));
    assert_sound(&path);
    let plan = writer.plan_full_compaction().expect("three runs");
    writer.compact(&plan).expect("compacted");
    assert_eq!((with(&path), answers(&path)), (vec![true], before));
    let file = &summary_files(&path)[0];
    assert_eq!(Summaries::open(&file[..]).expect("a sound file").header().documents, manifest(&path).runs[0].documents);
    assert_eq!(writer.plan_full_compaction(), None);
    writer.close().expect("closed");
    assert_sound(&path);
}

#[test]
fn the_same_documents_give_runs_of_the_same_bytes_as_ever() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, make) in [("web", make_web as fn(&Path)), ("narrow", make_narrow)] {
        let path = folder.path().join(name);
        make(&path);
        for version in VERSIONS {
            assert!(run_files(&path) == run_files(&golden(version, name)), "{version}/{name}: a run has other bytes");
        }
    }
    let path = folder.path().join("keys");
    make_keys(&path);
    assert!(run_files(&path) == run_files(&golden("v2", "keys")), "a run has other bytes");
    assert!(key_files(&path) == key_files(&golden("v2", "keys")), "a key table has other bytes");
    let path = folder.path().join("filtered");
    make_filtered(&path);
    assert!(run_files(&path) == run_files(&golden("v2", "filtered")), "a run with filters has other bytes");
    let path = folder.path().join("intervals");
    make_intervals(&path);
    assert!(run_files(&path) == run_files(&golden("v2", "intervals")), "a run of an interval has other bytes");
    let path = folder.path().join("summaries");
    make_summaries(&path);
    assert!(run_files(&path) == run_files(&golden("v2", "summaries")), "a run has other bytes");
    assert!(summary_files(&path) == summary_files(&golden("v2", "summaries")), "summaries have other bytes");
    assert_web(&folder.path().join("web"));
}

/// Keys in files without filters are found like others.
#[test]
fn pages_of_the_golden_database_are_found_by_their_keys() {
    VERSIONS.iter().for_each(|version| assert_keys(&golden(version, "web")));
}

/// Those of a bulk load, of a flush and of the memtable, without the one that is deleted.
#[test]
fn pages_of_the_golden_key_tables_are_found_value_by_value() {
    let path = golden("v2", "keys");
    let manifest = manifest(&path);
    let keys: Vec<(u64, u64)> =
        manifest.runs.iter().filter_map(|run| run.keys).map(|keys| (keys.keys, keys.pairs)).collect();
    assert_eq!((manifest.keyed, keys), (Some(0), vec![(KEYS, KEYS); 2]));
    let reader = Reader::open(&path).expect("a database of this version");
    for method in [Method::Identity, Method::B] {
        for index in 0..PAGES.len() {
            let answer = OnlineDetector::new(method).ask(reader.view(), &page("asked", index)).expect("an answer");
            let mut ids: Vec<&str> = answer.matches.iter().map(|found| &found.id[..]).collect();
            ids.sort_unstable();
            let mut want: Vec<String> =
                ["flushed", "last", "loaded"].iter().map(|when| format!("{when}-{index}")).collect();
            want.retain(|id| id != "loaded-1");
            // The empty page has no terms: nothing is said of it.
            if index == 4 {
                want.clear();
            }
            assert_eq!(ids, want, "{method}, page {index}");
        }
    }
    assert_sound(&path);
}

fn assert_keys(path: &Path) {
    let reader = Reader::open(path).expect("a database of this version");
    for method in [Method::Identity, Method::B, Method::Combined] {
        for (id, ..) in &PAGES[..4] {
            let mut stored = reader.view().get(id).expect("readable").expect("stored");
            // By its digest, or by its megashingles alone.
            if method != Method::Identity {
                stored.record.digest = Some([1; 16]);
            }
            let answer = OnlineDetector::new(method).ask(reader.view(), &Document::from(stored)).expect("an answer");
            let own = answer.matches.iter().find(|found| found.id == *id);
            let rule = if method == Method::Identity { "identical" } else { method.name() };
            assert_eq!(own.map(|found| found.rule), Some(rule), "{method}, {id}");
        }
    }
}

#[test]
fn a_golden_database_can_be_written_to() {
    let folder = tempfile::tempdir().expect("a folder");
    for version in VERSIONS {
        let path = folder.path().join(version);
        copy(&golden(version, "web"), &path);
        let mut writer = Writer::open(&path).expect("a database of this version");
        assert_eq!(writer.commit_batch("soon").expect("committed"), 1);
        writer.insert(bare("later", spread(1000))).expect("taken");
        flush(&mut writer);
        let plan = writer.plan_full_compaction().expect("three runs");
        writer.compact(&plan).expect("compacted");
        writer.close().expect("closed");
        let mut all = web();
        all.insert("later".into(), spread(1000));
        all.insert("pending-1".into(), spread(9));
        assert_answers(&path, &all, 3);
        assert_keys(&path);
    }
}

/// From the first opening for writing on, new keys go to key tables; after a full compaction all are there.
#[test]
fn a_golden_database_becomes_one_of_version_2() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("web");
    copy(&golden("v1", "web"), &path);
    let id = PAGES[0].0;
    let mut writer = Writer::open(&path).expect("a database of this version");
    writer.insert(page("copy", 0)).expect("taken");
    writer.commit().expect("durable");
    let found = |path: &Path| {
        let reader = Reader::open(path).expect("a database");
        let found = OnlineDetector::new(Method::B).ask(reader.view(), &page("asked", 0)).expect("an answer");
        let ids: std::collections::BTreeSet<String> = found.matches.into_iter().map(|found| found.id).collect();
        assert!(ids.contains(id) && ids.contains("copy"), "{ids:?}");
        ids
    };
    let keyed = |path: &Path| manifest(path).keyed;
    assert!(keyed(&path).is_some_and(|keyed| keyed > 0));
    let before = found(&path);
    assert_sound(&path);
    flush(&mut writer);
    assert_eq!((found(&path), keyed(&path).is_some_and(|keyed| keyed > 0)), (before.clone(), true));
    assert_sound(&path);
    let plan = writer.plan_full_compaction().expect("several runs");
    writer.compact(&plan).expect("compacted");
    assert_eq!(found(&path), before);
    assert_sound(&path);
    writer.close().expect("closed");
    assert_eq!((found(&path), keyed(&path)), (before, Some(0)));
    assert_sound(&path);
    assert_keys(&path);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spec_reader.py");
    let Some(mut python) = nddb_test_support::python("the reader in Python") else { return };
    let outcome = python.arg(&script).arg("--database").arg(&path).output().expect("it runs");
    assert!(outcome.status.success(), "{}", String::from_utf8_lossy(&outcome.stderr));
}

fn assert_sound(path: &Path) {
    let report = nddb::check(path, &nddb::CheckOptions::default(), &mut |_| true).expect("a report");
    assert!(report.is_sound(), "{:?}", report.faults);
}

#[test]
fn the_reader_in_python_agrees_that_the_golden_databases_are_sound() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spec_reader.py");
    for (version, name) in VERSIONS.iter().flat_map(|version| ["web", "narrow"].map(|name| (version, name))) {
        let Some(mut python) = nddb_test_support::python("the reader in Python") else { return };
        let outcome = python.arg(&script).arg("--database").arg(golden(version, name)).output().expect("it runs");
        let text = String::from_utf8_lossy(&outcome.stderr);
        assert!(outcome.status.success(), "{version}/{name}: {text}");
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("copied");
        }
    }
}
