//! The entries of records and lines; selected ranges of archives.

use nddb::archive::{ByteRange, Ranges};
use nddb::number_id;

use super::*;

fn one_response(headers: &[(&str, &str)], body: &[u8]) -> EntryContent {
    let mut writer = WarcWriter::new(Vec::new(), Compression::Plain);
    let response = Response { url: "http://a/", date: 0, id: None, status: 200, headers, body };
    writer.response(&response).expect("writes to memory");
    let mut entries = read(&writer.finish().expect("writes to memory"), "one.warc");
    assert_eq!(entries.len(), 1);
    entries.remove(0).content
}

fn body_of(headers: &[(&str, &str)], body: &[u8]) -> (Vec<u8>, bool) {
    body_if_page(headers, body).unwrap_or_else(|| panic!("{headers:?}: binary"))
}

/// The body of a page, and whether it is truncated; `None` if it begins as a binary file does.
fn body_if_page(headers: &[(&str, &str)], body: &[u8]) -> Option<(Vec<u8>, bool)> {
    let headers = [headers, &[("Content-Type", "text/html")]].concat();
    match one_response(&headers, body) {
        EntryContent::Page(page) => Some((page.body, page.truncated)),
        EntryContent::Other(OtherKind::Binary) => None,
        other => panic!("{headers:?}: {other:?}"),
    }
}

fn chunked(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in body.chunks(50) {
        out.extend_from_slice(format!("{:X}\r\n", chunk.len()).as_bytes());
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"0\r\nX-Trailer: 1\r\n\r\n");
    out
}

#[test]
fn encodings_are_undone_alone_and_one_upon_the_other() {
    let page = pages(7).remove(6).1;
    let deflated = |zlib: bool| {
        let mut out = Vec::new();
        if zlib {
            flate2::bufread::ZlibEncoder::new(&page[..], flate2::Compression::default()).read_to_end(&mut out)
        } else {
            flate2::bufread::DeflateEncoder::new(&page[..], flate2::Compression::default()).read_to_end(&mut out)
        }
        .expect("compresses in memory");
        out
    };
    let brotli = |bytes: &[u8]| {
        let mut out = Vec::new();
        brotli::CompressorReader::new(bytes, 4096, 5, 22).read_to_end(&mut out).expect("compresses in memory");
        out
    };
    let zst = |bytes: &[u8]| zstd::bulk::compress(bytes, 3).expect("compresses in memory");
    type Headers = Vec<(&'static str, &'static str)>;
    let cases: Vec<(&str, Headers, Vec<u8>)> = vec![
        ("gzip", vec![("Content-Encoding", "gzip")], gzip(&page)),
        ("x-gzip", vec![("Content-Encoding", " X-GZIP ")], gzip(&page)),
        ("gzip in members", vec![("Content-Encoding", "gzip")], [gzip(&page[..9]), gzip(&page[9..])].concat()),
        ("zlib", vec![("Content-Encoding", "deflate")], deflated(true)),
        ("deflate", vec![("Content-Encoding", "deflate")], deflated(false)),
        ("br", vec![("Content-Encoding", "br")], brotli(&page)),
        ("zstd", vec![("Content-Encoding", "zstd")], zst(&page)),
        ("chunked", vec![("Transfer-Encoding", "chunked")], chunked(&page)),
        ("chunked gzip", vec![("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip")], chunked(&gzip(&page))),
        ("gzip chunked", vec![("Transfer-Encoding", "gzip, chunked")], chunked(&gzip(&page))),
        ("gzip br", vec![("Content-Encoding", "gzip, br")], brotli(&gzip(&page))),
        ("twice", vec![("Content-Encoding", "gzip"), ("content-encoding", "zstd")], zst(&gzip(&page))),
        ("not said", vec![], gzip(&page)),
        ("a lie", vec![("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked")], page.clone()),
        ("half a lie", vec![("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked")], gzip(&page)),
        ("lies", vec![("Content-Encoding", "deflate, br, zstd, identity")], page.clone()),
    ];
    for (name, headers, body) in cases {
        assert!(body_of(&headers, &body) == (page.clone(), false), "{name}");
    }
    for (name, packed) in
        [("gzip", gzip(&page)), ("deflate", deflated(true)), ("br", brotli(&page)), ("zstd", zst(&page))]
    {
        let mut pages = 0;
        for len in 0..packed.len() {
            // Where too little of it is there to be undone, it is a compressed file.
            let Some((body, truncated)) = body_if_page(&[("Content-Encoding", name)], &packed[..len]) else { continue };
            pages += 1;
            let as_it_is = body == packed[..len];
            assert!(as_it_is || page.starts_with(&body), "{name} cut at {len}");
            assert!(as_it_is || truncated || body == page, "{name} cut at {len} is flagged");
        }
        assert!(pages > 0, "{name}");
    }
}

#[test]
fn only_successful_html_and_text_become_pages() {
    let kind = |headers: &[(&str, &str)], body: &[u8]| match one_response(headers, body) {
        EntryContent::Page(page) => Ok((page.kind, page.charset)),
        EntryContent::Other(kind) => Err(kind),
        other => panic!("{other:?}"),
    };
    assert_eq!(kind(&[("content-type", "TEXT/HTML;charset=\"Big5\"")], b""), Ok((PageKind::Html, Some("Big5".into()))));
    assert_eq!(kind(&[("Content-Type", "application/xhtml+xml")], b"x"), Ok((PageKind::Html, None)));
    assert_eq!(kind(&[("Content-Type", "text/plain")], b"<html>"), Ok((PageKind::Text, None)));
    assert_eq!(kind(&[("Content-Type", "image/png")], b"<html>"), Err(OtherKind::ContentType));
    assert_eq!(kind(&[], b" \n<HTML>"), Ok((PageKind::Html, None)));
    assert_eq!(kind(&[], b"\x89PNG"), Err(OtherKind::ContentType));

    let mut writer = WarcWriter::new(Vec::new(), Compression::Gzip);
    for status in [404, 301, 206, 500] {
        let response = Response { url: "http://a/", date: 0, id: None, status, headers: HTML, body: b"<p>" };
        writer.response(&response).expect("writes to memory");
    }
    for kind in ["request", "metadata", "revisit", "resource", "continuation", "conversion", "something"] {
        writer.record(&[("WARC-Type", kind), ("Content-Type", "image/png")], b"<p>").expect("writes to memory");
    }
    writer.record(&[("WARC-Type", "response"), ("Content-Type", "text/dns")], b"1.2.3.4").expect("writes to memory");
    let interim = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/2 200\r\nContent-Type: text/html\r\n\r\n<p>";
    writer.record(&[("WARC-Type", "response"), ("WARC-Record-ID", "<urn:a>")], interim).expect("writes to memory");
    let entries = read(&writer.finish().expect("writes to memory"), "kinds.warc.gz");
    assert_eq!(bodies(&entries), [("urn:a".to_owned(), b"<p>".to_vec())]);
    let others: Vec<OtherKind> = entries
        .iter()
        .filter_map(|entry| match entry.content {
            EntryContent::Other(kind) => Some(kind),
            _ => None,
        })
        .collect();
    use OtherKind::{Continuation, Conversion, Metadata, NotHttp, Request, Resource, Revisit, Status, Unknown};
    let expected = [
        Status,
        Status,
        Status,
        Status,
        Request,
        Metadata,
        Revisit,
        Resource,
        Continuation,
        Conversion,
        Unknown,
        NotHttp,
    ];
    assert_eq!(others, expected);
}

#[test]
fn wet_records_are_known_by_the_page_they_were_made_from() {
    let record = |id: &str, refers: &str| {
        format!(
            "WARC/1.0\nWARC-Type: conversion\nWARC-Target-URI: <http://a/>\nWARC-Date: 2009-03-65\n\
             WARC-Record-ID: <{id}>\n{refers}Content-Type: text/plain\nContent-Length: 5\n\nwords\n\n"
        )
    };
    let bytes = record("urn:1", "WARC-Refers-To:\n <urn:page>\n") + &record("urn:2", "");
    let entries = read(bytes.as_bytes(), "pages.warc.wet");
    let loaded = found(&entries);
    assert_eq!(loaded.iter().map(|page| page.id.as_str()).collect::<Vec<_>>(), ["urn:page", "urn:2"]);
    assert_eq!((loaded[0].kind, loaded[0].date, loaded[0].url.as_deref()), (PageKind::Text, None, Some("http://a/")));
    let by_url = Options { id_from: IdFrom::Url, ..Options::default() };
    assert_eq!(found(&read_with(bytes.as_bytes(), "x", &by_url))[0].id, "http://a/");
}

#[test]
fn ids_that_cannot_be_kept_are_skipped() {
    for (id, fine) in [("a".repeat(4096), true), ("a".repeat(4097), false), ("a\0b".to_owned(), false)] {
        let mut writer = WarcWriter::new(Vec::new(), Compression::Plain);
        let response = Response { url: "http://a/", date: 0, id: Some(&id), status: 200, headers: HTML, body: b"" };
        writer.response(&response).expect("writes to memory");
        let entries = read(&writer.finish().expect("writes to memory"), "ids.warc");
        assert_eq!(found(&entries).len(), usize::from(fine));
        assert_eq!(reasons(&entries), if fine { vec![] } else { vec![Reason::BadId] });
    }
}

#[test]
fn arc_files_of_both_versions_are_read() {
    let mut originals = pages(6);
    originals[2].0 = "http://a/with a space".to_owned();
    let text = arc(&originals);
    for (name, bytes) in [("made.arc", text.clone().into_bytes()), ("made.arc.gz", gzip(text.as_bytes()))] {
        let entries = read(&bytes, name);
        let loaded = found(&entries);
        assert_eq!(loaded.len(), 6);
        for (page, (url, body)) in loaded.iter().zip(&originals) {
            assert_eq!((&page.id, &page.body), (&format!("arc:20240101000000:{url}"), body));
            assert_eq!((page.date, page.truncated), (Some(1_704_067_200), false));
        }
        assert_eq!(reasons(&entries), []);
    }
    let broken = text.replacen(" 20240101000000 text/html", " never text/html", 2);
    let entries = read(broken.as_bytes(), "made.arc");
    assert_eq!(found(&entries).len(), 4);
}

#[test]
fn json_lines_become_documents_or_are_skipped_one_by_one() {
    let hex = "0123456789abcdef";
    let lines = [
        r#"{"id":"a","text":"one","url":"http://a/","more":{"id":[1,{"x":null}]}}"#.to_owned(),
        r#"{"html":"<p>tw\u00f6","id":17}"#.to_owned(),
        format!(r#"{{"id":"c","fp":"{hex}"}}"#),
        String::new(),
        r#"{"id":"d"}"#.to_owned(),
        r#"{"text":"no id"}"#.to_owned(),
        r#"{"id":["e"],"text":""}"#.to_owned(),
        r#"{"id":"f","text":5}"#.to_owned(),
        r#"{"id":"g","fp":"xyz"}"#.to_owned(),
        r#"{"id":"","text":"x"}"#.to_owned(),
        r#"{"id":"h","text":"x"} x"#.to_owned(),
        r#"{"id":"i","text":"x""#.to_owned(),
        r#"{"id":"k","text":"x","more":1,"more":2,"text":"y"}"#.to_owned(),
        "[".repeat(100_000),
        r#"{"id":"j","text":null,"html":""}"#.to_owned(),
    ];
    let text = lines.join("\r\n");
    for (name, bytes) in [
        ("a.jsonl", text.clone().into_bytes()),
        ("a.jsonl.gz", gzip(text.as_bytes())),
        ("a.jsonl.zst", zstd::bulk::compress(text.as_bytes(), 1).expect("compresses in memory")),
        ("no-ending", [b"\xef\xbb\xbf", text.as_bytes()].concat()),
    ] {
        let entries = read(&bytes, name);
        use Reason::{BadFingerprint, BadId, BadJson, MissingField, WrongType};
        let expected = [
            MissingField,
            MissingField,
            WrongType,
            WrongType,
            BadFingerprint,
            BadId,
            BadJson,
            BadJson,
            BadJson,
            BadJson,
        ];
        assert_eq!(reasons(&entries), expected, "{name}");
        let ids: Vec<(&str, PageKind, &[u8])> =
            found(&entries).iter().map(|page| (page.id.as_str(), page.kind, &page.body[..])).collect();
        let loaded = [
            ("a", PageKind::Text, &b"one"[..]),
            (&*number_id(17), PageKind::Html, "<p>twö".as_bytes()),
            ("j", PageKind::Html, b""),
        ];
        assert_eq!(ids, loaded, "{name}");
        let fingerprint =
            EntryContent::Fingerprint { id: "c".to_owned(), fingerprint: 0x0123_4567_89ab_cdef, url: None };
        assert_eq!(entries[2].content, fingerprint);
    }
    let skipped = read(text.as_bytes(), "a.jsonl").remove(3);
    assert_eq!(skipped.position.offset as usize, text.find(r#"{"id":"d"}"#).expect("is there"));

    let mut options = Options::default();
    options.fields.id = "name".to_owned();
    options.fields.text = "content".to_owned();
    options.limits.record = 100;
    let text = format!("{{\"name\":\"{}\",\"content\":\"\"}}\n{{\"name\":\"a\",\"content\":\"b\"}}\n", "x".repeat(100));
    let entries = read_with(text.as_bytes(), "a.jsonl", &options);
    assert_eq!(reasons(&entries), [Reason::LineTooLong]);
    assert_eq!(bodies(&entries), [("a".to_owned(), b"b".to_vec())]);
}

#[test]
fn lines_have_nested_fields_and_what_datatrove_writes() {
    let line = r#"{"text":"x","id":"a","metadata":{"url":"http://a/","date":"1970-01-02","n":[{"url":1}]},"more":{"date":3}}
{"text":"x","id":"b","url":"http://b/","date":"1970-01-03T00:00:00Z","metadata":{"url":"http://c/","date":7}}
{"text":"x","id":"c","metadata":"none","date":5,"url":null}
{"text":"x","id":"d","metadata":{"url":{"x":1}}}
{"text":"x","id":"e","metadata":{"date":"1970-01-02"},"metadata":{"date":"1970-01-02"}}
"#;
    let entries = read(line.as_bytes(), "a.jsonl");
    let known: Vec<_> = found(&entries).iter().map(|page| (page.id.clone(), page.url.clone(), page.date)).collect();
    let page = |id: &str, url: Option<&str>, date| (id.to_owned(), url.map(str::to_owned), date);
    let expected = [
        page("a", Some("http://a/"), Some(86_400)),
        page("b", Some("http://b/"), Some(2 * 86_400)),
        page("c", None, None),
        page("d", None, None),
    ];
    assert_eq!(known, expected);
    assert_eq!(reasons(&entries), [Reason::BadJson], "a nested field that occurs twice");

    let mut options = Options::default();
    (options.fields.id, options.fields.text) = ("meta.doc.id".to_owned(), "meta.text".to_owned());
    let text = r#"{"meta":{"doc":{"id":7},"text":"y"},"id":"no"}
{"meta.doc.id":"flat","meta":{"text":"z"}}
{"meta":{"doc":7,"text":"y"}}
"#;
    let entries = read_with(text.as_bytes(), "a.jsonl", &options);
    assert_eq!(bodies(&entries), [(number_id(7), b"y".to_vec()), ("flat".to_owned(), b"z".to_vec())]);
    assert_eq!(reasons(&entries), [Reason::MissingField]);
}

#[test]
fn raw_fingerprints_are_read_from_lines_and_from_numbers() {
    let prefixed = Options { id_prefix: "p-".to_owned(), first_ordinal: 5, ..Options::default() };
    let text = format!(
        "a\t0123456789ABCDEF\r\n\nb\t0000000000000000\nno tab\nc\t12\n{}\t0000000000000000\nd\t0000000000000001",
        "x".repeat(5000)
    );
    let entries = read_with(text.as_bytes(), "a.tsv", &prefixed);
    let ids = |entries: &[Entry]| {
        let id = |entry: &Entry| match &entry.content {
            EntryContent::Fingerprint { id, fingerprint, .. } => Some((id.clone(), *fingerprint)),
            _ => None,
        };
        entries.iter().filter_map(id).collect::<Vec<_>>()
    };
    assert_eq!(
        ids(&entries),
        [("p-a".to_owned(), 0x0123_4567_89ab_cdef), ("p-b".to_owned(), 0), ("p-d".to_owned(), 1)]
    );
    assert_eq!(reasons(&entries), [Reason::BadLine, Reason::BadFingerprint, Reason::LineTooLong]);

    let numbers: Vec<u64> = vec![0x8b1f, u64::MAX, 7];
    let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    bytes.extend_from_slice(b"abc");
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (name, bytes) in [("a.u64le", bytes.clone()), ("a.u64le.gz", [gzip(&bytes[..10]), gzip(&bytes[10..])].concat())]
    {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("the file can be written");
        let mut input = Input::open(&path, &prefixed).expect("opens");
        let first = input.next().expect("reads").expect("is there");
        assert_eq!(ids(&[first]), [("p-5".to_owned(), 0x8b1f)]);
        input.next().expect("reads");
        let rest = drain(Input::open_at(&path, &prefixed, input.resume_point()).expect("opens"));
        assert_eq!(ids(&rest), [("p-7".to_owned(), 7)], "{name}");
        assert_eq!(reasons(&rest), [Reason::TrailingBytes]);
        assert_eq!(drain(input), rest);
    }
}

#[test]
fn a_folder_is_the_archives_below_it_too_and_what_is_passed_over_is_counted() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::fs::create_dir(folder.path().join("sub")).expect("a folder can be made");
    let names = [
        "a.warc.gz",
        "b.html",
        "c.WET",
        "d.jsonl.zst",
        "e.json",
        "f.json.gz",
        "g",
        "h.tsv",
        "i.u64le",
        "j.arc",
        "k.bin",
        "sub/l.html.gz",
        "sub/m.ndjson",
    ];
    names.iter().for_each(|name| std::fs::write(folder.path().join(name), "").expect("written"));
    let walk = |format| {
        let Inputs { located, passed_over } = expand(&[folder.path()], format).expect("the folder is readable");
        let below = |located: &Located| {
            let path = located.path.strip_prefix(folder.path()).expect("is below").to_string_lossy().into_owned();
            assert_eq!(located.document.is_some(), path.contains(".html"), "{path}");
            path
        };
        assert_eq!(located.len() as u64 + passed_over, names.len() as u64);
        located.iter().map(below).collect::<Vec<_>>()
    };
    let known =
        ["a.warc.gz", "b.html", "c.WET", "d.jsonl.zst", "h.tsv", "i.u64le", "j.arc", "sub/l.html.gz", "sub/m.ndjson"];
    assert_eq!(walk(Format::Auto), known);
    assert_eq!(walk(Format::Wet), ["a.warc.gz", "c.WET"]);
    assert_eq!(walk(Format::Jsonl), ["d.jsonl.zst", "e.json", "f.json.gz", "sub/m.ndjson"]);
    assert_eq!(walk(Format::Html), ["b.html", "sub/l.html.gz"]);
}

#[test]
fn a_folder_is_the_documents_below_it() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("is below")).expect("a folder can be made");
        std::fs::write(path, text).expect("the file can be written");
    };
    write("b/c.HTML", "<p>c");
    write("a.txt", "WARC/1.0 is only a word here");
    write("b/d.htm", "");
    write("b/e.png", "");
    let Inputs { located, passed_over } = expand(&[folder.path()], Format::Auto).expect("the folder is readable");
    assert_eq!(passed_over, 1);
    let names: Vec<_> = located.iter().filter_map(|found| found.document.as_deref()).collect();
    assert_eq!(names, ["a.txt", "b/c.HTML", "b/d.htm"]);
    let mut loaded = Vec::new();
    for found in &located {
        let mut input = found.open(&Options::default()).expect("opens");
        let entry = input.next().expect("reads").expect("is one document");
        let resumed = found.open_at(&Options::default(), input.resume_point()).expect("opens");
        if input.size() > 0 {
            assert_eq!(drain(resumed), []);
        }
        let as_document = Options { format: Format::Html, ..Options::default() };
        assert!(read_page(&found.path, &entry.position, &as_document).is_ok_and(|page| !page.truncated));
        let EntryContent::Page(page) = entry.content else { panic!("{entry:?}") };
        loaded.push((page.id, page.kind, page.body.len()));
    }
    let expected = [("a.txt", PageKind::Text, 28), ("b/c.HTML", PageKind::Html, 4), ("b/d.htm", PageKind::Html, 0)];
    assert_eq!(loaded, expected.map(|(id, kind, len)| (id.to_owned(), kind, len)));

    let missing = expand(&[folder.path().join("missing")], Format::Auto);
    assert!(matches!(missing, Err(ArchiveError::Io { .. })));
    let empty = tempfile::tempdir().expect("a folder can be made");
    assert!(matches!(expand(&[empty.path()], Format::Auto), Err(ArchiveError::NoDocuments { .. })));
    assert_eq!(expand(&["-"], Format::Auto).expect("the standard input is always there").located[0].document, None);
}

#[test]
fn an_archive_is_known_by_its_size_and_its_ends() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("a.warc");
    let mut bytes = vec![0; 200_000];
    let known = |bytes: &[u8]| {
        std::fs::write(&path, bytes).expect("the file can be written");
        identity(&path).expect("the file is readable")
    };
    let first = known(&bytes);
    assert_eq!(first.size, 200_000);
    bytes[100_000] = 1;
    assert_eq!(known(&bytes).hash, first.hash, "the middle is not looked at");
    for at in [0, 65_535, 199_999] {
        bytes[at] ^= 1;
        assert_ne!(known(&bytes).hash, first.hash);
        bytes[at] ^= 1;
    }
    assert_ne!(known(b"").hash, known(b"a").hash);
}

#[test]
fn formats_are_found_by_content_and_then_by_name() {
    let cases: [(&[u8], &str, Format); 9] = [
        (b"WARC/1.0\r\n", "x.txt", Format::Warc),
        (b"filedesc://a.arc 0.0.0.0 20240101000000 text/plain 9\n", "x", Format::Arc),
        (b"<!doctype html>", "x", Format::Html),
        (b"plain", "x.txt", Format::Html),
        (b"{\"id\":1,\"text\":\"\"}", "x", Format::Jsonl),
        (b"a\t0123456789abcdef", "x", Format::Tsv),
        (b"\x1f\x8b\x08\0\0\0\0\0", "x.u64le", Format::U64le),
        (b"nothing yet", "x.warc.gz", Format::Warc),
        (b"", "x.arc", Format::Arc),
    ];
    for (bytes, name, format) in cases {
        let input = Input::from_bytes(bytes.to_vec(), name, &Options::default()).expect("opens");
        assert_eq!(input.format(), format, "{name}");
    }
    for name in ["auto", "warc", "wet", "arc", "html", "jsonl", "csv", "tsv", "u64le"] {
        assert_eq!(name.parse::<Format>().map(|format| format.to_string()).as_deref(), Ok(name));
    }
    assert!("pdf".parse::<Format>().is_err_and(|error| error.to_string().contains("u64le")));
    assert!(Reason::ALL.iter().all(|reason| reason.as_str().bytes().all(|b| b == b'_' || b.is_ascii_lowercase())));
}

#[test]
fn pages_are_found_behind_what_proxies_and_servers_put_before_them() {
    let page = pages(7).remove(6).1;
    let mut zlib = Vec::new();
    flate2::bufread::DeflateEncoder::new(&page[..], flate2::Compression::default())
        .read_to_end(&mut zlib)
        .expect("compresses in memory");
    let html = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
    let with = |before: &str, header: &str, body: &[u8]| [before.as_bytes(), header.as_bytes(), body].concat();
    let cases = [
        with("HTTP/1.1 200 Connection established\r\n\r\n", &format!("{html}\r\n"), &page),
        with("HTTP/1.0 200 OK\r\nProxy-agent: x\r\n\r\n\r\n", &format!("{html}\r\n"), &page),
        with("HTTP/1.1 100 Continue\n\nHTTP/1.1 200 x\n\n", &format!("{html}\r\n"), &page),
        with("", &format!("{html}Content-Encoding: gzip\r\n\r\n\r\n"), &gzip(&page)),
        with("", &format!("{html}Content-Encoding: deflate\r\n\r\n\r\n\n"), &zlib),
        with("", &format!("{html}Transfer-Encoding: chunked\r\n\r\n\r\n\r\n"), &chunked(&page)),
        with("", &format!("{html}\r\n\r\n"), &gzip(&page)),
    ];
    for (case, response) in cases.iter().enumerate() {
        let mut writer = WarcWriter::new(Vec::new(), Compression::Plain);
        let fields = [("WARC-Type", "response"), ("WARC-Record-ID", "<urn:a>")];
        writer.record(&fields, response).expect("writes to memory");
        let entries = read(&writer.finish().expect("writes to memory"), "a.warc");
        assert_eq!(bodies(&entries), [("urn:a".to_owned(), page.clone())], "case {case}");
        assert!(!found(&entries)[0].truncated, "case {case}");
    }
    // A text about HTTP is a text.
    let body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>";
    assert_eq!(
        one_response(&[("Content-Type", "text/plain")], body),
        one_response(&[("Content-Type", "text/plain; ")], body)
    );
    let EntryContent::Page(text) = one_response(&[("Content-Type", "text/plain")], body) else { panic!("a page") };
    assert_eq!((text.kind, &text.body[..]), (PageKind::Text, &body[..]));
    for value in ["text/html charset=big5", "text/html: charset=big5", "\"text/html\";charset='big5'"] {
        let EntryContent::Page(page) = one_response(&[("Content-Type", value)], b"x") else { panic!("{value}") };
        assert_eq!((page.kind, page.charset.as_deref()), (PageKind::Html, Some("big5")), "{value}");
    }
}

#[test]
fn records_without_http_are_pages_by_their_type_and_address() {
    let record = |kind: &str, url: &str, media_type: &str, body: &[u8]| {
        let mut writer = WarcWriter::new(Vec::new(), Compression::Plain);
        let fields = [("WARC-Type", kind), ("WARC-Record-ID", "<urn:a>"), ("WARC-Target-URI", url)];
        let more = [("WARC-Refers-To", "<urn:b>"), ("Content-Type", media_type)];
        writer.record(&[&fields[..], &more].concat(), body).expect("writes to memory");
        match read(&writer.finish().expect("writes to memory"), "a.warc").remove(0).content {
            EntryContent::Page(page) => Ok((page.id, page.kind, page.charset)),
            EntryContent::Other(kind) => Err(kind),
            other => panic!("{other:?}"),
        }
    };
    let page = |id: &str, kind, charset: Option<&str>| Ok((id.to_owned(), kind, charset.map(str::to_owned)));
    let html = page("urn:a", PageKind::Html, None);
    assert_eq!(record("resource", "http://a/", "text/html", b"<p>"), html);
    assert_eq!(
        record("resource", "file:///a.txt", "text/plain; charset=big5", b"x"),
        page("urn:a", PageKind::Text, Some("big5"))
    );
    assert_eq!(
        record("resource", "https://a/", "application/http", b"HTTP/1.1 200\r\nContent-Type: text/html\r\n\r\n"),
        html
    );
    assert_eq!(record("response", "http://a/", "text/html", b"<p>"), html);
    assert_eq!(record("conversion", "http://a/", "text/html", b"<p>"), html);
    assert_eq!(record("conversion", "http://a/", "text/plain", b"x"), page("urn:b", PageKind::Text, Some("utf-8")));
    for (kind, url, media_type, other) in [
        ("resource", "metadata://gnu.org/software/wget/warc/wget.log", "text/plain", OtherKind::Resource),
        ("resource", "urn:text:https://a/", "text/plain", OtherKind::Resource),
        ("resource", "https://a/x.png", "image/png", OtherKind::Resource),
        ("conversion", "https://a/x.png", "image/png", OtherKind::Conversion),
        ("response", "dns:a", "text/dns", OtherKind::NotHttp),
    ] {
        assert_eq!(record(kind, url, media_type, b"x"), Err(other), "{kind} {url}");
    }
}

#[test]
fn bytes_between_records_mean_nothing() {
    let originals = pages(4);
    let record = |page| archive(std::slice::from_ref(page), Compression::Plain);
    for padding in [&b"\0"[..], b"\0\0\0\0\r\n", b"   \r\n\t\r\n", &[0; 700]] {
        let padded = |pack: fn(&[u8]) -> Vec<u8>| -> Vec<u8> {
            originals.iter().flat_map(|page| pack(&[&record(page)[..], padding].concat())).collect()
        };
        for bytes in [padded(|bytes| bytes.to_vec()), padded(gzip)] {
            let entries = read(&bytes, "padded.warc.gz");
            assert_eq!(bodies(&entries), originals, "{padding:?}");
            assert!(found(&entries).iter().all(|page| !page.truncated) && reasons(&entries).is_empty(), "{padding:?}");
        }
    }
}

#[test]
fn what_data_tools_hide_in_a_folder_is_counted_and_not_read() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let line = "{\"id\":\"a\",\"text\":\"words\"}\n";
    for (name, text) in [
        ("part-0.jsonl", line),
        ("._part-0.jsonl", "\0\x05"),
        ("_SUCCESS", ""),
        ("_temporary/0/part-0.jsonl", line),
        (".git/x.jsonl", line),
        ("_day=1/part-1.jsonl", line),
        ("lines.json", line),
        ("package.json", "{\n\"name\": \"x\"\n}"),
        ("config.json", "{\"name\":\"x\"}"),
        ("rows.csv", "id,text\na,words\n"),
        ("prices.csv", "day,price\n1,2\n"),
    ] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("is below")).expect("a folder can be made");
        std::fs::write(path, text).expect("the file can be written");
    }
    let Inputs { located, passed_over } = expand(&[folder.path()], Format::Auto).expect("the folder is readable");
    let names: Vec<_> = located
        .iter()
        .map(|found| found.path.strip_prefix(folder.path()).expect("is below").to_string_lossy().into_owned())
        .collect();
    assert_eq!(names, ["_day=1/part-1.jsonl", "lines.json", "part-0.jsonl", "rows.csv"]);
    assert_eq!(passed_over, 7);
}

#[test]
fn what_a_browser_fetched_as_part_of_a_page_is_no_page() {
    let record = |kind: &str| {
        let body = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>T</title><p>words";
        let part = if kind.is_empty() { String::new() } else { format!("WARC-Resource-Type: {kind}\r\n") };
        let id = format!("<urn:x:{kind}>");
        format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: {id}\r\nWARC-Target-URI: http://a/{kind}\r\n{part}\
             Content-Length: {}\r\n\r\n{body}\r\n\r\n",
            body.len()
        )
    };
    let bytes = ["", "document", "image", "Script", "xhr", "other", "fetch"].map(record).concat();
    let entries = read(bytes.as_bytes(), "a.warc");
    let ids: Vec<&str> = found(&entries).iter().map(|page| &*page.id).collect();
    assert_eq!((ids, entries.len()), (vec!["urn:x:", "urn:x:document", "urn:x:other"], 7));
}

#[test]
fn addresses_that_are_not_read_say_how_to_get_the_file() {
    for (address, told) in [
        ("hf://datasets/o/n/data/x.parquet", "'hf download --repo-type dataset o/n data/x.parquet'"),
        ("hf://datasets/o/n@v2/x.jsonl", "'hf download --repo-type dataset o/n x.jsonl --revision v2'"),
        ("hf://o/n/x.jsonl", "'hf download o/n x.jsonl'"),
        ("ftp://h/x.warc.gz", "'curl -O ftp://h/x.warc.gz'"),
        ("gopher://h/x", "no address that is read"),
    ] {
        let error = expand(&[address], Format::Auto).expect_err(address).to_string();
        assert!(error.starts_with(address) && error.contains(told), "{error}");
    }
}

#[test]
fn tables_of_orc_and_of_the_first_feather_say_how_they_are_converted() {
    for (name, head, read) in [
        ("x.feather", &b"FEA1 and more"[..], "pyarrow.feather.write_feather"),
        ("x.orc", b"ORC and more", "pyarrow.orc.read_table"),
    ] {
        let error = Input::from_bytes(head.to_vec(), name, &Options::default()).err().expect(name).to_string();
        assert!(error.starts_with(name) && error.contains(read), "{error}");
    }
}

#[test]
fn selected_records_are_those_of_the_whole_archive_and_reading_resumes_at_each() {
    for compression in [Compression::Plain, Compression::Gzip, Compression::Zstd] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("pages.warc");
        std::fs::write(&path, archive(&pages(40), compression)).expect("the folder is writable");
        let options = Options::default();
        let all = drain(Input::open(&path, &options).expect("opens"));
        let wanted: Vec<Entry> = all.iter().step_by(3).cloned().collect();
        let range = |entry: &Entry| ByteRange { offset: entry.position.offset, length: entry.position.length };
        let ranges = Ranges::new(wanted.iter().rev().map(range).collect());
        let located = Located { path: path.clone(), document: None, ranges: Some(ranges.clone()) };
        assert_eq!((located.size(), ranges.len()), (ranges.bytes(), wanted.len()));
        let mut input = located.open(&options).expect("opens");
        for read in 0..=wanted.len() {
            let point = input.resume_point();
            assert_eq!(
                drain(located.open_at(&options, point).expect("opens")),
                wanted[read..],
                "{compression:?} {read}"
            );
            assert_eq!(input.next().expect("reads").as_ref(), wanted.get(read));
        }
        assert_eq!(input.bytes_read(), ranges.bytes());
    }
}

#[test]
fn ranges_of_garbage_are_skipped_one_by_one_whatever_they_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = Random(7);
    for compression in [Compression::Plain, Compression::Gzip, Compression::Zstd] {
        let path = folder.path().join("pages.warc");
        let bytes = archive(&pages(20), compression);
        std::fs::write(&path, &bytes).expect("the folder is writable");
        let end = 2 * bytes.len() as u64;
        let mut ranges: Vec<ByteRange> =
            (0..300).map(|_| ByteRange { offset: 3 + random.next() % end, length: random.next() % end }).collect();
        ranges.push(ByteRange { offset: u64::MAX, length: u64::MAX });
        let ranges = Ranges::new(ranges);
        let located = Located { path, document: None, ranges: Some(ranges.clone()) };
        let entries = drain(located.open(&Options::default()).expect("opens"));
        assert_eq!(entries.len(), ranges.len());
        let pages = entries.iter().filter(|entry| matches!(entry.content, EntryContent::Page(_))).count();
        assert!(pages < 3, "{compression:?}: {pages} of random ranges are records");
    }
}
