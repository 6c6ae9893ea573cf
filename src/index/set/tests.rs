use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use nddb_format::digest::mix;

use super::*;
use crate::disk::steps::observe_storage;
use crate::{CheckOptions, Config, Reader};

/// Clustered fingerprints of `bits` bits, some of them twice.
fn prints(len: u64, bits: u8, salt: u64) -> Vec<u64> {
    let near = |i: u64| mix(i / 7 + salt) ^ 1 << (mix(i) % 64) ^ 1 << (mix(i / 2 + 9) % 64);
    (0..len).map(|i| near(i) & nddb_format::fingerprint::low_mask(bits)).collect()
}

fn writer(path: &Path) -> SetWriter {
    SetWriter::open(path, "a test", std::time::Duration::ZERO).expect("opened")
}

/// Makes a set of some runs.
fn make(path: &Path, (bits, k, levels): (u8, u8, &[u8]), runs: &[Vec<u64>]) -> SetWriter {
    let config = Config::within(k).and_then(|config| config.bits(bits)).and_then(|config| config.levels(levels));
    SetWriter::create(path, &config.expect("parameters")).expect("made");
    let mut writer = writer(path);
    for run in runs {
        run.iter().try_for_each(|&print| writer.push(Fingerprint(print))).expect("pushed");
        writer.flush().expect("stored");
    }
    writer
}

/// Compares all answers of a set with brute force.
fn compare(path: &Path, all: &BTreeSet<u64>, k: u8) {
    let set = FingerprintSet::open(path).expect("opened");
    let bits = set.manifest().bits;
    let low = nddb_format::fingerprint::low_mask(bits);
    let queries: Vec<Fingerprint> =
        all.iter().step_by(1 + all.len() / 90).map(|&it| Fingerprint((it ^ 5) & low)).collect();
    for within in [0, k, k + 2] {
        let near = |query: &Fingerprint| {
            let distance = |&print: &u64| ((print ^ query.0).count_ones(), Fingerprint(print));
            let mut near: Vec<_> = all.iter().map(distance).filter(|one| one.0 <= within.into()).collect();
            near.sort_unstable();
            near
        };
        let want: Vec<_> = queries.iter().map(near).collect();
        assert!(set.find(&queries, Within(within)).expect("answers") == want, "{bits} {k} {within}");
        for repeated in [1, 40] {
            let queries: Vec<Fingerprint> = (0..repeated).flat_map(|_| queries.iter().copied()).collect();
            let mut found = vec![Vec::new(); queries.len()];
            let resources = Resources { threads: 2, memory_limit: 1 << 20, ..Resources::default() };
            for one in set.batch_query(&queries, Within(within), &resources, None).expect("answers") {
                let (query, distance, print) = one.expect("a match");
                found[query as usize].push((distance, print));
            }
            assert!(found.iter().eq((0..repeated).flat_map(|_| &want)), "{bits} {k} {within} {repeated}");
        }
    }
}

fn check(path: &Path) -> crate::CheckReport {
    FingerprintSet::check(path, 2, &mut |_| true).expect("checked")
}

#[test]
fn answers_are_those_of_brute_force_in_any_number_of_runs_before_and_after_a_merge() {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, (bits, k, levels, len)) in
        [(64, 3, &[][..], 6000), (64, 3, &[4], 6000), (24, 2, &[5, 3], 3000), (64, 1, &[2], 1), (64, 3, &[], 0)]
            .into_iter()
            .enumerate()
    {
        let path = folder.path().join(number.to_string());
        let runs = [prints(len, bits, 0), prints(len / 2, bits, 0), prints(len, bits, 50)];
        let all: BTreeSet<u64> = runs.iter().flatten().copied().collect();
        let mut writer = make(&path, (bits, k, levels), &runs);
        compare(&path, &all, k);
        assert!(check(&path).is_sound());
        writer.compact().expect("merged");
        assert_eq!(writer.len(), (all.len() as u64, all.len().min(1)));
        compare(&path, &all, k);
        let report = check(&path);
        assert!(report.is_sound() && report.notes.is_empty(), "{report:?}");

        let (other, more) = (folder.path().join("other"), prints(100, bits, 7));
        let mut writer = make(&other, (bits, k, &[]), std::slice::from_ref(&more));
        assert_eq!(writer.merge(&path).expect("taken"), all.len() as u64);
        assert!(matches!(writer.merge(&other), Err(Error::SameDatabase { .. })));
        compare(&other, &more.into_iter().chain(all).collect(), k);
        drop(writer);
        fs::remove_dir_all(&other).expect("removed");
    }
}

#[test]
fn a_load_beyond_memory_leaves_runs_and_no_threads_change_their_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = prints(60_000, 64, 0);
    let mut files = Vec::new();
    for threads in [1, 2, 7] {
        let path = folder.path().join(threads.to_string());
        let mut writer = make(&path, (64, 3, &[4]), &[]);
        writer.resources(threads, 60_000 * 8);
        all.iter().try_for_each(|&print| writer.push(Fingerprint(print))).expect("pushed");
        writer.flush().expect("stored");
        writer.compact().expect("merged");
        let run = &writer.manifest.runs[0];
        files.push(run.segments.iter().map(|file| (file.length, file.identity, file.checksum)).collect::<Vec<_>>());
        assert!(run.segments[0].number > 4, "there were runs before");
    }
    assert!(files[0] == files[1] && files[1] == files[2]);
}

fn segments(path: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(path.join("runs")).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

#[test]
fn damage_anywhere_is_found_and_a_table_is_made_again_from_another() {
    let folder = tempfile::tempdir().expect("a folder");
    for levels in [&[4][..], &[]] {
        let path = folder.path().join(levels.len().to_string());
        let all: BTreeSet<u64> = prints(3000, 64, 0).into_iter().collect();
        drop(make(&path, (64, 3, levels), &[all.iter().copied().collect()]));
        let files = segments(&path);
        let sound = fs::read(&files[0]).expect("read");
        for at in (0..sound.len()).step_by(sound.len() / 40) {
            let mut bytes = sound.clone();
            bytes[at] ^= 4;
            fs::write(&files[0], bytes).expect("written");
            let report = check(&path);
            assert!(report.faults.iter().all(|fault| fault.path == files[0]) && !report.is_sound(), "{at}");
            assert_eq!(report.faults[0].repairable, files.len() > 1);
        }
        fs::remove_file(&files[0]).expect("removed");
        assert!(!check(&path).is_sound());
        let rebuilt = writer(&path).rebuild();
        if levels.is_empty() {
            assert!(matches!(rebuilt, Err(Error::BeyondRepair { .. })));
            continue;
        }
        assert_eq!(rebuilt.expect("repaired"), 1);
        assert!(check(&path).is_sound());
        assert_eq!(fs::read(segments(&path).last().expect("a new file")).expect("read"), sound);
        compare(&path, &all, 3);
    }
}

#[test]
fn what_is_published_stays_and_what_is_not_is_swept() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set");
    let first: BTreeSet<u64> = prints(500, 64, 0).into_iter().collect();
    let mut interrupted = make(&path, (64, 3, &[4]), &[first.iter().copied().collect()]);
    // Killed at each step: before any file is whole, between two passes, in the last one.
    for stop in 0..=8 {
        let mut asked = 0;
        interrupted.watch(Box::new(move |_| {
            asked += 1;
            asked <= stop
        }));
        interrupted.push(Fingerprint(stop)).expect("pushed");
        assert!(matches!(interrupted.flush(), Err(Error::Cancelled)), "{stop}");
        compare(&path, &first, 3);
        drop(interrupted);
        interrupted = writer(&path);
        assert_eq!(segments(&path).len(), 4, "{stop}");
    }
    assert!(matches!(SetWriter::open(&path, "another", Default::default()), Err(Error::Locked { .. })));
    assert!(matches!(interrupted.push(Fingerprint(0)).and_then(|()| interrupted.flush()), Ok(())));
    compare(&path, &first.into_iter().chain([0]).collect(), 3);
}

#[test]
fn a_load_and_a_merge_that_end_at_any_step_on_disk_leave_the_old_state_or_the_new() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = [prints(300, 64, 0), prints(300, 64, 9)];
    let before: BTreeSet<u64> = runs.iter().flatten().copied().collect();
    let after: BTreeSet<u64> = before.iter().copied().chain([1]).collect();
    let (mut left, mut ended) = (BTreeSet::new(), 0);
    for stop in 0.. {
        let path = folder.path().join(stop.to_string());
        let mut writer = make(&path, (64, 3, &[4]), &runs);
        let steps = Arc::new(AtomicU64::new(0));
        let counted = steps.clone();
        let observer = observe_storage(&path, move |_, _| match counted.fetch_add(1, Ordering::Relaxed) {
            // A process that has ended does nothing more.
            step if step >= stop => Err(std::io::Error::other("ended")),
            _ => Ok(()),
        });
        let outcome = writer.push(Fingerprint(1)).and_then(|()| writer.flush()).and_then(|()| writer.compact());
        drop(observer);
        drop(writer);
        let mut writer = self::writer(&path);
        let stored = writer.len().1;
        compare(&path, if stored == 2 { &before } else { &after }, 3);
        assert!(check(&path).is_sound() && check(&path).notes.is_empty(), "{stop}");
        writer.push(Fingerprint(2)).and_then(|()| writer.flush()).expect("it goes on");
        left.insert(stored);
        if outcome.is_ok() {
            ended = stop;
            break;
        }
    }
    assert!(ended > 20 && left.len() == 3, "{ended} steps, {left:?}");
}

#[test]
fn a_set_is_backed_up_verified_and_restored() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let all = prints(3000, 64, 1);
    let mut writer = make(&at("set"), (64, 3, &[4]), std::slice::from_ref(&all));
    crate::backup(at("set"), at("first"), &mut |_| true).expect("a backup");
    writer.push(Fingerprint(1)).expect("pushed");
    writer.flush().expect("stored");
    let keep = std::num::NonZeroUsize::MIN;
    let (made, retention) = crate::backup_and_keep(at("set"), at("second"), keep, &mut |_| true).expect("a backup");
    assert_eq!(retention.removed, [at("first")]);
    assert_eq!(made.documents, all.iter().collect::<BTreeSet<_>>().len() as u64 + 1);
    let verify = || crate::verify_backup(at("second"), &CheckOptions::default(), &mut |_| true).expect("a report");
    assert!(verify().is_sound());
    crate::restore(at("second"), at("again"), &mut |_| true).expect("restored");
    compare(&at("again"), &all.iter().copied().chain([1]).collect(), 3);
    assert!(check(&at("again")).is_sound() && !at("again/catalog").exists());
    let file = fs::read_dir(at("second/database/runs")).expect("a folder").next().expect("a file").expect("an entry");
    // A copy: the set has the other name of the file.
    let mut bytes = fs::read(file.path()).expect("readable");
    bytes[2000] ^= 1;
    fs::remove_file(file.path()).expect("removed");
    fs::write(file.path(), bytes).expect("written");
    assert!(!verify().is_sound() && check(&at("set")).is_sound());
    crate::restore(at("second"), at("third"), &mut |_| true).expect_err("damaged");
}

#[test]
fn a_set_is_no_database_and_a_database_no_set() {
    let folder = tempfile::tempdir().expect("a folder");
    let (set, database) = (folder.path().join("set"), folder.path().join("database"));
    drop(make(&set, (64, 3, &[]), &[vec![1]]));
    crate::Writer::create(&database, &Config::within(3).expect("k")).expect("made");
    let told = |error: Error| {
        let told = error.to_string();
        assert!(told.contains("set of fingerprints"), "{told}");
    };
    told(Reader::open(&set).expect_err("refused"));
    told(crate::Writer::open(&set).expect_err("refused"));
    told(crate::StaticIndex::open(&set).expect_err("refused"));
    told(crate::check(&set, &CheckOptions::default(), &mut |_| true).expect_err("refused"));
    told(crate::rebuild(&set, &crate::RebuildOptions::default(), &mut |_| true).expect_err("refused"));
    told(FingerprintSet::open(&database).expect_err("refused"));
    told(SetWriter::open(&database, "a test", Default::default()).expect_err("refused"));
    assert!(FingerprintSet::is_at(&set) && !FingerprintSet::is_at(&database));
    assert!(check(&set).is_sound());
}
