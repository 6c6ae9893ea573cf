//! The reader in Python, written from SPEC.md, reads the files that this crate writes (random runs, and a database of
//! two runs), and refuses them if a byte is wrong.

#[allow(dead_code, reason = "each test needs a part of it")]
#[path = "common/restamp.rs"]
mod restamp;
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
use nddb_format::record::{PROFILE, Record};
use nddb_format::scheme::Scheme;
use nddb_format::segment::Segment;
use nddb_format::summaries::{self, SummariesEncoder, SummariesSurvey, Summary};
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

/// Runs the reader. `None` without Python.
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

/// A number of a document, its fingerprint and its record.
type Document = (u64, u64, Record);

/// The record of a document, with parts and with numbers of elements of its own.
fn record_of(number: u64) -> Record {
    let random = |index: u64| mix(mix(!number).wrapping_add(index));
    let has = |part: u32| random(0) >> part & 1 == 1;
    let words = |first: u64| std::array::from_fn(|i| random(first + i as u64));
    let profile = || {
        let mut profile: [u8; PROFILE] = std::array::from_fn(|i| random(400 + i as u64) as u8);
        // Where the numbers of words of title, headings and address are.
        let words: [usize; 3] = [124, 170, 216];
        // One in eight has any totals, the others small ones.
        if !random(3).is_multiple_of(8) {
            words.into_iter().for_each(|at| profile[at] %= 17);
            (profile[262], profile[263]) = (profile[262] % 9, 0);
        }
        for at in words {
            let kept = usize::from(profile[at]).min(15);
            profile[at + 1 + 3 * kept..at + 46].fill(0);
        }
        let numbers = usize::from(u16::from_le_bytes([profile[262], profile[263]])).min(7);
        profile[264 + 2 * numbers..278].fill(0xff);
        profile
    };
    Record {
        id: format!("urn:é:{number}"),
        url: has(0).then(|| match random(3) % 4 {
            0 => format!("urn:é:{number}"),
            _ => format!("http://example.org/{}", "page/".repeat(random(1) as usize % 60)),
        }),
        // In most addresses.
        site: has(1).then(|| "example.org".into()),
        date: has(2).then_some(5),
        tokens: has(3).then(|| 1 | random(2)),
        digest: has(4).then(|| std::array::from_fn(|i| random(10 + i as u64) as u8)),
        min_bytes: has(5).then(|| Box::new(std::array::from_fn(|i| random(100 + i as u64) as u8))),
        supershingles: has(6).then(|| words(200)),
        projection: has(7).then(|| words(210)),
        profile: has(9).then(|| Box::new(profile())),
        ..Record::default()
    }
}

/// Documents of a run: most of the first numbers have one, and ranges of several hundred numbers have none.
fn documents_of(run: &Run) -> Vec<Document> {
    let pairs = run.lists.iter().flat_map(|(print, numbers)| numbers.iter().map(|&number| (number, *print)));
    let kept = pairs.filter(|&(number, _)| !mix(number).is_multiple_of(8) && number / 100 % 10 != 7);
    let mut documents: Vec<Document> = kept.map(|(number, print)| (number, print, record_of(number))).collect();
    documents.sort_unstable_by_key(|&(number, ..)| number);
    documents.truncate(4000);
    documents
}

/// The file of the summaries of documents whose numbers ascend.
fn summaries_of(low: u64, high: u64, documents: &[Document]) -> Vec<u8> {
    let encoded = |(number, fingerprint, record): &Document| {
        let mut bytes = Vec::new();
        Summary::of(*fingerprint, record).encode_into(&mut bytes);
        (*number, bytes)
    };
    let encoded: Vec<(u64, Vec<u8>)> = documents.iter().map(encoded).collect();
    let mut survey = SummariesSurvey::default();
    encoded.iter().for_each(|(number, summary)| survey.push(*number, summary));
    let mut out = Vec::new();
    let mut encoder = SummariesEncoder::new(survey.header(low, high), &mut out).expect("a header");
    encoded.iter().try_for_each(|(number, summary)| encoder.push(*number, summary, &mut out)).expect("ascending");
    encoder.finish(&mut out).expect("the same summaries");
    out
}

/// The line that the reader prints for a summary. No text has a character that JSON escapes.
fn json_of((number, fingerprint, record): &Document) -> String {
    let start = format!("\"number\":{number},\"fingerprint\":\"{fingerprint:016x}\",\"id\":\"{}\"", record.id);
    let mut parts = vec![start];
    let mut part = |name: &str, value: Option<String>| parts.extend(value.map(|value| format!("\"{name}\":{value}")));
    let text = |text: &Option<String>| text.as_ref().map(|text| format!("\"{text}\""));
    let hex = |bytes: &[u8]| format!("\"{}\"", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    let words = |words: &[u64]| {
        let words: Vec<String> = words.iter().map(|word| format!("\"{word:016x}\"")).collect();
        format!("[{}]", words.join(","))
    };
    part("url", text(&record.url));
    part("site", text(&record.site));
    let has_sketch = record.min_bytes.is_some() || record.supershingles.is_some() || record.profile.is_some();
    part("without_terms", record.tokens.filter(|_| !has_sketch).map(|_| "true".to_owned()));
    part("digest", record.digest.map(|digest| hex(&digest)));
    part("min_bytes", record.min_bytes.as_ref().map(|bytes| hex(&bytes[..])));
    part("supershingles", record.supershingles.map(|of| words(&of)));
    part("projection", record.projection.map(|of| words(&of)));
    part("profile", record.profile.as_ref().map(|profile| hex(&profile[..])));
    part("tokens", record.tokens.map(|tokens| tokens.min(u64::from(u32::MAX)).to_string()));
    format!("{{{}}}", parts.join(","))
}

/// Writes a file of summaries into a folder; returns its entry for a manifest.
fn put_summaries(folder: &Path, bytes: &[u8], next: &mut u64) -> FileEntry {
    let identity = summaries::SummariesHeader::decode(bytes).expect("a header").identity;
    put_file(folder, "sum", bytes, identity, next)
}

/// Writes the files of the run into a folder; returns its entry for a manifest.
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
        summaries: None,
    }
}

/// Writes a file with the next number; returns its entry for a manifest.
fn put_file(folder: &Path, ending: &str, bytes: &[u8], identity: u64, next: &mut u64) -> FileEntry {
    let number = *next;
    *next += 1;
    fs::write(folder.join(format!("{number:08x}.{ending}")), bytes).expect("written");
    FileEntry { number, length: bytes.len() as u64, identity, checksum: crc32fast::hash(bytes) }
}

/// Schemes of all kinds, each with the clustering of its fingerprints.
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
fn python_reads_every_file_of_a_run() {
    let (mut filtered, mut summarized) = (0, 0);
    for (index, run) in runs().iter().enumerate() {
        let folder = folder(&format!("files-{index}"));
        let mut paths = Vec::new();
        for table in 0..run.scheme.tables().len() {
            paths.push(folder.join(format!("{table}.seg")));
            fs::write(&paths[table], run.segment(table)).expect("written");
        }
        paths.push(folder.join("0.post"));
        fs::write(&paths[paths.len() - 1], run.postings()).expect("written");
        let documents = documents_of(run);
        summarized += documents.len();
        // The run of one document may have no summary.
        if !documents.is_empty() {
            paths.push(folder.join("0.sum"));
            fs::write(&paths[paths.len() - 1], summaries_of(run.low, run.high, &documents)).expect("written");
        }
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
            assert!(line.starts_with("{\"kind\":\"segment\",\"format\":1,"), "{line}");
        }
        let lists: Vec<String> = run
            .lists
            .iter()
            .map(|(_, numbers)| {
                let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
                format!("[{}]", numbers.join(","))
            })
            .collect();
        let tables = run.scheme.tables().len();
        assert_eq!(last(&lines[tables], "lists"), format!("[{}]", lists.join(",")));
        if let Some(line) = lines.get(tables + 1) {
            let (low, high, len) = (run.low, run.high, documents.len());
            let start = "{\"kind\":\"summaries\",\"format\":1,\"reader_min\":1";
            let start = format!("{start},\"low\":{low},\"high\":{high},\"documents\":{len},");
            assert!(line.starts_with(&start), "{}", &line[..200]);
            let expected: Vec<String> = documents.iter().map(json_of).collect();
            assert!(last(line, "summaries") == format!("[{}]", expected.join(",")), "summaries of run {index}");
        }
    }
    assert!(filtered > 10, "{filtered} segments have a filter");
    assert!(summarized > 10_000, "{summarized} summaries");
}

/// Writes a database of two runs, of which the second has summaries, and a deleted set, without a catalog.
fn database(name: &str) -> PathBuf {
    let folder = folder(name);
    let schemes = [(&[5][..], 32), (&[4], 0)].map(|(levels, restart)| Scheme::new(64, 3, levels, restart));
    let mut manifest = Manifest { generation: 5, complete: 1 << 33, ..Manifest::new(64, 3, 7 << 70) };
    for (index, scheme) in (0..).zip(schemes) {
        let run = random(scheme.expect("a scheme"), 1 + (index << 32), 700, 90 + index);
        let mut entry = publish(&run, &folder.join("runs"), &mut manifest.next_file);
        if index == 1 {
            let bytes = summaries_of(run.low, run.high, &documents_of(&run));
            entry.summaries = Some(put_summaries(&folder.join("runs"), &bytes, &mut manifest.next_file));
        }
        manifest.runs.push(entry);
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
    assert!(!lines[0].contains("\"summaries\":0,"), "{}", lines[0]);
    let deleted = fs::read_dir(folder.join("runs"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .find(|path| path.extension().is_some_and(|extension| extension == "del"))
        .expect("a deleted set");
    let Some(output) = reader(&[&folder.join("MANIFEST"), &deleted]) else { return };
    let read = self::lines(&output);
    for field in ["\"summaries\":null", "\"summaries\":{\"number\":"] {
        assert_eq!(read[0].matches(field).count(), 1, "{}", read[0]);
    }
    let set = deleted::decode(&fs::read(&deleted).expect("read")).expect("sound");
    let numbers: Vec<String> = set.iter().map(|number| number.to_string()).collect();
    assert_eq!(last(&read[1], "numbers"), format!("[{}]", numbers.join(",")));
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
fn python_refuses_summaries_of_other_documents() {
    let run = random(Scheme::new(64, 3, &[4], 8).expect("a scheme"), 5000, 100, 3);
    let (low, high, good) = (run.low, run.high, documents_of(&run));
    let taken: Vec<u64> = run.lists.iter().flat_map(|(_, numbers)| numbers.clone()).collect();
    let free = (low..high).find(|number| !taken.contains(number)).expect("numbers have gaps");
    let mut of_no_document = good.clone();
    of_no_document.push((free, 1, record_of(free)));
    of_no_document.sort_unstable_by_key(|&(number, ..)| number);
    let mut of_another = good.clone();
    of_another[0].1 ^= 1;
    for (name, low, high, documents, expected) in [
        ("summarized", low, high, &good, None),
        ("high", low, high + 1, &good, Some("SPEC 8.3: high of the summaries")),
        ("low", low - 1, high, &good, Some("SPEC 8.3: low of the summaries")),
        ("free", low, high, &of_no_document, Some("has a summary and is no number of the run")),
        ("another", low, high, &of_another, Some("SPEC 8.7: fingerprint in the summary of")),
    ] {
        let folder = folder(name);
        let runs = folder.join("runs");
        let mut manifest = Manifest { complete: 1 << 33, ..Manifest::new(64, 3, 7 << 70) };
        let entry = publish_tables(&run, &runs, &mut manifest.next_file);
        let summaries = put_summaries(&runs, &summaries_of(low, high, documents), &mut manifest.next_file);
        manifest.runs.push(RunEntry { summaries: Some(summaries), ..entry });
        fs::write(folder.join("MANIFEST"), manifest.encode()).expect("written");
        let Some(output) = reader(&[Path::new("--database"), &folder]) else { return };
        let Some(expected) = expected else {
            assert!(lines(&output)[0].contains(&format!("\"summaries\":{},", good.len())), "{output:?}");
            continue;
        };
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(expected), "{name}: {output:?}");
    }
}

/// The checksums are right, but the entries of presence or of the directory are wrong.
#[test]
fn python_refuses_summaries_at_wrong_places() {
    let folder = folder("places");
    // 30 summaries: three entries of the directory, and three of presence, of which the second has none.
    let numbers = (5000..5014).chain(5900..5916);
    let documents: Vec<Document> = numbers.map(|number| (number, number, record_of(number))).collect();
    let good = summaries_of(5000, 5920, &documents);
    let size = summaries::header::SIZE.get(&good);
    let directory = summaries::HEADER_SIZE + size.next_multiple_of(64) as usize;
    let presence = directory + 3 * 64;
    let word = |at: usize| u64::from_le_bytes(good[at..at + 8].try_into().expect("8 bytes"));
    let end = |ordinal: usize| directory + ordinal / 14 * 64 + 8 + 4 * (ordinal % 14);
    let end_of = |ordinal: usize| good[end(ordinal)..end(ordinal) + 4].to_vec();
    let flipped = |number: usize| {
        let at = presence + (number - 5000) / 448 * 64 + 8 + (number - 5000) % 448 / 8;
        (at, vec![good[at] ^ 1 << (number % 8)])
    };
    let changes = [
        ("offset of entry 0", vec![(directory, vec![1])]),
        ("offset of entry 1", vec![(directory + 64, (word(directory + 64) - 1).to_le_bytes().to_vec())]),
        ("end of summary 3", vec![(end(3), vec![0; 4])]),
        ("end of summary 30", vec![(end(30), vec![0xff; 4])]),
        ("summary 3 is empty", vec![(end(3), end_of(2))]),
        ("summary 29 is empty", vec![(end(29), end_of(28))]),
        ("count of entry 0 of presence", vec![(presence, vec![1])]),
        ("count of entry 1 of presence", vec![flipped(5013)]),
        ("count of entry 2 of presence", vec![(presence + 128, vec![13])]),
        ("outside of the range", vec![flipped(5920)]),
        ("outside of the range", vec![flipped(5915), flipped(5000 + 3 * 448 - 1)]),
        ("documents is not", vec![flipped(5919)]),
        ("documents is not", vec![flipped(5915)]),
        ("digest is not", vec![flipped(5905), flipped(5919)]),
        ("digest is not", vec![flipped(5013), flipped(5016)]),
    ];
    for (index, (expected, change)) in changes.iter().enumerate() {
        let mut bad = good.clone();
        for (at, bytes) in change {
            bad[*at..at + bytes.len()].copy_from_slice(bytes);
        }
        restamp::summaries(&mut bad);
        let path = folder.join(format!("{index}.sum"));
        fs::write(&path, bad).expect("written");
        let Some(output) = reader(&[&path]) else { return };
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("SPEC 8.7") && said.contains(expected), "{index}, {expected}: {said}");
    }
}

#[test]
fn python_refuses_flipped_bits() {
    let folder = folder("flipped");
    let run = random(Scheme::new(64, 3, &[4], 8).expect("a scheme"), 5, 300, 77);
    let summaries = summaries_of(run.low, run.high, &documents_of(&run));
    for (name, good) in [("a.seg", run.segment(1)), ("a.post", run.postings()), ("a.sum", summaries)] {
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
