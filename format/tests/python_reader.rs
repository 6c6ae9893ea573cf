//! The reader in Python, written from SPEC.md, reads what this crate writes: random runs, a database of
//! two, and refuses them when a byte is wrong.

#[path = "common/run.rs"]
mod run;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use nddb_format::deleted;
use nddb_format::digest::mix;
use nddb_format::fingerprint::low_mask;
use nddb_format::keys;
use nddb_format::manifest::{FileEntry, KeyTable, Manifest, RunEntry};
use nddb_format::postings::Postings;
use nddb_format::scheme::Scheme;
use nddb_format::segment::Segment;
use roaring::RoaringTreemap;
use run::Run;

const READER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/spec_reader.py");

/// A folder of this test, empty.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(path.join("runs")).expect("a folder");
    path
}

/// Runs the reader. `None` where there is no Python.
fn reader(arguments: &[&Path]) -> Option<Output> {
    let mut python = nddb_test_support::python("the reader in Python")?;
    Some(python.arg(READER).args(arguments).output().expect("it runs"))
}

fn lines(output: &Output) -> Vec<String> {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// The value of a key whose value is the last of the object.
fn last<'a>(line: &'a str, key: &str) -> &'a str {
    let start = format!(",\"{key}\":");
    let at = line.rfind(&start).unwrap_or_else(|| panic!("{key} in {line}"));
    line[at + start.len()..].strip_suffix('}').expect("the end of the object")
}

/// A run of about `len` fingerprints, uniform and in clusters, most of one document, some of many, one
/// in a thousand of thousands.
fn random(scheme: Scheme, low: u64, len: u64, seed: u64) -> Run {
    let random = |index: u64| mix(mix(seed).wrapping_add(index));
    let mut lists: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    let mut number = low;
    for index in 0..len {
        let clustered = if index % 5 == 0 { random(index / 50) ^ 1 << (random(index) % 64) } else { random(index) };
        let documents = match random(!index) % 1000 {
            0 => 5000,
            1..=100 => 1 + random(!index) % 7,
            _ => 1,
        };
        for _ in 0..documents {
            number += 1 + random(number) % 3;
            lists.entry(clustered & low_mask(scheme.bits())).or_default().push(number);
        }
    }
    Run { scheme, low, high: number + 1, lists: lists.into_iter().collect() }
}

/// Keys of the documents of a run: one of its own and one of seven neighbours for each.
fn keys_of(run: &Run) -> Run {
    let scheme = keys::scheme(run.scheme.restart()).expect("a restart interval");
    let mut lists: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for &number in run.lists.iter().flat_map(|(_, numbers)| numbers) {
        for seed in [number, number / 7 + (1 << 41)] {
            lists.entry(mix(seed) >> (64 - keys::KEY_BITS)).or_default().push(number);
        }
    }
    lists.values_mut().for_each(|numbers| numbers.sort_unstable());
    Run { scheme, low: run.low, high: run.high, lists: lists.into_iter().collect() }
}

/// Writes the files of a run's key table into a folder.
fn publish_keys(run: &Run, folder: &Path, next: &mut u64) -> KeyTable {
    let table = publish_tables(&keys_of(run), folder, next);
    let RunEntry { fingerprints: keys, documents: pairs, set_digest, postings, .. } = table;
    KeyTable { keys, pairs, set_digest, postings, segment: table.segments[0] }
}

/// Writes the files of the run into a folder: its entry of a manifest.
fn publish(run: &Run, folder: &Path, next: &mut u64) -> RunEntry {
    let entry = publish_tables(run, folder, next);
    RunEntry { keys: Some(publish_keys(run, folder, next)), ..entry }
}

fn publish_tables(run: &Run, folder: &Path, next: &mut u64) -> RunEntry {
    let mut segments = Vec::new();
    for table in 0..run.scheme.tables().len() {
        let bytes = run.segment(table);
        let identity = Segment::open(&bytes[..]).expect("a segment").header().identity;
        segments.push(put_file(folder, "seg", &bytes, identity, next));
    }
    let bytes = run.postings();
    let header = Postings::open(&bytes[..]).expect("postings").header().clone();
    RunEntry {
        low: run.low,
        high: run.high,
        fingerprints: header.fingerprints,
        documents: header.documents,
        set_digest: header.set_digest,
        rewrites: 0,
        scheme: run.scheme.clone(),
        postings: put_file(folder, "post", &bytes, header.identity, next),
        segments,
        keys: None,
    }
}

/// Writes a file under the next number: its entry of a manifest.
fn put_file(folder: &Path, ending: &str, bytes: &[u8], identity: u64, next: &mut u64) -> FileEntry {
    let number = *next;
    *next += 1;
    fs::write(folder.join(format!("{number:08x}.{ending}")), bytes).expect("written");
    FileEntry { number, length: bytes.len() as u64, identity, checksum: crc32fast::hash(bytes) }
}

/// Schemes of all kinds, and how clustered their fingerprints are.
fn runs() -> Vec<Run> {
    let mut runs = Vec::new();
    for (seed, (bits, k, levels, restart, len)) in (1..).zip([
        (64, 3, &[5][..], 32, 3000),
        (64, 3, &[4, 4], 0, 500),
        (64, 3, &[6], 2, 1),
        (64, 3, &[4], 16, 20_000),
        (8, 1, &[2], 4, 200),
        (13, 0, &[], 3, 900),
        (40, 5, &[7], 4096, 1500),
    ]) {
        let scheme = Scheme::new(bits, k, levels, restart).expect("a scheme");
        runs.push(random(scheme, 1000 * seed, len, seed));
    }
    runs
}

#[test]
fn python_reads_every_segment_and_postings_file() {
    let mut filtered = 0;
    for (index, run) in runs().iter().enumerate() {
        let folder = folder(&format!("files-{index}"));
        let mut paths = Vec::new();
        for table in 0..run.scheme.tables().len() {
            paths.push(folder.join(format!("{table}.seg")));
            fs::write(&paths[table], run.segment(table)).expect("written");
        }
        paths.push(folder.join("0.post"));
        fs::write(&paths[paths.len() - 1], run.postings()).expect("written");
        let arguments: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        let Some(output) = reader(&arguments) else { return };
        let lines = lines(&output);
        assert_eq!(lines.len(), paths.len());
        for (ordinal, (table, line)) in run.scheme.tables().iter().zip(&lines).enumerate() {
            let order = run.permuted(ordinal);
            let want: Vec<String> =
                order.iter().map(|&value| format!("\"{}\"", table.unpermute(nddb_format::Permuted(value)))).collect();
            assert_eq!(last(line, "fingerprints"), format!("[{}]", want.join(",")));
            let has_filter = line.contains("\"prefixes\":");
            filtered += usize::from(has_filter);
            assert!(line.starts_with(&format!("{{\"kind\":\"segment\",\"format\":{},", 1 + usize::from(has_filter))));
        }
        let lists: Vec<String> = run
            .lists
            .iter()
            .map(|(_, numbers)| {
                let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
                format!("[{}]", numbers.join(","))
            })
            .collect();
        assert_eq!(last(&lines[lines.len() - 1], "lists"), format!("[{}]", lists.join(",")));
    }
    assert!(filtered > 10, "{filtered} segments have a filter");
}

/// Writes a database of two runs and a deleted set, without a catalog.
fn database(name: &str) -> PathBuf {
    let folder = folder(name);
    let schemes = [(&[5][..], 32), (&[4], 0)].map(|(levels, restart)| Scheme::new(64, 3, levels, restart));
    let mut manifest = Manifest { generation: 5, complete: 1 << 33, ..Manifest::new(64, 3, 7 << 70) };
    for (index, scheme) in (0..).zip(schemes) {
        let run = random(scheme.expect("a scheme"), 1 + (index << 32), 700, 90 + index);
        manifest.runs.push(publish(&run, &folder.join("runs"), &mut manifest.next_file));
    }
    let mut set: RoaringTreemap = (0..2000u64).map(|i| i * 1_000_003).collect();
    set.insert_range(70_000..75_000);
    set.extend((200_000..220_000).step_by(2));
    set.optimize();
    let bytes = deleted::encode(&set);
    let entry = put_file(&folder.join("runs"), "del", &bytes, 0, &mut manifest.next_file);
    manifest.deleted = Some(entry);
    fs::write(folder.join("MANIFEST"), manifest.encode()).expect("written");
    folder
}

#[test]
fn python_checks_a_database_through_its_manifest() {
    let folder = database("database");
    let Some(output) = reader(&[Path::new("--database"), &folder]) else { return };
    let lines = lines(&output);
    assert!(lines[0].contains("\"generation\":5,\"complete\":8589934592,\"runs\":2,\"segments\":14,"), "{}", lines[0]);
    let deleted = fs::read_dir(folder.join("runs"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .find(|path| path.extension().is_some_and(|extension| extension == "del"))
        .expect("a deleted set");
    let Some(output) = reader(&[&folder.join("MANIFEST"), &deleted]) else { return };
    let set = deleted::decode(&fs::read(&deleted).expect("read")).expect("sound");
    let numbers: Vec<String> = set.iter().map(|number| number.to_string()).collect();
    assert_eq!(last(&self::lines(&output)[1], "numbers"), format!("[{}]", numbers.join(",")));
}

#[test]
fn python_refuses_files_that_do_not_belong_together() {
    let folder = database("mixed");
    let runs = folder.join("runs");
    // Files 1 and 2 are the first two tables of one run.
    let (one, two) = (runs.join("00000001.seg"), runs.join("00000002.seg"));
    fs::copy(&one, runs.join("copy")).expect("copied");
    fs::copy(&two, &one).expect("copied");
    let Some(output) = reader(&[Path::new("--database"), &folder]) else { return };
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("SPEC 8.3"), "{output:?}");
}

#[test]
fn python_refuses_flipped_bits() {
    let folder = folder("flipped");
    let run = random(Scheme::new(64, 3, &[4], 8).expect("a scheme"), 5, 300, 77);
    for (name, good) in [("a.seg", run.segment(1)), ("a.post", run.postings())] {
        let mut paths = Vec::new();
        for offset in (0..good.len()).step_by(good.len() / 97) {
            let mut bad = good.clone();
            bad[offset] ^= 1 << (offset % 8);
            paths.push(folder.join(format!("{offset}-{name}")));
            fs::write(&paths[paths.len() - 1], bad).expect("written");
        }
        let arguments: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        let Some(output) = reader(&arguments) else { return };
        assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
        let refused = String::from_utf8_lossy(&output.stderr).lines().filter(|line| line.contains("SPEC ")).count();
        assert_eq!(refused, paths.len(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
