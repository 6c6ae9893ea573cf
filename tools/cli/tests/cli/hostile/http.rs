//! HTTP heads and bodies in records.

use std::io::Read;

use super::{Gives, SOUND, Table, gzip, record, sound, zstd};

const BODY: &str = "<p>some words of a page";

/// A response between sound pages.
fn response(head: &str, body: &[u8]) -> Vec<u8> {
    let http = [format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{head}\r\n").as_bytes(), body].concat();
    [record("urn:a", &http), sound()].concat()
}

#[test]
fn heads() {
    let table = Table::new();
    let of = |http: &[u8]| [record("urn:a", http), sound()].concat();
    let long = Gives { stored: 2, skipped: &[("header_too_long", 1)], ..SOUND };
    table.reads("lines.warc", &response(&"X: y\r\n".repeat(100_000), b""), long);
    table.reads("line.warc", &response(&format!("X: {}\r\n", "x".repeat(4 << 20)), b""), long);
    let bad = Gives { stored: 2, skipped: &[("bad_http", 1)], ..SOUND };
    table.reads("no-status.warc", &of(b"HTTP/1.1\r\n\r\n<p>words"), bad);
    table.reads("status-of-letters.warc", &of(b"HTTP/1.1 OK\r\n\r\n<p>words"), bad);
    table.reads("large-status.warc", &of(b"HTTP/1.1 99999999999999999999 OK\r\n\r\n<p>words"), bad);
    // It has no body.
    let cut = of(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX: y");
    table.reads("cut.warc", &cut, Gives { stored: 3, ..SOUND });
    let interim = [
        b"HTTP/1.1 100 Continue\r\n\r\n".repeat(10_000),
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>x".to_vec(),
    ];
    table.reads("interim.warc", &of(&interim.concat()), Gives { stored: 2, other: &[("status", 1)], ..SOUND });
    table.ends(7);
}

#[test]
fn chunks() {
    let table = Table::new();
    let chunked = |body: &[u8]| response("Transfer-Encoding: chunked\r\n", body);
    let (whole, cut) = (Gives { stored: 3, ..SOUND }, Gives { stored: 3, cut: 1, ..SOUND });
    table.reads("large-size.warc", &chunked(format!("ffffffffffffffff\r\n{BODY}").as_bytes()), cut);
    table.reads("no-last.warc", &chunked(format!("{:x}\r\n{BODY}\r\n", BODY.len()).as_bytes()), cut);
    table.reads("long-extension.warc", &chunked(format!("5;{}\r\n{BODY}", "x".repeat(1 << 20)).as_bytes()), whole);
    table.reads("of-one-byte.warc", &chunked(&[b"1\r\nw\r\n".repeat(500_000), b"0\r\n\r\n".to_vec()].concat()), whole);
    table.ends(4);
}

#[test]
fn encodings() {
    let table = Table::new();
    let encoded = |names: &str, body: &[u8]| response(&format!("Content-Encoding: {names}\r\n"), body);
    let (whole, cut) = (Gives { stored: 3, ..SOUND }, Gives { stored: 3, cut: 1, ..SOUND });
    let few = ["--max-record", "1M"];
    let zeros = vec![b' '; 30 << 20];
    table.reads_with("gzip-bomb.warc", &encoded("gzip", &gzip(&zeros)), &few, cut);
    table.reads_with("gzip-bomb-unsaid.warc", &encoded("identity", &gzip(&zeros)), &few, cut);
    table.reads_with("zstd-bomb.warc", &encoded("zstd", &zstd(&zeros)), &few, cut);
    let mut brotli = Vec::new();
    brotli::CompressorReader::new(&zeros[..], 4096, 1, 22).read_to_end(&mut brotli).expect("memory is readable");
    table.reads_with("brotli-bomb.warc", &encoded("br", &brotli), &few, cut);
    let often = (0..6).fold(BODY.as_bytes().to_vec(), |body, _| gzip(&body));
    table.reads("six-layers.warc", &encoded("gzip,gzip,gzip,gzip,gzip,gzip", &often), whole);
    let bad = Gives { stored: 2, skipped: &[("bad_encoding", 1)], ..SOUND };
    table.reads("many-layers.warc", &encoded(&"gzip,".repeat(5000), &often), bad);
    table.reads("a-lie.warc", &encoded("gzip, br, zstd, deflate", BODY.as_bytes()), whole);
    table.reads("cut-gzip.warc", &encoded("gzip", &gzip(&sound())[..100]), cut);
    table.ends(8);
}
