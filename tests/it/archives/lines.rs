//! Lines of JSON as other programs write them, and data sets as others publish them.

use super::*;

fn told(bytes: &[u8], name: &str, options: &Options) -> String {
    match Input::from_bytes(bytes.to_vec(), name, options).err() {
        Some(error) => error.to_string(),
        None => panic!("{name} is read"),
    }
}

#[test]
fn lines_that_are_no_json_and_are_written_anyway_cost_nothing() {
    let lines = [
        &b"\xef\xbb\xbf{\"id\":\"bom\",\"text\":\"x\"}\r"[..],
        br#"{"id":"surrogate","text":"cut \ud83d here","other":"\udc00"}"#,
        br#"{"id":"nan","score":NaN,"more":{"a":[-Infinity,Infinity]},"url":NaN,"text":"x"}"#,
        b"{\"id\":\"zero\",\"text\":\"a\0b\",\"o\":\"\0\"}\0\0\0",
        b"\0\0\0",
        b"{\"id\":\"tab\",\"text\":\"a\tb\"}",
        b"{\"id\":\"latin\",\"text\":\"caf\xe9\"}",
        br#"{"id":"key","te\ud800xt":1,"text":"x"}"#,
    ];
    for (name, bytes) in [("a.jsonl", lines.join(&b'\n')), ("a.json.gz", gzip(&lines.join(&b'\n')))] {
        let entries = read(&bytes, name);
        assert_eq!(reasons(&entries), [], "{name}");
        let texts = bodies(&entries);
        let texts: Vec<_> =
            texts.iter().map(|(id, text)| (&id[..], std::str::from_utf8(text).expect("text"))).collect();
        let expected = [
            ("bom", "x"),
            ("surrogate", "cut \u{fffd} here"),
            ("nan", "x"),
            ("zero", "a\0b"),
            ("tab", "a\tb"),
            ("latin", "caf\u{fffd}"),
            ("key", "x"),
        ];
        assert_eq!(texts, expected, "{name}");
    }
    // What stands for bytes that are no text does not make a page larger than it may be.
    let options = Options { limits: Limits { record: 500, ..Limits::default() }, ..Options::default() };
    let line = [&b"{\"id\":\"a\",\"text\":\""[..], &[0xff; 400], b"\"}\n"].concat();
    let entries = read_with(&line, "a.jsonl", &options);
    assert_eq!(found(&entries).iter().map(|page| (page.body.len(), page.truncated)).collect::<Vec<_>>(), [(500, true)]);
}

#[test]
fn layouts_of_published_data_sets_need_no_options() {
    let url = "http://a.example/";
    let cases = [
        ("datatrove", r#"{"text":"T","id":"i","metadata":{"url":"U","date":"2024-03-01T10:00:00Z"}}"#, "i"),
        ("FineWeb", r#"{"text":"T","id":"i","dump":"x","url":"U","date":"2024-03-01T10:00:00Z","score":1.5}"#, "i"),
        (
            "dolma",
            r#"{"id":"i","text":"T","added":"2025","created":"2024-03-01T10:00:00Z","metadata":{"url":"U"}}"#,
            "i",
        ),
        ("C4", r#"{"text":"T","timestamp":"2024-03-01T10:00:00Z","url":"U"}"#, ""),
        ("CulturaX", r#"{"text":"T","timestamp":"2024/03/01 10:00:00","url":"U","source":"mC4"}"#, ""),
        ("RedPajama", r#"{"text":"T","meta":{"timestamp":"2024-03-01T10:00:00Z","url":"U","source":"c4"}}"#, ""),
        ("RedPajama 2", r#"{"url":"U","date_download":"2024-03-01T10:00:00Z","raw_content":"T","nlines":1}"#, ""),
        ("HPLT", r#"{"f":"x","u":"U","ts":"2024-03-01T10:00:00Z","text":"T","lang":["en"],"id":"i"}"#, "i"),
        ("DCLM", r#"{"text":"T","metadata":{"WARC-Target-URI":"U","WARC-Date":"2024-03-01T10:00:00Z"}}"#, ""),
        ("pandas", r#"{"id":"i","text":"T","url":"U","date":1709287200000}"#, "i"),
        ("OSCAR", r#"{"content":"T","warc_headers":{"warc-target-uri":"U","warc-date":"2024-03-01T10:00:00Z"}}"#, ""),
    ];
    for (name, line, id) in cases {
        let line = line.replace("\"U\"", &format!("{url:?}"));
        let entries = read(format!("{line}\n{line}\n").as_bytes(), "d/a.jsonl");
        let page = |row: usize| PageEntry {
            id: if id.is_empty() { format!("d/a.jsonl:{row}") } else { id.to_owned() },
            url: Some(url.to_owned()),
            date: Some(1_709_287_200),
            unread_date: None,
            kind: PageKind::Text,
            charset: Some("utf-8".to_owned()),
            body: b"T".to_vec(),
            truncated: false,
            is_cut: false,
        };
        assert_eq!(found(&entries), [&page(0), &page(1)], "{name}");
    }
    // A name that is asked for has no others.
    let mut options = Options::default();
    options.fields.url = "link".to_owned();
    let line = br#"{"id":"a","text":"x","link":null,"url":"http://a/"}"#;
    assert_eq!(found(&read_with(line, "a.jsonl", &options))[0].url, None);
}

#[test]
fn lines_without_ids_are_known_by_their_place_from_wherever_they_are_read() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let lines: String =
        (0..9).map(|n| format!("{{\"text\":\"{n}\"}}\n{}", if n == 3 { "\n[]\n" } else { "" })).collect();
    for (name, bytes) in [("a.jsonl", lines.clone().into_bytes()), ("b.jsonl.gz", gzip(lines.as_bytes()))] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("the file can be written");
        let all = drain(Input::open(&path, &Options::default()).expect("opens"));
        let text = path.display();
        let ids: Vec<_> = [0, 1, 2, 3, 5, 6, 7, 8, 9].iter().map(|row| format!("{text}:{row}")).collect();
        assert_eq!(found(&all).iter().map(|page| &page.id).collect::<Vec<_>>(), ids.iter().collect::<Vec<_>>());
        let mut input = Input::open(&path, &Options::default()).expect("opens");
        for read in 1..=all.len() {
            let entry = input.next().expect("reads").expect("is there");
            let rest = drain(Input::open_at(&path, &Options::default(), input.resume_point()).expect("opens"));
            assert_eq!(rest, all[read..]);
            if let EntryContent::Page(page) = entry.content {
                let again = read_page(&path, &entry.position, &Options::default()).expect("is there");
                assert_eq!(again.body, page.body);
            }
        }
    }
    // Where others have one, a line without an id is damage.
    let entries = read(b"{\"id\":\"a\",\"text\":\"\"}\n{\"text\":\"\"}\n", "a.jsonl");
    assert_eq!(reasons(&entries), [Reason::MissingField]);
}

#[test]
fn a_file_that_has_no_documents_is_refused_with_what_it_has() {
    let options = Options::default();
    let lines = b"{\"id\":1,\"body\":\"x\",\"meta\":{\"u\":1,\"v\":{}}}\n{\"title\":\"x\"}\n";
    let message = told(lines, "a.jsonl", &options);
    assert!(message.contains("a.jsonl: ") && message.contains("id, body, meta.u, meta.v, title"), "{message}");
    assert!(message.contains("name that of the text"), "{message}");
    let asked = |field: &str| Options { required: vec![field.to_owned()], ..Options::default() };
    let mut options = asked("meta.url");
    options.fields.url = "meta.url".to_owned();
    let lines = b"{\"id\":1,\"text\":\"x\",\"meta\":{\"uri\":1}}\n";
    let message = told(lines, "a.jsonl", &options);
    assert!(message.contains("\"meta.url\"") && message.contains("id, text, meta.uri"), "{message}");
    assert_eq!(
        found(&read_with(&[&lines[..], b"{\"meta\":{\"url\":\"\"},\"text\":\"\"}"].concat(), "a", &options)).len(),
        1
    );
    for (text, name, word) in [
        ("[\n {\"id\":\"a\",\"text\":\"x\"}\n]", "a.json", "array"),
        ("[{\"id\":\"a\",\"text\":\"x\"}]", "a.jsonl", "array"),
        ("{\n \"id\": \"a\",\n \"text\": \"x\"\n}\n", "a.json", "several lines"),
        ("{\"log\":{\"version\":\"1.2\",\"creator\":{},\"entries\":[]}}", "a.json", "HAR"),
        ("{\n  \"log\": {\n    \"entries\": []}}", "a.json", "HAR"),
    ] {
        let message = told(text.as_bytes(), name, &Options::default());
        assert!(message.contains(word) && message.starts_with(name), "{message}");
    }
}
