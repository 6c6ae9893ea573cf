//! Tables of sketches, several databases that are asked as one, and batch queries in parts.

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, RecordBatch, StringArray};
use nddb::Document;
use nddb::archive::{EntryContent, Input, Options};
use nddb::detect::document_of_page;
use nddb::sketch::Recipe;
use nddb::text::Page;
use parquet::arrow::ArrowWriter;
use serde_json::Value;

use crate::helper::{Dir, prints};
use crate::texts::{self, pages};

/// A sketch, its recipe, and its archive if it has one.
type Row<'a> = (Option<Vec<u8>>, &'a str, Option<String>);

/// Writes a table of sketches.
fn write_sketches(dir: &Dir, name: &str, rows: &[Row<'_>]) {
    let sketches: ArrayRef = Arc::new(rows.iter().map(|row| row.0.as_deref()).collect::<BinaryArray>());
    let recipes: ArrayRef = Arc::new(rows.iter().map(|row| Some(row.1)).collect::<StringArray>());
    let archives: ArrayRef = Arc::new(rows.iter().map(|row| row.2.as_deref()).collect::<StringArray>());
    // A fingerprint alone would be a document, too.
    let prints: ArrayRef = Arc::new(rows.iter().map(|_| Some("00000000000000ff")).collect::<StringArray>());
    let columns = [("fp", prints), ("sketch", sketches), ("recipe", recipes), ("archive", archives)];
    let columns = columns.into_iter().map(|(name, values)| (name, values, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length");
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).expect("a schema");
    writer.write(&batch).expect("memory is writable");
    dir.write(name, &writer.into_inner().expect("memory is writable"));
}

fn sketch(id: &str, text: &str) -> Vec<u8> {
    document_of_page(id, &Page::text(text), &Recipe::default()).expect("a document").to_bytes()
}

/// Returns the stored documents, all columns of `export` but the archive's number.
fn stored(dir: &Dir, db: &str) -> Vec<Value> {
    let columns = "id,url,site,fp,date,tokens,truncated,number,archive,offset,inner,length";
    dir.nddb(["export", db, "--columns", columns]).done().lines()
}

#[test]
fn a_table_of_sketches_is_loaded_as_its_pages_are() {
    // Archives of which one is known by another number, and one is gone.
    let dir = texts::dir();
    dir.write_warc("other.warc", &[("http://other.org/", "<p>some words of another page")]);
    dir.write_warc("gone.warc", &[("http://gone.org/", "<p>words of a page that cannot be read again")]);
    dir.nddb(["load", "db", "other.warc", "gone.warc"]).done();
    let recipe = Recipe::from_label("web/1").expect("a recipe");
    let mut rows = Vec::new();
    for (number, name) in [(7, "pages.warc.gz"), (3, "other.warc"), (9, "gone.warc")] {
        let path = dir.path(name);
        let mut input = Input::open(&path, &Options::default()).expect("an archive");
        while let Some(entry) = input.next().expect("sound") {
            let EntryContent::Page(page) = entry.content else { continue };
            let position = entry.position;
            let document = document_of_page(&page.id, &page.page(), &recipe).expect("a document");
            let document = document.with_date(page.date);
            let document = document.with_source(number, position.offset, position.inner, position.length);
            rows.push((Some(document.to_bytes()), "web/1", Some(path.display().to_string())));
        }
    }
    assert_eq!(rows.len(), 14);
    write_sketches(&dir, "sketches.parquet", &rows);
    std::fs::remove_file(dir.path("gone.warc")).expect("there");
    dir.nddb(["create", "shard", "--recipe", "web"]).done();
    dir.nddb(["load", "shard", dir.path("other.warc").to_str().expect("UTF-8")]).done();
    dir.nddb(["load", "shard", "sketches.parquet"]).done().says(&["13 documents stored (0 replaced), 1 unchanged"]);
    let (mut expected, mut found) = (stored(&dir, "db"), stored(&dir, "shard"));
    for row in expected.iter_mut().chain(&mut found) {
        let gone = row["id"] == "http://gone.org/";
        row["number"] = Value::Null;
        for name in ["archive", "offset", "inner", "length"].into_iter().filter(|_| gone) {
            row[name] = Value::Null;
        }
        let archive = row["archive"].as_str().map(|path| path.rsplit('/').next().unwrap_or_default().to_owned());
        row["archive"] = archive.into();
    }
    let by_id = |row: &Value| row["id"].to_string();
    expected.sort_by_key(by_id);
    found.sort_by_key(by_id);
    assert_eq!(found, expected);
    // Texts are read where the sketches say.
    let pairs = dir.nddb(["pairs", "shard", "--method", "lcs", "--expand"]).ends(3);
    assert_eq!(pairs.lines().len(), 12);
    pairs.says(&["1"]);
    // An archive that was loaded before is still known as such.
    dir.write_warc("more.warc", &[("http://more.org/", "<p>words of one more page")]);
    let other = dir.path("other.warc");
    let again = dir.nddb(["load", "shard", other.to_str().expect("UTF-8"), "more.warc", "--json"]).done().json();
    assert_eq!((&again["archives_passed_over"], &again["documents"]), (&1.into(), &1.into()));
    // The same sketches again change nothing.
    dir.nddb(["load", "shard", "sketches.parquet", "--again"]).done().says(&["14 unchanged"]);
    dir.nddb(["check", "shard"]).done();
}

#[test]
fn sketches_of_another_recipe_are_refused() {
    let dir = Dir::with_database();
    let rows = |recipe| [(Some(sketch("a", "one two three")), recipe, None)];
    write_sketches(&dir, "a.parquet", &rows("main/1"));
    write_sketches(&dir, "b.parquet", &rows("web/1"));
    let ran = dir.nddb(["load", "db", "b.parquet"]).tells(12, &["b.parquet", "'web/1'", "'main/1'", "hint: "]);
    drop(ran);
    // What was read before is not kept, either.
    dir.nddb(["load", "db", "a.parquet", "b.parquet"]).tells(12, &["b.parquet"]);
    assert_eq!(stored(&dir, "db"), [] as [Value; 0]);
    dir.nddb(["load", "db", "a.parquet"]).done().says(&["1 document "]);
    // Whoever names a column has documents made of it.
    dir.nddb(["create", "prints"]).done();
    dir.nddb(["load", "prints", "b.parquet", "--fp-column", "fp"]).done();
    assert_eq!(stored(&dir, "prints")[0]["fp"], "00000000000000ff");
}

#[test]
fn what_is_no_sketch_is_skipped() {
    let dir = Dir::new();
    dir.nddb(["create", "db", "--bits", "32", "--k", "2"]).done();
    let wide = Document::bare("wide", nddb::Fingerprint(1 << 40)).expect("an id").to_bytes();
    let mut cut = sketch("cut", "some words of a page");
    cut.truncate(cut.len() - 3);
    let rows = [
        (Some(sketch("good", "one two three four")), "main/1", None),
        (Some(cut), "main/1", None),
        (None, "main/1", None),
        (Some(b"nonsense".to_vec()), "main/1", None),
        (Some(wide), "main/1", Some("/nowhere.warc".to_owned())),
    ];
    write_sketches(&dir, "x.parquet", &rows);
    let ran = dir.nddb(["load", "db", "x.parquet"]).ends(3);
    ran.says(&["1 document ", "bad_fingerprint: 1", "bad_sketch: 2", "missing_field: 1"]);
    // A table of sketches is filtered by the ids in them.
    dir.write("remove.txt", b"good\n");
    dir.nddb(["filter", "db", "x.parquet", "--remove", "remove.txt", "-o", "kept.parquet"]).done();
    dir.nddb(["load", "db", "kept.parquet", "--again"]).ends(3).says(&["0 documents"]);
}

/// The databases `0` to `2` with a third of the documents each, and `all` with those of one after the other.
fn split(dir: &Dir) -> Vec<String> {
    let documents: Vec<String> = pages()
        .into_iter()
        .chain((0..4).map(|number| (format!("short-{number}"), "<p>word".to_owned())))
        .map(|(id, html)| serde_json::json!({"id": id, "url": id, "html": html}).to_string())
        .collect();
    let print = |(index, print): (usize, &u64)| format!("{{\"id\":\"p{index:03}\",\"fp\":\"{print:016x}\"}}");
    let near: Vec<u64> = prints(40).into_iter().flat_map(|print| [print, print ^ 1, print ^ 6, print]).collect();
    let documents: Vec<String> = documents.into_iter().chain(near.iter().enumerate().map(print)).collect();
    dir.nddb(["create", "all", "--pieces"]).done();
    for part in 0..3 {
        let name = part.to_string();
        let own: Vec<&str> = documents.iter().skip(part).step_by(3).map(String::as_str).collect();
        dir.write(&format!("{name}.jsonl"), own.join("\n").as_bytes());
        dir.nddb(["create", &name, "--pieces"]).done();
        for db in [&name, "all"] {
            dir.nddb(["load", db, &format!("{name}.jsonl")]).done();
        }
    }
    dir.write_prints("q.u64le", &near.iter().step_by(7).map(|print| print ^ 4).collect::<Vec<_>>());
    pages().into_iter().take(1).for_each(|(_, html)| dir.write("page.html", html.as_bytes()));
    ["0", "1", "2"].map(str::to_owned).to_vec()
}

/// The answers of databases, without the names of these and the numbers of documents.
fn answers(dir: &Dir, dbs: &[&str], options: &[&str]) -> Vec<Value> {
    let mut lines = dir.nddb([&["query"], dbs, options].concat()).done().lines();
    for found in lines.iter_mut().filter_map(|line| line["matches"].as_array_mut()).flatten() {
        let object = found.as_object_mut().expect("an object");
        assert_eq!(object.shift_remove("db").is_some(), dbs.len() > 1, "{object:?}");
        object.shift_remove("number");
    }
    lines
}

#[test]
fn several_databases_answer_as_one_that_holds_all() {
    let dir = Dir::new();
    split(&dir);
    let parts = ["0", "1", "2"];
    let cases: &[&[&str]] = &[
        &["--fp-file", "q.u64le"],
        &["--fp-file", "q.u64le", "--limit", "2", "-k", "2"],
        &["--fp-file", "q.u64le", "--ids", "none"],
        &["--fp-file", "q.u64le", "--ids", "none", "--limit", "1"],
        &["--all", "--ids", "none", "-k", "3", "--limit", "1"],
        &["--all"],
        &["--all", "--limit", "1", "--method", "split"],
        &["--all", "--method", "min-hash", "--verify", "lcs"],
        &["--id", "http://a1.org/2", "p004", "short-1", "--why"],
        &["--html", "page.html", "--why"],
        &["--html", "page.html", "-k", "3"],
    ];
    for options in cases {
        let (expected, found) = (answers(&dir, &["all"], options), answers(&dir, &parts, options));
        assert_eq!(found, expected, "{options:?}");
        assert!(expected.iter().any(|line| line["count"].as_u64() > Some(0)), "{options:?}: {expected:?}");
    }
    let named = dir.nddb(["query", "0", "1", "2", "--id", "http://a0.org/1"]).done().json();
    let named: Vec<&str> =
        named["matches"].as_array().expect("some").iter().filter_map(|one| one["db"].as_str()).collect();
    assert_eq!(named.len(), 2);
    assert!(named.iter().all(|name| parts.contains(name)), "{named:?}");
    dir.nddb(["query", "0", "1", "--id", "p001"]).ends(1).says(&["no document 'p001'"]);
    dir.nddb(["query", "0", "1", "2", "--fp", "ffffffffffffffff", "-q"]).ends(1);
    assert_eq!(dir.nddb(["query", "--id", "p001"]).env("NDDB_DB", "2").done().lines().len(), 1);
}

#[test]
fn databases_that_differ_are_not_asked_as_one() {
    let dir = Dir::with_database();
    for (name, options, words) in [
        ("k", &["--k", "2"][..], ["k '2'", "not '3'"]),
        ("bits", &["--bits", "32"], ["width '32'", "not '64'"]),
        ("recipe", &["--recipe", "web"], ["recipe 'web/1'", "not 'main/1'"]),
    ] {
        dir.nddb([&["create", name], options].concat()).done();
        let ran = dir.nddb(["query", "db", name, "--fp", "00000000000000ff"]).ends(12);
        ran.says(&[&[&format!("{name}: "), "hint: "][..], &words].concat());
    }
    dir.nddb(["query", "db", "none", "--fp", "00000000000000ff"]).tells(10, &["none"]);
}

#[test]
fn scans_of_all_ranges_are_resolved_to_what_one_pass_finds() {
    let dir = Dir::with_database();
    let stored = prints(3000);
    for (run, part) in stored.chunks(1000).enumerate() {
        let lines: Vec<String> =
            part.iter().enumerate().map(|(index, print)| format!("{run}-{index}\t{print:016x}")).collect();
        dir.write("part.tsv", lines.join("\n").as_bytes());
        dir.nddb(["load", "db", "part.tsv"]).done();
    }
    // Deletions, an id that comes again with another fingerprint, the same fingerprint in two runs, and no run yet.
    let again = format!("0-1\t{:016x}\n0-2\t{:016x}\nsame\t{:016x}\n", stored[5], stored[2], stored[2500]);
    dir.write("again.tsv", again.as_bytes());
    dir.nddb(["load", "db", "again.tsv"]).done();
    dir.nddb(["rm", "db", "0-5", "1-7", "2-9"]).done();
    dir.nddb(["add", "db"]).stdin(format!("{{\"id\":\"new\",\"fp\":\"{:016x}\"}}\n", stored[9] ^ 3)).done();
    let queries: Vec<u64> = stored.iter().take(1200).chain(&stored[2400..]).map(|print| print ^ 1).collect();
    dir.write_prints("q.u64le", &queries);
    let ranges = dir.lab(["scan", "db", "--list"]).done().stdout;
    let mut found = Vec::new();
    for (index, line) in ranges.lines().enumerate() {
        let cells: Vec<&str> = line.split('\t').collect();
        let [segment, first, blocks] = cells[..] else { panic!("{line}") };
        let name = format!("{index}.tsv");
        let range = ["--offset", first, "--count", blocks];
        dir.lab([&["scan", segment, "--queries", "q.u64le", "-o", &name], &range[..]].concat()).done();
        found.insert(0, name);
    }
    assert!(found.len() > 1, "{ranges}");
    for k in ["0", "1", "3"] {
        let expected = dir.nddb(["query", "db", "--format", "tsv", "--fp-file", "q.u64le", "-k", k]).done().stdout;
        let command = ["resolve", "db", "q.u64le", "-k", k];
        let names: Vec<&str> = found.iter().map(String::as_str).collect();
        assert_eq!(dir.lab([&command[..], &names].concat()).done().stdout, expected, "k={k}");
        let all: Vec<u8> = found.iter().flat_map(|name| dir.read(name)).collect();
        assert_eq!(dir.lab([&command[..], &["-"]].concat()).stdin(all).done().stdout, expected, "k={k}");
        assert_eq!(expected.is_empty(), k == "0", "{expected}");
    }
    let three = dir.nddb(["query", "db", "--format", "tsv", "--fp-file", "q.u64le"]).done().stdout;
    assert!(three.contains("\tnew\n") && three.contains("\tsame\n") && !three.contains("\t1-7\n"));
    for (line, words) in [
        ("0\tnothing\t1", "not query, fingerprint and distance"),
        ("0\t00000000000000ff", "not query, fingerprint and distance"),
        ("0\t00000000000000ff\t1", "with other queries"),
        ("99999\t00000000000000ff\t1", "with other queries"),
    ] {
        dir.write("bad.tsv", line.as_bytes());
        dir.lab(["resolve", "db", "q.u64le", "bad.tsv"]).tells(1, &["bad.tsv: line 1", words]);
    }
    dir.lab(["resolve", "db", "q.u64le"]).tells(2, &["missing argument: FOUND"]);
    dir.lab(["resolve", "db", "q.u64le", "-k", "4", "-"]).tells(2, &["4", "limit"]);
    dir.lab(["scan", "db"]).tells(2, &["--queries"]);
}
