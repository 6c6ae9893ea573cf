//! Methods that compare texts, and `--verify lcs`.

use serde_json::Value;

use crate::helper::Dir;

/// Pages of four texts: three copies of each with a sentence changed, and one that shares only a template.
pub(crate) fn pages() -> Vec<(String, String)> {
    let sentence = |text: usize, number: usize| {
        let word = |index: usize| format!("w{}", (number * 31 + index * 7 + text * 1009) % 4999);
        (0..9).map(word).collect::<Vec<_>>().join(" ")
    };
    let mut pages = Vec::new();
    for text in 0..4 {
        for copy in 0..3 {
            let mut sentences: Vec<String> = (0..40).map(|number| sentence(text, number)).collect();
            if copy > 0 {
                sentences[10 * copy] = format!("a sentence that stands in copy {copy} of text {text} only");
            }
            pages.push((format!("http://a{copy}.org/{text}"), format!("<p>{}.</p>", sentences.join(". "))));
        }
    }
    pages
}

/// A database of these pages.
pub(crate) fn dir() -> Dir {
    let dir = Dir::new();
    let pages = pages();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(url, html)| (url.as_str(), html.as_str())).collect();
    dir.write_warc("pages.warc.gz", &pages);
    dir.nddb(["create", "db", "--recipe", "web"]).done();
    dir.nddb(["load", "db", "pages.warc.gz"]).done();
    dir
}

pub(crate) fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn texts_are_read_again_as_they_were_loaded() {
    let dir = Dir::new();
    let json = |(id, html): (String, String)| {
        serde_json::json!({"doc": id, "page": html, "text": "another", "none": null}).to_string()
    };
    let pages: Vec<String> = pages().into_iter().map(json).collect();
    dir.write("pages.data", pages.join("\n").as_bytes());
    let options = ["--format", "jsonl", "--id-field", "doc", "--html-field", "page", "--text-field", "none"];
    let load = [&["load", "db", "pages.data"][..], &options].concat();
    dir.nddb(["create", "db"]).done();
    dir.nddb(&load).done();
    assert_eq!(lines(&dir.nddb(["pairs", "db", "--method", "lcs", "--expand"]).done().stdout).len(), 12);
    let answer = dir.nddb(["query", "db", "--id", "http://a0.org/1", "--verify", "lcs", "--why"]).done().json();
    assert_eq!(answer["count"], 2, "{answer}");
    let why = &answer["matches"][0]["why"];
    assert!(why["unread"].is_null() && why["terms"]["only_query"].as_u64().is_some_and(|terms| terms > 0), "{why}");
    // What was loaded in this way is known; in another way nothing is found in it.
    dir.nddb(["load", "db", "pages.data", "--again", "--id-field", "gone"]).ends(1);
    assert!(dir.nddb(&load).done().stderr.contains("12 unchanged"));
    // A database that another is merged into knows it, too.
    dir.nddb(["create", "all"]).done();
    dir.nddb(["merge", "all", "db"]).done();
    assert_eq!(lines(&dir.nddb(["pairs", "all", "--method", "lcs", "--expand"]).done().stdout).len(), 12);
}

/// The text that a page has.
fn text(id: &Value) -> char {
    id.as_str().and_then(|id| id.chars().last()).expect("an id")
}

#[test]
fn copies_are_found_by_their_texts() {
    let dir = dir();
    for (method, key) in [("lcs", "lcs"), ("cosine", "cosine"), ("shingles", "resemblance")] {
        let args = ["pairs", "db", "--method", method, "--expand"];
        let found = lines(&dir.nddb(args).done().stdout);
        assert_eq!(found.len(), 12, "{method}: {found:?}");
        for pair in &found {
            assert_eq!(text(&pair["a"]), text(&pair["b"]));
            assert!(pair[key].as_f64().is_some_and(|value| value > 0.8 && value < 1.0), "{pair}");
        }
        let clusters = lines(&dir.nddb(["cluster", "db", "--method", method]).done().stdout);
        assert_eq!(clusters.len(), 4, "{method}: {clusters:?}");
    }
    // Nothing that no shingle is left of.
    let none = dir.nddb(["pairs", "db", "--method", "shingles", "--set", "stop=1"]).done();
    assert_eq!(none.stdout, "");
    let sampled = dir.nddb(["pairs", "db", "--method", "shingles", "--set", "ratios=4", "--set", "remainder=2"]).done();
    assert!(lines(&sampled.stdout).len() >= 8);
}

#[test]
fn values_with_which_nothing_can_be_found_are_refused() {
    let dir = dir();
    let lcs = ["comparisons", "signature-limit", "site-signature-limit", "smallest"].map(|name| ("lcs", name));
    for (method, name) in lcs.into_iter().chain([("shingles", "stop"), ("shingles", "words")]) {
        let set = format!("{name}=0");
        dir.nddb(["pairs", "db", "--method", method, "--set", &set]).tells(2, &[&format!("--set {set}"), "1"]);
    }
    dir.lab(["tune", "db", "--set", "words=0"]).tells(2, &["--set words=0"]);
}

#[test]
fn verified_pairs_are_marked_where_a_text_cannot_be_read() {
    let dir = dir();
    let args = ["pairs", "db", "--method", "b", "--expand", "--verify", "lcs"];
    let verified = lines(&dir.nddb(args).done().stdout);
    assert!(!verified.is_empty());
    assert!(verified.iter().all(|pair| pair["verdict"] == "b; lcs: resemblance" && pair["lcs"].is_number()));
    // The archive is written anew, and then gone.
    dir.write_warc("pages.warc.gz", &[("http://b.org/", "<p>other</p>")]);
    for (gone, words) in [(false, "in an archive that has changed"), (true, "in an archive that was moved")] {
        if gone {
            std::fs::remove_file(dir.path("pages.warc.gz")).expect("there");
        }
        let next = if gone { "put the archives back" } else { "remove ('nddb rm') the documents of changed archives" };
        let ran = dir.nddb(args).ends(3);
        ran.says(&["texts that could not be read", words, next, "not verified"]);
        dir.nddb([&args[..], &["-q"]].concat()).ends(3);
        let unread = lines(&ran.stdout);
        assert_eq!(unread.len(), verified.len());
        assert!(unread.iter().all(|pair| pair["verdict"] == "b; lcs: text not read" && pair["lcs"].is_null()));
        // What could not be verified is not to be removed.
        dir.nddb(["cluster", "db", "--method", "b", "--verify", "lcs", "-o", "out"]).ends(3);
        assert_eq!(dir.read("out/remove.txt"), b"");
        std::fs::remove_dir_all(dir.path("out")).expect("there");
        for method in ["lcs", "cosine", "shingles"] {
            let none = dir.nddb(["pairs", "db", "--method", method]).ends(3);
            none.says(&["12 documents", words, next]);
            assert_eq!(none.stdout, "");
            dir.nddb(["cluster", "db", "--method", method, "-q"]).ends(3);
        }
    }
}

#[test]
fn archives_that_were_moved_are_found_again_by_loading_them() {
    let dir = dir();
    let lcs = ["pairs", "db", "--method", "lcs"];
    let before = dir.nddb(lcs).done().stdout;
    dir.write_warc("other.warc.gz", &[("http://b.org/", "<p>one other page that is like none of them")]);
    let into = |name: &str| {
        let from = if name == "b.warc.gz" { "a.warc.gz" } else { "pages.warc.gz" };
        std::fs::rename(dir.path(from), dir.path(name)).expect("moved");
        dir.nddb(lcs).ends(3);
    };
    into("a.warc.gz");
    assert!(dir.nddb(["load", "db", "a.warc.gz"]).done().stderr.contains("12 unchanged"));
    assert_eq!(dir.nddb(lcs).done().stdout, before);
    // One that is passed over, beside another that is new.
    into("b.warc.gz");
    assert!(dir.nddb(["load", "db", "b.warc.gz", "other.warc.gz"]).done().stderr.contains("1 document "));
    assert_eq!(dir.nddb(lcs).done().stdout, before);
    // A copy is another archive: the first is where it was.
    std::fs::copy(dir.path("b.warc.gz"), dir.path("c.warc.gz")).expect("copied");
    dir.nddb(["load", "db", "c.warc.gz"]).done();
    std::fs::remove_file(dir.path("c.warc.gz")).expect("there");
    assert_eq!(dir.nddb(lcs).done().stdout, before);
    dir.nddb(["check", "db"]).done();
}

/// Pages that differ in numbers, which the sketches of the main content leave out: three near to the first, three near
/// to another, and one like neither.
fn numbers() -> Dir {
    let dir = Dir::with_database();
    let mut docs = String::new();
    for (id, text, edit) in
        [("a0", 1, 0), ("a1", 1, 1), ("b0", 2, 0), ("a2", 1, 2), ("b1", 2, 1), ("c0", 3, 0), ("b2", 2, 2)]
    {
        let row = |row: u64| {
            let seed = if row == 7 * edit { edit } else { 0 };
            let number =
                |index: u64| (text * 7919 + row * 104_729 + seed * 31 + index * 1_299_709) % 999_983 + 1_000_000;
            format!(
                "{} of {} and {} of {} in all of them as it was then and as it will be for those who come to count them again",
                number(1),
                number(2),
                number(3),
                number(4)
            )
        };
        let rows: Vec<String> = (0..30).map(row).collect();
        let html = format!("<html><body><p>Counts of the year. {}.</p></body></html>", rows.join(". "));
        docs += &format!("{}\n", serde_json::json!({"id": id, "html": html}));
    }
    dir.write("docs.jsonl", docs.as_bytes());
    dir.nddb(["load", "db", "docs.jsonl"]).done();
    dir
}

#[test]
fn members_of_a_hot_group_are_verified_against_its_founder() {
    let dir = numbers();
    let verify = ["--verify", "lcs", "--text", "whole"];
    for method in ["hamming", "b", "c", "combined", "split", "min-hash", "cosine", "shingles"] {
        let args = ["pairs", "db", "--method", method, "--text", "whole"];
        let found = match method {
            // These see whole texts, too.
            "cosine" | "shingles" => Vec::new(),
            _ => lines(&dir.nddb(&args[..4]).done().stdout),
        };
        if let [all] = &found[..] {
            assert_eq!((&all["group"], &all["size"]), (&Value::from("hot"), &Value::from(7)), "{method}");
        } else {
            assert!(found.is_empty(), "{method}: {found:?}");
        }
        // Those near to the founder, those near to the first that is not, and none of the others.
        let verified = lines(&dir.nddb([&args[..4], &verify].concat()).done().stdout);
        let groups: Vec<&Value> = verified.iter().filter(|line| line["group"] == "hot").collect();
        if !found.is_empty() {
            let members: Vec<&Value> = groups.iter().map(|group| &group["members"]).collect();
            assert_eq!(
                members,
                [&serde_json::json!(["a0", "a1", "a2"]), &serde_json::json!(["b0", "b1", "b2"])],
                "{method}"
            );
            assert!(
                groups.iter().all(|group| group["unverified"] == 0) && verified.len() == 2,
                "{method}: {verified:?}"
            );
        }
        // No line says that documents of two texts are near.
        for pair in verified.iter().filter(|line| line["a"].is_string()) {
            assert_eq!(pair["a"].as_str().expect("an id")[..1], pair["b"].as_str().expect("an id")[..1], "{method}");
        }
        let args = ["cluster", "db", "--method", method, "-o", "out"];
        dir.nddb([&args[..], &verify].concat()).done();
        let clusters = String::from_utf8(dir.read("out/clusters.tsv")).expect("text");
        let of: Vec<(&str, &str)> = clusters.lines().skip(1).filter_map(|line| line.split_once('\t')).collect();
        assert!(
            of.len() >= 4 && of.iter().all(|(founder, member)| founder[..1] == member[..1]),
            "{method}: {clusters}"
        );
        let kept = String::from_utf8(dir.read("out/keep.txt")).expect("text");
        assert!(["a0", "b0", "c0"].iter().all(|id| kept.lines().any(|line| line == *id)), "{method}: {kept}");
        std::fs::remove_dir_all(dir.path("out")).expect("there");
    }
    // What cannot be read stays, and is told.
    std::fs::remove_file(dir.path("docs.jsonl")).expect("there");
    let ran = dir.nddb([&["pairs", "db", "--method", "hamming"], &verify[..]].concat()).ends(3);
    ran.says(&["6 members of hot groups not verified"]);
    let found = lines(&ran.stdout);
    assert_eq!((found.len(), &found[0]["size"], &found[0]["unverified"]), (1, &Value::from(7), &Value::from(6)));
    let table =
        dir.nddb([&["pairs", "db", "--method", "hamming", "--format", "tsv"], &verify[..]].concat()).ends(3).stdout;
    assert!(table.contains("#hot\t7\t6 unverified\ta0\t"), "{table}");
    dir.nddb([&["cluster", "db", "--method", "hamming", "-o", "out"], &verify[..]].concat()).ends(3);
    assert_eq!(dir.read("out/remove.txt"), b"");
}

#[test]
fn every_line_of_pairs_has_the_same_keys() {
    let dir = dir();
    // One more page with the text of another, so that some pairs are identical and others not.
    let pages = pages();
    dir.write_warc("more.warc.gz", &[("http://z.org/0", &pages[0].1)]);
    dir.nddb(["load", "db", "more.warc.gz"]).done();
    for args in [&["lcs"][..], &["cosine"], &["shingles"], &["b"], &["b", "--verify", "lcs"]] {
        let args = [&["pairs", "db", "--expand", "--method"], args].concat();
        let found = lines(&dir.nddb(&args).done().stdout);
        let keys = |line: &Value| line.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
        let first = keys(&found[0]);
        assert!(found.iter().all(|line| keys(line) == first), "{args:?}");
        assert!(["lcs", "lcs_containment", "cosine"].iter().all(|key| first.iter().any(|known| known == key)));
        assert!(found.iter().any(|line| line["verdict"] == "identical"), "{args:?}");
        let table = dir.nddb([&args[..], &["--format", "tsv"]].concat()).done().stdout;
        let widths: Vec<usize> = table.lines().map(|line| line.split('\t').count()).collect();
        assert!(widths.iter().all(|width| *width == first.len()), "{args:?}: {widths:?}");
    }
}

#[test]
fn options_that_mean_nothing_are_refused() {
    let dir = dir();
    for (args, why) in [
        (&["b", "-k", "2"][..], "-k is the distance of hamming, and the method is b"),
        (&["b", "--set", "complete=true"], "--set complete=true: b has no parameter \"complete\"; it has b"),
        (&["b", "--set", "ratios=4"], "--set ratios=4: b has no parameter \"ratios\"; it has b"),
        (&["b", "--set", "b"], "a parameter is set as b=3"),
        (&["b", "--set", "lcs.slope=0.2"], "the method lcs is not run"),
        (&["split", "--set", "same=400"], "is not in the range 0 to 384"),
        (
            &["shingles", "--set", "min-text=9"],
            "shingles has no parameter \"min-text\"; it has resemblance, words, ratios",
        ),
        (&["hamming", "--text", "main"], "--text is an option of methods that compare texts"),
    ] {
        for command in ["pairs", "cluster"] {
            dir.nddb([&[command, "db", "--method"], args].concat()).tells(2, &[why]);
        }
    }
    for set in [&["--set", "ratios=4", "--set", "remainder=4"][..], &["--set", "remainder=1"]] {
        let why = "the remainder of kept shingles (of one in n there are 0 to n - 1)";
        dir.nddb([&["pairs", "db", "--method", "shingles"], set].concat()).tells(2, &[why]);
    }
    let args = ["eval", "--docs", "no", "--pairs", "no", "--methods"];
    dir.nddb([&args[..], &["b:b=9"]].concat()).tells(2, &["--methods b:b=9", "2 to 6"]);
    dir.nddb([&args[..], &["b", "--set", "ratios=4"]].concat()).tells(2, &["b has no parameter \"ratios\"; it has b"]);
    dir.nddb([&args[..], &["b,c", "--set", "smallest=3"]].concat())
        .tells(2, &["b has no parameter", "c has no parameter \"smallest\"; it has c"]);
}

#[test]
fn a_thousand_copies_are_one_group() {
    let dir = Dir::new();
    let pages = pages();
    let mut lines = String::new();
    for number in 0..1000 {
        // Images are terms and no text: equal texts in different pages.
        let html = format!("{}<img src=\"{number}.png\">", pages[0].1);
        lines += &format!("{}\n", serde_json::json!({"id": format!("d{number:04}"), "html": html}));
    }
    dir.write("docs.jsonl", lines.as_bytes());
    dir.nddb(["create", "db", "--recipe", "web"]).done();
    dir.nddb(["load", "db", "docs.jsonl"]).done();
    for method in ["lcs", "cosine", "shingles"] {
        let ran = dir.nddb(["pairs", "db", "--method", method]).done();
        let found = self::lines(&ran.stdout);
        assert_eq!((found.len(), &found[0]["size"]), (1, &serde_json::json!(1000)), "{method}");
        assert_eq!(found[0]["group"], "hot");
    }
}

#[test]
fn eval_runs_the_methods_of_texts() {
    let dir = Dir::new();
    let (mut docs, mut labels) = (String::new(), String::from("id1\tid2\tlabel\n"));
    let pages = pages();
    for (number, (url, html)) in pages.iter().enumerate() {
        docs += &format!("{}\n", serde_json::json!({"id": format!("d{number}"), "html": html, "url": url}));
        for before in 0..number {
            labels += &format!("d{before}\td{number}\t{}\n", u8::from(before / 3 == number / 3));
        }
    }
    dir.write("docs.jsonl", docs.as_bytes());
    dir.write("pairs.tsv", labels.as_bytes());
    let args = ["eval", "--docs", "docs.jsonl", "--pairs", "pairs.tsv", "--recipe", "web", "--json", "--methods"];
    let ran = dir.nddb([&args[..], &["lcs,cosine:cosine=0.9,shingles:resemblance=0.7"]].concat()).done();
    let found = lines(&ran.stdout);
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|one| one["f1"] == 1.0 && one["unlabelled"] == 0), "{found:?}");
    let ran = dir.nddb([&args[..], &["hamming:k=7", "--verify", "lcs"]].concat()).done();
    let found = lines(&ran.stdout);
    assert_eq!((&found[0]["params"]["verify"], &found[0]["precision"]), (&Value::from("lcs"), &Value::from(1.0)));
}

#[test]
fn tune_reads_a_database_or_a_file_and_says_the_same() {
    let dir = dir();
    let mut docs = String::new();
    for (url, html) in pages() {
        docs += &format!("{}\n", serde_json::json!({"id": url, "html": html, "url": url}));
    }
    dir.write("docs.jsonl", docs.as_bytes());
    let args = ["--set", "shingles.resemblance=0.7", "--json"];
    let of = |input: &str| dir.lab([&["tune", input][..], &args].concat()).done().json();
    // A file is read by the recipe that a new database has.
    dir.nddb(["create", "own"]).done();
    dir.nddb(["load", "own", "docs.jsonl"]).done();
    let (mut database, mut file) = (of("own"), of("docs.jsonl"));
    assert_eq!(database["command"].take(), "nddb pairs own --method shingles --set resemblance=0.7");
    assert_eq!(file["command"].take(), "nddb pairs DB --method shingles --set resemblance=0.7");
    assert_eq!(database, file);
    assert_eq!(database["documents"], 12);
    // Twelve documents are too few for any sample to be trusted.
    assert_eq!((&database["ratios"], &database["adaptive"]["shingles"]), (&"1".into(), &1.0.into()));
    let groups = database["groups"].as_array().expect("groups");
    assert_eq!((groups.len(), &groups[0]["words"]), (1, &"0-".into()), "so few pairs make one group");
    let text = dir.lab(["tune", "db"]).done().stdout;
    let words = ["chosen on one half", "uniform 1/16", "adaptive", "too few pairs", "nddb pairs db --method shingles"];
    for words in words {
        assert!(text.contains(words), "{words:?} is missing: {text}");
    }
    // What is the text is chosen as for pairs: by the recipe, unless it is said.
    let shingles = |db: &str, args: &[&str]| {
        let value = dir.lab([&["tune", db, "--json"], args].concat()).done().json();
        value["groups"][0]["shingles"].as_u64().expect("a count")
    };
    let words = |of: String| -> String {
        (0..60u8).map(|at| format!("{of}{}{} ", char::from(b'a' + at / 8), char::from(b'a' + at % 8))).collect()
    };
    let page = |of: char| {
        let html = format!("<nav><a href=/>{}</a></nav><p>{}</p>", words(format!("link{of}")), words(of.into()));
        format!("{}\n", serde_json::json!({"id": of, "html": html}))
    };
    dir.write("linked.jsonl", ('a'..='h').map(page).collect::<String>().as_bytes());
    let main = shingles("linked.jsonl", &["--text", "main"]);
    assert!(main > 0 && main.is_multiple_of(56), "60 words of content a page: {main}");
    assert_eq!(shingles("linked.jsonl", &[]), main);
    assert_eq!(shingles("linked.jsonl", &["--text", "whole"]), main / 56 * 116);
    dir.lab(["tune", "gone.jsonl"]).ends(10);
    dir.nddb(["create", "moved"]).done();
    dir.nddb(["load", "moved", "linked.jsonl"]).done();
    std::fs::remove_file(dir.path("linked.jsonl")).expect("there");
    dir.lab(["tune", "moved"]).ends(3).says(&["could not be read", "put the archives back"]);
    dir.lab(["tune", "db", "--set", "shingles.resemblance=0"]).tells(2, &["more than 0"]);
}

/// Copies of a text that lose more and more to it; the level says which of them go.
#[test]
fn a_level_says_how_much_of_a_document_may_be_lost() {
    let dir = Dir::new();
    let letter = |at: usize| char::from(b"bcdfghklmnprstvwz"[at % 17]);
    let word = |at: usize| format!("{}o{}a{}", letter(at), letter(at / 17), letter(at / 289));
    let original: Vec<String> = (0..600).map(word).collect();
    let text = original.join(" ");
    let edited = |at: usize, new: &str| [&original[..at], &[new.to_owned()], &original[at + 1..]].concat().join(" ");
    let passage = (1000..1040).map(word).collect::<Vec<_>>().join(" ");
    let documents = [
        ("a", text.clone()),
        ("case", text.to_uppercase()),
        ("name", edited(300, "Peter")),
        ("number", edited(300, "17")),
        ("passage", edited(300, &passage)),
        ("word", edited(300, "and")),
    ];
    let lines = documents.map(|(id, text)| serde_json::json!({"id": id, "text": text}).to_string());
    dir.write("in.jsonl", (lines.join("\n") + "\n").as_bytes());
    dir.nddb(["create", "db"]).done();
    dir.nddb(["load", "db", "in.jsonl"]).done();
    let removed = |more: &[&str]| {
        let kept = ["cluster", "db", "-o", "out", "--json", "--keep", "id"];
        let summary = dir.nddb([&kept[..], more].concat()).done().json();
        (String::from_utf8(dir.read("out/remove.txt")).expect("UTF-8").replace('\n', " "), summary)
    };
    // In a text in lower case any word may be a name.
    assert_eq!(removed(&["--level", "same"]).0, "case ");
    assert_eq!(removed(&["--level", "strict"]).0, "case ");
    let (gone, summary) = removed(&[]);
    assert_eq!(gone, "case name word ");
    assert_eq!((&summary["level"], &summary["words"]), (&"standard".into(), &"archives".into()));
    let table = String::from_utf8(dir.read("out/remove.tsv")).expect("UTF-8");
    assert!(
        table.starts_with("document\tkept\trule\tprobability\tloss\tlost\tlost_words\tlost_passage\tlevel\tarchive\t"),
        "{table}"
    );
    assert!(table.contains("\tnone\t0\t0\t") && table.contains("\t1 word: 1 name\t1\t1\t"), "{table}");
    let (gone, summary) = removed(&["--words", "estimate"]);
    assert_eq!(gone, "case name number passage word ");
    assert_eq!((&summary["words"], &summary["unverified"]), (&"estimate".into(), &5.into()));
    assert_eq!(removed(&["--words", "estimate", "--level", "strict"]).0, "");
    // What was loaded is gone.
    dir.write("in.jsonl", b"");
    let ran = dir.nddb(["cluster", "db", "-o", "out", "--words", "archives", "--json"]).ends(3);
    assert_eq!((&ran.json()["removed"], &ran.json()["words_unread"]["changed"]), (&0.into(), &6.into()));
}
