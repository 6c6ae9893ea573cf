//! Large files are read by stretches, on any number of threads: what is stored and told is what one reader finds that
//! goes from the beginning to the end, also where files are damaged or contain what looks like their own parts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use nddb::archive::{EntryContent, Input, Options, Position, Reason};
use nddb::ingest::{Event, LoadReport, Loader};
use nddb::{Config, Reader, Stored, View, Writer};
use nddb_format::manifest::Manifest;

use super::archives::gzip;
use super::support::{Random, folder};

/// Words that hardly compress.
fn words(len: usize, random: &mut Random) -> String {
    (0..len).map(|_| format!("{:x} ", random.next())).collect()
}

fn record(kind: &str, id: &str, media: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <{id}>\r\nWARC-Target-URI: http://a.example/{id}\r\n\
         Content-Type: {media}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body, b"\r\n\r\n"].concat()
}

/// An archive of members with pages, some of them damaged, larger than what a stretch takes (the last one by far), or
/// full of members.
fn archive(name: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in 0..420 {
        let (id, len) = (format!("{name}:{number}"), if number % 97 == 50 { 40_000 << (number / 97) } else { 600 });
        let page = |random: &mut Random| record("resource", &id, "text/plain", words(len, random).as_bytes());
        match number % 60 {
            7 => {
                let inner = gzip(&record("resource", "inner:1", "text/plain", words(300, random).as_bytes()));
                bytes.extend(gzip(&record("resource", &id, "image/png", &inner.repeat(60))));
            }
            21 => {
                let mut member = gzip(&page(random));
                let at = member.len() / 2;
                member[at] ^= 0x55;
                bytes.extend(member);
            }
            22 => bytes.extend([0; 500]),
            33 => bytes.extend(&gzip(&page(random))[..3000]),
            34 => bytes.extend(b"garbage"),
            45 => bytes.extend(gzip(&[page(random), record("metadata", "m", "text/plain", b"nothing")].concat())),
            _ => bytes.extend(gzip(&page(random))),
        }
    }
    bytes
}

fn lines(name: &str, random: &mut Random) -> String {
    let mut lines = String::new();
    for number in 0..2500 {
        let len = if number % 900 == 700 { 90_000 } else { 10 + random.index(60) };
        lines += &match random.below(20) {
            0 => "\n \n".to_owned(),
            1 => format!("{{\"id\":\"{name}-{number}\",\"text\"\n"),
            _ => format!("{{\"id\":\"{name}-{number}\",\"text\":\"{}\"}}\n\n", words(len, random)),
        };
    }
    lines.truncate(lines.trim_end().len());
    lines
}

fn files(folder: &Path, random: &mut Random) -> Vec<PathBuf> {
    let mut cut = archive("cut", random);
    cut.truncate(cut.len() - 1000);
    let files = [
        ("a.warc.gz", archive("whole", random)),
        ("b.jsonl", lines("b", random).into_bytes()),
        ("c.warc.gz", cut),
        ("d.warc.gz", gzip(&record("resource", "one", "text/plain", words(90_000, random).as_bytes()))),
        ("e.jsonl", lines("e", random).into_bytes()),
    ];
    let write = |(name, bytes): (&str, Vec<u8>)| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("written");
        path
    };
    files.map(write).to_vec()
}

type Told = (PathBuf, Position, Reason);

#[derive(Debug, Default, PartialEq)]
struct Found {
    documents: Vec<(String, u64, u64, u64)>,
    skipped: Vec<Told>,
    payload: u64,
}

/// What one reader finds.
fn read(paths: &[PathBuf]) -> Found {
    let mut found = Found::default();
    for path in paths {
        let mut input = Input::open(path, &Options::default()).expect("opened");
        while let Some(entry) = input.next().expect("read") {
            let Position { offset, inner, length } = entry.position;
            match entry.content {
                EntryContent::Page(page) => found.documents.push((page.id, offset, inner, length)),
                EntryContent::Skipped { reason, .. } => found.skipped.push((path.clone(), entry.position, reason)),
                _ => {}
            }
        }
        found.payload += input.payload_bytes();
    }
    found
}

fn rows(view: View<'_>) -> Vec<Stored> {
    view.documents().collect::<Result<_, _>>().expect("read")
}

fn stored(writer: &Writer) -> Vec<(String, u64, u64, u64)> {
    let place = |Stored { record, .. }: Stored| {
        let source = record.source.expect("a place");
        (record.id, source.offset, source.inner, source.length)
    };
    rows(writer.view()).into_iter().map(place).collect()
}

/// The files of the runs, the manifest without the identity of the catalog, and the rows of the catalog.
fn contents(path: &Path) -> (BTreeMap<PathBuf, Vec<u8>>, Manifest, Vec<Stored>, String) {
    let read = |path: PathBuf| std::fs::read(path).expect("a file");
    let runs = std::fs::read_dir(path.join("runs")).expect("runs").map(|entry| entry.expect("an entry").path());
    let runs = runs.map(|file| (file.file_name().expect("a name").into(), read(file))).collect();
    let manifest = Manifest::decode(&read(path.join("MANIFEST"))).expect("a manifest");
    let reader = Reader::open(path).expect("opened");
    let others = format!("{:?} {:?}", reader.view().archives(), reader.view().loads());
    (runs, Manifest { catalog: 0, ..manifest }, rows(reader.view()), others)
}

fn load(
    writer: &mut Writer,
    paths: &[PathBuf],
    threads: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> (LoadReport, Vec<Told>) {
    let mut told = Vec::new();
    let loader = Loader::new(writer).threads(threads).stop_when(stop).on_event(|event| {
        if let Event::Skipped(what) = event {
            told.push((what.path.to_owned(), what.position, what.reason));
        }
    });
    let report = loader.load(paths).expect("loaded");
    (report, told)
}

fn create(path: &Path) -> Writer {
    Writer::create(path, &Config::within(3).expect("k")).expect("a new database")
}

#[test]
fn what_is_read_by_stretches_is_what_one_reader_finds() {
    let folder = folder();
    let mut random = Random::seeded("stretches");
    let paths = files(folder.path(), &mut random);
    let want = read(&paths);
    assert!(want.documents.len() > 4000 && want.skipped.len() > 200);
    let size: u64 = paths.iter().map(|path| path.metadata().expect("a file").len()).sum();
    let mut first = None;
    for threads in [1, 2, 7, 16] {
        let path = folder.path().join(format!("db{threads}"));
        let mut writer = create(&path);
        let (report, skipped) = load(&mut writer, &paths, threads, &|| false);
        let found = Found { documents: stored(&writer), skipped, payload: report.payload_bytes };
        assert_eq!(found, want, "{threads} threads");
        assert_eq!((report.progress.bytes_in, report.stopped), (size, false));
        writer.close().expect("closed");
        let merged = folder.path().join(format!("merged{threads}"));
        let mut writer = create(&merged);
        writer.set_threads(threads);
        writer.merge(&path).expect("merged");
        writer.close().expect("closed");
        let contents = [&path, &merged].map(|path| contents(path));
        assert!(contents.iter().all(|contents| contents.0.len() > 4));
        assert!(*first.get_or_insert_with(|| contents.clone()) == contents, "{threads} threads");
    }
}

#[test]
fn a_load_by_stretches_that_is_stopped_goes_on_where_it_was() {
    let folder = folder();
    let mut random = Random::seeded("stopped stretches");
    let paths = files(folder.path(), &mut random);
    let want = read(&paths);
    for threads in [1, 7] {
        let mut writer = create(&folder.path().join(format!("db{threads}")));
        let (mut told, mut stops) = (Vec::new(), 0);
        loop {
            let left = AtomicU64::new(random.below(1_500));
            let now = Ordering::Relaxed;
            let stop = || left.fetch_update(now, now, |left| left.checked_sub(1)).is_err();
            let (report, more) = load(&mut writer, &paths, threads, &stop);
            assert_eq!((report.loaded.unchanged, report.loaded.replaced), (0, 0), "nothing is read twice");
            told.extend(more);
            if !report.stopped {
                break;
            }
            stops += 1;
        }
        assert!(stops > 2, "{stops} stops");
        assert!(stored(&writer) == want.documents && told == want.skipped, "{threads} threads");
    }
}
