//! Ids that stand for several documents: told by `load`, with ways out, and never followed by `filter`.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::helper::Dir;

/// A text of words that depend on the seed.
fn text(seed: u64) -> String {
    (0..60).fold(String::new(), |mut text, word| {
        write!(text, "w{} ", (word * 7 + seed * 7919) % 10_007).expect("memory is writable");
        text
    })
}

fn lines(ids: &[Value], first: u64) -> String {
    (first..).zip(ids).map(|(seed, id)| json!({"id": id, "text": text(seed)}).to_string() + "\n").collect()
}

fn ids(dir: &Dir) -> Vec<String> {
    let all = dir.nddb(["export", "db", "--columns", "id"]).done().lines();
    all.iter().map(|row| row["id"].as_str().expect("an id").to_owned()).collect()
}

/// Two files whose ids begin at 0 each.
fn two_files() -> Dir {
    let dir = Dir::with_database();
    let numbers: Vec<Value> = (0..4).map(Value::from).collect();
    dir.write("a.jsonl", lines(&numbers, 0).as_bytes());
    dir.write("b.jsonl", lines(&numbers, 100).as_bytes());
    dir
}

#[test]
fn ids_that_come_again_are_told_with_the_file_and_the_ways_out() {
    let dir = two_files();
    let ran = dir.nddb(["load", "db", "a.jsonl", "b.jsonl", "--json"]).done();
    ran.says(&["4 documents (0 replaced, 0 unchanged)", "; 4 ids came again, first \"0\" in b.jsonl: the last"]);
    ran.says(&["hint: ", "--id path", "--id row", "--id-field", "--id-prefix"]);
    assert_eq!((&ran.json()["repeated"], &ran.json()["repeat"]["file"]), (&json!(4), &json!("b.jsonl")));
    let ran = dir.nddb(["load", "db", "a.jsonl", "--again"]).done();
    ran.says(&["4 documents (4 replaced"]);
    assert!(!ran.stderr.contains("came again"), "ids of an earlier load: {}", ran.stderr);
    // A number is the id of its digits.
    let dir = Dir::with_database();
    dir.write("mixed.jsonl", lines(&[json!(1), json!("x"), json!("1")], 0).as_bytes());
    dir.nddb(["load", "db", "mixed.jsonl"]).done().says(&["; 1 id came again, first \"1\" in mixed.jsonl"]);
    // Records of archives, too.
    let pages = [text(1), text(2)];
    dir.write_warc("one.warc", &[("urn:x", &pages[0]), ("urn:x", &pages[1])]);
    dir.nddb(["load", "db", "one.warc"]).done().says(&["; 1 id came again, first \"urn:x\" in one.warc"]);
}

#[test]
fn ids_can_be_places_or_have_a_prefix() {
    let dir = two_files();
    let load = |args: &[&str]| {
        dir.nddb(["rm", "db", "--all", "--yes"].iter()).run();
        dir.nddb([&["load", "db", "--again"], args].concat()).done()
    };
    let ran = load(&["a.jsonl", "b.jsonl", "--id", "row", "--id-prefix", "p/"]);
    assert!(!ran.stderr.contains("came again"), "{}", ran.stderr);
    let row = |name: &str| (0..4).map(|row| format!("{name}:{row}")).collect::<Vec<_>>();
    assert_eq!(ids(&dir), [row("p/a.jsonl"), row("p/b.jsonl")].concat());

    let dir = Dir::with_database();
    for folder in ["x", "y"] {
        std::fs::create_dir(dir.path(folder)).expect("a folder");
        dir.write(
            &format!("{folder}/no-ids.jsonl"),
            format!("{}\n", json!({"text": text(folder.len() as u64)})).as_bytes(),
        );
        dir.write(&format!("{folder}/page.html"), text(7).as_bytes());
    }
    dir.nddb(["load", "db", "x", "y", "--id", "path"]).done();
    assert_eq!(ids(&dir), ["x/no-ids.jsonl:0", "x/page.html", "y/no-ids.jsonl:0", "y/page.html"]);
    // The text is found again without an id.
    dir.nddb(["cluster", "db", "--method", "lcs", "-o", "c"]).done();
}

#[test]
fn pages_of_several_folders_have_their_folder_in_their_ids() {
    let dir = Dir::with_database();
    for folder in ["a", "b"] {
        std::fs::create_dir(dir.path(folder)).expect("a folder");
        dir.write(&format!("{folder}/index.html"), text(folder.as_bytes()[0].into()).as_bytes());
    }
    dir.nddb(["load", "db", "a/", "b"]).done().says(&["2 documents (0 replaced"]);
    assert_eq!(ids(&dir), ["a/index.html", "b/index.html"]);
}
