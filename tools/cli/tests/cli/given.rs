//! Databases of fingerprints that another program makes.

use serde_json::json;

use crate::helper::{Dir, ids};

const WHY: &str = "made by imagehash, and nddb cannot make them of a text; give fingerprints";

#[test]
fn fingerprints_of_another_program_are_stored_and_texts_refused() {
    let dir = Dir::new();
    dir.nddb(["create", "db", "--recipe", "given/imagehash"]).done().says(&["recipe given/imagehash (given)"]);
    dir.write("prints.tsv", b"a\t00000000000000ff\nb\t00000000000000fe\nc\tff000000000000ff\n");
    dir.nddb(["load", "db", "prints.tsv"]).done().says(&["3 documents stored"]);
    dir.write("more.jsonl", b"{\"id\":\"d\",\"fp\":\"00000000000000fc\",\"url\":\"http://example.org/d\"}\n");
    dir.nddb(["load", "db", "more.jsonl"]).done();
    let answer = dir.nddb(["query", "db", "--fp", "00000000000000ff"]).done().json();
    assert_eq!(ids(&answer), ["a", "b", "d"], "{answer}");
    let stats = dir.nddb(["stats", "db", "--json"]).done().json();
    assert_eq!((&stats["recipe"], &stats["kind"]), (&json!("given/imagehash"), &json!("given")));
    let get = dir.nddb(["get", "db", "d"]).done().json();
    assert_eq!((&get["kind"], &get["site"]), (&json!("given"), &json!("example.org")));

    // A line with a fingerprint is judged and added, one with a text is refused.
    let lines = "{\"id\":\"e\",\"fp\":\"00000000000000fd\"}\n{\"id\":\"f\",\"text\":\"some words\"}\n";
    let added = dir.nddb(["add", "db", "--if-new"]).stdin(lines).ends(3).lines();
    assert_eq!((&added[0]["verdict"], &added[0]["of"]), (&json!("duplicate"), &json!("a")), "{added:?}");
    assert!(added[1]["error"].as_str().is_some_and(|why| why.contains(WHY)), "{added:?}");
    dir.write("page.txt", b"some words of a page");
    dir.nddb(["query", "db", "--text", "page.txt"]).tells(12, &[WHY]);
    dir.write("pages.jsonl", b"{\"id\":\"g\",\"text\":\"some words\"}\n");
    dir.nddb(["load", "db", "pages.jsonl"]).tells(12, &["pages.jsonl: it has texts", WHY]);
    dir.nddb(["pairs", "db", "--method", "lcs"]).ends(12);
    assert_eq!(dir.nddb(["pairs", "db"]).done().lines().len(), 3, "of a, b and d");
    dir.nddb(["check", "db"]).done();

    for (recipe, flags, why) in [
        ("given/imagehash", &["--pieces"][..], "recipe 'given/imagehash' has no flags"),
        ("given/", &[], "there is no recipe 'given/'"),
        ("given/a b", &[], "given/NAME"),
    ] {
        dir.nddb([&["create", "other", "--recipe", recipe], flags].concat()).tells(2, &[why]);
    }
}
