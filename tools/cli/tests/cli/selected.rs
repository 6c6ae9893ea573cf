//! `load --select`: the records of archives that an index names.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use serde_json::Value;

use crate::helper::Dir;

const PAGES: usize = 12;

/// The name that the index has for an archive in the folder `warc`.
fn name(file: &str) -> String {
    format!("crawl-data/CC-TEST/segments/1/warc/{file}")
}

/// Writes an index of ranges of archives, with the column types of Common Crawl.
fn write_index(dir: &Dir, to: &str, rows: &[(String, u64, u64)]) {
    let offsets = rows.iter().map(|row| i32::try_from(row.1).expect("a small archive"));
    let columns: [(&str, ArrayRef); 4] = [
        ("url", Arc::new(rows.iter().map(|row| Some(format!("http://{}/", row.1))).collect::<StringArray>())),
        ("warc_filename", Arc::new(rows.iter().map(|row| Some(row.0.as_str())).collect::<StringArray>())),
        ("warc_record_offset", Arc::new(Int32Array::from_iter_values(offsets))),
        ("warc_record_length", Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.2 as i64)))),
    ];
    let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).expect("a schema");
    writer.write(&batch).expect("memory is writable");
    dir.write(to, &writer.into_inner().expect("memory is writable"));
}

/// Writes an index of a file that is one record.
pub(crate) fn write_index_of_file(dir: &Dir, to: &str, file: &str) {
    write_index(dir, to, &[(format!("crawl-data/CC-TEST/{file}"), 0, dir.read(file).len() as u64)]);
}

/// A folder with the archives `warc/a.warc.gz`, `warc/b.warc` of twelve pages each and the database `all` of both, and
/// the id, archive, offset and length of each document.
fn archives() -> (Dir, Vec<(String, String, u64, u64)>) {
    let dir = Dir::with_database();
    std::fs::create_dir(dir.path("warc")).expect("a folder");
    for file in ["a.warc.gz", "b.warc"] {
        let urls: Vec<String> = (0..PAGES).map(|page| format!("http://{file}.org/{page}")).collect();
        let body =
            |page: usize| format!("<title>Page {page}</title><p>{}", format!("word{page} of {file} ").repeat(40));
        let bodies: Vec<String> = (0..PAGES).map(body).collect();
        let pages: Vec<(&str, &str)> = urls.iter().map(String::as_str).zip(bodies.iter().map(String::as_str)).collect();
        dir.write_warc(&format!("warc/{file}"), &pages);
    }
    dir.nddb(["create", "all"]).done();
    dir.nddb(["load", "all", "warc"]).done();
    let lines = dir.nddb(["export", "all", "--columns", "id,archive,offset,length", "-q"]).done().lines();
    let text = |line: &Value, key: &str| line[key].as_str().expect("text").to_owned();
    let number = |line: &Value, key: &str| line[key].as_u64().expect("a number");
    let row = |line: &Value| (text(line, "id"), text(line, "archive"), number(line, "offset"), number(line, "length"));
    (dir, lines.iter().map(row).collect())
}

/// The rows of an index for documents.
fn rows<'a>(documents: impl IntoIterator<Item = &'a (String, String, u64, u64)>) -> Vec<(String, u64, u64)> {
    let documents = documents.into_iter();
    documents.map(|(_, file, offset, length)| (name(file.trim_start_matches("warc/")), *offset, *length)).collect()
}

fn ids(dir: &Dir, db: &str) -> Vec<String> {
    let lines = dir.nddb(["export", db, "--columns", "id", "-q"]).done().lines();
    lines.iter().map(|line| line["id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn the_records_that_an_index_names_are_loaded_and_no_others() {
    let (dir, all) = archives();
    assert_eq!(all.len(), 2 * PAGES);
    let wanted: Vec<_> = all.iter().enumerate().filter(|(at, _)| [1, 5, 11, 12, 14, 23].contains(at)).collect();
    let wanted: Vec<_> = wanted.into_iter().map(|(_, document)| document.clone()).collect();
    // In no order, and one row twice.
    let mut index = rows(wanted.iter().rev());
    index.push(index[2].clone());
    write_index(&dir, "index.parquet", &index);
    let load = ["load", "db", "--select", "index.parquet", "warc"];
    let ran = dir.nddb([&load[..], &["--json"]].concat()).done();
    ran.says(&["6 documents", "selected 6 records of 2 archives"]);
    let summary = ran.json();
    assert_eq!((&summary["documents"], &summary["skipped"]), (&6.into(), &0.into()));
    let selected = &summary["selected"];
    assert_eq!((&selected["archives"], &selected["records"]), (&2.into(), &6.into()));
    let lengths: u64 = wanted.iter().map(|(.., length)| length).sum();
    assert_eq!(summary["bytes_in"].as_u64(), Some(lengths));
    assert_eq!(ids(&dir, "db"), wanted.iter().map(|(id, ..)| id.clone()).collect::<Vec<_>>());

    // Their texts are read again from the archives.
    let shown = dir.nddb(["show", "db", &wanted[0].0, &wanted[5].0]).done().stdout;
    assert!(shown.contains("word1") && shown.contains("word11"), "{shown}");
    let pairs = dir.nddb(["pairs", "db", "--method", "lcs", "--with", "title"]).done();
    assert!(!pairs.stderr.contains("cannot be read"), "{}", pairs.stderr);

    // The same again changes nothing; another selection, and the whole archives, are loaded.
    dir.nddb(load).done().says(&["0 documents", "6 unchanged"]);
    write_index(&dir, "other.parquet", &rows(all.iter().take(2)));
    dir.nddb(["load", "db", "--select", "other.parquet", "warc/a.warc.gz"]).done();
    assert_eq!(ids(&dir, "db").len(), 7);
    let both = ["load", "db", "--select", "index.parquet", "--select", "other.parquet", "warc", "--json"];
    assert_eq!(dir.nddb(both).done().json()["selected"]["records"], 7);
    dir.nddb(["load", "db", "warc"]).done();
    assert_eq!(ids(&dir, "db").len(), 2 * PAGES);
}

#[test]
fn archives_that_are_absent_are_counted_and_listed() {
    let (dir, all) = archives();
    let mut index = rows(all.iter().take(3));
    index.extend([(name("c.warc.gz"), 0, 100), (name("c.warc.gz"), 100, 100), (name("d.warc.gz"), 0, 10)]);
    write_index(&dir, "index.parquet", &index);
    let load = ["load", "db", "--select", "index.parquet", "warc", "--skipped", "skipped.jsonl", "--json"];
    let ran = dir.nddb(load).ends(3);
    ran.says(&["3 documents", "2 archives with 3 more not among the inputs", &name("c.warc.gz")]);
    let selected = &ran.json()["selected"];
    let counts = ["records_absent", "archives_absent", "inputs_unnamed"].map(|key| selected[key].as_u64());
    assert_eq!(counts, [Some(3), Some(2), Some(1)]);
    let listed = String::from_utf8(dir.read("skipped.jsonl")).expect("UTF-8");
    assert_eq!(listed.lines().filter(|line| line.contains("\"absent\"")).count(), 2, "{listed}");

    dir.nddb(["load", "db", "--select", "index.parquet", "warc/b.warc"]).tells(1, &["none of 3 archives", "hint"]);
    write_index(&dir, "empty.parquet", &[]);
    dir.nddb(["load", "db", "--select", "empty.parquet", "warc"]).tells(1, &["has no row"]);
    std::fs::create_dir(dir.path("copy")).expect("a folder");
    dir.write("copy/a.warc.gz", &dir.read("warc/a.warc.gz"));
    let twice = ["load", "db", "--select", "index.parquet", "warc/a.warc.gz", "copy/a.warc.gz"];
    // One of the two is in a folder of the name that the index has.
    dir.nddb(twice).ends(3);
    dir.nddb(["load", "db", "--select", "index.parquet", "copy/a.warc.gz", "./copy/a.warc.gz"])
        .tells(1, &["not clear"]);
}

#[test]
fn a_range_that_is_no_record_is_skipped_and_costs_no_other() {
    for file in ["warc/a.warc.gz", "warc/b.warc"] {
        let (dir, all) = archives();
        let all: Vec<_> = all.iter().filter(|(_, archive, ..)| archive.ends_with(file)).collect();
        let index = rows(all.iter().copied());
        let at = |row: usize| index[row].clone();
        let (archive, offset, length) = at(3);
        let size = dir.read(file).len() as u64;
        let wrong = [
            (archive.clone(), offset + 7, length - 7),
            (archive.clone(), at(5).1, at(5).2 / 2),
            (archive.clone(), at(7).1, at(7).2 + at(8).2),
            (archive.clone(), size, 10),
            (archive, size + 1_000, 10),
        ];
        write_index(&dir, "index.parquet", &[&[at(0), at(3), at(9), at(11)][..], &wrong].concat());
        let load = ["load", "db", "--select", "index.parquet", "warc", "--skipped", "skipped.jsonl", "--json"];
        let ran = dir.nddb(load).ends(3);
        assert_eq!(ran.json()["skipped_by_reason"], serde_json::json!({"no_record": 5}), "{file}");
        assert_eq!(ids(&dir, "db"), [0, 3, 9, 11].map(|row| all[row].0.clone()), "{file}");
        let listed = String::from_utf8(dir.read("skipped.jsonl")).expect("UTF-8");
        assert!(listed.contains(&format!("\"offset\":{}", offset + 7)), "{listed}");
    }
}

#[test]
fn what_is_no_index_or_has_no_records_is_refused() {
    let (dir, all) = archives();
    write_index(&dir, "index.parquet", &rows(&all));
    dir.nddb(["export", "all", "--columns", "id,url", "--format", "parquet", "-o", "ids.parquet"]).done();
    dir.nddb(["load", "db", "--select", "ids.parquet", "warc"]).tells(1, &["warc_filename", "its columns are id, url"]);
    dir.nddb(["load", "db", "--select", "warc/b.warc", "warc"]).tells(1, &["PAR1", "hint: an index has columns"]);
    dir.nddb(["load", "db", "--select", "absent.parquet", "warc"]).tells(1, &["absent.parquet"]);
    let cut = dir.read("index.parquet");
    dir.write("cut.parquet", &cut[..cut.len() - 9]);
    dir.nddb(["load", "db", "--select", "cut.parquet", "warc"]).tells(1, &["cut.parquet"]);
    dir.write("a.jsonl", br#"{"id":"x","text":"one two"}"#);
    write_index(&dir, "lines.parquet", &[(name("a.jsonl"), 0, 10)]);
    dir.nddb(["load", "db", "--select", "lines.parquet", "a.jsonl"]).tells(1, &["WARC, WET and ARC", "a.jsonl"]);
}
