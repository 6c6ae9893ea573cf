//! `pairs`: near-duplicates of a whole database.

use serde_json::{Value, json};

use crate::helper::{Dir, keys};

/// A text of many words, of which one may be changed.
fn text(changed: Option<usize>) -> String {
    let word = |position: usize| if Some(position) == changed { "other".into() } else { format!("word{position}") };
    (0..400).map(word).collect::<Vec<_>>().join(" ")
}

/// Two pages of one text, one that differs in a word, one unlike all, two empty ones and a lone word.
pub(crate) fn pages() -> String {
    let page = |id: &str, url: &str, text: &str| json!({"id": id, "url": url, "text": text}).to_string();
    let lines = [
        page("b", "http://www.example.org/b", &text(None)),
        page("c", "http://example.org/c", &text(None)),
        page("a\t\"1\"", "http://www.example.org/a", &text(Some(180))),
        page("d", "http://example.net/d", "nothing of this is said on any other page of the whole database"),
        page("e", "http://example.net/e", ""),
        page("f", "http://example.net/f", " ... "),
        page("g", "http://example.net/g", "word"),
    ];
    lines.join("\n")
}

pub(crate) fn with_pages() -> Dir {
    let dir = Dir::with_database_of_whole_pages();
    dir.nddb(["add", "db"]).stdin(pages()).done();
    dir
}

fn without_scores(line: &Value) -> Value {
    json!([line["a"], line["b"], line["verdict"]])
}

#[test]
fn groups_come_first_and_pairs_run_between_their_founders() {
    let dir = with_pages();
    for method in ["hamming", "b", "c", "combined", "split"] {
        let ran = dir.nddb(["pairs", "db", "--method", method]).done();
        let lines = ran.lines();
        let group = json!({
            "group": "identity", "method": method, "founder": "b", "size": 2, "flagged": false, "unverified": 0,
            "members": ["b", "c"],
        });
        assert_eq!(lines[0], group, "{method}");
        assert_eq!(lines[1]["group"], "empty");
        assert_eq!(lines[1]["members"], json!(["e", "f"]));
        assert_eq!(lines.len(), 3, "{method}: {}", ran.stdout);
        let expected = [
            "a",
            "b",
            "method",
            "distance",
            "b_sim",
            "c_sim",
            "agreement",
            "probability",
            "resemblance",
            "lcs",
            "lcs_containment",
            "cosine",
            "same_site",
            "same_heading",
            "verdict",
            "loss_a",
            "lost_a",
            "lost_words_a",
            "lost_passage_a",
            "level_a",
            "loss_b",
            "lost_b",
            "lost_words_b",
            "lost_passage_b",
            "level_b",
            "words",
            "why",
        ];
        assert_eq!(keys(&lines[2]), expected);
        assert_eq!((&lines[2]["a"], &lines[2]["b"]), (&json!("a\t\"1\""), &json!("b")));
        assert_eq!(lines[2]["same_site"], true);
        assert!(lines[2]["b_sim"].as_u64() >= Some(2) && lines[2]["c_sim"].as_u64() >= Some(372));
        assert!(lines[2]["verdict"].as_str().is_some_and(|verdict| verdict.starts_with(method)));
        ran.says(&["7 documents", "1 group", "1 pair"]);
    }
    let identity = dir.nddb(["pairs", "db", "--method", "identity"]).done().lines();
    assert_eq!(identity.len(), 2);
}

#[test]
fn a_table_shows_people_the_columns_in_which_something_is_known() {
    let dir = with_pages();
    let args = ["pairs", "db", "--method", "b", "--format", "table"];
    let table = dir.nddb(args).done().stdout;
    let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(table.starts_with("2 documents with the same text: b, c\n"), "{table}");
    let titles = lines.iter().position(|line| line.first() == Some(&"a")).expect("the titles");
    assert_eq!((lines[titles][1], lines[titles].last()), ("b", Some(&"level_b")), "{table}");
    assert!(lines.iter().all(|line| line.join(" ").len() <= 100), "{table}");
    assert!(!table.contains("null") && !lines[titles].contains(&"lcs"), "{table}");
    assert_eq!(lines[titles + 1][..3], ["a", "\"1\"", "b"], "a tab is a blank: {table}");
    let with = dir.nddb(args.iter().chain(&["--with", "url"])).done().stdout;
    assert!(with.contains("url of a") && with.contains("http://www.example.org/a"), "{with}");
    dir.nddb(["cluster", "db", "--format", "table"]).ends(2);
}

#[test]
fn expanded_all_pairs_are_lines() {
    let dir = with_pages();
    let ran = dir.nddb(["pairs", "db", "--method", "b", "--expand", "-o", "b.jsonl", "--json"]).done();
    let summary = ran.json();
    assert_eq!((&summary["pairs"], &summary["documents"], &summary["empty"]), (&json!(3), &json!(7), &json!(2)));
    let file = String::from_utf8(dir.read("b.jsonl")).expect("text");
    let lines: Vec<Value> = file
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .map(|line| without_scores(&line))
        .collect();
    assert_eq!(lines, [json!(["a\t\"1\"", "b", "b"]), json!(["a\t\"1\"", "c", "b"]), json!(["b", "c", "identical"]),]);
    let table = dir.nddb(["pairs", "db", "--method", "b", "--expand", "--format", "tsv"]).done().stdout;
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(
        rows[0].join(" "),
        "a b method distance b_sim c_sim agreement probability resemblance lcs lcs_containment cosine same_site same_heading verdict loss_a lost_a lost_words_a lost_passage_a level_a loss_b lost_b lost_words_b lost_passage_b level_b words why"
    );
    assert_eq!((rows.len(), rows[1][0], rows[1][2]), (4, "a\\t\"1\"", "b"));
    assert!(rows.iter().all(|row| row.len() == 27));
    let table = dir.nddb(["pairs", "db", "--method", "b", "--format", "tsv"]).done().stdout;
    assert!(table.contains("\n#identity\t2\t\tb\tb\tc\n"), "{table}");
}

#[test]
fn fingerprints_have_pairs_by_hamming_and_by_nothing_else() {
    let dir = Dir::with_documents();
    let lines = dir.nddb(["pairs", "db", "--method", "hamming"]).done().lines();
    assert_eq!(lines.len(), 1);
    let expected = json!({
        "a": "a", "b": "b", "method": "hamming", "distance": 1, "b_sim": null, "c_sim": null, "agreement": null, "probability": null,
        "resemblance": null,
        "lcs": null, "lcs_containment": null, "cosine": null, "same_site": null, "same_heading": null, "verdict": "hamming",
        "loss_a": null, "lost_a": "estimated", "lost_words_a": null, "lost_passage_a": null, "level_a": "standard",
        "loss_b": null, "lost_b": "estimated", "lost_words_b": null, "lost_passage_b": null, "level_b": "standard",
        "words": "estimate", "why": "The fingerprints differ in 1 bit.",
    });
    assert_eq!(lines[0], expected);
    assert_eq!(dir.nddb(["pairs", "db", "--method", "hamming", "-k", "0"]).done().stdout, "");
    dir.nddb(["pairs", "db", "--method", "hamming", "-k", "4"]).tells(2, &["k is 4", "3"]);
    for method in ["identity", "b", "c", "combined", "split"] {
        dir.nddb(["pairs", "db", "--method", method]).tells(12, &[method, "loaded as fingerprints"]);
    }
    for method in ["lcs", "cosine", "shingles"] {
        dir.nddb(["pairs", "db", "--method", method]).tells(12, &[method, "text"]);
    }
    dir.nddb(["pairs", "db", "--method", "d"]).tells(2, &["unknown method", "hamming"]);
    assert_eq!(dir.nddb(["pairs", "db"]).done().lines(), lines);
    dir.nddb(["pairs", "none", "--method", "b"]).tells(10, &["none"]);
}

#[test]
fn a_recipe_without_sketches_is_refused() {
    let dir = Dir::new();
    dir.nddb(["create", "db", "--recipe", "1e0ng"]).done();
    dir.nddb(["add", "db"]).stdin(pages()).done();
    dir.nddb(["pairs", "db", "--method", "b"]).tells(12, &["1e0ng/1", "supershingles"]);
    dir.nddb(["cluster", "db", "--method", "c", "-o", "out"]).tells(12, &["1e0ng/1", "projections"]);
    assert!(!dir.path("out").exists());
    dir.nddb(["pairs", "db", "--method", "identity"]).done();
}

#[test]
fn documents_without_sketches_are_told_of() {
    let dir = with_pages();
    dir.nddb(["add", "db"]).stdin(r#"{"id":"raw","fp":"0f0f0f0f0f0f0f0f"}"#).done();
    let ran = dir.nddb(["pairs", "db", "--method", "b"]).done();
    ran.says(&["1 document without what method 'b' compares"]);
}

#[test]
fn many_copies_of_one_page_are_one_group() {
    let dir = Dir::with_database_of_whole_pages();
    let copies: Vec<String> =
        (0..3000).map(|index| json!({"id": format!("{index:04}"), "text": text(None)}).to_string()).collect();
    dir.nddb(["add", "db"]).stdin(copies.join("\n")).done();
    dir.write(
        "equal.tsv",
        (0..2000).map(|index| format!("x{index:04}\t0f0f0f0f0f0f0f0f\n")).collect::<String>().as_bytes(),
    );
    dir.nddb(["load", "db", "equal.tsv"]).done();
    let ran = dir.nddb(["pairs", "db", "--method", "hamming"]).done();
    let lines = ran.lines();
    let seen: Vec<Value> = lines.iter().map(|line| json!([line["group"], line["size"], line["flagged"]])).collect();
    assert_eq!(seen, [json!(["identity", 3000, true]), json!(["hot", 2000, true])]);
    ran.says(&["2 flagged"]);
    let clusters = dir.nddb(["cluster", "db", "--method", "hamming"]).done().lines();
    let seen: Vec<Value> = clusters
        .iter()
        .map(|line| json!([line["cluster"], line["size"], line["removed"], line["oversized"]]))
        .collect();
    assert_eq!(seen, [json!(["0000", 3000, 2999, true]), json!(["x0000", 2000, 1999, true])]);
}

#[test]
fn the_bytes_do_not_depend_on_threads_or_memory() {
    let dir = with_pages();
    let run = |options: &[&str]| dir.nddb([&["pairs", "db", "--method", "split"], options].concat()).done().stdout;
    let first = run(&[]);
    assert!(first.lines().count() > 2);
    for options in [&["--threads", "1"][..], &["--threads", "8"], &["--memory-limit", "1M"]] {
        assert_eq!(run(options), first, "{options:?}");
    }
}

#[test]
fn without_a_method_it_is_the_default_of_the_recipe() {
    let dir = Dir::new();
    dir.nddb(["create", "db"]).done();
    let words = "words that are common to all pages of this collection and stand in many a sentence ".repeat(3);
    dir.nddb(["add", "db"]).stdin(format!("{{\"id\":\"a\",\"text\":\"{words}\"}}\n")).done();
    let method = |args: &[&str]| dir.nddb(args).done().json()["method"].clone();
    let cluster = |db: &str| {
        let summary = dir.nddb(["cluster", db, "-o", "clusters", "--json"]).done().json();
        summary["pairs"]["method"].clone()
    };
    assert_eq!(method(&["pairs", "db", "-o", "p", "--json"]), "model");
    assert_eq!(method(&["pairs", "db", "-k", "2", "-o", "p", "--json"]), "hamming");
    assert_eq!(cluster("db"), "model");
    dir.nddb(["create", "other", "--recipe", "web"]).done();
    assert_eq!(method(&["pairs", "other", "-o", "p", "--json"]), "hamming");
    assert_eq!(cluster("other"), "hamming");
}

/// What either document of a pair loses is known word by word where the words are at hand.
#[test]
fn pairs_and_queries_say_what_would_be_lost() {
    let dir = Dir::new();
    let words: Vec<String> = (0..200).map(|word| format!("word{}", word * 7919 % 9973)).collect();
    let (long, short) = (words.join(" "), words[..190].join(" "));
    let rows = [json!({"id": "long", "text": long}), json!({"id": "short", "text": short})];
    dir.write("in.jsonl", rows.iter().map(|row| format!("{row}\n")).collect::<String>().as_bytes());
    for (name, options) in [("kept", &["--keep-words"][..]), ("bare", &[])] {
        dir.nddb([&["create", name], options].concat()).done();
        dir.nddb(["load", name, "in.jsonl"]).done();
    }
    let exact = [json!(0.05), json!("10 words: 10 names"), json!("standard"), json!(0.0), json!("none")];
    let of = |pair: &Value, names: [&str; 2]| {
        let [a, b] = names;
        let fields =
            [format!("loss_{a}"), format!("lost_{a}"), format!("level_{a}"), format!("loss_{b}"), format!("lost_{b}")];
        fields.map(|field| pair[field].clone())
    };
    let pair = dir.nddb(["pairs", "kept"]).done().json();
    assert_eq!((of(&pair, ["a", "b"]), &pair["words"]), (exact.clone(), &json!("stored")));
    let read = dir.nddb(["pairs", "bare", "--words", "archives"]).done().json();
    assert_eq!((of(&read, ["a", "b"]), &read["words"]), (exact.clone(), &json!("archives")));
    let estimated = dir.nddb(["pairs", "bare"]).done().json();
    assert_eq!((&estimated["lost_a"], &estimated["words"]), (&json!("estimated"), &json!("estimate")));
    dir.write("long.txt", long.as_bytes());
    for asked in [&["--id", "long"][..], &["--text", "long.txt"]] {
        let answer = dir.nddb([&["query", "kept"], asked].concat()).done().json();
        let found = answer["matches"].as_array().expect("matches").iter().find(|found| found["id"] == "short");
        let found = found.expect("the other one");
        assert_eq!((of(found, ["query", "match"]), &found["words"]), (exact.clone(), &json!("stored")), "{asked:?}");
        let answer = dir.nddb([&["query", "bare"], asked].concat()).done().json();
        assert_eq!(answer["matches"][0]["words"], "estimate");
    }
    std::fs::remove_file(dir.path("in.jsonl")).expect("removed");
    let gone = dir.nddb(["pairs", "bare", "--words", "archives"]).ends(3).json();
    assert_eq!((&gone["loss_a"], &gone["level_a"]), (&Value::Null, &Value::Null), "what cannot be read is not known");
}
