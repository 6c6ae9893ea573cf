//! Loading archives by the library: the database does not depend on threads, interruptions or repetition.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nddb::archive::{ArchiveError, Options, Reason};
use nddb::ingest::{Event, LoadError, LoadReport, Loader};
use nddb::{CheckOptions, Config, Reader, Stored, View, Writer};

use super::support::{Parent, Random, Worker, folder, say};

/// Writes `len` pages as JSON lines, one in 50 of them cut off, and returns how many those are.
fn write_lines(path: &Path, name: &str, len: u64, random: &mut Random) -> u64 {
    let (mut lines, mut bad) = (String::new(), 0);
    for number in 0..len {
        let words: Vec<String> = (0..5 + random.below(30)).map(|_| format!("word{}", random.below(500))).collect();
        lines +=
            &format!(r#"{{"id":"{name}-{number}","url":"http://{name}.example/{number}","text":"{}""#, words.join(" "));
        let is_bad = random.below(50) == 0;
        bad += u64::from(is_bad);
        lines += if is_bad { "\n" } else { "}\n" };
    }
    std::fs::write(path, lines).expect("written");
    bad
}

/// Writes three archives of 700, 1,000 and 1,300 lines, and returns the number of bad lines.
fn archives(folder: &Path) -> (Vec<PathBuf>, u64) {
    let mut random = Random::seeded("lines");
    let mut bad = 0;
    let paths = [("a", 700), ("b", 1_000), ("c", 1_300)].map(|(name, len)| {
        let path = folder.join(format!("{name}.jsonl"));
        bad += write_lines(&path, name, len, &mut random);
        path
    });
    (paths.to_vec(), bad)
}

fn create(path: &Path) -> Writer {
    Writer::create(path, &Config::within(3).expect("k")).expect("a new database")
}

/// Returns all documents by id, without their numbers.
fn documents(view: &View<'_>) -> Vec<Stored> {
    let mut all = Vec::new();
    let each = view.each(&mut |stored| {
        all.push(Stored { number: 0, ..stored });
        Ok(true)
    });
    each.expect("read");
    all.sort_by(|a, b| a.record.id.cmp(&b.record.id));
    all
}

fn load(writer: &mut Writer, paths: &[PathBuf], threads: usize) -> LoadReport {
    Loader::new(writer).threads(threads).load(paths).expect("loaded")
}

#[test]
fn any_number_of_threads_stores_the_same_and_a_second_load_changes_nothing() {
    let folder = folder();
    let (paths, bad) = archives(folder.path());
    let mut first: Option<Vec<Stored>> = None;
    for threads in [1, 2, 5] {
        let mut writer = create(&folder.path().join(format!("db{threads}")));
        let report = load(&mut writer, &paths, threads);
        assert_eq!((report.loaded.documents, report.skipped()), (3_000 - bad, bad));
        assert_eq!(report.skipped_by_reason.get(&Reason::BadJson), Some(&bad));
        assert_eq!((report.inputs, report.passed_over, report.stopped), (3, 0, false));
        assert_eq!(report.progress.bytes_in, report.progress.size);
        let (loaded, other) = (&report.loaded, report.other.values().sum::<u64>());
        assert_eq!(report.entries, loaded.documents + loaded.unchanged + loaded.repeated + report.skipped() + other);
        let stored = documents(&writer.view());
        assert!(stored.iter().all(|stored| stored.record.source.is_some()));
        assert!(first.get_or_insert_with(|| stored.clone()) == &stored, "{threads} threads");
        let second = load(&mut writer, &paths, threads);
        assert_eq!((second.loaded.documents, second.loaded.unchanged), (0, 3_000 - bad));
        assert!(documents(&writer.view()) == stored, "loaded again");
    }
}

/// A recrawl of which most pages are as they were: what is stored is what a load of a new database would store, also of
/// pages that changed where no text is, that moved, that became plain text, or whose declared character set changed.
#[test]
fn pages_that_have_not_changed_are_stored_as_if_they_were_sketched_again() {
    let folder = folder();
    let mut random = Random::seeded("recrawl");
    let bodies: Vec<String> =
        (0..200).map(|_| (0..random.below(60)).map(|_| format!("w\u{f6}rd{} ", random.below(90))).collect()).collect();
    let write = |name: &str, change: &mut dyn FnMut(usize, &str) -> (u64, String, &'static str)| {
        let mut lines = String::new();
        for (number, body) in bodies.iter().enumerate() {
            let (path, body, key) = change(number, body);
            let id = format!("page {number}");
            let url = format!("http://a.example/{number}/{path}");
            let line = serde_json::json!({"id": id, "url": url, "date": format!("2026-01-0{}", name.len()), key: body});
            lines += &format!("{line}\n");
        }
        let path = folder.path().join(format!("{name}.jsonl"));
        std::fs::write(&path, lines).expect("written");
        path
    };
    let first = write("a", &mut |_, body| (0, format!("<p>{body}"), "html"));
    let second = write("bb", &mut |number, body| match number % 8 {
        0 => (0, format!("<p>{body} more words"), "html"),
        1 => (0, format!("<p><i>{body}</i>"), "html"),
        2 => (1, format!("<p>{body}"), "html"),
        3 => (0, format!("<p>{body}"), "text"),
        _ => (0, format!("<p>{body}"), "html"),
    });
    for keeps_words in [false, true] {
        let create = |name: &str| {
            let config = Config::within(3).expect("k").keep_words(keeps_words);
            Writer::create(folder.path().join(format!("{name}{keeps_words}")), &config).expect("a new database")
        };
        let (mut grown, mut anew) = (create("grown"), create("anew"));
        load(&mut grown, std::slice::from_ref(&first), 2);
        let report = load(&mut grown, std::slice::from_ref(&second), 2);
        assert_eq!((report.loaded.unchanged, report.loaded.documents), (125, 75));
        load(&mut anew, std::slice::from_ref(&second), 2);
        // An unchanged document keeps its date and its place, and the digest of the page that it was made of.
        let content = |stored: Stored| {
            let record = nddb_format::record::Record { date: None, source: None, page: None, ..stored.record };
            Stored { record, ..stored }
        };
        let [grown, anew] = [&grown, &anew].map(|writer| documents(&writer.view()).into_iter().map(content));
        assert!(grown.eq(anew), "keeps words: {keeps_words}");
    }
}

/// What is stored of an unchanged page is not computed again: here it is something else.
#[test]
fn an_unchanged_page_is_not_sketched_again() {
    let folder = folder();
    let path = folder.path().join("page.jsonl");
    std::fs::write(&path, r#"{"id":"a","url":"http://a.example/","text":"some words of a page"}"#).expect("written");
    let mut writer = create(&folder.path().join("db"));
    load(&mut writer, std::slice::from_ref(&path), 1);
    let [stored] = &documents(&writer.view())[..] else { panic!("one document") };
    assert_eq!(stored.record.tokens, Some(5));
    let record = nddb_format::record::Record { tokens: Some(77), ..stored.record.clone() };
    let mut bulk = writer.bulk_load().expect("a load");
    let other = nddb::Document::sketched(nddb::Fingerprint(1), record).expect("a good id");
    bulk.push(other).expect("taken");
    bulk.finish().expect("loaded");
    let report = Loader::new(&mut writer).again(true).load(&[path]).expect("loaded");
    assert_eq!((report.loaded.unchanged, report.loaded.documents), (1, 0));
    assert_eq!(documents(&writer.view())[0].record.tokens, Some(77));
}

#[test]
fn a_load_that_is_stopped_anywhere_goes_on_where_it_was() {
    let folder = folder();
    let (paths, bad) = archives(folder.path());
    let mut whole = create(&folder.path().join("whole"));
    load(&mut whole, &paths, 1);
    let expected = documents(&whole.view());
    let mut random = Random::seeded("stops");
    for threads in [1, 3] {
        let path = folder.path().join(format!("stopped{threads}"));
        let mut writer = create(&path);
        let (mut stored, mut skipped, mut stops) = (0, 0, 0);
        loop {
            let left = std::sync::atomic::AtomicU64::new(random.below(1_200));
            let stop = || {
                let now = std::sync::atomic::Ordering::Relaxed;
                left.fetch_update(now, now, |left| left.checked_sub(1)).is_err()
            };
            let report = Loader::new(&mut writer).threads(threads).stop_when(stop).load(&paths).expect("loaded");
            assert_eq!((report.loaded.unchanged, report.loaded.replaced), (0, 0), "nothing is read twice");
            stored += report.loaded.documents;
            skipped += report.skipped();
            stops += 1;
            if !report.stopped {
                break;
            }
            writer = Writer::open({
                writer.close().expect("closed");
                &path
            })
            .expect("opened");
        }
        assert!(stops > 2, "{stops} stops");
        assert_eq!((stored, skipped), (3_000 - bad, bad), "{threads} threads, {stops} stops");
        let found = documents(&writer.view());
        let without_archive = |stored: &Stored| (stored.record.id.clone(), stored.fingerprint, stored.record.tokens);
        assert!(found.iter().map(without_archive).eq(expected.iter().map(without_archive)));
    }
}

#[test]
fn a_load_that_is_stopped_behind_its_last_document_has_ended() {
    let folder = folder();
    let (paths, bad) = archives(folder.path());
    let now = std::sync::atomic::Ordering::Relaxed;
    let calls = std::sync::atomic::AtomicU64::new(0);
    let load = |name: &str, left: u64| {
        calls.store(0, now);
        let mut writer = create(&folder.path().join(name));
        Loader::new(&mut writer).stop_when(|| calls.fetch_add(1, now) >= left).load(&paths).expect("loaded")
    };
    assert!(!load("whole", u64::MAX).stopped);
    let whole = calls.load(now);
    let mut ended = 0;
    for left in whole - 6..whole {
        let report = load(&format!("left{left}"), left);
        let is_whole = report.loaded.documents + report.skipped() == 3_000 && report.loaded.documents == 3_000 - bad;
        ended += u32::from(is_whole && !report.stopped);
        // What is left is read by the next load; that of a whole one would read everything again.
        assert!(report.stopped || is_whole, "{left} of {whole}");
    }
    assert!(ended > 0, "stopped once behind the last document");
}

#[test]
fn what_cannot_be_read_is_told_and_does_not_stop_the_rest() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.jsonl"), "{\"id\":\"a\",\"text\":\"some words\"}\nno json\n").expect("written");
    std::fs::write(path("b.warc.7z"), b"7z\xbc\xaf\x27\x1c").expect("written");
    std::fs::write(path("c.tsv"), "c\t00000000000000ff\n").expect("written");
    let mut writer = create(&path("db"));
    let (skipped, unreadable, documents) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let report = Loader::new(&mut writer)
        .on_event(|event| match event {
            Event::Skipped(what) => {
                assert_eq!((what.path, what.reason), (&*path("a.jsonl"), Reason::BadJson));
                assert_eq!(what.position.offset, 31);
                skipped.set(skipped.get() + 1);
            }
            Event::Unreadable { path: found, error } => {
                assert_eq!(found, path("b.warc.7z"));
                assert!(matches!(error, ArchiveError::UnsupportedContainer { .. }));
                unreadable.set(unreadable.get() + 1);
            }
            Event::Progress(progress) => documents.set(progress.documents),
            _ => {}
        })
        .load(&[path("a.jsonl"), path("b.warc.7z"), path("c.tsv")])
        .expect("loaded");
    assert_eq!((skipped.get(), unreadable.get(), documents.get()), (1, 1, 2));
    assert_eq!((report.loaded.documents, report.skipped(), report.unreadable.len()), (2, 2, 1));
    assert!(!report.is_failure());
    let nothing = Loader::new(&mut writer).load(&[path("b.warc.7z")]).expect("tried");
    assert!(nothing.is_failure());
    let missing = Loader::new(&mut writer).load(&[path("a.jsonl"), path("none")]);
    assert!(matches!(missing, Err(LoadError::Archive(ArchiveError::Io { .. }))));
}

#[test]
fn a_pending_batch_reads_all_and_keeps_no_progress() {
    let folder = folder();
    let (paths, bad) = archives(folder.path());
    let mut writer = create(&folder.path().join("db"));
    load(&mut writer, &paths[..1], 1);
    writer.label("may", true).expect("a new batch");
    let report = load(&mut writer, &paths, 2);
    assert_eq!((report.passed_over, report.progress.documents), (0, 3_000 - bad));
    writer.cancel_batch("may").expect("cancelled");
    let mut writer = Writer::open({
        writer.close().expect("closed");
        folder.path().join("db")
    })
    .expect("opened");
    let report = Loader::new(&mut writer).options(Options::default()).load(&paths).expect("loaded");
    assert_eq!((report.passed_over, report.loaded.replaced), (0, 0));
    assert_eq!(documents(&writer.view()).len() as u64, 3_000 - bad);
}

/// Number of documents of an archive that is loaded in several chunks under the least memory limit.
const MANY: u64 = 30_000;
/// Number of loads that are killed.
const KILLS: u64 = 10;
/// Entries read together: this many are read again where a chunk ends among them.
const PIECE: u64 = 256;

/// A worker that loads an archive into a database; it is killed meanwhile, unless it reports that it is done.
pub(crate) fn load_until_killed(mut parent: Parent) {
    let (archive, path) = (parent.answer(), parent.answer());
    let mut writer = Writer::open(path).expect("opened without repair");
    writer.set_memory_limit(0);
    parent.tell("opened");
    Loader::new(&mut writer).threads(2).load(&[archive]).expect("loaded");
    writer.close().expect("closed");
    parent.tell("done");
}

#[test]
fn a_load_killed_at_any_moment_keeps_whole_chunks_and_goes_on_behind_them() {
    let mut random = Random::seeded("killed loads");
    let folder = folder();
    let (archive, path) = (folder.path().join("many.jsonl"), folder.path().join("db"));
    let bad = write_lines(&archive, "many", MANY, &mut random);
    let expected = MANY - bad;
    // The duration of a load tells when to kill one.
    create(&folder.path().join("whole")).close().expect("closed");
    let begun = Instant::now();
    let arguments = |path: &Path| [archive.to_string_lossy().into_owned(), path.to_string_lossy().into_owned()];
    let start = |path: &Path| {
        let [archive, path] = arguments(path);
        let mut worker = Worker::start("is killed while it loads", &[&archive, &path]);
        assert_eq!(worker.answer(), "opened");
        worker
    };
    start(&folder.path().join("whole")).finish();
    let whole = begun.elapsed();
    create(&path).close().expect("closed");
    let (mut kept, mut partial, mut kill) = (0, 0, 0);
    while kill < KILLS || partial == 0 && kill < 6 * KILLS {
        let mut worker = start(&path);
        // Longer in later rounds, if none has met a chunk: the machine may be busier than when the load was timed.
        let round = 1 + kill / KILLS;
        std::thread::sleep(whole.mul_f64(random.below(1000 * round) as f64 / 1500.0));
        worker.kill();
        let done = worker.hear().is_some();
        let report = nddb::check(&path, &CheckOptions::default(), &mut |_| true).expect("checked");
        assert!(report.is_sound(), "kill {kill}: {report:#?}");
        let reader = Reader::open(&path).expect("opened");
        let now = reader.view().stats().expect("counted").documents;
        assert!(now >= kept && now <= expected, "kill {kill}: {kept} documents were kept, and {now} are there");
        kept = now;
        partial += u64::from(now > 0 && now < expected);
        if done || now == expected {
            create_anew(&path);
            kept = 0;
        }
        kill += 1;
    }
    let mut writer = Writer::open(&path).expect("opened");
    writer.set_memory_limit(0);
    let report = Loader::new(&mut writer).load(&[&archive]).expect("loaded");
    assert_eq!(report.loaded.documents, expected - kept);
    assert!(report.loaded.unchanged <= PIECE, "{} documents were read again", report.loaded.unchanged);
    let stored = documents(&writer.view());
    assert_eq!(stored.len() as u64, expected);
    say(&format!("{kill} loads killed in {:?}, {partial} of them with some chunks kept", begun.elapsed()));
    assert!(partial > 0 || whole < Duration::from_millis(500), "no kill has met a load between two chunks");
}

fn create_anew(path: &Path) {
    std::fs::remove_dir_all(path).expect("removed");
    create(path).close().expect("closed");
}
