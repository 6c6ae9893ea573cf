//! Ids that stand for several documents: told by `load`, with ways out, and never followed by `filter`.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::helper::Dir;

/// A text of words that depend on the seed.
pub(crate) fn text(seed: u64) -> String {
    let letter = |number: u64, letters: &[u8]| char::from(letters[(number % letters.len() as u64) as usize]);
    (0..60).fold(String::new(), |mut text, word| {
        let number = (word * 7 + seed * 7919) % 10_007;
        let [a, b, c] = [number, number / 15, number / 225].map(|number| letter(number, b"bcdfghklmnprstv"));
        write!(text, "{a}{}{b}{}{c} ", letter(number / 3, b"aeiou"), letter(number / 7, b"aeiou"))
            .expect("memory is writable");
        text
    })
}

/// Lines with these ids, of texts of the seeds from `first` on.
pub(crate) fn lines(ids: &[Value], first: u64) -> String {
    (first..).zip(ids).map(|(seed, id)| json!({"id": id, "text": text(seed)}).to_string() + "\n").collect()
}

fn ids(dir: &Dir) -> Vec<String> {
    let all = dir.nddb(["export", "db", "--columns", "id"]).done().lines();
    all.iter().map(|row| row["id"].as_str().expect("a text").to_owned()).collect()
}

/// Two files whose ids begin at 0 each.
fn two_files() -> Dir {
    let dir = Dir::with_database();
    let numbers: Vec<Value> = (0..4).map(Value::from).collect();
    dir.write("a.jsonl", lines(&numbers, 0).as_bytes());
    dir.write("b.jsonl", lines(&numbers, 100).as_bytes());
    dir
}

#[test]
fn ids_that_come_again_are_told_with_the_file_and_the_ways_out() {
    let dir = two_files();
    let ran = dir.nddb(["load", "db", "a.jsonl", "b.jsonl", "--json"]).ends(3);
    ran.says(&[
        "4 documents stored (0 replaced), 0 unchanged",
        "4 repeated (their id came again, first 0 in b.jsonl: ",
    ]);
    ran.says(&["hint: ", "--id path", "--id row", "--id-field", "--id-prefix"]);
    assert_eq!((&ran.json()["repeated"], &ran.json()["repeat"]), (&json!(4), &json!({"id": 0, "file": "b.jsonl"})));
    let ran = dir.nddb(["load", "db", "a.jsonl", "--again"]).done();
    ran.says(&["4 documents stored (4 replaced)"]);
    assert!(!ran.stderr.contains("came again"), "ids of an earlier load: {}", ran.stderr);
    // A number is another id than its digits.
    let dir = Dir::with_database();
    dir.write("mixed.jsonl", lines(&[json!(1), json!("x"), json!("1"), json!("x")], 0).as_bytes());
    let ran = dir.nddb(["load", "db", "mixed.jsonl", "--json"]).ends(3);
    ran.says(&["3 documents stored", "1 repeated (their id came again, first \"x\" in mixed.jsonl"]);
    assert_eq!(ran.json()["repeat"]["id"], "x");
    // Records of archives, too.
    let pages = [text(1), text(2)];
    dir.write_warc("one.warc", &[("urn:x", &pages[0]), ("urn:x", &pages[1])]);
    dir.nddb(["load", "db", "one.warc"])
        .ends(3)
        .says(&["1 repeated (their id came again, first \"urn:x\" in one.warc"]);
}

#[test]
fn ids_can_be_places_or_have_a_prefix() {
    let dir = two_files();
    let ran = dir.nddb(["load", "db", "a.jsonl", "b.jsonl", "--id", "row", "--id-prefix", "p/"]).done();
    assert!(!ran.stderr.contains("came again"), "{}", ran.stderr);
    let row = |name: &str| (0..4).map(|row| format!("{name}:{row}")).collect::<Vec<_>>();
    assert_eq!(ids(&dir), [row("p/a.jsonl"), row("p/b.jsonl")].concat());

    let dir = Dir::with_database();
    for folder in ["x", "y"] {
        std::fs::create_dir(dir.path(folder)).expect("a folder");
        dir.write(
            &format!("{folder}/no-ids.jsonl"),
            format!("{}\n", json!({"text": text(folder.len() as u64)})).as_bytes(),
        );
        dir.write(&format!("{folder}/page.html"), text(7).as_bytes());
    }
    dir.nddb(["load", "db", "x", "y", "--id", "path"]).done();
    assert_eq!(ids(&dir), ["x/no-ids.jsonl:0", "x/page.html", "y/no-ids.jsonl:0", "y/page.html"]);
    // The text is found again without an id.
    dir.nddb(["cluster", "db", "--method", "lcs", "-o", "c"]).done();
}

#[test]
fn pages_of_several_folders_have_their_folder_in_their_ids() {
    let dir = Dir::with_database();
    for folder in ["a", "b"] {
        std::fs::create_dir(dir.path(folder)).expect("a folder");
        dir.write(&format!("{folder}/index.html"), text(folder.as_bytes()[0].into()).as_bytes());
    }
    dir.nddb(["load", "db", "a/", "b"]).done().says(&["2 documents stored (0 replaced"]);
    assert_eq!(ids(&dir), ["a/index.html", "b/index.html"]);
}

/// Filters files of lines; returns the lines that are left, and the messages.
fn filtered(dir: &Dir, inputs: &[&str], options: &[&str]) -> (Vec<String>, String) {
    let ran = dir.nddb([&["filter", "db"], inputs, &["--clusters", "c", "-o", "out/"], options].concat()).done();
    let left = inputs.iter().flat_map(|input| {
        let lines = String::from_utf8(dir.read(&format!("out/{input}"))).expect("text");
        lines.lines().map(str::to_owned).collect::<Vec<_>>()
    });
    (left.collect(), ran.stderr)
}

/// Two files with ids from 0 on, of which the second has a text twice; loaded, and clustered.
fn with_a_duplicate(pack: impl Fn(&[u8]) -> Vec<u8>, ending: &str) -> (Dir, [String; 2]) {
    let dir = two_files();
    let numbers: Vec<Value> = (0..3).map(Value::from).collect();
    let again = json!({"id": 3, "text": text(100)}).to_string() + "\n";
    let texts = [String::from_utf8(dir.read("a.jsonl")).expect("text"), lines(&numbers, 100) + "\n" + &again];
    let names = ["a", "b"].map(|name| format!("{name}.jsonl{ending}"));
    for (name, text) in names.iter().zip(&texts) {
        dir.write(name, &pack(text.as_bytes()));
    }
    dir.nddb(["load", "db", &names[0], &names[1]]).ends(3);
    dir.nddb(["cluster", "db", "-o", "c"]).done();
    assert_eq!(dir.read("c/remove.txt"), b"3\n");
    (dir, texts)
}

#[test]
fn filter_removes_the_row_that_was_judged_and_no_other_of_its_id() {
    let (dir, [a, b]) = with_a_duplicate(<[u8]>::to_vec, "");
    let table = String::from_utf8(dir.read("c/remove.tsv")).expect("text");
    let offset = b.rfind('{').expect("an object");
    let file = dir.path("b.jsonl");
    let (names, line) = table.split_once('\n').expect("two lines");
    assert_eq!(
        names,
        "document\tkept\trule\tprobability\tloss\tlost\tlost_words\tlost_passage\tlevel\tarchive\toffset\tinner\tfile"
    );
    assert!(line.starts_with("3\t"), "{table}");
    assert!(line.ends_with(&format!("\t2\t{offset}\t0\t{}\n", file.display())), "{table}");
    let kept: Vec<String> = a.lines().chain(b.lines().take(4)).map(str::to_owned).collect();
    for deleted in [false, true] {
        if deleted {
            dir.nddb(["rm", "db", "--ids-from", "c/remove.txt"]).done();
        }
        let (left, told) = filtered(&dir, &["a.jsonl", "b.jsonl"], &[]);
        assert_eq!(left, kept);
        assert!(told.contains("1 removed (1 of the kept has an id of the list, and not the place)"), "{told}");
    }
    assert_eq!(
        filtered(&dir, &["a.jsonl"], &[]).0,
        a.lines().collect::<Vec<_>>(),
        "its only row of the id was not judged"
    );
    // Files that the database does not know: the id decides while it is of one row.
    dir.write("other.jsonl", (lines(&[json!("x")], 300) + &b).as_bytes());
    assert_eq!(filtered(&dir, &["other.jsonl", "b.jsonl"], &[]).0.len(), 6 + 5 - 1);
    let (left, _) = filtered(&dir, &["other.jsonl"], &[]);
    assert_eq!((left.len(), left.iter().any(|line| line.starts_with("{\"id\":3"))), (5, false));
    dir.write("twice.jsonl", format!("{b}{b}").as_bytes());
    let (left, told) = filtered(&dir, &["twice.jsonl"], &[]);
    assert_eq!(left.len(), 10, "nobody knows which of them was judged");
    assert!(told.contains("2 of the kept have an id"), "{told}");
}

#[test]
fn filter_knows_rows_of_compressed_files_by_their_place() {
    let pack = |bytes: &[u8]| {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, bytes).expect("memory is writable");
        packed.finish().expect("memory is writable")
    };
    let (dir, _) = with_a_duplicate(pack, ".gz");
    let ran = dir.nddb(["filter", "db", "a.jsonl.gz", "b.jsonl.gz", "--clusters", "c", "-o", "out/"]).done();
    ran.says(&["8 documents: 7 kept, 1 removed (1 of the kept has an id of the list"]);
}

#[test]
fn filter_keeps_records_of_one_id_that_were_not_judged() {
    let texts = [1, 2, 1].map(text);
    for name in ["all.warc", "all.warc.gz"] {
        let dir = Dir::with_database();
        // The second record takes the id of the third, which has the text of the first.
        let pages = [("urn:a", &texts[0][..]), ("urn:b", &texts[1]), ("urn:b", &texts[2])];
        dir.write_warc(name, &pages);
        dir.nddb(["load", "db", name]).ends(3).says(&["1 repeated"]);
        dir.nddb(["cluster", "db", "-o", "c"]).done();
        assert_eq!(dir.read("c/remove.txt"), b"urn:b\n", "{name}");
        dir.nddb(["filter", "db", name, "--clusters", "c", "-o", &format!("out-{name}")]).done();
        dir.write_warc(&format!("wanted-{name}"), &pages[..2]);
        assert_eq!(dir.read(&format!("out-{name}")), dir.read(&format!("wanted-{name}")), "{name}");
    }
}
