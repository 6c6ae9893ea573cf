//! `sources`: where the texts of documents are read again.

use serde_json::json;

use crate::helper::Dir;

const PAGES: [(&str, &str); 2] =
    [("http://example.org/1", "<p>some words of a page"), ("http://example.org/2", "<p>some words of a page")];

/// Ids of the documents of a database.
fn ids(dir: &Dir) -> Vec<String> {
    let lines = dir.nddb(["export", "db", "--columns", "id"]).done().lines();
    lines.iter().map(|line| line["id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn texts_are_found_from_any_folder_and_after_archives_were_moved() {
    let dir = Dir::with_database();
    std::fs::create_dir_all(dir.path("new/deep")).expect("writable");
    dir.write_warc("new/a.warc.gz", &PAGES);
    dir.write_warc("new/deep/b.warc", &[("http://example.org/3", "<p>other words")]);
    dir.write("new/c.jsonl", b"{\"id\":\"c\",\"text\":\"words of a line\"}\n");
    dir.nddb(["load", "db", "new"]).done();
    let ids = ids(&dir);
    let texts = || dir.nddb(["show", "db", &ids[0], &ids[1]]).done().says(&[]);
    texts();
    // From another folder.
    let elsewhere = Dir::new();
    let db = dir.path("db");
    let shown =
        elsewhere.nddb([db.as_os_str(), "show".as_ref()].into_iter().rev().chain([ids[0].as_ref(), ids[1].as_ref()]));
    shown.done();

    std::fs::rename(dir.path("new"), dir.path("old")).expect("movable");
    dir.nddb(["show", "db", &ids[0], &ids[1]]).tells(1, &["cannot be read", "hint: 'nddb sources'"]);
    let report = || dir.nddb(["report", "db", "-o", "report.html"]).done();
    report().says(&["texts could not be read, and the report lacks them: 2 documents", "hint: 'nddb sources'"]);
    let page = String::from_utf8(dir.read("report.html")).expect("text");
    let first = |part: &str| page.find(part).expect("a part");
    assert!(first("texts could not be read") < first("By site and folder"));
    let listed = |state: &str| {
        let lines = dir.nddb(["sources", "ls", "db", "--json"]).done().lines();
        lines.iter().filter(|line| line["state"] == state).count()
    };
    assert_eq!((listed("missing"), listed("found")), (3, 0));
    dir.nddb(["sources", "move", "db", "new", "old", "--dry-run"]).tells(0, &["3 archives would be moved", "0 left"]);
    assert_eq!(listed("missing"), 3);
    let moved = dir.nddb(["sources", "move", "db", "new", "old", "--json"]).done();
    assert_eq!(moved.json(), json!({"moved": 3, "left": 0, "dry_run": false}));
    assert_eq!(listed("found"), 3);
    texts();
    assert!(!report().stderr.contains("could not be read"));
    dir.nddb(["check", "db"]).done();
    // They are still known as loaded.
    dir.write("old/d.jsonl", b"{\"id\":\"d\",\"text\":\"words of another line\"}\n");
    dir.nddb(["load", "db", "old"]).done().says(&["1 document stored"]);
    // A single file.
    std::fs::rename(dir.path("old/d.jsonl"), dir.path("e.jsonl")).expect("movable");
    dir.nddb(["sources", "move", "db", "old/d.jsonl", "e.jsonl"]).tells(0, &["1 archive moved"]);
    let table = dir.nddb(["sources", "ls", "db"]).done().stdout;
    assert!(table.contains("e.jsonl") && table.starts_with("documents"), "{table}");
}

#[test]
fn archives_that_are_not_there_keep_their_paths() {
    let dir = Dir::with_database();
    std::fs::create_dir_all(dir.path("new")).expect("writable");
    for name in ["a", "b", "c"] {
        dir.write(
            &format!("new/{name}.jsonl"),
            format!("{{\"id\":\"{name}\",\"text\":\"words {name}\"}}\n").as_bytes(),
        );
    }
    dir.nddb(["load", "db", "new"]).done();
    std::fs::rename(dir.path("new"), dir.path("old")).expect("movable");
    std::fs::remove_file(dir.path("old/b.jsonl")).expect("there");
    dir.write("old/c.jsonl", b"{\"id\":\"c\",\"text\":\"edited\"}\n");
    dir.nddb(["sources", "move", "db", "new", "old"])
        .tells(3, &["b.jsonl: not found, left as it is", "c.jsonl: another file", "1 archive moved", "2 left"]);
    dir.nddb(["sources", "move", "db", "new", "nowhere"]).tells(1, &["0 archives moved", "2 left"]);
    dir.nddb(["sources", "move", "db", "other", "old"]).tells(1, &["no document was loaded from there"]);
    dir.nddb(["sources", "move", "db", "other"]).ends(2);
    dir.nddb(["sources", "ls", "none"]).ends(10);
}
