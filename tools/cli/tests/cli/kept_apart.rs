//! Different documents are kept although they share a licence, a template or a small vocabulary. Copies of an article
//! are found in any element and under any class name.

use std::fmt::Write;

use nddb_test_support::Random;
use serde_json::json;

use crate::helper::Dir;

/// Documents of each kind.
const EACH: u64 = 6;

/// Words that are made of syllables.
fn word(random: &mut Random) -> String {
    let mut letter = |letters: &[u8]| char::from(letters[random.index(letters.len())]);
    let (a, b, c) = (letter(b"bcdfghklmnprstv"), letter(b"aeiou"), letter(b"bcdfghklmnprstv"));
    format!("{a}{b}{c}{}", letter(b"aeiou"))
}

/// Sentences of this many words in all.
fn prose(seed: u64, len: usize) -> String {
    let mut random = Random(seed * 7919 + 1);
    let words = (1..=len).map(|place| word(&mut random) + if place % 9 == 0 { ". " } else { " " });
    words.collect()
}

/// A text of `len` words drawn at random from `choices`, with `between` after each.
fn choices(random: &mut Random, choices: &[&str], len: usize, between: &str) -> String {
    (0..len).map(|_| choices[random.index(choices.len())].to_owned() + between).collect()
}

/// Lines, numbered from 1.
fn lines(len: usize, mut line: impl FnMut(usize) -> String) -> String {
    (1..=len).fold(String::new(), |mut lines, number| {
        writeln!(lines, "{}", line(number)).expect("memory is writable");
        lines
    })
}

/// A kind of documents, and how one of them is made of random numbers.
type Kind = (&'static str, fn(&mut Random) -> String);

/// Kinds of plain texts of which people know each from the others.
const KINDS: [Kind; 34] = [
    // One comment, another program.
    ("licence and code", |random| {
        prose(1, 60) + "\n" + &lines(40, |_| format!("{} = {}({});", word(random), word(random), word(random)))
    }),
    ("licence and operators", |random| {
        prose(2, 120) + "\n" + &lines(40, |_| choices(random, &["+", "-", "<", ">", "[", "]", ".", ","], 40, ""))
    }),
    ("licence and key", |random| {
        prose(3, 60) + "\n" + &lines(20, |_| choices(random, &["a", "F", "q", "9", "Z", "x", "0", "m"], 64, ""))
    }),
    ("notice and functions", |random| {
        prose(4, 40)
            + "\n"
            + &lines(30, |_| format!("int {}(int x) {{ return x + {}; }}", word(random), random.below(99)))
    }),
    // One introduction, another list.
    ("recipes", |random| {
        prose(5, 40) + "\n" + &lines(30, |_| format!("{} g {} {}", random.below(900), word(random), word(random)))
    }),
    ("horoscopes", |random| prose(6, 30) + "\n" + &prose(random.next() % 1000, 40)),
    ("mails with a disclaimer", |random| prose(random.next() % 1000, 40) + "\n\n-- \n" + &prose(7, 80)),
    ("songs with a chorus", |random| {
        (0..3).map(|_| prose(random.next() % 10_000, 20) + "\n" + &prose(8, 12) + "\n").collect()
    }),
    ("telephone books", |random| {
        "Telephone book\n".to_owned()
            + &lines(40, |_| format!("{} {} {}", word(random), word(random), random.below(1_000_000)))
    }),
    ("word lists", |random| lines(60, |_| word(random))),
    // Few different words.
    ("genes", |random| choices(random, &["A", "C", "G", "T"], 300, " ")),
    ("genes in lines", |random| ">gene\n".to_owned() + &lines(12, |_| choices(random, &["A", "C", "G", "T"], 60, ""))),
    ("proteins", |random| {
        let letters =
            ["A", "C", "D", "E", "F", "G", "H", "I", "K", "L", "M", "N", "P", "Q", "R", "S", "T", "V", "W", "Y"];
        ">protein\n".to_owned() + &lines(8, |_| choices(random, &letters, 60, ""))
    }),
    ("surveys", |random| lines(30, |number| format!("Question {number}: {}", ["yes", "no"][random.index(2)]))),
    ("answers", |random| lines(60, |number| format!("{number}. {}", ["A", "B", "C", "D"][random.index(4)]))),
    ("chords", |random| lines(24, |_| choices(random, &["C", "Am", "F", "G", "Dm", "Em"], 4, " "))),
    ("settings", |random| lines(60, |number| format!("option_{number} = {}", ["true", "false"][random.index(2)]))),
    ("instructions", |random| {
        let register = |random: &mut Random| format!("%r{}", 8 + random.below(8));
        lines(80, |_| {
            let operation = ["mov", "add", "sub", "xor", "and", "or"][random.index(6)];
            format!("  {operation} {}, {}", register(random), register(random))
        })
    }),
    ("solfege", |random| choices(random, &["do", "re", "mi", "fa", "sol", "la", "si"], 120, " ")),
    ("Han numerals", |random| choices(random, &["一", "二", "三", "四", "五", "六", "七", "八"], 200, "")),
    ("knitting", |random| {
        lines(20, |number| format!("Row {number}: {}", choices(random, &["k1", "k2", "p1", "p2", "k3", "p3"], 8, " ")))
    }),
    // Numbers.
    ("sudoku", |random| {
        "Sudoku\n".to_owned() + &lines(9, |_| choices(random, &["1", "2", "3", "5", "7", "9"], 9, " "))
    }),
    ("matrices", |random| lines(20, |_| (0..8).map(|_| format!("0.{:03} ", random.below(1000))).collect())),
    ("prices", |random| {
        "date,open,close\n".to_owned()
            + &lines(60, |day| {
                format!("2024-{:02}-{:02},{},{}", 1 + day / 28, 1 + day % 28, random.below(99), random.below(99))
            })
    }),
    ("hexadecimal", |random| {
        lines(30, |line| {
            format!("{line:08x} {}", (0..16).map(|_| format!(" {:02x}", random.below(256))).collect::<String>())
        })
    }),
    ("bits", |random| choices(random, &["0", "1"], 800, "")),
    ("sums", |random| {
        lines(40, |_| format!("{} {} {} = ?", random.below(99), ["+", "-", "*"][random.index(3)], random.below(99)))
    }),
    ("objects", |random| {
        let mut names = Random(4);
        let fields: Vec<String> = (0..60).map(|_| format!("\"{}\": {}", word(&mut names), random.below(10))).collect();
        format!("{{{}}}", fields.join(",\n"))
    }),
    ("tables", |random| {
        "| name | value |\n|---|---|\n".to_owned()
            + &lines(30, |_| format!("| {} | {} |", word(random), random.below(9999)))
    }),
    // Symbols.
    ("Morse code", |random| {
        "Evening transmission\n".to_owned()
            + &lines(12, |_| choices(random, &[".-", "-...", "-.-.", ".", "--", "..."], 12, " "))
    }),
    ("dice", |random| "Dice of a game\n".to_owned() + &choices(random, &["⚀", "⚁", "⚂", "⚃", "⚄", "⚅"], 120, " ")),
    ("faces", |random| {
        "Diary in faces\n".to_owned() + &choices(random, &["😀", "😁", "😆", "🤣", "😊", "🙂"], 120, "")
    }),
    ("drawings", |random| {
        "Drawing of the day, by hand\n".to_owned()
            + &lines(30, |_| choices(random, &[" ", ".", ":", "*", "#", "@"], 60, ""))
    }),
    // Chapters of one book, whose titles differ in a number.
    ("chapters", |random| {
        format!("Chapter {}\n{}{}", random.below(1 << 40), prose(9, 60), prose(random.next() % 1000, 12))
    }),
];

#[test]
fn documents_that_differ_are_kept_and_copies_are_found() {
    let dir = Dir::with_database();
    let (mut rows, mut copies) = (String::new(), String::new());
    for (kind, make) in KINDS {
        let mut texts = Vec::new();
        for number in 0..EACH {
            let text = make(&mut Random(number * 104_729 + 17));
            assert!(!texts.contains(&text), "{kind}: two are equal");
            let url = format!("http://{}.example/{number}", kind.replace(' ', "-"));
            let row = |id: String, text: &str| json!({"id": id, "url": url, "text": text}).to_string() + "\n";
            rows += &row(format!("{kind} {number}"), &text);
            copies += &row(format!("{kind} {number} again"), &text.replace('\n', " \r\n"));
            texts.push(text);
        }
    }
    dir.write("rows.jsonl", rows.as_bytes());
    dir.write("copies.jsonl", copies.as_bytes());
    dir.nddb(["load", "db", "rows.jsonl", "--id-field", "id"]).done();
    dir.nddb(["cluster", "db", "-o", "rows"]).done();
    let removed = String::from_utf8(dir.read("rows/remove.txt")).expect("ids");
    assert_eq!(removed, "");
    dir.nddb(["load", "db", "copies.jsonl", "--id-field", "id"]).done();
    dir.nddb(["cluster", "db", "-o", "all"]).done();
    let removed = String::from_utf8(dir.read("all/remove.txt")).expect("ids");
    let removed: Vec<&str> = removed.lines().collect();
    assert!(removed.iter().all(|id| id.ends_with(" again")), "{removed:?}");
    assert_eq!(removed.len(), KINDS.len() * EACH as usize, "{removed:?}");
}

/// What may hold an article, with names and elements of boilerplate.
const HOLDERS: [(&str, &str); 14] = [
    ("<article>", "</article>"),
    ("<aside>", "</aside>"),
    ("<footer>", "</footer>"),
    ("<header>", "</header>"),
    ("<nav>", "</nav>"),
    ("<dialog open>", "</dialog>"),
    ("<div class='elementor-widget share'>", "</div>"),
    ("<div class='menu-items'>", "</div>"),
    ("<div id=right-sidebar>", "</div>"),
    ("<div class='category-football related'>", "</div>"),
    ("<div class='navy-history'>", "</div>"),
    ("<div class='hidden md:block'>", "</div>"),
    ("<div><template shadowrootmode=open>", "</template></div>"),
    ("<main class='comment-body promo'>", "</main>"),
];

#[test]
fn an_article_is_compared_whatever_holds_it() {
    let dir = Dir::with_database();
    let page = |article: u64, (open, close): (&str, &str)| {
        let paragraphs: String = (0..4).map(|part| format!("<p>{}</p>", prose(100 * article + part, 60))).collect();
        let links: String =
            (0..8).map(|link| format!("<li><a href=/{link}>{}</a></li>", prose(50 + link, 4))).collect();
        format!(
            "<title>Site</title><ul>{links}</ul><div class=teaser><p>{}</p></div>{open}{paragraphs}{close}",
            prose(60, 20)
        )
    };
    let mut rows = String::new();
    for (number, &holder) in HOLDERS.iter().enumerate() {
        for article in 1..=2 {
            let url = format!("http://site{number}.example/{article}");
            let row = json!({"id": format!("{article} {}", holder.0), "url": url, "html": page(article, holder)});
            rows += &(row.to_string() + "\n");
        }
    }
    dir.write("pages.jsonl", rows.as_bytes());
    dir.nddb(["load", "db", "pages.jsonl"]).done();
    dir.nddb(["cluster", "db", "-o", "lists"]).done();
    let kept = String::from_utf8(dir.read("lists/keep.txt")).expect("ids");
    let mut kept: Vec<&str> = kept.lines().collect();
    kept.sort_unstable();
    assert_eq!(kept, ["1 <article>", "2 <article>"]);
}

/// Of documents of one load nobody knows which is older: neither the order of rows, nor how they are spread over files,
/// nor the number of threads decides which of two stays.
#[test]
fn lists_do_not_depend_on_the_order_of_documents() {
    let mut random = Random(41);
    let mut rows = Vec::new();
    for group in 0..12u64 {
        let words: Vec<String> = prose(group, 80).split(' ').map(str::to_owned).collect();
        for copy in 0..5 {
            let mut words = words.clone();
            for _ in 0..random.below(8) {
                let place = random.index(words.len());
                words[place] = word(&mut random);
            }
            let id = format!("{:08x}", random.next() as u32);
            let mut row = json!({"id": id, "text": words.join(" ")});
            if copy == 3 {
                row["date"] = json!(format!("2024-01-{:02}T00:00:00Z", 1 + random.below(28)));
            }
            rows.push(row.to_string());
        }
    }
    let lists = |rows: &[String], files: usize, threads: &str| {
        let dir = Dir::with_database();
        let names: Vec<String> = (0..files).map(|file| format!("{file}.jsonl")).collect();
        for (name, rows) in names.iter().zip(rows.chunks(rows.len().div_ceil(files))) {
            dir.write(name, (rows.join("\n") + "\n").as_bytes());
        }
        let load = ["load", "db", "--threads", threads].into_iter().chain(names.iter().map(String::as_str));
        dir.nddb(load).done();
        dir.nddb(["cluster", "db", "-o", "lists"]).done();
        let lines = |name: &str| {
            let lines = String::from_utf8(dir.read(name)).expect("text");
            lines.lines().map(str::to_owned).collect::<Vec<_>>()
        };
        [lines("lists/keep.txt"), lines("lists/remove.txt")].map(|mut lines| {
            lines.sort();
            lines
        })
    };
    let expected = lists(&rows, 1, "1");
    assert!(expected[1].len() > 20, "{expected:?}");
    for (files, threads) in [(1, "4"), (3, "2"), (2, "1")] {
        for at in (1..rows.len()).rev() {
            rows.swap(at, random.index(at + 1));
        }
        assert_eq!(lists(&rows, files, threads), expected, "{files} files, {threads} threads");
    }
}
