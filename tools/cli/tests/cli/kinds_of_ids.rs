//! Ids that are numbers and ids that are texts: `1` and `"1"` are two documents everywhere.

use serde_json::{Value, json};

use crate::helper::{Dir, prints};
use crate::ids::{lines, text};

const AMBIGUOUS: [&str; 2] = [r"\#1 is the number", r#"\"1 the text"#];

fn exported(dir: &Dir) -> Vec<Value> {
    let mut ids: Vec<Value> = dir
        .nddb(["export", "db", "--columns", "id"])
        .done()
        .lines()
        .into_iter()
        .map(|mut row| row["id"].take())
        .collect();
    ids.sort_by_key(Value::to_string);
    ids
}

/// A line of JSON.
fn line(id: impl Into<Value>, seed: u64) -> String {
    json!({"id": id.into(), "text": text(seed)}).to_string() + "\n"
}

fn read(dir: &Dir, name: &str) -> String {
    String::from_utf8(dir.read(name)).expect("text")
}

/// A folder with a database of the number 1 and the text "1", with these texts, loaded from two files.
fn with_both(number: u64, digits: u64) -> Dir {
    let dir = Dir::with_database();
    dir.write("a.jsonl", line(1, number).as_bytes());
    dir.write("b.jsonl", line("1", digits).as_bytes());
    dir.nddb(["load", "db", "a.jsonl", "b.jsonl"]).done();
    dir
}

#[test]
fn both_are_stored_and_found_however_they_are_loaded() {
    let both = || {
        let dir = Dir::with_database();
        dir.write("both.jsonl", lines(&[json!(1), json!("1")], 0).as_bytes());
        dir.nddb(["load", "db", "both.jsonl"]).done().says(&["2 documents stored (0 replaced)"]);
        dir
    };
    let later = || {
        let dir = Dir::with_database();
        dir.write("a.jsonl", line("1", 1).as_bytes());
        dir.write("b.jsonl", line(1, 0).as_bytes());
        dir.nddb(["load", "db", "a.jsonl"]).done();
        dir.nddb(["load", "db", "b.jsonl"]).done().says(&["1 document stored (0 replaced)"]);
        dir
    };
    let added = || {
        let dir = Dir::with_database();
        let ran = dir.nddb(["add", "db"]).stdin(lines(&[json!(1), json!("1")], 0)).done();
        assert_eq!(ran.lines().iter().map(|line| &line["id"]).collect::<Vec<_>>(), [&json!(1), &json!("1")]);
        assert!(ran.lines().iter().all(|line| line["verdict"] == "new"));
        dir
    };
    for dir in [both(), with_both(0, 1), later(), added()] {
        assert_eq!(exported(&dir), [json!("1"), json!(1)]);
        let digest = |id: &str| dir.nddb(["get", "db", id]).done().json();
        let (number, digits) = (digest(r"\#1"), digest(r#"\"1"#));
        assert_eq!((&number["id"], &digits["id"]), (&json!(1), &json!("1")));
        assert_ne!(number["digest"], digits["digest"]);
        for command in [&["get", "db", "1"][..], &["query", "db", "--id", "1"], &["show", "db", "1", r"\#1"]] {
            dir.nddb(command).tells(1, &AMBIGUOUS);
        }
        let asked = dir.nddb(["query", "db", "--id", r"\#1", r#"\"1"#]).done().lines();
        assert_eq!((&asked[0]["query"], &asked[1]["query"]), (&json!(1), &json!("1")));
        let tsv = dir.nddb(["export", "db", "--format", "tsv", "--columns", "id"]).done().stdout;
        assert!(tsv.contains("\\#1\n") && tsv.contains("\\\"1\n"), "{tsv}");
    }
}

#[test]
fn numbers_are_written_as_they_are_read() {
    let dir = Dir::with_database();
    let numbers = [json!(-5), json!(u64::MAX), json!(i64::MIN), json!(0)];
    dir.write("numbers.jsonl", lines(&numbers, 0).as_bytes());
    dir.nddb(["load", "db", "numbers.jsonl"]).done();
    let mut wanted = numbers.to_vec();
    wanted.sort_by_key(Value::to_string);
    assert_eq!(exported(&dir), wanted);
    for number in &numbers {
        let shown = number.to_string();
        for name in [format!("\\#{shown}"), shown.clone()] {
            assert_eq!(dir.nddb(["get", "db", "--", &name]).done().json()["id"], *number, "{name}");
        }
        dir.nddb(["get", "db", &format!("\\\"{shown}")]).ends(1);
    }
    // Alone, they are plain digits in lists.
    let mut tsv: Vec<String> = dir
        .nddb(["export", "db", "--format", "tsv", "--columns", "id"])
        .done()
        .stdout
        .lines()
        .map(str::to_owned)
        .collect();
    tsv.sort();
    assert_eq!(tsv, ["-5", "-9223372036854775808", "0", "18446744073709551615"]);
    // A fraction is no id, and neither is a number beyond 64 bits.
    dir.write("other.jsonl", b"{\"id\":1.5,\"text\":\"a\"}\n{\"id\":18446744073709551616,\"text\":\"a\"}\n");
    dir.nddb(["load", "db", "other.jsonl"]).ends(3).says(&["2 skipped (wrong_type: 2)"]);
}

#[test]
fn no_text_is_taken_for_a_number() {
    let dir = Dir::with_database();
    dir.write("forged.jsonl", line("\u{1}1", 0).as_bytes());
    dir.write("forged.csv", format!("id,text\n\u{1}1,{}\n", text(0)).as_bytes());
    dir.write("forged.tsv", b"\x011\t00000000000000ff\n");
    for name in ["forged.jsonl", "forged.csv", "forged.tsv"] {
        dir.nddb(["load", "db", name, "--skipped", "skipped.jsonl"]).ends(3).says(&["1 skipped (bad_id: 1)"]);
        assert!(read(&dir, "skipped.jsonl").contains("U+0001, the mark of numbers"));
    }
    dir.write("five.jsonl", line(5, 0).as_bytes());
    dir.nddb(["load", "db", "five.jsonl", "--id-prefix", "\u{1}"]).ends(3).says(&["1 skipped (bad_id: 1)"]);
    let said = dir.nddb(["add", "db"]).stdin(line("\u{1}1", 0)).ends(3).json();
    assert!(said["error"].as_str().is_some_and(|why| why.contains("U+0001")), "{said}");
    assert_eq!(exported(&dir), [] as [Value; 0]);
    // A prefix makes a text of a number.
    for (prefix, id) in [("a-", "a-5"), ("-", "-5"), ("1", "15")] {
        dir.nddb(["load", "db", "five.jsonl", "--again", "--id-prefix", prefix]).done();
        assert!(exported(&dir).contains(&json!(id)), "{id}");
    }
    // Columns of CSV files have no types.
    let dir = Dir::with_database();
    dir.write("texts.csv", format!("id,text\n7,{}\n", text(0)).as_bytes());
    dir.nddb(["load", "db", "texts.csv"]).done();
    assert_eq!(exported(&dir), [json!("7")]);
}

#[test]
fn a_deletion_is_never_a_guess() {
    let dir = with_both(0, 1);
    dir.write("plain.txt", b"1\n");
    dir.nddb(["rm", "db", "1"]).tells(1, &AMBIGUOUS);
    dir.nddb(["rm", "db", "other", "1", "--dry-run"]).tells(1, &AMBIGUOUS);
    dir.nddb(["rm", "db", "--ids-from", "plain.txt"]).tells(1, &AMBIGUOUS);
    assert_eq!(exported(&dir).len(), 2);
    dir.nddb(["rm", "db", r"\#1"]).done().says(&["1 document deleted"]);
    assert_eq!(exported(&dir), [json!("1")]);
    dir.nddb(["rm", "db", r"\#1"]).ends(1);
    dir.nddb(["rm", "db", "1"]).done().says(&["1 document deleted"]);
    assert_eq!(exported(&dir), [] as [Value; 0]);
    dir.nddb(["load", "db", "a.jsonl", "b.jsonl", "--again"]).done();
    dir.write("text.txt", b"\\\"1\n");
    dir.nddb(["rm", "db", "--ids-from", "text.txt"]).done().says(&["1 document deleted"]);
    assert_eq!(exported(&dir), [json!(1)]);
    dir.nddb(["rm", "db", "--ids-from", "plain.txt"]).done();
    assert_eq!(exported(&dir), [] as [Value; 0]);
    dir.write("wrong.txt", b"\\#x\n");
    dir.nddb(["rm", "db", "--ids-from", "wrong.txt"]).tells(1, &["line 1", r"\#17"]);
}

#[test]
fn pairs_and_clusters_name_both_kinds() {
    let dir = Dir::with_database();
    let dated = |id: Value, date: &str| json!({"id": id, "text": text(0), "date": date}).to_string() + "\n";
    dir.write("a.jsonl", dated(json!(1), "2024-01-01").as_bytes());
    dir.write("b.jsonl", dated(json!("1"), "2025-01-01").as_bytes());
    dir.nddb(["load", "db", "a.jsonl", "b.jsonl"]).done();
    let pair = |dir: &Dir| {
        let pair = dir.nddb(["pairs", "db", "--expand"]).done().json();
        [pair["a"].clone(), pair["b"].clone()]
    };
    assert_eq!(pair(&dir), [json!(1), json!("1")]);
    let tsv = dir.nddb(["pairs", "db", "--expand", "--format", "tsv"]).done().stdout;
    assert!(tsv.lines().nth(1).is_some_and(|line| line.starts_with("\\#1\t\\\"1\t")), "{tsv}");
    let group = dir.nddb(["pairs", "db"]).done().json();
    assert_eq!((&group["founder"], &group["members"]), (&json!(1), &json!([1, "1"])));
    dir.nddb(["cluster", "db", "-o", "c"]).done();
    let cluster: Value = serde_json::from_str(&read(&dir, "c/clusters.jsonl")).expect("one line");
    assert_eq!((&cluster["cluster"], &cluster["kept"], &cluster["members"]), (&json!(1), &json!(1), &json!([1, "1"])));
    assert_eq!((&*read(&dir, "c/keep.txt"), &*read(&dir, "c/remove.txt")), ("\\#1\n", "\\\"1\n"));
    let (table, place) = (read(&dir, "c/remove.tsv"), format!("\t2\t0\t0\t{}\n", dir.path("b.jsonl").display()));
    assert!(table.contains("\n\\\"1\t\\#1\t") && table.ends_with(&place), "{table}");
    let table = read(&dir, "c/clusters.tsv");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split('\t').take(3).collect()).collect();
    assert_eq!(rows[1..], [["\\#1", "\\#1", "keep"], ["\\#1", "\\\"1", "remove"]]);
    // The lists of an earlier run name the same documents.
    dir.nddb(["cluster", "db", "--keep", "newest", "-o", "d", "--previous", "c"]).done();
    assert_eq!((&*read(&dir, "d/keep.txt"), &*read(&dir, "d/flipped.txt")), ("\\\"1\n", "\\#1\n"));
    // Of one of them alone the digits are enough, and beside both they are an error.
    dir.nddb(["rm", "db", "--ids-from", "c/remove.txt"]).done();
    assert_eq!(exported(&dir), [json!(1)]);
    dir.nddb(["compact", "db", "--all"]).done();
    dir.nddb(["cluster", "db", "-o", "e"]).done();
    assert_eq!(read(&dir, "e/keep.txt"), "1\n");
    dir.nddb(["load", "db", "b.jsonl", "--again"]).done();
    dir.nddb(["cluster", "db", "-o", "f", "--previous", "e"]).ends(1).says(&[&AMBIGUOUS[..], &["e/keep.txt"]].concat());
    assert!(!dir.path("f").exists(), "nothing was written");
    let asked = dir.nddb(["query", "db", "--id", r#"\"1"#]).done().json();
    assert_eq!((&asked["query"], &asked["matches"][0]["id"]), (&json!("1"), &json!(1)));
    let said = dir.nddb(["add", "db", "--if-new"]).stdin(line(2, 0)).done().json();
    assert_eq!((&said["id"], &said["of"]), (&json!(2), &json!(1)));
}

#[test]
fn filter_removes_the_row_of_the_right_kind() {
    // The texts of the number, of the text "1", and of another document that is older; what is removed.
    for (seeds, removed) in
        [([0, 1, 0], json!(1)), ([0, 1, 1], json!("1")), ([0, 0, 2], json!("1")), ([0, 1, 2], json!(null))]
    {
        let [number, digits, older] = seeds;
        let dir = Dir::with_database();
        dir.write("old.jsonl", line("old", older).as_bytes());
        let rows = [line(1, number), line("1", digits)];
        dir.write("both.jsonl", rows.concat().as_bytes());
        dir.write("number.jsonl", rows[0].as_bytes());
        dir.write("text.jsonl", rows[1].as_bytes());
        dir.nddb(["load", "db", "old.jsonl"]).done();
        dir.nddb(["load", "db", "both.jsonl"]).done();
        dir.nddb(["cluster", "db", "-o", "c"]).done();
        let kept: Vec<&str> =
            rows.iter().filter(|row| !row.contains(&format!("\"id\":{removed},"))).map(|row| &**row).collect();
        for is_deleted in [false, true] {
            if is_deleted && !removed.is_null() {
                dir.nddb(["rm", "db", "--ids-from", "c/remove.txt"]).done();
                dir.nddb(["compact", "db", "--all"]).done();
            }
            // The file that was loaded, and files that were not.
            dir.write("copy.jsonl", (line("new", 9) + &rows.concat()).as_bytes());
            dir.nddb(["filter", "db", "both.jsonl", "--clusters", "c", "-o", "out.jsonl"]).done();
            assert_eq!(read(&dir, "out.jsonl"), kept.concat(), "{seeds:?}");
            dir.nddb(["filter", "db", "copy.jsonl", "--clusters", "c", "-o", "out.jsonl"]).done();
            assert_eq!(read(&dir, "out.jsonl"), line("new", 9) + &kept.concat(), "{seeds:?}");
            for (name, row) in [("number.jsonl", &rows[0]), ("text.jsonl", &rows[1])] {
                dir.nddb(["filter", "db", name, "--clusters", "c", "-o", "out.jsonl"]).done();
                let wanted = if kept.contains(&&**row) { row } else { "" };
                assert_eq!(read(&dir, "out.jsonl"), wanted, "{seeds:?}, {name}");
            }
        }
        let with = ["--with", "cluster_id"];
        dir.nddb([&["filter", "db", "both.jsonl", "--clusters", "c", "-o", "out.jsonl"], &with[..]].concat()).done();
    }
    // Fields that are added are typed, and a list of digits is refused where both are stored.
    let dir = with_both(0, 0);
    dir.nddb(["cluster", "db", "-o", "c"]).done();
    dir.nddb(["filter", "db", "a.jsonl", "--clusters", "c", "-o", "out.jsonl", "--with", "cluster_id"]).done();
    assert!(read(&dir, "out.jsonl").contains("\"cluster_id\":1}"));
    dir.write("plain.txt", b"1\n");
    let ran = dir.nddb(["filter", "db", "a.jsonl", "--remove", "plain.txt", "-o", "out.jsonl"]).ends(1);
    ran.says(&[&AMBIGUOUS[..], &["plain.txt"]].concat());
}

#[test]
fn ranges_of_fingerprints_have_numbers_or_texts() {
    let dir = Dir::with_database();
    let prints = prints(5_000);
    dir.write_prints("texts.u64le", &prints);
    let lines: String =
        prints.iter().enumerate().map(|(id, fp)| format!("{{\"id\":{id},\"fp\":\"{fp:016x}\"}}\n")).collect();
    dir.write("numbers.jsonl", lines.as_bytes());
    dir.nddb(["load", "db", "numbers.jsonl"]).done();
    let tsv = |dir: &Dir| dir.nddb(["export", "db", "--format", "tsv", "--columns", "id,number"]).done().stdout;
    assert!(tsv(&dir).starts_with("0\t0\n1\t1\n"));
    dir.nddb(["load", "db", "texts.u64le"]).done().says(&["5,000 documents stored (0 replaced)"]);
    dir.nddb(["check", "db"]).done();
    assert!(tsv(&dir).starts_with("\\#0\t0\n") && tsv(&dir).ends_with("\\\"4999\t9999\n"));
    let number = |id: &str| dir.nddb(["get", "db", id]).done().json()["number"].clone();
    assert_eq!((number(r"\#17"), number(r#"\"17"#)), (json!(17), json!(5_017)));
    dir.write_prints("asked.u64le", &prints[17..18]);
    let near = dir.nddb(["query", "db", "--fp-file", "asked.u64le", "-k", "0", "--format", "tsv"]).done().stdout;
    let fp = format!("{:016x}", prints[17]);
    assert_eq!(near, format!("0\t{fp}\t0\t\\#17\n0\t{fp}\t0\t\\\"17\n"));
    let answer = dir.nddb(["query", "db", "--fp", &fp, "-k", "0"]).done().json();
    assert_eq!((&answer["matches"][0]["id"], &answer["matches"][1]["id"]), (&json!(17), &json!("17")));
}

#[test]
fn labels_name_both_kinds() {
    let dir = Dir::new();
    dir.write("docs.jsonl", (lines(&[json!(1), json!("1")], 0) + &line(2, 0)).as_bytes());
    let eval = |labels: &str| {
        dir.write("pairs.tsv", format!("id1\tid2\tlabel\n{labels}").as_bytes());
        dir.nddb([
            "eval",
            "--docs",
            "docs.jsonl",
            "--pairs",
            "pairs.tsv",
            "--methods",
            "model",
            "--json",
            "--review",
            "review.tsv",
        ])
    };
    let figures = eval("\\#1\t2\t1\n\\\"1\t\\#2\t0\n").done().json();
    assert_eq!(
        (&figures["precision"], &figures["recall"], &figures["unknown_ids"]),
        (&json!(1.0), &json!(1.0), &json!(0))
    );
    eval("1\t2\t1\n").ends(1).says(&AMBIGUOUS);
    eval("2\t\\\"1\t0\n").done();
    let review = read(&dir, "review.tsv");
    assert!(review.lines().nth(1).is_some_and(|line| line.starts_with("\\#1\t2\t")), "{review}");
}

#[cfg(feature = "parquet")]
#[test]
fn columns_of_integers_are_numbers() {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, UInt64Array};
    use parquet::arrow::ArrowWriter;

    let parquet = |ids: ArrayRef, texts: &[String]| {
        let texts: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
        let batch = RecordBatch::try_from_iter([("id", ids), ("text", texts)]).expect("columns of one length");
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).expect("a schema");
        writer.write(&batch).expect("memory is writable");
        writer.into_inner().expect("memory is writable")
    };
    let dir = Dir::with_database();
    dir.write("signed.parquet", &parquet(Arc::new(Int64Array::from(vec![1, -2])), &[text(0), text(1)]));
    dir.write("unsigned.parquet", &parquet(Arc::new(UInt64Array::from(vec![u64::MAX, 1])), &[text(2), text(0)]));
    dir.write("texts.parquet", &parquet(Arc::new(StringArray::from(vec!["1", "\u{1}2"])), &[text(3), text(4)]));
    dir.write("lines.jsonl", line(1, 0).as_bytes());
    dir.nddb(["load", "db", "signed.parquet"]).done();
    dir.nddb(["load", "db", "lines.jsonl"]).done().says(&["1 unchanged"]);
    dir.nddb(["load", "db", "unsigned.parquet"]).done().says(&["1 document stored", "1 unchanged"]);
    dir.nddb(["load", "db", "texts.parquet"]).ends(3).says(&["1 document stored (0 replaced)", "bad_id: 1"]);
    assert_eq!(exported(&dir), [json!("1"), json!(-2), json!(1), json!(u64::MAX)]);
    // A table of integers is filtered by numbers.
    dir.write("remove.txt", b"\\#1\n");
    dir.nddb(["filter", "db", "signed.parquet", "texts.parquet", "--remove", "remove.txt", "-o", "out/", "--json"])
        .done();
    let left = Dir::with_database();
    for name in ["signed.parquet", "texts.parquet"] {
        left.write(name, &dir.read(&format!("out/{name}")));
        left.nddb(["load", "db", name]).run();
    }
    assert_eq!(exported(&left), [json!("1"), json!(-2)]);
}
