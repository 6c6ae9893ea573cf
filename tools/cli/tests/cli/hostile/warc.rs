//! Records of WARC and ARC files.

use super::{Gives, SOUND, Table, gzip, record, record_of_length, sound};

const PAGE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>some words of a page that is not whole";

#[test]
fn lengths_that_lie() {
    let table = Table::new();
    let behind = |bytes: &[u8]| [bytes, &sound()].concat();
    let lying = |length: &str| behind(&record_of_length("urn:a", length, PAGE));
    let cut = Gives { stored: 3, cut: 1, ..SOUND };
    let bad = Gives { stored: 2, skipped: &[("bad_length", 1)], ..SOUND };
    table.reads("beyond-the-file.warc", &lying("Content-Length: 99999999999\r\n"), cut);
    table.reads("beyond-64-bits.warc", &lying("Content-Length: 99999999999999999999999\r\n"), bad);
    table.reads("largest.warc", &lying("Content-Length: 18446744073709551615\r\n"), cut);
    table.reads("negative.warc", &lying("Content-Length: -1\r\n"), bad);
    table.reads("hexadecimal.warc", &lying("Content-Length: 0x10\r\n"), bad);
    table.reads("without.warc", &lying(""), bad);
    table.reads("twice.warc", &lying("Content-Length: 99\r\nContent-Length: 5\r\n"), cut);
    table.reads("too-short.warc", &lying("Content-Length: 50\r\n"), Gives { skipped: &[("garbage", 1)], ..cut });
    let many = record_of_length("urn:a", "Content-Length: 70000000\r\n", PAGE).repeat(5000);
    table.reads("many.warc.gz", &gzip(&behind(&many)), Gives { cut: 5000, unchanged: 4999, ..cut });
    let arc = |length: &str| {
        let line = |url: &str, length: &str| format!("{url} 1.2.3.4 20240101000000 text/html {length}\n");
        let page = String::from_utf8_lossy(PAGE);
        let sound = line("http://b.example/", &page.len().to_string());
        format!("{}{page}\n{sound}{page}\n", line("http://a.example/", length)).into_bytes()
    };
    table.reads("beyond-the-file.arc", &arc("99999999999"), Gives { stored: 2, ..cut });
    table.reads("negative.arc", &arc("-1"), Gives { stored: 1, ..bad });
    table.ends(11);
}

#[test]
fn headers_without_end() {
    let table = Table::new();
    let behind = |bytes: &[u8]| [bytes, b"\r\n\r\n", &sound()].concat();
    let long = Gives { stored: 2, skipped: &[("header_too_long", 1)], ..SOUND };
    table.reads("line.warc", &behind(&[b"WARC/1.0\r\nX: ", &vec![b'x'; 4 << 20][..]].concat()), long);
    table.reads("lines.warc", &behind(&[b"WARC/1.0\r\n", &b"X: y\r\n".repeat(100_000)[..]].concat()), long);
    table.reads("folded.warc", &behind(&[b"WARC/1.0\r\nX: y\r\n", &b" z\r\n".repeat(100_000)[..]].concat()), long);
    let versions = Gives { stored: 2, skipped: &[("bad_header", 9999), ("bad_length", 1)], ..SOUND };
    table.reads("versions.warc", &behind(&b"WARC/1.0\r\n".repeat(10_000)), versions);
    let cut = Gives { skipped: &[("cut_off", 1)], ..SOUND };
    table.reads("cut.warc", b"WARC/1.0\r\nWARC-Type: response\r\nContent-Le", cut);
    table.reads("zeros.warc", &behind(&vec![0; 4 << 20]), Gives { stored: 2, ..SOUND });
    let garbage = Gives { stored: 2, skipped: &[("garbage", 1)], ..SOUND };
    table.reads("rubbish.warc", &behind(&b"what is this\r\n".repeat(100_000)), garbage);
    table.reads("without-lines.warc", &behind(&vec![b'w'; 4 << 20]), garbage);
    table.ends(8);
}

#[test]
fn ids_and_types() {
    let table = Table::new();
    let behind = |bytes: &[u8]| [bytes, &sound()].concat();
    let bad_id = Gives { stored: 2, skipped: &[("bad_id", 1)], ..SOUND };
    table.reads("long-id.warc", &behind(&record(&"u".repeat(5000), PAGE)), bad_id);
    table.reads("zero-in-id.warc", &behind(&record("a\0b", PAGE)), bad_id);
    let repeated = Gives { stored: 3, repeated: 999, ..SOUND };
    let again: Vec<u8> =
        (0..1000).flat_map(|at| record("urn:a", &[PAGE, format!(" {at}").as_bytes()].concat())).collect();
    table.reads("one-id.warc", &behind(&again), repeated);
    let empty = Gives { stored: 2, other: &[("not_http", 10_000)], ..SOUND };
    table.reads("empty.warc", &behind(&record("urn:a", b"").repeat(10_000)), empty);
    let unknown = String::from_utf8_lossy(&record("urn:a", PAGE)).replace("response", &"r".repeat(10_000));
    table.reads("long-type.warc", &behind(unknown.as_bytes()), Gives { stored: 2, other: &[("unknown", 1)], ..SOUND });
    table.ends(5);
}
