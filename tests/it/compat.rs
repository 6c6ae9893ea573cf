//! Databases that an earlier nddb wrote stay readable, value by value.
//!
//! `tests/data/v1` contains them, with a README of their contents; they are never written again. The same documents
//! in a new database give runs of the same bytes and the same answers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use nddb::detect::{Method, OnlineDetector};
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::{Document, Fingerprint, Reader, Within, Work, Writer};
use nddb_format::manifest::Manifest;
use nddb_format::record::BatchState;

use super::support::golden::{HOT, HOT_LEN, PAGES, bare, flush, make_narrow, make_web, spread};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/v1").join(name)
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

#[test]
fn the_golden_database_of_pages_reads_value_by_value() {
    assert_web(&golden("web"));
}

#[test]
fn the_golden_database_of_narrow_fingerprints_reads_value_by_value() {
    let all = (0..2000).map(|index| (index.to_string(), spread(index) & 0xffff)).collect();
    assert_answers(&golden("narrow"), &all, 2);
    let manifest = manifest(&golden("narrow"));
    assert_eq!((manifest.bits, manifest.k, manifest.runs[0].scheme.restart()), (16, 2, 0));
}

#[test]
fn the_same_documents_give_runs_of_the_same_bytes_as_ever() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, make) in [("web", make_web as fn(&Path)), ("narrow", make_narrow)] {
        let path = folder.path().join(name);
        make(&path);
        assert!(run_files(&path) == run_files(&golden(name)), "{name}: a run has other bytes");
    }
    assert_web(&folder.path().join("web"));
}

/// Keys in files without filters are found like others.
#[test]
fn pages_of_the_golden_database_are_found_by_their_keys() {
    let reader = Reader::open(golden("web")).expect("a database of this version");
    for method in [Method::Identity, Method::B, Method::Combined] {
        for (id, ..) in &PAGES[..4] {
            let mut stored = reader.view().get(id).expect("readable").expect("stored");
            // By its digest, or by its megashingles alone.
            if method != Method::Identity {
                stored.record.digest = Some([1; 16]);
            }
            let answer = OnlineDetector::new(method).ask(reader.view(), &Document::from(stored)).expect("an answer");
            let own = answer.matches.iter().find(|found| found.stored.record.id == *id);
            let rule = if method == Method::Identity { "identical" } else { method.name() };
            assert_eq!(own.map(|found| found.rule), Some(rule), "{method}, {id}");
        }
    }
}

#[test]
fn a_golden_database_can_be_written_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("web");
    copy(&golden("web"), &path);
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
}

#[test]
fn the_reader_in_python_agrees_that_the_golden_databases_are_sound() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spec_reader.py");
    for name in ["web", "narrow"] {
        let Some(mut python) = nddb_test_support::python("the reader in Python") else { return };
        let outcome = python.arg(&script).arg("--database").arg(golden(name)).output().expect("it runs");
        let text = String::from_utf8_lossy(&outcome.stderr);
        assert!(outcome.status.success(), "{name}: {text}");
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
