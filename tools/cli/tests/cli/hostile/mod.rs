//! Hostile and broken inputs: what `nddb load` makes of each, entry by entry, within which memory and with how much
//! work. Each module is a table of inputs that are made here; a new one is a line of it.
//!
//! That reading survives any cut and any flipped byte is tested on the library (`tests/it/archives`).

mod files;
mod http;
mod lines;
mod packed;
mod pages;
#[cfg(feature = "parquet")]
mod tables;
mod warc;

use std::cell::Cell;
use std::fs;
use std::io::Write;
use std::time::Duration;

use nddb::archive::{Compression, Response, WarcWriter};
use serde_json::{Map, Value};

use crate::helper::{Dir, Ran};

/// Memory limit of each load.
const LIMIT: &str = "16M";
/// The most memory that a load may take, in KB. Promised are 256 MB beyond the limit, for any input.
const MEMORY: u64 = 200 << 10;
/// The time after which a load is taken to have no end.
const PATIENCE: Duration = Duration::from_secs(120);
/// Bytes that may be decompressed of any input, unless the table says another number.
const WORK: u64 = 64 << 20;

/// What becomes of the entries of an input. The counts are exact.
#[derive(Clone, Copy)]
struct Gives<'a> {
    /// Documents stored.
    stored: u64,
    /// Of these, documents that are not whole: incomplete in the input, or cut by a limit.
    cut: u64,
    /// Entries whose id came before with another content.
    repeated: u64,
    /// Entries whose id came before with the same content.
    unchanged: u64,
    /// Entries skipped, by reason.
    skipped: &'a [(&'a str, u64)],
    /// Entries that are no documents, by kind.
    other: &'a [(&'a str, u64)],
    /// The most bytes that are decompressed.
    work: u64,
}

/// What nothing but sound documents would give, but for their number.
const SOUND: Gives<'_> = Gives { stored: 0, cut: 0, repeated: 0, unchanged: 0, skipped: &[], other: &[], work: WORK };

/// Two sound pages, which stand behind what is hostile: they must be stored.
fn sound() -> Vec<u8> {
    let mut writer = WarcWriter::new(Vec::new(), Compression::Plain);
    for url in ["http://sound.example/1", "http://sound.example/2"] {
        let headers = [("Content-Type", "text/html")];
        let body = b"<title>Sound</title><p>The quick brown fox jumps over the lazy dog and goes on.";
        let page = Response { url, date: 0, id: Some(url), status: 200, headers: &headers, body };
        writer.response(&page).expect("memory is writable");
    }
    writer.finish().expect("memory is writable")
}

/// A response in a WARC record that has its right length.
fn record(id: &str, http: &[u8]) -> Vec<u8> {
    record_of_length(id, &format!("Content-Length: {}\r\n", http.len()), http)
}

/// A response in a WARC record with any line, or none, for its length.
fn record_of_length(id: &str, length: &str, http: &[u8]) -> Vec<u8> {
    let head = format!("WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <{id}>\r\n{length}\r\n");
    [head.as_bytes(), http, b"\r\n\r\n"].concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory is writable");
    encoder.finish().expect("memory is writable")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(bytes, 1).expect("memory is writable")
}

/// A database into which inputs are loaded one after the other.
struct Table {
    dir: Dir,
    loaded: Cell<u64>,
    stored: Cell<u64>,
}

impl Table {
    fn new() -> Self {
        Self { dir: Dir::with_database(), loaded: Cell::default(), stored: Cell::default() }
    }

    /// Loads a file of this name, and asserts what becomes of it.
    #[track_caller]
    fn reads(&self, name: &str, bytes: &[u8], gives: Gives<'_>) {
        self.reads_with(name, bytes, &[], gives);
    }

    /// The same, with more options of `load`.
    #[track_caller]
    fn reads_with(&self, name: &str, bytes: &[u8], options: &[&str], gives: Gives<'_>) {
        self.dir.write(name, bytes);
        self.reads_path(name, options, gives);
        fs::remove_file(self.dir.path(name)).expect("it is there");
    }

    /// Loads what is at a path, and asserts what becomes of it.
    #[track_caller]
    fn reads_path(&self, path: &str, options: &[&str], gives: Gives<'_>) {
        let ran = self.load(path, options);
        let summary = ran.json();
        let number = |key: &str| summary[key].as_u64().expect("a number");
        let loss = gives.repeated > 0 || !gives.skipped.is_empty() || number("cut") > 0;
        ran.ended(if loss { 3 } else { 0 });
        let counts = |counts: &[(&str, u64)]| -> Value {
            counts.iter().map(|&(name, count)| (name.to_owned(), count.into())).collect::<Map<_, _>>().into()
        };
        let Gives { stored, cut, repeated, unchanged, skipped, other, work } = gives;
        assert_eq!(number("truncated") + number("cut"), cut, "{path}: {summary}");
        let keys = ["documents", "repeated", "unchanged", "skipped_by_reason", "other"];
        let wanted = [stored.into(), repeated.into(), unchanged.into(), counts(skipped), counts(other)];
        assert_eq!(keys.map(|key| summary[key].clone()), wanted, "{path}");
        let others: u64 = skipped.iter().chain(other).map(|(_, count)| count).sum();
        assert_eq!(summary["entries"], stored + repeated + unchanged + others, "{path}: {summary}");
        let payload = number("payload_bytes");
        assert!(payload <= work, "{path}: {payload} bytes were decompressed");
        self.stored.set(self.stored.get() + stored);
    }

    /// Loads a file that must be refused as a whole, with these words.
    #[track_caller]
    fn refuses(&self, name: &str, bytes: &[u8], words: &[&str]) {
        self.dir.write(name, bytes);
        let ran = self.load(name, &[]);
        ran.ended(1);
        ran.says(&[&[name], words].concat());
        fs::remove_file(self.dir.path(name)).expect("it is there");
    }

    #[track_caller]
    fn load(&self, path: &str, options: &[&str]) -> Ran {
        self.loaded.set(self.loaded.get() + 1);
        // Ids of one input are not those of another.
        let prefix = format!("{}-", self.loaded.get());
        let usual = ["load", "db", path, "--json", "--progress", "off", "--threads", "2"];
        let limits = ["--memory-limit", LIMIT, "--id-prefix", &prefix];
        let (ran, memory) = self.dir.nddb([&usual[..], &limits, options].concat()).watched(PATIENCE);
        assert!(memory <= MEMORY, "{path}: {memory} KB");
        ran
    }

    /// Asserts that so many inputs were loaded, and that the database is sound and has what was stored of them.
    #[track_caller]
    fn ends(self, inputs: u64) {
        assert_eq!(self.loaded.get(), inputs);
        self.dir.nddb(["check", "db"]).done();
        assert_eq!(self.dir.nddb(["stats", "db", "--json"]).done().json()["documents"], self.stored.get());
    }
}
