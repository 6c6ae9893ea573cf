//! `against`, and `query --docs`: documents that are not stored.

use serde_json::{Value, json};

use crate::helper::{Dir, ids};

/// A text of so many words; texts of one seed are alike.
fn text(seed: usize, words: usize) -> String {
    (0..words).map(|word| format!("word{} ", (word * word + word * (seed + 3)) % 9973)).collect()
}

fn lines(documents: &[(&str, String)]) -> String {
    documents.iter().map(|(id, text)| format!("{}\n", json!({"id": id, "text": text}))).collect()
}

/// A database of three texts, and a file of four documents, of which two are near to them.
fn prepared() -> Dir {
    let dir = Dir::new();
    dir.nddb(["create", "crawl.nddb"]).done();
    let stored: Vec<_> = [("one", 1), ("two", 2), ("three", 3)].map(|(id, seed)| (id, text(seed, 200))).into();
    dir.write("stored.jsonl", lines(&stored).as_bytes());
    dir.nddb(["load", "crawl.nddb", "stored.jsonl"]).done();
    let given = [
        ("new", text(7, 200)),
        ("copy of two", text(2, 200)),
        ("like three", text(3, 200).replacen("word3 ", "other ", 1) + "and an end"),
        ("newer", text(8, 200)),
    ];
    dir.write("given.jsonl", lines(&given).as_bytes());
    dir
}

fn of(lines: &[Value]) -> Vec<(&str, Vec<&str>)> {
    lines.iter().map(|line| (line["query"].as_str().expect("an id"), ids(line))).collect()
}

#[test]
fn documents_of_files_and_databases_that_are_near_to_others_are_listed() {
    let dir = prepared();
    let expected = [("copy of two", vec!["two"]), ("like three", vec!["three"])];
    let ran = dir.nddb(["against", "given.jsonl", "crawl.nddb", "--list", "near.txt"]).done();
    assert_eq!(of(&ran.lines()), expected);
    ran.says(&["2 of 4 documents of given.jsonl near"]);
    assert_eq!(dir.read("near.txt"), b"copy of two\nlike three\n");
    // The same of a database against files, of two databases, and of files against files.
    dir.nddb(["create", "given.nddb"]).done();
    dir.nddb(["load", "given.nddb", "given.jsonl"]).done();
    for (a, b) in [("given.nddb", "stored.jsonl"), ("given.nddb", "crawl.nddb"), ("given.jsonl", "stored.jsonl")] {
        assert_eq!(of(&dir.nddb(["against", a, b]).done().lines()), expected, "{a} {b}");
    }
    let turned = dir.nddb(["against", "crawl.nddb", "given.nddb", "-o", "out.jsonl", "--json"]).done().json();
    assert_eq!((&turned["documents"], &turned["near"], &turned["matches"]), (&json!(3), &json!(2), &json!(2)));
    // Nothing was stored.
    assert_eq!(dir.nddb(["stats", "crawl.nddb", "--json"]).done().json()["documents"], 3);
}

#[test]
fn several_collections_are_one_and_each_match_names_its_own() {
    let dir = prepared();
    dir.nddb(["create", "second.nddb"]).done();
    dir.write("second.jsonl", lines(&[("two again", text(2, 200))]).as_bytes());
    dir.nddb(["load", "second.nddb", "second.jsonl"]).done();
    dir.write("third.jsonl", lines(&[("two for good", text(2, 200))]).as_bytes());
    let found = dir.nddb(["against", "given.jsonl", "crawl.nddb", "third.jsonl", "second.nddb"]).done().lines();
    let places: Vec<_> = found[0]["matches"].as_array().expect("matches").iter().map(|one| &one["db"]).collect();
    assert_eq!(places, ["crawl.nddb", "second.nddb", "third.jsonl"]);
}

#[test]
fn texts_are_read_again_where_the_method_asks_for_them() {
    let dir = prepared();
    let found = dir.nddb(["against", "given.jsonl", "crawl.nddb", "--verify", "lcs", "--why"]).done().lines();
    assert_eq!(of(&found).len(), 2);
    let one = &found[1]["matches"][0];
    assert!(one["lcs"].as_f64().is_some_and(|share| share > 0.9), "{one}");
    assert!(one["why"]["terms"]["edits"].as_array().is_some_and(|edits| !edits.is_empty()), "{one}");
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let dir = prepared();
    dir.nddb(["create", "other.nddb", "--recipe", "web"]).done();
    dir.nddb(["against", "other.nddb", "crawl.nddb"]).tells(12, &["other.nddb: its fingerprints are of recipe web"]);
    dir.nddb(["against", "none.jsonl", "crawl.nddb"]).tells(1, &["none.jsonl"]);
    dir.write("broken.jsonl", b"{\"id\":\"a\",\"text\":\"some words here\"}\n{\"id\":\"b\"}\n");
    dir.nddb(["against", "broken.jsonl", "crawl.nddb"]).tells(3, &["1 document, 1 skipped", "0 of 1 document"]);
}

/// A number and a text of the same digits.
#[test]
fn ids_keep_their_kinds() {
    let dir = prepared();
    let [two, three] = [text(2, 200), text(3, 200)];
    dir.write(
        "kinds.jsonl",
        format!("{}\n{}\n", json!({"id": 1, "text": two}), json!({"id": "1", "text": three})).as_bytes(),
    );
    let found = dir.nddb(["against", "kinds.jsonl", "crawl.nddb", "--list", "near.txt"]).done().lines();
    assert_eq!((&found[0]["query"], ids(&found[0])), (&json!(1), vec!["two"]));
    assert_eq!((&found[1]["query"], ids(&found[1])), (&json!("1"), vec!["three"]));
    assert_eq!(dir.read("near.txt"), b"\\#1\n\\\"1\n");
}

#[test]
fn documents_are_asked_for_without_being_stored() {
    let dir = prepared();
    let expected = [("new", vec![]), ("copy of two", vec!["two"]), ("like three", vec!["three"]), ("newer", vec![])];
    for option in ["--docs", "--jsonl"] {
        let answers = dir.nddb(["query", "crawl.nddb", option, "given.jsonl"]).done().lines();
        assert_eq!(of(&answers), expected);
    }
    let bare = dir.nddb(["query", "crawl.nddb", "--docs", "given.jsonl", "-k", "0"]).done().lines();
    assert_eq!(bare.iter().map(ids).collect::<Vec<_>>(), [vec![], vec!["two"], vec![], vec![]]);
    dir.nddb(["query", "crawl.nddb", "--docs", "given.jsonl", "--all"]).ends(2);
    dir.nddb(["query", "crawl.nddb", "--docs", "given.jsonl", "crawl.nddb"]).tells(2, &["one database, or files"]);
    assert_eq!(dir.nddb(["stats", "crawl.nddb", "--json"]).done().json()["documents"], 3);
}
