//! `filter`: what is kept of files, byte for byte; and what `pairs` and `cluster` say of documents with `--with`.

use std::io::{Read, Write};

use serde_json::{Value, json};

use crate::helper::{Dir, concatenated};

/// Texts of pages: the first two are near to each other.
pub(crate) fn texts() -> [String; 4] {
    let words = |seed: u64| (0..80).map(|word| format!("w{} ", (word * seed) % 1009)).collect::<String>();
    [words(37) + "more", words(37), words(101), words(211)]
}

/// A folder with a database of these pages, loaded from `name`, and a clustering of them in `clusters`.
fn clustered(name: &str, write: impl Fn(&Dir, &str)) -> Dir {
    let dir = Dir::with_database();
    write(&dir, name);
    dir.nddb(["load", "db", name]).done();
    dir.nddb(["cluster", "db", "--method", "min-hash", "-o", "clusters"]).done();
    dir
}

fn lines() -> Vec<String> {
    let line = |(id, text): (usize, String)| {
        format!("{{\"extra\" : [1.50, {{\"id\":9}}],\"id\":\"p{id}\", \"text\":\"{text}\"}}\n")
    };
    texts().into_iter().enumerate().map(line).collect()
}

fn jsonl(dir: &Dir, name: &str) {
    dir.write(name, lines().concat().as_bytes());
}

fn unpacked(bytes: &[u8]) -> String {
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(bytes).read_to_string(&mut text).expect("gzip");
    text
}

#[test]
fn lines_of_json_keep_their_bytes_and_their_order() {
    let dir = clustered("in.jsonl", jsonl);
    assert_eq!(dir.read("clusters/remove.txt"), b"p1\n");
    let args =
        ["filter", "db", "in.jsonl", "--clusters", "clusters", "-o", "out.jsonl", "--removed-documents", "gone.jsonl"];
    let ran = dir.nddb(args).done();
    ran.says(&["filter: 4 documents: 3 kept, 1 removed"]);
    let all = lines();
    assert_eq!(dir.read("out.jsonl"), [&all[0][..], &all[2], &all[3]].concat().as_bytes());
    assert_eq!(dir.read("gone.jsonl"), all[1].as_bytes());
    dir.is_clean();
    // The same again gives the same, compressed or not, and from stdin.
    let first = dir.read("out.jsonl");
    let told =
        dir.nddb(["filter", "db", "in.jsonl", "--clusters", "clusters", "-o", "out.jsonl", "--json"]).done().json();
    assert_eq!((&told["kept"], &told["removed"], &told["not_found"]), (&json!(3), &json!(1), &json!(0)));
    assert_eq!(dir.read("out.jsonl"), first);
    dir.nddb(["filter", "db", "in.jsonl", "--clusters", "clusters", "-o", "out.jsonl.gz"]).done();
    assert_eq!(unpacked(&dir.read("out.jsonl.gz")).as_bytes(), first);
    dir.nddb(["filter", "db", "out.jsonl.gz", "--remove", "clusters/remove.txt", "-o", "again.jsonl"]).done();
    assert_eq!(dir.read("again.jsonl"), first);
    let ran = dir.nddb(["filter", "db", "-", "--clusters", "clusters", "-o", "-"]).stdin(all.concat()).done();
    assert_eq!(ran.stdout.as_bytes(), first);
}

#[test]
fn records_of_a_dictionary_keep_it_in_both_outputs() {
    let plain = Dir::with_database();
    warc(&plain, "in.warc");
    let bytes = plain.read("in.warc");
    let starts: Vec<usize> = (0..bytes.len() - 8).filter(|&at| bytes[at..].starts_with(b"WARC/1.")).collect();
    let records: Vec<&[u8]> =
        starts.iter().zip(starts[1..].iter().chain([&bytes.len()])).map(|(&from, &to)| &bytes[from..to]).collect();
    let dictionary = zstd::dict::from_samples(&records.repeat(50), 4096).expect("a dictionary");
    let mut packed = vec![0x5d, 0x2a, 0x4d, 0x18];
    packed.extend((dictionary.len() as u32).to_le_bytes());
    packed.extend(&dictionary);
    let head = packed.len();
    let mut encoder = zstd::bulk::Compressor::with_dictionary(3, &dictionary).expect("an encoder");
    let members: Vec<Vec<u8>> = records.iter().map(|record| encoder.compress(record).expect("packed")).collect();
    packed.extend(members.concat());
    let dir = clustered("in.warc.zst", |dir, name| dir.write(name, &packed));
    let filter = |more: &[&str]| {
        dir.nddb(["filter", "db", "in.warc.zst", "--clusters", "clusters", "-o", "out.warc.zst"].iter().chain(more))
    };
    filter(&["--removed-documents", "gone.warc.zst"]).done().says(&["1 removed"]);
    for (name, count) in [("out.warc.zst", 3), ("gone.warc.zst", 1)] {
        assert!(dir.read(name).starts_with(&packed[..head]), "{name}");
        dir.nddb(["create", name.strip_suffix(".warc.zst").expect("its ending")]).done();
        let told =
            dir.nddb(["load", name.strip_suffix(".warc.zst").expect("its ending"), name, "--json"]).done().json();
        assert_eq!(told["documents"], json!(count), "{name}: {told}");
    }
}

#[test]
fn rows_say_their_cluster_on_request() {
    let dir = clustered("in.jsonl", jsonl);
    let with = "cluster_id,cluster_size,kept";
    let args = [
        "filter",
        "db",
        "in.jsonl",
        "--clusters",
        "clusters",
        "--with",
        with,
        "-o",
        "out",
        "--removed-documents",
        "gone",
    ];
    dir.nddb(args).done();
    let all = lines();
    let end = |line: &str, columns: &str| format!("{},{columns}}}\n", &line[..line.len() - 2]);
    let wanted = [
        end(&all[0], "\"cluster_id\":\"p0\",\"cluster_size\":2,\"kept\":true"),
        end(&all[2], "\"cluster_id\":null,\"cluster_size\":1,\"kept\":true"),
        end(&all[3], "\"cluster_id\":null,\"cluster_size\":1,\"kept\":true"),
    ];
    assert_eq!(String::from_utf8(dir.read("out")).expect("text"), wanted.concat());
    let gone = end(&all[1], "\"cluster_id\":\"p0\",\"cluster_size\":2,\"kept\":false");
    assert_eq!(String::from_utf8(dir.read("gone")).expect("text"), gone);
    let again = ["filter", "db", "out", "--clusters", "clusters", "--with", "kept", "-o", "twice"];
    dir.nddb(again).tells(1, &["out: line 1 has a field 'kept' already"]);
    assert!(!dir.path("twice").exists());
    dir.is_clean();
}

#[test]
fn a_kept_row_says_how_often_it_was_found_by_batch() {
    let dir = Dir::with_database();
    let texts = texts();
    for (batch, copies) in [(None, 1), (Some("may"), 2), (Some("june"), 3)] {
        let name = format!("{}.jsonl", batch.unwrap_or("first"));
        let line = |copy: usize| json!({"id": format!("{name}-{copy}"), "text": texts[2]}).to_string() + "\n";
        let alone = json!({"id": format!("{name}-alone"), "text": format!("only {name} has these words")}).to_string();
        dir.write(&name, ((0..copies).map(line).collect::<String>() + &alone + "\n").as_bytes());
        let labelled = batch.map_or(Vec::new(), |batch| vec!["--batch", batch]);
        dir.nddb([&["load", "db", &name], &labelled[..]].concat()).done();
    }
    dir.nddb(["cluster", "db", "-o", "clusters"]).done();
    let with = ["--clusters", "clusters", "--with", "copies,copies_by_batch", "-o", "out"];
    dir.nddb([&["filter", "db", "first.jsonl"], &with[..]].concat()).done();
    let rows = crate::texts::lines(std::str::from_utf8(&dir.read("out")).expect("text"));
    assert_eq!((&rows[0]["copies"], &rows[1]["copies"]), (&json!(6), &json!(1)));
    assert_eq!(rows[0]["copies_by_batch"], json!({"": 1, "june": 3, "may": 2}));
    assert_eq!(rows[1]["copies_by_batch"], Value::Null);
    // The table of members and the export of all documents say the same.
    let (kept, by_batch) = (rows[0]["id"].as_str().expect("an id"), r#"{"":1,"june":3,"may":2}"#);
    let members = String::from_utf8(dir.read("clusters/clusters.tsv")).expect("text");
    let told = |end: &str| members.lines().filter(|line| line.ends_with(end)).count();
    assert_eq!((told(&format!("\t{kept}\tkeep\t6\t{by_batch}")), told("\tremove\t\t")), (1, 5), "{members}");
    let export = ["export", "db", "--columns", "id,copies,copies_by_batch"];
    let exported = dir.nddb([&export[..], &["--clusters", "clusters"]].concat()).done().lines();
    assert_eq!(exported.len(), 9);
    for row in &exported {
        let id = row["id"].as_str().expect("an id");
        let wanted = match (id == kept, id.ends_with("alone")) {
            (true, _) => (json!(6), json!({"": 1, "june": 3, "may": 2})),
            (_, true) => (json!(1), Value::Null),
            _ => (Value::Null, Value::Null),
        };
        assert_eq!((&row["copies"], &row["copies_by_batch"]), (&wanted.0, &wanted.1), "{id}");
    }
    dir.nddb(export).tells(2, &["the column copies is of a clustering", "--clusters DIR"]);
}

#[test]
fn rows_are_annotated_instead_of_removed() {
    let dir = clustered("in.jsonl", jsonl);
    let args = ["filter", "db", "in.jsonl", "--clusters", "clusters", "--annotate", "-o", "out"];
    dir.nddb(args).done().says(&["4 documents written, 1 of them to be removed"]);
    let removed = String::from_utf8(dir.read("clusters/remove.tsv")).expect("text");
    let cells: Vec<&str> = removed.lines().nth(1).expect("a document").split('\t').collect();
    let [_, kept, rule, probability, loss, ..] = cells[..] else { panic!("{removed}") };
    let share = |cell: &str| if cell.is_empty() { "null".to_owned() } else { cell.to_owned() };
    let end = |line: &str, columns: &str| format!("{},{columns}}}\n", &line[..line.len() - 2]);
    let nothing = "\"kept\":true,\"duplicate_of\":null,\"rule\":null,\"probability\":null,\"loss\":null";
    let reason = format!(
        "\"kept\":false,\"duplicate_of\":\"{kept}\",\"rule\":\"{rule}\",\"probability\":{},\"loss\":{}",
        share(probability),
        share(loss)
    );
    let [pair, alone] = ["\"cluster_id\":\"p0\",\"cluster_size\":2", "\"cluster_id\":null,\"cluster_size\":1"];
    let wanted = [(pair, nothing), (pair, &*reason), (alone, nothing), (alone, nothing)];
    let wanted = lines()
        .iter()
        .zip(wanted)
        .map(|(line, (cluster, why))| end(line, &format!("{cluster},{why}")))
        .collect::<String>();
    assert_eq!(String::from_utf8(dir.read("out")).expect("text"), wanted);
    assert_eq!((kept, rule.is_empty()), ("p0", false));

    let told = dir.nddb(args.iter().chain(&["--with", "kept", "--json"])).done().json();
    assert_eq!((&told["annotated"], &told["removed"]), (&json!(true), &json!(1)));
    let flags: Vec<Value> = crate::texts::lines(std::str::from_utf8(&dir.read("out")).expect("text"));
    assert_eq!(flags.iter().map(|row| row["kept"] == json!(true)).collect::<Vec<_>>(), [true, false, true, true]);
    assert!(flags.iter().all(|row| row.get("rule").is_none()));
    dir.nddb(args.iter().chain(&["--removed-documents", "gone"])).ends(2);
    dir.nddb(["filter", "db", "in.jsonl", "--remove", "clusters/remove.txt", "--annotate", "-o", "out"]).ends(2);
}

#[test]
fn lines_that_are_no_documents_are_kept_and_counted() {
    let dir = clustered("in.jsonl", jsonl);
    let odd = "\n{\"id\":1.5}\nno json\n\u{feff}{\"id\":\"p1\"}\n{\"text\":\"x\"}\n{\"id\":\"p3\"}";
    dir.write("odd.jsonl", odd.as_bytes());
    let ran = dir.nddb(["filter", "db", "odd.jsonl", "--clusters", "clusters", "-o", "out.jsonl"]).done();
    ran.says(&["5 documents: 4 kept, 1 removed, 3 without an id kept"]);
    let kept = "\n{\"id\":1.5}\nno json\n{\"text\":\"x\"}\n{\"id\":\"p3\"}\n";
    assert_eq!(String::from_utf8(dir.read("out.jsonl")).expect("text"), kept);
    // Ids by another field than they were loaded by: in the file that was loaded the place decides.
    let other = |name| dir.nddb(["filter", "db", name, "--clusters", "clusters", "--id-field", "nr", "-o", "-"]).done();
    dir.write("in.jsonl", (lines().concat() + "{\"nr\":1}\n").as_bytes());
    let ran = other("in.jsonl");
    ran.says(&["no id of the list is in the inputs", "4 without an id kept", "1 id of the list in none"]);
    let args = ["filter", "db", "odd.jsonl", "--clusters", "clusters", "--id-field", "nr", "-o", "none"];
    dir.nddb(args).tells(1, &["odd.jsonl: no line has a field \"nr\"; the fields are id, text"]);
}

#[test]
fn the_field_of_the_id_is_that_of_the_load() {
    let dir = Dir::with_database();
    let renamed: Vec<String> = lines().iter().map(|line| line.replace("\"id\":\"p", "\"nr\":\"p")).collect();
    dir.write("in.jsonl", renamed.concat().as_bytes());
    dir.nddb(["load", "db", "in.jsonl", "--id-field", "nr"]).done();
    dir.nddb(["cluster", "db", "--method", "min-hash", "-o", "clusters"]).done();
    dir.nddb(["filter", "db", "in.jsonl", "--clusters", "clusters", "-o", "out.jsonl"]).done();
    assert_eq!(dir.read("out.jsonl"), [&renamed[0][..], &renamed[2], &renamed[3]].concat().as_bytes());
}

fn pages() -> Vec<(String, String)> {
    let page = |(index, text): (usize, String)| (format!("http://a.org/{index}"), format!("<p>{text}</p>"));
    texts().into_iter().enumerate().map(page).collect()
}

fn warc(dir: &Dir, name: &str) {
    let pages = pages();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(url, body)| (&url[..], &body[..])).collect();
    dir.write_warc(name, &pages);
}

/// The archive that has only these of the pages.
fn only(dir: &Dir, name: &str, which: &[usize]) -> Vec<u8> {
    let pages = pages();
    let pages: Vec<(&str, &str)> = which.iter().map(|&index| (&pages[index].0[..], &pages[index].1[..])).collect();
    dir.write_warc(name, &pages);
    dir.read(name)
}

#[test]
fn records_are_copied_in_their_compression() {
    for name in ["in.warc", "in.warc.gz"] {
        let dir = clustered(name, warc);
        let (out, gone) = (name.replace("in", "out"), name.replace("in", "gone"));
        dir.nddb(["filter", "db", name, "--clusters", "clusters", "-o", &out, "--removed-documents", &gone]).done();
        assert_eq!(dir.read(&out), only(&dir, &name.replace("in", "some"), &[0, 2, 3]), "{name}");
        assert_eq!(dir.read(&gone), only(&dir, &name.replace("in", "some"), &[1]), "{name}");
        let other = if name.ends_with(".gz") { "plain.warc" } else { "packed.warc.gz" };
        let ran = dir.nddb(["filter", "db", name, "--clusters", "clusters", "-o", other]);
        ran.tells(2, &["copied as they are compressed", "hint: "]);
        let ran = dir.nddb(["filter", "db", name, "--clusters", "clusters", "--with", "kept", "-o", &out]);
        ran.tells(2, &["fields are added to lines of JSON and Parquet, not to records", "hint: "]);
    }
}

#[test]
fn records_of_a_file_compressed_as_a_whole_get_members_of_their_own() {
    let dir = clustered("in.warc", warc);
    let plain = dir.read("in.warc");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&plain).expect("memory is writable");
    dir.write("whole.warc.gz", &packed.finish().expect("memory is writable"));
    dir.write("whole.warc.zst", &zstd::encode_all(&plain[..], 3).expect("memory is writable"));
    let kept = only(&dir, "some.warc", &[0, 2, 3]);
    for name in ["whole.warc.gz", "whole.warc.zst"] {
        let out = name.replace("whole", "out");
        let ran = dir.nddb(["filter", "db", name, "--clusters", "clusters", "-o", &out]).done();
        ran.says(&["each was compressed anew", "3 kept, 1 removed"]);
        let bytes = dir.read(&out);
        let text = match name.ends_with(".gz") {
            true => unpacked(&bytes).into_bytes(),
            false => zstd::decode_all(&bytes[..]).expect("zstd"),
        };
        assert_eq!(text, kept, "{name}");
        let magic: &[u8] = if name.ends_with(".gz") { &[0x1f, 0x8b, 8] } else { &[0x28, 0xb5, 0x2f, 0xfd] };
        assert_eq!(bytes.windows(magic.len()).filter(|bytes| *bytes == magic).count(), 3, "a member for each record");
    }
}

#[test]
fn a_damaged_member_is_copied_and_what_is_around_it_filtered() {
    let dir = clustered("in.warc.gz", warc);
    let whole = dir.read("in.warc.gz");
    let starts: Vec<usize> = (0..whole.len() - 3).filter(|&at| whole[at..].starts_with(&[0x1f, 0x8b, 8])).collect();
    assert_eq!(starts.len(), 4);
    let mut damaged = whole.clone();
    damaged[starts[2] + 60] ^= 0xff;
    dir.write("damaged.warc.gz", &damaged);
    let ran = dir.nddb(["filter", "db", "damaged.warc.gz", "--clusters", "clusters", "-o", "out.warc.gz"]).done();
    ran.says(&["2 kept, 1 removed, 1 without an id kept"]);
    assert_eq!(dir.read("out.warc.gz"), [&damaged[..starts[1]], &damaged[starts[2]..]].concat());
}

#[test]
fn several_inputs_go_into_a_folder_and_no_input_is_overwritten() {
    let dir = clustered("in.jsonl", jsonl);
    let all = lines();
    dir.write("a.jsonl", all[..2].concat().as_bytes());
    dir.write("b.jsonl", all[2..].concat().as_bytes());
    let args =
        ["filter", "db", "a.jsonl", "b.jsonl", "--clusters", "clusters", "-o", "kept", "--removed-documents", "gone/"];
    dir.nddb(args).done().says(&["4 documents: 3 kept, 1 removed"]);
    assert_eq!(dir.read("kept/a.jsonl"), all[0].as_bytes());
    assert_eq!(dir.read("kept/b.jsonl"), all[2..].concat().as_bytes());
    assert_eq!((dir.read("gone/a.jsonl"), dir.read("gone/b.jsonl")), (all[1].clone().into_bytes(), Vec::new()));
    let filter = |args: &[&str]| dir.nddb([&["filter", "db"], args, &["--clusters", "clusters"]].concat());
    filter(&["a.jsonl", "-o", "a.jsonl"]).tells(2, &["a.jsonl: is an input"]);
    filter(&["a.jsonl", "b.jsonl", "-o", "."]).tells(2, &["is an input"]);
    filter(&["a.jsonl", "-o", "x", "--removed-documents", "x"]).tells(2, &["is the output of -o and of"]);
    filter(&["a.jsonl", "b.jsonl", "-o", "-"]).tells(2, &["-o FOLDER"]);
    assert_eq!(dir.read("a.jsonl"), all[..2].concat().as_bytes());
    dir.nddb(["filter", "db", "a.jsonl", "-o", "x"]).tells(2, &["--clusters"]);
    dir.nddb(["filter", "db", "nothing.jsonl", "--clusters", "clusters", "-o", "x"]).ends(1);
    dir.nddb(["filter", "db", "a.jsonl", "--clusters", "nowhere", "-o", "x"]).tells(1, &["nowhere/remove.txt"]);
    dir.write("prints.tsv", b"a\t00000000000000ff\n");
    filter(&["prints.tsv", "-o", "x"]).tells(2, &["cannot be filtered"]);
    assert!(!dir.path("x").exists());
    dir.is_clean();
}

#[test]
fn lines_say_what_their_documents_are_on_request() {
    let dir = Dir::with_database();
    let pages: Vec<(String, String)> = pages()
        .into_iter()
        .map(|(url, body)| (url.clone(), format!("<title>Page\t{}</title>{body}", &url[13..])))
        .collect();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(url, body)| (&url[..], &body[..])).collect();
    dir.write_warc("in.warc.gz", &pages);
    dir.nddb(["load", "db", "in.warc.gz"]).done();
    let pairs = |args: &[&str]| dir.nddb([&["pairs", "db", "--method", "min-hash"], args].concat());
    let plain = pairs(&[]).done().json();
    let line = pairs(&["--with", "title,url,tokens"]).done().json();
    let document = |index: usize, tokens: u64| json!({"url": format!("http://a.org/{index}"), "title": format!("Page {index}"), "tokens": tokens});
    assert_eq!(line["documents"], json!([document(0, 83), document(1, 82)]));
    let mut without = line.clone();
    without.as_object_mut().expect("an object").remove("documents");
    assert_eq!(without, plain, "all else is as without");
    let table = pairs(&["--format", "tsv", "--with", "url,tokens"]).done().stdout;
    let rows: Vec<&str> = table.lines().collect();
    assert!(rows[0].ends_with("\twhy\ta_url\ta_tokens\tb_url\tb_tokens"), "{table}");
    assert!(rows[1].ends_with("\thttp://a.org/0\t83\thttp://a.org/1\t82"), "{table}");
    dir.nddb(["cluster", "db", "--method", "min-hash", "--with", "url,title", "-o", "out"]).done();
    let cluster: Value = serde_json::from_slice(&dir.read("out/clusters.jsonl")).expect("one line");
    assert_eq!(cluster["documents"][1], json!({"url": "http://a.org/1", "title": "Page 1"}));
    let table = String::from_utf8(dir.read("out/clusters.tsv")).expect("text");
    assert_eq!(table.lines().next(), Some("cluster\tdocument\tverdict\tcopies\tcopies_by_batch\turl\ttitle"));
    assert!(table.contains("\tkeep\t2\t{\"\":2}\thttp://a.org/0\tPage 0\n"), "{table}");
    let printed = dir.nddb(["cluster", "db", "--method", "min-hash", "--with", "url,title"]).done().json();
    assert_eq!(printed, cluster);
    // Without the archive there is no title, and that is told.
    std::fs::remove_file(dir.path("in.warc.gz")).expect("removed");
    let ran = pairs(&["--with", "title,url"]).done();
    assert_eq!(ran.json()["documents"][0], json!({"url": "http://a.org/0", "title": null}));
    ran.says(&["texts that could not be read"]);
}

/// A record of a WARC file, with these further fields.
fn record(kind: &str, id: &str, url: &str, fields: &[(&str, &str)], body: &str) -> String {
    let fields: String = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <{id}>\r\nWARC-Target-URI: {url}\r\n\
         WARC-Date: 2024-01-01T00:00:00Z\r\n{fields}Content-Length: {}\r\n\r\n{body}\r\n\r\n",
        body.len()
    )
}

/// An archive of the four pages with their requests and metadata, as Common Crawl writes them or, with `pages_first` as
/// Wget does: there a page names its request. Each record with the number of its page, and none.
fn records(wget: bool) -> Vec<(Option<usize>, String)> {
    let mut records = vec![(None, record("warcinfo", "urn:info", "file:info", &[], "software: a test"))];
    for (page, text) in texts().into_iter().enumerate() {
        let (url, own) = (format!("http://a.org/{page}"), format!("urn:page:{page}"));
        let (request, metadata) = (format!("urn:request:{page}"), format!("urn:metadata:{page}"));
        let of_page = format!("<{own}>");
        let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{text}");
        let concurrent = [("WARC-Concurrent-To", &of_page[..])];
        let of_request = format!("<{request}>");
        let names_request = [("WARC-Concurrent-To", &of_request[..])];
        let of = |fields| if wget { &[][..] } else { fields };
        records.push((Some(page), record("request", &request, &url, of(&concurrent), "GET / HTTP/1.1\r\n\r\n")));
        records.push((None, record("revisit", &format!("urn:revisit:{page}"), &url, &concurrent, "")));
        let of = |fields| if wget { fields } else { &[][..] };
        records.push((Some(page), record("response", &own, &url, of(&names_request), &http)));
        records
            .push((Some(page), record("metadata", &metadata, &url, &[("WARC-Refers-To", &of_page)], "fetched: yes")));
    }
    // Of no page: it names none, and none names it.
    records.push((None, record("request", "urn:lost", "http://a.org/1", &[], "GET / HTTP/1.1\r\n\r\n")));
    records
}

#[test]
fn requests_and_metadata_go_where_their_page_goes() {
    let member = |text: &String| {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(text.as_bytes()).expect("memory is writable");
        packed.finish().expect("memory is writable")
    };
    for wget in [false, true] {
        let records = records(wget);
        let all = |of: &dyn Fn(Option<usize>) -> bool| -> Vec<&String> {
            records.iter().filter(|(page, _)| of(*page)).map(|(_, text)| text).collect()
        };
        let (kept, gone) = (all(&|page| page != Some(1)), all(&|page| page == Some(1)));
        assert_eq!(gone.len(), 3);
        for (name, packs) in [("in.warc", false), ("in.warc.gz", true), ("whole.warc.gz", false)] {
            let bytes = |texts: &[&String]| -> Vec<u8> {
                if packs { texts.iter().flat_map(|text| member(text)).collect() } else { plain(texts) }
            };
            let whole = bytes(&all(&|_| true));
            let whole =
                if name.starts_with("whole") { member(&String::from_utf8_lossy(&whole).into_owned()) } else { whole };
            let dir = clustered(name, |dir, name| dir.write(name, &whole));
            assert_eq!(dir.read("clusters/remove.txt"), b"urn:page:1\n");
            let (out, removed) = (format!("out-{name}"), format!("removed-{name}"));
            let args =
                ["filter", "db", name, "--clusters", "clusters", "-o", &out, "--removed-documents", &removed, "--json"];
            let ran = dir.nddb(args).done();
            ran.says(&["4 documents: 3 kept, 1 removed with 2 records of requests and metadata"]);
            let told = ran.json();
            assert_eq!((&told["removed"], &told["records_removed"]), (&json!(1), &json!(2)));
            let text = |name: &str| {
                if name.ends_with(".gz") { unpacked(&dir.read(name)).into_bytes() } else { dir.read(name) }
            };
            assert_eq!(text(&out), plain(&kept), "wget {wget}, {name}");
            assert_eq!(text(&removed), plain(&gone), "wget {wget}, {name}");
            if packs {
                assert_eq!(dir.read(&out), bytes(&kept), "members are copied");
            }
        }
    }
}

fn plain(texts: &[&String]) -> Vec<u8> {
    texts.iter().flat_map(|text| text.bytes()).collect()
}

#[test]
fn pages_known_by_their_address_and_their_requests_go_by_it() {
    let dir = Dir::with_database();
    let records = records(false);
    dir.write("in.warc", &plain(&records.iter().map(|(_, text)| text).collect::<Vec<_>>()));
    dir.nddb(["load", "db", "in.warc", "--id", "url"]).done();
    dir.nddb(["cluster", "db", "--method", "min-hash", "-o", "clusters"]).done();
    for how in [
        &["--clusters", "clusters", "--id", "url"][..],
        &["--clusters", "clusters"],
        &["--remove", "clusters/remove.txt"],
    ] {
        let ran = dir.nddb([&["filter", "db", "in.warc", "-o", "out.warc"], how].concat()).done();
        ran.says(&["1 removed with 3 records of requests and metadata"]);
        let out = String::from_utf8(dir.read("out.warc")).expect("text");
        assert!(!out.contains("urn:request:1") && !out.contains("urn:lost") && out.contains("urn:revisit:1"), "{out}");
        std::fs::remove_file(dir.path("out.warc")).expect("removed");
    }
}

#[test]
fn devices_and_pipes_are_written_to_and_keep_their_names() {
    use std::os::unix::fs::FileTypeExt;

    let dir = clustered("in.jsonl", jsonl);
    let kept = [&lines()[0][..], &lines()[2], &lines()[3]].concat();
    let filter = |out: &str| dir.nddb(["filter", "db", "in.jsonl", "--clusters", "clusters", "-o", out]);
    for stdout in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        assert_eq!(filter(stdout).done().stdout, kept, "{stdout}");
    }
    let null = || std::fs::metadata("/dev/null").expect("a device").file_type().is_char_device();
    filter("/dev/null").done();
    assert!(null() && !std::path::Path::new("/dev/null.part").exists());
    filter("/dev/of-no-such-name").ends(1);
    if std::path::Path::new("/dev/full").exists() {
        filter("/dev/full").tells(14, &["/dev/full: cannot be written: No space left", "hint: free some space"]);
    }
    assert!(!std::path::Path::new("/dev/of-no-such-name").exists());

    // stdout may be a file, which its name leads to.
    let to = std::fs::File::create(dir.path("out")).expect("a file");
    let ended = std::process::Command::new(env!("CARGO_BIN_EXE_nddb"))
        .args(["filter", "db", "in.jsonl", "--clusters", "clusters", "-o", "/dev/stdout", "-q"])
        .current_dir(dir.path(""))
        .stdout(to)
        .status();
    assert!(ended.expect("it runs").success());
    assert_eq!(dir.read("out"), kept.as_bytes());

    // A pipe by name stays one.
    let made = std::process::Command::new("mkfifo").arg(dir.path("pipe")).status();
    assert!(made.expect("mkfifo is there").success());
    let path = dir.path("pipe");
    let reader = std::thread::spawn(move || std::fs::read(path).expect("a pipe"));
    filter("pipe").done();
    assert_eq!(reader.join().expect("it ends"), kept.as_bytes());
    assert!(std::fs::metadata(dir.path("pipe")).expect("there").file_type().is_fifo());

    // Records too, in their compression.
    let dir = clustered("in.warc.gz", warc);
    dir.nddb(["filter", "db", "in.warc.gz", "--clusters", "clusters", "-o", "/dev/null"]).done();
}

#[test]
fn a_folder_is_written_as_the_same_tree() {
    let dir = Dir::with_database();
    let all = lines();
    for folder in ["in/may", "in/june"] {
        std::fs::create_dir_all(dir.path(folder)).expect("folders can be made");
    }
    dir.write("in/may/0.jsonl", all[..1].concat().as_bytes());
    dir.write("in/june/0.jsonl", all[1..].concat().as_bytes());
    dir.write("in/page.html", format!("<title>t</title><p>{}", texts()[3].replace('w', "x")).as_bytes());
    dir.write("in/copy.html", format!("<title>t</title><p>{}", texts()[3].replace('w', "x")).as_bytes());
    dir.write("in/_SUCCESS", b"");
    dir.nddb(["load", "db", "in"]).done();
    dir.nddb(["cluster", "db", "--method", "min-hash", "-o", "clusters"]).done();
    let args = ["filter", "db", "in", "--clusters", "clusters", "-o", "out", "--removed-documents", "gone"];
    let ran = dir.nddb(args).done();
    ran.says(&["6 documents: 4 kept, 2 removed", "1 file in folders passed over"]);
    let of = |folder: &str, names: [&str; 4]| names.map(|name| dir.path(folder).join(name).exists());
    let names = ["may/0.jsonl", "june/0.jsonl", "page.html", "copy.html"];
    let (kept, gone) = (of("out", names), of("gone", names));
    assert_eq!((kept[..2].to_vec(), gone[..2].to_vec()), (vec![true; 2], vec![true; 2]));
    assert!(kept[2] != kept[3] && gone[2] != gone[3] && kept[2] != gone[2], "one page is kept");
    let page = if kept[2] { "page.html" } else { "copy.html" };
    assert_eq!(dir.read(&format!("out/{page}")), dir.read(&format!("in/{page}")));
    let rows = [dir.read("out/may/0.jsonl"), dir.read("out/june/0.jsonl")].concat();
    assert_eq!(rows, [&all[0][..], &all[2], &all[3]].concat().as_bytes());
    // Two files of one name.
    let two = ["filter", "db", "in/may/0.jsonl", "in/june/0.jsonl", "--clusters", "clusters", "-o", "two"];
    dir.nddb(two).done().says(&["4 documents: 3 kept, 1 removed"]);
    assert_eq!([dir.read("two/may/0.jsonl"), dir.read("two/june/0.jsonl")].concat(), rows);
}

#[test]
fn lines_without_ids_and_lines_that_are_no_json_are_filtered_as_they_are_loaded() {
    let dir = Dir::with_database();
    let rows: Vec<String> =
        texts().iter().map(|text| format!("{{\"score\":NaN,\"text\":\"{text} \\ud800\"}}\n")).collect();
    dir.write("in.jsonl", rows.concat().as_bytes());
    dir.nddb(["load", "db", "in.jsonl"]).done();
    dir.nddb(["get", "db", "in.jsonl:3"]).done();
    dir.nddb(["cluster", "db", "--method", "min-hash", "-o", "clusters"]).done();
    assert_eq!(dir.read("clusters/remove.txt"), b"in.jsonl:1\n");
    let left = [&rows[0][..], &rows[2], &rows[3]].concat();
    let out = |args: &[&str]| {
        dir.nddb([&["filter", "db"], args, &["--clusters", "clusters", "-o", "out.jsonl"]].concat()).done();
        String::from_utf8(dir.read("out.jsonl")).expect("text")
    };
    assert_eq!(out(&["in.jsonl"]), left);
    // Another file under this name: its ids are the places again.
    dir.write("in.jsonl", (rows.concat() + "\n").as_bytes());
    assert_eq!(out(&["in.jsonl"]), left + "\n");
}

#[test]
fn dictionaries_of_concatenated_files_stay_in_all_outputs() {
    let dir = Dir::with_database();
    let pages =
        ["a", "b", "c", "d"].map(|name| (format!("http://example.org/{name}"), format!("<p>words of page {name}")));
    let [a, b, c, d] = pages.each_ref().map(|(url, body)| (&url[..], 1_700_000_000, &body[..]));
    dir.write("in.warc.zst", &concatenated([&[a, b], &[c, d]]));
    dir.nddb(["load", "db", "in.warc.zst"]).done().says(&["4 documents stored"]);
    // The dictionary of the second file stands behind the first one, which is removed, and before the second one.
    for removed in [[b.0, c.0], [a.0, d.0]] {
        dir.write("ids.txt", removed.join("\n").as_bytes());
        let outs = ["-o", "kept.warc.zst", "--removed-documents", "gone.warc.zst"];
        dir.nddb([&["filter", "db", "in.warc.zst", "--remove", "ids.txt"], &outs[..]].concat()).done();
        for name in ["kept", "gone"] {
            let (db, file) = (format!("{name}-{}", removed[0] == a.0), format!("{name}.warc.zst"));
            dir.nddb(["create", &db]).done();
            dir.nddb(["load", &db, &file]).done().says(&["2 documents stored", "nothing skipped"]);
        }
    }
}
