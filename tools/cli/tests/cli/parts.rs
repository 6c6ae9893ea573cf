//! Passages in common: `--parts` of `create`, `query`, `against` and `pairs`.

use nddb::sketch::PARTS_WINDOW;
use serde_json::{Value, json};

use crate::helper::{Dir, ids};

/// Words that occur in no text of another seed.
fn words(seed: usize, count: usize) -> Vec<String> {
    let letters = |number: usize| -> String {
        (0..6).map(|at| char::from(b'a' + (number / 26usize.pow(at) % 26) as u8)).collect()
    };
    (0..count).map(|word| letters(7919 * (1000 * seed + word) + 26usize.pow(5))).collect()
}

fn lines(documents: &[(String, Vec<String>)]) -> String {
    documents.iter().map(|(id, words)| format!("{}\n", json!({"id": id, "text": words.join(" ")}))).collect()
}

/// Six pages, and a test set of three items: one whole in a page, one without its answer, one with a word in ten
/// exchanged.
fn planted() -> Dir {
    let items: Vec<Vec<String>> = (1..4).map(|seed| words(seed, 60)).collect();
    let mut edited = items[2][..40].to_vec();
    for at in [7, 18, 27, 34] {
        edited[at] = "exchanged".into();
    }
    let page = |seed, planted: &[String]| [&words(seed, 150)[..], planted, &words(seed + 1, 150)].concat();
    let mut pages: Vec<(String, Vec<String>)> = vec![
        ("whole".into(), page(11, &items[0])),
        ("bare".into(), page(13, &items[1][..40])),
        ("edited".into(), page(15, &edited)),
    ];
    pages.extend((0..3).map(|index| (format!("clean {index}"), page(21 + 2 * index, &[]))));
    let dir = Dir::new();
    dir.write("pages.jsonl", lines(&pages).as_bytes());
    let items: Vec<(String, Vec<String>)> = (1..).map(|item| format!("item {item}")).zip(items).collect();
    dir.write("items.jsonl", lines(&items).as_bytes());
    dir
}

fn of(lines: &[Value]) -> Vec<(&str, Vec<&str>)> {
    lines.iter().map(|line| (line["query"].as_str().expect("an id"), ids(line))).collect()
}

const FOUND: [(&str, [&str; 1]); 3] = [("whole", ["item 1"]), ("bare", ["item 2"]), ("edited", ["item 3"])];

#[test]
fn a_test_set_is_found_in_pages_and_the_pages_are_removed() {
    let dir = planted();
    let ran = dir.nddb(["against", "pages.jsonl", "items.jsonl", "--parts", "--list", "leaked.txt"]).done();
    ran.says(&["3 of 6 documents of pages.jsonl with passages in common"]);
    let found = ran.lines();
    assert_eq!(of(&found), FOUND.map(|(page, items)| (page, items.to_vec())));
    let [whole, bare, edited] = [0, 1, 2].map(|index| &found[index]["matches"][0]);
    assert_eq!(whole["passages"], json!([{"query": [150, 210], "match": [0, 60], "words": 60, "longest": 60}]));
    assert_eq!((&whole["match_contained"], &whole["query_contained"]), (&json!(1.0), &json!(0.167)));
    assert_eq!(bare["passages"], json!([{"query": [150, 190], "match": [0, 40], "words": 40, "longest": 40}]));
    assert_eq!(
        (&edited["words"], &edited["longest"], &edited["match_contained"]),
        (&json!(36), &json!(10), &json!(0.6))
    );
    dir.nddb(["create", "crawl.nddb"]).done();
    dir.nddb(["load", "crawl.nddb", "pages.jsonl"]).done();
    dir.nddb(["filter", "crawl.nddb", "pages.jsonl", "-o", "clean.jsonl", "--remove", "leaked.txt"]).done();
    let kept: Vec<String> =
        String::from_utf8(dir.read("clean.jsonl")).expect("text").lines().map(|line| line[..16].to_owned()).collect();
    assert_eq!(kept.len(), 3);
    assert!(kept.iter().all(|line| line.contains("clean")), "{kept:?}");
    // Whole documents are not near, and the summary says what was compared.
    let near = dir.nddb(["against", "pages.jsonl", "items.jsonl"]).done();
    near.says(&["0 of 6 documents of pages.jsonl near, compared whole (--parts finds passages)"]);
    let least = dir.nddb(["against", "pages.jsonl", "items.jsonl", "--parts", "--min-words", "41"]).done().lines();
    assert_eq!(of(&least), [("whole", vec!["item 1"])]);
    let least = dir.nddb(["against", "pages.jsonl", "items.jsonl", "--parts", "--min-containment", ".65"]).done();
    assert_eq!(of(&least.lines()), [("whole", vec!["item 1"]), ("bare", vec!["item 2"])]);
}

#[test]
fn databases_with_parts_are_asked_both_ways() {
    let dir = planted();
    for (database, flag, file) in
        [("pages.nddb", "--parts", "pages.jsonl"), ("items.nddb", "--parts=16", "items.jsonl")]
    {
        dir.nddb(["create", database, flag]).done();
        dir.nddb(["load", database, file]).done();
    }
    let expected = FOUND.map(|(page, items)| (page, items.to_vec()));
    let turned = FOUND.map(|(page, [item])| (item, vec![page]));
    for (a, b) in [("pages.jsonl", "items.nddb"), ("pages.nddb", "items.nddb"), ("pages.nddb", "items.jsonl")] {
        assert_eq!(of(&dir.nddb(["against", a, b, "--parts"]).done().lines()), expected, "{a} {b}");
    }
    let ran = dir.nddb(["against", "items.jsonl", "pages.nddb", "--parts", "--why"]).done().lines();
    assert_eq!(of(&ran), turned);
    let passage = &ran[1]["matches"][0]["passages"][0];
    let text = passage["query_text"].as_str().expect("a text");
    assert!(words(2, 40).join(" ").contains(text) && text.split(' ').count() > 20, "{passage}");
    assert_eq!(passage["match_text"], text);
    let several = dir.nddb(["against", "pages.jsonl", "items.nddb", "items.jsonl", "--parts"]).done().lines();
    let places: Vec<_> = several[0]["matches"].as_array().expect("matches").iter().map(|one| &one["db"]).collect();
    assert_eq!(places, ["items.nddb", "items.jsonl"]);

    dir.write("text.txt", words(1, 60)[5..45].join(" ").as_bytes());
    let asked = dir.nddb(["query", "pages.nddb", "--text", "text.txt", "--parts"]).done().lines();
    assert_eq!(of(&asked), [("text.txt", vec!["whole"])]);
    assert_eq!(
        (&asked[0]["words"], &asked[0]["complete"], &asked[0]["frequent"]),
        (&json!(40), &json!(true), &json!(0))
    );
    let asked = dir.nddb(["query", "pages.nddb", "--docs", "items.jsonl", "--parts", "--limit", "0"]).done().lines();
    assert_eq!(asked.iter().map(|line| &line["count"]).collect::<Vec<_>>(), [1, 1, 1]);
    let asked = dir.nddb(["query", "pages.nddb", "--id", "whole", "none", "--parts"]).ends(1);
    asked.says(&["no document 'none'"]);
    assert_eq!(asked.lines()[1]["error"], "no such document");
    assert_eq!(asked.lines()[0]["count"], 0, "it is no match of itself");
}

#[test]
fn several_databases_with_parts_are_asked_as_one() {
    let dir = planted();
    for (database, flags, file) in [
        ("pages.nddb", &["--parts"][..], "pages.jsonl"),
        ("items.nddb", &["--parts"], "items.jsonl"),
        ("plain.nddb", &[], "items.jsonl"),
    ] {
        dir.nddb([&["create", database], flags].concat()).done();
        dir.nddb(["load", database, file]).done();
    }
    dir.write("text.txt", words(1, 60)[5..45].join(" ").as_bytes());
    let ask =
        |databases: &[&str]| dir.nddb([&["query"], databases, &["--text", "text.txt", "--parts", "--verify"]].concat());
    let found = ask(&["pages.nddb", "items.nddb"]).done().lines();
    let of: Vec<_> =
        found[0]["matches"].as_array().expect("matches").iter().map(|one| [&one["db"], &one["id"]]).collect();
    // Of the page only some parts are stored, so fewer words are known before its text is read.
    assert_eq!(of, [["items.nddb", "item 1"], ["pages.nddb", "whole"]]);
    let of_one = ask(&["items.nddb"]).done().lines();
    assert_eq!(found[0]["matches"][0]["passages"], of_one[0]["matches"][0]["passages"]);
    let refused = ask(&["pages.nddb", "plain.nddb"]).ends(12);
    refused.says(&["plain.nddb: its documents are stored without parts", "nddb create NEW --parts"]);
}

/// Each word has six letters, and those that were exchanged `more` in all.
fn letters(words: [usize; 2], more: usize) -> Value {
    json!([7 * words[0], 7 * words[1] - 1 + more])
}

/// The ends of a passage in markup are places in the text that `nddb text --whole` prints.
#[test]
fn verified_passages_of_markup_are_placed_in_the_text_that_is_printed() {
    let dir = Dir::new();
    let item = words(1, 40).join(" ");
    let body = format!(
        "<title>Ünï &amp; co</title><nav><a href=/>Home</a></nav><p>{}<p>caf&eacute;<br>\n {}</p>{}",
        words(3, 200).join(" "),
        item.replace(' ', "\n  "),
        words(5, 200).join(" ")
    );
    dir.write("page.html", body.as_bytes());
    dir.write("pages.jsonl", format!("{}\n", json!({"id": "page", "html": body})).as_bytes());
    dir.write("items.jsonl", lines(&[("item".into(), words(1, 40))]).as_bytes());
    dir.nddb(["create", "pages.nddb", "--parts"]).done();
    dir.nddb(["load", "pages.nddb", "pages.jsonl"]).done();
    let found = dir.nddb(["against", "items.jsonl", "pages.nddb", "--parts", "--verify"]).done().lines();
    let passage = &found[0]["matches"][0]["passages"][0];
    let printed: Vec<char> = dir.nddb(["text", "--whole", "page.html"]).done().stdout.chars().collect();
    let [from, to] = [0, 1].map(|end| passage["match_characters"][end].as_u64().expect("a place") as usize);
    assert_eq!(printed[from..to].iter().collect::<String>(), item, "{passage}");
    assert_eq!(passage["query_characters"], json!([0, item.len()]));
}

#[test]
fn verified_passages_have_exact_borders_and_places() {
    let dir = planted();
    dir.nddb(["create", "pages.nddb", "--parts"]).done();
    dir.nddb(["load", "pages.nddb", "pages.jsonl"]).done();
    let passage = |words, equal: f64, longest, end, more| {
        json!([{"query": [0, end], "match": [150, 150 + end], "words": words, "longest": longest, "equal": equal,
            "query_characters": letters([0, end], 0), "match_characters": letters([150, 150 + end], more)}])
    };
    let expected = [passage(60, 1.0, 60, 60, 0), passage(40, 1.0, 40, 40, 0), passage(36, 0.9, 10, 40, 12)];
    let verified = |of: &str| -> Vec<Value> {
        let lines = dir.nddb(["against", "items.jsonl", of, "--parts", "--verify"]).done().lines();
        assert_eq!(crate::parts::of(&lines), FOUND.map(|(page, [item])| (item, vec![page])), "{of}");
        assert!(lines.iter().all(|line| line["matches"][0]["unread"].is_null()), "{lines:?}");
        lines.iter().map(|line| line["matches"][0]["passages"].clone()).collect()
    };
    assert_eq!(verified("pages.nddb"), expected);
    assert_eq!(verified("pages.jsonl"), expected);
    let contained =
        dir.nddb(["against", "items.jsonl", "pages.nddb", "--parts", "--verify", "--min-containment", "0.61"]);
    assert_eq!(contained.done().lines().len(), 2, "36 of 60 words are .6");

    dir.nddb(["load", "pages.nddb", "items.jsonl"]).done();
    let pairs = dir.nddb(["pairs", "pages.nddb", "--parts", "--verify", "--why"]).done().lines();
    let edited = &pairs[2]["passages"][0];
    assert_eq!((&pairs[2]["a"], &edited["a"], &edited["b"]), (&json!("edited"), &json!([150, 190]), &json!([0, 40])));
    assert_eq!((&edited["a_characters"], &edited["equal"]), (&letters([150, 190], 12), &json!(0.9)));
    assert_eq!(edited["b_text"], words(3, 40).join(" "));
    let table = dir.nddb(["pairs", "pages.nddb", "--parts", "--verify", "--format", "tsv"]).done().stdout;
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split('\t').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|title| *title == name).expect("a column");
    let cells = ["a", "b", "words", "a_start", "b_end", "equal", "a_start_character", "b_end_character", "a_text"];
    assert_eq!(
        cells.map(|name| rows[3][column(name)]),
        ["edited", "item 3", "36", "150", "40", "0.900000", "1050", "279", ""]
    );
    dir.nddb(["pairs", "pages.nddb", "--parts", "-o", "pairs.parquet"]).done();
    let told = dir.nddb(["pairs", "pages.nddb", "--parts", "--why", "--format", "table"]).done().stdout;
    assert!(told.contains(" of b: ") && told.contains("{+exchanged+}") ^ told.contains("[-exchanged-]"), "{told}");
    let page: Vec<&str> = edited["a_text"].as_str().expect("a text").split(' ').collect();
    assert_eq!((page.len(), page[7]), (40, "exchanged"));
}

#[test]
fn a_passage_whose_text_is_gone_stays_and_says_so() {
    let dir = planted();
    for (database, flags) in [("plain.nddb", &["--parts"][..]), ("words.nddb", &["--parts", "--keep-words"])] {
        dir.nddb([&["create", database][..], flags].concat()).done();
        dir.nddb(["load", database, "pages.jsonl"]).done();
    }
    std::fs::remove_file(dir.path("pages.jsonl")).expect("removed");
    let found = |database| dir.nddb(["against", "items.jsonl", database, "--parts", "--verify"]).done().lines();
    let lines = found("plain.nddb");
    let of = &lines[0]["matches"][0];
    assert!(of["unread"].as_str().is_some_and(|why| why.contains("the match cannot be read")), "{of}");
    assert_eq!((lines.len(), &of["passages"][0]["equal"]), (3, &Value::Null));
    assert!(of["passages"][0]["words"].as_u64() >= Some(36), "{of}");
    let lines = found("words.nddb");
    let passage = &lines[2]["matches"][0]["passages"][0];
    assert_eq!((&passage["equal"], &passage["match"]), (&json!(0.9), &json!([150, 190])));
    assert_eq!((&passage["match_characters"], &passage["query_characters"]), (&Value::Null, &letters([0, 40], 0)));
}

#[test]
fn pairs_with_passages_in_common_are_listed_once() {
    let dir = planted();
    dir.nddb(["create", "all.nddb", "--parts"]).done();
    dir.nddb(["load", "all.nddb", "items.jsonl", "pages.jsonl"]).done();
    let ran = dir.nddb(["pairs", "all.nddb", "--parts", "-o", "pairs.jsonl", "--json"]).done();
    assert_eq!((&ran.json()["documents"], &ran.json()["pairs"]), (&json!(9), &json!(3)));
    let text = String::from_utf8(dir.read("pairs.jsonl")).expect("text");
    let pairs: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let named: Vec<_> = pairs.iter().map(|pair| (pair["a"].as_str(), pair["b"].as_str())).collect();
    assert_eq!(named, FOUND.map(|(page, [item])| (Some(item), Some(page))));
    assert!(pairs[0]["a_contained"].as_f64() > pairs[0]["b_contained"].as_f64(), "{}", pairs[0]);
    let [from, to] = [0, 1].map(|end| pairs[0]["passages"][0]["b"][end].as_u64().expect("a place"));
    assert!(from >= 150 && to <= 210 && to - from >= 36, "{}", pairs[0]);
}

#[test]
fn what_has_no_parts_is_refused_with_what_to_type() {
    let dir = planted();
    dir.nddb(["create", "plain.nddb"]).done();
    let refused = "plain.nddb: its documents are stored without parts";
    let remedy = "nddb create NEW --parts";
    dir.nddb(["against", "items.jsonl", "plain.nddb", "--parts"]).tells(12, &[refused, remedy]);
    dir.nddb(["against", "plain.nddb", "items.jsonl", "--parts"]).tells(12, &[refused, remedy]);
    dir.nddb(["query", "plain.nddb", "--all", "--parts"]).tells(12, &[refused, remedy]);
    dir.nddb(["pairs", "plain.nddb", "--parts"]).tells(12, &[refused, remedy]);
    dir.nddb(["create", "web.nddb", "--recipe", "web", "--parts"]).tells(2, &["--parts is no flag of recipe 'web'"]);
    dir.nddb(["create", "wide.nddb", "--parts=65"]).ends(2);
    dir.nddb(["query", "plain.nddb", "--all", "--min-words", "9"]).ends(2);
    dir.nddb(["against", "items.jsonl", "pages.jsonl", "--parts", "-k", "2"])
        .tells(2, &["--parts compares passages", "-k"]);
    dir.nddb(["against", "items.jsonl", "pages.jsonl", "--parts", "--method", "b"]).tells(2, &["--method"]);
    dir.nddb(["against", "items.jsonl", "pages.jsonl", "--parts", "--verify", "same-site"]).tells(2, &["--verify"]);
    dir.nddb(["pairs", "plain.nddb", "--parts", "--verify", "same-site"]).tells(2, &["--verify same-site"]);
    dir.nddb(["pairs", "plain.nddb", "--parts", "--text", "main"]).tells(2, &["--text"]);
    dir.nddb(["pairs", "plain.nddb", "--why"]).ends(2);
    dir.nddb(["against", "items.jsonl", "pages.jsonl", "--parts", "--min-containment", "7"])
        .tells(2, &["a share from 0 to 1"]);
    dir.write("broken.jsonl", b"{\"id\":\"a\",\"text\":\"some words here\"}\n{\"id\":\"b\"}\n");
    dir.nddb(["against", "broken.jsonl", "items.jsonl", "--parts"]).tells(3, &["0 of 1 document"]);
    dir.nddb(["against", "none.jsonl", "items.jsonl", "--parts"]).tells(1, &["none.jsonl"]);
}

#[test]
fn the_window_without_a_number_is_that_of_the_recipe() {
    let dir = Dir::new();
    dir.nddb(["create", "a.nddb", "--parts"]).done();
    let number = format!("--parts={PARTS_WINDOW}");
    dir.nddb(["create", "b.nddb", &number]).done();
    for database in ["a.nddb", "b.nddb"] {
        assert_eq!(dir.nddb(["stats", database, "--json"]).done().json()["recipe"], "main-parts/1");
    }
}

/// A number and a text of the same digits, in documents that are not loaded.
#[test]
fn listed_ids_keep_their_kinds() {
    let dir = planted();
    let text = words(1, 60).join(" ");
    dir.write(
        "kinds.jsonl",
        format!("{}\n{}\n", json!({"id": 1, "text": text}), json!({"id": "1", "text": "else"})).as_bytes(),
    );
    dir.nddb(["against", "kinds.jsonl", "items.jsonl", "--parts", "--list", "near.txt"]).done();
    assert_eq!(dir.read("near.txt"), b"\\#1\n");
    dir.write("kinds.jsonl", format!("{}\n", json!({"id": 1, "text": text})).as_bytes());
    dir.nddb(["against", "kinds.jsonl", "items.jsonl", "--parts", "--list", "near.txt"]).done();
    assert_eq!(dir.read("near.txt"), b"1\n");
}

#[test]
fn what_is_too_short_to_have_a_part_is_told() {
    let dir = planted();
    dir.write("short.jsonl", lines(&[("yes".into(), words(1, 3)), ("item".into(), words(1, 40))]).as_bytes());
    let ran = dir.nddb(["against", "pages.jsonl", "short.jsonl", "--parts"]).done();
    ran.says(&["1 document of B not compared, for fewer than five words", "1 of 6 documents"]);
    let ran = dir.nddb(["against", "short.jsonl", "pages.jsonl", "--parts"]).done();
    ran.says(&["1 document of short.jsonl not compared, for fewer than five words", "1 of 2 documents"]);
    dir.nddb(["create", "pages.nddb", "--parts"]).done();
    dir.nddb(["load", "pages.nddb", "pages.jsonl"]).done();
    let asked = dir.nddb(["query", "pages.nddb", "--docs", "short.jsonl", "--parts"]).done().lines();
    assert_eq!((&asked[0]["error"], &asked[1]["count"]), (&json!("fewer than five words"), &json!(1)));
}
