//! WACZ files: web archives inside a zip file.

use std::io::Write;

use flate2::write::DeflateEncoder;
use nddb::archive::{Compression, Input, Options, Response, WarcWriter};
use serde_json::json;

use crate::helper::Dir;

/// How a file is put into a zip.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stored {
    AsItIs,
    /// With sizes and offsets of 64 bits.
    Wide,
    Deflated,
}

/// Returns a number, the least significant byte first.
fn low(number: u64, len: usize) -> Vec<u8> {
    number.to_le_bytes()[..len].to_vec()
}

/// Makes a zip file of these files.
fn zip(files: &[(&str, &[u8])], stored: Stored, comment: &[u8]) -> Vec<u8> {
    let (mut zip, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let packed = match stored {
            Stored::Deflated => {
                let mut encoder = DeflateEncoder::new(Vec::new(), flate2::Compression::default());
                encoder.write_all(content).expect("memory is writable");
                encoder.finish().expect("memory is writable")
            }
            _ => content.to_vec(),
        };
        let (offset, method) = (zip.len() as u64, u64::from(stored == Stored::Deflated) * 8);
        let sums = [low(crc32(content), 4), low(packed.len() as u64, 4), low(content.len() as u64, 4)].concat();
        // A local header may have an extra field that the directory does not have.
        zip.extend([b"PK\x03\x04", &low(20, 2)[..], &[0; 2], &low(method, 2), &[0; 4], &sums].concat());
        zip.extend(
            [low(name.len() as u64, 2), low(6, 2), name.as_bytes().to_vec(), b"UT\x02\x00\x00\x00".to_vec()].concat(),
        );
        zip.extend(&packed);
        let (mut sizes, mut place, mut extra) = (sums, low(offset, 4), Vec::new());
        if stored == Stored::Wide {
            sizes = [&sizes[..4], &[0xff; 8]].concat();
            place = vec![0xff; 4];
            let wide = [content.len() as u64, packed.len() as u64, offset].map(|number| low(number, 8)).concat();
            extra = [b"XX\x01\x00\x00", &low(1, 2)[..], &low(wide.len() as u64, 2), &wide].concat();
        }
        directory
            .extend([b"PK\x01\x02", &low(20, 2)[..], &low(45, 2), &[0; 2], &low(method, 2), &[0; 4], &sizes].concat());
        directory.extend([low(name.len() as u64, 2), low(extra.len() as u64, 2), vec![0; 10], place].concat());
        directory.extend([name.as_bytes(), &extra].concat());
    }
    let (count, begin, len) = (files.len() as u64, zip.len() as u64, directory.len() as u64);
    zip.extend(directory);
    let (mut len_field, mut begin_field) = (low(len, 4), low(begin, 4));
    if stored == Stored::Wide {
        let end = zip.len() as u64;
        let counts = [low(count, 8), low(count, 8), low(len, 8), low(begin, 8)].concat();
        zip.extend([b"PK\x06\x06", &low(44, 8)[..], &low(45, 2), &low(45, 2), &[0; 8], &counts].concat());
        zip.extend([b"PK\x06\x07", &[0; 4][..], &low(end, 8), &low(1, 4)].concat());
        (len_field, begin_field) = (vec![0xff; 4], vec![0xff; 4]);
    }
    let counts = [low(count, 2), low(count, 2), len_field, begin_field, low(comment.len() as u64, 2)].concat();
    zip.extend([b"PK\x05\x06", &[0; 4][..], &counts, comment].concat());
    zip
}

fn crc32(bytes: &[u8]) -> u64 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum().into()
}

/// A WARC file of two pages, which are told apart by a number.
fn warc(number: usize) -> Vec<u8> {
    let mut writer = WarcWriter::new(Vec::new(), Compression::Gzip);
    for page in [2 * number, 2 * number + 1] {
        let (url, body) = (format!("http://example.org/{page}"), format!("<p>some words of page {page}"));
        let headers = [("Content-Type", "text/html")];
        let page =
            Response { url: &url, date: 0, id: Some(&url), status: 200, headers: &headers, body: body.as_bytes() };
        writer.response(&page).expect("memory is writable");
    }
    writer.finish().expect("memory is writable")
}

/// Two pages side by side.
fn show(dir: &Dir, pair: [usize; 2]) -> String {
    let ids = pair.map(|page| format!("http://example.org/{page}"));
    dir.nddb(["show", "db", &ids[0], &ids[1]]).done().stdout
}

/// What else is in a WACZ file.
const OTHER: [(&str, &[u8]); 2] =
    [("datapackage.json", b"{}"), ("pages/pages.jsonl", b"{\"id\":\"no\",\"text\":\"page\"}\n")];

#[test]
fn pages_are_loaded_and_found_again() {
    let (first, second) = (warc(0), warc(1));
    for (stored, comment) in
        [(Stored::AsItIs, &b""[..]), (Stored::Wide, b""), (Stored::AsItIs, b"PK\x05\x06 a comment")]
    {
        let dir = Dir::with_database();
        let archives = [("archive/a.warc.gz", &first[..]), ("archive/b.warc.gz", &second[..])];
        std::fs::create_dir(dir.path("in")).expect("writable");
        dir.write("in/x.wacz", &zip(&[&OTHER[..1], &archives, &OTHER[1..]].concat(), stored, comment));
        // It is found in a folder, too.
        dir.nddb(["load", "db", "in"]).done().says(&["4 documents stored", "of 4 entries read"]);
        for pair in [[0, 1], [3, 2]] {
            let shown = show(&dir, pair);
            let words = format!("some words of page [-{}-]", pair[0]);
            assert!(shown.contains(&words) && shown.contains(&format!("{{+{}+}}", pair[1])), "{shown}");
        }
        let third = dir.nddb(["get", "db", "http://example.org/2"]).done().json();
        assert_eq!(third["source"]["offset"], json!(first.len()));
        dir.nddb(["report", "db", "-o", "report.html"]).done();
        dir.nddb(["load", "db", "in"]).done().says(&["4 unchanged"]);
    }
}

#[test]
fn what_cannot_be_read_or_written_is_told_with_the_next_step() {
    let dir = Dir::with_database();
    let archive = [("archive/a.warc.gz", &warc(0)[..])];
    dir.write("x.wacz", &zip(&archive, Stored::AsItIs, b""));
    let whole = dir.read("x.wacz");
    dir.write("deflated.wacz", &zip(&archive, Stored::Deflated, b""));
    dir.write("cut.wacz", &whole[..whole.len() - 30]);
    dir.write("mixed.wacz", &zip(&[archive[0], ("archive/b.warc", b"WARC/1.0\r\n")], Stored::AsItIs, b""));
    dir.write("other.zip", &zip(&OTHER, Stored::AsItIs, b""));
    let mut encrypted = whole.clone();
    let entry = encrypted.windows(4).position(|bytes| bytes == b"PK\x01\x02").expect("a directory");
    encrypted[entry + 8] |= 1;
    dir.write("encrypted.wacz", &encrypted);
    let mut overlapping = whole.clone();
    overlapping[entry + 24..entry + 28].copy_from_slice(&u32::MAX.to_le_bytes());
    dir.write("damaged.wacz", &overlapping);
    for (name, words) in [
        ("deflated.wacz", "compressed by zip, and not just stored; unpack it"),
        ("cut.wacz", "its directory, which is at the end of a zip file, cannot be read"),
        ("mixed.wacz", "compressed in different ways; unpack it"),
        ("encrypted.wacz", "an archive in it is encrypted"),
        ("damaged.wacz", "its directory is damaged"),
        ("other.zip", "unsupported container zip; unpack it"),
    ] {
        dir.nddb(["load", "db", name]).tells(1, &[name, words]);
    }
    dir.nddb(["load", "db", "x.wacz"]).done();
    let told = ["x.wacz: a WACZ file cannot be written in part", "hint: unpack it (unzip FILE 'archive/*')"];
    dir.write("ids.txt", b"http://example.org/0\n");
    dir.nddb(["filter", "db", "x.wacz", "--remove", "ids.txt", "-o", "out.wacz"]).tells(2, &told);
    dir.nddb(["dedup", "x.wacz", "-o", "out.wacz"]).tells(2, &told);
    dir.nddb(["revisits", "db", "x.wacz", "-o", "out.wacz"]).tells(2, &told);
}

#[test]
fn damage_never_ends_the_program() {
    let dir = Dir::new();
    let archive = [("archive/a.warc.gz", &warc(0)[..])];
    for stored in [Stored::AsItIs, Stored::Wide] {
        let whole = zip(&archive, stored, b"");
        let mut read = 0;
        for at in 0..2 * whole.len() {
            let mut broken = whole.clone();
            match at.checked_sub(whole.len()) {
                Some(len) => broken.truncate(len),
                None => broken[at] ^= 0xff,
            }
            dir.write("x.wacz", &broken);
            let Ok(mut input) = Input::open(&dir.path("x.wacz"), &Options::default()) else { continue };
            while input.next().expect("the file is readable").is_some() {
                read += 1;
            }
        }
        assert!(read > whole.len(), "{read} entries");
    }
}

/// Zip files that another program has made.
#[test]
fn zip_files_of_python_are_read() {
    let Some(mut python) = nddb_test_support::python("zip files of Python") else { return };
    let dir = Dir::with_database();
    dir.write("a.warc.gz", &warc(0));
    let script = "import zipfile; z = zipfile.ZipFile('x.wacz', 'w', zipfile.ZIP_DEFLATED); \
                  z.writestr('datapackage.json', '{}'); \
                  z.write('a.warc.gz', 'archive/a.warc.gz', zipfile.ZIP_STORED); z.close()";
    let ran = python.args(["-c", script]).current_dir(dir.path("")).status().expect("python runs");
    assert!(ran.success());
    dir.nddb(["load", "db", "x.wacz"]).done().says(&["2 documents stored"]);
    let shown = show(&dir, [0, 1]);
    assert!(shown.contains("some words of page [-0-]"), "{shown}");
}
