//! `filter --cut-parts` and `--cut-common`: what is cut stands in the outputs, and all else stays as it was.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use nddb_test_support::Random;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};

use crate::helper::Dir;

/// Words of texts that share passages: each text is made of pieces of others and of words of its own.
fn texts(random: &mut Random, count: usize) -> Vec<String> {
    let word = |random: &mut Random| format!("{}{}", char::from(b'a' + random.below(26) as u8), random.below(5000));
    let ends = [" ", ", ", ". ", "\n", " - ", "! \u{201c}", "\u{201d} "];
    let passages: Vec<Vec<String>> = (0..12)
        .map(|_| {
            let size = 5 + random.index(60);
            (0..size).map(|_| word(random)).collect()
        })
        .collect();
    let text = |random: &mut Random| -> String {
        let mut words = Vec::new();
        for _ in 0..1 + random.index(5) {
            match random.below(3) {
                0 => words.extend((0..random.index(40)).map(|_| word(random))),
                1 => words.extend(vec![word(random); random.index(90)]),
                _ => words.extend(passages[random.index(passages.len())].clone()),
            }
        }
        words
            .iter()
            .map(|word| {
                let word = if random.percent(10) { word.to_uppercase() } else { word.clone() };
                word + ends[random.index(3 * ends.len()).saturating_sub(2 * ends.len())]
            })
            .collect()
    };
    (0..count).map(|_| text(random)).collect()
}

/// The words of a text, plainly: runs of letters and digits.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn with_database(dir: &Dir) {
    dir.nddb(["create", "db"]).done();
    dir.write("none.txt", b"");
}

fn filter(dir: &Dir, options: &[&str]) -> Value {
    let listed = ["filter", "db", "--remove", "none.txt", "--removed", "cuts.jsonl", "--json"];
    dir.nddb([&listed[..], options].concat()).done().json()
}

fn rows(bytes: Vec<u8>) -> Vec<Value> {
    String::from_utf8(bytes).expect("text").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Checks that each cut is that of a passage which stands whole in a text of the outputs, and that nothing else is
/// missing; returns the number of cuts.
fn check_cuts(before: &[String], after: &[String], cuts: &[Value], min_words: usize, told: &str) -> usize {
    let mut expected: Vec<Vec<char>> = before.iter().map(|text| text.chars().collect()).collect();
    let number = |value: &Value| value.as_u64().expect("a number") as usize;
    let document = |value: &Value| value.as_str().expect("an id")[1..].parse::<usize>().expect("a number");
    for cut in cuts.iter().rev() {
        let (of, kept) = (document(&cut["id"]), document(&cut["kept"]));
        let (begin, end) = (number(&cut["begin"]), number(&cut["end"]));
        let text = &mut expected[of];
        let is_word = |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(|c| c.is_alphanumeric());
        assert!(!(is_word(begin.checked_sub(1)) && is_word(Some(begin))), "{told}: it begins within a word: {cut}");
        assert!(!(is_word(Some(end - 1)) && is_word(Some(end))), "{told}: it ends within a word: {cut}");
        let passage: String = text.drain(begin..end).collect();
        let passage = words(&passage);
        assert_eq!(passage.len(), number(&cut["words"]), "{told}: {cut}");
        assert!(passage.len() >= min_words && kept < of, "{told}: {cut}");
        assert_eq!(after[kept], before[kept], "{told}: the source is whole");
        let source = words(&after[kept]);
        assert!(source.windows(passage.len()).any(|words| words == passage), "{told}: {passage:?} in {source:?}");
    }
    let expected: Vec<String> = expected.into_iter().map(String::from_iter).collect();
    assert_eq!(after, expected, "{told}");
    cuts.len()
}

#[test]
fn each_passage_that_is_cut_stands_in_the_output() {
    let (mut random, dir) = (Random::seeded("passages that are cut"), Dir::new());
    with_database(&dir);
    let mut found = 0;
    for round in 0..12 {
        let (before, min_words) = (texts(&mut random, 25), [10, 12, 30][round % 3]);
        let least = min_words.to_string();
        let line = |(at, text): (usize, &String)| {
            format!("{{\"extra\" : [1.50],\"id\":\"d{at}\", \"text\" :{} ,\"z\":\"\\u00e9\"}}\n", json!(text))
        };
        let lines: Vec<String> = before.iter().enumerate().map(line).collect();
        dir.write("in.jsonl", lines.concat().as_bytes());
        let told = filter(&dir, &["in.jsonl", "-o", "out.jsonl", "--cut-parts", "--min-words", &least]);
        let cuts = rows(dir.read("cuts.jsonl"));
        let after: Vec<String> =
            rows(dir.read("out.jsonl")).iter().map(|row| row["text"].as_str().expect("a text").to_owned()).collect();
        found += check_cuts(&before, &after, &cuts, min_words, &format!("round {round}"));
        assert_eq!(told["cuts"], json!(cuts.len()));
        let out: String = after.iter().enumerate().map(line).collect();
        assert_eq!(String::from_utf8(dir.read("out.jsonl")).expect("text"), out, "all else stays as it was");
        // The same of a table.
        let ids: ArrayRef = Arc::new((0..before.len()).map(|at| Some(format!("d{at}"))).collect::<StringArray>());
        let bodies: ArrayRef = Arc::new(before.iter().map(Some).collect::<StringArray>());
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..before.len() as i64));
        let batch = RecordBatch::try_from_iter([("id", ids), ("text", bodies), ("n", numbers)]).expect("a table");
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).expect("a schema");
        writer.write(&batch).expect("written");
        dir.write("in.parquet", &writer.into_inner().expect("written"));
        filter(&dir, &["in.parquet", "-o", "out.parquet", "--cut-parts", "--min-words", &least]);
        assert_eq!(rows(dir.read("cuts.jsonl")), cuts);
        let file = std::fs::File::open(dir.path("out.parquet")).expect("a file");
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("a table").build().expect("readable");
        let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>().expect("readable");
        let texts = batches.iter().flat_map(|batch| batch.column(1).as_string::<i32>().iter().flatten());
        assert_eq!(texts.collect::<Vec<_>>(), after);
        assert_eq!(batches.iter().map(|batch| batch.column(2).len()).sum::<usize>(), before.len());
    }
    assert!(found > 40, "{found}");
}

/// Verbatim passages of the least number of words are found, whatever is around them; removed documents are no sources.
#[test]
fn a_passage_is_cut_from_later_documents_alone() {
    let dir = Dir::new();
    let word = |seed: usize, count: usize| (0..count).map(|at| format!("w{seed}x{} ", at * 7)).collect::<String>();
    let passage = word(1, 50);
    let texts = [
        ("gone", format!("{passage}{}", word(2, 300))),
        ("first", format!("{}{passage}{}", word(3, 300), word(4, 300))),
        ("second", format!("{}({passage})\n\n{}", word(5, 300), word(6, 10))),
        ("short", word(1, 49)),
    ];
    let lines: String = texts.iter().map(|(id, text)| json!({"id": id, "text": text}).to_string() + "\n").collect();
    dir.write("in.jsonl", lines.as_bytes());
    dir.nddb(["create", "db"]).done();
    dir.nddb(["load", "db", "in.jsonl"]).done();
    dir.write("remove.txt", b"gone\n");
    let ran = dir
        .nddb([
            "filter",
            "db",
            "in.jsonl",
            "--remove",
            "remove.txt",
            "-o",
            "out.jsonl",
            "--cut-parts",
            "--removed",
            "l",
        ])
        .done();
    ran.says(&["3 kept, 1 removed; 1 cut of 50 words from 1 document"]);
    let out = rows(dir.read("out.jsonl"));
    assert_eq!(out[1]["text"], json!(format!("{}()\n\n{}", word(5, 300), word(6, 10))));
    assert_eq!((&out[0]["text"], &out[2]["text"]), (&json!(texts[1].1), &json!(texts[3].1)));
    let list = String::from_utf8(dir.read("l")).expect("text");
    assert!(
        list.starts_with("id\tkept\trule\t")
            && list.lines().next().is_some_and(|line| line.ends_with("\tbegin\tend\twords"))
    );
    assert!(list.contains("\nsecond\tfirst\tpassage\t") && list.contains("\ngone\t"), "{list}");
    // What has no such text, and what is too short for a passage.
    dir.write("page.html", b"<p>page");
    let refused = ["filter", "db", "page.html", "--remove", "remove.txt", "-o", "o/", "--cut-parts"];
    dir.nddb(refused).tells(2, &["texts are cut in lines of JSON and Parquet"]);
    dir.nddb(["filter", "db", "in.jsonl", "--remove", "remove.txt", "-o", "o", "--cut-parts", "--min-words", "9"])
        .tells(2, &["9"]);
}

/// Texts of one word, of equal parts, and a long line cost little more than they are long.
#[test]
fn hostile_texts_are_bounded() {
    let dir = Dir::new();
    with_database(&dir);
    let long = "same ".repeat(300_000);
    let periodic = "one two three four five six ".repeat(2_000);
    let texts: Vec<&str> = [&*long, &*long].into_iter().chain(std::iter::repeat_n(&*periodic, 200)).collect();
    let lines =
        texts.iter().enumerate().map(|(at, text)| json!({"id": format!("d{at}"), "text": text}).to_string() + "\n");
    dir.write("in.jsonl", lines.collect::<String>().as_bytes());
    let begun = std::time::Instant::now();
    let told = filter(&dir, &["in.jsonl", "-o", "out.jsonl", "--cut-parts", "--cut-common", "300"]);
    assert!(begun.elapsed().as_secs() < 120, "{:?}", begun.elapsed());
    assert_eq!(told["cut_documents"], 200);
    let out = rows(dir.read("out.jsonl"));
    let sizes: Vec<usize> = out.iter().map(|row| row["text"].as_str().expect("a text").len()).collect();
    assert_eq!((sizes[0], sizes[1], sizes[2], sizes[3..].iter().sum()), (long.len(), 0, periodic.len(), 0));
}

#[test]
fn common_lines_and_paragraphs_go_from_all_documents() {
    let dir = Dir::new();
    with_database(&dir);
    let texts = [
        "Title one\nRead more here\nBody of one.\n\nAll rights\nreserved",
        "read  more HERE\nbody of two\n\nAll\nrights reserved\n\nend of two",
        "Body three\n-----\nRead more here",
        "-----\nTwice\nTwice\nTwice",
    ];
    let lines = texts.iter().enumerate().map(|(at, text)| json!({"id": at, "text": text}).to_string() + "\n");
    dir.write("in.jsonl", lines.collect::<String>().as_bytes());
    let cut = |most: &str| -> Vec<String> {
        filter(&dir, &["in.jsonl", "-o", "out.jsonl", "--cut-common", most]);
        rows(dir.read("out.jsonl")).iter().map(|row| row["text"].as_str().expect("a text").to_owned()).collect()
    };
    let twice = "-----\nTwice\nTwice\nTwice";
    let of_two =
        ["Title one\nBody of one.\n\nAll rights\nreserved", "body of two\n\nAll\nrights reserved\n\nend of two"];
    assert_eq!(cut("2"), [of_two[0], of_two[1], "Body three\n-----\n", twice]);
    assert_eq!(rows(dir.read("cuts.jsonl")).len(), 3);
    let of_one = ["Title one\nBody of one.\n\n", "body of two\n\n\nend of two"];
    assert_eq!(cut("1"), [of_one[0], of_one[1], "Body three\n-----\n", twice]);
    let listed = rows(dir.read("cuts.jsonl"));
    let first = json!({"rule": "common", "begin": 10, "end": 25, "words": 3, "kept": null});
    assert!(first.as_object().expect("fields").iter().all(|(name, value)| listed[0][name] == *value), "{listed:?}");
    assert_eq!(cut("3"), texts);
}
