//! `cluster`: stars, and what to keep and to remove.

use serde_json::{Value, json};

use crate::helper::{Dir, keys};
use crate::pairs::with_pages;

fn text(dir: &Dir, name: &str) -> String {
    String::from_utf8(dir.read(name)).expect("text")
}

/// Lines of `pairs` without what the pairs lose, which `cluster` does not write.
fn without_losses(pairs: &str) -> String {
    let line = |line: &str| match line.split_once(",\"loss_a\"") {
        Some((head, _)) => format!("{head}}}\n"),
        None => format!("{line}\n"),
    };
    pairs.lines().map(line).collect()
}

#[test]
fn a_folder_gets_clusters_pairs_and_lists() {
    let dir = with_pages();
    let ran = dir.nddb(["cluster", "db", "--method", "split", "-o", "out", "--json"]).done();
    let clusters: Vec<Value> =
        text(&dir, "out/clusters.jsonl").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let expected = json!([
        {
            "cluster": "b", "size": 3, "kept": "b", "removed": 2, "oversized": false, "single_site": true,
            "empty": false, "thin": false, "members": ["a\t\"1\"", "b", "c"],
        },
        {
            "cluster": "e", "size": 2, "kept": "e", "removed": 0, "oversized": false, "single_site": true,
            "empty": true, "thin": false, "members": ["e", "f"],
        },
    ]);
    assert_eq!(json!(clusters), expected);
    let table = "cluster\tdocument\tverdict\tcopies\tcopies_by_batch\n\
                 b\ta\\t\"1\"\tremove\t\t\nb\tb\tkeep\t3\t{\"\":3}\nb\tc\tremove\t\t\ne\te\tkeep\t1\t\ne\tf\tkeep\t1\t\n";
    assert_eq!(text(&dir, "out/clusters.tsv"), table);
    assert_eq!(text(&dir, "out/remove.txt"), "a\\t\"1\"\nc\n");
    assert_eq!(text(&dir, "out/keep.txt"), "b\nd\ne\nf\ng\n");
    assert_eq!(
        text(&dir, "out/pairs.jsonl"),
        without_losses(&dir.nddb(["pairs", "db", "--method", "split"]).done().stdout)
    );
    let summary: Value = serde_json::from_str(&text(&dir, "out/summary.json")).expect("JSON");
    assert_eq!(summary["recipe"], "web/1");
    assert_eq!(summary["input"]["db"], "db");
    assert_eq!((&summary["clusters"], &summary["removed"], &summary["kept"]), (&json!(2), &json!(2), &json!(5)));
    assert_eq!(summary["pairs"]["pairs"], 1);
    let told = ran.json();
    assert!(keys(&told).ends_with(&["seconds", "cpu_seconds", "busiest_thread"]));
    assert_eq!(told["clusters"], 2);
    ran.says(&["7 documents: keep 5, remove 2 (28.6%); 2 clusters of 5 documents"]);
    let names: Vec<String> = std::fs::read_dir(dir.path("out"))
        .expect("a folder")
        .flatten()
        .map(|entry| entry.file_name().into_string().expect("text"))
        .collect();
    assert_eq!(names.len(), 7, "nothing unfinished is left: {names:?}");
    // The same again gives the same.
    let first = [text(&dir, "out/clusters.jsonl"), text(&dir, "out/summary.json")];
    dir.nddb(["cluster", "db", "--method", "split", "-o", "out", "--threads", "1"]).done();
    assert_eq!([text(&dir, "out/clusters.jsonl"), text(&dir, "out/summary.json")], first);
}

#[test]
fn a_folder_keeps_no_table_of_an_earlier_run() {
    let dir = with_pages();
    let files = |options: &[&str]| {
        dir.nddb([&["cluster", "db", "--method", "split", "-o", "out"], options].concat()).done();
        let listed = std::fs::read_dir(dir.path("out")).expect("a folder").flatten();
        let mut names: Vec<String> = listed.map(|entry| entry.file_name().into_string().expect("text")).collect();
        names.retain(|name| name.starts_with("clusters.") || name.starts_with("pairs.") || name == "renamed.tsv");
        names.sort();
        names
    };
    assert_eq!(files(&["--format", "parquet"]), ["clusters.jsonl", "clusters.parquet", "pairs.parquet"]);
    dir.write("out/notes.txt", b"of the user");
    assert_eq!(files(&["--format", "tsv"]), ["clusters.jsonl", "clusters.tsv", "pairs.tsv"]);
    assert_eq!(files(&["--previous", "out"]), ["clusters.jsonl", "clusters.tsv", "pairs.jsonl", "renamed.tsv"]);
    assert_eq!(files(&[]), ["clusters.jsonl", "clusters.tsv", "pairs.jsonl"]);
    assert_eq!(dir.read("out/notes.txt"), b"of the user");
}

/// Ids that are one when only some of their bytes are written otherwise.
#[test]
fn lists_tell_ids_apart_and_rm_reads_them_back() {
    let dir = Dir::with_database();
    let ids = ["a\tb", "a\\tb", "a\nb", "a\\nb", "a\\", "z\\\\"];
    let words: Vec<String> = (0..60).map(|word| format!("w{}", word * 37 % 101)).collect();
    let docs = |more: &str| -> String {
        let line = |id: &&str| format!("{}\n", json!({"id": id, "text": format!("{} {more}", words.join(" "))}));
        ids.iter().map(line).collect()
    };
    dir.write("docs.jsonl", docs("").as_bytes());
    dir.nddb(["load", "db", "docs.jsonl"]).done();
    dir.nddb(["cluster", "db", "--method", "identity", "-o", "out"]).done();
    let lists = [text(&dir, "out/keep.txt"), text(&dir, "out/remove.txt")].concat();
    let distinct: std::collections::BTreeSet<&str> = lists.lines().collect();
    assert_eq!((distinct.len(), lists.lines().count()), (6, 6));
    assert_eq!(text(&dir, "out/keep.txt"), "a\\tb\n");
    // By the bytes of the ids: a line end stands before a backslash.
    assert_eq!(text(&dir, "out/remove.txt"), "a\\nb\na\\\\\na\\\\nb\na\\\\tb\nz\\\\\\\\\n");
    dir.nddb(["rm", "db", "--ids-from", "out/remove.txt"]).done().says(&["5 documents deleted"]);
    let left = dir.nddb(["get", "db", "a\tb"]).done().lines();
    assert_eq!(left[0]["id"], "a\tb");
    dir.write("bad.txt", b"fine\na\\b\n");
    dir.nddb(["rm", "db", "--ids-from", "bad.txt"]).tells(1, &["bad.txt: line 2", "write a backslash of an id as two"]);
}

#[test]
fn without_a_folder_clusters_are_printed() {
    let dir = with_pages();
    let lines = dir.nddb(["cluster", "db", "--method", "b", "--keep", "id", "--components"]).done().lines();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["cluster"], &lines[0]["kept"]), (&json!("b"), &json!("a\t\"1\"")));
    dir.nddb(["cluster", "db", "--method", "b", "--keep", "first"]).tells(2, &["unknown keep rule", "newest"]);
    dir.nddb(["cluster", "db", "--method", "b", "--previous", "x"]).tells(2, &["--output"]);
    dir.nddb(["cluster", "db", "--method", "b", "-o", "out", "--previous", "x"]).tells(1, &["clusters.jsonl"]);
}

#[test]
fn what_another_rule_flips_is_listed() {
    let dir = Dir::with_database();
    let line = |id: &str, date: &str| {
        let words: String = (0..60).map(|word| format!("w{} ", word * 37 % 101)).collect();
        json!({"id": id, "text": words, "metadata": {"date": date}}).to_string() + "\n"
    };
    dir.write("may.jsonl", line("may", "2024-05-01").as_bytes());
    dir.write("june.jsonl", line("june", "2024-06-01").as_bytes());
    dir.nddb(["load", "db", "may.jsonl", "--batch", "may"]).done();
    dir.nddb(["cluster", "db", "-o", "may"]).done();
    dir.nddb(["load", "db", "june.jsonl", "--batch", "june"]).done();
    for (rules, removed, flipped) in
        [("stored", "june\n", ""), ("newest", "may\n", "may\n"), ("oldest", "june\n", ""), ("batch", "june\n", "")]
    {
        dir.nddb(["cluster", "db", "-o", "both", "--previous", "may", "--keep", rules]).done();
        let lists = [text(&dir, "both/remove.txt"), text(&dir, "both/flipped.txt")];
        assert_eq!(lists, [removed.to_owned(), flipped.to_owned()], "{rules}");
    }
    dir.nddb(["cluster", "db", "-o", "both"]).done();
    assert!(!dir.path("both/flipped.txt").exists());
}

#[test]
fn a_deleted_founder_names_its_cluster_until_compaction_and_is_mapped_then() {
    let dir = with_pages();
    let cluster = |options: &[&str]| {
        dir.nddb([&["cluster", "db", "--method", "b", "-o", "out"], options].concat()).done();
        (
            text(&dir, "out/clusters.tsv")
                .lines()
                .skip(1)
                .filter(|line| !line.starts_with('e'))
                .map(|line| line.split('\t').take(3).collect::<Vec<_>>().join("\t"))
                .collect::<Vec<_>>(),
            text(&dir, "out/keep.txt"),
        )
    };
    cluster(&[]);
    dir.nddb(["rm", "db", "b"]).done();
    let kept = "c\nd\ne\nf\ng\n".to_owned();
    assert_eq!(
        cluster(&["--previous", "out"]),
        (vec!["b\ta\\t\"1\"\tremove".to_owned(), "b\tc\tkeep".to_owned()], kept.clone())
    );
    assert_eq!(text(&dir, "out/renamed.tsv"), "old\tnew\n");
    assert_eq!(
        text(&dir, "out/pairs.jsonl"),
        without_losses(&dir.nddb(["pairs", "db", "--method", "b"]).done().stdout)
    );
    dir.nddb(["compact", "db", "--all"]).done();
    assert_eq!(
        cluster(&["--previous", "out"]),
        (vec!["c\ta\\t\"1\"\tremove".to_owned(), "c\tc\tkeep".to_owned()], kept)
    );
    assert_eq!(text(&dir, "out/renamed.tsv"), "old\tnew\nb\tc\n");
}

/// Of each line of `remove.tsv`: the document and the kept one.
fn reasons(dir: &Dir) -> Vec<[String; 2]> {
    let table = String::from_utf8(dir.read("out/remove.tsv")).expect("text");
    let row = |line: &str| line.split('\t').take(2).map(str::to_owned).collect::<Vec<_>>().try_into().expect("cells");
    table.lines().skip(1).map(row).collect()
}

#[test]
fn lists_of_ids_hosts_and_addresses_decide() {
    let dir = Dir::new();
    let text = (0..90).map(|word| format!("word{word} ")).collect::<String>();
    let line = |id: &str, url: &str, text: &str| format!("{}\n", json!({"id": id, "url": url, "text": text}));
    let pages = [
        line("a", "http://one.example/a", &text),
        line("b", "http://two.example/b", &text),
        line("c", "http://two.example/c", &text),
        line("d", "http://three.example/d", "another page about quite another thing, of which there is one only"),
    ];
    dir.write("pages.jsonl", pages.concat().as_bytes());
    dir.nddb(["create", "db"]).done();
    dir.nddb(["load", "db", "pages.jsonl"]).done();
    let removed = |never: &str, always: &str| {
        dir.write("never.txt", never.as_bytes());
        dir.write("always.txt", always.as_bytes());
        let lists = ["--never-remove", "never.txt", "--always-remove", "always.txt"];
        let told = dir.nddb(["cluster", "db", "-o", "out"].iter().chain(&lists)).done().stderr;
        (String::from_utf8(dir.read("out/remove.txt")).expect("text").replace('\n', " "), told)
    };
    assert_eq!(removed("", "").0, "b c ");
    assert_eq!(removed("host:TWO.example\n", "").0, "a ");
    assert_eq!(removed("url:http://two.example/c\n", "a\nd\n").0, "a b d ");
    assert_eq!(reasons(&dir), [["a", "c"], ["b", "c"], ["d", ""]]);
    assert_eq!(removed("", "a\nb\nc\n").0, "a b c ");
    assert_eq!(reasons(&dir), [["a", ""], ["b", ""], ["c", ""]]);
    // What no clustering would remove is found in the file, and told.
    assert_eq!(removed("", "d\n").0, "b c d ");
    let filter = ["filter", "db", "pages.jsonl", "--clusters", "out", "-o", "kept.jsonl", "--removed", "gone.tsv"];
    dir.nddb(filter).done();
    assert_eq!(String::from_utf8(dir.read("kept.jsonl")).expect("text"), pages[0]);
    let gone = String::from_utf8(dir.read("gone.tsv")).expect("text");
    assert!(gone.lines().any(|line| line.starts_with("d\t\tlisted\t")), "{gone}");
    let (list, told) = removed("host:two.example\nnobody\nurl:http://two.example/x\n", "host:two.example\n");
    assert_eq!(list, "a ");
    assert!(told.contains("never.txt: 2 lines without a stored document"), "{told}");
}
