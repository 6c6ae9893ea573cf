//! `fp`, and queries by page.

use serde_json::json;

use crate::helper::{Dir, keys};

const TEXT: &str = "The quick brown fox jumps over the lazy dog, again and again.";

#[test]
fn a_page_is_found_by_its_text_and_by_its_markup() {
    let dir = Dir::with_database();
    let line = json!({"id": "fox", "text": TEXT}).to_string();
    let fp = dir.nddb(["add", "db"]).stdin(line).done().json()["fp"].clone();
    dir.write("fox.txt", TEXT.as_bytes());
    dir.write("fox.html", format!("<p>{TEXT}</p>").as_bytes());
    for args in [["--text", "fox.txt"], ["--html", "fox.html"]] {
        let answer = dir.nddb([&["query", "db"][..], &args].concat()).done().json();
        assert_eq!((&answer["fp"], &answer["count"]), (&fp, &json!(1)), "{args:?}");
    }
    let answer = dir.nddb(["query", "db", "--text", "-"]).stdin(TEXT).done().json();
    assert_eq!(answer["matches"][0]["id"], "fox");
    let nothing = dir.nddb(["query", "db", "--text", "-"]).stdin("word").done().json();
    assert_eq!(nothing["count"], 0);
}

#[test]
fn a_fingerprint_is_printed_and_explained() {
    let dir = Dir::new();
    dir.write("fox.txt", TEXT.as_bytes());
    let plain = dir.nddb(["fp", "fox.txt"]).done().stdout;
    assert_eq!((plain.len(), plain.trim_end().len()), (17, 16));
    assert_eq!(dir.nddb(["fp", "-"]).stdin(TEXT).done().stdout, plain);
    let explained = dir.nddb(["fp", "--explain", "fox.txt"]).done().stdout;
    assert_eq!(explained.lines().next(), Some(plain.trim_end()));
    for word in ["recipe main/1", "bits", "fox", "a bit is decided by"] {
        assert!(explained.contains(word), "{explained}");
    }
    assert_eq!(dir.nddb(["fp", "-v", "fox.txt"]).done().stdout, explained);
    let value = dir.nddb(["fp", "--json", "fox.txt"]).done().json();
    assert_eq!(keys(&value), ["file", "fp", "no_fingerprint", "recipe", "tokens", "digest", "site"]);
    assert_eq!(value["fp"].as_str(), Some(plain.trim_end()));
    let value = dir.nddb(["fp", "--json", "--explain", "fox.txt"]).done().json();
    assert_eq!(value["least"].as_array().map(Vec::len), Some(64));
    assert_eq!(keys(&value["features"][0]), ["text", "weight", "hash"]);
    let explained = dir.nddb(["fp", "--explain", "--recipe", "web", "fox.txt"]).done().stdout;
    assert!(explained.contains("weight") && explained.contains("by a sum of"), "{explained}");
    let value = dir.nddb(["fp", "--json", "--explain", "--recipe", "web", "fox.txt"]).done().json();
    assert_eq!(value["sums"].as_array().map(Vec::len), Some(64));
}

#[test]
fn of_one_token_it_is_told_that_no_database_keeps_the_fingerprint() {
    let dir = Dir::with_database();
    for (text, is_unprinted) in [("", true), ("word", true), ("two words", false)] {
        let ran = dir.nddb(["fp", "--json", "--text", "-"]).stdin(text).done();
        assert_eq!(ran.json()["no_fingerprint"], is_unprinted, "{text:?}");
        assert_eq!(ran.stderr.contains("keeps no fingerprint"), is_unprinted, "{}", ran.stderr);
    }
    dir.nddb(["add", "db"]).stdin(r#"{"id":"a","text":"word"}"#).done();
    let answer = dir.nddb(["query", "db", "--id", "a", "-k", "3"]).done().stdout;
    assert_eq!(answer, "{\"fp\":null,\"count\":0,\"matches\":[]}\n");
}

#[test]
fn several_files_are_named_beside_their_fingerprints() {
    let dir = Dir::new();
    dir.write("a.txt", TEXT.as_bytes());
    dir.write("b.html", b"<p>some other words");
    let lines = dir.nddb(["fp", "a.txt", "b.html"]).done().stdout;
    assert!(lines.lines().zip(["  a.txt", "  b.html"]).all(|(line, name)| line.ends_with(name)), "{lines}");
    // Markup read as text has its tags for words.
    let forced = dir.nddb(["fp", "--text", "b.html"]).done().stdout;
    assert_ne!(forced.trim_end(), &lines.lines().nth(1).expect("two lines")[..16]);
}

#[test]
fn other_recipes_give_other_fingerprints() {
    let dir = Dir::new();
    let web = dir.nddb(["fp", "-"]).stdin(TEXT).done().stdout;
    let other = dir.nddb(["fp", "--recipe", "1e0ng", "-"]).stdin(TEXT).done().stdout;
    assert_ne!(web, other);
    dir.nddb(["fp", "--recipe", "none", "-"]).tells(2, &["no recipe 'none'", "1e0ng"]);
    dir.nddb(["fp", "none.txt"]).tells(1, &["none.txt", "No such file"]);
}
