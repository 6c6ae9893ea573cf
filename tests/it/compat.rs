//! Databases that were written before stay readable, value by value, and newer ones are refused.
//!
//! `tests/data/v1` contains those of format 1; `tests/data/README.md` says what is in them. The same documents in a new
//! database give runs of the same bytes and the same answers.

use std::collections::BTreeMap;
use std::path::Path;

use nddb::detect::OnlineDetector;
use nddb::sketch::{Recipe, page_words};
use nddb::text::Page;
use nddb::verdict::Method;
use nddb::verdict::methods::{B, Combined, Identity};
use nddb::{Document, Error, Fingerprint, FingerprintSet, PassageLimits, Reader, Within, Writer};
use nddb_format::FormatError;
use nddb_format::fields::{FORMAT, FORMAT_VERSION, READER_MIN};
use nddb_format::filter::FilterKind;
use nddb_format::manifest::{FEATURES, Manifest};
use nddb_format::record::BatchState;
use nddb_format::segment::Segment;
use nddb_format::summaries::{Summaries, Summary};
use nddb_page::sketch::min_bytes;
use nddb_test_support::golden;

use super::support::golden::{
    HOT, HOT_LEN, ORDINALS, PAGES, bare, flush, is_deleted, make_filtered, make_intervals, make_keys, make_narrow,
    make_parts, make_set, make_summaries, make_web, page, parted, parted_texts, spread, summarized,
};

/// Number of keys of the four golden pages that are printed: of each a digest and fifteen megashingles.
const KEYS: u64 = 64;

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
    let answers = view.find(&queries, Within(k)).expect("answers");
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
        let min_bytes = sketch.min_hash.as_ref().map(|min_hash| min_bytes(&min_hash.values));
        assert_eq!(record.min_bytes.as_deref().copied(), min_bytes, "{id}");
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
fn the_golden_database_of_filters_reads_value_by_value() {
    let path = golden("filtered");
    let all = (0..3000).map(|index| (index.to_string(), spread(index) & 0xff_ffff)).collect();
    assert_answers(&path, &all, 1);
    let kinds: Vec<_> = run_files(&path)
        .iter()
        .filter_map(|file| Segment::open(&file[..]).ok())
        .map(|segment| segment.filter().map(nddb_format::filter::Filter::kind))
        .collect();
    assert_eq!(kinds, [[Some(FilterKind::Bitmap); 2].as_slice(), &[Some(FilterKind::Bloom); 3]].concat());
    assert_sound(&path);
}

#[test]
fn the_golden_set_reads_value_by_value() {
    let path = golden("set");
    let set = FingerprintSet::open(&path).expect("a set");
    assert_eq!((set.len(), manifest(&path).runs.len()), (1800, 2));
    for index in 0..1500 {
        let print = spread(index);
        let found = set.find(&[Fingerprint(print ^ 0b1001)], Within(2)).expect("an answer");
        assert_eq!(found, [[(2, Fingerprint(print))]], "{index}");
    }
    assert!(set.find(&[Fingerprint(spread(1500))], Within(3)).expect("an answer")[0].is_empty());
    let report = FingerprintSet::check(&path, 2, &mut |_| true).expect("a report");
    assert!(report.is_sound(), "{:?}", report.faults);
    let folder = tempfile::tempdir().expect("a folder");
    make_set(&folder.path().join("set"));
    let segments = |path: &Path| -> Vec<Vec<u8>> {
        let read = |number| std::fs::read(path.join(format!("runs/{number:08x}.seg"))).expect("a file");
        manifest(path).files().map(|file| read(file.number)).collect()
    };
    assert!(segments(&folder.path().join("set")) == segments(&path), "a run of a set has other bytes");
}

#[test]
fn the_golden_database_of_intervals_reads_value_by_value() {
    let path = golden("intervals");
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
    let path = golden("summaries");
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

#[test]
fn the_golden_database_of_parts_reads_value_by_value() {
    let path = golden("parts");
    let reader = Reader::open(&path).expect("a database of this version");
    let view = reader.view();
    assert!(view.settings().keeps_words);
    let texts = parted_texts();
    for document in ["loaded", "last"].into_iter().flat_map(parted) {
        let stored = view.get(document.id()).expect("readable").expect("it is there").record;
        assert!(stored.parts.is_some() && stored.parts == document.record().parts, "{}", document.id());
        assert!(stored.words.is_some() && stored.words == document.record().words, "{}", document.id());
    }
    let found = |text: &str, min_words| {
        let limits = PassageLimits { min_words, ..PassageLimits::default() };
        let found = view.parts(&page_words(&Page::text(text)).parts(), None, &limits).expect("an answer");
        found.matches.into_iter().map(|found| found.id).collect::<Vec<_>>()
    };
    // Those with the most words in common first, then the oldest.
    let of_first = ["loaded-0", "last-0", "loaded-1", "last-1", "loaded-2", "last-2"];
    assert_eq!(found(&texts[0], 20), of_first);
    assert_eq!(found(&texts[2], 30), ["loaded-2", "last-2", "loaded-0", "loaded-1", "last-0", "last-1"]);
    assert_eq!(found("words that no text has, and some more of them", 5), Vec::<String>::new());
    assert_sound(&path);
}

#[test]
fn the_same_documents_give_runs_of_the_same_bytes_as_ever() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, make) in [("web", make_web as fn(&Path)), ("narrow", make_narrow)] {
        let path = folder.path().join(name);
        make(&path);
        assert!(run_files(&path) == run_files(&golden(name)), "{name}: a run has other bytes");
    }
    let path = folder.path().join("keys");
    make_keys(&path);
    assert!(run_files(&path) == run_files(&golden("keys")), "a run has other bytes");
    assert!(key_files(&path) == key_files(&golden("keys")), "a key table has other bytes");
    let path = folder.path().join("filtered");
    make_filtered(&path);
    assert!(run_files(&path) == run_files(&golden("filtered")), "a run with filters has other bytes");
    let path = folder.path().join("intervals");
    make_intervals(&path);
    assert!(run_files(&path) == run_files(&golden("intervals")), "a run of an interval has other bytes");
    let path = folder.path().join("summaries");
    make_summaries(&path);
    assert!(run_files(&path) == run_files(&golden("summaries")), "a run has other bytes");
    assert!(summary_files(&path) == summary_files(&golden("summaries")), "summaries have other bytes");
    let path = folder.path().join("parts");
    make_parts(&path);
    assert!(run_files(&path) == run_files(&golden("parts")), "a run has other bytes");
    assert!(key_files(&path) == key_files(&golden("parts")), "a key table of parts has other bytes");
    assert_web(&folder.path().join("web"));
}

#[test]
fn pages_of_the_golden_database_are_found_by_their_keys() {
    assert_keys(&golden("web"));
}

/// Those of a bulk load, of a flush and of the memtable, without the one that is deleted.
#[test]
fn pages_of_the_golden_key_tables_are_found_value_by_value() {
    let path = golden("keys");
    let manifest = manifest(&path);
    let keys: Vec<(u64, u64)> =
        manifest.runs.iter().filter_map(|run| run.keys).map(|keys| (keys.keys, keys.pairs)).collect();
    assert_eq!(keys, [(KEYS, KEYS); 2]);
    let reader = Reader::open(&path).expect("a database of this version");
    for method in [Identity::default().into(), B::default().into()] as [Box<dyn Method>; 2] {
        for index in 0..PAGES.len() {
            let answer =
                OnlineDetector::new(method.clone()).ask(reader.view(), &page("asked", index)).expect("an answer");
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
    let methods: [Box<dyn Method>; 3] = [Identity::default().into(), B::default().into(), Combined::default().into()];
    for method in methods {
        for (id, ..) in &PAGES[..4] {
            let mut stored = reader.view().get(id).expect("readable").expect("stored");
            // By its digest, or by its megashingles alone.
            if !method.is_identity() {
                stored.record.digest = Some([1; 16]);
            }
            let answer =
                OnlineDetector::new(method.clone()).ask(reader.view(), &Document::from(stored)).expect("an answer");
            let own = answer.matches.iter().find(|found| found.id == *id);
            let rule = if method.is_identity() { "identical" } else { method.name() };
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
    assert_keys(&path);
    assert_sound(&path);
}

/// A later version of the format, or a feature that this one does not know.
#[test]
fn a_golden_database_of_a_newer_version_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("web");
    copy(&golden("web"), &path);
    let manifest = path.join("MANIFEST");
    let sound = std::fs::read(&manifest).expect("readable");
    type Change = fn(&mut [u8]);
    let changes: [Change; 2] = [
        |bytes| {
            FORMAT_VERSION.put(bytes, u64::from(FORMAT) + 1);
            READER_MIN.put(bytes, u64::from(FORMAT) + 1);
        },
        |bytes| FEATURES.put(bytes, 1 << 3 | FEATURES.get(bytes)),
    ];
    for change in changes {
        let mut bytes = sound.clone();
        change(&mut bytes);
        let body = bytes.len() - 4;
        let checksum = crc32fast::hash(&bytes[..body]);
        bytes[body..].copy_from_slice(&checksum.to_le_bytes());
        std::fs::write(&manifest, &bytes).expect("written");
        for error in [Reader::open(&path).err(), Writer::open(&path).err()] {
            assert!(matches!(error, Some(Error::Newer { .. })), "{error:?}");
        }
        assert_eq!(std::fs::read(&manifest).expect("readable"), bytes, "nothing is changed");
    }
    // A later version that this one can read is read.
    let mut bytes = sound.clone();
    FORMAT_VERSION.put(&mut bytes, u64::from(FORMAT) + 1);
    let body = bytes.len() - 4;
    let checksum = crc32fast::hash(&bytes[..body]);
    bytes[body..].copy_from_slice(&checksum.to_le_bytes());
    std::fs::write(&manifest, &bytes).expect("written");
    assert_web(&path);
}

fn assert_sound(path: &Path) {
    let report = nddb::check(path, &nddb::CheckOptions::default(), &mut |_| true).expect("a report");
    assert!(report.is_sound(), "{:?}", report.faults);
}

#[test]
fn the_reader_in_python_agrees_that_the_golden_databases_are_sound() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("spec_reader.py");
    for name in ["web", "narrow", "keys", "filtered", "intervals", "summaries", "parts", "set"] {
        let Some(mut python) = nddb_test_support::python("the reader in Python") else { return };
        let outcome = python.arg(&script).arg("--database").arg(&*golden(name)).output().expect("it runs");
        let text = String::from_utf8_lossy(&outcome.stderr);
        assert!(outcome.status.success(), "{name}: {text}");
    }
}

#[test]
fn what_is_found_beyond_the_k_of_the_tables_is_what_python_finds_by_comparing_all() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("spec_reader.py");
    for name in ["web", "narrow", "keys", "filtered", "intervals", "summaries"] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        copy(&golden(name), &path);
        // The script reads the runs, which have all documents below this number.
        let manifest = std::fs::read(path.join("MANIFEST")).expect("readable");
        let complete = Manifest::decode(&manifest).expect("a manifest").complete;
        let reader = Reader::open(&path).expect("a golden database");
        let (view, mut live) = (reader.view(), BTreeMap::new());
        view.each(&mut |stored| {
            live.insert(stored.number, stored.fingerprint);
            Ok(true)
        })
        .expect("all documents");
        for (index, query) in live.values().step_by(live.len().div_ceil(3)).enumerate() {
            let (query, k) = (Fingerprint(query.0 ^ 0b101), 8 + index as u8);
            let Some(mut python) = nddb_test_support::python("the reader in Python") else { return };
            let asked = python.arg(&script).args(["--within", &k.to_string(), &format!("{:x}", query.0)]);
            let outcome = asked.arg(&path).output().expect("it runs");
            assert!(outcome.status.success(), "{name}: {}", String::from_utf8_lossy(&outcome.stderr));
            let row = |line: &str| -> (u64, u64) {
                let row: serde_json::Value = serde_json::from_str(line).expect("a row");
                (row["distance"].as_u64().expect("a distance"), row["number"].as_u64().expect("a number"))
            };
            let rows = String::from_utf8(outcome.stdout).expect("text");
            let mut want: Vec<_> = rows.lines().map(row).filter(|(_, number)| live.contains_key(number)).collect();
            want.sort_unstable();
            assert!(!want.is_empty(), "{name}: {query:?} is near a stored one");
            let found = view.probe(&[query], Within(k)).expect("an answer");
            let of_runs = found[0].matches.iter().filter(|found| found.number < complete);
            let found: Vec<_> = of_runs.map(|found| (u64::from(found.distance), found.number)).collect();
            assert_eq!(found, want, "{name} {query:?} within {k}");
        }
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
