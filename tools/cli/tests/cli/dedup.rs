//! `dedup`: from files to the kept documents in one call, and the lists of removed documents.

use serde_json::{Value, json};

use crate::helper::{Dir, keys};

/// A text of so many words; texts of one seed are alike.
fn text(seed: usize) -> String {
    (0..200).map(|word| format!("word{} ", (word * word + word * (seed + 3)) % 9973)).collect()
}

/// A text near to that of a seed: longer, without another word.
fn near(seed: usize) -> String {
    text(seed) + "word0 word0 word0"
}

/// Documents: d1 has the text of d0, d3 is near to d2, the others are like no other.
fn documents() -> Vec<(String, String)> {
    let texts = [text(0), text(0), text(2), near(2), text(4), text(5)];
    texts.into_iter().enumerate().map(|(number, text)| (format!("d{number}"), text)).collect()
}

fn lines(documents: &[(String, String)]) -> Vec<String> {
    documents
        .iter()
        .map(|(id, text)| format!("{{\"extra\" : [1.50],{}\n", &json!({"id": id, "text": text}).to_string()[1..]))
        .collect()
}

fn with_documents() -> (Dir, Vec<String>) {
    let (dir, lines) = (Dir::new(), lines(&documents()));
    dir.write("in.jsonl", lines.concat().as_bytes());
    (dir, lines)
}

/// The lines of these numbers.
fn some(lines: &[String], numbers: &[usize]) -> String {
    numbers.iter().map(|&number| &*lines[number]).collect()
}

fn names(dir: &Dir) -> Vec<String> {
    let entries = std::fs::read_dir(dir.path("")).expect("a folder").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    names
}

fn read(dir: &Dir, name: &str) -> String {
    String::from_utf8(dir.read(name)).expect("text")
}

fn rows(dir: &Dir, name: &str) -> Vec<Value> {
    read(dir, name).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn a_database_for_lists_alone_finds_what_others_find() {
    let (dir, lines) = with_documents();
    let (first, second) = lines.split_at(3);
    dir.write("first.jsonl", first.concat().as_bytes());
    dir.write("second.jsonl", second.concat().as_bytes());
    let mut found = Vec::new();
    for (db, options) in [("usual", &[][..]), ("offline", &["--offline", "--tables", "1"])] {
        dir.nddb([&["create", db], options].concat()).done();
        for part in ["first.jsonl", "second.jsonl"] {
            dir.nddb(["load", db, part]).done();
        }
        let pairs = ["model", "min-hash", "b", "hamming", "lcs"]
            .map(|method| dir.nddb(["pairs", db, "--method", method]).done().stdout)
            .map(|pairs| pairs.replace("\"c_sim\":356", "\"c_sim\":null"));
        let clusters = dir.nddb(["cluster", db]).done().stdout;
        assert!(pairs.iter().all(|pairs| !pairs.is_empty()) && !clusters.is_empty(), "{pairs:?}, {clusters}");
        let checked = dir.nddb(["check", db, "--json"]).done().json();
        dir.nddb(["compact", db]).done();
        dir.nddb(["check", db]).done();
        found.push((pairs, clusters, checked["documents"].clone()));
    }
    assert_eq!(found[0], found[1]);
    let why = "makes no projections; recipes that fit: main/1, web/1";
    dir.nddb(["pairs", "offline", "--method", "c"]).tells(12, &[why]);
}

#[test]
fn one_call_keeps_what_load_cluster_and_filter_keep() {
    let (dir, lines) = with_documents();
    let ran = dir.nddb(["dedup", "in.jsonl", "-o", "out.jsonl", "--json"]).done();
    ran.says(&["6 documents read, 4 kept, 2 removed (33.3%): 1 with the text of a kept document, 1 near to a kept"]);
    ran.says(&["words removed", "kept: out.jsonl"]);
    assert_eq!(read(&dir, "out.jsonl"), some(&lines, &[0, 2, 4, 5]), "byte for byte, in the order of the input");
    assert_eq!(names(&dir), ["in.jsonl", "out.jsonl"], "nothing else is left");
    let told = ran.json();
    for (key, value) in [("documents", 6), ("kept", 4), ("removed", 2), ("same_text", 1), ("near", 1), ("earlier", 0)] {
        assert_eq!(told[key], value, "{key}");
    }
    let bytes: usize = [1, 3].iter().map(|&number: &usize| lines[number].len()).sum();
    assert!(told["removed_bytes"].as_u64().expect("a number").abs_diff(bytes as u64) < 4, "{told} {bytes}");
    // The same by three commands.
    dir.nddb(["create", "db"]).done();
    dir.nddb(["load", "db", "in.jsonl"]).done();
    for options in [&[][..], &["--keep", "longest"], &["--set", "probability=0.9999"], &["--level", "same"]] {
        dir.nddb([&["cluster", "db", "-o", "clusters"], options].concat()).done();
        dir.nddb(["filter", "db", "in.jsonl", "--clusters", "clusters", "-o", "three.jsonl"]).done();
        dir.nddb([&["dedup", "in.jsonl", "-o", "one.jsonl"], options].concat()).done();
        assert_eq!(read(&dir, "one.jsonl"), read(&dir, "three.jsonl"), "{options:?}");
    }
    dir.nddb(["dedup", "in.jsonl", "-o", "one.jsonl", "--min-probability", "1"]).done();
    assert_eq!(read(&dir, "one.jsonl"), some(&lines, &[0, 2, 3, 4, 5]), "the same text is always removed");
    let ran = dir.nddb(["dedup", "in.jsonl", "-o", "-", "-q"]).done();
    assert_eq!(ran.stdout, some(&lines, &[0, 2, 4, 5]));
}

#[test]
fn a_list_says_why_each_document_is_removed() {
    let (dir, _) = with_documents();
    dir.nddb(["dedup", "in.jsonl", "-o", "out", "--removed", "gone.jsonl", "--keep", "longest"]).done();
    let listed = rows(&dir, "gone.jsonl");
    assert_eq!(
        keys(&listed[0]),
        ["id", "kept", "rule", "probability", "loss", "lost", "lost_words", "lost_passage", "level", "file", "offset"]
    );
    let of: Vec<_> = listed.iter().map(|row| (&row["id"], &row["kept"])).collect();
    assert_eq!(of, [(&json!("d1"), &json!("d0")), (&json!("d2"), &json!("d3"))]);
    assert!(listed[1]["probability"].as_f64().is_some_and(|share| share > 0.5), "{listed:?}");
    let losses = listed.iter().map(|row| row["loss"].as_f64().expect("known"));
    assert_eq!(losses.collect::<Vec<_>>(), [0.0, 0.0], "the kept one is longer");
    assert_eq!(listed[0]["lost"], "none", "{listed:?}");
    assert_eq!(listed[0]["file"], json!(dir.path("in.jsonl")));
    let offset = read(&dir, "in.jsonl").match_indices('\n').next().expect("a line").0 + 1;
    assert_eq!(listed[0]["offset"], json!(offset));
    dir.nddb(["dedup", "in.jsonl", "-o", "out", "--removed", "gone.tsv", "--keep", "longest"]).done();
    let table = read(&dir, "gone.tsv");
    assert!(
        table.starts_with(
            "id\tkept\trule\tprobability\tloss\tlost\tlost_words\tlost_passage\tlevel\tfile\toffset\nd1\td0\t"
        ),
        "{table}"
    );
    assert_eq!(table.lines().count(), 3);
    // What filter lists is the same, of the documents that the inputs have.
    dir.nddb(["create", "db"]).done();
    dir.nddb(["load", "db", "in.jsonl"]).done();
    dir.nddb(["cluster", "db", "--keep", "longest", "-o", "clusters"]).done();
    let filter = |input: &str, list: &str| {
        dir.nddb(["filter", "db", input, "--clusters", "clusters", "-o", "x", "--removed", list]).done();
    };
    filter("in.jsonl", "filtered.tsv");
    assert_eq!(read(&dir, "filtered.tsv"), table);
    filter("in.jsonl", "filtered.jsonl");
    assert_eq!(rows(&dir, "filtered.jsonl"), listed);
    // Among the rest the least level, which filter reads from remove.tsv.
    assert!(listed.iter().all(|row| row["level"].is_string()), "{listed:?}");
    dir.write("part.jsonl", lines(&documents()[2..]).concat().as_bytes());
    filter("part.jsonl", "filtered.jsonl");
    assert_eq!(rows(&dir, "filtered.jsonl"), listed[1..]);
    dir.write("ids.txt", b"d5\nd9\n");
    dir.nddb(["filter", "db", "in.jsonl", "--remove", "ids.txt", "-o", "x", "--removed", "filtered.jsonl"]).done();
    let named = rows(&dir, "filtered.jsonl");
    assert_eq!((named.len(), &named[0]["id"], &named[0]["kept"]), (1, &json!("d5"), &Value::Null));
}

/// Of one load, the best copy stays: whole, sound, with most distinct words, the oldest, of the lowest id.
#[test]
fn the_best_copy_of_one_load_is_kept() {
    let (dir, full) = (Dir::new(), text(0) + "caf\u{e9} " + &text(1));
    let kept = |options: &[&str], rows: &[Value]| {
        dir.write("in.jsonl", rows.iter().map(|row| format!("{row}\n")).collect::<String>().as_bytes());
        let out = dir.nddb([&["dedup", "in.jsonl", "-o", "-", "-q"], options].concat()).done().stdout;
        dir.nddb(["create", "db", "--keep-words"]).done();
        dir.nddb(["load", "db", "in.jsonl"]).done();
        dir.nddb([&["cluster", "db", "-o", "lists"], options].concat()).done();
        let list = read(&dir, "lists/keep.txt");
        std::fs::remove_dir_all(dir.path("db")).expect("removed");
        let ids: Vec<String> = out.lines().map(id_of).collect();
        assert_eq!(ids, list.lines().collect::<Vec<_>>(), "dedup, and load and cluster, agree");
        ids.join(" ")
    };
    let row = |id: &str, text: &str| json!({"id": id, "text": text});
    let garbled = full.replace('\u{e9}', "\u{fffd}");
    assert_eq!(kept(&[], &[row("a", &garbled), row("b", &full)]), "b", "sound before garbled");
    assert_eq!(kept(&[], &[row("a", &full.replace('\u{e9}', "\u{c3}\u{a9}")), row("b", &full)]), "b");
    assert_eq!(kept(&["--keep", "id"], &[row("a", &garbled), row("b", &full)]), "b", "before all rules");
    let more = full.clone() + "and another end";
    assert_eq!(kept(&[], &[row("a", &full), row("b", &more)]), "b", "most distinct words");
    assert_eq!(kept(&["--keep", "id"], &[row("a", &full), row("b", &more)]), "a");
    let dated = |id: &str, day: u32| json!({"id": id, "text": full, "date": format!("2024-01-0{day}T00:00:00Z")});
    assert_eq!(kept(&[], &[dated("a", 5), dated("b", 3)]), "b", "the oldest");
    assert_eq!(kept(&["--keep", "newest"], &[dated("a", 3), dated("b", 5)]), "b");
    assert_eq!(kept(&[], &[row("b", &full), row("a", &full)]), "a", "the id");
}

fn id_of(line: &str) -> String {
    let row: Value = serde_json::from_str(line).expect("JSON");
    row["id"].as_str().expect("an id").to_owned()
}

/// A page that was cut by its crawler is not kept for the whole one of the same load; one of an earlier load is.
#[test]
fn a_cut_page_is_not_kept_for_a_whole_one_of_its_load() {
    let dir = Dir::new();
    let record = |id: &str, text: &str, more: &str| {
        let date = "WARC-Date: 2024-03-01T10:00:00Z";
        let uri = format!("WARC-Record-ID: <urn:x:{id}>\r\nWARC-Target-URI: http://a.example/{id}");
        let head = format!("WARC/1.0\r\nWARC-Type: resource\r\n{uri}\r\n{date}\r\nContent-Type: text/plain\r\n{more}");
        format!("{head}Content-Length: {}\r\n\r\n{text}\r\n\r\n", text.len())
    };
    let whole = text(0);
    let cut = &whole[..whole.len() * 95 / 100];
    let (cut, whole) = (record("cut", cut, "WARC-Truncated: length\r\n"), record("whole", &whole, ""));
    let kept = |loads: &[&str]| {
        dir.nddb(["create", "db", "--keep-words"]).done();
        for (index, load) in loads.iter().enumerate() {
            let name = format!("{index}.warc");
            dir.write(&name, load.as_bytes());
            dir.nddb(["load", "db", &name, "--id", "url"]).done();
        }
        dir.nddb(["cluster", "db", "-o", "lists"]).done();
        std::fs::remove_dir_all(dir.path("db")).expect("removed");
        read(&dir, "lists/keep.txt")
    };
    assert_eq!(kept(&[&(cut.clone() + &whole)]), "http://a.example/whole\n");
    assert_eq!(kept(&[&cut, &whole]), "http://a.example/cut\n", "an earlier load comes first");
}

#[test]
fn equal_copies_of_one_load_differ_by_their_ids_alone() {
    let dir = Dir::new();
    let lines = lines(&["z", "b", "a"].map(|id| (id.to_owned(), text(0))));
    dir.write("1.jsonl", some(&lines, &[0]).as_bytes());
    dir.write("2.jsonl", some(&lines, &[1, 2]).as_bytes());
    for options in [&[][..], &["--keep", "id"]] {
        dir.nddb([&["dedup", "1.jsonl", "2.jsonl", "-o", "kept"], options].concat()).done();
        let kept = ["kept/1.jsonl", "kept/2.jsonl"].map(|name| read(&dir, name));
        assert_eq!(kept, ["", &*lines[2]], "{options:?}");
    }
}

#[test]
fn what_an_earlier_database_has_is_removed_first() {
    let (dir, lines) = with_documents();
    // d2 is near to what was stored before, and d3, which was near to it, is near to the same.
    for (name, seed) in [("january", 2), ("february", 5)] {
        dir.write("stored.jsonl", format!("{}\n", json!({"id": name.len(), "text": near(seed)})).as_bytes());
        dir.nddb(["create", &format!("{name}.nddb")]).done();
        dir.nddb(["load", &format!("{name}.nddb"), "stored.jsonl"]).done();
    }
    let one = ["dedup", "in.jsonl", "-o", "out", "--removed", "gone.jsonl", "--against", "january.nddb"];
    let both = [&one[..], &["--against", "february.nddb", "--json"]].concat();
    dir.nddb(one).done().says(&["3 kept, 3 removed", "2 near to a document of an earlier database"]);
    assert_eq!(read(&dir, "out"), some(&lines, &[0, 4, 5]));
    let told = dir.nddb(both).done().json();
    assert_eq!((&told["earlier"], &told["same_text"], &told["near"]), (&json!(3), &json!(1), &json!(0)));
    assert_eq!(read(&dir, "out"), some(&lines, &[0, 4]));
    let of = |row: &Value| (row["id"].clone(), row["kept"].clone(), row["kept_in"].clone());
    let expected =
        [("d2", json!(7), "january.nddb"), ("d3", json!(7), "january.nddb"), ("d5", json!(8), "february.nddb")];
    let mut expected: Vec<_> = expected.map(|(id, kept, db)| (json!(id), kept, json!(db))).into();
    expected.push((json!("d1"), json!("d0"), Value::Null));
    assert_eq!(rows(&dir, "gone.jsonl").iter().map(of).collect::<Vec<_>>(), expected);
    assert_eq!(dir.nddb(["stats", "january.nddb", "--json"]).done().json()["documents"], 1, "nothing is stored");
    dir.nddb(["create", "other.nddb", "--recipe", "web"]).done();
    dir.nddb([&one[..], &["--against", "other.nddb"]].concat()).ends(12);
    dir.nddb(["dedup", "in.jsonl", "-o", "out", "--against", "none.nddb"]).ends(10);
}

#[test]
fn a_document_is_removed_only_if_it_is_near_to_one_that_is_kept() {
    let dir = Dir::new();
    // Each is near to the next one, and the first is not near to the last.
    let words: Vec<String> = (0..200).map(|word| format!("word{}", (word * word + word * 10) % 9973)).collect();
    let shifted = |changed: usize| {
        let word =
            |(index, word): (usize, &String)| if index < changed { format!("new{index} ") } else { format!("{word} ") };
        words.iter().enumerate().map(word).collect::<String>()
    };
    let texts = [0, 18, 36].map(shifted);
    let line = |id: &str, text: &str| format!("{}\n", json!({"id": id, "text": text}));
    dir.write("old.jsonl", line("old", &texts[0]).as_bytes());
    let new = [line("a", &texts[1]), line("b", &texts[2])];
    dir.write("in.jsonl", new.concat().as_bytes());
    dir.nddb(["create", "old.nddb", "--keep-words"]).done();
    dir.nddb(["load", "old.nddb", "old.jsonl"]).done();
    dir.nddb(["dedup", "in.jsonl", "-o", "out"]).done();
    assert_eq!(read(&dir, "out"), new[0], "b is near to a");
    dir.nddb(["dedup", "in.jsonl", "-o", "out", "--against", "old.nddb"]).done();
    assert_eq!(read(&dir, "out"), new[1], "a is near to what was stored, and b is near to nothing that is kept");
}

#[test]
fn archives_pages_and_folders_keep_their_format() {
    let dir = Dir::new();
    let pages: Vec<(String, String)> =
        documents().into_iter().map(|(id, text)| (format!("http://a.org/{id}"), format!("<p>{text}</p>"))).collect();
    let only = |name: &str, which: &[usize]| {
        let pages: Vec<(&str, &str)> = which.iter().map(|&index| (&*pages[index].0, &*pages[index].1)).collect();
        dir.write_warc(name, &pages);
        dir.read(name)
    };
    let kept = only("kept.warc.gz", &[0, 2, 4, 5]);
    only("in.warc.gz", &[0, 1, 2, 3, 4, 5]);
    dir.nddb(["dedup", "in.warc.gz", "-o", "out.warc.gz"]).done();
    assert!(dir.read("out.warc.gz") == kept);
    std::fs::create_dir_all(dir.path("pages/deep")).expect("a folder");
    for (number, (_, page)) in pages.iter().enumerate() {
        dir.write(&format!("pages/{}{number}.html", if number % 2 == 0 { "" } else { "deep/" }), page.as_bytes());
    }
    dir.nddb(["dedup", "pages", "-o", "kept", "--report", "report.html"]).done().says(&["report: report.html"]);
    let left = |folder: &str| std::fs::read_dir(dir.path(folder)).map_or(0, Iterator::count);
    assert_eq!((left("kept"), left("kept/deep")), (4, 1), "deep has one, of three");
    let report = read(&dir, "report.html");
    assert!(report.contains("pages") && report.contains("removed") && !report.contains(".nddb-temporary"), "{report}");
    let mut expected = ["in.warc.gz", "kept", "kept.warc.gz", "out.warc.gz", "pages", "report.html"].to_vec();
    expected.sort_unstable();
    assert_eq!(names(&dir), expected, "no temporary database is left");
}

#[test]
fn what_cannot_be_done_is_told_before_the_work_and_leaves_nothing() {
    let (dir, lines) = with_documents();
    dir.write("prints.u64le", b"12345678");
    dir.write_warc("in.warc.gz", &[("http://a.org/", "<p>words")]);
    for (args, code, words) in [
        (&["prints.u64le", "-o", "x"][..], 2, "cannot be filtered"),
        (&["in.warc.gz", "-o", "x.warc"], 2, "copied as they are compressed"),
        (&["in.jsonl", "-o", "in.jsonl"], 2, "is an input"),
        (&["none.jsonl", "-o", "x"], 1, "none.jsonl"),
        (&["in.jsonl", "-o", "x", "--min-probability", "1.5"], 2, "0 to 1"),
        (&["in.jsonl", "-o", "x", "--set", "nothing=1"], 2, "--set nothing=1"),
        (&["in.jsonl", "-o", "nowhere/x"], 1, "nowhere/x: cannot be written"),
        (&["in.jsonl", "-o", "x", "--text-field", "body"], 1, "no line has a field \"body\""),
        (&["in.warc.gz", "-o", "x.warc.gz", "--text-field", "body"], 2, "option of JSONL"),
        (&["in.jsonl", "-o", "x", "--removed", "nowhere/gone.tsv"], 1, "nowhere/gone.tsv"),
    ] {
        dir.nddb([&["dedup"], args].concat()).tells(code, &[words]);
        assert_eq!(names(&dir), ["in.jsonl", "in.warc.gz", "prints.u64le"], "{args:?}");
    }
    // Other names of fields, and rows of one id.
    let renamed: Vec<String> =
        lines.iter().map(|line| line.replace("\"text\":", "\"body\":").replace("\"id\":", "\"nr\":")).collect();
    dir.write("renamed.jsonl", renamed.concat().as_bytes());
    let fields = ["--text-field", "body", "--id-field", "nr"];
    dir.nddb([&["dedup", "renamed.jsonl", "-o", "out"], &fields[..]].concat()).done();
    assert_eq!(read(&dir, "out"), some(&renamed, &[0, 2, 4, 5]));
    let same: Vec<String> = lines.iter().map(|line| line.replace("\"id\":\"d1\"", "\"id\":\"d0\"")).collect();
    dir.write("same.jsonl", same.concat().as_bytes());
    let others = same.iter().map(|line| line.replace("d5", "d4")).collect::<Vec<_>>();
    for (lines, id) in [(&same, &[][..]), (&others, &[]), (&same, &["--id", "row"])] {
        dir.write("same.jsonl", lines.concat().as_bytes());
        let ran = dir.nddb([&["dedup", "same.jsonl", "-o", "out", "--removed", "gone.jsonl"], id].concat()).done();
        assert_eq!(ran.stderr.contains("with the id of an earlier one"), id.is_empty(), "{}", ran.stderr);
        assert_eq!(read(&dir, "out"), some(lines, &[0, 2, 4, 5]));
        assert_eq!(rows(&dir, "gone.jsonl")[0]["kept"], "same.jsonl:0");
    }
}

#[test]
fn the_temporary_database_is_in_the_folder_for_temporary_files() {
    let (dir, lines) = with_documents();
    std::fs::create_dir(dir.path("tmp")).expect("a folder");
    let args = ["dedup", "in.jsonl", "-o", "out", "--tmp-dir", "tmp"];
    dir.nddb(args).done();
    assert_eq!(read(&dir, "out"), some(&lines, &[0, 2, 4, 5]));
    assert_eq!(std::fs::read_dir(dir.path("tmp")).expect("a folder").count(), 0, "it is empty again");
    dir.nddb(["dedup", "in.jsonl", "-o", "out", "--tmp-dir", "nowhere"]).tells(2, &["not a folder"]);
}

/// Words that no other text has.
fn words(seed: usize, count: usize) -> String {
    (0..count).map(|word| format!("wo{}rd ", (word * 7919 + seed * 104_729) % 1_000_003)).collect()
}

/// Texts within others: whole, in a chain, with a number exchanged, with an inserted negation, with all words in another
/// order between others, and kept for a copy.
#[test]
fn a_text_within_another_one_is_reported_and_goes_only_where_nothing_of_it_is_lost() {
    let dir = Dir::new();
    let inner = words(1, 60);
    let middle = format!("{}{inner}{}", words(2, 80), words(3, 90));
    let outer = format!("{}{middle}{}", words(4, 300), words(5, 300));
    let number = format!("{} costs 17 and {}", words(6, 50), words(7, 50));
    let sense = format!("{} which is safe to eat and {}", words(8, 50), words(9, 50));
    let scattered = words(10, 60);
    let between = scattered.split(' ').map(|word| format!("{word} {}", words(11 + word.len(), 3))).collect::<String>();
    let short = "exactly these few words are the whole of it and there is nothing else in this small text that could be \
                 lost if it went away for good ";
    let documents = [
        ("inner", inner.clone()),
        ("copy", inner.clone()),
        ("middle", middle),
        ("outer", outer),
        ("number", number.clone()),
        ("price", format!("{}{}{}", words(20, 200), number.replace("17", "71"), words(21, 200))),
        ("sense", sense.clone()),
        ("nonsense", format!("{}{}{}", words(22, 200), sense.replace("is safe", "is not safe"), words(23, 200))),
        ("scattered", scattered),
        ("between", between),
        ("short", short.to_owned()),
        ("long", format!("{}{short}{}", words(24, 100), words(25, 100))),
        ("changed", format!("{} exchanged {} ", words(26, 40), words(27, 40))),
        ("original", format!("{}{} kept {} {}", words(28, 90), words(26, 40), words(27, 40), words(29, 90))),
    ];
    dir.write("in.jsonl", lines(&documents.map(|(id, text)| (id.to_owned(), text))).concat().as_bytes());
    let run = |contained: &str, level: &str| {
        let options = ["--removed", "gone.jsonl", "--json", "--contained", contained, "--level", level];
        let ran = dir.nddb([&["dedup", "in.jsonl", "-o", "out.jsonl"], &options[..]].concat()).done();
        let listed = rows(&dir, "gone.jsonl");
        let contained = listed.iter().filter(|row| row["rule"] == "contained");
        let text = |row: &Value, name: &str| row[name].as_str().expect("a text").to_owned();
        let rows = contained.map(|row| (text(row, "id"), text(row, "kept"), row["stays"] == true));
        let kept: Vec<String> = rows_of(&dir, "out.jsonl");
        (ran, rows.collect::<Vec<_>>(), kept)
    };
    let of = |rows: &[(&str, &str, bool)]| {
        rows.iter().map(|&(id, kept, stays)| (id.to_owned(), kept.to_owned(), stays)).collect::<Vec<_>>()
    };
    let (ran, found, kept) = run("keep", "standard");
    let reported =
        [("changed", "original", true), ("copy", "outer", true), ("middle", "outer", true), ("short", "long", true)];
    assert_eq!(found, of(&reported));
    assert_eq!(kept.len(), 13, "only the copy goes");
    assert_eq!((&ran.json()["contained"], &ran.json()["contained_kept"]), (&json!(0), &json!(4)));
    ran.says(&["4 of the kept within another one"]);
    // What goes names a document that stays, and so does a copy of it.
    let (ran, found, kept) = run("remove", "standard");
    let gone = ["changed", "copy", "inner", "middle", "short"];
    let gone_for = ["original", "outer", "outer", "outer", "long"];
    let mut sorted = found.clone();
    sorted.sort();
    assert_eq!(
        sorted,
        gone.iter().zip(gone_for).map(|(id, kept)| (id.to_string(), kept.to_owned(), false)).collect::<Vec<_>>()
    );
    assert!(found.iter().all(|(id, for_it, _)| kept.contains(for_it) && !kept.contains(id)), "{found:?} {kept:?}");
    assert_eq!(kept.len(), 9);
    ran.says(&["5 within a kept document"]);
    // A lost word is a name for all that strict knows.
    let (_, found, kept) = run("remove", "same");
    assert!(found.contains(&("changed".into(), "original".into(), true)), "{found:?}");
    assert!(kept.contains(&"changed".to_owned()) && !kept.contains(&"middle".to_owned()));
    dir.nddb(["dedup", "in.jsonl", "-o", "out.jsonl", "--json"]).done();
    assert_eq!(rows(&dir, "out.jsonl").len(), 13, "nothing is looked for unless asked for");
    // An earlier database that keeps no parts.
    dir.nddb(["create", "db"]).done();
    dir.nddb(["dedup", "in.jsonl", "-o", "out.jsonl", "--against", "db", "--contained", "remove"]).done();
    assert_eq!(rows(&dir, "out.jsonl").len(), 9);
}

fn rows_of(dir: &Dir, name: &str) -> Vec<String> {
    rows(dir, name).iter().map(|row| row["id"].as_str().expect("an id").to_owned()).collect()
}
