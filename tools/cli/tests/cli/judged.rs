//! `query` and `add` by a chosen method.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::helper::{Dir, ids, keys};

const METHODS: [&str; 6] = ["identity", "hamming", "b", "c", "combined", "split"];

/// A text of so many words, of which some are others.
fn text(seed: usize, len: usize, others: &[usize]) -> String {
    let word = |index: usize| match others.contains(&index) {
        true => format!("other{index}"),
        false => format!("word{}", (seed * 7919 + index * 104_729) % 5003),
    };
    (0..len).map(word).collect::<Vec<_>>().join(" ")
}

fn line(id: &str, url: &str, text: &str) -> String {
    json!({"id": id, "url": url, "text": text}).to_string() + "\n"
}

/// A folder with the database `db`, of a recipe that every method of sketches can be used with.
fn with_database() -> Dir {
    let dir = Dir::new();
    dir.nddb(["create", "db", "--recipe", "web-c"]).done();
    dir
}

/// The members that every verdict and match has of its evidence, in their order.
const EVIDENCE: [&str; 9] =
    ["b_sim", "c_sim", "agreement", "probability", "resemblance", "lcs", "same_site", "same_heading", "rule"];

#[test]
fn a_verdict_carries_what_is_known_and_the_rule() {
    let dir = with_database();
    let old = text(1, 2000, &[]);
    dir.nddb(["add", "db"]).stdin(line("a", "http://example.org/a", &old)).done();
    let input = [
        line("same", "http://example.net/b", &old),
        line("near", "http://www.example.org/c", &text(1, 2000, &[7])),
        line("far", "http://example.org/d", &text(2, 2000, &[])),
    ]
    .concat();
    let lines = dir.nddb(["add", "db", "--if-new", "--method", "combined"]).stdin(input).done().lines();
    let fields = [&["id", "verdict", "of", "distance", "fp"][..], &EVIDENCE, &["complete"]].concat();
    lines.iter().for_each(|line| assert_eq!(keys(line), fields));
    let verdict = |line: &Value| (line["verdict"].clone(), line["of"].clone(), line["rule"].clone());
    assert_eq!(verdict(&lines[0]), (json!("duplicate"), json!("a"), json!("identical")));
    assert_eq!((&lines[0]["b_sim"], &lines[0]["c_sim"], &lines[0]["distance"]), (&json!(6), &json!(384), &json!(0)));
    assert_eq!((&lines[0]["resemblance"], &lines[0]["same_site"]), (&json!(1.0), &json!(false)));
    assert_eq!(verdict(&lines[1]), (json!("duplicate"), json!("a"), json!("combined")));
    assert_eq!(lines[1]["same_site"], true);
    let share = lines[1]["resemblance"].as_f64().expect("an estimate");
    assert!(share > 0.9 && share <= 1.0, "one of 2,000 words: {share}");
    assert_eq!(verdict(&lines[2]), (json!("new"), Value::Null, Value::Null));
    assert_eq!((&lines[2]["b_sim"], &lines[2]["complete"]), (&Value::Null, &json!(true)));
    dir.nddb(["get", "db", "same"]).tells(1, &["no document"]);
    dir.nddb(["check", "db"]).done();
}

#[test]
fn every_method_answers_in_another_process_what_pairs_says() {
    let dir = with_database();
    let mut input = String::new();
    let mut listed = Vec::new();
    for seed in 0..12 {
        for edits in 0..5usize {
            let others: Vec<usize> = (0..edits * edits).map(|edit| (edit * 31 + seed) % 300).collect();
            let site = (seed + edits) % 3;
            let url = format!("http://site{site}.example/{seed}/{edits}");
            listed.push(format!("{seed}-{edits}"));
            input += &line(&listed[listed.len() - 1], &url, &text(seed, 300, &others));
        }
    }
    input += &line("empty", "http://site0.example/", "");
    input += &line("word", "http://site0.example/w", "word");
    input += &line("again", "http://site0.example/w2", "word");
    dir.nddb(["add", "db"]).stdin(input).done();
    dir.nddb(["rm", "db", "3-0", "4-1"]).done();
    listed.retain(|id| id != "3-0" && id != "4-1");
    listed.extend(["empty", "word", "again"].map(str::to_owned));
    for method in METHODS {
        let lines = dir.nddb(["query", "db", "--all", "--method", method, "--threads", "2"]).done().lines();
        assert_eq!(lines.len(), listed.len(), "{method}");
        let mut found = BTreeSet::new();
        for (line, id) in lines.iter().zip(&listed) {
            assert_eq!(keys(line), ["query", "fp", "method", "count", "complete", "matches"]);
            assert_eq!((line["method"].as_str(), line["complete"].as_bool()), (Some(method), Some(true)));
            assert_eq!(line["count"].as_u64(), Some(ids(line).len() as u64));
            assert!(!ids(line).contains(&id.as_str()), "{line}");
            for other in ids(line) {
                found.insert((id.as_str().min(other).to_owned(), id.as_str().max(other).to_owned()));
            }
        }
        let pairs = dir.nddb(["pairs", "db", "--method", method, "--expand"]).done().lines();
        let name = |value: &Value| value.as_str().expect("an id").to_owned();
        let want: BTreeSet<_> = pairs.iter().map(|pair| (name(&pair["a"]), name(&pair["b"]))).collect();
        assert_eq!(found, want, "{method}");
        assert!(want.contains(&("again".to_owned(), "word".to_owned())), "{method}");
        assert!(method == "identity" || want.len() > 10, "{method}: {want:?}");
    }
}

#[test]
fn why_has_the_numbers_and_the_words_that_differ() {
    let dir = with_database();
    let page = |text: &str| format!("<html><body><p>{text}</p></body></html>");
    let (old, new) = (page(&text(5, 2000, &[])), page(&text(5, 2000, &[44, 45])));
    dir.write_warc("one.warc.gz", &[("http://example.org/a", &old)]);
    dir.nddb(["load", "db", "one.warc.gz"]).done();
    dir.write("new.html", new.as_bytes());
    let ask = |more: &[&str]| {
        let args = ["query", "db", "--html", "new.html", "--method", "split"];
        dir.nddb(args.iter().chain(more)).done().json()
    };
    let answer = ask(&[]);
    let of = |side: &str| ["loss", "lost", "lost_words", "lost_passage", "level"].map(|name| format!("{name}_{side}"));
    let losses = [&of("query")[..], &of("match"), &["words".to_owned()]].concat();
    let losses: Vec<&str> = losses.iter().map(String::as_str).collect();
    let fields = [&["id", "fp", "distance", "url", "site"][..], &EVIDENCE, &losses].concat();
    assert_eq!(keys(&answer["matches"][0]), fields);
    assert_eq!(answer["matches"][0]["same_site"], Value::Null);
    let answer = ask(&["--why", "--url", "http://www.example.org/b"]);
    let found = &answer["matches"][0];
    assert_eq!((&found["same_site"], &found["rule"]), (&json!(true), &json!("split: same site, combined")));
    let why = &found["why"];
    assert_eq!(keys(why), ["sentence", "identical", "bounds", "evidence", "terms", "unread"]);
    assert_eq!(why["sentence"], "About 99% of the word sequences of both texts are equal.");
    let table = dir.nddb(["query", "db", "--html", "new.html", "--method", "split", "--why", "--format", "table"]);
    assert!(table.done().stdout.contains("word sequences of both texts are equal."));
    let bound =
        |name: &str, least: u32, value: &Value| json!({"name": name, "value": value, "at_least": least, "holds": true});
    assert_eq!(why["bounds"], json!([bound("b_sim", 2, &found["b_sim"]), bound("c_sim", 355, &found["c_sim"])]));
    let words: Vec<String> = text(5, 2000, &[]).split(' ').map(str::to_owned).collect();
    let edit = json!({"query": "other44 other45", "match": format!("{} {}", words[44], words[45])});
    assert_eq!(why["terms"], json!({"of": "page", "only_query": 2, "only_match": 2, "edits": [edit], "more": 0}));
    assert_eq!(why["unread"], Value::Null);
    // A long edit is shortened, and says so.
    dir.write("new.html", page(&text(5, 2000, &(44..66).collect::<Vec<_>>())).as_bytes());
    let long = &ask(&["--why", "--url", "http://www.example.org/b"])["matches"][0]["why"]["terms"]["edits"][0];
    assert!(long["query"].as_str().is_some_and(|words| words.ends_with(" other62 other63 [2 more]")), "{long}");
    dir.write("new.html", new.as_bytes());
    // A document of the database asks for the others.
    let id = found["id"].as_str().expect("an id");
    let own = dir.nddb(["query", "db", "--id", id, "--method", "c", "--why"]).done().json();
    assert_eq!((&own["count"], &own["matches"]), (&json!(0), &json!([])));
    // Another page at its position, and none.
    dir.write_warc("one.warc.gz", &[("http://example.org/a", &page("something else"))]);
    let unread = |answer: &Value| answer["matches"][0]["why"]["unread"].as_str().expect("a reason").to_owned();
    assert!(unread(&ask(&["--why"])).contains("another page stands there"));
    std::fs::remove_file(dir.path("one.warc.gz")).expect("removed");
    let answer = ask(&["--why"]);
    assert!(unread(&answer).contains("one.warc.gz"), "{answer}");
    assert_eq!(answer["matches"][0]["why"]["terms"], Value::Null);
}

/// Pages of one content in two designs, and one of another content.
#[test]
fn by_content_pages_that_differ_in_navigation_alone_are_identical() {
    let dir = Dir::new();
    dir.nddb(["create", "db"]).done();
    let page = |id: &str, menu: &str, text: &str| {
        let menu: String = (0..9).map(|at| format!("<li><a href=/{menu}{at}>{menu} {at}</a></li>")).collect();
        let html = format!(
            "<title>{id}</title><nav><ul>{menu}</ul></nav><main><h1>Hedges</h1><p>{text}</p></main><footer>{id}</footer>"
        );
        json!({"id": id, "html": html}).to_string() + "\n"
    };
    let other = text(1, 90, &[40]);
    let pages = [page("a", "news", &text(1, 90, &[])), page("b", "shop", &text(1, 90, &[])), page("c", "news", &other)];
    dir.write("pages.jsonl", pages.concat().as_bytes());
    dir.nddb(["load", "db", "pages.jsonl"]).done();
    let of_content = ["--method", "identity", "--set", "of=content"];
    let ask = |method: &[&str]| dir.nddb([&["query", "db", "--id", "a"], method].concat()).done().json();
    let answer = ask(&of_content);
    assert_eq!((ids(&answer), &answer["matches"][0]["rule"]), (vec!["b"], &json!("identity")), "{answer}");
    assert_eq!(ids(&ask(&of_content[..2])), [""; 0]);
    let pairs = dir.nddb([&["pairs", "db"], &of_content[..]].concat()).done().lines();
    assert_eq!(pairs.len(), 1, "{pairs:?}");
    assert_eq!((&pairs[0]["group"], &pairs[0]["members"]), (&json!("hot"), &json!(["a", "b"])));
    // The key is kept in memory, in a run, and in a run that is made again.
    for command in [&["compact", "db"][..], &["rebuild", "db"], &["check", "db"]] {
        dir.nddb(command).done();
        assert_eq!(ids(&ask(&of_content)), ["b"], "{command:?}");
    }
    let added =
        dir.nddb([&["add", "db", "--if-new"], &of_content[..]].concat()).stdin(page("d", "help", &other)).done();
    assert_eq!((&added.lines()[0]["verdict"], &added.lines()[0]["of"]), (&json!("duplicate"), &json!("c")));
    dir.nddb([&["query", "db", "--id", "a"], &of_content[..3], &["of=title"]].concat())
        .tells(2, &["\"title\" is not text or content"]);
}

#[test]
fn what_cannot_be_answered_is_refused_before_anything_is_read() {
    let dir = Dir::with_database();
    let fits = "recipes that fit: main-c/1, web-c/1";
    for method in ["c", "split"] {
        dir.nddb(["query", "db", "--fp", "00000000000000ff", "--method", method])
            .tells(12, &[fits, "nddb create --recipe"]);
        dir.nddb(["add", "db", "--if-new", "--method", method]).stdin(line("a", "", "b c")).tells(12, &[fits]);
    }
    for method in ["lcs", "cosine", "shingles"] {
        let ran = dir.nddb(["query", "db", "--all", "--method", method]).tells(12, &["compares texts", "help methods"]);
        assert!(!ran.stderr.contains("--recipe"), "no recipe has an index of texts: {}", ran.stderr);
    }
    dir.nddb(["create", "corpus", "--offline", "--tables", "1"]).done();
    for asked in [&["query", "corpus", "--all"][..], &["add", "corpus", "--if-new"]] {
        dir.nddb(asked)
            .stdin(line("a", "", "b c"))
            .tells(12, &["'main-offline/1'", "no bands of profiles", "fit: main/1"]);
    }
    dir.nddb(["create", "other", "--recipe", "1e0ng"]).done();
    dir.nddb(["query", "other", "--all", "--method", "b"]).tells(12, &["makes no supershingles", "web"]);
    dir.nddb(["query", "other", "--all", "--method", "simhash"]).done();
    let other_kind =
        ["the fingerprints of recipe main/1 are no simhash but minhash-1bit", "method hamming compares them"];
    dir.nddb(["query", "db", "--all", "--method", "simhash"]).tells(12, &other_kind);
    dir.nddb(["pairs", "db", "--method", "simhash"]).tells(12, &other_kind);
    dir.nddb(["query", "db", "--all", "--method", "b"]).tells(12, &["no megashingles", "fit: main-c/1, web/1"]);
    dir.nddb(["query", "db", "--fp", "00000000000000ff", "--method", "model"]).tells(12, &["only the fingerprint"]);
    dir.nddb(["query", "db", "--all", "--method", "b", "-k", "2"]).tells(2, &["-k is the distance of hamming"]);
    dir.nddb(["query", "db", "--all", "--method", "hamming", "-k", "9"]).tells(2, &["k is 9"]);
    dir.nddb(["query", "db", "--all", "--method", "nearly"]).tells(2, &["unknown method", "combined"]);
    dir.nddb(["query", "db", "--all", "--why", "--stats"]).tells(2, &["--why"]);
    dir.nddb(["query", "db", "--all", "--verify", "lcs", "--ids", "none"]).tells(2, &["--verify"]);
    dir.nddb(["add", "db", "--method", "b"]).stdin("").tells(2, &["--if-new"]);
    dir.nddb(["add", "db", "--verify", "lcs"]).stdin("").tells(2, &["--if-new"]);
}

#[test]
fn bare_fingerprints_are_judged_by_hamming_alone() {
    let dir = Dir::with_documents();
    let answer = dir.nddb(["query", "db", "--fp", "00000000000000ff", "--method", "hamming"]).done().json();
    assert_eq!(ids(&answer), ["a", "b"]);
    let evidence = json!({
        "id": "b", "fp": "00000000000000fe", "distance": 1, "url": null, "site": null, "b_sim": null, "c_sim": null,
        "agreement": null, "probability": null, "resemblance": null, "lcs": null, "same_site": null, "same_heading": null, "rule": "hamming",
        "loss_query": null, "lost_query": "estimated", "lost_words_query": null, "lost_passage_query": null,
        "level_query": "standard",
        "loss_match": null, "lost_match": "estimated", "lost_words_match": null, "lost_passage_match": null,
        "level_match": "standard", "words": "estimate",
    });
    assert_eq!(answer["matches"][1], evidence);
    let input = concat!(r#"{"id":"d","fp":"00000000000000fe"}"#, "\n", r#"{"id":"e","text":"words of a page"}"#, "\n");
    let lines = dir.nddb(["add", "db", "--if-new", "--method", "model"]).stdin(input).ends(3).lines();
    assert_eq!((&lines[0]["verdict"], &lines[1]["verdict"]), (&json!("error"), &json!("new")));
    assert!(lines[0]["error"].as_str().is_some_and(|why| why.contains("ask by hamming")), "{}", lines[0]);
    // Of a stored one, the same.
    let lines = dir.nddb(["query", "db", "--id", "a", "e", "--method", "model"]).done().lines();
    assert!(lines[0]["error"].is_string() && ids(&lines[1]).is_empty() && lines[1].get("error").is_none());
}

#[test]
fn a_group_limit_is_told_where_it_was_reached() {
    let dir = with_database();
    let input: String = (0..30).map(|id| line(&format!("{id:02}"), "", &text(3, 300, &[id]))).collect();
    dir.nddb(["add", "db"]).stdin(input).done();
    dir.write("q.txt", text(3, 300, &[299]).as_bytes());
    let ask = |limit: &str| {
        let answer =
            dir.nddb(["query", "db", "--text", "q.txt", "--method", "b", "--group-limit", limit]).done().json();
        (answer["complete"].as_bool(), answer["count"].as_u64().expect("a count"))
    };
    let (complete, all) = ask("1000");
    assert_eq!(complete, Some(true));
    let (complete, some) = ask("3");
    assert!(complete == Some(false) && some < all && some >= 3, "{some} of {all}");
    let answer = dir.nddb(["query", "db", "--text", "q.txt", "--method", "b", "--limit", "2"]).done().json();
    assert_eq!((answer["count"].as_u64(), ids(&answer).len()), (Some(all), 2));
}

#[test]
fn what_is_not_said_is_what_eval_marks_as_the_default() {
    let dir = Dir::new();
    dir.nddb(["create", "db", "--keep-words"]).done();
    let at = |id: &str| format!("http://example.org/{id}");
    let old = text(1, 300, &[]);
    // Of the hamming three bits and more, of the min-values two thirds.
    let near = text(1, 300, &(0..12).map(|index| index * 25).collect::<Vec<_>>());
    let input = [line("old", &at("old"), &old), line("far", &at("far"), &text(2, 300, &[]))].concat();
    dir.nddb(["add", "db"]).stdin(input).done();
    let added = dir.nddb(["add", "db", "--if-new"]).stdin(line("near", &at("near"), &near)).done().json();
    assert_eq!(
        (&added["verdict"], &added["of"], &added["rule"]),
        (&json!("duplicate"), &json!("old"), &json!("model"))
    );
    dir.write("near.txt", near.as_bytes());
    let usual = dir.nddb(["query", "db", "--text", "near.txt"]).done().json();
    assert_eq!((&usual["query"], &usual["method"], ids(&usual)), (&json!("near.txt"), &json!("model"), vec!["old"]));
    let named = dir.nddb(["query", "db", "--text", "near.txt", "--method", "model"]).done().json();
    assert_eq!(usual["matches"], named["matches"]);
    // The same by eval.
    let docs = [line("old", &at("old"), &old), line("near", &at("near"), &near)].concat();
    dir.write("docs.jsonl", docs.as_bytes());
    dir.write("pairs.tsv", b"id1\tid2\tlabel\nold\tnear\t1\n");
    let lines = dir.nddb(["eval", "--docs", "docs.jsonl", "--pairs", "pairs.tsv", "--json"]).done().lines();
    let default: Vec<&Value> = lines.iter().filter(|line| line["default"] == json!(true)).collect();
    assert_eq!((default.len(), &default[0]["method"], &default[0]["recall"]), (1, &json!("model"), &json!(1.0)));
    // Within k bits are other questions.
    let bare = dir.nddb(["query", "db", "--text", "near.txt", "-k", "3"]).done().json();
    assert_eq!(keys(&bare), ["fp", "count", "matches"]);
}

#[test]
fn a_document_of_which_only_the_fingerprint_is_known_is_found_by_it() {
    let dir = Dir::new();
    dir.nddb(["create", "db"]).done();
    let page = text(5, 200, &[]);
    dir.write("page.txt", page.as_bytes());
    let first = dir.nddb(["query", "db", "--text", "page.txt"]).done().json();
    let print = json!({"id": "bare", "fp": first["fp"]}).to_string() + "\n";
    let added = dir.nddb(["add", "db", "--if-new"]).stdin(print.clone()).done().json();
    assert_eq!(added["verdict"], "new");
    let found = dir.nddb(["query", "db", "--text", "page.txt"]).done().json();
    assert_eq!((ids(&found), &found["matches"][0]["rule"]), (vec!["bare"], &json!("hamming")));
    let added = dir.nddb(["add", "db", "--if-new"]).stdin(line("page", "", &page)).done().json();
    assert_eq!((&added["verdict"], &added["of"]), (&json!("duplicate"), &json!("bare")));
    let found = dir.nddb(["query", "db", "--id", "bare"]).done().json();
    assert_eq!((&found["query"], &found["method"], ids(&found)), (&json!("bare"), &json!("hamming"), vec![]));
}

#[test]
fn all_queries_and_all_pairs_say_the_same_where_some_documents_are_bare_fingerprints() {
    let dir = Dir::new();
    dir.nddb(["create", "db"]).done();
    let near: Vec<usize> = (0..12).map(|index| index * 25).collect();
    let pages = [("a", text(1, 300, &[])), ("b", text(1, 300, &near)), ("c", text(2, 300, &[])), ("e", String::new())];
    let input: String = pages.iter().map(|(id, text)| line(id, &format!("http://{id}.org/"), text)).collect();
    // Of numbers alone nothing is compared: their fingerprint is that of nothing.
    let numbers = line("n", "", "1 2 3 4 5") + &line("m", "", "6 7 8 9");
    dir.nddb(["add", "db"]).stdin(input + &numbers).done();
    let print = |id: &str| {
        let fp = dir.nddb(["query", "db", "--id", id]).done().json()["fp"].as_str().map(str::to_owned);
        u64::from_str_radix(&fp.expect("a fingerprint"), 16).expect("hexadecimal digits")
    };
    let bare = [("x", print("a") ^ 1), ("y", print("a") ^ 3), ("z", print("c") ^ 6), ("w", print("c") ^ 6)];
    let input: String =
        bare.iter().map(|(id, fp)| json!({"id": id, "fp": format!("{fp:016x}")}).to_string() + "\n").collect();
    dir.nddb(["add", "db"]).stdin(input).done();
    let mut asked = BTreeSet::new();
    for answer in dir.nddb(["query", "db", "--all"]).done().lines() {
        let id = answer["query"].as_str().expect("an id").to_owned();
        let others = ids(&answer).into_iter().map(str::to_owned);
        asked.extend(others.map(|other| (id.clone().min(other.clone()), id.clone().max(other))));
    }
    let pairs = dir.nddb(["pairs", "db", "--expand"]).done().lines();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let found: BTreeSet<_> = pairs.iter().map(|pair| (text(&pair["a"]), text(&pair["b"]))).collect();
    assert_eq!(found, asked);
    let rule = |a: &str, b: &str| {
        pairs.iter().find(|pair| pair["a"] == a && pair["b"] == b).map(|pair| text(&pair["verdict"]))
    };
    assert_eq!((rule("a", "b").as_deref(), rule("a", "x").as_deref()), (Some("model"), Some("hamming")), "{pairs:?}");
    assert_eq!((rule("w", "z").as_deref(), rule("m", "n")), (Some("hamming"), None), "{pairs:?}");
    // Without all pairs, what has one fingerprint and no text is one group.
    let groups = dir.nddb(["pairs", "db"]).done().lines();
    assert!(groups.iter().any(|group| group["group"] == "hot" && group["members"] == json!(["w", "z"])), "{groups:?}");
    let summary = dir.nddb(["pairs", "db", "-o", "pairs.jsonl", "--json"]).done().json();
    assert_eq!((&summary["method"], &summary["unsketched"]), (&json!("model"), &json!(0)));
}

#[test]
fn texts_verify_what_a_method_finds() {
    let dir = Dir::new();
    dir.nddb(["create", "db"]).done();
    // One half is the same, and stands at the same index: enough of the min-values for a looser method, not of the
    // text.
    let page = |others: std::ops::Range<usize>| text(3, 400, &others.collect::<Vec<_>>());
    let lines: String = [("a", page(0..0)), ("b", page(0..3)), ("c", page(395..400))]
        .iter()
        .map(|(id, text)| line(id, &format!("http://{id}.org/"), text))
        .collect();
    dir.write("docs.jsonl", lines.as_bytes());
    dir.nddb(["load", "db", "docs.jsonl"]).done();
    let answer = dir.nddb(["query", "db", "--id", "a", "--verify", "lcs", "--why"]).done().json();
    assert_eq!(ids(&answer), ["b", "c"], "{answer}");
    let rule = |answer: &Value| answer["matches"][0]["rule"].as_str().expect("a rule").to_owned();
    assert_eq!(rule(&answer), "model; lcs: resemblance");
    assert!(answer["matches"][0]["lcs"].as_f64() > Some(0.28), "{answer}");
    let names: Vec<&Value> =
        answer["matches"][0]["why"]["bounds"].as_array().expect("bounds").iter().map(|bound| &bound["name"]).collect();
    assert_eq!(names, ["probability", "lcs", "lcs_containment"]);
    let new = [line("d", "http://d.org/", &page(10..12))].concat();
    let added = dir.nddb(["add", "db", "--if-new", "--verify", "lcs"]).stdin(new).done().json();
    assert_eq!((&added["verdict"], &added["rule"]), (&json!("duplicate"), &json!("model; lcs: resemblance")));
    std::fs::remove_file(dir.path("docs.jsonl")).expect("there");
    let answer = dir.nddb(["query", "db", "--id", "a", "--verify", "lcs"]).done().json();
    assert_eq!((rule(&answer), ids(&answer).len()), ("model; lcs: text not read".into(), 2));
}

#[test]
fn of_empty_texts_nothing_is_said() {
    let dir = Dir::with_database();
    let lines = line("a", "http://a.org/", "")
        + &line("b", "http://a.org/", " ")
        + &line("c", "", "one")
        + &line("d", "", "one");
    let added = dir.nddb(["add", "db", "--if-new"]).stdin(lines).done().lines();
    let verdicts: Vec<&str> = added.iter().map(|line| line["verdict"].as_str().expect("a verdict")).collect();
    assert_eq!(verdicts, ["new", "new", "new", "duplicate"]);
    let found = dir.nddb(["query", "db", "--id", "a", "c"]).done().lines();
    assert_eq!((ids(&found[0]), ids(&found[1])), (vec![], vec![]));
    dir.write("one.txt", b"one");
    dir.write("none.txt", b"...");
    let found = dir.nddb(["query", "db", "--text", "one.txt", "none.txt"]).done().lines();
    assert_eq!((ids(&found[0]), ids(&found[1])), (vec!["c"], vec![]));
    assert_eq!(dir.nddb(["pairs", "db", "--expand"]).done().stdout, "");
}
