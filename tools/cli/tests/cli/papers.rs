//! `nddb-lab paper`, `tune`, `frequencies` and `simhash`.

use std::path::Path;

use serde_json::{Value, json};

use crate::helper::{Dir, lab};

/// A labelled set in the folder `set`: texts in three versions, of two sites; the second version differs by a sentence,
/// the third by most.
fn set() -> Dir {
    let dir = Dir::new();
    let (mut lines, mut labels) = (String::new(), String::from("id1\tid2\tlabel\n"));
    for text in 0..16 {
        let line =
            |at: usize| (0..9).map(|word| format!("w{}", (text * 7919 + at * 131 + word) % 9973)).collect::<Vec<_>>();
        let body = |from: usize| (from..from + 100).map(|at| line(at).join(" ") + ".\n").collect::<String>();
        let second = format!("{}Tue, 12 May 2004 10:15:02 GMT.\n", body(0));
        let third = format!("{}{}", line(0).join(" "), body(200));
        for (version, text_of) in [body(0), second, third].into_iter().enumerate() {
            let url = format!("http://www.{}.example/{text}/{version}", ["one", "two"][version % 2]);
            lines += &format!("{}\n", json!({"id": format!("d{text}v{version}"), "url": url, "text": text_of}));
        }
        labels += &format!("d{text}v0\td{text}v1\t1\nd{text}v0\td{text}v2\t0\n");
    }
    std::fs::create_dir(dir.path("set")).expect("a folder");
    dir.write("set/docs.jsonl", lines.as_bytes());
    dir.write("set/pairs.tsv", labels.as_bytes());
    dir
}

fn exhibit<'a>(told: &'a Value, name: &str) -> &'a Value {
    let exhibits = told["exhibits"].as_array().expect("exhibits");
    exhibits.iter().find(|exhibit| exhibit["name"] == name).unwrap_or_else(|| panic!("{name}"))
}

#[test]
fn a_paper_is_printed_as_text_json_and_page() {
    let dir = set();
    let told = dir.lab(["paper", "henzinger", "set", "--json", "-o", "page.html"]).done().json();
    assert_eq!((&told["paper"], &told["input"]), (&json!("henzinger"), &json!("set")));
    let table = exhibit(&told, "Table 2");
    assert_eq!(table["columns"][0], "near dups");
    let row = &table["rows"][0];
    assert_eq!((&row[0], &row[1], &row[2]), (&json!("all"), &json!(16), &json!(1.0)), "{table}");
    let kinds = exhibit(&told, "Table 3")["rows"].as_array().expect("kinds");
    let stamps = kinds.iter().find(|row| row[0] == "time stamp only").expect("a kind");
    assert_eq!(stamps[1], 16, "{kinds:?}");
    let page = String::from_utf8(dir.read("page.html")).expect("text");
    for part in ["Table 12", "Figure 7", "The paper: ", "<svg"] {
        assert!(page.contains(part), "{part}");
    }
    let text = dir.lab(["paper", "manku", "set"]).done().stdout;
    assert!(text.contains("Figure 1: precision and recall of simhash by its distance"), "{text}");
    assert!(text.contains("The paper: precision and recall are both near 0.75 at k = 3."), "{text}");
}

#[test]
fn labels_of_a_database_are_given_beside_it() {
    let dir = set();
    dir.nddb(["create", "db", "--recipe", "web"]).done();
    dir.nddb(["load", "db", "set/docs.jsonl"]).done();
    let without = dir.lab(["paper", "henzinger", "db", "--json"]).done().json();
    let table = exhibit(&without, "Table 2");
    assert_eq!(table["rows"], json!([]));
    assert!(table["notes"][0].as_str().expect("a note").contains("nddb audit db"), "{table}");
    let with = dir.lab(["paper", "henzinger", "db", "--labels", "set/pairs.tsv", "--json"]).done().json();
    assert_eq!(exhibit(&with, "Table 2")["rows"][0][1], 16);
    dir.lab(["paper", "henzinger", "set", "--labels", "set/pairs.tsv"]).tells(2, &["has its own labels"]);
    dir.lab(["paper", "broder", "db"]).tells(2, &["henzinger, huang, ye, manku"]);
    dir.lab(["paper", "ye", "nothing"]).tells(10, &["nothing: not an nddb database"]);
}

/// The papers a second time, in Python: their sketches, candidates, decisions and figures by the loops of the text.
macro_rules! second_implementations {
    ($($name:ident: $program:literal,)*) => {
        $(#[test]
        fn $name() {
            let Some(mut python) = nddb_test_support::python("the papers in Python") else { return };
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/papers");
            let commands = [Path::new(env!("CARGO_BIN_EXE_nddb")), &lab()];
            let output = python.arg("-B").arg(folder.join($program)).args(commands).output().expect("python3 runs");
            let said = [output.stdout, output.stderr].concat();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&said));
        })*
    };
}

second_implementations! {
    a_second_implementation_of_henzinger_agrees: "henzinger.py",
    a_second_implementation_of_huang_agrees: "huang.py",
    a_second_implementation_of_manku_agrees: "manku.py",
    a_second_implementation_of_ye_agrees: "ye.py",
    a_second_implementation_of_passages_agrees: "parts.py",
    a_second_implementation_of_the_verdict_agrees: "verdict.py",
    a_second_implementation_of_its_fit_agrees: "fit.py",
    a_second_implementation_of_content_agrees: "content.py",
}

/// The command that tune prints has all parameters that it measured with.
#[test]
fn tune_prints_the_command_that_it_measured() {
    let dir = set();
    dir.nddb(["create", "db", "--recipe", "web"]).done();
    dir.nddb(["load", "db", "set/docs.jsonl"]).done();
    let set = ["--set", "shingles.resemblance=0.6", "--set", "shingles.words=3"];
    let args = [&["tune", "db", "--precision", "0.5", "--json"][..], &set].concat();
    let told = dir.lab(args).done().json();
    let command = told["command"].as_str().expect("a command");
    let start = "nddb pairs db --method shingles ";
    assert!(command.starts_with(start) && command.contains("--set resemblance=0.6 --set words=3"), "{command}");
    let options: Vec<&str> = command[start.len()..].split(' ').filter(|part| !part.is_empty()).collect();
    let run = [&["pairs", "db", "--method", "shingles", "--expand", "--format", "tsv"][..], &options].concat();
    let found = dir.nddb(run).done();
    // Sixteen texts have a second version of that resemblance.
    assert_eq!(found.stdout.lines().skip(1).count(), 16, "{}", found.stdout);
}

/// The fingerprint that `nddb fp --recipe web` prints of a document.
fn web(dir: &Dir, text: &str) -> String {
    dir.write("one.txt", text.as_bytes());
    dir.nddb(["fp", "--recipe", "web", "one.txt"]).done().stdout.trim().to_owned()
}

#[test]
fn simhash_of_chosen_features_and_weights_makes_a_database() {
    let dir = Dir::new();
    let frame = "home news imprint contact search login ".repeat(20);
    let text = |words: &str| format!("{frame} {words}");
    let documents = [
        (json!(1), text("crawlers of the web read pages")),
        (json!("b"), text("the crawler of a web reads a page")),
        (json!("c"), text("recipes with beans onions and tomatoes")),
        (json!("d"), text("weather rain sun wind snow")),
    ];
    let lines = documents.iter().map(|(id, text)| format!("{}\n", json!({"id": id, "text": text})));
    dir.write("pages.jsonl", lines.collect::<String>().as_bytes());
    let prints = |args: &[&str]| {
        let told = dir.lab(["simhash", "pages.jsonl"].iter().chain(args)).done().stdout;
        let rows = told.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        rows.map(|row| (row["id"].clone(), row["fp"].as_str().expect("a fingerprint").to_owned())).collect::<Vec<_>>()
    };
    // Without options: the recipe web.
    for ((id, text), (found, fp)) in documents.iter().zip(prints(&[])) {
        assert_eq!((id, web(&dir, text)), (&found, fp));
    }
    // Stems and stop words make two texts one, and the file keeps that choice.
    let of = ["--stop-words", "english", "--stems", "english"];
    let stemmed = prints(&of);
    assert_eq!(stemmed[0].1, stemmed[1].1);
    dir.lab(["frequencies", "pages.jsonl", "-o", "features.tsv"].iter().chain(&of)).done();
    let table = String::from_utf8(dir.read("features.tsv")).expect("text");
    let (head, rows) = table.split_once('\n').expect("lines");
    assert!(head.contains("stems=english\tdocuments=4"), "{head}");
    assert!(rows.lines().any(|row| row == "imprint\t4") && rows.lines().any(|row| row == "crawlers\t2"), "{rows}");
    // The frame, which all documents have, weighs nothing: unrelated documents come apart.
    let weighted = prints(&["--frequencies", "features.tsv"]);
    let distance = |prints: &[(Value, String)], a: usize, b: usize| {
        let [a, b] = [a, b].map(|index| u64::from_str_radix(&prints[index].1, 16).expect("hexadecimal"));
        (a ^ b).count_ones()
    };
    assert_eq!(distance(&weighted, 0, 1), 0);
    assert!(distance(&stemmed, 0, 2) < 12 && distance(&weighted, 0, 2) > 16, "{stemmed:?} {weighted:?}");
    // A database of them.
    dir.lab(["simhash", "pages.jsonl", "--frequencies", "features.tsv", "-o", "weighted.jsonl"]).done();
    dir.nddb(["create", "db"]).done();
    dir.nddb(["load", "db", "weighted.jsonl"]).done();
    let answer = dir.nddb(["query", "db", "--fp", &weighted[0].1]).done().stdout;
    assert!(answer.contains("\"b\"") && !answer.contains("\"c\""), "{answer}");

    dir.lab(["simhash", "pages.jsonl", "--stems", "klingon"]).tells(2, &["english, finnish, french"]);
    let told = ["pages.jsonl: line 1 does not begin a file of nddb-lab frequencies"];
    dir.lab(["simhash", "pages.jsonl", "--frequencies", "pages.jsonl"]).tells(1, &told);
}
