//! Refusals: each by a named error, with nothing changed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use nddb::detect::document_of_page;
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::{Document, Fingerprint, Verify};
use nddb_index::testing::observe_storage;

use super::*;

#[test]
fn what_is_no_database_is_refused_and_left_alone() {
    let folder = folder();
    let (file, empty) = (folder.path().join("file"), folder.path().join("empty"));
    std::fs::write(&file, "text").expect("written");
    std::fs::create_dir(&empty).expect("made");
    for (path, why) in [
        (folder.path().join("nothing"), "no such file or directory"),
        (file.clone(), "it is a file"),
        (empty.clone(), "has no MANIFEST"),
        (file.join("below"), ""),
    ] {
        for error in
            [Reader::open(&path).err(), Writer::open(&path).err(), Reader::open_with(&path, Verify::Always).err()]
        {
            let error = error.expect("refused");
            let text = error.to_string();
            assert!(text.contains(why) && text.contains(&*path.to_string_lossy()), "{text}");
            assert!(why.is_empty() || matches!(error, Error::NotADatabase { .. }), "{error:?}");
            let next = if path == file { "folder of a database" } else { "create" };
            assert!(
                why.is_empty() || error.next_step().is_some_and(|step| step.to_string().contains(next)),
                "{error:?}"
            );
        }
    }
    assert_eq!(std::fs::read(&file).expect("readable"), b"text");
    assert_eq!(listing(&empty), []);
    assert_eq!(listing(folder.path()).len(), 2);
}

#[test]
fn nothing_is_made_where_something_is() {
    let folder = folder();
    let (file, full, database) = (folder.path().join("file"), folder.path().join("full"), folder.path().join("db"));
    std::fs::write(&file, "text").expect("written");
    std::fs::create_dir(&full).expect("made");
    std::fs::write(full.join("file"), "text").expect("written");
    let mut writer = create(&database);
    writer.insert(bare("a", 1)).expect("inserted");
    writer.close().expect("closed");
    let before = listing(folder.path());
    for path in [&file, &full, &database] {
        match Writer::create(path, &Config::within(3).expect("k")) {
            Err(Error::AlreadyExists { path: named }) => assert_eq!(&named, path),
            other => panic!("{}: {other:?}", path.display()),
        }
    }
    let error = Writer::create(folder.path().join("no/such/folder"), &Config::within(3).expect("k")).err();
    assert!(matches!(error, Some(Error::Io { .. })), "{error:?}");
    assert_eq!(listing(folder.path()), before);
}

#[test]
fn a_database_that_another_has_made_meanwhile_at_the_same_path_is_left_alone() {
    for (at, keeps_open) in [("create the folder", false), ("lock the file", false), ("lock the file", true)] {
        let folder = folder();
        let path = folder.path().join("db");
        let (others, winner) = (path.clone(), Arc::new(Mutex::new(None)));
        let (is_first, kept) = (AtomicBool::new(true), winner.clone());
        // At this step of the one, the other does all of its own.
        let observer = observe_storage(folder.path(), move |action, _| {
            if action == at && is_first.swap(false, Ordering::Relaxed) {
                let mut writer = create(&others);
                writer.insert(bare("winner", 7)).expect("inserted");
                writer.commit().expect("committed");
                *kept.lock().expect("whole") = keeps_open.then_some(writer);
            }
            Ok(())
        });
        let error = Writer::create(&path, &Config::within(3).expect("k")).err();
        drop(observer);
        match error {
            Some(Error::AlreadyExists { path: named }) => assert_eq!(named, path),
            Some(Error::Locked { .. }) => assert!(keeps_open),
            other => panic!("at '{at}': {other:?}"),
        }
        assert!(Reader::open(&path).expect("a database").view().get("winner").expect("read").is_some());
        if let Some(writer) = winner.lock().expect("whole").take() {
            writer.close().expect("closed");
        }
        let report = nddb::check(&path, &nddb::CheckOptions::default(), &mut |_| true).expect("checked");
        assert!(report.is_sound(), "{report:#?}");
    }
}

#[test]
fn of_many_that_create_a_database_at_once_one_does_and_keeps_it() {
    for round in 0..12 {
        let folder = folder();
        let path = folder.path().join("db");
        let created = std::thread::scope(|scope| {
            let create = |id| {
                let mut writer = Writer::create(&path, &Config::within(3).expect("k"))?;
                writer.insert(bare(id, 7))?;
                writer.close().map(|()| id)
            };
            let threads = ["a", "b", "c"].map(|id| scope.spawn(move || create(id)));
            threads.map(|thread| thread.join().expect("no panic"))
        });
        let winners: Vec<&str> = created.iter().filter_map(|outcome| outcome.as_ref().ok().copied()).collect();
        let [winner] = winners[..] else { panic!("round {round}: {created:?}") };
        for error in created.iter().filter_map(|outcome| outcome.as_ref().err()) {
            assert!(matches!(error, Error::AlreadyExists { .. } | Error::Locked { .. }), "round {round}: {error:?}");
        }
        let reader = Reader::open(&path).expect("a database");
        assert!(reader.view().get(winner).expect("read").is_some(), "round {round}: {winner}'s document is lost");
    }
}

#[test]
fn a_manifest_of_a_newer_format_asks_for_the_newer_nddb() {
    let folder = folder();
    let path = folder.path().join("db");
    create(&path).close().expect("closed");
    let manifest = path.join("MANIFEST");
    let mut bytes = std::fs::read(&manifest).expect("readable");
    for field in [nddb_format::fields::FORMAT_VERSION, nddb_format::fields::READER_MIN] {
        let value: u16 = 999;
        bytes[field.offset..field.offset + 2].copy_from_slice(&value.to_le_bytes());
    }
    let body = bytes.len() - 4;
    let checksum = crc32fast::hash(&bytes[..body]);
    bytes[body..].copy_from_slice(&checksum.to_le_bytes());
    std::fs::write(&manifest, &bytes).expect("written");
    for error in [Reader::open(&path).err(), Writer::open(&path).err()] {
        let error = error.expect("refused");
        assert!(matches!(error, Error::Newer { .. }), "{error:?}");
        assert!(error.next_step().is_some_and(|step| step.to_string().contains("newer")), "{error:?}");
    }
    assert_eq!(std::fs::read(&manifest).expect("readable"), bytes);
}

#[test]
fn parameters_out_of_range_are_refused() {
    let out_of_range = |outcome: nddb::Result<Config>, what: &str| match outcome {
        Err(Error::OutOfRange { what: named, .. }) => assert!(named.contains(what), "{named}"),
        other => panic!("{what}: {other:?}"),
    };
    let within = |k| Config::within(k).expect("k");
    out_of_range(Config::within(8), "k");
    out_of_range(Config::within(255), "k");
    for bits in [0, 7, 65, 255] {
        out_of_range(within(3).bits(bits), "width");
    }
    out_of_range(within(3).levels(&[3]), "bit groups");
    out_of_range(within(3).levels(&[5, 5, 5, 5, 5]), "bit groups");
    out_of_range(within(3).bits(8).and_then(|config| config.levels(&[9])), "bit groups");
    out_of_range(within(3).restart(1), "restart");
    out_of_range(within(3).restart(4097), "restart");
}

#[test]
fn queries_and_documents_that_the_database_cannot_hold_are_refused_and_do_no_harm() {
    let folder = folder();
    let path = folder.path().join("db");
    let config = Config::within(2).and_then(|config| config.bits(20)).expect("in range");
    let mut writer = Writer::create(&path, &config).expect("created");
    writer.insert(bare("a", 0xf_ffff)).expect("inserted");
    let is_refused = |error: Option<Error>, what: &str, limit: u64| match error {
        Some(Error::OutOfRange { what: named, limit: most, .. }) => assert_eq!((named, most), (what, limit)),
        other => panic!("{what}: {other:?}"),
    };
    is_refused(writer.insert(bare("b", 0x10_0000)).err(), "the fingerprint", 0xf_ffff);
    is_refused(writer.insert(bare("a", u64::MAX)).err(), "the fingerprint", 0xf_ffff);
    is_refused(hamming(1).insert_if_new(&mut writer, bare("b", 1 << 63)).err(), "the fingerprint", 0xf_ffff);
    is_refused(hamming(3).insert_if_new(&mut writer, bare("b", 1)).err(), "k", 2);
    writer.commit().expect("what was refused did no harm");
    let mut load = writer.bulk_load().expect("a load begins");
    is_refused(load.push(bare("c", 0x10_0000)).err(), "the fingerprint", 0xf_ffff);
    load.push(bare("d", 0x1_0000)).expect("taken");
    assert_eq!(load.finish().expect("loaded").documents, 1);
    let reader = Reader::open(&path).expect("opened");
    for view in [reader.view(), writer.view()] {
        is_refused(view.find(&[Fingerprint(0)], Within(17)).err(), "k", 16);
        is_refused(view.probe(&[Fingerprint(0), Fingerprint(1 << 20)], Within(0)).err(), "the fingerprint", 0xf_ffff);
        assert_eq!(view.find(&[Fingerprint(0xf_ffff)], Within(2)).expect("answered")[0].count, 1);
        assert_eq!(view.get("b").expect("answered"), None);
    }
}

#[test]
fn ids_are_one_to_4096_bytes_without_nul_or_numbers() {
    let folder = folder();
    let path = folder.path().join("db");
    let long = "é".repeat(2048);
    for id in ["", "a\0b", "\0", "\u{1}", "\u{1}x", "\u{1}07", &format!("{long}x"), &"y".repeat(1 << 20)] {
        match Document::bare(id, Fingerprint(1)) {
            Err(Error::Document { id: named, .. }) => assert!(named.len() <= 400, "messages are short"),
            other => panic!("{other:?}"),
        }
        let recipe = Recipe::default();
        assert!(document_of_page(id, &Page::text("some words of a page"), &recipe).is_err());
    }
    let good = [long.as_str(), "a", "a\u{1}", "a\u{1}\u{1}", "ab", "7", "\u{1}7", "😀", "a b\tc\n", "\u{7f}", "ÿ"];
    let mut writer = create(&path);
    for (id, fingerprint) in good.iter().zip(0..) {
        assert_eq!(writer.insert(bare(id, fingerprint << 32)).expect("inserted"), Outcome::New, "{id:?}");
    }
    writer.commit().expect("committed");
    let assert_all = |writer: &Writer| {
        for (id, fingerprint) in good.iter().zip(0..) {
            let stored = writer.view().get(id).expect("answered").expect("stored");
            assert_eq!((stored.record.id.as_str(), stored.fingerprint.0), (*id, fingerprint << 32));
        }
        assert_eq!(writer.view().get("a\u{1}\u{1}\u{1}").expect("answered"), None);
    };
    assert_all(&writer);
    writer.flush().expect("flushed");
    writer.close().expect("closed");
    let mut writer = Writer::open(&path).expect("opened");
    assert_all(&writer);
    assert!(writer.delete("a\u{1}").expect("deleted"));
    assert!(!writer.delete("a\u{1}").expect("it is deleted already"));
    writer.commit().expect("committed");
    assert_eq!(writer.view().get("a\u{1}").expect("answered"), None);
    assert!(writer.view().get("a").expect("answered").is_some());
}

/// The summaries of 14 documents must have less than 4 GiB together: no run could be made of what is stored already.
#[test]
fn addresses_that_are_too_long_for_a_run_are_refused_before_they_are_stored() {
    let folder = folder();
    let mut writer = create(&folder.path().join("db"));
    let longest = "u".repeat(64 << 20);
    let stored = bare("a", 1).with_url(&longest, Some("site.example".into()));
    assert_eq!(writer.insert(stored).expect("inserted"), Outcome::New);
    let longer = longest + "u";
    for refused in [bare("b", 2).with_url(&longer, None), bare("b", 2).with_url("u", Some(longer.clone()))] {
        let error = writer.insert(refused.clone()).expect_err("refused");
        assert!(matches!(&error, Error::Document { id, .. } if id == "b"), "{error:?}");
        assert!(error.to_string().contains("67108865 bytes"), "{error}");
        let mut load = writer.bulk_load().expect("a load begins");
        assert!(matches!(load.push(refused), Err(Error::Document { .. })));
        load.push(bare("c", 3)).expect("the load goes on");
        load.finish().expect("loaded");
    }
    writer.flush().expect("flushed");
    assert_eq!(writer.view().stats().expect("counted").documents, 2);
    assert_eq!(
        writer.view().get("a").expect("answered").and_then(|a| a.record.url).map(|url| url.len()),
        Some(64 << 20)
    );
}

#[test]
fn recipes_of_another_name_or_version_are_refused() {
    assert!(Recipe::from_label("web/1").is_ok());
    for label in ["", "web", "web/", "web/0", "web/2", "Web/1", "web/1 ", "tomorrow/1", "web/1/1", "web/-1"] {
        let error = Recipe::from_label(label).err().unwrap_or_else(|| panic!("{label:?} is taken"));
        assert!(!error.to_string().is_empty());
    }
}
