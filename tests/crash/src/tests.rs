//! The part of the sweeps that belongs to every run of the tests, and the mistakes in the protocol that are noticed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nddb::{CheckOptions, Document, Fingerprint, Writer};
use nddb_index::testing::{Bug, observe_storage, seed_bug};

use crate::bugs::Means::{self, Cut, Kill, Order};
use crate::commands::Command;
use crate::cuts::Sweep;
use crate::lives::live_through;
use crate::mount::FileSystem;
use crate::outputs::Crashes;
use crate::processes::Processes;
use crate::support::steps::{Step, create};
use crate::support::{Random, folder, say};
use crate::sweeps::Sweeps;
use crate::workload::{Deed, Workload, backup, database};

/// Two of the tests run at a time.
const SWEEPS: Sweeps = Sweeps { kills: 300, cuts: 200, power: 75, errors: 60, lives: 120, seed: 1, threads: 1 };

#[test]
fn a_child_does_its_task() {
    // Run with the other tests, it has none.
    let is_child = crate::child::do_task();
    assert_eq!(is_child, std::env::var_os(crate::child::TASK).is_some());
    crate::processes::do_role();
    crate::outputs::do_command();
}

#[test]
fn eight_readers_backups_and_checks_beside_a_writer_that_is_killed_find_whole_commits() {
    let processes = Processes { time: Duration::from_secs(15), readers: 8, seed: 1 };
    let counts = processes.run().unwrap_or_else(|why| panic!("{why}"));
    assert!(counts.kills > 3 && counts.commits > 3 && counts.views > 20, "{counts:?}");
    assert!(counts.backups > 0 && counts.checks > 0, "{counts:?}");
}

#[test]
fn a_power_cut_of_the_model_at_any_call_loses_nothing_acknowledged_and_needs_no_repair() {
    let counted = SWEEPS.cut().unwrap_or_else(|why| panic!("{why}"));
    assert!(counted.judged >= SWEEPS.cuts && counted.again > 0, "{counted:?}");
}

#[test]
fn a_process_killed_at_any_call_loses_nothing_acknowledged_and_needs_no_repair() {
    let counted = SWEEPS.kill().unwrap_or_else(|why| panic!("{why}"));
    assert!(counted.judged >= SWEEPS.kills && counted.again > 0, "{counted:?}");
}

#[test]
fn a_power_cut_of_a_file_system_at_any_call_loses_nothing_acknowledged_and_needs_no_repair() {
    for kind in FileSystem::ALL {
        let counted = SWEEPS.cut_power(kind).unwrap_or_else(|why| panic!("{why}"));
        assert!(counted.judged >= SWEEPS.power, "{counted:?}");
    }
}

#[test]
fn a_call_that_fails_is_told_and_nothing_is_lost_by_it() {
    let counted = SWEEPS.fail().unwrap_or_else(|why| panic!("{why}"));
    assert!(counted.judged >= SWEEPS.errors && counted.again > counted.judged / 2, "{counted:?}");
}

#[test]
fn lives_of_databases_are_as_the_model_says() {
    let counted = SWEEPS.live().unwrap_or_else(|why| panic!("{why}"));
    assert!(counted.judged >= SWEEPS.lives && counted.again > counted.judged, "{counted:?}");
}

/// Asserts that each of these means notices a mistake, and says nothing of the same work without it.
fn assert_noticed(bug: Bug, by: &[Means]) {
    static WITHOUT: Mutex<BTreeMap<(Means, u64), Option<String>>> = Mutex::new(BTreeMap::new());
    for &means in by {
        let noticed = (1..=12).find_map(|seed| means.says(Some(bug), seed).map(|said| (seed, said)));
        let (seed, said) = noticed.unwrap_or_else(|| panic!("{means:?} does not notice {bug:?}"));
        let mut known = WITHOUT.lock().unwrap_or_else(PoisonError::into_inner);
        let without = known.entry((means, seed)).or_insert_with(|| means.says(None, seed));
        assert_eq!(*without, None, "{means:?} says so without {bug:?}, too; with it {said}");
    }
}

#[test]
fn a_file_of_a_run_that_is_not_synced_is_noticed() {
    assert_noticed(Bug::FileNotSynced, &[Order, Cut]);
}

#[test]
fn folders_that_are_not_synced_are_noticed() {
    assert_noticed(Bug::FolderNotSynced, &[Order, Cut]);
}

#[test]
fn a_manifest_published_before_its_run_is_noticed() {
    assert_noticed(Bug::ManifestBeforeRun, &[Order, Cut]);
}

#[test]
fn a_manifest_that_is_not_synced_is_noticed() {
    assert_noticed(Bug::ManifestNotSynced, &[Order, Cut]);
}

#[test]
fn an_acknowledgement_before_the_commit_is_noticed() {
    assert_noticed(Bug::AcknowledgedBeforeCommit, &[Cut, Kill]);
}

#[test]
fn a_file_removed_before_the_manifest_without_it_is_noticed() {
    assert_noticed(Bug::RemovedBeforeManifest, &[Order, Cut]);
}

#[test]
fn a_log_that_is_not_synced_is_noticed() {
    assert_noticed(Bug::LogNotSynced, &[Order, Cut]);
}

#[test]
fn a_load_committed_before_its_rows_is_noticed() {
    assert_noticed(Bug::LoadCommittedFirst, &[Cut, Kill]);
}

#[test]
fn numbers_visible_from_their_reservation_on_are_noticed() {
    assert_noticed(Bug::RangeVisibleEarly, &[Cut, Kill]);
}

#[test]
fn a_file_removed_without_a_grace_is_noticed() {
    assert_noticed(Bug::NoGrace, &[Order]);
}

#[test]
fn a_merge_in_place_of_other_runs_is_noticed() {
    let mut random = Random::fixed(9);
    let mut deeds = vec![Deed::Create];
    for _ in 0..3 {
        deeds.extend([Step::group(&mut random), Step::flush(&mut random)].map(Deed::Step));
    }
    deeds.extend([Deed::Step(Step::reshape(&mut random)), Deed::Close]);
    let sweep = |bug| Sweep { bug, workload: Workload::of(deeds.clone(), false), ..Sweep::new(9, 40) }.run();
    sweep(None).unwrap_or_else(|why| panic!("{why}"));
    assert!(sweep(Some(Bug::OtherInputs)).is_err());
}

#[test]
fn a_backup_without_the_newest_log_is_noticed() {
    assert_noticed(Bug::BackupWithoutLog, &[Cut]);
}

#[test]
fn a_fold_of_deletions_that_counts_later_ones_is_noticed() {
    // Each commit replaces documents of the one before it, and has the one before it flushed.
    let deeds = [Deed::Create].into_iter().chain((1..=5).map(Deed::Insert)).chain([Deed::Close]);
    let workload = Workload::of(deeds.collect(), false);
    let live = |seed, bug| live_through(&workload, seed, bug);
    let cut = |bug| Sweep { bug, workload: workload.clone(), ..Sweep::new(4, 20) }.run();
    live(1, None).and_then(|_| cut(None)).unwrap_or_else(|why| panic!("{why}"));
    let bug = Some(Bug::FoldedTooFar);
    assert!((1..=8).any(|seed| live(seed, bug).is_err()), "views are compared with the model");
    assert!(cut(bug).is_err(), "views after a power cut are");
}

/// Between taking the files of the runs and those of the catalog, a writer deletes, merges, and removes what it
/// replaced.
#[test]
fn a_backup_of_two_states_is_noticed() {
    let backed_up = |bug: Option<Bug>| {
        let folder = folder();
        let (path, target) = (database(folder.path()), backup(folder.path(), 1));
        let _bug = bug.map(|bug| seed_bug(folder.path(), bug));
        let mut writer = create(&path);
        // Documents of a bulk load are in sorted files of the catalog.
        let mut load = writer.bulk_load().expect("begun");
        for number in 0..300u64 {
            let document = Document::bare(&number.to_string(), Fingerprint(number << 20)).expect("a document");
            load.push(document).expect("taken");
        }
        load.finish().expect("loaded");
        writer.close().expect("closed");
        let (other, is_done) = (path.clone(), Arc::new(AtomicBool::new(false)));
        let done = is_done.clone();
        let _observer = observe_storage(folder.path(), move |action, to| {
            let is_catalog = action == "link the file" && to.extension().is_some_and(|end| end == "sst");
            if is_catalog && !to.starts_with(&other) && !done.swap(true, Ordering::Relaxed) {
                let mut writer = Writer::open(&other).expect("opened");
                for number in 0..200 {
                    writer.delete(&number.to_string()).expect("deleted");
                }
                writer.commit().expect("committed");
                let plan = writer.plan_full_compaction().expect("there is something to drop");
                writer.compact(&plan).expect("merged");
                writer.close().expect("closed");
            }
            Ok(())
        });
        nddb::backup(&path, &target, &mut |_| true).map_err(|error| format!("{error:?}"))?;
        assert!(is_done.load(Ordering::Relaxed), "a writer came in between");
        let report = nddb::verify_backup(&target, &CheckOptions::default(), &mut |_| true).expect("verified");
        if report.is_sound() { Ok(()) } else { Err(format!("{report:?}")) }
    };
    backed_up(None).unwrap_or_else(|why| panic!("{why}"));
    let why = backed_up(Some(Bug::BackupOfTwoStates)).expect_err("it is damaged");
    assert!(why.contains("BackupReport"), "{why}");
}

#[test]
fn a_command_that_ends_or_fails_at_any_call_leaves_whole_outputs() {
    for command in Command::ALL {
        let crashed = Crashes::new(command, 40, SWEEPS.seed).run().unwrap_or_else(|why| panic!("{why}"));
        say(&format!("{command:?}: {crashed:?}"));
        assert!(crashed.kills > 0 && crashed.cuts > 0 && crashed.failures > 0 && crashed.told > 0, "{crashed:?}");
    }
}

/// What a command could forget to sync, the command, and the calls.
type Forgotten = (&'static str, Command, fn(&str) -> bool);

/// Syncs that commands could forget.
const FORGOTTEN: [Forgotten; 9] = [
    ("contents of an output", Command::Export, |call| is_part(call, ".out.jsonl.")),
    ("name of an output", Command::Export, is_root),
    ("contents of a list of removed documents", Command::Filter, |call| is_part(call, ".removed.tsv.")),
    ("contents of an archive", Command::Revisits, |call| is_part(call, ".out.warc.gz.")),
    ("contents of lists", Command::Cluster, |call| is_part(call, "/lists/")),
    ("names of lists", Command::Cluster, |call| call.ends_with("/lists")),
    ("contents of a backup", Command::Backup, |call| call.contains("/third.partial/whole/")),
    ("name of a backup", Command::Backup, |call| call.ends_with("/backups")),
    ("contents of a restored database", Command::Restore, |call| call.contains("/again.partial/whole/")),
];

/// Whether a file in the making is synced.
fn is_part(call: &str, name: &str) -> bool {
    call.contains(name) && call.ends_with(".nddb-part")
}

/// Whether the folder of all files is synced.
fn is_root(call: &str) -> bool {
    Path::new(call).file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".tmp"))
}

#[test]
fn what_a_command_forgets_to_sync_is_noticed() {
    let every = |command| match command {
        Command::Backup | Command::Restore | Command::Cluster => 3,
        _ => 1,
    };
    let cut =
        |command, omits, seed| Crashes { omits: Some(omits), ..Crashes::new(command, every(command), seed) }.run();
    // dedup makes many calls before it writes its outputs as the others do.
    for command in Command::ALL.into_iter().filter(|command| *command != Command::Dedup) {
        cut(command, |_| false, SWEEPS.seed).unwrap_or_else(|why| panic!("nothing is forgotten: {why}"));
    }
    for (what, command, omits) in FORGOTTEN {
        // Where the power is cut is drawn, and some mistakes show at few calls.
        let why = (SWEEPS.seed..SWEEPS.seed + 5).find_map(|seed| cut(command, omits, seed).err()).expect(what);
        say(&format!("{what}: {why}"));
        assert!(why.contains("Cut"), "{what}: {why}");
    }
}

/// Its log has many blocks, of which a power cut may leave any.
#[test]
fn a_large_commit_that_is_torn_or_written_out_of_order_is_lost_as_a_whole() {
    let workload = Workload::of(vec![Deed::Create, Deed::Insert(1), Deed::Insert(2), Deed::Close], false);
    let counts = Sweep { workload, ..Sweep::new(77, 80) }.run().unwrap_or_else(|why| panic!("{why}"));
    assert!(counts.cuts >= 80, "{counts:?}");
}
