//! `eval`: methods against labels.

use serde_json::{Value, json};

use crate::helper::Dir;
use crate::report::stands_alone;

/// Twelve documents of three sites: copies of one text with a word or two changed, other texts, one of one word.
fn documents() -> String {
    let text = |seed: usize| (0..200).map(|word| format!("w{}", (word * (seed + 3) + seed) % 997)).collect::<Vec<_>>();
    let mut lines = Vec::new();
    for number in 0..12 {
        let mut words = text(number / 3);
        for edit in 0..number % 3 {
            words[50 * (edit + 1)] = format!("edit{number}");
        }
        let site = ["www.a.org", "b.a.org", "c.net"][number % 3];
        lines.push(
            json!({"id": format!("d{number}"), "url": format!("http://{site}/{number}"), "text": words.join(" ")}),
        );
    }
    lines.push(json!({"id": "short", "url": "http://c.net/short", "text": "one"}));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Whether a figure is this one; reading JSON may cost its last bit.
fn is(value: &Value, expected: f64) -> bool {
    value.as_f64().is_some_and(|value| (value - expected).abs() < 1e-12)
}

/// Every pair of the twelve has a label, but those with d11: near if of one text.
fn labels() -> String {
    let mut lines = String::from("id1\tid2\tlabel\tkind\tnote\n");
    for a in 0..11 {
        for b in a + 1..11 {
            let (label, kind) = if a / 3 == b / 3 { (1, "copy") } else { (0, "other") };
            lines += &format!("d{b}\td{a}\t{label}\t{kind}\t-\n");
        }
    }
    lines
}

fn dir() -> Dir {
    let dir = Dir::new();
    dir.write("docs.jsonl", documents().as_bytes());
    dir.write("pairs.tsv", labels().as_bytes());
    dir
}

fn eval(dir: &Dir, more: &[&str]) -> Vec<Value> {
    let recipe: &[&str] = if more.contains(&"--recipe") { &[] } else { &["--recipe", "web"] };
    let args = [&["eval", "--docs", "docs.jsonl", "--pairs", "pairs.tsv", "--json"], more, recipe].concat();
    let ran = dir.nddb(args).done();
    ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn ids_of_labels_are_read_as_they_are_written() {
    let dir = Dir::new();
    let ids = ["a\tb", "c\\d", "e\nf", "plain"];
    let words = (0..200).map(|word| format!("w{word} ")).collect::<String>();
    let docs = ids.map(|id| json!({"id": id, "text": format!("{words} {id}")}).to_string() + "\n");
    dir.write("docs.jsonl", docs.concat().as_bytes());
    dir.write("pairs.tsv", b"id1\tid2\tlabel\na\\tb\tc\\\\d\t1\ne\\nf\tplain\t1\nplain\ta\\tb\t1\n");
    let line = &eval(&dir, &["--methods", "hamming:k=7", "--review", "review.tsv"])[0];
    assert_eq!((&line["found"]["correct"], &line["left_out"]), (&json!(3), &json!(0)), "{line}");
    // What is written for review is read, once its labels are filled in.
    let review = String::from_utf8(dir.read("review.tsv")).expect("text");
    let mut lines = review.lines();
    let filled = |line: &str| line.replacen("\t\t", "\t1\t", 1) + "\n";
    let pairs = format!("{}\n", lines.next().expect("a header")) + &lines.map(filled).collect::<String>();
    dir.write("pairs.tsv", pairs.as_bytes());
    assert_eq!(eval(&dir, &["--methods", "hamming:k=7"])[0]["left_out"], 0, "{pairs}");
    dir.write("pairs.tsv", b"id1\tid2\tlabel\na\\xb\tplain\t1\n");
    let bad = ["eval", "--docs", "docs.jsonl", "--pairs", "pairs.tsv"];
    dir.nddb(bad).tells(1, &["line 2", "backslash"]);
}

#[test]
fn each_setting_is_an_object_with_its_figures() {
    let dir = dir();
    let settings = eval(&dir, &["--methods", "identity,hamming:k=0..7,b,c:c=340,combined,split,min-hash"]);
    assert_eq!(settings.len(), 14);
    let names: Vec<&str> = settings.iter().filter_map(|one| one["method"].as_str()).collect();
    assert_eq!((names[0], names[1], names[12]), ("identity", "hamming", "split"));
    assert!(settings.iter().all(|one| one["default"] == false), "main content is the default");
    // Equal texts there are none; of 55 pairs 10 are near: three of each of three texts, one of the fourth.
    let identity = &settings[0];
    assert_eq!((&identity["pairs"], &identity["recall"], &identity["f1"]), (&json!(0), &json!(0.0), &json!(0.0)));
    assert!(identity["precision"].is_null() && is(&identity["prevalence"], 10.0 / 55.0), "{identity}");
    let mut before = 0;
    for one in &settings[1..9] {
        let count = |what: &str, label: &str| one[what][label].as_u64().expect("a count");
        let (right, wrong, missed) =
            (count("found", "correct"), count("found", "incorrect"), count("missed", "correct"));
        assert_eq!(right + missed, 10);
        assert_eq!(one["pairs"], right + wrong + one["unlabelled"].as_u64().expect("a count"));
        assert!(right + wrong >= before, "a greater k finds no less");
        before = right + wrong;
        let f1 = 2.0 * right as f64 / (2 * right + wrong + missed) as f64;
        assert!(is(&one["f1"], f1), "{one}");
        assert!(one["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
    }
    let (b, c) = (&settings[9], &settings[10]);
    assert_eq!((&b["bytes_per_document"], &c["params"]), (&json!(48), &json!({"c": 340})));
    assert_eq!(c["f1"], json!(1.0), "a word in a hundred changes few of 384 bits: {c}");
    // The copies of one text are on www.a.org, b.a.org and c.net: by Henzinger's rule the first two are one site.
    let part = |by: &str, part: &str| {
        let parts = c["splits"].as_array().expect("splits");
        parts.iter().find(|one| one["by"] == by && one["part"] == part).cloned().expect("a part")
    };
    assert_eq!(part("site", "same")["found"]["correct"], 4);
    assert_eq!(part("domain", "same")["found"]["correct"], 4);
    assert_eq!(part("site", "different")["found"]["correct"], 6);
    assert_eq!(part("kind", "copy")["found"]["correct"], 10);
    assert_eq!(part("kind", "other")["missed"]["incorrect"], 45);
    assert_eq!(c["unlabelled"], 2, "d11 with d9 and d10");
}

/// Runs with a page, and reads it.
fn page(dir: &Dir, more: &[&str]) -> (String, Vec<Value>) {
    let values = eval(dir, &[&["--report", "eval.html"], more].concat());
    let page = String::from_utf8(dir.read("eval.html")).expect("text");
    stands_alone(&page);
    (page, values)
}

#[test]
fn a_page_names_each_method_and_recipe() {
    let dir = dir();
    let (page, values) = page(&dir, &[]);
    for one in &values {
        let name = one["method"].as_str().expect("a name");
        assert!(page.contains(&format!("<td class=\"text\">{name}")), "{name}");
    }
    // Recipes have sections of their own.
    let (both, _) = self::page(&dir, &["--recipe", "main,main-c", "--methods", "b"]);
    let section = |recipe: &str| format!("The default verdict by its probability, recipe {recipe}/1");
    assert!(both.contains(&section("main")) && both.contains(&section("main-c")));
}

#[test]
fn the_default_verdict_is_measured_by_its_probability() {
    let dir = dir();
    let methods = ["--recipe", "main", "--methods", "model:probability=0.1..0.9/0.4+level=none"];
    let (page, values) = page(&dir, &methods);
    assert!(page.contains("precision by recall") && page.contains("calibration of the default verdict"), "{page}");
    assert_eq!(values.len(), 3);
    let by_probability = &values[0]["by_probability"];
    let steps = by_probability["steps"].as_array().expect("steps");
    for value in &values {
        // All pairs of one text are candidates of the model, so its runs find what the steps count.
        let least = value["params"]["probability"].as_f64().expect("a threshold");
        let step = steps.iter().find(|step| is(&step["probability"], least)).expect("a step");
        assert_eq!(
            (&step["labelled"]["correct"], &value["by_probability"]),
            (&value["found"]["correct"], by_probability)
        );
        assert_eq!((&step["recall"], &step["precision"]), (&value["recall"], &value["precision"]));
        assert_eq!(
            (&step["recall_interval"], &step["f1_interval"]),
            (&value["recall_interval"], &value["f1_interval"])
        );
        let numbers =
            [&step["precision"], &step["recall"]].map(|share| share.as_f64().map(|share| format!("{share:.4}")));
        assert!(numbers.into_iter().flatten().all(|number| page.contains(&format!("<td>{number}</td>"))), "{step}");
    }
    let bins = by_probability["calibration"]["bins"].as_array().expect("bins");
    let sum = |key: &str| bins.iter().filter_map(|bin| Some(bin[key].as_f64()? * bin["pairs"].as_f64()?)).sum::<f64>();
    assert_eq!(bins.iter().filter_map(|bin| bin["pairs"].as_u64()).sum::<u64>(), 55, "{by_probability}");
    assert!((sum("observed") - 10.0).abs() < 1e-9, "the correct pairs: {by_probability}");
    let brier = by_probability["calibration"]["brier"].as_f64().expect("a score");
    assert!((0.0..0.2).contains(&brier) && by_probability["unknown"] == 0, "{by_probability}");
    // Sketches of whole pages have no probability.
    let (page, values) = self::page(&dir, &["--methods", "b"]);
    assert!(!page.contains("by its probability") && values[0].get("by_probability").is_none());
}

#[test]
fn a_page_says_what_labels_of_one_kind_cannot_tell() {
    let dir = dir();
    for (labels, words) in [
        ("d0\td1\t1\n", "No pair is labelled incorrect"),
        ("d0\td5\t0\n", "No pair is labelled correct"),
        ("", "No labelled pair is scored"),
    ] {
        dir.write("pairs.tsv", format!("id1\tid2\tlabel\n{labels}").as_bytes());
        let (page, values) = page(&dir, &["--methods", "b,c,combined,lcs,hamming"]);
        assert!(page.contains(words), "{words}");
        assert_eq!(values.len(), 5);
    }
}

#[test]
fn the_same_seed_gives_the_same_answer_and_halves_are_parts_of_all() {
    let dir = dir();
    let plain = |more: &[&str]| -> Vec<Value> {
        let mut values = eval(&dir, more);
        for value in &mut values {
            value["seconds"] = Value::Null;
            value["cpu_seconds"] = Value::Null;
        }
        values
    };
    assert_eq!(plain(&["--seed", "5", "--threads", "1"]), plain(&["--seed", "5", "--threads", "2"]));
    let all = &plain(&["--methods", "c"])[0];
    let of = |half: &str| {
        let value = &plain(&["--methods", "c", "--half", half])[0];
        assert_eq!(value["half"], half);
        value["found"]["correct"].as_u64().expect("a count") + value["missed"]["correct"].as_u64().expect("a count")
    };
    assert_eq!((&all["half"], &all["components"], &all["cut"]), (&json!("all"), &json!(1), &json!(1)));
    // c.net is of half one, a.org of half two: what crosses is dropped.
    assert_eq!((of("1"), of("2")), (0, 4));
    assert_eq!(all["crossing"], 55 - 8 * 7 / 2 - 3 * 2 / 2);
}

#[test]
fn recipes_stand_in_one_table() {
    let dir = dir();
    let values = eval(&dir, &["--methods", "hamming", "--recipe", "web-psl,web,1e0ng"]);
    let recipes: Vec<&Value> = values.iter().map(|one| &one["recipe"]).collect();
    assert_eq!(recipes, ["web-psl/1", "web/1", "1e0ng/1"]);
    let defaults: Vec<&Value> = values.iter().map(|one| &one["default"]).collect();
    assert_eq!(defaults, [false, false, false]);
    let both = eval(&dir, &["--methods", "hamming,model", "--recipe", "main,main-c"]);
    let defaults: Vec<&Value> = both.iter().filter(|one| one["default"] == true).collect();
    assert_eq!(defaults.len(), 1);
    let params = json!({"probability": 0.5, "level": "standard"});
    assert_eq!((&defaults[0]["recipe"], &defaults[0]["params"]), (&json!("main/1"), &params));
    assert!(both.iter().all(|one| one["differences"]["params"] == params));
    assert!(values.iter().all(|one| one["differences"]["recipe"] == "web-psl/1"));
    // The two differ in the name of the site only.
    assert_eq!((&values[0]["found"], &values[0]["pairs"]), (&values[1]["found"], &values[1]["pairs"]));
    assert_eq!(values[0]["differences"]["f1_interval"], json!([0.0, 0.0]));
    let args = ["eval", "--docs", "docs.jsonl", "--pairs", "pairs.tsv", "--recipe", "web,wob"];
    dir.nddb(args).tells(2, &["no recipe 'wob'"]);
}

#[test]
fn the_table_shows_what_was_scored_and_the_review_what_was_not() {
    let dir = dir();
    let args =
        ["eval", "--docs", "docs.jsonl", "--pairs", "pairs.tsv", "--recipe", "web", "--methods", "hamming,c:c=340"];
    let ran = dir.nddb([&args[..], &["--review", "review.tsv"]].concat()).done();
    for words in ["13 documents; 55 labelled pairs scored", "seed 1", "differences from web/1 hamming k=3", "kind"] {
        assert!(ran.stdout.contains(words), "{words:?} is missing: {}", ran.stdout);
    }
    let review = String::from_utf8(dir.read("review.tsv")).expect("text");
    let lines: Vec<&str> = review.lines().collect();
    assert_eq!(lines[0], "id1\tid2\tlabel\tkind\turl1\turl2");
    assert!(lines.contains(&"d9\td11\t\tweb/1 c c=340\thttp://www.a.org/9\thttp://c.net/11"), "{review}");
    assert!(lines[1..].iter().all(|line| line.split('\t').take(2).any(|id| id == "d11" || id == "short")));
}

#[test]
fn compressed_documents_and_unknown_ids() {
    let dir = dir();
    dir.write("more.tsv", format!("{}d0\tnobody\t1\tcopy\t-\n", labels()).as_bytes());
    let ran = dir.nddb(["eval", "--docs", "docs.jsonl", "--pairs", "more.tsv", "--methods", "c", "--json"]).done();
    ran.says(&["1 pair left out", "nobody"]);
    let value: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!((&value["left_out"], &value["unknown_ids"]), (&json!(1), &json!(1)));
    dir.write("strange.tsv", b"id1\tid2\tlabel\nx\ty\t1\n");
    dir.nddb(["eval", "--docs", "docs.jsonl", "--pairs", "strange.tsv"])
        .tells(1, &["no pair is of documents", "\"x\""]);
    dir.write("none.tsv", b"id1\tid2\tlabel\n");
    let none = dir.nddb(["eval", "--docs", "docs.jsonl", "--pairs", "none.tsv", "--methods", "c", "--json"]).done();
    let none: Value = serde_json::from_str(&none.stdout).expect("JSON");
    assert_eq!((&none["recall"], &none["f1"], &none["unlabelled"]), (&Value::Null, &Value::Null, &none["pairs"]));
}

#[test]
fn what_is_wrong_with_the_files_is_told() {
    let dir = dir();
    for (text, words) in [
        (&b"id1,id2,label\na,b,1\n"[..], ["line 1: there is no column \"id1\"", "names the columns, between tabs"]),
        (b"id1\tid2\tlabel\nd1\td2\tmaybe\n", ["line 2: \"maybe\" is no label", "write 1 or correct"]),
        (b"id1\tid2\tlabel\nd1\td2\n", ["line 2: 2 columns", "for each column of the first line"]),
        (b"id1\tid2\tlabel\nd1\td1\t1\n", ["line 2: both ids are \"d1\"", "no pair with itself"]),
        (b"id1\tid2\tlabel\nd1\t\t1\n", ["line 2: an id is empty", "name both documents"]),
        (
            b"id1\tid2\tlabel\nd1\td2\t1\nd2\td1\t0\n",
            ["line 3: line 2 has another label for the same pair", "leave one of the two"],
        ),
        (b"id1\tid2\tlabel\nd\xe4\td2\t1\n", ["line 2: it is not UTF-8", "iconv"]),
        (b"\x1f\x8b\x08\xff\xfe", ["cannot be read", ""]),
        (b"", ["line 1: there is no header", "names the columns, between tabs"]),
    ] {
        dir.write("bad.tsv", text);
        let ran = dir.nddb(["eval", "--docs", "docs.jsonl", "--pairs", "bad.tsv"]).tells(1, &["bad.tsv"]);
        ran.says(&words);
    }
    dir.nddb(["eval", "--docs", "gone.jsonl", "--pairs", "pairs.tsv"]).tells(1, &["gone.jsonl"]);
    dir.nddb(["eval", "--docs", "docs.jsonl", "--pairs", "gone.tsv"]).tells(1, &["gone.tsv"]);
    dir.nddb(["eval", "--docs", "docs.jsonl", "--pairs", "pairs.tsv", "--methods", "bee"])
        .tells(2, &["unknown method \"bee\""]);
    dir.nddb(["eval", "--docs", "docs.jsonl", "--pairs", "pairs.tsv", "--methods", "hamming:k=9"]).tells(2, &["9"]);
    dir.write("broken.jsonl", format!("{}{{\"id\":\"x\"}}\n", documents()).as_bytes());
    let ran = dir.nddb(["eval", "--docs", "broken.jsonl", "--pairs", "pairs.tsv", "--methods", "c"]).ends(3);
    ran.says(&["not loaded", "missing_field"]);
}

/// Listed, the pairs of these copies are 72 million; each line of a review is another one.
#[test]
fn copies_are_counted_and_drawn_from_and_not_listed() {
    let dir = Dir::new();
    let words: Vec<String> = (0..60).map(|word| format!("w{}", word * 37 % 101)).collect();
    let mut docs = documents();
    for number in 0..12_000 {
        let url = format!("http://s{}.org/{number}", number % 40);
        docs += &format!("{}\n", json!({"id": format!("copy{number}"), "text": words.join(" "), "url": url}));
    }
    dir.write("docs.jsonl", docs.as_bytes());
    dir.write("pairs.tsv", b"id1\tid2\tlabel\ncopy9000\tcopy3\t1\ncopy1\td1\t0\n");
    let args =
        ["eval", "--docs", "docs.jsonl", "--pairs", "pairs.tsv", "--recipe", "web", "--json", "--review", "review.tsv"];
    let methods = ["--methods", "identity,hamming,b,c,combined,split,min-hash,shingles"];
    let ran = dir.nddb([&args[..], &methods].concat()).done();
    let copies = 12_000 * 11_999 / 2;
    for line in ran.lines() {
        assert_eq!(line["found"], json!({"correct": 1, "incorrect": 0, "undecided": 0}), "{line}");
        let pairs = line["pairs"].as_u64().expect("a count");
        assert!((copies..copies + 20).contains(&pairs) && line["unlabelled"] == pairs - 1, "{line}");
        assert_eq!(line["stars"], 0);
    }
    let review = String::from_utf8(dir.read("review.tsv")).expect("text");
    let drawn: std::collections::BTreeSet<&str> = review.lines().skip(1).collect();
    assert_eq!(drawn.len(), 8 * 200);
    dir.nddb([&args[..], &methods].concat()).done();
    assert_eq!(dir.read("review.tsv"), review.as_bytes());
}

/// Fingerprints alone allow hamming, and nothing else.
#[test]
fn methods_that_the_documents_do_not_allow_are_left_out_of_all_and_refused_by_name() {
    let dir = Dir::new();
    let line = |id: &str, fp: &str| format!("{}\n", json!({"id": id, "fp": fp}));
    let docs = line("a", "00000000000000ff") + &line("b", "00000000000000fe") + &line("c", "ffffffff00000000");
    dir.write("docs.jsonl", docs.as_bytes());
    dir.write("pairs.tsv", b"id1\tid2\tlabel\na\tb\t1\nb\tc\t0\n");
    let args = ["eval", "--docs", "docs.jsonl", "--pairs", "pairs.tsv", "--json"];
    let ran = dir.nddb(args).done();
    ran.says(&["left out: ", "supershingles"]);
    let values: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(values.len(), 1);
    assert_eq!((&values[0]["method"], &values[0]["f1"]), (&json!("hamming"), &json!(1.0)));
    assert_eq!(values[0]["splits"][0]["part"], "unknown");
    dir.nddb([&args[..], &["--methods", "b"]].concat()).tells(12, &["supershingles"]);
}
