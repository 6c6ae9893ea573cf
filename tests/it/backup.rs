//! Backups made by other processes while a writer inserts, loads, merges and compacts: each is one committed state
//! with everything that was committed before it began, stays as it is, and is there as a whole or not at all.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use nddb::{CheckOptions, Config, Error, Fingerprint, Reader, Within, Writer};
use nddb_index::testing::observe_storage;

use super::kill::May;
use super::support::steps::{Step, create};
use super::support::{Model, Mount, Parent, Random, Worker, bare, folder, say};

/// Duration of the writer.
const TIME: Duration = Duration::from_secs(15);
/// Number of backups that are kept, and checked again at the end.
const KEPT: usize = 8;

/// A worker that makes backups on request, by links or, where the file system does not allow links, by copies.
pub(crate) fn back_up(mut parent: Parent) {
    let path = parent.answer();
    while let Some(line) = parent.hear() {
        let (how, target) = line.split_once(' ').expect("how, and where to");
        let parent_folder = Path::new(target).parent().expect("is in a folder");
        let is_copy = how == "copy";
        let _observer = observe_storage(parent_folder, move |action, _| match action {
            "link the file" if is_copy => Err(io::ErrorKind::CrossesDevices.into()),
            _ => Ok(()),
        });
        let made = nddb::backup(&path, target, &mut |_| true).expect("a backup");
        assert!(!is_copy || made.linked == 0, "{made:?}");
        parent.tell("done");
    }
}

/// A worker that makes a backup, or restores one, and ends itself at a storage call.
pub(crate) fn end_at_a_call(mut parent: Parent) {
    let (action, from, to) = (parent.answer(), parent.answer(), parent.answer());
    let last: u64 = parent.answer().parse().expect("a number");
    let calls = AtomicU64::new(0);
    let _observer = observe_storage(Path::new(&to).parent().expect("is in a folder"), move |_, _| {
        if calls.fetch_add(1, Ordering::Relaxed) + 1 == last {
            std::process::abort();
        }
        Ok(())
    });
    let made = match action.as_str() {
        "backup" => nddb::backup(from, to, &mut |_| true).map(drop),
        "keep" => nddb::backup_and_keep(from, to, NonZeroUsize::MIN, &mut |_| true).map(drop),
        "create" => Writer::create(to, &Config::within(3).expect("k")).map(drop),
        _ => nddb::restore(from, to, &mut |_| true).map(drop),
    };
    made.expect("nothing is in the way");
    parent.tell("done");
}

/// The steps of a writer, and the number of those that are done.
#[derive(Default)]
struct Log {
    steps: Vec<Step>,
    done: usize,
}

/// Takes random steps until it is told to stop.
fn write(path: &Path, seed: u64, log: &Mutex<Log>, stop: &AtomicBool) {
    let mut random = Random::fixed(seed);
    let mut writer = create(path);
    writer.merge_in_background(true);
    while !stop.load(Ordering::Relaxed) {
        let step = Step(random.next());
        log.lock().unwrap_or_else(PoisonError::into_inner).steps.push(step);
        (writer, _) = step.perform(writer, path);
        log.lock().unwrap_or_else(PoisonError::into_inner).done += 1;
    }
    writer.close().expect("closed");
}

/// Restores a backup and asserts that it is one of the possible states, for a reader and for a writer.
fn assert_one_of(backup: &Path, states: Vec<Model>, seed: u64, why: &str) {
    let folder = folder();
    let again = folder.path().join("again");
    let report = nddb::verify_backup(backup, &CheckOptions::default(), &mut |_| true).expect("checked");
    assert!(report.is_sound(), "{why}: {report:#?}");
    nddb::restore(backup, &again, &mut |_| true).unwrap_or_else(|error| panic!("{why}: {error:?}"));
    let mut may = May { states };
    may.find(&Reader::open(&again).expect("opened").view(), seed, why);
    let writer = Writer::open(&again).unwrap_or_else(|error| panic!("{why}: {error:?}"));
    may.find(&writer.view(), seed, &format!("{why}, opened for writing"));
    drop(writer);
    let report = nddb::check(&again, &CheckOptions::default(), &mut |_| true).expect("checked");
    assert!(report.is_sound(), "{why}, opened for writing: {report:#?}");
}

#[test]
fn a_backup_beside_a_writer_is_a_committed_state_with_all_that_was_committed_before() {
    let mut random = Random::seeded("backups");
    let folder = folder();
    let path = folder.path().join("db");
    let (log, stop) = (Mutex::new(Log::default()), AtomicBool::new(false));
    let seed = random.next();
    let mut kept = Vec::new();
    let mut backups = 0;
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| write(&path, seed, &log, &stop));
        let look = || {
            let log = log.lock().unwrap_or_else(PoisonError::into_inner);
            (log.done, log.steps.len(), log.steps.clone())
        };
        while look().0 == 0 && !writer.is_finished() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let mut worker = Worker::start("backs up", &[&path.to_string_lossy()]);
        let begun = Instant::now();
        // The state after so many steps.
        let (mut model, mut at) = (Model::default(), 0);
        while begun.elapsed() < TIME && !writer.is_finished() {
            std::thread::sleep(Duration::from_micros(random.below(60_000)));
            let how = if random.percent(50) { "copy" } else { "link" };
            let target = folder.path().join(format!("backup {backups}"));
            let before = look().0;
            worker.tell(&format!("{how} {}", target.display()));
            assert_eq!(worker.answer(), "done");
            let (_, after, steps) = look();
            steps[at..before].iter().for_each(|step| drop(step.imagine(&mut model)));
            at = before;
            let (mut states, mut state) = (vec![model.clone()], model.clone());
            for step in &steps[before..after] {
                states.extend(step.imagine_parts(&state));
                step.imagine(&mut state);
            }
            let why = format!("backup {backups} by {how} between steps {before} and {after}");
            assert_one_of(&target, states.clone(), random.next(), &why);
            backups += 1;
            if kept.len() < KEPT {
                kept.push((target, states, why));
            } else {
                std::fs::remove_dir_all(&target).expect("removed");
            }
        }
        stop.store(true, Ordering::Relaxed);
        worker.finish();
        writer.join().expect("the writer's steps succeed");
    });
    say(&format!("{backups} backups beside {} steps", log.into_inner().unwrap_or_else(PoisonError::into_inner).done));
    assert!(backups >= 3, "this machine is too slow to say anything");
    for (target, states, why) in kept {
        assert_one_of(&target, states, random.next(), &format!("{why}, at the end"));
    }
}

/// Creates a database with several runs, sorted files, deletions, and documents above the runs.
fn database(path: &Path) -> Model {
    let mut random = Random::fixed(7);
    let mut model = Model::default();
    let mut writer = create(path);
    for _ in 0..3 {
        for step in [Step::group(&mut random), Step::group(&mut random), Step::flush(&mut random)] {
            writer = step.take(writer, path, &mut model);
        }
        writer.flush().expect("flushed");
    }
    for step in [Step::load(&mut random), Step::group(&mut random)] {
        writer = step.take(writer, path, &mut model);
    }
    writer.close().expect("closed");
    model
}

/// Has a worker end itself at each storage call, one after the other, until one comes to its end; after each,
/// `look` is called.
fn at_each_call(action: &str, from: &Path, to: &Path, look: &mut dyn FnMut(u64)) {
    for call in 1..10_000 {
        let lines = [action, &from.to_string_lossy(), &to.to_string_lossy(), &call.to_string()];
        let mut worker = Worker::start("ends while it backs up", &lines);
        if worker.hear().is_some() {
            say(&format!("{action}: {} storage calls", call - 1));
            assert!(call > 8, "the calls are observed");
            return;
        }
        look(call);
    }
    panic!("it never comes to its end");
}

#[test]
fn a_backup_that_ends_at_any_storage_call_is_whole_or_none_and_the_next_one_is_made() {
    let folder = folder();
    let (path, target) = (folder.path().join("db"), folder.path().join("backup"));
    let (partial, again) = (folder.path().join("backup.partial"), folder.path().join("again"));
    let model = database(&path);
    at_each_call("backup", &path, &target, &mut |call| {
        let why = format!("ended at call {call}");
        for folder in [&target, &partial] {
            match nddb::restore(folder, &again, &mut |_| true) {
                Err(Error::NotABackup { .. } | Error::DamagedBackup { .. }) => assert!(!again.exists(), "{why}"),
                Ok(_) => {
                    let mut may = May { states: vec![model.clone()] };
                    may.find(&Reader::open(&again).expect("opened").view(), call, &why);
                    std::fs::remove_dir_all(&again).expect("removed");
                }
                Err(error) => panic!("{why}: {error:?}"),
            }
        }
        if call % 5 == 0 || target.exists() {
            let _ = std::fs::remove_dir_all(&target);
            nddb::backup(&path, &target, &mut |_| true).unwrap_or_else(|error| panic!("{why}: {error:?}"));
            assert_one_of(&target, vec![model.clone()], call, &why);
            assert!(!partial.exists(), "{why}");
            std::fs::remove_dir_all(&target).expect("removed");
        }
    });
    assert_one_of(&target, vec![model], 1, "the last one");
}

#[test]
fn a_restore_that_ends_at_any_storage_call_leaves_a_whole_database_or_none() {
    let folder = folder();
    let (path, backup) = (folder.path().join("db"), folder.path().join("backup"));
    let again = folder.path().join("again");
    let model = database(&path);
    nddb::backup(&path, &backup, &mut |_| true).expect("a backup");
    at_each_call("restore", &backup, &again, &mut |call| {
        let why = format!("ended at call {call}");
        if again.exists() {
            let mut may = May { states: vec![model.clone()] };
            may.find(&Reader::open(&again).expect("whole").view(), call, &why);
            std::fs::remove_dir_all(&again).expect("removed");
        }
    });
    let mut may = May { states: vec![model.clone()] };
    may.find(&Reader::open(&again).expect("opened").view(), 1, "the last one");
    assert!(!folder.path().join("again.partial").exists());
    assert_one_of(&backup, vec![model], 2, "the backup stays as it is");
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn damage_of_a_backup_is_found_and_never_restored() {
    let folder = folder();
    let (path, backup, again) = (folder.path().join("db"), folder.path().join("backup"), folder.path().join("again"));
    database(&path);
    nddb::backup(&path, &backup, &mut |_| true).expect("a backup");
    // Bytes of links are those of the database.
    std::fs::remove_dir_all(&path).expect("removed");
    let mut random = Random::seeded("damaged backups");
    let assert_found = |file: &Path, why: &str| {
        let restored = nddb::restore(&backup, &again, &mut |_| true);
        let error = restored.err().unwrap_or_else(|| panic!("{why}: {} is restored", file.display()));
        let is_list = file.ends_with("BACKUP");
        match &error {
            Error::DamagedBackup { path, .. } => assert_eq!(path, file, "{why}"),
            Error::NotABackup { .. } | Error::Newer { .. } => assert!(is_list, "{why}: {error:?}"),
            error => panic!("{why}: {error:?}"),
        }
        assert!(!again.exists() && !folder.path().join("again.partial").exists(), "{why}: remains");
        match nddb::verify_backup(&backup, &CheckOptions::default(), &mut |_| true) {
            Ok(report) => {
                assert!(!report.is_sound() && !is_list, "{why}");
                assert_eq!(report.faults.len(), 1, "{why}: {report:#?}");
                assert_eq!(report.faults[0].path, file, "{why}");
            }
            Err(error) => assert!(is_list, "{why}: {error:?}"),
        }
    };
    let all = files(&backup);
    let sorted = all.iter().filter(|path| path.extension().is_some_and(|ending| ending == "sst")).count();
    assert!(all.len() > 15 && sorted > 0, "{all:?}");
    for file in all {
        let bytes = std::fs::read(&file).expect("readable");
        if !bytes.is_empty() {
            let mut flipped = bytes.clone();
            let (at, bit) = (random.below(bytes.len() as u64) as usize, random.below(8));
            flipped[at] ^= 1 << bit;
            std::fs::write(&file, flipped).expect("writable");
            assert_found(&file, &format!("bit {bit} of byte {at}"));
            std::fs::write(&file, &bytes[..bytes.len() - 1]).expect("writable");
            assert_found(&file, "cut");
        }
        std::fs::remove_file(&file).expect("removed");
        assert_found(&file, "missing");
        std::fs::write(&file, bytes).expect("writable");
    }
    nddb::restore(&backup, &again, &mut |_| true).expect("sound again");
}

#[test]
fn nothing_that_is_there_is_overwritten_and_other_folders_are_no_backups() {
    let folder = folder();
    let (path, backup, again) = (folder.path().join("db"), folder.path().join("backup"), folder.path().join("again"));
    database(&path);
    let exists = |outcome: nddb::Result<nddb::BackupSummary>, at: &Path| match outcome {
        Err(Error::AlreadyExists { path }) => assert_eq!(path, at),
        other => panic!("{other:?}"),
    };
    let in_the_way = |outcome: nddb::Result<nddb::BackupSummary>, at: &Path, of: &Path| match outcome {
        Err(error @ Error::InTheWay { .. }) => {
            let (text, next) = (error.to_string(), error.next_step().expect("a next step").to_string());
            assert!([at, of].iter().all(|path| text.contains(&*path.to_string_lossy())), "{text}");
            assert!(next.contains(&format!("rename {}", at.display())), "{next}");
        }
        other => panic!("{other:?}"),
    };
    nddb::backup(&path, &backup, &mut |_| true).expect("a backup");
    exists(nddb::backup(&path, &backup, &mut |_| true), &backup);
    exists(nddb::restore(&backup, &path, &mut |_| true), &path);
    // Folders of somebody else.
    let partial = folder.path().join("again.partial");
    std::fs::create_dir(&partial).expect("made");
    std::fs::write(partial.join("letter"), "keep me").expect("written");
    in_the_way(nddb::restore(&backup, &again, &mut |_| true), &partial, &again);
    assert_eq!(std::fs::read(partial.join("letter")).expect("kept"), b"keep me");
    std::fs::remove_dir_all(&partial).expect("removed");
    let model = database(&partial);
    in_the_way(nddb::restore(&backup, &again, &mut |_| true), &partial, &again);
    in_the_way(nddb::backup(&path, &again, &mut |_| true), &partial, &again);
    May { states: vec![model] }.find(&Reader::open(&partial).expect("still a database").view(), 3, "called partial");
    for other in [&path, &folder.path().join("nothing"), &path.join("MANIFEST")] {
        let error = nddb::restore(other, folder.path().join("new"), &mut |_| true).err();
        assert!(matches!(error, Some(Error::NotABackup { .. })), "{error:?}");
    }
    let error = Writer::open(&backup).err();
    assert!(matches!(&error, Some(Error::NotADatabase { why, .. }) if why.contains("backup")), "{error:?}");
    let error = nddb::backup(&path, folder.path().join("stopped"), &mut |_| false).err();
    assert!(matches!(error, Some(Error::Cancelled)), "{error:?}");
    assert!(!folder.path().join("stopped").exists() && !folder.path().join("stopped.partial").exists());
}

#[test]
fn a_backup_without_space_says_so_and_leaves_nothing() {
    let Some(mount) = Mount::new(1, "what becomes of a backup on a full disk") else { return };
    let folder = folder();
    let path = folder.path().join("db");
    let mut writer = create(&path);
    for number in 0..40_000u64 {
        writer.insert(bare(&number.to_string(), number << 20)).expect("inserted");
    }
    writer.commit().expect("committed");
    writer.flush().expect("flushed");
    let target = mount.path().join("backup");
    let error = nddb::backup(&path, &target, &mut |_| true).expect_err("1 MiB is not enough");
    let is_clear = match &error {
        Error::OverLimit { .. } => true,
        Error::Io { source, .. } => source.kind() == io::ErrorKind::StorageFull,
        _ => false,
    };
    assert!(is_clear && error.next_step().is_some(), "{error:?}");
    assert_eq!(std::fs::read_dir(mount.path()).expect("a folder").count(), 0, "nothing is left");
    // On another file system files are copies.
    drop(mount);
    let Some(mount) = Mount::new(64, "a backup on another file system") else { return };
    let target = mount.path().join("backup");
    let made = nddb::backup(&path, &target, &mut |_| true).expect("there is space");
    assert_eq!((made.linked, made.documents), (0, 40_000));
    drop(writer);
    std::fs::remove_dir_all(&path).expect("lost");
    nddb::restore(&target, &path, &mut |_| true).expect("restored");
    let found = Reader::open(&path).expect("opened").probe(Fingerprint(5 << 20), Within(0)).expect("answered");
    assert_eq!(found[0].id, "5");
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().expect("text")).collect();
    names.sort();
    names
}

/// Makes a backup of which there are `keep` then; returns what became of the others.
fn keep(path: &Path, target: &Path, keep: usize) -> nddb::Result<nddb::Retention> {
    let keep = NonZeroUsize::new(keep).expect("at least one");
    nddb::backup_and_keep(path, target, keep, &mut |_| true).map(|(_, retention)| retention)
}

/// Replaces a file by one with a flipped bit, which has none of its other names.
fn damage(file: &Path) {
    let mut bytes = std::fs::read(file).expect("readable");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::remove_file(file).expect("removed");
    std::fs::write(file, bytes).expect("writable");
}

fn is_sound(backup: &Path) -> bool {
    nddb::verify_backup(backup, &CheckOptions::default(), &mut |_| true).is_ok_and(|report| report.is_sound())
}

#[test]
fn a_creation_that_ends_at_any_storage_call_can_be_repeated() {
    for prepared in [false, true] {
        let folder = folder();
        let path = folder.path().join("db");
        if prepared {
            std::fs::create_dir(&path).expect("made");
        }
        at_each_call("create", folder.path(), &path, &mut |call| {
            let why = format!("ended at call {call}, in a folder that exists: {prepared}");
            match nddb::check(&path, &CheckOptions::default(), &mut |_| true) {
                Ok(report) => assert!(report.is_sound(), "{why}: {report:#?}"),
                Err(Error::NotADatabase { .. }) => drop(nddb_create(&path, &why)),
                Err(error) => panic!("{why}: {error:?}"),
            }
            std::fs::remove_dir_all(&path).expect("removed");
            // Ended while it removed what is left of the unfinished folder: the next creation does.
            assert!(matches!(&names(folder.path())[..], [] | [_]), "{why}: {:?}", names(folder.path()));
            if prepared {
                std::fs::create_dir(&path).expect("made");
            }
        });
        assert_eq!(names(folder.path()), ["db"]);
        assert_eq!(names(&path), ["LOCK", "MANIFEST", "catalog", "runs"]);
    }
}

fn nddb_create(path: &Path, why: &str) -> Writer {
    Writer::create(path, &Config::within(3).expect("k")).unwrap_or_else(|error| panic!("{why}: {error:?}"))
}

#[test]
fn a_series_of_backups_that_ends_at_any_storage_call_keeps_a_sound_one_and_the_next_one_clears_up() {
    let folder = folder();
    let (path, series) = (folder.path().join("db"), folder.path().join("series"));
    database(&path);
    std::fs::create_dir(&series).expect("made");
    nddb::backup(&path, series.join("first"), &mut |_| true).expect("a backup");
    let (target, mut last) = (series.join("second"), series.join("first"));
    at_each_call("keep", &path, &target, &mut |call| {
        let why = format!("ended at call {call}");
        let whole = [&target, &last].into_iter().filter(|backup| backup.exists()).collect::<Vec<_>>();
        assert!(!whole.is_empty() && whole.into_iter().all(|backup| is_sound(backup)), "{why}");
        let next = series.join(format!("after {call}"));
        keep(&path, &next, 1).unwrap_or_else(|error| panic!("{why}: {error:?}"));
        assert_eq!(names(&series), [format!("after {call}")], "{why}");
        last = next;
    });
    assert_eq!(names(&series), ["second"]);
}

#[test]
fn what_an_interrupted_removal_leaves_never_stops_the_next_backup() {
    let folder = folder();
    let (path, series) = (folder.path().join("db"), folder.path().join("series"));
    database(&path);
    for backup in ["a", "b", "c"] {
        std::fs::create_dir_all(&series).expect("made");
        nddb::backup(&path, series.join(backup), &mut |_| true).expect("a backup");
    }
    for (name, files) in [("a", &["LOCK", "nddb-partial"][..]), ("b", &["LOCK"]), ("gone", &["nddb-partial", "BACKUP"])]
    {
        let partial = series.join(format!("{name}.partial"));
        std::fs::create_dir(&partial).expect("made");
        files.iter().for_each(|file| std::fs::write(partial.join(file), "").expect("written"));
    }
    std::fs::create_dir(series.join("mine.partial")).expect("made");
    std::fs::write(series.join("mine.partial/letter"), "keep me").expect("written");
    let removed = keep(&path, &series.join("d"), 1).expect("a backup").removed;
    assert_eq!(removed, ["a", "b", "c"].map(|name| series.join(name)));
    assert_eq!(names(&series), ["d", "mine.partial"]);
}

#[test]
fn damaged_files_are_neither_backed_up_nor_kept_in_place_of_sound_ones() {
    for ending in ["seg", "post", "sum", "sst"] {
        let folder = folder();
        let (path, series) = (folder.path().join("db"), folder.path().join("series"));
        database(&path);
        std::fs::create_dir(&series).expect("made");
        for name in ["one", "two"] {
            keep(&path, &series.join(name), 3).expect("a backup");
        }
        let is_of_kind = |file: &PathBuf| file.extension().is_some_and(|it| it == ending);
        let file = files(&path).into_iter().find(is_of_kind).expect("a file of each kind");
        let sound = std::fs::read(&file).expect("readable");
        damage(&file);
        for count in [1, 3] {
            let error = keep(&path, &series.join("three"), count).expect_err("it is damaged");
            let is_told = match &error {
                Error::Inconsistent { path, .. } => *path == file,
                Error::Catalog { damaged, path, .. } => *damaged && file.starts_with(path),
                _ => false,
            };
            assert!(is_told, "{ending}: {error:?}");
            assert_eq!(names(&series), ["one", "two"], "{ending}");
        }
        assert!(nddb::backup(&path, series.join("three"), &mut |_| true).is_err(), "{ending}: without --keep, too");
        std::fs::write(&file, sound).expect("mended");
        // A damaged backup does not count, and goes when enough newer ones are sound.
        let of_backup = series.join("two/database").join(file.strip_prefix(&path).expect("below"));
        damage(&of_backup);
        let kept = keep(&path, &series.join("three"), 2).expect("a backup");
        assert_eq!((kept.removed, kept.damaged), (vec![], vec![series.join("two")]), "{ending}");
        let kept = keep(&path, &series.join("four"), 2).expect("a backup");
        assert_eq!(kept.removed, [series.join("one"), series.join("two")], "{ending}");
        assert!(is_sound(&series.join("three")) && is_sound(&series.join("four")), "{ending}");
    }
}

#[test]
fn the_age_of_a_backup_is_that_of_its_state_and_links_are_no_backups() {
    let folder = folder();
    let (path, series) = (folder.path().join("db"), folder.path().join("series"));
    database(&path);
    std::fs::create_dir(&series).expect("made");
    let far = std::time::SystemTime::now() + Duration::from_secs(10_000_000);
    for (count, name) in ["d", "c", "b", "a"].into_iter().enumerate() {
        if count == 2 {
            let mut writer = Writer::open(&path).expect("opened");
            writer.insert(bare("more", 5)).expect("inserted");
            writer.close().expect("closed");
        }
        keep(&path, &series.join(name), 2).expect("a backup");
        let list = std::fs::File::open(series.join(name).join("BACKUP")).expect("a list");
        list.set_modified(far - Duration::from_secs(count as u64 * 1000)).expect("set");
        let _ = std::fs::remove_file(series.join("latest"));
        std::os::unix::fs::symlink(name, series.join("latest")).expect("linked");
    }
    assert_eq!(names(&series), ["a", "b", "latest"]);
}

#[test]
fn a_restored_database_has_a_series_of_its_own() {
    let folder = folder();
    let (path, series) = (folder.path().join("db"), folder.path().join("series"));
    let again = folder.path().join("again");
    let model = database(&path);
    std::fs::create_dir(&series).expect("made");
    for name in ["one", "two"] {
        keep(&path, &series.join(name), 2).expect("a backup");
    }
    nddb::restore(series.join("two"), &again, &mut |_| true).expect("restored");
    let parent = |path: &Path| nddb::restored_from(path).expect("read");
    assert!(parent(&path).is_none() && parent(&again).is_some());
    let kept = keep(&again, &series.join("test"), 1).expect("a backup");
    assert_eq!((kept.removed, kept.others), (vec![], 2));
    let kept = keep(&again, &series.join("test again"), 1).expect("a backup");
    assert_eq!((kept.removed, kept.others), (vec![series.join("test")], 2));
    let kept = keep(&path, &series.join("three"), 2).expect("a backup");
    assert_eq!((kept.removed, kept.others), (vec![series.join("one")], 1));
    assert_one_of(&series.join("test again"), vec![model], 1, "of the restored one");
    // Two restored ones differ, too.
    let other = folder.path().join("other");
    nddb::restore(series.join("test again"), &other, &mut |_| true).expect("restored");
    assert_eq!(keep(&other, &series.join("fourth"), 1).expect("a backup").others, 3);
    assert!(![None, parent(&again)].contains(&parent(&other)), "from the restored one");
    std::fs::write(other.join("ORIGIN"), "nonsense").expect("written");
    let error = nddb::backup(&other, series.join("fifth"), &mut |_| true).expect_err("whose backup?");
    assert!(matches!(&error, Error::Inconsistent { path, .. } if path.ends_with("ORIGIN")), "{error:?}");
}

/// On another file system, backups share the files that do not change, and a damaged one is copied again.
#[test]
fn backups_on_another_disk_share_files_and_do_not_pass_damage_on() {
    use std::os::unix::fs::MetadataExt;
    let folder = folder();
    let path = folder.path().join("db");
    database(&path);
    let Some(mount) = Mount::new(64, "backups on another disk") else { return };
    let series = mount.path().join("series");
    std::fs::create_dir(&series).expect("made");
    for name in ["one", "two"] {
        nddb::backup(&path, series.join(name), &mut |_| true).expect("a backup");
    }
    let of_kind = |name: &str, ending: &str| {
        let all = files(&series.join(name)).into_iter().filter(|file| file.extension().is_some_and(|it| it == ending));
        all.collect::<Vec<PathBuf>>()
    };
    for ending in ["seg", "sst"] {
        for file in of_kind("two", ending) {
            assert_eq!(std::fs::metadata(&file).expect("there").nlink(), 2, "{file:?}");
        }
    }
    let rotten = of_kind("two", "seg").remove(0);
    let bytes = std::fs::read(&rotten).expect("readable");
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    std::fs::write(&rotten, &flipped).expect("both names have it");
    let kept = keep(&path, &series.join("three"), 2).expect("a backup");
    assert_eq!((kept.removed.len(), kept.damaged.len()), (0, 2), "{kept:?}");
    assert!(is_sound(&series.join("three")));
}
