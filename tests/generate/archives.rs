//! Seeds of the targets that read archives and pages.

use std::io::{Read, Write};
use std::path::Path;

use nddb::archive::{Compression, Response, WarcWriter};

use super::{Result, Seeds};

const PAGES: [&str; 3] = [
    "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>Rivers &amp; more</title><style>p{}</style></head>\
     <body><nav><ul><li><a href=/>Home</a></ul></nav><main><h1>Rivers</h1><p class=text>The Rhine rises in the Alps.\
     <table><tr><td>1<td>2,5</table></main><script>var a = '<p>';</script><!-- footer --><footer>(c) 2024</footer>",
    "<p>Ein Text \u{fc}ber Br\u{fc}cken<br>&nbsp;&#8364;&lt;<pre>  a b </pre><img alt=x src=a.png><svg><title>t</title>",
    "\u{6771}\u{4eac}\u{306f}\u{65e5}\u{672c}\u{306e}\u{9996}\u{90fd}\u{3067}\u{3059}",
];

/// Writes the seeds of all these targets.
pub(super) fn write(corpus: &Path) -> Result<()> {
    let plain = warc(Compression::Plain)?;
    records(&Seeds::of(corpus, "read_records")?, &plain)?;
    packed(&Seeds::of(corpus, "read_packed")?, &plain)?;
    lines(&Seeds::of(corpus, "read_lines")?)?;
    let pages = Seeds::of(corpus, "read_page")?;
    for (index, page) in PAGES.iter().enumerate() {
        for first in [0_u8, 1, 2, 8, 16] {
            pages.write(&format!("{index}-{first}"), [&[first], page.as_bytes()].concat())?;
        }
    }
    Ok(())
}

fn warc(compression: Compression) -> Result<Vec<u8>> {
    let mut writer = WarcWriter::new(Vec::new(), compression);
    writer.warcinfo("seed.warc", 0, &[("software", "seeds")])?;
    for body in PAGES {
        let headers = [("Content-Type", "text/html; charset=utf-8")];
        let body = body.as_bytes();
        writer.response(&Response {
            url: "http://a.example/",
            date: 0,
            id: None,
            status: 200,
            headers: &headers,
            body,
        })?;
    }
    writer.record(&[("WARC-Type", "conversion"), ("Content-Type", "text/plain")], b"some words")?;
    Ok(writer.finish()?)
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

fn records(seeds: &Seeds, plain: &[u8]) -> Result<()> {
    seeds.write("warc", plain)?;
    let body = PAGES[0].as_bytes();
    let mut brotli = Vec::new();
    brotli::CompressorReader::new(body, 4096, 5, 22).read_to_end(&mut brotli)?;
    let chunked = [format!("{:x}\r\n", body.len()).as_bytes(), body, b"\r\n0\r\nX: y\r\n\r\n"].concat();
    for (name, fields, body) in [
        ("gzip", "Content-Encoding: gzip", gzip(body)?),
        ("brotli", "Content-Encoding: br", brotli),
        ("zstd", "Content-Encoding: zstd", zstd::bulk::compress(body, 3)?),
        ("chunked", "Transfer-Encoding: chunked", chunked),
    ] {
        let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{fields}\r\n\r\n");
        let length = http.len() + body.len();
        let head =
            format!("WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:a>\r\nContent-Length: {length}\r\n\r\n");
        seeds.write(name, [head.as_bytes(), http.as_bytes(), &body, b"\r\n\r\n"].concat())?;
    }
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{}", PAGES[0]);
    let line = format!("http://a.example/ 1.2.3.4 20240101000000 text/html {}\n{http}\n", http.len());
    seeds.write("arc", format!("filedesc://a.arc 0.0.0.0 20240101000000 text/plain 4\n1 0\n\n{line}{line}"))
}

fn packed(seeds: &Seeds, plain: &[u8]) -> Result<()> {
    seeds.write("members", warc(Compression::Gzip)?)?;
    seeds.write("frames", warc(Compression::Zstd)?)?;
    let half = plain.len() / 2;
    seeds.write("halves.gz", [gzip(&plain[..half])?, gzip(&plain[half..])?].concat())?;
    let dictionary = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http; msgtype=response\r\n";
    let frames = zstd::bulk::Compressor::with_dictionary(3, dictionary)?.compress(plain)?;
    let length = (dictionary.len() as u32).to_le_bytes();
    seeds.write("dictionary.zst", [&b"\x5d\x2a\x4d\x18"[..], &length, dictionary, &frames].concat())?;
    let mut bzip2 = Vec::new();
    bzip2::read::BzEncoder::new(plain, bzip2::Compression::fast()).read_to_end(&mut bzip2)?;
    seeds.write("bz2", bzip2)?;
    let mut xz = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(0))?;
    xz.write_all(plain)?;
    seeds.write("xz", xz.finish()?)?;
    let mut lz4 = lz4_flex::frame::FrameEncoder::new(Vec::new());
    lz4.write_all(plain)?;
    seeds.write("lz4", lz4.finish()?)
}

fn lines(seeds: &Seeds) -> Result<()> {
    for (name, text) in [
        (
            "json",
            "{\"id\":\"a\",\"text\":\"some \\u00fc words\",\"url\":\"http://a/\",\"date\":\"2024-03-01\"}\n{\"id\":7,\"html\":\"<p>x\"}\n",
        ),
        (
            "nested",
            "{\"text\":\"x\",\"meta\":{\"url\":\"http://a/\",\"n\":[1,{\"a\":null}]}}\n{\"text\":NaN}\n{\"id\":\"\\ud800\"}\n",
        ),
        ("fingerprints", "{\"id\":\"a\",\"fp\":\"0123456789abcdef\"}\n"),
        ("csv", "cid,text,url\na,\"one \"\"two\"\"\nthree\",http://a/\nb,x,\n"),
        ("table", "tid\ttext\na\tone\n"),
        ("tsv", "ta\t0123456789abcdef\nb\tfedcba9876543210\n"),
        ("numbers", "00123456789abcdef"),
        ("any", "x<p>words"),
    ] {
        seeds.write(name, text)?;
    }
    Ok(())
}
