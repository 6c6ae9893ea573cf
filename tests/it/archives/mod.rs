//! Archives: real, generated, and damaged ones.

use std::io::{Read, Write};

use nddb::archive::{
    ArchiveError, Compression, Entry, EntryContent, Format, IdFrom, Input, Inputs, Limits, Located, Options, OtherKind,
    PageEntry, Position, Reason, Response, WarcWriter, expand,
};
use nddb::text::PageKind;
use nddb_archive::{identity, read_page};
use nddb_test_support::{Random, say};

const HTML: &[(&str, &str)] = &[("Content-Type", "text/html; charset=utf-8")];

mod arrow;
mod containers;
mod hostile;
mod lines;
mod real;
mod records;
mod rows;
mod tables;

/// Returns pages of many sizes, of words with little repetition.
fn pages(count: usize) -> Vec<(String, Vec<u8>)> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut page = |i: usize| {
        let mut body = format!("<!DOCTYPE html><title>page {i}</title>").into_bytes();
        for _ in 0..5 + 13 * (i % 7) {
            body.extend_from_slice(format!("<p>{:x} word", random.next()).as_bytes());
        }
        (format!("https://example.org/{i}"), body)
    };
    (0..count).map(&mut page).collect()
}

fn archive(pages: &[(String, Vec<u8>)], compression: Compression) -> Vec<u8> {
    let mut writer = WarcWriter::new(Vec::new(), compression);
    writer.warcinfo("made.warc", 0, &[("software", "a test")]).expect("writes to memory");
    for (url, body) in pages {
        let response = Response { url, date: 1_700_000_000, id: Some(url), status: 200, headers: HTML, body };
        writer.response(&response).expect("writes to memory");
    }
    writer.finish().expect("writes to memory")
}

/// Expects that reading a table of 100 rows resumes at every row; returns the path of the file and all entries.
fn resumes_at_every_row(bytes: &[u8], folder: &std::path::Path, name: &str) -> (std::path::PathBuf, Vec<Entry>) {
    let (path, options) = (folder.join(name), Options::default());
    std::fs::write(&path, bytes).expect("written");
    let all = drain(Input::open(&path, &options).expect("opens"));
    let mut input = Input::open(&path, &options).expect("opens");
    for row in 0..=100 {
        let rest = drain(Input::open_at(&path, &options, input.resume_point()).expect("opens"));
        assert_eq!(rest, all[row..], "{row}");
        assert_eq!(input.next().expect("reads").is_some(), row < 100);
    }
    (path, all)
}

fn drain(mut input: Input) -> Vec<Entry> {
    let mut entries = Vec::new();
    while let Some(entry) = input.next().expect("memory and local files are readable") {
        entries.push(entry);
        assert!(entries.len() < 1_000_000, "reading comes to an end");
    }
    assert!(input.next().expect("the end is the end").is_none());
    entries
}

fn read(bytes: &[u8], name: &str) -> Vec<Entry> {
    read_with(bytes, name, &Options::default())
}

fn read_with(bytes: &[u8], name: &str, options: &Options) -> Vec<Entry> {
    drain(Input::from_bytes(bytes.to_vec(), name, options).unwrap_or_else(|error| panic!("{name}: {error}")))
}

fn found(entries: &[Entry]) -> Vec<&PageEntry> {
    let page = |entry: &'_ Entry| matches!(entry.content, EntryContent::Page(_));
    entries
        .iter()
        .filter(|entry| page(entry))
        .filter_map(|entry| match &entry.content {
            EntryContent::Page(page) => Some(page),
            _ => None,
        })
        .collect()
}

fn html(entries: &[Entry]) -> usize {
    found(entries).iter().filter(|page| page.kind == PageKind::Html).count()
}

fn reasons(entries: &[Entry]) -> Vec<Reason> {
    let reason = |entry: &Entry| match &entry.content {
        EntryContent::Skipped { reason, .. } => Some(*reason),
        _ => None,
    };
    entries.iter().filter_map(reason).collect()
}

fn bodies(entries: &[Entry]) -> Vec<(String, Vec<u8>)> {
    found(entries).iter().map(|page| (page.id.clone(), page.body.clone())).collect()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("writes to memory");
    encoder.finish().expect("writes to memory")
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    bzip2::read::BzEncoder::new(bytes, bzip2::Compression::fast()).read_to_end(&mut out).expect("compresses in memory");
    out
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut writer = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(1)).expect("options");
    writer.write_all(bytes).expect("writes to memory");
    writer.finish().expect("writes to memory")
}

fn lz4(bytes: &[u8]) -> Vec<u8> {
    let mut writer = lz4_flex::frame::FrameEncoder::new(Vec::new());
    writer.write_all(bytes).expect("writes to memory");
    writer.finish().expect("writes to memory")
}

fn zstd_with(bytes: &[u8], dictionary: &[u8]) -> Vec<u8> {
    zstd::bulk::Compressor::with_dictionary(3, dictionary)
        .and_then(|mut compressor| compressor.compress(bytes))
        .expect("compresses in memory")
}

fn skippable(magic: u8, content: &[u8]) -> Vec<u8> {
    [&[magic, 0x2a, 0x4d, 0x18][..], &(content.len() as u32).to_le_bytes(), content].concat()
}

/// Returns one archive in every container, with a name for each.
fn flavours(originals: &[(String, Vec<u8>)]) -> Vec<(&'static str, Vec<u8>)> {
    let plain = archive(originals, Compression::Plain);
    let zst = archive(originals, Compression::Zstd);
    let info = archive(&[], Compression::Plain).len();
    let records = |pages: &[(String, Vec<u8>)]| -> Vec<Vec<u8>> {
        let alone = |page| archive(std::slice::from_ref(page), Compression::Plain)[info..].to_vec();
        pages.iter().map(alone).collect()
    };
    let (to_pack, records) = (records(originals), records(&pages(40)));
    let samples: Vec<u8> = records.concat();
    let dictionary = zstd::dict::from_continuous(&samples, &records.iter().map(Vec::len).collect::<Vec<_>>(), 4096)
        .expect("there are samples enough");
    let with_dictionary: Vec<u8> = to_pack.iter().flat_map(|record| zstd_with(record, &dictionary)).collect();
    let other = zstd::dict::from_continuous(&samples, &records.iter().map(Vec::len).collect::<Vec<_>>(), 2048)
        .expect("there are samples enough");
    let (first, rest) = to_pack.split_at(to_pack.len() / 2);
    let with = |records: &[Vec<u8>], dictionary: &[u8]| -> Vec<u8> {
        records.iter().flat_map(|record| zstd_with(record, dictionary)).collect()
    };
    let in_pieces = |pack: &dyn Fn(&[u8]) -> Vec<u8>| plain.chunks(333).flat_map(pack).collect::<Vec<u8>>();
    let frame = |bytes: &[u8]| zstd::bulk::compress(bytes, 3).expect("compresses in memory");
    vec![
        ("plain.warc", plain.clone()),
        ("no-ending", plain.clone()),
        ("members.warc.gz", archive(originals, Compression::Gzip)),
        ("stream.warc.gz", gzip(&plain)),
        ("pieces.warc.gz", in_pieces(&gzip)),
        ("padded.warc.gz", [gzip(&plain), vec![0; 777]].concat()),
        ("gzip-inside.warc", archive(originals, Compression::Gzip)),
        ("frames.warc.zst", zst.clone()),
        ("frame.warc.zst", frame(&plain)),
        ("pieces.warc.zst", in_pieces(&frame)),
        ("skippable.warc.zst", [skippable(0x50, b"one"), zst, skippable(0x5f, b"")].concat()),
        ("dictionary.warc.zst", [skippable(0x5d, &dictionary), with_dictionary.clone()].concat()),
        ("packed-dictionary.warc.zst", [skippable(0x5d, &frame(&dictionary)), with_dictionary].concat()),
        (
            "concatenated.warc.zst",
            [
                skippable(0x5d, &dictionary),
                with(first, &dictionary),
                skippable(0x5d, &frame(&other)),
                with(rest, &other),
            ]
            .concat(),
        ),
    ]
}

/// Returns an ARC file, with a record line of version 2 for every other page and blank lines between records.
fn arc(pages: &[(String, Vec<u8>)]) -> String {
    let version = "1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n";
    let mut text = format!("filedesc://made.arc 0.0.0.0 20240101000000 text/plain {}\n{version}\n", version.len());
    for (at, (url, body)) in pages.iter().enumerate() {
        let content = format!("HTTP/1.0 200 OK\nContent-Type: text/html\n\n{}", String::from_utf8_lossy(body));
        let more = if at % 2 == 1 { "200 ABC - 77 made.arc " } else { "" };
        text += &format!(
            "{url} 1.2.3.4 20240101000000 text/html {more}{}\n{content}\n{}",
            content.len(),
            "\n".repeat(at % 3)
        );
    }
    text
}
