//! Parquet files: read by `load`, and their texts read again.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use serde_json::Value;

use crate::helper::Dir;
use crate::texts::pages;

/// Returns a Parquet file of text columns, with row groups of five rows.
fn parquet(columns: &[(&str, Vec<Option<String>>)]) -> Vec<u8> {
    let columns = columns.iter().map(|(name, values)| {
        let values: ArrayRef = Arc::new(values.iter().map(Option::as_deref).collect::<StringArray>());
        (*name, values, true)
    });
    let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length");
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(5)).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).expect("a schema");
    writer.write(&batch).expect("memory is writable");
    writer.into_inner().expect("memory is writable")
}

/// Twelve pages of four texts.
fn of_pages(id: &str, html: &str) -> Vec<u8> {
    let (ids, bodies) = pages().into_iter().map(|(url, body)| (Some(url), Some(body))).unzip();
    parquet(&[(id, ids), (html, bodies)])
}

fn pairs(dir: &Dir, args: &[&str]) -> usize {
    dir.nddb([&["pairs", "db", "--expand"], args].concat()).done().stdout.lines().count()
}

#[test]
fn texts_of_rows_are_read_again() {
    for (columns, options) in
        [(["id", "html"], &[][..]), (["doc", "page"], &["--id-column", "doc", "--html-column", "page"][..])]
    {
        let dir = Dir::with_database_of_whole_pages();
        dir.write("pages.parquet", &of_pages(columns[0], columns[1]));
        let load = [&["load", "db", "pages.parquet"][..], options].concat();
        dir.nddb(&load).done().says(&["12 documents", "nothing skipped"]);
        assert_eq!(pairs(&dir, &["--method", "lcs"]), 12);
        assert_eq!(pairs(&dir, &["--method", "simhash", "-k", "7", "--verify", "lcs"]), 12);
        let answer = dir.nddb(["query", "db", "--id", "http://a0.org/1", "--verify", "lcs", "--why"]).done().json();
        assert_eq!(answer["count"], 3, "{answer}");
        assert!(answer["matches"][1]["why"]["unread"].is_null(), "{answer}");
        let stored = dir.nddb(["get", "db", "http://a2.org/3"]).done().json();
        assert_eq!(stored["source"]["offset"], 11, "the row");
        dir.nddb(&load).done().says(&["12 unchanged"]);
    }
}

#[test]
fn a_row_that_cannot_be_a_document_is_skipped_with_its_number() {
    let dir = Dir::with_database();
    let texts = vec![Some("one two".to_owned()), None, Some("three four".to_owned())];
    dir.write("x.parquet", &parquet(&[("text", texts)]));
    let ran = dir.nddb(["load", "db", "x.parquet", "--skipped", "skipped.jsonl"]).ends(3);
    ran.says(&["2 documents", "missing_field: 1"]);
    let skipped: Value = serde_json::from_slice(&dir.read("skipped.jsonl")).expect("a line of JSON");
    assert_eq!((&skipped["offset"], &skipped["detail"]), (&1.into(), &"null in \"text\"".into()));
    dir.nddb(["get", "db", "x.parquet:0", "x.parquet:2"]).done();
}

#[test]
fn a_table_is_read_from_stdin_and_from_folders() {
    let dir = Dir::with_database();
    dir.nddb(["load", "db", "-"]).stdin(of_pages("id", "html")).done().says(&["12 documents"]);
    std::fs::create_dir(dir.path("in")).expect("a folder");
    dir.write("in/x.parquet", &of_pages("id", "html"));
    dir.nddb(["load", "db", "in"]).done().says(&["12 unchanged"]);
}

#[test]
fn a_table_without_the_columns_is_refused_with_those_it_has() {
    let dir = Dir::with_database();
    dir.write("x.parquet", &parquet(&[("content", vec![Some("one".to_owned())])]));
    dir.nddb(["load", "db", "x.parquet"]).tells(1, &["its columns are content", "--text-column"]);
    dir.nddb(["load", "db", "x.parquet", "--text-column", "content"]).done();
    dir.write("cut.parquet", b"PAR1 and nothing else");
    dir.nddb(["load", "db", "cut.parquet"]).tells(1, &["cut.parquet", "does not end with PAR1"]);
}
