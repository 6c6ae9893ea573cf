//! CSV, and TSV with a header.

use super::*;

const TEXTS: [&str; 4] = ["plain words", "a \"quoted\" word, and more; yes", "two\r\nlines\n\nof text", ""];

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn table(delimiter: &str, line_end: &str) -> String {
    let header = ["url", "id", "note", "text", "timestamp"].join(delimiter);
    let row = |(at, text): (usize, &&str)| {
        let date = ["2024-03-01T10:00:00Z", "1709287200", "", "none"][at];
        [&format!("http://a/{at}"), &format!("d{at}"), "", &quoted(text), date].join(delimiter)
    };
    [header].into_iter().chain(TEXTS.iter().enumerate().map(row)).collect::<Vec<_>>().join(line_end)
}

#[test]
fn rows_below_a_header_are_documents() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (name, bytes) in [
        ("a.csv", table(",", "\n").into_bytes()),
        ("b.csv", [b"\xef\xbb\xbf", table(";", "\r\n").as_bytes()].concat()),
        ("c.tsv", table("\t", "\n").into_bytes()),
        ("d.csv.gz", gzip(table("\t", "\r\n").as_bytes())),
        ("e.csv.bz2", bzip2(table(",", "\n").as_bytes())),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("the file can be written");
        let mut input = Input::open(&path, &Options::default()).expect("opens");
        assert_eq!(input.format(), Format::Csv);
        let mut entries = Vec::new();
        while let Some(entry) = input.next().expect("reads") {
            let rest = drain(Input::open_at(&path, &Options::default(), input.resume_point()).expect("opens"));
            assert_eq!(rest.len(), TEXTS.len() - 1 - entries.len(), "{name}");
            let EntryContent::Page(page) = &entry.content else { panic!("{name}: {entry:?}") };
            assert_eq!(&read_page(&path, &entry.position, &Options::default()).expect("is there"), page, "{name}");
            entries.push(entry);
        }
        let date = Some(1_709_287_200);
        let known: Vec<_> = found(&entries)
            .iter()
            .map(|page| {
                (page.id.clone(), page.url.clone(), page.date, String::from_utf8_lossy(&page.body).into_owned())
            })
            .collect();
        let expected: Vec<_> = TEXTS
            .iter()
            .enumerate()
            .map(|(at, text)| {
                (format!("d{at}"), Some(format!("http://a/{at}")), date.filter(|_| at < 2), (*text).into())
            })
            .collect();
        assert_eq!(known, expected, "{name}");
    }
}

#[test]
fn rows_that_are_damaged_cost_themselves() {
    let text = "id,text\na,1\nb\nc,3,4\n\nd,\"4\"\n,5\ne,6";
    let entries = read(text.as_bytes(), "a.csv");
    assert_eq!(reasons(&entries), [Reason::BadLine, Reason::BadLine, Reason::BadId]);
    let body = |id: &str, text: &[u8]| (id.to_owned(), text.to_vec());
    assert_eq!(bodies(&entries), [body("a", b"1"), body("d", b"4"), body("e", b"6")]);
    // A quote that is not closed has no end, and takes no memory for it.
    let limits = Limits { record: 1000, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let entries = read_with(format!("{text}\nf,\"{}", "x\n".repeat(5 << 20)).as_bytes(), "a.csv", &options);
    assert_eq!(reasons(&entries).last(), Some(&Reason::LineTooLong));
    assert_eq!(bodies(&entries).len(), 3);
    // Behind a damaged member a row may have lost its beginning.
    let rows = |from: usize| (from..from + 500).map(|row| format!("{row},text of {row}\n")).collect::<String>();
    let mut members: Vec<Vec<u8>> =
        [format!("id,text\n{}", rows(0)), rows(500), rows(1000)].iter().map(|text| gzip(text.as_bytes())).collect();
    members[1][10..20].fill(0xff);
    let entries = read(&members.concat(), "a.csv.gz");
    assert_eq!(reasons(&entries), [Reason::DamagedMember, Reason::BadLine]);
    let ids: Vec<_> = found(&entries).iter().map(|page| page.id.clone()).collect();
    assert_eq!(ids, (0..500).chain(1001..1500).map(|row| row.to_string()).collect::<Vec<_>>());
}

#[test]
fn a_table_without_ids_or_documents_says_so() {
    let entries = read(b"text;more\na;b\nc;d\n", "d/a.csv");
    assert_eq!(found(&entries).iter().map(|page| &page.id[..]).collect::<Vec<_>>(), ["d/a.csv:0", "d/a.csv:1"]);
    let mut options = Options { required: vec!["body".to_owned()], ..Options::default() };
    options.fields.text = "body".to_owned();
    for (text, name) in [("id,title\n1,x\n", "a.csv"), ("id\ttitle\n1\tx\n", "a.tsv")] {
        for options in [&options, &Options::default()] {
            let told = Input::from_bytes(text.into(), name, options).err().expect("it is refused").to_string();
            assert!(told.starts_with(name) && told.contains("its columns are id, title"), "{told}");
        }
    }
    assert_eq!(found(&read_with(b"id\tbody\n1\tx\n", "a.tsv", &options)).len(), 1);
}
