//! Parquet files: read by `load`, their texts read again, and tables written by other commands.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use nddb_test_support::{python, say};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::{Value, json};

use crate::helper::Dir;
use crate::texts::{self, lines, pages};

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
        let dir = Dir::with_database();
        dir.write("pages.parquet", &of_pages(columns[0], columns[1]));
        let load = [&["load", "db", "pages.parquet"][..], options].concat();
        dir.nddb(&load).done().says(&["12 documents", "nothing skipped"]);
        assert_eq!(pairs(&dir, &["--method", "lcs"]), 12);
        assert_eq!(pairs(&dir, &["--method", "min-hash", "--verify", "lcs"]), 12);
        let answer = dir.nddb(["query", "db", "--id", "http://a0.org/1", "--verify", "lcs", "--why"]).done().json();
        assert_eq!(answer["count"], 2, "{answer}");
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
fn a_column_that_an_option_names_must_be_there() {
    let dir = Dir::with_database();
    let texts = ["one two", "three four"].map(|text| Some(text.to_owned()));
    dir.write("x.parquet", &parquet(&[("text", texts.to_vec())]));
    for option in ["--id-column", "--url-column", "--html-column", "--fp-column", "--batch-column"] {
        let usual = option.trim_start_matches("--").trim_end_matches("-column");
        for name in [usual, "other"] {
            let ran = dir.nddb(["load", "db", "x.parquet", option, name]);
            ran.tells(1, &["x.parquet", &format!("no column {name:?}"), "its columns are text"]);
        }
    }
    // A column of nulls alone, of which its writer did not know the type, is none.
    let nulls: ArrayRef = Arc::new(arrow_array::NullArray::new(1));
    let pages: ArrayRef = Arc::new(StringArray::from(vec!["<p>some words of a page"]));
    let batch = RecordBatch::try_from_iter_with_nullable([("text", nulls, true), ("html", pages, true)]).expect("one");
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).expect("a schema");
    writer.write(&batch).expect("memory is writable");
    dir.write("nulls.parquet", &writer.into_inner().expect("memory is writable"));
    dir.nddb(["load", "db", "nulls.parquet", "--text-column", "text"]).tells(1, &["an unsuitable type"]);
    dir.nddb(["load", "db", "nulls.parquet"]).done().says(&["1 document"]);
    dir.nddb(["load", "db", "x.parquet", "--text-column", "text"]).done().says(&["2 documents"]);
    dir.nddb(["get", "db", "x.parquet:1"]).done();
    let filter = ["filter", "db", "x.parquet", "--remove", "none.txt", "-o", "out.parquet", "--id-field", "id"];
    dir.write("none.txt", b"");
    dir.nddb(filter).tells(1, &["no column \"id\"", "its columns are text"]);
}

#[test]
fn a_column_names_the_batches_of_rows() {
    let dir = Dir::with_database();
    let some = |values: &[&str]| values.iter().map(|value| Some((*value).to_owned())).collect::<Vec<_>>();
    let ids = some(&["a", "b", "c", "d", "e", "f", "g"]);
    let texts = some(&["one 1", "two 2", "three 3", "four 4", "five 5", "six 6", "seven 7"]);
    let mut dumps = some(&["may", "may", "june", "", "june", "june", "may"]);
    dumps[3] = None;
    dir.write("x.parquet", &parquet(&[("id", ids), ("text", texts), ("dump", dumps)]));
    dir.write("y.jsonl", br#"{"id":"h","text":"eight 8"}"#);
    let load = ["load", "db", "x.parquet", "y.jsonl", "--batch-column", "dump"];
    dir.nddb(load).done().says(&["8 documents"]);
    assert_eq!(
        dir.nddb(["export", "db", "--format", "tsv", "--columns", "id,batch"]).done().stdout,
        "a\tmay\nb\tmay\nc\tjune\nd\t\ne\tjune\nf\tjune\ng\tmay\nh\t\n"
    );
    dir.nddb(load).done().says(&["8 unchanged"]);
    dir.nddb(["rm", "db", "--batch", "june"]).done();
    assert_eq!(dir.nddb(["export", "db", "--format", "tsv", "--columns", "id"]).done().stdout, "a\nb\nd\ng\nh\n");
    dir.nddb([&load[..], &["--batch", "other"]].concat()).tells(2, &["--batch"]);
    dir.nddb(["load", "db", "x.parquet", "--batch-column", "no"]).tells(1, &["no column \"no\""]);
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
    dir.write("x.parquet", &parquet(&[("body", vec![Some("one".to_owned())])]));
    dir.nddb(["load", "db", "x.parquet"]).tells(1, &["its columns are body", "--text-column"]);
    dir.nddb(["load", "db", "x.parquet", "--text-column", "body"]).done();
    let nothing = RecordBatch::new_empty(Arc::new(arrow_schema::Schema::empty()));
    let writer = ArrowWriter::try_new(Vec::new(), nothing.schema(), None).expect("a schema");
    dir.write("empty.parquet", &writer.into_inner().expect("memory is writable"));
    dir.nddb(["load", "db", "empty.parquet"]).tells(1, &["it has no columns; name that"]);
    dir.write("cut.parquet", b"PAR1 and nothing else");
    dir.nddb(["load", "db", "cut.parquet"]).tells(1, &["cut.parquet", "does not end with PAR1"]);
}

/// Reads a table: for each row its values by column, as the Parquet library shows them.
fn rows(dir: &Dir, name: &str) -> Vec<BTreeMap<String, String>> {
    let file = std::fs::File::open(dir.path(name)).expect("the table is there");
    let reader = SerializedFileReader::new(file).expect("a Parquet file");
    let rows = reader.get_row_iter(None).expect("rows");
    rows.map(|row| {
        let row = row.expect("a row");
        row.get_column_iter().map(|(name, field)| (name.clone(), field.to_string().replace('"', ""))).collect()
    })
    .collect()
}

fn column(rows: &[BTreeMap<String, String>], name: &str) -> Vec<String> {
    rows.iter().map(|row| row[name].clone()).collect()
}

#[test]
fn an_exported_table_can_be_loaded_again() {
    let dir = Dir::with_database();
    dir.write("x.tsv", b"a\t00000000000000ff\nb\tfffffffffffffffe\nc\t8000000000000000\n");
    dir.nddb(["load", "db", "x.tsv", "--batch", "may"]).done();
    let export = ["export", "db", "--format", "parquet", "-o"];
    dir.nddb([&export[..], &["x.parquet"]].concat()).done().says(&["3 documents"]);
    dir.nddb([&export[..], &["again.parquet"]].concat()).done();
    assert_eq!(dir.read("x.parquet"), dir.read("again.parquet"), "the same rows give the same bytes");
    dir.is_clean();
    let exported = rows(&dir, "x.parquet");
    assert_eq!(column(&exported, "fp"), ["255", "-2", "-9223372036854775808"], "patterns of 64 bits, signed");
    assert_eq!(
        (column(&exported, "batch"), column(&exported, "url")),
        (vec!["may".to_owned(); 3], vec!["null".to_owned(); 3])
    );
    dir.nddb(["create", "other"]).done();
    dir.nddb(["load", "other", "x.parquet"]).done().says(&["3 documents", "nothing skipped"]);
    for id in ["a", "b", "c"] {
        let fp = |db| dir.nddb(["get", db, id]).done().json()["fp"].clone();
        assert_eq!(fp("db"), fp("other"));
    }
}

#[test]
fn documents_are_listed_in_the_columns_asked_for() {
    let dir = Dir::with_database();
    dir.write_warc("p.warc", &[("http://www.a.org/1", "<p>one two three"), ("http://www.a.org/2", "<p>one")]);
    dir.nddb(["load", "db", "p.warc"]).done();
    let columns = ["--columns", "id,site,fp,tokens,archive,truncated,date"];
    let out = dir.nddb([&["export", "db"][..], &columns].concat()).done().stdout;
    let first = &lines(&out)[0];
    assert_eq!(first["id"], "http://www.a.org/1");
    assert_eq!(
        (&first["tokens"], &first["archive"], &first["truncated"]),
        (&json!(3), &json!(dir.path("p.warc")), &json!(false))
    );
    assert_eq!((&first["date"], &lines(&out)[1]["fp"]), (&json!(1_700_000_000), &Value::Null));
    let keys: Vec<&str> = first.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(keys.join(","), columns[1], "in this order");
    assert_eq!(
        dir.nddb(["export", "db", "--format", "tsv", "--columns", "id,url"]).done().stdout,
        "http://www.a.org/1\thttp://www.a.org/1\nhttp://www.a.org/2\thttp://www.a.org/2\n"
    );
    assert_eq!(
        dir.nddb(["export", "db", "--format", "tsv", "--columns", "id", "--limit", "1"]).done().stdout,
        "http://www.a.org/1\n"
    );
    let found = dir.nddb(["get", "db", "--url", "http://www.a.org/2"]).done();
    assert_eq!(lines(&found.stdout).iter().map(|line| &line["id"]).collect::<Vec<_>>(), ["http://www.a.org/2"]);
    dir.nddb(["get", "db", "--url", "http://b.org/"]).tells(1, &["no document with the address 'http://b.org/'"]);
    dir.nddb(["get", "db"]).tells(2, &["missing argument: ID after the database db"]);
}

#[test]
fn tables_of_pairs_and_clusters_have_what_the_lines_have() {
    let dir = texts::dir();
    let pairs = ["pairs", "db", "--method", "min-hash"];
    let said = lines(&dir.nddb(pairs).done().stdout);
    dir.nddb([&pairs[..], &["--format", "parquet", "-o", "pairs.parquet"]].concat()).done();
    let written = rows(&dir, "pairs.parquet");
    let of_lines = |key: &str| -> Vec<String> {
        let values = said.iter().map(|line| line[key].clone());
        values.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect()
    };
    assert!(!said.is_empty() && said.iter().all(|line| line["group"].is_null()));
    for key in ["a", "b", "method", "distance", "verdict", "same_site"] {
        assert_eq!(column(&written, key), of_lines(key), "{key}");
    }
    dir.nddb(["cluster", "db", "--format", "parquet", "-o", "out"]).done();
    assert!(!dir.path("out/clusters.tsv").exists());
    let members = rows(&dir, "out/clusters.parquet");
    let clusters = String::from_utf8(dir.read("out/clusters.jsonl")).expect("text");
    let expected: Vec<String> = lines(&clusters)
        .iter()
        .flat_map(|line| line["members"].as_array().expect("members").clone())
        .map(|id| id.as_str().expect("an id").to_owned())
        .collect();
    assert!(!expected.is_empty());
    assert_eq!(column(&members, "id"), expected);
    assert_eq!(column(&members, "url"), expected, "the pages of this archive have their address as id");
    let mut removed: Vec<String> =
        members.iter().filter(|row| row["verdict"] == "remove").map(|row| row["id"].clone()).collect();
    removed.sort();
    let listed = String::from_utf8(dir.read("out/remove.txt")).expect("text");
    assert_eq!(removed, listed.lines().collect::<Vec<_>>());
    for row in &members {
        let is_kept = row["id"] == row["kept"];
        assert_eq!(row["rule"] == "null", is_kept, "{row:?}");
        let source = dir.nddb(["get", "db", &row["id"]]).done().json()["source"].clone();
        assert_eq!((&row["offset"], &row["length"]), (&source["offset"].to_string(), &source["length"].to_string()));
        assert_eq!(row["archive"], dir.path("pages.warc.gz").display().to_string());
    }
    dir.nddb([&pairs[..], &["--format", "parquet", "--with", "url", "-o", "no.parquet"]].concat())
        .tells(2, &["--with is of lines"]);
    assert!(!dir.path("no.parquet").exists());
    dir.is_clean();
}

#[test]
fn groups_are_rows_for_each_member_but_the_founder() {
    let dir = Dir::with_database();
    let pages: Vec<String> =
        ["b", "a", "c"].map(|id| json!({"id": id, "text": "one two three four five"}).to_string()).to_vec();
    dir.write("x.jsonl", pages.join("\n").as_bytes());
    dir.nddb(["load", "db", "x.jsonl"]).done();
    dir.nddb(["pairs", "db", "--format", "parquet", "-o", "x.parquet"]).done();
    let rows = rows(&dir, "x.parquet");
    let made: Vec<_> =
        rows.iter().map(|row| [&row["a"], &row["b"], &row["group"], &row["flagged"], &row["distance"]]).collect();
    assert_eq!(made, [["a", "b", "identity", "false", "null"], ["a", "c", "identity", "false", "null"]]);
}

#[test]
fn matches_of_many_queries_are_rows_too() {
    let dir = Dir::with_documents();
    dir.write_prints("q.u64le", &[0xff, 0xffff_ffff_0000_0000]);
    let query = ["query", "db", "--fp-file", "q.u64le", "--format"];
    let lines = dir.nddb([&query[..], &["tsv"]].concat()).done().stdout;
    dir.nddb([&query[..], &["parquet", "-o", "x.parquet"]].concat()).done();
    let found = rows(&dir, "x.parquet");
    assert_eq!(lines, "0\t00000000000000ff\t0\ta\n0\t00000000000000fe\t1\tb\n1\tffffffff00000000\t0\tc\n");
    assert_eq!(column(&found, "query"), ["0", "0", "1"]);
    assert_eq!(column(&found, "fp"), ["255", "254", "-4294967296"]);
    assert_eq!(
        (column(&found, "distance"), column(&found, "id")),
        (vec!["0".into(), "1".into(), "0".into()], vec!["a".into(), "b".into(), "c".into()])
    );
    let run = std::fs::read_dir(dir.path("db/runs")).expect("runs");
    let segment =
        run.map(|entry| entry.expect("a file").path()).find(|path| path.extension().is_some_and(|end| end == "seg"));
    let segment = segment.expect("a segment").display().to_string();
    dir.lab(["scan", &segment, "--queries", "q.u64le", "--format", "parquet", "-o", "scan.parquet"]).done();
    let scanned = dir.lab(["scan", &segment, "--queries", "q.u64le"]).done().stdout;
    let first = scanned.lines().map(|line| line.split('\t').next().expect("a column").to_owned());
    assert_eq!(column(&rows(&dir, "scan.parquet"), "query"), first.collect::<Vec<_>>());
}

#[test]
fn tables_are_read_by_pyarrow_and_duckdb() {
    let dir = texts::dir();
    dir.nddb(["export", "db", "--format", "parquet", "-o", "documents.parquet"]).done();
    dir.nddb(["cluster", "db", "--format", "parquet", "-o", "out"]).done();
    let readers = [
        (
            "pyarrow",
            "import sys, pyarrow.parquet as p; print(sum(p.read_table(f).num_rows for f in sys.argv[1:]), p.read_schema(sys.argv[1]).field('fp').type)",
        ),
        (
            "duckdb",
            "import sys, duckdb; print(sum(duckdb.sql(f\"select count(id) from '{f}'\").fetchall()[0][0] for f in sys.argv[1:]), duckdb.sql(f\"select typeof(fp) from '{sys.argv[1]}'\").fetchall()[0][0])",
        ),
    ];
    let members = rows(&dir, "out/clusters.parquet").len();
    for (module, script) in readers {
        let Some(mut python) = python(module) else { return };
        let found = python.args(["-c", &format!("import {module}")]).output().expect("python3 runs");
        if !found.status.success() {
            say(&format!("{module} is not installed: whether it reads the tables is not tested"));
            continue;
        }
        let mut reading = std::process::Command::new("python3");
        let tables = [dir.path("documents.parquet"), dir.path("out/clusters.parquet")];
        let read = reading.arg("-c").arg(script).args(tables).output().expect("python3 runs");
        let said = String::from_utf8_lossy(&read.stdout).trim().to_lowercase();
        let want = [format!("{} int64", 12 + members), format!("{} bigint", 12 + members)];
        assert!(want.contains(&said), "{module}: {said} {}", String::from_utf8_lossy(&read.stderr));
    }
}
