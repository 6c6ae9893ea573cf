//! What a load has in memory, and when it commits: both depend on its inputs alone.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use nddb_archive as archive;
use nddb_format::manifest::Manifest;
use nddb_format::record::Record;
use nddb_index::{Config, Document, Writer};
use tempfile::tempdir;

use super::stretches::{DONE_MAX, Task};
use super::*;

fn lines(folder: &Path, name: &str, texts: impl Iterator<Item = String>) -> PathBuf {
    let lines: String =
        (0..).zip(texts).map(|(n, text)| format!("{{\"id\":\"{name}{n}\",\"text\":\"{text}\"}}\n")).collect();
    let path = folder.join(format!("{name}.jsonl"));
    std::fs::write(&path, lines).expect("written");
    path
}

#[test]
fn loads_commit_at_the_same_documents_on_any_number_of_threads() {
    let folder = tempdir().expect("a folder");
    let words = |n: u64| (0..n % 40).map(|word| format!("w{} ", n * word % 977)).collect();
    let small = lines(folder.path(), "small", (0..2000).map(words));
    let large = lines(folder.path(), "large", (0..20).map(|n| format!("word{n} ").repeat(40_000 + n / 9 * 150_000)));
    let mut first = None;
    for threads in [1, 2, 7, 16] {
        let path = folder.path().join(format!("db{threads}"));
        let mut writer = Writer::create(&path, &Config::within(3).expect("k")).expect("a database");
        Loader::new(&mut writer).threads(threads).load(&[&small, &large]).expect("loaded");
        writer.close().expect("closed");
        let manifest = Manifest::decode(&std::fs::read(path.join("MANIFEST")).expect("read")).expect("a manifest");
        assert!(manifest.generation > 4, "{}", manifest.generation);
        let found = Manifest { catalog: 0, ..manifest };
        assert_eq!(first.get_or_insert_with(|| found.clone()), &found, "{threads} threads");
    }
}

/// Pages of equal bytes share the work if they have one address; what is stored is what is made of each alone.
#[test]
fn pages_of_equal_bytes_are_sketched_once() {
    let folder = tempdir().expect("a folder");
    let line = |n: u64| {
        let url =
            if !n.is_multiple_of(3) { format!("\"url\":\"http://a.example/{}\",", n / 30 % 2) } else { String::new() };
        let (kind, title) = (["text", "html"][(n % 5 / 3) as usize], n % 2);
        format!("{{\"id\":\"{n}\",{url}\"{kind}\":\"<title>of {title}</title> some words of a page {}\"}}\n", n % 5)
    };
    for keeps_words in [false, true] {
        let config = Config::within(3).expect("k").keep_words(keeps_words);
        let create = |name: &str| Writer::create(folder.path().join(name), &config).expect("a database");
        let (mut together, mut alone) = (create(&format!("a{keeps_words}")), create(&format!("b{keeps_words}")));
        let path = folder.path().join("pages.jsonl");
        std::fs::write(&path, (0..=100).map(line).collect::<String>()).expect("written");
        Loader::new(&mut together).threads(3).load(&[&path]).expect("loaded");
        for n in 0..=100 {
            std::fs::write(&path, line(n)).expect("written");
            Loader::new(&mut alone).again(true).load(&[&path]).expect("loaded");
        }
        let rows = |writer: &Writer| -> Vec<_> {
            let rows = writer.view().documents().map(|stored| stored.expect("a document"));
            rows.map(|stored| (stored.fingerprint, Record { source: None, ..stored.record })).collect()
        };
        assert_eq!(rows(&together), rows(&alone));
        // Here what is kept of a page is something else.
        let maker = Maker::new(together.settings()).expect("a recipe");
        let maker = maker.recalling(together.bulk_load().expect("a load").recall());
        let Some((print, record)) = rows(&alone).pop() else { panic!("rows") };
        let (digest, url) = (record.page.expect("a digest"), record.url.clone());
        let other =
            Document::sketched(print, Record { tokens: Some(77), id: "other".into(), ..record }).expect("an id");
        maker.latest.keep(digest, &other);
        let input = archive::Input::open(&path, &Options::default()).and_then(|mut input| input.next());
        let Ok(Some(mut entry)) = input else { panic!("an entry") };
        for (is_new, has_url) in [(false, true), (true, true), (true, false)] {
            let archive::EntryContent::Page(page) = &mut entry.content else { panic!("a page") };
            page.id = if is_new { "new".into() } else { page.id.clone() };
            page.url = url.clone().filter(|_| has_url);
            let Prepared::Document(document, ..) = maker.make(entry.clone(), None) else { panic!("a document") };
            let found = document.record().tokens == Some(77);
            assert_eq!((found, document.record().page), (is_new && has_url, Some(digest)));
        }
    }
}

#[test]
fn the_documents_of_a_stretch_stay_within_their_memory() {
    let folder = tempdir().expect("a folder");
    let of = |name, len: usize, count| lines(folder.path(), name, (0..count).map(|n| format!("w{n} ").repeat(len)));
    let paths = [of("tiny", 0, 40_000), of("short", 20, 9000), of("long", 100_000, 9), of("longer", 500_000, 5)];
    let config = Config::within(3).expect("k").keep_words(true);
    let mut writer = Writer::create(folder.path().join("db"), &config).expect("a database");
    let maker = Maker::new(writer.settings()).expect("a recipe");
    let located = archive::expand(&paths, Options::default().format).expect("found").located;
    let sources = Sources::look_up(located, Options::default(), false, &mut writer).expect("registered");
    let allowed = Allowed::by(1 << 30, &Options::default().limits);
    let (large, ordinal) = (Budget::new(allowed.large), AtomicU64::new(0));
    let files = Files { sources, allowed, large, stop: &|| false, ordinal };
    let (mut reading, opened, mut order) = (Reading::new(&files), OpenInputs::default(), Order::new(&files, &maker));
    let (mut stretches, mut documents, mut made, mut most) = (0, 0, 0, 0);
    while let Some(task) = reading.next(|| ()) {
        stretches += u64::from(matches!(task, Task::Stretch(_)));
        let done = task.work(&files, &opened, &maker);
        assert!(done.memory() <= DONE_MAX, "{}", done.memory());
        (most, made) = (done.memory().max(most), made + done.documents(3));
        let stored = order.take(done, &mut |piece, _| {
            documents += piece.documents;
            Ok::<(), ()>(())
        });
        assert_eq!(stored, Ok(()));
    }
    assert!(order.is_at_end() && stretches > 20 && most > DONE_MAX / 2, "{stretches} stretches, {most} bytes");
    assert_eq!((documents, made), (49_014, 5), "none of more than 1 MB is read in order");
}
