//! `revisits`: records that refer to earlier pages, and everything else as it was.

use nddb::archive::{Compression, EntryContent, Input, Options, OtherKind, Response, WarcWriter, WholeRecord};
use serde_json::{Value, json};

use crate::helper::{Dir, concatenated};

/// 2023-11-14T22:13:20Z
const DAY_ONE: i64 = 1_700_000_000;
const STANDARD: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";

/// A page of many words; texts of one seed are alike.
fn page(seed: usize, edit: &str) -> String {
    let words: String = (0..150).map(|word| format!("w{} ", word * (seed + 3) % 997)).collect();
    format!("<title>Page {seed}</title><h1>Words of {seed}</h1><p>{words}{edit}</p>")
}

/// A crawl: pages as (address, seconds after the first day, body), each with its request, and an image at the end.
fn crawl(compression: Compression, pages: &[(&str, i64, &str)]) -> Vec<u8> {
    let mut writer = WarcWriter::new(Vec::new(), compression);
    let written = "memory is writable";
    writer.warcinfo("crawl", DAY_ONE, &[("software", "a test")]).expect(written);
    let headers = [("Content-Type", "text/html; charset=utf-8")];
    for (url, after, body) in pages {
        let (date, body) = (DAY_ONE + after, body.as_bytes());
        let id =
            writer.response(&Response { url, date, id: None, status: 200, headers: &headers, body }).expect(written);
        let fields = [("WARC-Type", "request"), ("WARC-Target-URI", url), ("WARC-Concurrent-To", &format!("<{id}>"))];
        writer.record(&fields, b"GET / HTTP/1.1\r\n\r\n").expect(written);
    }
    let image = [("Content-Type", "image/png")];
    let url = "http://example.org/image";
    for _ in 0..2 {
        let page = Response { url, date: DAY_ONE, id: None, status: 200, headers: &image, body: b"\x89PNG" };
        writer.response(&page).expect(written);
    }
    writer.finish().expect(written)
}

/// The records of a file, each with its kind if it is no page, and with its bytes in the file.
fn records(dir: &Dir, name: &str) -> Vec<(Option<OtherKind>, WholeRecord, Vec<u8>)> {
    let bytes = dir.read(name);
    let mut input = Input::open(&dir.path(name), &Options::default()).expect("a WARC file");
    input.keep_records();
    let mut all = Vec::new();
    while let Some(entry) = input.next().expect("readable") {
        let kind = match entry.content {
            EntryContent::Other(kind) => Some(kind),
            EntryContent::Page(_) => None,
            other => panic!("{name}: {other:?}"),
        };
        all.push((kind, input.whole_record().expect("a record").clone(), entry.position.offset as usize));
    }
    let ends: Vec<usize> = all.iter().skip(1).map(|(.., begin)| *begin).chain([bytes.len()]).collect();
    all.into_iter().zip(ends).map(|((kind, record, begin), end)| (kind, record, bytes[begin..end].to_vec())).collect()
}

fn field(record: &WholeRecord, name: &str) -> String {
    String::from_utf8(record.field(name).unwrap_or_default().to_vec()).expect("text")
}

/// What the records that became revisits refer to, by their addresses; all other records must be the same.
fn referring(dir: &Dir, before: &str, after: &str) -> Vec<(String, String)> {
    let (before, after) = (records(dir, before), records(dir, after));
    assert_eq!(before.len(), after.len());
    let mut found = Vec::new();
    for ((was, old, bytes), (is, new, new_bytes)) in before.iter().zip(&after) {
        if was == is {
            assert_eq!(bytes, new_bytes);
            continue;
        }
        assert_eq!((was, is), (&None, &Some(OtherKind::Revisit)));
        let http = old.http().expect("a response");
        assert_eq!(new.block(), http.head);
        for name in ["WARC-Record-ID", "WARC-Target-URI", "WARC-Date", "Content-Type"] {
            assert_eq!(old.field(name), new.field(name), "{name}");
        }
        found.push((field(new, "WARC-Target-URI"), field(new, "WARC-Refers-To-Target-URI")));
    }
    found
}

/// What a command that ends well prints as JSON, without times.
fn counts(dir: &Dir, args: &[&str]) -> Value {
    let mut counts = dir.nddb([args, &["--json"]].concat()).done().json();
    for name in ["seconds", "bytes_in", "bytes_out", "bytes_saved"] {
        counts.as_object_mut().expect("an object").remove(name);
    }
    counts
}

fn refers(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(of, to)| ((*of).to_owned(), (*to).to_owned())).collect()
}

#[test]
fn pages_that_were_stored_before_become_revisits_and_all_other_bytes_stay() {
    for (compression, ending) in
        [(Compression::Gzip, "warc.gz"), (Compression::Plain, "warc"), (Compression::Zstd, "warc.zst")]
    {
        let dir = Dir::with_database();
        let (one, two, three) = (page(1, ""), page(2, ""), page(3, ""));
        let [old, new, out] = ["old", "new", "out"].map(|name| format!("{name}.{ending}"));
        dir.write(&old, &crawl(compression, &[("http://example.org/1", 0, &one), ("http://example.org/2", 1, &two)]));
        let pages: [(&str, i64, &str); 5] = [
            ("http://example.org/1", 90_000, &one),
            ("http://example.org/three", 90_001, &three),
            // The later one is first in the file.
            ("http://example.org/3b", 90_005, &three),
            ("http://example.org/3a", 90_004, &three),
            ("http://example.org/2", 90_006, &format!("{two}<!-- other bytes -->")),
        ];
        dir.write(&new, &crawl(compression, &pages));
        dir.nddb(["load", "db", &old, &new]).done();
        let done = counts(&dir, &["revisits", "db", &new, "-o", &out]);
        assert_eq!(
            done,
            json!({"records": 13, "identical": 3, "near": 0, "unreadable": 0, "not_stored": 0}),
            "{ending}"
        );
        let expected = [
            ("http://example.org/1", "http://example.org/1"),
            ("http://example.org/3b", "http://example.org/three"),
            ("http://example.org/3a", "http://example.org/three"),
        ];
        assert_eq!(referring(&dir, &new, &out), refers(&expected), "{ending}");
        let records = records(&dir, &out);
        let (_, revisit, _) = &records[1];
        assert_eq!(field(revisit, "WARC-Profile"), STANDARD);
        assert_eq!(field(revisit, "WARC-Refers-To-Date"), "2023-11-14T22:13:20Z");
        assert_eq!(field(revisit, "WARC-Truncated"), "length");
        let digest = field(revisit, "WARC-Payload-Digest");
        assert!(digest.len() == 37 && digest.starts_with("sha1:"), "{digest}");
    }
}

#[test]
fn near_pages_become_revisits_only_if_asked_and_none_refers_to_a_revisit() {
    let dir = Dir::with_database();
    let versions = ["", "one", "one two", "one two three"].map(|edit| page(4, edit));
    let urls = ["http://example.org/a", "http://example.org/b", "http://example.org/c", "http://example.org/d"];
    let pages: Vec<(&str, i64, &str)> = (0..4).map(|n| (urls[n], n as i64, &versions[n][..])).collect();
    dir.write("a.warc.gz", &crawl(Compression::Gzip, &pages));
    dir.nddb(["load", "db", "a.warc.gz"]).done();
    let done = counts(&dir, &["revisits", "db", "a.warc.gz", "-o", "same.warc.gz"]);
    assert_eq!((&done["identical"], &done["near"]), (&json!(0), &json!(0)));
    assert_eq!(dir.read("same.warc.gz"), dir.read("a.warc.gz"));
    let done = counts(&dir, &["revisits", "db", "a.warc.gz", "-o", "near.warc.gz", "--near"]);
    assert_eq!((&done["identical"], &done["near"]), (&json!(0), &json!(3)));
    let all_to_a = urls[1..].iter().map(|url| (*url, urls[0])).collect::<Vec<_>>();
    assert_eq!(referring(&dir, "a.warc.gz", "near.warc.gz"), refers(&all_to_a));
    let (_, revisit, _) = &records(&dir, "near.warc.gz")[3];
    assert_eq!(field(revisit, "WARC-Profile"), "https://example.org/nddb/revisit/near-duplicate");
}

#[test]
fn a_page_never_refers_to_itself() {
    let dir = Dir::with_database();
    let pages: [(&str, i64, &str); 2] =
        [("http://example.org/1", 0, &page(1, "")), ("http://example.org/2", 0, &page(1, ""))];
    // The same captures in another file, which is packed in another way.
    dir.write("a.warc.gz", &crawl(Compression::Gzip, &pages));
    dir.write("copy.warc", &crawl(Compression::Plain, &pages));
    dir.nddb(["load", "db", "copy.warc", "--id-prefix", "copy-"]).done();
    dir.nddb(["load", "db", "a.warc.gz"]).done();
    dir.nddb(["revisits", "db", "a.warc.gz", "-o", "out.warc.gz", "--near"]).done();
    assert_eq!(
        referring(&dir, "a.warc.gz", "out.warc.gz"),
        refers(&[("http://example.org/2", "http://example.org/1")])
    );
}

#[test]
fn earlier_pages_that_cannot_be_read_are_told_and_not_referred_to() {
    let dir = Dir::with_database();
    let body = page(1, "");
    dir.write("old.warc", &crawl(Compression::Plain, &[("http://example.org/1", 0, &body)]));
    dir.write("new.warc", &crawl(Compression::Plain, &[("http://example.org/1", 9, &body)]));
    dir.nddb(["load", "db", "old.warc", "new.warc"]).done();
    std::fs::rename(dir.path("old.warc"), dir.path("gone.warc")).expect("movable");
    let ran = dir.nddb(["revisits", "db", "new.warc", "-o", "out.warc"]).done();
    ran.says(&["1 earlier page cannot be read", "hint: 'nddb sources'", "0 revisits"]);
    assert_eq!(dir.read("new.warc"), dir.read("out.warc"));
    dir.nddb(["sources", "move", "db", "old.warc", "gone.warc"]).done();
    dir.nddb(["revisits", "db", "new.warc", "-o", "out.warc"]).done().says(&["1 revisit of identical pages", "saved"]);
}

#[test]
fn records_of_the_older_standard_have_its_profile_and_keep_their_digest() {
    let dir = Dir::with_database();
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{}", page(1, ""));
    let record = |url: &str, digest: &str| {
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n\
             WARC-Record-ID: <urn:{url}>\r\nWARC-Payload-Digest: {digest}\r\nWARC-Block-Digest: sha1:OLD\r\n\
             Content-Length: {}\r\n\r\n{http}\r\n\r\n",
            http.len()
        )
    };
    dir.write(
        "a.warc",
        (record("http://example.org/1", "md5:one") + &record("http://example.org/2", "md5:two")).as_bytes(),
    );
    dir.nddb(["load", "db", "a.warc"]).done();
    dir.nddb(["revisits", "db", "a.warc", "-o", "out.warc"]).done();
    let (_, revisit, _) = &records(&dir, "out.warc")[1];
    assert_eq!(field(revisit, "WARC-Profile"), "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest");
    assert_eq!(field(revisit, "WARC-Payload-Digest"), "md5:two");
    assert_eq!(field(revisit, "WARC-Refers-To"), "<urn:http://example.org/1>");
    assert_ne!(field(revisit, "WARC-Block-Digest"), "sha1:OLD");
}

#[test]
fn what_cannot_be_done_is_told_with_the_next_step() {
    let dir = Dir::with_database();
    let pages: [(&str, i64, &str); 1] = [("http://example.org/1", 0, &page(1, ""))];
    dir.write("a.warc.gz", &crawl(Compression::Gzip, &pages));
    let plain = crawl(Compression::Plain, &pages);
    dir.write("whole.warc.zst", &zstd::bulk::compress(&plain, 1).expect("memory is writable"));
    let arc = "filedesc://a.arc 0.0.0.0 20240101000000 text/plain 0\n\n";
    dir.write("a.arc", arc.as_bytes());
    dir.nddb(["load", "db", "whole.warc.zst"]).done();
    let told =
        |args: &[&str], code, words: &[&str]| drop(dir.nddb([&["revisits", "db"], args].concat()).tells(code, words));
    told(
        &["a.warc.gz", "-o", "out.warc.gz"],
        1,
        &["was not loaded into db", "hint: load it first: nddb load db a.warc.gz"],
    );
    told(&["whole.warc.zst", "-o", "out.warc.zst"], 1, &["hold several records", "hint: compress each record"]);
    told(&["a.arc", "-o", "out.arc"], 2, &["a.arc: arc has no revisit records"]);
    told(&["-", "-o", "out"], 2, &["the standard input was not loaded"]);
    dir.nddb(["load", "db", "a.warc.gz"]).done();
    told(&["a.warc.gz", "-o", "out.warc"], 2, &["give a name that ends as a.warc.gz does"]);
    told(&["a.warc.gz", "-o", "a.warc.gz"], 2, &["is an input"]);
    assert!(!dir.path("out.warc.zst").exists());
}

#[test]
fn pages_that_are_stored_from_another_file_are_told_and_copied() {
    let dir = Dir::with_database();
    let pages: [(&str, i64, &str); 2] =
        [("http://example.org/1", 0, &page(1, "")), ("http://example.org/2", 1, &page(1, ""))];
    dir.write("a.warc", &crawl(Compression::Plain, &pages));
    dir.write("a.warc.gz", &crawl(Compression::Gzip, &pages));
    dir.nddb(["load", "db", "a.warc", "a.warc.gz"]).done();
    let [stored, other] = ["a.warc", "a.warc.gz"].map(|name| {
        let out = format!("out-{name}");
        counts(&dir, &["revisits", "db", name, "-o", &out])
    });
    assert_eq!(stored["identical"].as_u64().zip(other["identical"].as_u64()).map(|(a, b)| a + b), Some(1));
    assert_eq!(stored["not_stored"].as_u64().zip(other["not_stored"].as_u64()).map(|(a, b)| a + b), Some(2));
    let ran = dir.nddb(["revisits", "db", "a.warc", "a.warc.gz", "-o", "out/"]).done();
    ran.says(&["2 pages not stored from these files, and copied"]);
}

#[test]
fn a_dictionary_behind_a_page_that_becomes_a_revisit_stays() {
    let dir = Dir::with_database();
    let (one, two) = (page(1, ""), page(2, ""));
    let first = [("http://example.org/1", DAY_ONE, &one[..]), ("http://example.org/2", DAY_ONE + 1, &one[..])];
    let second = [("http://example.org/3", DAY_ONE + 2, &two[..]), ("http://example.org/4", DAY_ONE + 3, &one[..])];
    dir.write("a.warc.zst", &concatenated([&first, &second]));
    dir.nddb(["load", "db", "a.warc.zst"]).done();
    let done = counts(&dir, &["revisits", "db", "a.warc.zst", "-o", "out.warc.zst"]);
    assert_eq!((&done["records"], &done["identical"]), (&json!(4), &json!(2)));
    let kinds: Vec<bool> = records(&dir, "out.warc.zst").iter().map(|(kind, ..)| kind.is_some()).collect();
    assert_eq!(kinds, [false, true, false, true]);
}
