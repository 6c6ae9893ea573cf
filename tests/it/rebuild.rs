//! Damaged files are rebuilt: segments byte for byte, everything else with equal answers.

use std::fs;
use std::path::{Path, PathBuf};

use nddb::detect::OnlineDetector;
use nddb::{Config, Document, Error, Reader, RebuildOptions, RebuildWhat, Rebuilt, Within, Writer};

use super::damage::{
    Sample, answers, assert_sound, bare, check, copy_folder, cut, flip, manifest, postings, sample, segment, swap,
};
use super::support::Random;

fn rebuild(path: &Path) -> Rebuilt {
    nddb::rebuild(path, &RebuildOptions::default(), &mut |_| true).expect("rebuilt")
}

/// The bytes of all files of a run: its segments, then its postings.
fn bytes_of(path: &Path, run: usize) -> Vec<Vec<u8>> {
    let tables = manifest(path).runs[run].segments.len();
    let files = (0..tables).map(|table| segment(path, run, table)).chain([postings(path, run)]);
    files.map(|file| fs::read(file).expect("readable")).collect()
}

/// The property that a rebuild keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Same {
    Files,
    Segments,
    Answers,
}

/// Damages a copy, rebuilds it, and compares it with the original.
fn comes_back(sample: &Sample, what: &str, damage: impl Fn(&Path), same: Same) -> Rebuilt {
    let (_folder, path) = sample.copy();
    let before: Vec<_> = (0..2).map(|run| bytes_of(&path, run)).collect();
    let old = manifest(&path);
    damage(&path);
    assert!(!check(&path).is_sound(), "{what}: no fault");
    let rebuilt = rebuild(&path);
    assert!(rebuilt.is_changed(), "{what}: {rebuilt:?}");
    let new = manifest(&path);
    assert!(new.generation > old.generation && rebuilt.generation == new.generation, "{what}");
    assert!(new.files().all(|file| old.files().any(|old| old == file) || file.number >= old.next_file), "{what}");
    assert_sound(&path);
    sample.same_answers(&path, what);
    for (run, before) in before.iter().enumerate() {
        let files = if same == Same::Segments { before.len() - 1 } else { before.len() };
        let after = bytes_of(&path, run);
        assert!(same == Same::Answers || after[..files] == before[..files], "{what}: run {run} has other bytes");
    }
    assert!(!rebuild_again(&path).is_changed(), "{what}: a second rebuild has nothing to do");
    drop(Writer::open(&path).expect("it can be written to"));
    rebuilt
}

fn rebuild_again(path: &Path) -> Rebuilt {
    let before = fs::read(path.join("MANIFEST")).expect("readable");
    let rebuilt = rebuild(path);
    assert_eq!(fs::read(path.join("MANIFEST")).expect("readable"), before);
    rebuilt
}

#[test]
fn a_sound_database_is_left_alone() {
    let sample = sample();
    let rebuilt = rebuild_again(&sample.path);
    assert_eq!((rebuilt.runs_kept, rebuilt.is_changed()), (2, false));
    sample.same_answers(&sample.path, "left alone");
}

#[test]
fn damaged_segments_come_back_byte_for_byte_from_a_sibling() {
    let mut random = Random::seeded("damaged segments");
    let sample = sample();
    for _ in 0..6 {
        let (run, table, bit) = (random.below(2) as usize, random.below(4) as usize, random.below(8) as u8);
        let size = fs::metadata(segment(&sample.path, run, table)).expect("a file").len();
        let offset = random.below(size) as usize;
        let what = format!("bit {bit} of byte {offset} of table {table} of run {run}");
        let rebuilt = comes_back(&sample, &what, |path| flip(&segment(path, run, table), offset, bit), Same::Files);
        assert_eq!((rebuilt.segments, rebuilt.postings, rebuilt.runs, rebuilt.runs_kept), (1, 0, 0, 1), "{what}");
    }
    let all_but_one = |path: &Path| {
        fs::remove_file(segment(path, 0, 0)).expect("removed");
        cut(&segment(path, 0, 1), 5000);
        cut(&segment(path, 0, 3), 0);
        swap(&segment(path, 1, 1), &segment(path, 1, 2));
    };
    let rebuilt = comes_back(&sample, "all tables but one", all_but_one, Same::Files);
    assert_eq!((rebuilt.segments, rebuilt.runs), (5, 0));
}

#[test]
fn damaged_postings_come_back_from_the_catalog() {
    let sample = sample();
    let rebuilt = comes_back(
        &sample,
        "postings gone",
        |path| fs::remove_file(postings(path, 0)).expect("removed"),
        Same::Segments,
    );
    assert_eq!((rebuilt.postings, rebuilt.segments, rebuilt.runs), (1, 0, 0));
    let both = |path: &Path| {
        flip(&postings(path, 1), 300, 1);
        flip(&segment(path, 1, 0), 2000, 1);
    };
    let rebuilt = comes_back(&sample, "postings and table 0", both, Same::Segments);
    assert_eq!((rebuilt.postings, rebuilt.segments, rebuilt.runs), (1, 1, 0));
    comes_back(
        &sample,
        "the postings of two runs swapped",
        |path| swap(&postings(path, 0), &postings(path, 1)),
        Same::Segments,
    );
}

#[test]
fn a_run_without_any_sound_segment_comes_back_from_the_catalog() {
    let sample = sample();
    let all_of_a_run = |path: &Path| {
        (0..4).for_each(|table| fs::remove_file(segment(path, 0, table)).expect("removed"));
        fs::remove_file(postings(path, 0)).expect("removed");
    };
    let rebuilt = comes_back(&sample, "a whole run", all_of_a_run, Same::Answers);
    assert_eq!((rebuilt.runs, rebuilt.runs_kept, rebuilt.segments), (1, 1, 0));
    assert!(rebuilt.documents > 1000 && rebuilt.fingerprints > 800);
    let all_runs = |path: &Path| {
        fs::remove_dir_all(path.join("runs")).expect("removed");
        fs::create_dir(path.join("runs")).expect("made");
    };
    assert_eq!(comes_back(&sample, "all runs", all_runs, Same::Answers).runs, 2);
}

#[test]
fn everything_can_be_made_from_the_catalog_on_demand() {
    let sample = sample();
    let (_folder, path) = sample.copy();
    let options = RebuildOptions { what: RebuildWhat::All, threads: 2, ..RebuildOptions::default() };
    let rebuilt = nddb::rebuild(&path, &options, &mut |_| true).expect("rebuilt");
    assert_eq!((rebuilt.runs, rebuilt.runs_kept), (2, 0));
    assert_sound(&path);
    sample.same_answers(&path, "all made again");
}

#[test]
fn a_run_whose_documents_were_deleted_since_comes_back_byte_for_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("db");
    let mut writer = Writer::create(&path, &Config::within(3).expect("k")).expect("a new database");
    for index in 0..300u64 {
        writer.insert(bare(&index.to_string(), (index % 250) << 20)).expect("taken");
    }
    writer.commit().expect("committed");
    writer.flush().expect("flushed");
    for index in 0..300 {
        assert!(index % 3 == 0 || writer.delete(&index.to_string()).expect("deleted"));
    }
    writer.close().expect("closed");
    let before = bytes_of(&path, 0);
    fs::remove_dir_all(path.join("runs")).expect("removed");
    fs::create_dir(path.join("runs")).expect("made");
    assert_eq!(rebuild(&path).runs, 1);
    assert!(bytes_of(&path, 0) == before, "the same bytes");
    fs::remove_file(postings(&path, 0)).expect("removed");
    assert_eq!(rebuild(&path).postings, 1);
    assert!(bytes_of(&path, 0) == before, "the same bytes");
    assert_eq!(check(&path).documents, 100);
}

#[test]
fn a_compacted_run_comes_back_without_what_the_compaction_dropped() {
    let sample = sample();
    let (_folder, path) = sample.copy();
    let mut writer = Writer::open(&path).expect("opened");
    let plan = writer.plan_full_compaction().expect("something to do");
    writer.compact(&plan).expect("compacted");
    drop(writer); // without removing the rows of what was dropped
    let before = bytes_of(&path, 0);
    assert_sound(&path);
    for damage in [postings(&path, 0), segment(&path, 0, 2)] {
        fs::remove_file(damage).expect("removed");
        rebuild(&path);
        assert!(bytes_of(&path, 0) == before, "the same bytes");
    }
    fs::remove_dir_all(path.join("runs")).expect("removed");
    fs::create_dir(path.join("runs")).expect("made");
    rebuild(&path);
    assert!(bytes_of(&path, 0) == before, "the same bytes");
    assert_sound(&path);
    sample.same_answers(&path, "compacted and rebuilt");
}

#[test]
fn a_lost_manifest_comes_back_with_a_generation_and_file_numbers_above_all_others() {
    let sample = sample();
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 3] = [
        ("removed", |path| fs::remove_file(path.join("MANIFEST")).expect("removed")),
        ("flipped", |path| flip(&path.join("MANIFEST"), 200, 3)),
        ("emptied", |path| cut(&path.join("MANIFEST"), 0)),
    ];
    for (what, damage) in damages {
        let (_folder, path) = sample.copy();
        let old = manifest(&path);
        damage(&path);
        let rebuilt = rebuild(&path);
        assert!(rebuilt.manifest && rebuilt.runs == 1, "{what}: {rebuilt:?}");
        let new = manifest(&path);
        assert!(new.generation > old.generation && new.files().all(|file| file.number >= old.next_file), "{what}");
        assert_eq!(fs::read_dir(path.join("runs")).expect("a folder").count(), new.files().count(), "{what}");
        assert_sound(&path);
        sample.same_answers(&path, what);
        // Lost again, both continue further up.
        damage(&path);
        rebuild(&path);
        let newer = manifest(&path);
        assert!(newer.generation > new.generation && newer.next_file > new.next_file, "{what}: lost again");
        let mut writer = Writer::open(&path).expect("it can be written to");
        writer.delete("1/1").expect("deleted");
        writer.insert(bare("later", 4)).expect("taken");
        writer.commit().expect("committed");
        writer.flush().expect("flushed");
        writer.close().expect("closed");
        assert_sound(&path);
    }
}

#[test]
fn runs_are_brought_back_to_a_catalog_that_lost_commits() {
    let sample = sample();
    let (_folder, path) = sample.copy();
    let older = tempfile::tempdir().expect("a folder");
    copy_folder(&path.join("catalog"), older.path());
    let mut writer = Writer::open(&path).expect("opened");
    for index in 0..500 {
        writer.insert(bare(&format!("lost {index}"), index << 40)).expect("taken");
    }
    writer.delete("0/1").expect("deleted");
    writer.commit().expect("committed");
    writer.flush().expect("flushed");
    let plan = writer.plan_full_compaction().expect("something to do");
    writer.compact(&plan).expect("compacted");
    writer.close().expect("closed");
    let complete = manifest(&path).complete;
    fs::remove_dir_all(path.join("catalog")).expect("removed");
    copy_folder(older.path(), &path.join("catalog"));
    let refused = Writer::open(&path).expect_err("the catalog lost commits");
    assert!(refused.to_string().contains("lost commits"), "{refused}");
    let rebuilt = rebuild(&path);
    assert!(rebuilt.commits_lost > 0, "{rebuilt:?}");
    assert_sound(&path);
    sample.same_answers(&path, "as before the lost commits");
    let mut writer = Writer::open(&path).expect("it can be written to");
    writer.insert(bare("new", 3)).expect("taken");
    writer.commit().expect("committed");
    let number = writer.view().get("new").expect("read").expect("stored").number;
    assert!(number >= complete, "{number} was another document's number, which readers may still know");
}

/// A database with a deleted set's file, of documents that others replaced, and one that was just deleted.
fn with_deleted_set(also_deleted: bool) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("db");
    let config = Config::within(3).and_then(|config| config.levels(&[4])).expect("a scheme");
    let mut writer = Writer::create(&path, &config).expect("a new database");
    let mut random = Random::fixed(1);
    for round in 0..2u64 {
        let mut load = writer.bulk_load().expect("a load");
        for index in 0..66_000u64 {
            load.push(bare(&index.to_string(), random.next() ^ round)).expect("taken");
        }
        load.finish().expect("loaded");
    }
    if also_deleted {
        writer.delete("77").expect("deleted");
        writer.commit().expect("committed");
    }
    writer.insert(bare("last", 1)).expect("taken");
    writer.commit().expect("committed");
    writer.flush().expect("flushed");
    writer.close().expect("closed");
    assert!(manifest(&path).deleted.is_some(), "the deletions are in a file");
    (folder, path)
}

fn deleted_set(path: &Path) -> PathBuf {
    path.join(format!("runs/{:08x}.del", manifest(path).deleted.expect("a deleted set").number))
}

#[test]
fn a_lost_deleted_set_comes_back_if_newer_documents_tell_what_was_in_it() {
    let (_folder, path) = with_deleted_set(false);
    assert_sound(&path);
    let file = deleted_set(&path);
    let sound = fs::read(&file).expect("readable");
    for offset in [0, 20, sound.len() / 2, sound.len() - 1] {
        flip(&file, offset, 4);
        let report = check(&path);
        assert!(report.faults.iter().any(|fault| fault.path == file), "byte {offset}: {:?}", report.faults);
        assert!(Reader::open(&path).is_err(), "byte {offset}");
        fs::write(&file, &sound).expect("mended");
    }
    fs::remove_file(&file).expect("removed");
    let rebuilt = rebuild(&path);
    assert!(rebuilt.deletions && rebuilt.runs == 0, "{rebuilt:?}");
    assert_eq!(fs::read(deleted_set(&path)).expect("readable"), sound);
    assert_eq!(assert_sound(&path).documents, 66_001);
    fs::remove_file(path.join("MANIFEST")).expect("removed");
    fs::remove_file(deleted_set_of(&path)).expect("removed");
    assert!(rebuild(&path).deletions);
    assert_eq!(assert_sound(&path).documents, 66_001);
}

/// Returns the path of the only deleted set.
fn deleted_set_of(path: &Path) -> PathBuf {
    let files = fs::read_dir(path.join("runs")).expect("a folder").map(|entry| entry.expect("an entry").path());
    let sets: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|end| end == "del")).collect();
    assert_eq!(sets.len(), 1);
    sets[0].clone()
}

#[test]
fn a_lost_deleted_set_that_cannot_be_known_is_never_guessed() {
    let (_folder, path) = with_deleted_set(true);
    let before = fs::read(path.join("MANIFEST")).expect("readable");
    let file = deleted_set(&path);
    let sound = fs::read(&file).expect("readable");
    fs::remove_file(&file).expect("removed");
    let error = nddb::rebuild(&path, &RebuildOptions::default(), &mut |_| true).expect_err("it is lost");
    assert!(error.next_step().is_some_and(|step| step.to_string().contains("restore a backup")), "{error}");
    assert_eq!(fs::read(path.join("MANIFEST")).expect("readable"), before, "nothing was changed");
    fs::write(&file, &sound).expect("restored");
    assert_sound(&path);
    // With the file, a lost manifest does no harm.
    fs::remove_file(path.join("MANIFEST")).expect("removed");
    rebuild(&path);
    assert_eq!(assert_sound(&path).documents, 66_000);
    assert_eq!(Reader::open(&path).expect("opened").view().get("77").expect("read"), None);
}

#[test]
fn a_damaged_catalog_is_refused_with_what_to_do() {
    let sample = sample();
    let (_folder, path) = sample.copy();
    let mut writer = Writer::open(&path).expect("opened");
    writer.flush().expect("flushed");
    writer.close().expect("closed");
    let before = fs::read(path.join("MANIFEST")).expect("readable");
    // Opening for writing has moved the rows from the log to a file.
    for entry in fs::read_dir(path.join("catalog")).expect("a folder") {
        let file = entry.expect("an entry").path();
        if file.extension().is_some_and(|end| end == "sst") {
            let size = fs::metadata(&file).expect("a file").len() as usize;
            (0..size.min(4000)).step_by(40).for_each(|offset| flip(&file, offset, 3));
        }
    }
    let error = nddb::rebuild(&path, &RebuildOptions::default(), &mut |_| true).expect_err("it is damaged");
    assert!(matches!(error, Error::BeyondRepair { .. }), "{error}");
    let (shown, hint) = (error.to_string(), error.next_step().map(|step| step.to_string()).unwrap_or_default());
    assert!(shown.contains("catalog") && hint.contains("restore a backup"), "{shown} {hint}");
    assert_eq!(fs::read(path.join("MANIFEST")).expect("readable"), before, "nothing was changed");
}

#[test]
fn a_rebuild_waits_for_no_one_and_readers_follow_it() {
    let sample = sample();
    let (_folder, path) = sample.copy();
    let mut reader = Reader::open(&path).expect("opened");
    let writer = Writer::open(&path).expect("opened");
    let refused = nddb::rebuild(&path, &RebuildOptions::default(), &mut |_| true).expect_err("it is locked");
    assert!(matches!(refused, Error::Locked { .. }), "{refused}");
    drop(writer);
    cut(&segment(&path, 0, 0), 2000);
    assert!(sample.queries.iter().any(|&query| reader.probe(query, Within(3)).is_err()), "the damage is met");
    rebuild(&path);
    assert!(reader.refresh().expect("refreshed"));
    for (&query, wanted) in sample.queries.iter().zip(&sample.answers) {
        assert_eq!(reader.probe(query, Within(3)).expect("an answer"), wanted.matches);
    }
}

#[test]
fn a_rebuild_that_is_stopped_changes_nothing() {
    let sample = sample();
    let (_folder, path) = sample.copy();
    fs::remove_file(segment(&path, 0, 1)).expect("removed");
    fs::remove_file(postings(&path, 1)).expect("removed");
    let before = fs::read(path.join("MANIFEST")).expect("readable");
    let mut stop_at = 1;
    loop {
        let mut call = 0;
        let outcome = nddb::rebuild(&path, &RebuildOptions::default(), &mut |_| {
            call += 1;
            call < stop_at
        });
        match outcome {
            Ok(_) => break,
            Err(error) => assert!(matches!(error, Error::Cancelled), "stopped at call {stop_at}: {error}"),
        }
        assert_eq!(fs::read(path.join("MANIFEST")).expect("readable"), before, "stopped at call {stop_at}");
        stop_at += 1;
    }
    assert!(stop_at > 10, "stopped {stop_at} times");
    assert_sound(&path);
    assert_eq!(answers(&path, &sample.queries).expect("answers"), sample.answers);
}

/// The near-duplicates of every page, by the default method.
fn near_duplicates(path: &Path) -> nddb::Result<Vec<Vec<String>>> {
    let reader = Reader::open(path)?;
    let view = reader.view();
    let mut documents = Vec::new();
    view.each(&mut |stored| {
        if stored.record.digest.is_some() {
            documents.push(Document::from(stored));
        }
        Ok(true)
    })?;
    assert!(documents.len() >= 9, "{} pages", documents.len());
    let ids = |document| {
        let found = OnlineDetector::usual(view).ask(view, document)?;
        Ok(found.matches.into_iter().map(|found| found.id).collect())
    };
    documents.iter().map(ids).collect()
}

#[test]
fn a_damaged_key_table_is_never_silent_and_comes_back_from_the_records() {
    let sample = sample();
    let wanted = near_duplicates(&sample.path).expect("answers");
    let mut random = Random::seeded("damaged key tables");
    let mut errors = 0;
    for round in 0..30 {
        let (_folder, path) = sample.copy();
        let tables: Vec<_> = manifest(&path).runs.iter().filter_map(|run| run.keys).collect();
        let table = tables[random.index(tables.len())];
        let name = if round % 2 == 0 {
            format!("{:08x}.seg", table.segment.number)
        } else {
            format!("{:08x}.post", table.postings.number)
        };
        let file = path.join("runs").join(name);
        if round < 2 {
            fs::remove_file(&file).expect("removed");
        } else {
            let size = fs::metadata(&file).expect("a file").len() as usize;
            flip(&file, random.index(size), (round % 8) as u8);
        }
        match near_duplicates(&path) {
            Ok(found) => assert_eq!(found, wanted, "{}", file.display()),
            Err(error) => {
                errors += 1;
                assert!(error.to_string().contains("runs"), "{error}");
            }
        }
        assert!(check(&path).faults.iter().any(|fault| fault.path == file), "{}", file.display());
        let rebuilt = rebuild(&path);
        assert_eq!((rebuilt.key_tables, rebuilt.runs, rebuilt.segments), (1, 0, 0), "{}", file.display());
        assert_sound(&path);
        assert_eq!(near_duplicates(&path).expect("answers"), wanted);
        assert!(!rebuild_again(&path).is_changed());
    }
    assert!(errors > 5, "{errors} errors");
}

#[test]
fn damaged_summaries_are_never_silent_and_come_back_from_the_records() {
    let sample = sample();
    let wanted = near_duplicates(&sample.path).expect("answers");
    let mut random = Random::seeded("damaged summaries");
    let mut errors = 0;
    for round in 0..30 {
        let (_folder, path) = sample.copy();
        let files: Vec<_> = manifest(&path).runs.iter().filter_map(|run| run.summaries).collect();
        let file = path.join(format!("runs/{:08x}.sum", files[random.index(files.len())].number));
        let whole = fs::read(&file).expect("readable");
        match round {
            0 => fs::remove_file(&file).expect("removed"),
            1 => cut(&file, whole.len() as u64 - 1),
            _ => flip(&file, random.index(whole.len()), (round % 8) as u8),
        }
        sample.never_wrong(&path, "damaged summaries");
        match near_duplicates(&path) {
            Ok(found) => assert_eq!(found, wanted, "{}", file.display()),
            Err(error) => {
                errors += 1;
                assert!(error.to_string().contains("runs"), "{error}");
            }
        }
        assert!(check(&path).faults.iter().any(|fault| fault.path == file), "{}", file.display());
        let rebuilt = rebuild(&path);
        assert_eq!((rebuilt.summaries, rebuilt.runs, rebuilt.segments, rebuilt.key_tables), (1, 0, 0, 0));
        assert_sound(&path);
        assert_eq!(near_duplicates(&path).expect("answers"), wanted);
        assert!(!rebuild_again(&path).is_changed());
    }
    // A file that is missing or cut is found at opening, the rest where a verdict reads what is damaged.
    assert!(errors >= 2, "{errors} errors");
}
