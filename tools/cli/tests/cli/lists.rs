//! Lists as editors, spreadsheets and other tools write them, and lists that were cut or edited after `cluster` wrote them.

use std::collections::BTreeSet;

use nddb_jobs::tsv::is_control;
use nddb_test_support::Random;
use serde_json::{Value, json};

use crate::helper::Dir;

const UUID: &str = "8c9c07ee-6a87-4e43-8c5d-2e0a8e1b7f11";

/// A folder with a database of five equal documents from `in.jsonl`, and a clustering of them in `clusters`.
fn clustered() -> Dir {
    let dir = Dir::with_database();
    let text = (0..80).map(|word| format!("w{} ", word * 37 % 1009)).collect::<String>();
    let lines: String = (0..5).map(|id| format!("{}\n", json!({"id": format!("a{id}"), "text": text}))).collect();
    dir.write("in.jsonl", lines.as_bytes());
    dir.nddb(["load", "db", "in.jsonl"]).done();
    dir.nddb(["cluster", "db", "-o", "clusters"]).done();
    assert_eq!(dir.read("clusters/remove.txt"), b"a1\na2\na3\na4\n");
    dir
}

fn utf16(text: &str) -> Vec<u8> {
    format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut writer, bytes).expect("written");
    writer.finish().expect("written")
}

#[test]
fn every_command_reads_a_list_in_every_encoding() {
    let dir = clustered();
    let text = "a1\r\na2\r\n";
    let lists = [format!("\u{feff}{text}").into_bytes(), utf16(text), gzip(&utf16(text)), b"a1\na2".to_vec()];
    for list in lists {
        dir.write("ids.txt", &list);
        dir.nddb(["filter", "db", "in.jsonl", "--remove", "ids.txt", "-o", "kept.jsonl"]).done();
        assert_eq!(dir.read("kept.jsonl").iter().filter(|&&byte| byte == b'\n').count(), 3, "{list:?}");
        let counted = dir.nddb(["rm", "db", "--ids-from", "ids.txt", "--dry-run", "--json"]).done().json();
        assert_eq!(counted["deleted"], 2, "{list:?}");
        dir.nddb(["cluster", "db", "--never-remove", "ids.txt", "-o", "spared"]).done();
        let removed = String::from_utf8(dir.read("spared/remove.txt")).expect("text");
        assert!(!removed.contains("a1") && !removed.contains("a2"), "{removed}");
        dir.nddb(["cluster", "db", "--always-remove", "ids.txt", "-o", "forced"]).done();
        let removed = String::from_utf8(dir.read("forced/remove.txt")).expect("text");
        assert!(removed.starts_with("a1\na2\n"), "{removed}");
    }
    dir.write("files.txt", &utf16("in.jsonl\r\n"));
    dir.nddb(["create", "other"]).done();
    assert_eq!(dir.nddb(["load", "other", "--from-list", "files.txt", "--json"]).done().json()["documents"], 5);
    dir.write("latin.txt", b"a1\n\xe4\n");
    let ran = dir.nddb(["rm", "db", "--ids-from", "latin.txt"]).tells(1, &["latin.txt: line 2"]);
    ran.says(&["iconv"]);
}

#[test]
fn a_list_of_which_nothing_is_stored_is_an_error_that_names_its_first_ids() {
    let dir = clustered();
    dir.write("ids.txt", b"x1\nx2\nx3\nx4\n");
    let words = &["ids.txt: nothing in this list is stored: 'x1', 'x2', 'x3', ..."];
    dir.nddb(["filter", "db", "in.jsonl", "--remove", "ids.txt", "-o", "kept.jsonl"]).tells(1, words);
    assert!(!dir.path("kept.jsonl").exists(), "nothing is written");
    dir.nddb(["rm", "db", "--ids-from", "ids.txt"]).tells(1, words);
    for option in ["--never-remove", "--always-remove"] {
        dir.nddb(["cluster", "db", option, "ids.txt", "-o", "other"]).tells(1, words);
    }
    dir.write("hosts.txt", b"host:nowhere.example\n");
    let words = &["hosts.txt: nothing in this list is stored: 'host:nowhere.example'"];
    dir.nddb(["cluster", "db", "--never-remove", "hosts.txt", "-o", "other"]).tells(1, words);
    // Some are stored: the others are counted.
    dir.write("ids.txt", b"x1\na1\n");
    dir.nddb(["rm", "db", "--ids-from", "ids.txt", "--dry-run"]).ends(1).says(&["1 id not stored: 'x1'"]);
    let ran = dir.nddb(["cluster", "db", "--never-remove", "ids.txt", "-o", "other"]).done();
    ran.says(&["1 line without a stored document: 'x1'"]);
    // The list is of another input, or its documents were deleted since they were judged.
    dir.write("b.jsonl", b"{\"id\":\"b\",\"text\":\"other words\"}\n");
    let ran = dir.nddb(["filter", "db", "b.jsonl", "--clusters", "clusters", "-o", "kept.jsonl"]).done();
    ran.says(&["4 ids of the list in none of the inputs"]);
    dir.nddb(["rm", "db", "--ids-from", "clusters/remove.txt"]).done();
    dir.nddb(["filter", "db", "in.jsonl", "--remove", "clusters/remove.txt", "-o", "kept.jsonl"]).done();
    assert_eq!(dir.read("kept.jsonl").iter().filter(|&&byte| byte == b'\n').count(), 1);
}

/// Makes the summary beside the lists tell of them as they are now.
fn tell_of_lists(dir: &Dir) {
    let mut lists = serde_json::Map::new();
    for name in ["remove.txt", "remove.tsv", "keep.txt", "clusters.jsonl"] {
        let bytes = dir.read(&format!("clusters/{name}"));
        let lines = bytes.iter().filter(|&&byte| byte == b'\n').count();
        let xxh3 = format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&bytes));
        lists.insert(name.into(), json!({"lines": lines, "bytes": bytes.len(), "xxh3": xxh3}));
    }
    let mut summary: Value = serde_json::from_slice(&dir.read("clusters/summary.json")).expect("JSON");
    summary["lists"] = lists.into();
    dir.write("clusters/summary.json", summary.to_string().as_bytes());
}

#[test]
fn lists_that_were_cut_after_cluster_wrote_them_are_errors() {
    let dir = clustered();
    tell_of_lists(&dir);
    let filter = ["filter", "db", "in.jsonl", "--clusters", "clusters", "-o", "kept.jsonl"];
    dir.nddb(filter).done();
    for name in ["remove.txt", "remove.tsv"] {
        let name = format!("clusters/{name}");
        let whole = dir.read(&name);
        for cut in [0, 1, whole.len() / 2, whole.len() - 1] {
            dir.write(&name, &whole[..cut]);
            let ran = dir.nddb(filter).tells(1, &[&*name, "it was cut short"]);
            ran.says(&["run 'nddb cluster -o' again"]);
        }
        dir.write(&name, &whole);
    }
    let whole = dir.read("clusters/remove.txt");
    dir.write("clusters/remove.txt", &whole[..4]);
    dir.nddb(["rm", "db", "--ids-from", "clusters/remove.txt"]).tells(1, &["it was cut short"]);
    dir.nddb(["cluster", "db", "--never-remove", "clusters/remove.txt"]).tells(1, &["it was cut short"]);
    // The same list alone is a list.
    dir.write("remove.txt", &whole[..4]);
    dir.nddb(["filter", "db", "in.jsonl", "--remove", "remove.txt", "-o", "kept.jsonl"]).done();
    // An edited one is used.
    dir.write("clusters/remove.txt", b"a1\na2\na0\na4\n");
    dir.nddb(["rm", "db", "--ids-from", "clusters/remove.txt", "--dry-run"]).done().says(&["it was edited"]);
    dir.write("clusters/remove.txt", &whole);
    dir.nddb(["cluster", "db", "--previous", "clusters", "-o", "next"]).done();
    dir.write("clusters/keep.txt", b"");
    dir.nddb(["cluster", "db", "--previous", "clusters", "-o", "next"]).tells(1, &["keep.txt", "it was cut short"]);
    std::fs::remove_file(dir.path("clusters/summary.json")).expect("removed");
    dir.nddb(filter).done().says(&["no summary.json"]);
    dir.write("clusters/remove.tsv", b"");
    dir.nddb(filter).tells(1, &["clusters/remove.tsv: it has not even the names of its columns"]);
}

#[test]
fn an_empty_list_is_told_unless_a_summary_tells_that_it_is_whole() {
    let dir = clustered();
    dir.write("ids.txt", b"");
    let told = ["ids.txt: the list is empty"];
    dir.nddb(["filter", "db", "in.jsonl", "--remove", "ids.txt", "-o", "kept.jsonl"]).done().says(&told);
    dir.nddb(["rm", "db", "--ids-from", "ids.txt"]).done().says(&told);
    dir.nddb(["cluster", "db", "--never-remove", "ids.txt", "-o", "spared"]).done().says(&told);
    dir.nddb(["rm", "db", "--ids-from", "clusters/remove.txt"]).done();
    dir.nddb(["cluster", "db", "-o", "none"]).done();
    assert_eq!(dir.read("none/remove.txt"), b"");
    let quiet = dir.nddb(["filter", "db", "in.jsonl", "--clusters", "none", "-o", "kept.jsonl"]).done();
    assert!(!quiet.stderr.contains("empty"), "{}", quiet.stderr);
}

#[test]
fn lists_name_each_id_whatever_characters_it_has_and_give_none_to_a_terminal() {
    let letters: Vec<char> = "\u{1b}\u{7}\u{9b}\u{85}\u{7f}\u{202e}\t\n\r\\\"#u01be é".chars().collect();
    let mut random = Random::seeded("lists_name_each_id");
    let mut ids = BTreeSet::new();
    while ids.len() < 40 {
        let middle: String = (0..random.below(6)).map(|_| *random.pick(&letters)).collect();
        ids.insert(format!("a{middle}z"));
    }
    let text = (0..80).map(|word| format!("w{} ", word * 37 % 1009)).collect::<String>();
    let lines: String = ids.iter().map(|id| format!("{}\n", json!({"id": id, "text": text}))).collect();
    let dir = Dir::with_database();
    dir.write("in.jsonl", lines.as_bytes());
    dir.nddb(["load", "db", "in.jsonl"]).done();
    dir.nddb(["cluster", "db", "-o", "clusters"]).done();
    let kept_of = |removal: &[&str]| {
        dir.nddb(["filter", "db", "in.jsonl", "-o", "kept.jsonl", "--removed", "removed.tsv"].iter().chain(removal))
            .done();
        String::from_utf8(dir.read("kept.jsonl")).expect("text")
    };
    let kept = kept_of(&["--remove", "clusters/remove.txt"]);
    assert_eq!(kept.lines().count(), 1, "{kept}");
    assert_eq!(kept_of(&["--clusters", "clusters"]), kept);
    let both = ["keep.txt", "remove.txt"].map(|name| dir.read(&format!("clusters/{name}"))).concat();
    let tables = ["clusters/clusters.tsv", "clusters/remove.tsv", "removed.tsv"].map(|name| dir.read(name)).concat();
    let export = dir.nddb(["export", "db", "--format", "tsv"]).done().stdout.into_bytes();
    for listed in [both, tables, export] {
        let listed = String::from_utf8(listed).expect("text");
        assert_eq!(listed.chars().find(|letter| is_control(*letter) && !"\t\n".contains(*letter)), None, "{listed:?}");
    }
    let deleted = dir.nddb(["rm", "db", "--ids-from", "clusters/remove.txt", "--json"]).done().json();
    assert_eq!(deleted["deleted"], 39);
    let stored = dir.nddb(["export", "db", "--columns", "id"]).done().lines();
    let kept: Value = serde_json::from_str(&kept).expect("JSON");
    assert_eq!(stored, [json!({"id": kept["id"]})]);
}

#[test]
fn the_id_of_a_record_is_one_id_in_each_form() {
    let forms = [UUID.to_owned(), format!("urn:uuid:{UUID}"), format!("<urn:uuid:{UUID}>")];
    for stored in &forms {
        let dir = Dir::with_database();
        dir.write(
            "in.jsonl",
            format!("{}\n{}\n", json!({"id": stored, "text": "some words"}), json!({"id": "b", "text": "x y"}))
                .as_bytes(),
        );
        dir.nddb(["load", "db", "in.jsonl"]).done();
        for listed in &forms {
            dir.nddb(["get", "db", listed]).done();
            dir.write("ids.txt", format!("{listed}\n").as_bytes());
            let counted = dir.nddb(["rm", "db", "--ids-from", "ids.txt", "--dry-run", "--json"]).done().json();
            assert_eq!(counted["deleted"], 1, "{listed} of {stored}");
            // Files of other tools have the id in the other forms.
            for row in &forms {
                dir.write("rows.jsonl", format!("{}\n", json!({"id": row, "text": "some words"})).as_bytes());
                dir.nddb(["filter", "db", "rows.jsonl", "--remove", "ids.txt", "-o", "kept.jsonl"]).done();
                assert_eq!(dir.read("kept.jsonl"), b"", "{listed} removes {row}");
            }
        }
    }
    let dir = Dir::with_database();
    let lines: String = forms[1..].iter().map(|id| format!("{}\n", json!({"id": id, "text": "words"}))).collect();
    dir.write("in.jsonl", lines.as_bytes());
    dir.nddb(["load", "db", "in.jsonl"]).done();
    dir.nddb(["get", "db", UUID]).tells(1, &["both stored"]);
    dir.write("ids.txt", format!("{}\n", forms[2]).as_bytes());
    dir.nddb(["filter", "db", "in.jsonl", "--remove", "ids.txt", "-o", "kept.jsonl"]).done();
    assert_eq!(
        dir.read("kept.jsonl"),
        lines.lines().next().map(|line| format!("{line}\n")).expect("a line").as_bytes()
    );
}

#[test]
fn a_file_that_was_edited_in_its_middle_is_not_taken_for_the_one_that_was_loaded() {
    let dir = Dir::with_database();
    let words = |seed: u64| (0..90).map(|word| format!("w{} ", (word * seed) % 1009)).collect::<String>();
    let mut lines: Vec<String> =
        (0..60_u64).map(|id| format!("{}\n", json!({"id": format!("d{id}"), "text": words(id + 2)}))).collect();
    let text = words(501);
    for (id, text) in [(30, text.clone()), (31, format!("{text} more"))] {
        lines[id] = format!("{}\n", json!({"id": format!("d{id}"), "text": text}));
    }
    // The two ends of the file, by which it is known, have no part in what follows.
    let pad = format!("{}\n", json!({"id": "pad", "text": "long ".repeat(30_000)}));
    let write = |lines: &[String]| {
        dir.write("in.jsonl", [&pad, &*lines.concat(), &pad.replace("pad", "end")].concat().as_bytes())
    };
    write(&lines);
    dir.nddb(["load", "db", "in.jsonl"]).done();
    let pairs = ["pairs", "db", "--verify", "lcs", "--json", "-o", "pairs.jsonl"];
    let found = || String::from_utf8(dir.read("pairs.jsonl")).expect("text").contains("\"d30\"");
    dir.nddb(pairs).done();
    assert!(found());
    // A new time alone changes nothing.
    std::thread::sleep(std::time::Duration::from_millis(20));
    write(&lines);
    dir.nddb(pairs).done();
    assert!(found());
    lines[31] = lines[31].replace('w', "v");
    write(&lines);
    let ran = dir.nddb(pairs).run();
    ran.says(&["changed"]);
    lines.swap(31, 32);
    write(&lines);
    dir.write("ids.txt", b"d32\n");
    let ran = dir.nddb(["filter", "db", "in.jsonl", "--remove", "ids.txt", "-o", "kept.jsonl"]).done();
    ran.says(&["in.jsonl: it was changed since it was loaded"]);
    assert!(!String::from_utf8(dir.read("kept.jsonl")).expect("text").contains("\"d32\""));
}
