//! Damage of any kind: the check names the file, and no query is answered wrongly.

use std::fs;
use std::path::Path;

use nddb::{CheckOptions, Config, Error, Fingerprint, Reader, Within, Writer};

use super::damage::{
    assert_blamed, assert_sound, bare, check, copy_folder, cut, flip, postings, sample, segment, swap,
};
use super::support::{Random, say};

#[test]
fn a_sound_database_has_no_faults_also_beside_its_writer_and_after_a_compaction() {
    let sample = sample();
    let report = assert_sound(&sample.path);
    // Four tables, postings, the files of a key table and summaries each.
    assert_eq!((report.runs, report.files), (2, 16));
    assert!(report.documents > 2000 && report.rows > 3 * report.documents && report.matches > 100);
    let mut writer = Writer::open(&sample.path).expect("opened");
    writer.insert(bare("new", 5)).expect("taken");
    writer.commit().expect("committed");
    assert_eq!(assert_sound(&sample.path).documents, report.documents + 1);
    writer.commit_batch("held 0").expect("committed");
    assert_sound(&sample.path);
    writer.cancel_batch("held 1").expect("cancelled");
    assert_sound(&sample.path);
    writer.flush().expect("flushed");
    let plan = writer.plan_full_compaction().expect("something to do");
    writer.compact(&plan).expect("compacted");
    let beside = nddb::check(&sample.path, &CheckOptions::default(), &mut |_| true).expect("a report");
    assert!(beside.is_sound(), "{:?}", beside.faults);
    assert!(beside.notes.iter().any(|note| note.contains("no manifest names it")), "files wait for readers");
    writer.close().expect("closed");
    let report = assert_sound(&sample.path);
    assert_eq!((report.runs, report.notes.len()), (1, 0));
}

#[test]
fn an_empty_database_is_sound_and_a_folder_without_one_is_no_database() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("db");
    let writer = Writer::create(&path, &Config::within(3).expect("k")).expect("a new database");
    let options = CheckOptions { sample_recall: Some(10), ..CheckOptions::default() };
    let report = nddb::check(&path, &options, &mut |_| true).expect("a report");
    assert!(report.is_sound() && report.queries == Some(0), "{report:?}");
    drop(writer);
    let outcome = nddb::check(folder.path(), &options, &mut |_| true);
    assert!(matches!(outcome, Err(Error::NotADatabase { .. })), "{outcome:?}");
}

#[test]
fn a_check_stops_when_it_is_told_to() {
    let sample = sample();
    let options = CheckOptions { sample_recall: Some(50), ..CheckOptions::default() };
    let mut calls = 0u32;
    nddb::check(&sample.path, &options, &mut |_| {
        calls += 1;
        true
    })
    .expect("a report");
    assert!(calls > 20, "{calls} reports of progress");
    for stop_at in 1..calls {
        let mut call = 0;
        let outcome = nddb::check(&sample.path, &options, &mut |_| {
            call += 1;
            call < stop_at
        });
        assert!(matches!(outcome, Err(Error::Cancelled)), "stopped at call {stop_at}: {outcome:?}");
    }
}

/// Offsets in each region of a file of `size` bytes: both ends, and some random ones.
fn offsets(random: &mut Random, size: usize) -> Vec<usize> {
    let mut offsets = vec![0, 9, 40, 100, 255, 256, 1023, 1024, 1030, 2047];
    offsets.extend([1, 5, 20, 28, 36, 60].map(|back| size - back));
    offsets.extend((0..10).map(|_| random.below(size as u64) as usize));
    offsets.retain(|&offset| offset < size);
    offsets
}

#[test]
fn any_flipped_bit_of_a_run_file_is_found_and_gives_no_wrong_answer() {
    let mut random = Random::seeded("flipped bits");
    let sample = sample();
    let (_folder, path) = sample.copy();
    for file in
        [segment(&path, 0, 0), segment(&path, 0, 3), segment(&path, 1, 1), postings(&path, 0), postings(&path, 1)]
    {
        let sound = fs::read(&file).expect("readable");
        for offset in offsets(&mut random, sound.len()) {
            let bit = random.below(8) as u8;
            let what = format!("bit {bit} of byte {offset} of {} in {}", sound.len(), file.display());
            flip(&file, offset, bit);
            assert_blamed(&check(&path), &file, &what);
            sample.never_wrong(&path, &what);
            fs::write(&file, &sound).expect("mended");
        }
    }
    assert_sound(&path);
}

#[test]
fn files_that_are_missing_cut_longer_or_empty_are_found() {
    let sample = sample();
    let (_folder, path) = sample.copy();
    for file in [segment(&path, 0, 0), segment(&path, 1, 2), postings(&path, 0)] {
        let sound = fs::read(&file).expect("readable");
        for length in [0, 1, 255, 1024, sound.len() / 2, sound.len() - 1, sound.len() + 1] {
            let what = format!("{} of {} bytes of {}", length, sound.len(), file.display());
            cut(&file, length as u64);
            assert_blamed(&check(&path), &file, &what);
            assert!(!sample.never_wrong(&path, &what), "{what}: opened");
            fs::write(&file, &sound).expect("mended");
        }
        fs::remove_file(&file).expect("removed");
        assert_blamed(&check(&path), &file, "a missing file");
        assert!(!sample.never_wrong(&path, "a missing file"));
        fs::write(&file, &sound).expect("mended");
    }
    assert_sound(&path);
}

#[test]
fn all_damage_is_listed_not_only_the_first() {
    let sample = sample();
    let (_folder, path) = sample.copy();
    let files = [segment(&path, 0, 1), segment(&path, 1, 0), postings(&path, 1), segment(&path, 1, 3)];
    cut(&files[0], 700);
    fs::remove_file(&files[1]).expect("removed");
    flip(&files[2], 300, 2);
    flip(&files[3], 3000, 2);
    let report = check(&path);
    for file in &files {
        assert_blamed(&report, file, "one of many");
    }
    assert!(
        report.faults.iter().any(|fault| fault.path == files[3] && fault.location == "block 1"),
        "{:?}",
        report.faults
    );
    let shown = report.faults[0].to_string();
    assert!(shown.contains("runs/") && shown.contains("a rebuild of "), "{shown}");
}

#[test]
fn files_and_blocks_in_the_wrong_place_are_found() {
    let sample = sample();
    type Files = fn(&Path) -> [std::path::PathBuf; 2];
    let swaps: [(&str, Files); 4] = [
        ("two tables of a run", |path| [segment(path, 0, 1), segment(path, 0, 2)]),
        ("the same table of two runs", |path| [segment(path, 0, 1), segment(path, 1, 1)]),
        ("the postings of two runs", |path| [postings(path, 0), postings(path, 1)]),
        ("a segment and postings", |path| [segment(path, 0, 0), postings(path, 0)]),
    ];
    for (what, files) in swaps {
        let (_folder, path) = sample.copy();
        let [a, b] = files(&path);
        swap(&a, &b);
        let report = check(&path);
        assert_blamed(&report, &a, what);
        assert_blamed(&report, &b, what);
        sample.never_wrong(&path, what);
    }
    let (_folder, path) = sample.copy();
    let file = segment(&path, 0, 0);
    let mut bytes = fs::read(&file).expect("readable");
    let (first, second) = bytes[1024..3072].split_at_mut(1024);
    first.swap_with_slice(second);
    fs::write(&file, bytes).expect("writable");
    let report = check(&path);
    assert_blamed(&report, &file, "two blocks of a segment");
    let locations: Vec<&str> = report.faults.iter().map(|fault| &fault.location[..]).collect();
    assert!(locations.contains(&"block 0") && locations.contains(&"block 1"), "{locations:?}");
    sample.never_wrong(&path, "two blocks of a segment");
}

#[test]
fn the_files_of_an_older_state_are_found() {
    let sample = sample();
    let (_folder, path) = sample.copy();
    let mut writer = Writer::open(&path).expect("opened");
    let older = segment(&path, 0, 0);
    let older = (older.clone(), fs::read(&older).expect("readable"));
    writer.insert(bare("more", 77)).expect("taken");
    writer.flush().expect("flushed");
    let plan = writer.plan_full_compaction().expect("something to do");
    writer.compact(&plan).expect("compacted");
    writer.close().expect("closed");
    let file = segment(&path, 0, 0);
    fs::write(&file, &older.1).expect("writable");
    assert_blamed(&check(&path), &file, "a segment of an older run");
    assert!(Reader::open(&path).is_err());
}

#[test]
fn a_manifest_that_is_damaged_missing_or_of_another_database_is_found() {
    let mut random = Random::seeded("damaged manifests");
    let sample = sample();
    let (_folder, path) = sample.copy();
    let file = path.join("MANIFEST");
    let sound = fs::read(&file).expect("readable");
    for _ in 0..20 {
        let (offset, bit) = (random.below(sound.len() as u64) as usize, random.below(8) as u8);
        flip(&file, offset, bit);
        let what = format!("bit {bit} of byte {offset} of MANIFEST");
        match nddb::check(&path, &CheckOptions::default(), &mut |_| true) {
            Ok(report) => assert_blamed(&report, &file, &what),
            Err(error) => assert!(matches!(error, Error::Newer { .. }), "{what}: {error}"),
        }
        assert!(!sample.never_wrong(&path, &what), "{what}: opened");
        fs::write(&file, &sound).expect("mended");
    }
    fs::remove_file(&file).expect("removed");
    assert_blamed(&check(&path), &file, "a missing manifest");
    let other = tempfile::tempdir().expect("a folder");
    let other = other.path().join("db");
    drop(Writer::create(&other, &Config::within(3).expect("k")).expect("a new database"));
    fs::copy(other.join("MANIFEST"), &file).expect("copied");
    let report = check(&path);
    assert_blamed(&report, &path.join("catalog"), "another database's manifest");
    assert!(report.faults.iter().any(|fault| fault.what.contains("do not belong together")), "{:?}", report.faults);
}

#[test]
fn damage_of_the_catalog_is_found_or_does_no_harm() {
    let mut random = Random::seeded("damaged catalogs");
    let sample = sample();
    let catalog = sample.path.join("catalog");
    let mut found = 0;
    let mut flips = 0;
    for entry in fs::read_dir(&catalog).expect("a folder") {
        let name = entry.expect("an entry").file_name();
        let size = fs::metadata(catalog.join(&name)).expect("a file").len() as usize;
        let shown = name.to_string_lossy().into_owned();
        if size == 0 || shown.starts_with("LOG") || shown == "LOCK" {
            continue;
        }
        for _ in 0..4 {
            let (_folder, path) = sample.copy();
            let (offset, bit) = (random.below(size as u64) as usize, random.below(8) as u8);
            let what = format!("bit {bit} of byte {offset} of {size} in {shown}");
            flip(&path.join("catalog").join(&name), offset, bit);
            flips += 1;
            match nddb::check(&path, &CheckOptions::default(), &mut |_| true) {
                Ok(report) if report.is_sound() => {
                    assert!(sample.never_wrong(&path, &what), "{what}: no fault and no answer")
                }
                Ok(report) => {
                    assert_blamed(&report, &path.join("catalog"), &what);
                    found += 1;
                }
                Err(error) => assert!(matches!(error, Error::Newer { .. }), "{what}: {error}"),
            }
            sample.never_wrong(&path, &what);
        }
    }
    say(&format!("{found} of {flips} flipped bits of the catalog are faults"));
    assert!(found > 0);
    let (_folder, path) = sample.copy();
    fs::remove_dir_all(path.join("catalog")).expect("removed");
    assert_blamed(&check(&path), &path.join("catalog"), "no catalog");
}

#[test]
fn a_log_of_the_catalog_that_would_be_read_without_end_is_refused() {
    let sample = sample();
    let is_log = |name: &str| name.ends_with(".log") || name.starts_with("MANIFEST");
    let names = fs::read_dir(sample.path.join("catalog")).expect("a folder");
    let names = names.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"));
    let mut refused = 0;
    for name in names.filter(|name| is_log(name)) {
        let (_folder, path) = sample.copy();
        let log = path.join("catalog").join(&name);
        let bytes = fs::read(&log).expect("a log");
        let [.., low, high, _] = bytes[..bytes.len().min(7)] else { continue };
        let second = 7 + usize::from(u16::from_le_bytes([low, high]));
        if bytes.len() < second + 7 {
            continue;
        }
        // The kind of the second record becomes that of a reused log.
        flip(&log, second + 6, 2);
        assert_blamed(&check(&path), &path.join("catalog"), &name);
        let errors = [Reader::open(&path).err(), Writer::open(&path).err()];
        for error in errors.map(|error| error.expect("refused")) {
            assert!(matches!(error, Error::Catalog { damaged: true, .. }), "{error:?}");
            let source = std::error::Error::source(&error).expect("a reason").to_string();
            assert!(source.contains(&format!("{name} is damaged at byte {second}")), "{source}");
        }
        refused += 1;
    }
    assert!(refused > 1, "{refused}");
}

#[test]
fn a_lost_sorted_file_of_the_catalog_is_an_error_and_no_document_that_never_was() {
    let sample = sample();
    let (_folder, path) = sample.copy();
    Writer::open(&path).expect("opened").close().expect("closed");
    let catalog = path.join("catalog");
    let is_sorted = |file: &std::path::PathBuf| file.extension().is_some_and(|end| end == "sst");
    let files = fs::read_dir(&catalog).expect("a folder").map(|file| file.expect("a file").path()).filter(is_sorted);
    let files: Vec<_> = files.collect();
    assert!(files.len() > 3, "{files:?}");
    for file in files {
        let bytes = fs::read(&file).expect("a file");
        fs::remove_file(&file).expect("removed");
        let error = Reader::open(&path).expect_err("a file is lost");
        let (Error::Missing { path: named } | Error::Catalog { damaged: true, path: named, .. }) = &error else {
            panic!("{file:?}: {error:?}");
        };
        assert!(named.starts_with(&catalog), "{file:?}: {error:?}");
        assert!(!check(&path).is_sound(), "{file:?}");
        assert!(Writer::open(&path).is_err(), "{file:?}");
        fs::write(&file, bytes).expect("written");
    }
    assert_sound(&path);
}

#[test]
fn a_catalog_that_lost_commits_is_found() {
    let sample = sample();
    let (_folder, path) = sample.copy();
    let older = tempfile::tempdir().expect("a folder");
    copy_folder(&path.join("catalog"), older.path());
    let mut writer = Writer::open(&path).expect("opened");
    writer.insert(bare("lost", 99)).expect("taken");
    writer.commit().expect("committed");
    writer.flush().expect("flushed");
    writer.close().expect("closed");
    fs::remove_dir_all(path.join("catalog")).expect("removed");
    copy_folder(older.path(), &path.join("catalog"));
    let report = check(&path);
    assert_blamed(&report, &path.join("catalog"), "lost commits");
    assert!(report.faults.iter().any(|fault| fault.what.contains("has lost commits")), "{:?}", report.faults);
    assert!(
        report.faults.iter().any(|fault| fault.what.contains("the catalog does not know it")),
        "{:?}",
        report.faults
    );
}

#[test]
fn a_file_cut_under_a_reader_gives_an_error_and_no_crash() {
    let sample = sample();
    for (what, file) in
        [("segment", segment as fn(&Path, usize, usize) -> _), ("postings", |path, run, _| postings(path, run))]
    {
        let (_folder, path) = sample.copy();
        let reader = Reader::open(&path).expect("opened");
        cut(&file(&path, 0, 0), 0);
        let outcomes: Vec<bool> = sample.queries.iter().map(|&query| reader.probe(query, Within(3)).is_ok()).collect();
        assert!(outcomes.iter().any(|sound| !sound), "{what}: no query met the damage");
        let error = sample.queries.iter().find_map(|&query| reader.probe(query, Within(3)).err()).expect("an error");
        assert!(error.to_string().contains("runs/"), "{error}");
        assert!(reader.view().get("0/1").is_ok(), "the catalog is as it was");
    }
}

#[test]
fn stats_count_what_is_there() {
    let sample = sample();
    let reader = Reader::open(&sample.path).expect("opened");
    let stats = reader.view().stats().expect("stats");
    assert_eq!(stats.documents + stats.pending, check(&sample.path).documents);
    assert_eq!((stats.pending, stats.runs.len(), stats.schemes.len(), stats.k, stats.bits), (54, 2, 1, 3, 64));
    assert!(stats.deleted > 20 && stats.memtable_documents > 20, "{} {}", stats.deleted, stats.memtable_documents);
    let in_runs: u64 = stats.runs.iter().map(|run| run.fingerprints).sum();
    assert_eq!(stats.fingerprints, in_runs + stats.memtable_fingerprints);
    assert!(in_runs < stats.runs.iter().map(|run| run.documents).sum());
    assert_eq!((stats.schemes[0].tables, &stats.schemes[0].levels[..], stats.schemes[0].runs), (4, &[4][..], 2));
    assert!(stats.schemes[0].bits_per_fingerprint.iter().all(|&bits| bits > 40.0 && bits < 100.0), "{stats:?}");
    let on_disk = |end: &str| -> u64 {
        let files = fs::read_dir(sample.path.join("runs")).expect("a folder").map(|entry| entry.expect("an entry"));
        let files = files.filter(|entry| entry.file_name().to_string_lossy().ends_with(end));
        files.map(|entry| entry.metadata().expect("a file").len()).sum()
    };
    let sizes = &stats.bytes;
    assert!(sizes.keys > 4_000, "{}", sizes.keys);
    assert_eq!(sizes.segments + sizes.postings + sizes.keys, on_disk(".seg") + on_disk(".post"));
    assert_eq!(stats.bytes.manifest, fs::metadata(sample.path.join("MANIFEST")).expect("a file").len());
    assert!(stats.bytes.catalog > 10_000 && stats.bytes.total() > stats.bytes.catalog);
    let in_runs = stats.runs.iter().map(|run| run.bytes).sum::<u64>();
    assert_eq!(sizes.summaries, on_disk(".sum"));
    assert_eq!(in_runs, sizes.segments + sizes.postings + sizes.keys + sizes.summaries);
    assert_eq!((stats.recipe.as_str(), stats.format), ("main/1", 1));
    let found = reader.view().find(&[Fingerprint(0xfeed_f00d)], Within(0));
    assert!(found.expect("an answer")[0].count > 300);
}

#[test]
fn a_check_in_the_midst_of_loads_flushes_and_compactions_finds_no_fault() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("db");
    let config = Config::within(3).and_then(|config| config.levels(&[4])).expect("a scheme");
    let mut writer = Writer::create(&path, &config).expect("a new database");
    let checked = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
    let (beside, count) = (path.clone(), checked.clone());
    writer.watch(Box::new(move |progress| {
        let report = check(&beside);
        assert!(report.is_sound(), "in the midst of '{}': {:?}", progress.phase, report.faults);
        count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        true
    }));
    let mut random = Random::fixed(3);
    for round in 0..3u64 {
        writer.label(&format!("batch {}", round % 2), round % 2 == 1).expect("a batch");
        let mut load = writer.bulk_load().expect("a load");
        for index in 0..2000 {
            load.push(bare(&(index * (round + 1)).to_string(), random.next())).expect("taken");
        }
        load.finish().expect("loaded");
        for index in 0..50 {
            writer.delete(&(index * 3).to_string()).expect("deleted");
        }
        writer.commit().expect("committed");
        let plan = writer.plan_full_compaction().expect("something to do");
        writer.compact(&plan).expect("compacted");
    }
    assert!(checked.load(std::sync::atomic::Ordering::Relaxed) > 20, "{checked:?} checks");
    writer.close().expect("closed");
    assert_sound(&path);
}

#[test]
fn a_load_that_was_stopped_stays_out_of_the_pending_batch_it_was_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("db");
    let mut writer = Writer::create(&path, &Config::within(3).expect("k")).expect("a new database");
    writer.label("held", true).expect("a pending batch");
    for stop in [true, false] {
        writer.watch(Box::new(move |progress| !(stop && progress.phase == "write run")));
        let mut load = writer.bulk_load().expect("a load");
        for index in 0..100u64 {
            load.push(bare(&index.to_string(), index << 30)).expect("taken");
        }
        assert_eq!(load.finish().is_err(), stop);
        assert!(check(&path).is_sound());
    }
    assert_eq!(writer.commit_batch("held").expect("committed"), 100);
    assert_sound(&path);
    drop(writer);
    drop(Writer::open(&path).expect("opened again"));
    assert_eq!(assert_sound(&path).documents, 100);
}

#[test]
fn a_pending_batch_with_a_load_that_was_stopped_can_be_cancelled() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("db");
    let mut writer = Writer::create(&path, &Config::within(3).expect("k")).expect("a new database");
    writer.insert(bare("visible", 1)).expect("taken");
    writer.label("held", true).expect("a pending batch");
    writer.insert(bare("held", 2)).expect("taken");
    writer.commit().expect("committed");
    // Of the runs that are written, that of the load is meant.
    writer.flush().expect("flushed");
    writer.watch(Box::new(|progress| progress.phase != "write run"));
    let mut load = writer.bulk_load().expect("a load");
    load.push(bare("stopped", 3)).expect("taken");
    load.finish().expect_err("stopped");
    assert_eq!(writer.cancel_batch("held").expect("cancelled"), 1);
    assert_eq!(check(&path).faults, []);
    assert_eq!(check(&path).documents, 1);
}
