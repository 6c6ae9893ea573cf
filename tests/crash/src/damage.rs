//! A small database with damage at every byte of every file: it is found by the check, named by the error of a query
//! that meets it, or does no harm.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use nddb::{CheckOptions, Error, Reader, RebuildOptions, RebuildWhat};
use nddb_index::testing::{Bug, seed_bug};

use crate::disk::files_below;
use crate::judge::Verdict;
use crate::support::steps::{Step, answer_line, create};
use crate::support::{Model, Random, folder, say};

/// The seed of the answers that are compared.
const ANSWERS: u64 = 5;

/// A small database, closed, and what it answers.
pub(crate) struct Small {
    folder: tempfile::TempDir,
    answers: String,
}

/// What damage came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The check found it.
    Found,
    /// All answers are as before, and the check found nothing.
    Harmless,
}

impl Small {
    /// Makes a database of two small runs and a few documents in the log.
    pub(crate) fn new(seed: u64) -> Self {
        let folder = folder();
        let path = folder.path().join("db");
        let mut random = Random::fixed(seed);
        let mut writer = create(&path);
        let mut model = Model::default();
        for round in 0..3 {
            let step = Step::group(&mut random);
            writer = step.take(writer, &path, &mut model);
            if round < 2 {
                writer.flush().expect("flushed");
            }
        }
        drop(writer);
        let answers = answers(&path).expect("it is sound");
        assert!(answers.len() > 500, "there is something to be found: {answers}");
        Self { folder, answers }
    }

    /// The folder of the database.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("db")
    }

    /// Returns its files, but for texts that RocksDB writes for its users.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let is_text = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name.starts_with("LOG") || name == "LOCK"
        };
        files_below(&self.path()).into_iter().filter(|path| !is_text(path)).collect()
    }

    /// Damages a file of a copy of the database in each of these ways and judges each, with a mistake or without.
    pub(crate) fn damaged<T>(
        &self,
        bug: Option<Bug>,
        file: &Path,
        ways: impl Iterator<Item = T>,
        damage: impl Fn(&mut Vec<u8>, &T) -> String,
    ) -> Verdict<Vec<Outcome>> {
        let copy = folder();
        let path = copy.path().join("db");
        let _bug = bug.map(|bug| seed_bug(copy.path(), bug));
        let sound = fs::read(file).expect("it can be read");
        let target = path.join(file.strip_prefix(self.path()).expect("it is below"));
        copy_folder(&self.path(), &path);
        let mut outcomes = Vec::new();
        for way in ways {
            let mut bytes = sound.clone();
            let what = damage(&mut bytes, &way);
            fs::write(&target, &bytes).expect("it can be written");
            let name = target.display();
            outcomes.push(self.judge(&path).map_err(|why| format!("{what} of {name}: {why}"))?);
            fs::write(&target, &sound).expect("it can be written");
        }
        Ok(outcomes)
    }

    /// Fails if the database gives a wrong answer, or none where the check finds nothing.
    fn judge(&self, path: &Path) -> Verdict<Outcome> {
        let answered = answers(path);
        let is_right = match &answered {
            Ok(answers) if *answers == self.answers => true,
            Ok(answers) => return Err(format!("wrong answers: {answers} instead of {}", self.answers)),
            Err(_) => false,
        };
        match nddb::check(path, &CheckOptions::default(), &mut |_| true) {
            Ok(report) if !report.is_sound() => Ok(Outcome::Found),
            Err(Error::Newer { .. }) => Ok(Outcome::Found),
            Ok(_) if is_right => Ok(Outcome::Harmless),
            Ok(_) => Err(format!("the check finds nothing, and a query fails: {answered:?}")),
            Err(error) => Err(format!("it cannot be checked: {error:?}")),
        }
    }
}

fn answers(path: &Path) -> nddb::Result<String> {
    let reader = Reader::open(path)?;
    let stats = reader.view().stats()?;
    Ok(format!("{} {} {}", stats.documents, stats.deleted, answer_line(&reader.view(), ANSWERS)?))
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("it can be made");
    for entry in fs::read_dir(from).expect("it can be listed") {
        let entry = entry.expect("it can be listed");
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_folder(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).expect("it can be copied")),
        }
    }
}

/// Does work for each of these on two threads.
fn on_two_threads<T: Sync>(all: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(one);
                }
            });
        }
    });
}

/// The distance between the bytes that are damaged in a file of so many bytes: `most` of each.
fn stride(size: usize, most: usize) -> usize {
    size.div_ceil(most).max(1)
}

/// The number of bytes of each file that are damaged: the variable `NDDB_DAMAGE`, or a few.
fn most(few: usize) -> usize {
    std::env::var("NDDB_DAMAGE").ok().and_then(|most| most.parse().ok()).unwrap_or(few)
}

#[test]
fn a_flipped_bit_anywhere_is_found_or_does_no_harm() {
    let small = Small::new(11);
    let files = small.files();
    assert!(files.len() > 10, "{files:?}");
    let (flips, found) = (AtomicUsize::new(0), AtomicUsize::new(0));
    on_two_threads(&files, |file| {
        let mut random = Random::fixed(file.file_name().map_or(1, |name| name.len() as u64));
        let size = fs::metadata(file).expect("a file").len() as usize;
        let step = stride(size, most(60));
        let first = random.index(step);
        let places: Vec<(usize, u8)> = (first..size).step_by(step).map(|byte| (byte, random.below(8) as u8)).collect();
        let flip = |bytes: &mut Vec<u8>, (byte, bit): &(usize, u8)| {
            bytes[*byte] ^= 1 << bit;
            format!("bit {bit} of byte {byte}")
        };
        let outcomes = small.damaged(None, file, places.into_iter(), flip).unwrap_or_else(|why| panic!("{why}"));
        let harmless = outcomes.iter().filter(|outcome| **outcome == Outcome::Harmless).count();
        // Nothing of these files is unused.
        let is_ours = file.starts_with(small.path().join("runs")) || file.ends_with("db/MANIFEST");
        assert!(!is_ours || harmless == 0, "{harmless} flips of {} are not found", file.display());
        flips.fetch_add(outcomes.len(), Ordering::Relaxed);
        found.fetch_add(outcomes.len() - harmless, Ordering::Relaxed);
    });
    say(&format!("{found:?} of {flips:?} flipped bits are found, the others do no harm"));
}

#[test]
fn a_log_that_is_damaged_before_its_end_is_not_cut_as_if_it_were_torn() {
    let small = Small::new(13);
    let files = small.files();
    let log = files.iter().filter(|file| file.extension().is_some_and(|end| end == "log")).max().expect("a log");
    let size = fs::metadata(log).expect("a file").len() as usize;
    assert!(size > 1000, "there are commits in it");
    let flip = |bytes: &mut Vec<u8>, byte: &usize| {
        bytes[*byte] ^= 4;
        format!("a bit of byte {byte}")
    };
    let damaged = |bug| small.damaged(bug, log, (100..size).step_by(size / 12), flip);
    let outcomes = damaged(None).unwrap_or_else(|why| panic!("{why}"));
    assert!(outcomes.iter().all(|outcome| *outcome == Outcome::Found), "{outcomes:?}");
    let why = damaged(Some(Bug::DamageTakenForTorn)).expect_err("commits are lost");
    assert!(why.contains("wrong answers"), "{why}");
}

#[test]
fn a_file_that_is_cut_grown_or_empty_is_found_or_does_no_harm() {
    let small = Small::new(12);
    on_two_threads(&small.files(), |file| {
        let size = fs::metadata(file).expect("a file").len() as usize;
        let lengths = [0, 1, size / 3, size / 2, size.saturating_sub(1), size + 1, size + 4096];
        let cut = |bytes: &mut Vec<u8>, length: &usize| {
            bytes.resize(*length, 0);
            format!("a length of {length}, not {size},")
        };
        let outcomes = small.damaged(None, file, lengths.into_iter(), cut);
        // A log that ends between two commits cannot be told from one behind which none was made.
        let is_log = file.extension().is_some_and(|end| end == "log");
        match outcomes {
            Ok(outcomes) => {
                let is_ours = file.starts_with(small.path().join("runs")) || file.ends_with("db/MANIFEST");
                assert!(!is_ours || !outcomes.contains(&Outcome::Harmless), "{}", file.display());
            }
            Err(why) => assert!(is_log && why.contains("wrong answers"), "{why}"),
        }
    });
}

#[test]
fn a_damaged_backup_is_found_and_not_restored() {
    let small = Small::new(16);
    let backup = small.folder.path().join("backup");
    nddb::backup(small.path(), &backup, &mut |_| true).expect("a backup");
    let mut random = Random::fixed(16);
    let mut flips = 0;
    for file in files_below(&backup) {
        let sound = fs::read(&file).expect("it can be read");
        // Links are files of the database, too.
        fs::remove_file(&file).expect("it can be removed");
        let step = stride(sound.len(), most(8));
        for byte in (random.index(step)..sound.len()).step_by(step) {
            let mut bytes = sound.clone();
            bytes[byte] ^= 1 << random.below(8);
            fs::write(&file, &bytes).expect("it can be written");
            let what = format!("byte {byte} of {}", file.display());
            match nddb::verify_backup(&backup, &CheckOptions::default(), &mut |_| true) {
                Ok(report) => assert!(!report.is_sound(), "{what}"),
                Err(error) => assert!(
                    matches!(error, Error::DamagedBackup { .. } | Error::NotABackup { .. } | Error::Newer { .. }),
                    "{what}: {error:?}"
                ),
            }
            let target = small.folder.path().join("restored");
            nddb::restore(&backup, &target, &mut |_| true).expect_err(&what);
            assert!(!target.exists(), "{what}");
            flips += 1;
        }
        fs::write(&file, &sound).expect("it can be written");
    }
    assert!(flips > 50, "{flips}");
    assert!(nddb::verify_backup(&backup, &CheckOptions::default(), &mut |_| true).expect("read").is_sound());
}

#[test]
fn runs_are_rebuilt_while_readers_read() {
    let small = Small::new(17);
    let path = small.path();
    let stops = std::sync::atomic::AtomicBool::new(false);
    let reads = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut reader = Reader::open(&path).expect("opened");
                while !stops.load(Ordering::Relaxed) {
                    reader.refresh().expect("refreshed");
                    let stats = reader.view().stats().expect("counted");
                    let line = answer_line(&reader.view(), ANSWERS).expect("answered");
                    assert_eq!(format!("{} {} {line}", stats.documents, stats.deleted), small.answers);
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let options = RebuildOptions { what: RebuildWhat::All, ..RebuildOptions::default() };
        for _ in 0..8 {
            let rebuilt = nddb::rebuild(&path, &options, &mut |_| true);
            let seen = reads.load(Ordering::Relaxed);
            let until = Instant::now() + Duration::from_secs(20);
            while rebuilt.is_ok() && reads.load(Ordering::Relaxed) < seen + 4 && Instant::now() < until {
                std::thread::yield_now();
            }
            if rebuilt.is_err() {
                stops.store(true, Ordering::Relaxed);
            }
            assert!(rebuilt.expect("rebuilt").runs > 0);
        }
        stops.store(true, Ordering::Relaxed);
    });
    assert!(reads.into_inner() > 30);
}
