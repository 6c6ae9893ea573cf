//! `nddb frames`, and pairs and clusters without the frame of sites.

use std::path::Path;

use serde_json::Value;

use crate::helper::{Dir, keys};

/// Text of so many words, unlike that of other seeds.
fn text(seed: usize, words: usize) -> String {
    let word = |index: usize| format!("w{} ", (seed * 7919 + index * (2 * seed + 31)) % 49_999);
    (0..words).map(word).collect()
}

/// A site of ten pages of one template with much text, and of copies of two of these; and a site of three pages, on
/// which nothing is frame.
fn pages() -> Vec<(String, String)> {
    let page = |own: usize, edit: &str| {
        let frame = |part: usize| format!("<h2>Part</h2><p>{}.</p>", text(100 + part, 150));
        let frame: String = (0..4).map(frame).collect();
        format!("<title>Site</title><main><h1>Site</h1><p>{}{edit}.</p>{frame}</main>", text(own, 25))
    };
    let mut pages: Vec<(String, String)> =
        (0..10).map(|own| (format!("http://www.site.example/{own}"), page(own, ""))).collect();
    pages.push(("http://site.example/copy-of-3".into(), page(3, "edited")));
    pages.push(("http://site.example/copy-of-4".into(), page(4, "edited")));
    let other = |own: usize| (format!("http://other.example/{own}"), page(own, "elsewhere"));
    pages.extend((20..23).map(other));
    pages
}

/// A database of these pages.
fn dir() -> Dir {
    let dir = Dir::with_database();
    let pages = pages();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(url, html)| (url.as_str(), html.as_str())).collect();
    dir.write_warc("pages.warc.gz", &pages);
    dir.nddb(["load", "db", "pages.warc.gz"]).done();
    dir
}

/// The ids of the pairs of an output, without what all have in common.
fn ids(lines: &[Value]) -> Vec<(String, String)> {
    let id = |value: &Value| value.as_str().expect("an id").rsplit('/').next().unwrap_or_default().to_owned();
    lines.iter().map(|line| (id(&line["a"]), id(&line["b"]))).collect()
}

#[test]
fn pages_of_one_template_are_parted_and_copies_stay() {
    let dir = dir();
    let ran = dir.nddb(["frames", "db", "-o", "db.frames"]).done();
    ran.says(&["15 pages of 2 sites read, 0 not readable: 6 blocks of frame, on 1 site"]);
    assert_eq!(ran.stdout, "");
    let pairs = ["pairs", "db", "--expand"];
    let before = dir.nddb(pairs).done().lines();
    assert_eq!(before.len(), 15 * 14 / 2, "all pages are alike");
    let framed = [&pairs[..], &["--frames", "db.frames"]].concat();
    let after = dir.nddb(&framed).done().lines();
    // On the other site, of three pages, nothing is frame.
    let of_other = [("20", "21"), ("20", "22"), ("21", "22")];
    let copies = [("copy-of-3", "3"), ("copy-of-4", "4")];
    let expected = of_other.into_iter().chain(copies);
    assert_eq!(ids(&after), expected.map(|(a, b)| (a.to_owned(), b.to_owned())).collect::<Vec<_>>());
    assert!(after.iter().all(|pair| pair["verdict"] == "model; frames"), "{after:?}");
    let of = |lines: &[Value], ids: (&str, &str)| {
        let pair = self::ids(lines).iter().position(|(a, b)| (a.as_str(), b.as_str()) == ids).expect("a pair");
        lines[pair]["probability"].as_f64().expect("a probability")
    };
    assert!(of(&after, copies[0]) < of(&before, copies[0]), "an edited word weighs more where there are fewer");
    assert_eq!(of(&after, of_other[0]), of(&before, of_other[0]));
    // The probability without frame is compared with the threshold, too.
    let strict = ["--min-probability", "0.955"];
    assert_eq!(ids(&dir.nddb(framed.iter().chain(&strict)).done().lines()), ids(&after[3..]));

    dir.nddb(["cluster", "db", "--frames", "db.frames", "-o", "out"]).done();
    let removed = String::from_utf8(dir.read("out/remove.txt")).expect("text");
    let removed: Vec<&str> = removed.lines().filter_map(|id| id.rsplit('/').next()).collect();
    // The page that was stored first is kept.
    assert_eq!(removed, ["21", "22", "copy-of-3", "copy-of-4"]);
    let summary: Value = serde_json::from_slice(&dir.read("out/summary.json")).expect("JSON");
    assert_eq!(summary["pairs"]["texts"]["frames"], 6, "{summary}");

    // What tells of the removals tells of these.
    let removals = |options: &[&str]| {
        let audit = dir.nddb([&["audit", "db", "--json", "-o", options[0]], &options[1..]].concat()).done().json();
        let report = dir.nddb([&["report", "db", "--json", "--sample", "0"], &options[1..]].concat()).done().json();
        assert_eq!(audit["removals"], report["removals"]["removed"], "{report}");
        audit["removals"].as_u64().expect("a number")
    };
    assert_eq!(removals(&["framed.html", "--frames", "db.frames"]), 4);
    assert!(removals(&["plain.html"]) > 4);
    dir.nddb(["audit", "--score", "labels.tsv", "--frames", "db.frames"]).tells(2, &["cannot be used with"]);
}

#[test]
fn a_table_is_written_once_and_says_what_is_in_it() {
    let dir = dir();
    let summary = dir.nddb(["frames", "db", "-o", "db.frames", "--json"]).done().json();
    let expected =
        ["recipe", "sites", "pages", "unread", "left_out", "blocks", "framed_sites", "seconds", "cpu_seconds"];
    assert_eq!(keys(&summary), expected);
    assert_eq!((&summary["recipe"], &summary["pages"], &summary["blocks"]), (&"main/3".into(), &15.into(), &6.into()));
    dir.nddb(["frames", "db", "-o", "db.frames"]).tells(1, &["db.frames: exists already", "choose another path"]);
    dir.nddb(["frames", "db", "-o", "no/db.frames"]).tells(1, &["no/db.frames"]);
    // The same pages make the same table, in whatever order they come.
    let mut pages = pages();
    pages.reverse();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(url, html)| (url.as_str(), html.as_str())).collect();
    dir.write_warc("again.warc", &pages);
    dir.nddb(["create", "again"]).done();
    dir.nddb(["load", "again", "again.warc"]).done();
    dir.nddb(["frames", "again", "-o", "again.frames"]).done();
    assert_eq!(dir.read("again.frames"), dir.read("db.frames"));

    let shown = dir.nddb(["segment", "db.frames"]).done().stdout;
    assert!(shown.contains("frame table") && shown.contains("main/3"), "{shown}");
    let ours = dir.nddb(["segment", "db.frames", "--json"]).done().json();
    assert_eq!((&ours["count"], ours["entries"].as_array().map(Vec::len)), (&6.into(), Some(6)));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/spec_reader.py");
    let Some(mut python) = nddb_test_support::python("the reader in Python") else { return };
    let theirs = python.arg(script).arg(dir.path("db.frames")).output().expect("it runs");
    assert!(theirs.status.success(), "{}", String::from_utf8_lossy(&theirs.stderr));
    assert_eq!(serde_json::from_slice::<Value>(&theirs.stdout).expect("JSON"), ours);
}

#[test]
fn what_cannot_be_read_is_counted_and_pairs_stay() {
    let dir = dir();
    dir.nddb(["frames", "db", "-o", "db.frames"]).done();
    let expand = ["pairs", "db", "--expand"];
    let before = dir.nddb(expand).done().lines();
    std::fs::remove_file(dir.path("pages.warc.gz")).expect("it is there");
    let ran = dir.nddb(["frames", "db", "-o", "none.frames"]).ends(3);
    ran.says(&["in an archive that is not where it was", "0 pages of 0 sites read, 15 not readable: 0 blocks"]);
    let ran = dir.nddb([&expand[..], &["--frames", "db.frames"]].concat()).ends(3);
    ran.says(&["texts that could not be read", "105 pairs not verified"]);
    assert_eq!(ids(&ran.lines()), ids(&before));
    assert!(ran.lines().iter().all(|pair| pair["verdict"] == "model; frames: text not read"));
    dir.nddb(["cluster", "db", "--frames", "db.frames", "-o", "out"]).ends(3);
    assert_eq!(dir.read("out/remove.txt"), b"");
}

#[test]
fn tables_that_are_damaged_foreign_or_of_another_recipe_are_refused() {
    let dir = dir();
    dir.nddb(["frames", "db", "-o", "db.frames"]).done();
    let bytes = dir.read("db.frames");
    let pairs = ["pairs", "db", "--frames", "bad.frames"];
    let next = "'nddb frames DB -o FILE'";
    for length in [0, 4, 20, 28, bytes.len() - 1] {
        dir.write("bad.frames", &bytes[..length]);
        dir.nddb(pairs).tells(13, &["bad.frames: frame table is cut off", next]);
    }
    for offset in [11, 13, 17, 25, 40, bytes.len() - 1] {
        let mut bad = bytes.clone();
        bad[offset] ^= 1;
        dir.write("bad.frames", &bad);
        dir.nddb(pairs).tells(if offset == 11 { 12 } else { 13 }, &["bad.frames: ", next]);
    }
    dir.write("bad.frames", b"id\turl\tsite\n");
    dir.nddb(pairs).tells(1, &["bad.frames: not a frame table", next]);
    dir.nddb(["pairs", "db", "--frames", "none"]).tells(1, &["none: cannot be read"]);
    dir.nddb(["pairs", "db", "--frames", "db"]).tells(1, &["db: cannot be read"]);

    dir.nddb(["create", "pieces", "--pieces"]).done();
    let other = "the frame table is of the recipe 'main/3', and the database of 'main-c/3'";
    dir.nddb(["pairs", "pieces", "--frames", "db.frames"]).tells(12, &[other, "make a table of this database"]);
    dir.nddb(["cluster", "pieces", "--frames", "db.frames"]).tells(12, &[other]);
    dir.nddb(["create", "web", "--recipe", "web"]).done();
    dir.nddb(["frames", "web", "-o", "web.frames"]).tells(12, &["recipe 'web/1'", "main/3"]);
    assert!(!dir.path("web.frames").exists() && !dir.path("web.frames.part").exists());
    for command in ["pairs", "cluster"] {
        let other = dir.nddb([command, "db", "--frames", "db.frames", "--method", "b"]);
        other.tells(2, &["--frames is an option of model, and the method is b"]);
        dir.nddb([command, "db", "--frames", "db.frames", "--verify", "auto"]).tells(2, &["--frames and --verify"]);
    }
}
