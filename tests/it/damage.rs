//! Shared parts of the damage tests: a database with documents of every kind, copies of it, ways to break files,
//! and its answers.

use std::fs;
use std::path::{Path, PathBuf};

use nddb::detect::document_of_page;
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::{Answer, CheckOptions, CheckReport, Config, Document, Fingerprint, Reader, Within, Writer};
use nddb_format::manifest::Manifest;

use super::support::Random;

/// A database and its answers.
pub(crate) struct Sample {
    _folder: tempfile::TempDir,
    pub(crate) path: PathBuf,
    pub(crate) queries: Vec<Fingerprint>,
    pub(crate) answers: Vec<Answer>,
}

pub(crate) fn bare(id: &str, fingerprint: u64) -> Document {
    Document::bare(id, Fingerprint(fingerprint)).expect("a good id")
}

/// Creates a database of two runs of four tables and a memtable, with clusters, a fingerprint of many documents,
/// replaced, deleted, pending and unprinted documents, sketches, and batches.
pub(crate) fn sample() -> Sample {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("db");
    let config = Config::within(3).and_then(|config| config.levels(&[4])).expect("a scheme");
    let mut writer = Writer::create(&path, &config).expect("a new database");
    let mut random = Random::fixed(7);
    let mut queries = Vec::new();
    for (run, len) in [(0, 1500u64), (1, 700), (2, 60)] {
        writer.label(&format!("crawl {run}"), false).expect("a batch");
        let mut center = 0;
        for index in 0..len {
            if index % 7 == 0 {
                center = random.next();
                queries.push(Fingerprint(random.near(center, index % 4, 64)));
            }
            // Every eleventh replaces a document of the run before.
            let id = if run > 0 && index % 11 == 0 { format!("{}/{index}", run - 1) } else { format!("{run}/{index}") };
            let fingerprint = if index % 5 == 0 { 0xfeed_f00d } else { random.near(center, index % 6, 64) };
            writer.insert(bare(&id, fingerprint)).expect("taken");
        }
        let recipe = Recipe::default();
        for text in ["", "one", "the quick brown fox jumps over the lazy dog and then some more of it"] {
            let page = Page::html(text);
            let document = document_of_page(&format!("page {run} {}", text.len()), &page, &recipe);
            writer
                .insert(
                    document
                        .expect("a document")
                        .with_url("http://example.org/", recipe.site_of("http://example.org/")),
                )
                .expect("taken");
        }
        writer.commit().expect("committed");
        for index in (0..len).step_by(13) {
            writer.delete(&format!("{run}/{index}")).expect("deleted");
        }
        writer.commit().expect("committed");
        if run < 2 {
            writer.label(&format!("held {run}"), true).expect("a pending batch");
            for index in 0..30 {
                writer.insert(bare(&format!("{run}/{}", index * 2), random.next())).expect("taken");
            }
            writer.flush().expect("flushed");
        }
    }
    writer.close().expect("closed");
    queries.push(Fingerprint(0xfeed_f00d ^ 1 << 50));
    let answers = answers(&path, &queries).expect("it is sound");
    assert!(answers.iter().map(|answer| answer.count).sum::<u64>() > 1000, "there is something to be found");
    Sample { _folder: folder, path, queries, answers }
}

impl Sample {
    /// Returns a copy of the database to be damaged.
    pub(crate) fn copy(&self) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("db");
        copy_folder(&self.path, &path);
        (folder, path)
    }

    /// Fails if the database at a path gives a wrong answer, where an error is none. Returns whether all its
    /// answers are complete.
    pub(crate) fn never_wrong(&self, path: &Path, what: &str) -> bool {
        let Ok(reader) = Reader::open(path) else { return false };
        let mut whole = true;
        for (query, wanted) in self.queries.iter().zip(&self.answers) {
            match reader.view().find(&[*query], Within(3)) {
                Ok(found) => assert_eq!(found[0], *wanted, "{what}: a wrong answer to {query}"),
                Err(_) => whole = false,
            }
        }
        whole
    }

    /// Fails unless the database at a path gives the same answers as the original.
    pub(crate) fn same_answers(&self, path: &Path, what: &str) {
        assert_eq!(answers(path, &self.queries).expect(what), self.answers, "{what}");
    }
}

pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("copied");
        }
    }
}

pub(crate) fn answers(path: &Path, queries: &[Fingerprint]) -> nddb::Result<Vec<Answer>> {
    Reader::open(path)?.view().find(queries, Within(3))
}

pub(crate) fn check(path: &Path) -> CheckReport {
    nddb::check(path, &CheckOptions::default(), &mut |_| true).expect("a report")
}

/// Fails unless the database is sound, its recall included.
pub(crate) fn assert_sound(path: &Path) -> CheckReport {
    let options = CheckOptions { sample_recall: Some(100), threads: 2, ..CheckOptions::default() };
    let report = nddb::check(path, &options, &mut |_| true).expect("a report");
    assert_eq!(report.faults, []);
    assert!(report.is_sound() && report.queries == Some(100) && report.omitted == 0);
    report
}

/// Fails unless a fault names the file.
pub(crate) fn assert_blamed(report: &CheckReport, file: &Path, what: &str) {
    assert!(!report.is_sound(), "{what}: no fault");
    let named = report.faults.iter().any(|fault| fault.path == file && !fault.what.is_empty());
    assert!(named, "{what}: {} is not blamed, but {:?}", file.display(), report.faults);
}

pub(crate) fn manifest(path: &Path) -> Manifest {
    Manifest::decode(&fs::read(path.join("MANIFEST")).expect("a manifest")).expect("a sound manifest")
}

pub(crate) fn segment(path: &Path, run: usize, table: usize) -> PathBuf {
    path.join(format!("runs/{:08x}.seg", manifest(path).runs[run].segments[table].number))
}

pub(crate) fn postings(path: &Path, run: usize) -> PathBuf {
    path.join(format!("runs/{:08x}.post", manifest(path).runs[run].postings.number))
}

pub(crate) fn flip(file: &Path, byte: usize, bit: u8) {
    let mut bytes = fs::read(file).expect("readable");
    bytes[byte] ^= 1 << bit;
    fs::write(file, bytes).expect("writable");
}

pub(crate) fn cut(file: &Path, length: u64) {
    let file = fs::OpenOptions::new().write(true).open(file).expect("writable");
    file.set_len(length).expect("cut");
}

pub(crate) fn swap(a: &Path, b: &Path) {
    let (first, second) = (fs::read(a).expect("readable"), fs::read(b).expect("readable"));
    fs::write(a, second).expect("writable");
    fs::write(b, first).expect("writable");
}
