//! Databases that an earlier nddb wrote stay readable, value by value.
//!
//! `tests/data/v1` holds them, with a README of what is in them; they are never written again. The same
//! documents put into a new database give runs of the same bytes and the same answers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use nddb::detect::{Method, Online};
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::{Config, Document, Fingerprint, Reader, Within, Work, Writer};
use nddb_format::manifest::Manifest;
use nddb_format::record::BatchState;

/// Pages of the golden database `web`, by id.
const PAGES: [(&str, &str, &str); 5] = [
    (
        "page-1",
        "https://www.example.org/a.html",
        "<title>Rivers</title><p>The Rhine rises in the Alps and flows north to the sea, past vineyards and castles.",
    ),
    (
        "page-2",
        "https://example.net/b.html",
        "<title>Rivers</title><p>The Rhine rises in the Alps and flows north to the sea, past castles and vineyards.",
    ),
    ("page-3", "https://www.example.org/c.html", "<p>Ein ganz anderer Text über Brücken, Züge und Bahnhöfe."),
    ("page-4", "https://example.jp/d.html", "<p>東京は日本の首都です。人口は約千四百万人です。"),
    ("page-5", "https://www.example.org/empty.html", "<p>"),
];
const HOT: u64 = 0x0123_4567_89ab_cdef;
const HOT_LEN: u64 = 4200;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/v1").join(name)
}

fn spread(index: u64) -> u64 {
    let mut z = index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^ (z >> 27)
}

fn bare(id: &str, fingerprint: u64) -> Document {
    Document::bare(id, Fingerprint(fingerprint)).expect("a good id")
}

fn flush(writer: &mut Writer) {
    writer.commit().expect("durable");
    writer.flush().expect("flushed");
}

/// Puts into a new database what the golden database `web` holds: runs of 16 and of the planner's tables,
/// a memtable, a hot fingerprint, replaced and deleted documents, records of pages, batches.
fn make_web(path: &Path) {
    let recipe = Recipe::named("web").expect("the recipe of the golden pages");
    let config = Config::within(3).and_then(|config| config.restart(32)).expect("a configuration");
    let mut writer = Writer::create(path, &config.recipe("web/1")).expect("a new database");
    let mut load = writer.bulk_load().expect("a load");
    (0..400).for_each(|index| load.push(bare(&format!("bulk-{index}"), spread(index))).expect("taken"));
    (0..HOT_LEN).for_each(|index| load.push(bare(&format!("hot-{index}"), HOT)).expect("taken"));
    load.finish().expect("loaded");
    writer.reshape(Some(&[4, 4])).expect("reshaped");
    writer.set_levels(None).expect("the planner's choice from now on");
    for index in 400..500 {
        writer.insert(bare(&format!("flushed-{index}"), spread(index))).expect("taken");
    }
    writer.insert(bare("bulk-7", spread(7) ^ 0b101)).expect("replaced");
    flush(&mut writer);
    writer.label("pages", false).expect("a batch");
    for (id, url, html) in PAGES {
        let page = Page { url: Some(url), ..Page::html(html) };
        let document = Document::from_page(id, &page, &recipe).expect("a good id");
        writer.insert(document.with_date(Some(1_700_000_000))).expect("taken");
    }
    writer.commit().expect("durable");
    writer.delete("bulk-8").expect("deleted");
    writer.label("soon", true).expect("a batch");
    writer.insert(bare("pending-1", spread(9))).expect("taken");
    writer.close().expect("closed");
}

/// Puts into a new database what the golden database `narrow` holds: 16 bits, k = 2, plain blocks.
fn make_narrow(path: &Path) {
    let config =
        Config::within(2).and_then(|config| config.bits(16)?.levels(&[4])?.restart(0)).expect("a configuration");
    let mut writer = Writer::create(path, &config.recipe("1e0ng/1")).expect("a new database");
    for index in 0..2000 {
        writer.insert(bare(&index.to_string(), spread(index) & 0xffff)).expect("taken");
    }
    flush(&mut writer);
    writer.close().expect("closed");
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

/// Compares a database with what it should hold, bare documents first.
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

/// The bytes of all run files, in the order of the manifest; file numbers do not matter.
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

/// Keys of files without filters are found as others are.
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
            let answer = Online::new(method).ask(reader.view(), &Document::from(stored)).expect("an answer");
            let own = answer.matches.iter().find(|alike| alike.stored.record.id == *id);
            let rule = if method == Method::Identity { "identical" } else { method.name() };
            assert_eq!(own.map(|alike| alike.rule), Some(rule), "{method}, {id}");
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
        let outcome = std::process::Command::new("python3").arg(&script).arg("--database").arg(golden(name)).output();
        let Ok(outcome) = outcome else {
            super::support::say("python3 is not here: the reader in Python was not tried");
            return;
        };
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

/// Made the golden databases, once: `NDDB_GOLDEN=folder cargo test golden_databases_are_made`.
#[test]
fn golden_databases_are_made_only_where_there_are_none() {
    let Some(folder) = std::env::var_os("NDDB_GOLDEN").map(PathBuf::from) else { return };
    assert!(!folder.exists(), "golden databases are never made again");
    std::fs::create_dir_all(&folder).expect("a folder");
    make_web(&folder.join("web"));
    make_narrow(&folder.join("narrow"));
}
