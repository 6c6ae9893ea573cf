//! Real archives: every file of the collection beside the repository, with the counts of its manifest.

use std::path::{Path, PathBuf};

use nddb::archive::{Entry, EntryContent, Input, Options};
use nddb_archive::read_page;

use super::{drain, html, say};

/// Files of which fewer or more HTML documents load than the manifest counts pages with status 200, and why.
const DIFFERENCES: &[(&str, usize, &str)] = &[
    ("warc-plain/example.com.warc", 3, "two of its responses stand at file:/// addresses, which the manifest left out"),
    (
        "warc-gz-single-stream/00.warc.gz",
        23,
        "its lengths are too long by some bytes; the manifest's reader stopped there",
    ),
    ("warc-gz/snapshot-wayback-topic-02.warc.gz", 128, "its pages are resource records, which the manifest left out"),
    ("broken/warcfile.warc.lz4", 16, "the manifest's reader does not read lz4"),
    ("payload-encoding/1memento_noContentType.warc", 1, "no Content-Type; its body begins as HTML does"),
    ("arc/badexample.arc.gz", 2, "its lengths are wrong; the manifest's reader stopped at the second"),
    ("arc/cc2010-sample.arc.gz", 8, "the manifest's reader could not read it; a scan found these 8"),
    ("warc-zst-derived/truncated.warc.zst", 15, "the manifest counts nothing in it; these stand before the cut"),
];

/// Files that must be refused as a whole.
const REFUSED: &[&str] = &["warc-zst-derived/dict-missing.warc.zst"];

fn real_archives() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/archives");
    if folder.is_dir() {
        return Some(folder);
    }
    say(&format!("{} is not there: real archives are not tested", folder.display()));
    None
}

/// Returns the manifest's rows: file, and number of HTML responses with status 200.
fn manifest(folder: &Path) -> Vec<(String, usize)> {
    let text = std::fs::read_to_string(folder.join("MANIFEST.md")).expect("the manifest is readable");
    let mut section = "";
    let mut rows = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title.trim();
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let count = cells.get(6).and_then(|cell| cell.split_once('(')).and_then(|(_, rest)| rest.strip_suffix(')'));
        if let Some(count) = count.and_then(|count| count.parse().ok())
            && cells[1] != "file"
        {
            rows.push((format!("{section}/{}", cells[1]), count));
        }
    }
    rows
}

#[test]
fn every_real_archive_gives_the_pages_its_manifest_counts() {
    let Some(folder) = real_archives() else { return };
    let rows = manifest(&folder);
    assert_eq!(rows.len(), 100, "files in the manifest");
    let mut wrong = Vec::new();
    for (file, counted) in &rows {
        let opened = Input::open(&folder.join(file), &Options::default());
        if REFUSED.contains(&file.as_str()) {
            assert!(opened.is_err(), "{file} is refused");
            continue;
        }
        let loaded = html(&drain(opened.unwrap_or_else(|error| panic!("{file}: {error}"))));
        let known = DIFFERENCES.iter().find(|(name, ..)| name == file);
        let expected = known.map_or(*counted, |(_, expected, _)| *expected);
        if let Some((name, expected, _)) = known {
            assert_ne!(counted, expected, "{name} needs no line in the table");
        }
        if loaded != expected {
            wrong.push(format!("{file}: {loaded} pages, {expected} expected"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_page_of_a_real_archive_is_read_again_at_its_position() {
    let Some(folder) = real_archives() else { return };
    for (file, _) in manifest(&folder) {
        let path = folder.join(&file);
        let Ok(input) = Input::open(&path, &Options::default()) else { continue };
        for entry in drain(input) {
            if let EntryContent::Page(page) = entry.content {
                let reread = read_page(&path, &entry.position, &Options::default());
                assert_eq!(reread.ok().as_ref(), Some(&page), "{file} {:?}", entry.position);
            }
        }
    }
}

#[test]
fn reading_a_real_archive_goes_on_where_it_was_left() {
    let Some(folder) = real_archives() else { return };
    for (file, _) in manifest(&folder) {
        let path = folder.join(&file);
        let Ok(mut input) = Input::open(&path, &Options::default()) else { continue };
        let mut left = Vec::new();
        while let Some(entry) = input.next().expect("real archives are readable") {
            left.push((entry, input.resume_point()));
        }
        for at in (0..left.len()).step_by(1 + left.len() / 12) {
            let rest = Input::open_at(&path, &Options::default(), left[at].1).expect("opens again");
            let expected: Vec<Entry> = left[at + 1..].iter().map(|(entry, _)| entry.clone()).collect();
            assert_eq!(drain(rest), expected, "{file} after entry {at}");
        }
    }
}

#[test]
fn the_validity_suite_and_the_broken_files_are_read_to_their_end() {
    let Some(folder) = real_archives() else { return };
    let mut files = 0;
    for part in ["broken", "broken/jhove-invalid", "broken/jhove-valid"] {
        for file in std::fs::read_dir(folder.join(part)).expect("the folder is readable") {
            let path = file.expect("the folder is readable").path();
            if path.is_file() {
                files += 1;
                if let Ok(input) = Input::open(&path, &Options::default()) {
                    assert!(drain(input).len() < 100, "{}", path.display());
                }
            }
        }
    }
    assert_eq!(files, 19 + 75);
}
