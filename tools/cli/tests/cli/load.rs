//! `load`: every kind of input, what is skipped, and loading again.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, SystemTime};

use nddb::archive::{Compression, WarcWriter};
use serde_json::{Value, json};

use crate::helper::{Dir, ids, prints};

/// The summary of a load.
fn load(dir: &Dir, args: &[&str]) -> Value {
    let ran = dir.nddb([&["load", "db", "--json"], args].concat()).done();
    ran.json()
}

fn counts(summary: &Value) -> [u64; 4] {
    ["documents", "replaced", "unchanged", "skipped"].map(|key| summary[key].as_u64().expect("a count"))
}

const PAGES: [(&str, &str); 3] = [
    ("http://www.example.org/one", "<title>One</title><p>The quick brown fox jumps over the lazy dog."),
    ("http://www.example.org/two", "<title>Two</title><p>Completely different words stand on this page."),
    ("http://other.example.com/", "<p>one"),
];

#[test]
fn the_summary_has_what_scripts_need() {
    let dir = Dir::with_database();
    dir.write_prints("p.u64le", &prints(100));
    let summary = load(&dir, &["p.u64le"]);
    assert_eq!(counts(&summary), [100, 0, 0, 0]);
    assert_eq!(summary["bytes_in"], 800);
    for key in ["seconds", "cpu_seconds", "busiest_thread"] {
        assert!(summary[key].as_f64().is_some_and(|seconds| seconds >= 0.0), "{summary}");
    }
    let ran = dir.nddb(["load", "db", "p.u64le"]).done();
    ran.says(&["load: 0 documents stored (0 replaced), 100 unchanged, nothing skipped, of 100 entries read (800 B)"]);
}

#[test]
fn raw_fingerprints_are_numbered_over_all_inputs() {
    let dir = Dir::with_database();
    dir.write_prints("one.u64le", &[1 << 20, 2 << 20]);
    dir.write_prints("two.bin", &[3 << 20]);
    load(&dir, &["one.u64le", "two.bin", "--format", "u64le", "--id-prefix", "x"]);
    let found: Vec<Value> = dir.nddb(["get", "db", "x0", "x1", "x2"]).done().lines();
    let fps: Vec<_> = found.iter().map(|found| found["fp"].as_str()).collect();
    assert_eq!(fps, [Some("0000000000100000"), Some("0000000000200000"), Some("0000000000300000")]);
    assert!(found[0]["source"].is_null() && found[0]["digest"].is_null());
    // The same file under another prefix is other documents.
    assert_eq!(counts(&load(&dir, &["one.u64le", "--id-prefix", "y"])), [2, 0, 0, 0]);
}

#[test]
fn bytes_behind_the_last_fingerprint_are_skipped_and_listed() {
    let dir = Dir::with_database();
    dir.write("p.u64le", &[7; 19]);
    let ran = dir.nddb(["load", "db", "p.u64le", "--json", "--skipped", "s.jsonl"]).ends(3);
    assert_eq!(counts(&ran.json()), [2, 0, 0, 1]);
    ran.says(&["1 skipped (trailing_bytes: 1)"]);
    let listed: Value = serde_json::from_slice(&dir.read("s.jsonl")).expect("one line of JSON");
    assert_eq!((&listed["file"], &listed["offset"]), (&json!("p.u64le"), &json!(16)));
    assert_eq!(listed["reason"], "trailing_bytes");
}

#[test]
fn an_archive_becomes_documents_that_know_where_they_stand() {
    let dir = Dir::with_database();
    dir.write_warc("pages.warc.gz", &PAGES);
    let summary = load(&dir, &["pages.warc.gz"]);
    assert_eq!(counts(&summary), [3, 0, 0, 0]);
    assert_eq!(summary["no_fingerprint"], 1);
    let one = dir.nddb(["get", "db", PAGES[0].0]).done().json();
    assert_eq!((&one["url"], &one["site"]), (&json!(PAGES[0].0), &json!("example.org")));
    assert_eq!((&one["date"], &one["source"]["offset"]), (&json!(1_700_000_000), &json!(0)));
    assert!(one["source"]["length"].as_u64() > Some(100), "{one}");
    assert_eq!(one["min_bytes"].as_str().map(str::len), Some(168));
    let two = dir.nddb(["get", "db", PAGES[1].0]).done().json();
    assert_eq!(two["source"]["offset"], one["source"]["length"]);
}

#[test]
fn loading_again_changes_nothing() {
    let dir = Dir::with_database();
    dir.write_warc("pages.warc", &PAGES);
    dir.write_warc("more.warc.gz", &[("http://example.net/", "<p>Words of another page altogether")]);
    assert_eq!(counts(&load(&dir, &["pages.warc"])), [3, 0, 0, 0]);
    assert_eq!(counts(&load(&dir, &["pages.warc"])), [0, 0, 3, 0]);
    // Beside one that is not loaded yet, a loaded archive is passed over.
    let summary = load(&dir, &["pages.warc", "more.warc.gz"]);
    assert_eq!((counts(&summary), &summary["archives_passed_over"]), ([1, 0, 0, 0], &json!(1)));
    let summary = load(&dir, &["pages.warc", "more.warc.gz", "--again"]);
    assert_eq!((counts(&summary), &summary["archives_passed_over"]), ([0, 0, 4, 0], &json!(0)));
    // What was deleted comes back.
    dir.nddb(["rm", "db", PAGES[0].0]).done();
    assert_eq!(counts(&load(&dir, &["pages.warc"])), [1, 0, 2, 0]);
}

#[test]
fn a_changed_page_replaces_the_old_one() {
    let dir = Dir::with_database();
    dir.write_warc("old.warc", &PAGES[..1]);
    dir.write_warc("new.warc", &[(PAGES[0].0, "<p>Quite new words under the same address")]);
    load(&dir, &["old.warc"]);
    let old = dir.nddb(["get", "db", PAGES[0].0]).done().json();
    assert_eq!(counts(&load(&dir, &["new.warc"])), [1, 1, 0, 0]);
    let fp = old["fp"].as_str().expect("a fingerprint");
    assert_eq!(dir.nddb(["query", "db", "--fp", fp]).done().json()["count"], 0);
}

#[test]
fn of_equal_ids_in_one_input_the_last_lives() {
    let dir = Dir::with_database();
    dir.write("d.tsv", b"a\t0000000000000001\nb\t0000000000000002\na\t0000000000000003\n");
    let ran = dir.nddb(["load", "db", "d.tsv", "--json"]).ends(3);
    let summary = ran.json();
    assert_eq!((&summary["entries"], &summary["documents"], &summary["repeated"]), (&json!(3), &json!(2), &json!(1)));
    ran.says(&["2 documents stored (0 replaced), 0 unchanged, 1 repeated (their id came again", "of 3 entries read"]);
    assert_eq!(dir.nddb(["get", "db", "a"]).done().json()["fp"], "0000000000000003");
    // Where nothing differs, all is stored.
    dir.write("same.tsv", b"c\t0000000000000001\nc\t0000000000000001\n");
    let summary = load(&dir, &["same.tsv"]);
    assert_eq!((&summary["entries"], &summary["documents"], &summary["unchanged"]), (&json!(2), &json!(1), &json!(1)));
}

#[test]
fn pages_whose_names_are_not_text_are_all_stored() {
    let dir = Dir::with_database();
    std::fs::create_dir_all(dir.path("site")).expect("folders can be made");
    let names: [&[u8]; 4] = [b"\xff.html", b"\xfe.html", b"%FF.html", b"caf%C3%A9.html"];
    for (name, words) in names.into_iter().zip(["one two", "three four", "five six", "seven eight"]) {
        let page = format!("<title>{words}</title><p>some words of the page {words}");
        std::fs::write(dir.path("site").join(OsStr::from_bytes(name)), page).expect("written");
    }
    let summary = load(&dir, &["site"]);
    assert_eq!((counts(&summary), &summary["entries"]), ([4, 0, 0, 0], &json!(4)));
    assert_eq!(dir.nddb(["get", "db", "%FF.html", "%FE.html", "%25FF.html", "caf%C3%A9.html"]).done().lines().len(), 4);
    assert_eq!(counts(&load(&dir, &["site"])), [0, 0, 4, 0]);
}

#[test]
fn the_archives_of_a_deleted_batch_are_read_again_and_what_is_passed_over_is_named() {
    let dir = Dir::with_database();
    for (name, page) in ["a.warc", "b.warc.gz", "c.warc"].into_iter().zip(&PAGES) {
        dir.write_warc(name, &[*page]);
    }
    load(&dir, &["a.warc", "--batch", "one"]);
    load(&dir, &["b.warc.gz", "--batch", "two"]);
    dir.nddb(["rm", "db", "--batch", "one"]).done();
    let ran = dir.nddb(["load", "db", "a.warc", "b.warc.gz", "c.warc", "--json"]).done();
    assert_eq!((counts(&ran.json()), &ran.json()["archives_passed_over"]), ([2, 0, 0, 0], &json!(1)));
    ran.says(&["1 archive passed over, loaded before: b.warc.gz (--again reads all)"]);
    dir.nddb(["get", "db", PAGES[0].0]).done();
}

#[test]
fn documents_without_an_archive_have_all_archives_read_again_when_their_batch_is_deleted() {
    let dir = Dir::with_database();
    dir.write("a.jsonl", b"{\"id\":\"a\",\"fp\":\"00000000000000ff\"}\n");
    dir.write("b.jsonl", b"{\"id\":\"b\",\"text\":\"some words\"}\n");
    load(&dir, &["a.jsonl", "--batch", "one"]);
    dir.nddb(["rm", "db", "--batch", "one"]).done();
    assert_eq!(counts(&load(&dir, &["a.jsonl", "b.jsonl"])), [2, 0, 0, 0]);
}

#[test]
fn an_archive_that_was_edited_between_its_ends_is_read_again() {
    let dir = Dir::with_database();
    let lines = |changed: usize| -> String {
        let text = |number: usize| if number == changed { "quite other" } else { "some of the" };
        let line = |number| format!("{{\"id\":\"{number}\",\"text\":\"{} words of line {number}\"}}\n", text(number));
        (0..5_000).map(line).collect()
    };
    let write = |content: String, second: u64| {
        dir.write("d.jsonl", content.as_bytes());
        let file = std::fs::File::options().write(true).open(dir.path("d.jsonl")).expect("opened");
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(second)).expect("set");
    };
    write(lines(usize::MAX), 1_700_000_000);
    dir.write("more.jsonl", b"{\"id\":\"more\",\"text\":\"some words\"}\n");
    assert_eq!(counts(&load(&dir, &["d.jsonl"])), [5_000, 0, 0, 0]);
    write(lines(2_500), 1_700_000_001);
    assert_eq!(counts(&load(&dir, &["d.jsonl", "more.jsonl"])), [2, 1, 4_999, 0]);
    dir.write("last.jsonl", b"{\"id\":\"last\",\"text\":\"some words\"}\n");
    assert_eq!(load(&dir, &["d.jsonl", "last.jsonl"])["archives_passed_over"], 1);
}

#[test]
fn the_fields_of_json_lines_have_the_names_that_are_given() {
    let dir = Dir::with_database();
    let lines = concat!(
        r#"{"key":5,"body":"some words of text","where":"http://www.example.org/","lang":"en"}"#,
        "\n",
        r#"{"key":"b","page":"<p>some other words","text":7}"#,
        "\n",
        r#"{"key":"c","print":"00000000000000ff"}"#,
        "\n",
    );
    let names = "--id-field key --text-field body --html-field page --fp-field print --url-field where";
    let args: Vec<&str> = "load db - --format jsonl --json".split(' ').chain(names.split(' ')).collect();
    let summary = dir.nddb(args).stdin(lines).done().json();
    assert_eq!(counts(&summary), [3, 0, 0, 0]);
    let found = dir.nddb(["get", "db", "5", "b", "c"]).done().lines();
    assert_eq!(found[0]["site"], "example.org");
    assert_eq!(found[1]["tokens"], 3);
    assert_eq!(found[2]["fp"], "00000000000000ff");
}

#[test]
fn lines_that_cannot_be_read_are_counted_by_reason() {
    let dir = Dir::with_database();
    let lines = "{\"id\":\"a\",\"text\":\"some words\"}\n{\"id\":\"b\"}\nno json\n{\"id\":\"c\",\"fp\":\"ff\"}\n";
    dir.write("d.jsonl", lines.as_bytes());
    let ran = dir.nddb(["load", "db", "d.jsonl", "--json", "--skipped", "s.jsonl"]).ends(3);
    let expected = json!({"bad_fingerprint": 1, "bad_json": 1, "missing_field": 1});
    assert_eq!(ran.json()["skipped_by_reason"], expected);
    let listed = String::from_utf8(dir.read("s.jsonl")).expect("UTF-8");
    let offsets: Vec<u64> = listed
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["offset"].as_u64().expect("an offset"))
        .collect();
    assert_eq!(offsets, [31, 42, 50]);
}

#[test]
fn a_folder_is_its_pages_and_texts() {
    let dir = Dir::with_database();
    std::fs::create_dir_all(dir.path("site/sub")).expect("folders can be made");
    dir.write("site/b.html", b"<title>b</title><p>some words of a page");
    dir.write("site/sub/a.txt", b"other words of a text");
    dir.write("site/image.png", b"\x89PNG");
    assert_eq!(counts(&load(&dir, &["site"])), [2, 0, 0, 0]);
    dir.nddb(["get", "db", "b.html", "sub/a.txt"]).done();
}

#[test]
fn a_folder_is_its_archives_too_and_the_summary_says_what_is_passed_over() {
    let dir = Dir::with_database();
    std::fs::create_dir_all(dir.path("crawl/day")).expect("folders can be made");
    dir.write_warc("crawl/a.warc.gz", &PAGES[..1]);
    dir.write_warc("crawl/day/b.warc", &PAGES[1..]);
    dir.write("crawl/c.html", b"<title>c</title><p>some words of a page");
    dir.write("crawl/image.png", b"\x89PNG");
    let ran = dir.nddb(["load", "db", "crawl", "--json"]).done();
    assert_eq!((counts(&ran.json()), &ran.json()["files_passed_over"]), ([4, 0, 0, 0], &json!(1)));
    ran.says(&["1 file passed over (hidden, or of no known format)"]);
    dir.nddb(["get", "db", "c.html"]).done();
    let only = dir.nddb(["load", "db", "crawl", "--format", "html", "--json"]).done();
    assert_eq!((counts(&only.json()), &only.json()["files_passed_over"]), ([0, 0, 1, 0], &json!(3)));
    only.says(&["3 files passed over (hidden, or of another format)"]);
}

#[test]
fn ids_are_addresses_on_request() {
    let dir = Dir::with_database();
    dir.write_warc("pages.warc", &PAGES[..1]);
    load(&dir, &["pages.warc", "--id", "url"]);
    dir.nddb(["get", "db", PAGES[0].0]).done();
}

#[test]
fn any_number_of_threads_gives_the_same_database() {
    let pages: Vec<(String, String)> = (0..500)
        .map(|n| (format!("http://example.org/{n}"), format!("<p>page {n} of {} with words {}", n * 7, n % 13)))
        .collect();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(url, body)| (url.as_str(), body.as_str())).collect();
    let mut found = Vec::new();
    for threads in ["1", "2", "5"] {
        let dir = Dir::with_database();
        dir.write_warc("pages.warc.gz", &pages);
        assert_eq!(counts(&load(&dir, &["pages.warc.gz", "--threads", threads])), [500, 0, 0, 0]);
        let all = pages.iter().map(|(url, _)| *url);
        found.push(dir.nddb(["get", "db"].into_iter().chain(all)).done().stdout);
    }
    assert!(found[0] == found[1] && found[1] == found[2]);
}

#[test]
fn an_input_that_cannot_be_opened_does_not_stop_the_others() {
    let dir = Dir::with_database();
    dir.write("p.u64le", &[7; 16]);
    dir.write("a.warc.7z", b"7z\xbc\xaf\x27\x1c");
    let args = ["load", "db", "a.warc.7z", "p.u64le", "--format", "auto", "--json", "--skipped", "s.jsonl"];
    let ran = dir.nddb(args).ends(3);
    assert_eq!((counts(&ran.json()), &ran.json()["skipped_by_reason"]), ([2, 0, 0, 1], &json!({"unreadable": 1})));
    ran.says(&["a.warc.7z", "7z", "recompress"]);
    assert!(
        String::from_utf8_lossy(&dir.read("s.jsonl"))
            .contains(r#""file":"a.warc.7z","offset":0,"reason":"unreadable""#)
    );
    dir.nddb(["load", "db", "a.warc.7z"]).tells(1, &["a.warc.7z", "7z", "nothing was loaded"]);
}

#[test]
fn an_input_that_is_not_there_stops_everything_before_it_begins() {
    let dir = Dir::with_database();
    dir.write("p.u64le", &[7; 16]);
    dir.nddb(["load", "db", "p.u64le", "none.warc"]).tells(1, &["none.warc", "No such file"]);
    assert_eq!(dir.nddb(["query", "db", "--fp", "0707070707070707"]).done().json()["count"], 0);
    dir.nddb(["load", "db"]).tells(2, &["missing argument: INPUT"]);
    dir.nddb(["load", "db", "p.u64le", "--format", "pdf"]).tells(2, &["pdf", "warc"]);
}

/// Where the gzip members of a file begin.
fn members(bytes: &[u8]) -> Vec<usize> {
    (0..bytes.len()).filter(|&at| bytes[at..].starts_with(b"\x1f\x8b\x08")).collect()
}

#[test]
fn a_damaged_member_costs_that_member_only() {
    let dir = Dir::with_database();
    dir.write_warc("p.warc.gz", &PAGES);
    let mut bytes = dir.read("p.warc.gz");
    let second = members(&bytes)[1];
    bytes[second + 30..second + 60].fill(0xff);
    dir.write("p.warc.gz", &bytes);
    let ran = dir.nddb(["load", "db", "p.warc.gz", "--json", "--skipped", "s.jsonl"]).ends(3);
    assert_eq!(counts(&ran.json()), [2, 0, 0, 1]);
    let listed: Value = serde_json::from_slice(&dir.read("s.jsonl")).expect("one line of JSON");
    assert_eq!((&listed["offset"], &listed["reason"]), (&json!(second), &json!("damaged_member")));
    dir.nddb(["get", "db", PAGES[0].0, PAGES[2].0]).done();
    // With -v each is told.
    dir.nddb(["load", "db", "p.warc.gz", "-v"]).ends(3).says(&["p.warc.gz: skipped at byte", "damaged_member"]);
}

#[test]
fn the_page_that_a_cut_archive_ends_in_is_kept_and_flagged() {
    let dir = Dir::with_database();
    dir.write_warc("whole.warc", &PAGES[..2]);
    let bytes = dir.read("whole.warc");
    dir.write("cut.warc", &bytes[..bytes.len() - 20]);
    let ran = dir.nddb(["load", "db", "cut.warc", "--json"]).done();
    assert_eq!((&ran.json()["documents"], &ran.json()["truncated"]), (&json!(2), &json!(1)));
    ran.says(&["nothing skipped", "1 page incomplete in the input"]);
    let found = dir.nddb(["get", "db", PAGES[0].0, PAGES[1].0]).done().lines();
    assert_eq!(found.iter().map(|found| found["truncated"].as_bool()).collect::<Vec<_>>(), [Some(false), Some(true)]);
}

#[test]
fn a_fingerprint_wider_than_the_databases_is_skipped() {
    let dir = Dir::new();
    dir.nddb(["create", "db", "--bits", "32", "--k", "2"]).done();
    dir.write_prints("p.u64le", &[5, 1 << 40]);
    let ran = dir.nddb(["load", "db", "p.u64le", "--json"]).ends(3);
    assert_eq!(ran.json()["skipped_by_reason"], json!({"bad_fingerprint": 1}));
    assert_eq!(ids(&dir.nddb(["query", "db", "--fp", "0000000000000004"]).done().json()), ["0"]);
}

/// Long pages are in memory one at a time, however many threads there are.
#[test]
#[cfg(target_os = "linux")]
fn pages_in_flight_are_part_of_the_memory_limit() {
    let dir = Dir::with_database();
    let lines: String = (0..6)
        .map(|id| {
            let words: String = (0..500_000).map(|word| format!("w{:06} ", word * 7 + id)).collect();
            format!("{{\"id\":\"{id}\",\"text\":\"{words}\"}}\n")
        })
        .collect();
    dir.write("long.jsonl", lines.as_bytes());
    let args = ["load", "db", "long.jsonl", "--threads", "6", "--memory-limit", "16M", "--progress", "off"];
    let (ran, most) = dir.nddb(args).watched(Duration::from_secs(300));
    ran.ended(0);
    assert!((1..140 << 10).contains(&most), "{most} KB");
}

#[test]
fn an_input_without_documents_is_refused_with_what_it_has() {
    let dir = Dir::with_database();
    dir.write("rows.jsonl", b"{\"id\":\"a\",\"body\":\"words\",\"meta\":{\"url\":\"http://a/\"}}\n");
    dir.write("array.json", b"[{\"id\":\"a\",\"text\":\"words\"}]");
    dir.nddb(["load", "db", "rows.jsonl"]).tells(1, &["rows.jsonl", "id, body, meta.url", "--text-field"]);
    dir.nddb(["load", "db", "array.json"]).tells(1, &["array.json", "one JSON array", "jq"]);
    let args = ["load", "db", "rows.jsonl", "--text-field", "body", "--url-field"];
    dir.nddb([&args[..], &["meta.uri"]].concat()).tells(1, &["no line has a field \"meta.uri\"", "meta.url"]);
    assert_eq!(counts(&load(&dir, &[&args[2..], &["meta.url"]].concat())), [1, 0, 0, 0]);
}

#[test]
fn the_same_documents_in_any_format_are_the_same_database() {
    let mut exported = Vec::new();
    let rows = [("a", "some words"), ("b", "other words, \"quoted\"")];
    let line = |(id, text): &(&str, &str)| {
        json!({"id": id, "text": text, "url": "http://a/", "date": "2024-03-01"}).to_string()
    };
    let row = |(id, text): &(&str, &str)| format!("{id},\"{}\",http://a/,2024-03-01", text.replace('"', "\"\""));
    for (name, text) in [
        ("x.jsonl", rows.iter().map(line).collect::<Vec<_>>().join("\n")),
        ("x.csv", format!("id,text,url,date\n{}", rows.iter().map(row).collect::<Vec<_>>().join("\r\n"))),
        (
            "x.tsv",
            format!("id,text,url,date\n{}", rows.iter().map(row).collect::<Vec<_>>().join("\n"))
                .replace(", ", "~")
                .replace(',', "\t")
                .replace('~', ", "),
        ),
    ] {
        let dir = Dir::with_database();
        dir.write(name, text.as_bytes());
        assert_eq!(counts(&load(&dir, &[name])), [2, 0, 0, 0], "{name}");
        exported.push(dir.nddb(["export", "db", "--columns", "id,fp,url,date,tokens"]).done().stdout);
    }
    assert!(exported[0] == exported[1] && exported[0] == exported[2], "{exported:?}");
}

#[test]
fn revisits_are_counted_by_what_they_refer_to() {
    let dir = Dir::with_database();
    dir.write_warc("pages.warc", &PAGES);
    let mut writer = WarcWriter::new(Vec::new(), Compression::Gzip);
    let revisit = |of: &[(&str, &str)], writer: &mut WarcWriter<Vec<u8>>| {
        let fields = [("WARC-Type", "revisit"), ("WARC-Target-URI", "http://other.example.org/")];
        writer.record(&[of, &fields[..]].concat(), b"HTTP/1.1 200 OK\r\n\r\n").expect("memory is writable");
    };
    let (uri, date) = ("WARC-Refers-To-Target-URI", "WARC-Refers-To-Date");
    let of_stored: [&[(&str, &str)]; 3] = [
        &[("WARC-Refers-To", &format!("<{}>", PAGES[0].0))],
        &[(uri, PAGES[1].0), (date, "2023-11-14T22:13:20Z")],
        // Older crawlers mean an earlier record of the same address.
        &[(uri, PAGES[2].0)],
    ];
    let of_unknown: [&[(&str, &str)]; 3] =
        [&[], &[("WARC-Refers-To", "<urn:none>")], &[(uri, PAGES[1].0), (date, "2022-11-14T22:13:20Z")]];
    of_stored.iter().chain(&of_unknown).for_each(|of| revisit(of, &mut writer));
    dir.write("revisits.warc.gz", &writer.finish().expect("memory is writable"));
    let ran = dir.nddb(["load", "db", "revisits.warc.gz", "--json"]).done();
    ran.says(&["6 no documents (revisit: 6)", "; 0 revisits of stored pages, 6 of what is not stored"]);
    let ran = dir.nddb(["load", "db", "revisits.warc.gz", "pages.warc", "--again", "--json"]).done();
    ran.says(&["3 revisits of stored pages, 3 of what is not stored"]);
    let summary = ran.json();
    assert_eq!((&summary["revisits_of_stored"], &summary["revisits_of_unknown"]), (&json!(3), &json!(3)));
    assert_eq!(load(&dir, &["pages.warc"])["revisits_of_stored"], 0);
}

#[test]
fn of_near_duplicates_the_one_with_the_oldest_date_is_kept() {
    let text: String = (0..60).map(|word| format!("w{} ", word * 37 % 1009)).collect();
    let lines = |name: &str| {
        format!(
            "{{\"id\":\"a\",\"text\":\"{text}\",\"{name}\":\"2024-05-02\"}}\n{{\"id\":\"b\",\"text\":\"{text}\",\"{name}\":1672531200}}\n"
        )
    };
    let removed = |name: &str, options: &[&str]| {
        let dir = Dir::with_database();
        dir.write("pages.jsonl", lines(name).as_bytes());
        dir.nddb(["load", "db", "pages.jsonl"].iter().chain(options)).done();
        dir.nddb(["cluster", "db", "-o", "out"]).done();
        String::from_utf8(dir.read("out/remove.txt")).expect("text")
    };
    assert_eq!(removed("seen", &[]), "b\n", "without dates by id");
    assert_eq!(removed("timestamp", &[]), "a\n", "a name of a well-known data set");
    assert_eq!(removed("seen", &["--date-field", "seen"]), "a\n");
    let dir = Dir::with_database();
    dir.write("pages.jsonl", lines("seen").as_bytes());
    dir.write("pages.csv", format!("id,text,seen\na,{text},2024\n").as_bytes());
    for name in ["pages.jsonl", "pages.csv"] {
        dir.nddb(["load", "db", name, "--date-field", "nowhere"]).ends(1).says(&["nowhere", "seen"]);
    }
}

#[test]
fn texts_of_another_program_beside_pages_are_warned_of() {
    let dir = Dir::with_database();
    for (number, name) in ["a.warc.gz", "b.warc.gz", "a.warc.wet.gz"].into_iter().enumerate() {
        dir.write_warc(name, &[(&format!("http://example.org/{number}"), "<p>some words of a page")]);
    }
    let warning = "a.warc.wet.gz has texts that another program extracted";
    for (db, given, warns) in [
        ("db", &["a.warc.gz", "b.warc.gz"][..], false),
        ("db", &["a.warc.wet.gz"], true),
        ("texts", &["a.warc.wet.gz"], false),
        ("texts", &["b.warc.gz"], true),
        ("both", &["b.warc.gz", "a.warc.wet.gz"], true),
    ] {
        if !dir.path(db).exists() {
            dir.nddb(["create", db]).done();
        }
        let told = dir.nddb([&["load", db], given].concat()).done().stderr;
        assert_eq!(told.contains(warning), warns, "{db} {given:?}: {told}");
    }
}
