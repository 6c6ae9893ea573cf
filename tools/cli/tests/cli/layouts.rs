//! Inputs as other tools leave them: tables with a log, folders of crawlers, copies of sites, exports of spreadsheets,
//! dates of every kind, pictures that are served as text.

use nddb::archive::{Compression, Response, WarcWriter};
use serde_json::{Value, json};

use crate::helper::Dir;

fn words(seed: u64) -> String {
    (0..60).map(|word| format!("w{} ", (word * (seed + 7)) % 1009)).collect()
}

fn page(seed: u64) -> String {
    format!("<!DOCTYPE html><title>page {seed}</title><p>{}", words(seed))
}

fn line(id: &str, text: &str) -> String {
    format!("{}\n", json!({"id": id, "text": text}))
}

/// Writes a file below a folder that is made.
fn write(dir: &Dir, name: &str, bytes: impl AsRef<[u8]>) {
    std::fs::create_dir_all(dir.path(name).parent().expect("a folder")).expect("folders can be made");
    dir.write(name, bytes.as_ref());
}

fn load(dir: &Dir, args: &[&str]) -> Value {
    let args = [&["load", "db", "--json"], args].concat();
    dir.nddb(args).done().json()
}

#[test]
fn tables_whose_log_says_what_is_current_are_refused_by_name() {
    let dir = Dir::with_database();
    for (folder, log, data, name) in [
        ("delta", "_delta_log/00000000000000000000.json", "part-0.parquet", "Delta table"),
        ("deep/delta", "_delta_log/00000000000000000000.json", "day=1/part-0.parquet", "Delta table"),
        ("iceberg", "metadata/v1.metadata.json", "data/00000.parquet", "Iceberg table"),
        ("hudi", ".hoodie/hoodie.properties", "2024/x.parquet", "Hudi table"),
        ("x.lance", "_versions/1.manifest", "data/0.lance", "Lance dataset"),
    ] {
        write(&dir, &format!("{folder}/{log}"), "{}");
        let data = format!("{folder}/{data}");
        write(&dir, &data, "PAR1");
        dir.nddb(["load", "db", folder]).tells(1, &[name, "Write its current rows to Parquet"]);
        if data.ends_with(".parquet") {
            let inner = std::path::Path::new(&data).parent().expect("a folder");
            dir.nddb(["load".as_ref(), "db".as_ref(), inner.as_os_str()]).tells(1, &[name]);
            dir.nddb(["load", "db", &data]).tells(1, &[name]);
        }
    }
    dir.nddb(["load", "db", "deep"]).tells(1, &["deep/delta: it is part of a Delta table"]);
    // Folders of these names that have no log.
    write(&dir, "crawl/metadata/pages.json", "{}");
    write(&dir, "crawl/a.jsonl", line("a", "some words"));
    assert_eq!(load(&dir, &["crawl"])["documents"], 1);
}

#[test]
fn the_list_of_pages_and_the_package_of_a_crawl_repeat_its_archives() {
    let dir = Dir::with_database();
    let texts = [words(1), words(2)];
    let pages: Vec<(&str, &str)> = vec![("https://a.example/1", &texts[0]), ("https://a.example/2", &texts[1])];
    let header = "{\"format\":\"json-pages-1.0\",\"id\":\"pages\",\"hasText\":true}\n";
    let list = format!("{header}{}{}", line("p1", &texts[0]), line("p2", &texts[1]));
    std::fs::create_dir_all(dir.path("c/archive")).expect("folders can be made");
    dir.write_warc("c/archive/rec-0.warc.gz", &pages);
    write(&dir, "c/pages/pages.jsonl", &list);
    write(&dir, "c/pages/extraPages.jsonl", &list);
    write(&dir, "c/c.wacz", "PK\x03\x04");
    let told = load(&dir, &["c"]);
    assert_eq!((&told["documents"], &told["files_passed_over"], &told["skipped"]), (&json!(2), &json!(3), &json!(0)));
    dir.nddb(["cluster", "db", "-o", "clusters"]).done();
    dir.nddb(["filter", "db", "c", "--clusters", "clusters", "-o", "kept"]).done();
    assert_eq!(dir.read("kept/archive/rec-0.warc.gz"), dir.read("c/archive/rec-0.warc.gz"));
    // A folder of such lists alone is data.
    dir.nddb(["create", "other"]).done();
    write(&dir, "texts/pages/pages.jsonl", &list);
    assert_eq!(dir.nddb(["load", "other", "texts", "--json"]).ends(3).json()["documents"], 2);
}

#[test]
fn a_copy_of_a_site_has_pages_of_every_name() {
    let dir = Dir::with_database();
    let pages = ["index.html", "article.php", "view.asp?id=3", "about", "wiki/Main_Page", "x.shtml", "page.aspx"];
    for (seed, name) in (0..).zip(pages) {
        write(&dir, &format!("site/{name}"), page(seed));
    }
    write(&dir, "site/logo.gif", b"GIF89a\x01\0");
    write(&dir, "site/style.css", "p { margin: 0 }");
    write(&dir, "site/README.md", "<h1 align=center>A readme</h1>");
    write(&dir, "site/source.php", "<html><?php echo 1 ?></html>");
    write(&dir, "site/picture.html", b"\xff\xd8\xff\xe0\0\x10JFIF");
    write(&dir, "site/hts-cache/new.txt", "a note of the tool");
    let told = load(&dir, &["site"]);
    assert_eq!((&told["documents"], &told["files_passed_over"]), (&json!(7), &json!(5)), "{told}");
    assert_eq!(told["other"]["binary"], 1);
    dir.nddb(["get", "db", "view.asp?id=3", "wiki/Main_Page"]).done();
    // Whatever begins with a tag is a page to who asks for pages.
    dir.nddb(["create", "other"]).done();
    let told = dir.nddb(["load", "other", "site", "--format", "html", "--json"]).done().json();
    assert_eq!((&told["documents"], &told["files_passed_over"]), (&json!(9), &json!(3)), "{told}");
}

#[test]
fn binary_files_that_are_served_as_pages_are_no_documents() {
    let dir = Dir::with_database();
    let pad = "the same words of metadata ".repeat(30);
    let bodies: [&[u8]; 7] = [
        b"\x89PNG\r\n\x1a\n",
        b"%PDF-1.7\n",
        b"wOF2",
        b"PK\x03\x04",
        b"ID3\x04",
        b"RIFF\x24\0\0\0WEBP",
        b"\x1f\x8b\x08",
    ];
    let mut writer = WarcWriter::new(Vec::new(), Compression::Plain);
    for (at, kind) in (0..).zip(["text/plain", "text/html"]) {
        let headers: &[(&str, &str)] = &[("Content-Type", kind)];
        for (number, magic) in (0..).zip(bodies) {
            let url = &*format!("https://a.example/{at}/{number}");
            let body = &*[magic, pad.as_bytes()].concat();
            let response = Response { url, date: 1_700_000_000, id: Some(url), status: 200, headers, body };
            writer.response(&response).expect("writes to memory");
        }
        let (url, body) = (&*format!("https://a.example/{at}/text"), words(at));
        let response =
            Response { url, date: 1_700_000_000, id: Some(url), status: 200, headers, body: body.as_bytes() };
        writer.response(&response).expect("writes to memory");
    }
    dir.write("a.warc", &writer.finish().expect("writes to memory"));
    let told = load(&dir, &["a.warc"]);
    assert_eq!((&told["documents"], &told["other"]["binary"]), (&json!(2), &json!(14)), "{told}");
}

#[test]
fn what_spreadsheets_export_is_read() {
    let (rows, utf16) = ([words(1), words(2)], |text: String| {
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()
    });
    let table = |delimiter: char| {
        let rows: String = (0..).zip(&rows).map(|(id, text)| format!("{id}{delimiter}\"{text}\"\r\n")).collect();
        format!("id{delimiter}text\r\n{rows}")
    };
    let lines = [line("0", &rows[0]), line("1", &rows[1])].concat();
    let dir = Dir::new();
    for (name, bytes) in [
        ("u.csv", utf16(table('\t'))),
        ("u.tsv", utf16(table('\t'))),
        ("u.jsonl", utf16(lines.clone())),
        ("s.csv", format!("sep=;\r\n{}", table(';')).into_bytes()),
        ("p.csv", format!("\u{feff}\"sep=|\"\r\n{}", table('|')).into_bytes()),
        ("us.csv", utf16(format!("sep=;\r\n{}", table(';')))),
    ] {
        let db = format!("{name}.db");
        dir.nddb(["create", &db]).done();
        dir.write(name, &bytes);
        let told = dir.nddb(["load", &db, name, "--json"]).done().json();
        assert_eq!((&told["documents"], &told["skipped"]), (&json!(2), &json!(0)), "{name}: {told}");
        // The texts are read again from their places.
        dir.nddb(["show", &db, "0", "1"]).done();
    }
    dir.write("u.jsonl.gz", &{
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut writer, &utf16(lines)).expect("written");
        writer.finish().expect("written")
    });
    dir.nddb(["load", "u.csv.db", "u.jsonl.gz"]).tells(1, &["it is UTF-16 inside of a compressed file", "iconv"]);
    let filter = ["filter", "u.jsonl.db", "u.jsonl", "--remove", "ids.txt", "-o", "out.jsonl"];
    dir.write("ids.txt", b"0\n");
    dir.nddb(filter).tells(2, &["u.jsonl: it is UTF-16", "iconv"]);
}

#[test]
fn the_newest_document_is_the_newest_in_every_notation_of_dates() {
    for dates in [
        [json!(1_709_460_000.0), json!(1_709_632_800.5), json!(1_709_287_200.0)],
        [json!("1709460000"), json!("1709632800.5"), json!("1709287200")],
        [json!("1709460000000"), json!("1709632800000"), json!("1709287200000")],
        [
            json!("Sun, 03 Mar 2024 10:00:00 GMT"),
            json!("Tue, 05 Mar 2024 11:00:00 +0100"),
            json!("1 Mar 2024 10:00 EST"),
        ],
        [json!("20240303T100000Z"), json!("20240305T100000Z"), json!("20240301T100000Z")],
    ] {
        let dir = Dir::with_database();
        let line = |(id, date): (usize, &Value)| {
            format!("{}\n", json!({"id": format!("d{id}"), "text": words(1), "date": date}))
        };
        dir.write("in.jsonl", dates.iter().enumerate().map(line).collect::<String>().as_bytes());
        assert_eq!(load(&dir, &["in.jsonl"])["dates_not_understood"], 0);
        dir.nddb(["cluster", "db", "--keep", "newest", "-o", "clusters"]).done();
        assert_eq!(dir.read("clusters/keep.txt"), b"d1\n", "{dates:?}");
    }
    let dir = Dir::with_database();
    let line = |id: usize, date: Value| format!("{}\n", json!({"id": id, "text": words(id as u64), "date": date}));
    let lines = [json!("03/04/2024"), json!("soon"), json!(""), json!(null), json!("NaT"), json!("2024-03-03")];
    dir.write("in.jsonl", (0..).zip(lines).map(|(id, date)| line(id, date)).collect::<String>().as_bytes());
    let ran = dir.nddb(["load", "db", "in.jsonl", "--json"]).done();
    assert_eq!(ran.json()["dates_not_understood"], 2);
    ran.says(&["2 dates not understood, first \"03/04/2024\" in in.jsonl"]);
}

/// A zstd frame of these bytes, uncompressed, that asks for a window of two to this power.
fn frame(bytes: &[u8], log: u8) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, (log - 10) << 3];
    let mut blocks = bytes.chunks(100_000).peekable();
    while let Some(block) = blocks.next() {
        let header = (block.len() as u32) << 3 | u32::from(blocks.peek().is_none());
        frame.extend_from_slice(&header.to_le_bytes()[..3]);
        frame.extend_from_slice(block);
    }
    frame
}

#[test]
fn zstd_windows_are_bounded_by_what_is_read_of_them() {
    let dir = Dir::with_database();
    let small: String = (0..20).map(|id| line(&format!("r{id}"), &words(id))).collect();
    dir.write("small.jsonl.zst", &frame(small.as_bytes(), 31));
    let told = load(&dir, &["small.jsonl.zst"]);
    assert_eq!((&told["documents"], &told["skipped"]), (&json!(20), &json!(0)), "{told}");
    // More content than the window that is permitted.
    let pad = line("pad", &"a ".repeat(600_000));
    let large = format!("{}{pad}{}", line("first", &words(1)), line("last", &words(2)));
    dir.write("large.jsonl.zst", &frame(large.as_bytes(), 31));
    let command = ["load", "db", "large.jsonl.zst", "--json", "--max-window"];
    let ran = dir.nddb([&command[..], &["1M"]].concat()).ends(3);
    ran.says(&["large.jsonl.zst: it needs a zstd window of 2 GiB: load it again with the limit max-window 2G"]);
    assert_eq!(ran.json()["skipped_by_reason"]["window_limit"], 1);
    let told = dir.nddb([&command[..], &["2G", "--again"]].concat()).done().json();
    assert_eq!(told["skipped"], 0);
    dir.nddb(["get", "db", "last"]).done();
    dir.nddb(["show", "db", "first", "last"]).done();
    let limited = [&command[..], &["2G", "--memory-limit", "1G"]].concat();
    dir.nddb(limited).tells(2, &["--max-window is 2.0 GB, and --memory-limit only 1.0 GB"]);
}

#[test]
fn documents_that_nddb_cuts_are_told_apart_from_those_that_are_incomplete() {
    let dir = Dir::with_database();
    dir.write("a.html", page(3).repeat(60).as_bytes());
    let ran = dir.nddb(["load", "db", "a.html", "--max-record", "10K", "--json"]).ends(3);
    assert_eq!(
        (&ran.json()["cut"], &ran.json()["truncated"], &ran.json()["documents"]),
        (&json!(1), &json!(0), &json!(1))
    );
    ran.says(&["1 document cut, see --max-record and --memory-limit"]);
}
