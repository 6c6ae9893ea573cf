//! The life of documents: bulk loads, replacements, deletions, batches, compactions, merges.

use std::path::Path;

use nddb::detect::{Judgement, document_of_page};
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::{Config, Document, Fingerprint, Outcome, Reader, View, Within, Writer};

use super::support::hamming;

fn document(id: &str, fingerprint: u64) -> Document {
    Document::bare(id, Fingerprint(fingerprint)).expect("a good id")
}

fn create(folder: &tempfile::TempDir) -> (std::path::PathBuf, Writer) {
    let path = folder.path().join("db");
    let writer = Writer::create(&path, &Config::within(3).expect("k")).expect("a new database");
    (path, writer)
}

/// Returns fingerprints that are far from each other.
fn spread(index: u64) -> u64 {
    let mut z = index.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^= z >> 31;
    z.wrapping_mul(0x94d0_49bb_1331_11eb)
}

fn ids(view: &View<'_>, fingerprint: u64, k: u8) -> Vec<String> {
    let answers = view.find(&[Fingerprint(fingerprint)], Within(k)).expect("an answer");
    let answer = &answers[0];
    assert_eq!(answer.count, answer.matches.len() as u64);
    answer.matches.iter().map(|found| found.id.clone()).collect()
}

fn reader_ids(path: &Path, fingerprint: u64) -> Vec<String> {
    ids(&Reader::open(path).expect("a reader").view(), fingerprint, 0)
}

#[test]
fn a_bulk_load_replaces_skips_what_is_unchanged_and_keeps_the_last_of_equal_ids() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, mut writer) = create(&folder);
    for (id, index) in [("same", 1), ("other", 2), ("staged", 3)] {
        assert_eq!(writer.insert(document(id, spread(index))).expect("taken"), Outcome::New);
    }
    let mut load = writer.bulk_load().expect("a load");
    for (id, index) in [("same", 1), ("other", 20), ("twice", 4), ("new", 5), ("twice", 6)] {
        load.push(document(id, spread(index))).expect("taken");
    }
    let loaded = load.finish().expect("loaded");
    assert_eq!((loaded.documents, loaded.replaced, loaded.unchanged, loaded.repeated), (3, 1, 1, 1));
    for (index, want) in
        [(1, vec!["same"]), (2, vec![]), (20, vec!["other"]), (4, vec![]), (6, vec!["twice"]), (3, vec!["staged"])]
    {
        assert_eq!(ids(&writer.view(), spread(index), 3), want, "fingerprint {index}");
        assert_eq!(reader_ids(&path, spread(index)), want, "fingerprint {index}");
    }
}

#[test]
fn what_is_taken_back_or_rolled_back_is_not_committed_and_what_it_replaced_stays() {
    for pending in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, mut writer) = create(&folder);
        for (id, index) in [("kept", 1), ("deleted", 2)] {
            writer.insert(document(id, spread(index))).expect("taken");
        }
        writer.commit().expect("committed");
        if pending {
            writer.label("later", true).expect("a batch");
        }
        // Taken back after it was replaced again, and after a deletion, which stays.
        assert_eq!(writer.insert(document("kept", spread(10))).expect("taken"), Outcome::Replaced);
        assert_eq!(writer.insert(document("kept", spread(11))).expect("taken"), Outcome::Replaced);
        assert_eq!(writer.insert(document("new", spread(3))).expect("taken"), Outcome::New);
        assert!(writer.take_back("kept").expect("taken back"));
        assert!(!writer.take_back("kept").expect("nothing is staged"));
        assert!(writer.delete("deleted").expect("staged"));
        writer.insert(document("deleted", spread(20))).expect("taken");
        assert!(writer.take_back("deleted").expect("taken back"));
        // The document is staged anew as if nothing had happened.
        assert_eq!(writer.insert(document("kept", spread(1))).expect("taken"), Outcome::Unchanged);
        writer.commit().expect("committed");
        if pending {
            writer.commit_batch("later").expect("committed");
        }
        let answers = |path: &Path| [1, 2, 3, 10, 11, 20].map(|index| reader_ids(path, spread(index)));
        let want = [vec!["kept"], vec![], vec!["new"], vec![], vec![], vec![]];
        assert_eq!(answers(&path), want, "pending: {pending}");

        writer.insert(document("kept", spread(10))).expect("taken");
        writer.insert(document("more", spread(20))).expect("taken");
        assert!(writer.delete("new").expect("staged"));
        writer.rollback().expect("rolled back");
        writer.close().expect("closed");
        assert_eq!(answers(&path), want, "pending: {pending}");
        let report = nddb::check(&path, &nddb::CheckOptions::default(), &mut |_| true).expect("a report");
        assert!(report.is_sound(), "{:?}", report.faults);
    }
}

#[test]
fn an_iterator_gives_the_documents_that_are_visited() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, mut writer) = create(&folder);
    for len in [0, 1, 254, 1, 1, 700] {
        for _ in 0..len {
            let number = writer.view().complete_to();
            writer.insert(document(&format!("{number}"), spread(number))).expect("taken");
            writer.commit().expect("committed");
        }
        let mut visited = Vec::new();
        let visit = &mut |stored| {
            visited.push(stored);
            Ok(true)
        };
        writer.view().each(visit).expect("all documents");
        let given: Vec<_> = writer.view().documents().map(|stored| stored.expect("a document")).collect();
        assert!(given == visited, "{} documents of {}", given.len(), visited.len());
        if given.len() > 3 {
            assert!(writer.delete(&given[3].record.id).expect("deleted"));
        }
    }
}

#[test]
fn a_load_in_many_chunks_ends_as_one_run_with_the_same_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, mut writer) = create(&folder);
    writer.set_memory_limit(16 << 20);
    writer.set_threads(2);
    let len = 400_000u64;
    let mut load = writer.bulk_load().expect("a load");
    for index in 0..len {
        load.push(document(&format!("{index}"), spread(index % 300_000))).expect("taken");
    }
    assert_eq!(load.finish().expect("loaded").documents, len);

    for index in (0..300_000).step_by(997) {
        let mut want: Vec<String> =
            (0..len).filter(|other| other % 300_000 == index).map(|index| index.to_string()).collect();
        want.sort();
        assert_eq!(ids(&writer.view(), spread(index), 0), want);
    }
    sound(&folder.path().join("db"));
}

#[test]
fn compaction_drops_deleted_documents_and_their_fingerprints() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, mut writer) = create(&folder);
    for round in 0..5u64 {
        for index in 0..1000 {
            writer.insert(document(&format!("{round}-{index}"), spread(index + round * 900))).expect("taken");
        }
        writer.commit().expect("durable");
        writer.flush().expect("flushed");
    }
    for index in 0..1000 {
        assert!(writer.delete(&format!("2-{index}")).expect("deleted"));
    }
    writer.commit().expect("durable");
    let before: Vec<Vec<String>> = (0..4600).map(|index| ids(&writer.view(), spread(index), 3)).collect();
    let plan = writer.plan_compaction().expect("five runs are too many");
    assert_eq!(plan.runs(), 5);
    let done = writer.compact(&plan).expect("compacted");
    assert_eq!((done.documents_dropped, done.runs_after), (1000, 1));
    assert_eq!(done.fingerprints_dropped, 800, "the first and last hundred are shared with neighbours");
    assert!(done.bytes_after < done.bytes_before);
    assert_eq!(writer.plan_full_compaction(), None);
    let after: Vec<Vec<String>> = (0..4600).map(|index| ids(&writer.view(), spread(index), 3)).collect();
    assert_eq!(before, after);
    writer.close().expect("closed");
    let reader = Reader::open(&path).expect("a reader");
    let after: Vec<Vec<String>> = (0..4600).map(|index| ids(&reader.view(), spread(index), 3)).collect();
    assert_eq!(before, after);
    assert_eq!(reader.view().get("2-7").expect("looked up"), None);
    sound(&path);
}

#[test]
fn a_database_is_reshaped_to_other_tables_with_the_same_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, mut writer) = create(&folder);
    let mut load = writer.bulk_load().expect("a load");
    (0..5000).for_each(|index| load.push(document(&format!("{index}"), spread(index) >> (index % 3))).expect("taken"));
    load.finish().expect("loaded");
    let before: Vec<Vec<String>> = (0..5000).map(|index| ids(&writer.view(), spread(index) ^ 5, 3)).collect();
    for levels in [&[4, 4][..], &[6], &[5]] {
        assert_eq!(writer.reshape(Some(levels)).expect("reshaped").len(), 1);
        let after: Vec<Vec<String>> = (0..5000).map(|index| ids(&writer.view(), spread(index) ^ 5, 3)).collect();
        assert_eq!(before, after);
    }
    sound(&path);
}

#[test]
fn a_pending_batch_is_invisible_until_it_is_committed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, mut writer) = create(&folder);
    writer.insert(document("old", spread(1))).expect("taken");
    writer.label("next", true).expect("a batch");
    assert_eq!(writer.insert(document("old", spread(2))).expect("taken"), Outcome::Replaced);
    assert_eq!(writer.insert(document("new", spread(3))).expect("taken"), Outcome::New);
    writer.commit().expect("durable");
    assert_eq!((reader_ids(&path, spread(1)), reader_ids(&path, spread(2))), (vec!["old".into()], vec![]));
    // A pending document does not block one, is flushed like every other, and its own replacement is final.
    assert_eq!(writer.insert(document("new", spread(4))).expect("taken"), Outcome::Replaced);
    writer.commit().expect("durable");
    writer.flush().expect("flushed");
    drop(writer);
    let mut writer = Writer::open(&path).expect("opened again");
    let judgement = hamming(3).insert_if_new(&mut writer, document("third", spread(4))).expect("taken");
    assert_eq!(judgement, Judgement::Inserted { outcome: Outcome::New, complete: true });
    writer.commit().expect("durable");
    assert_eq!(writer.commit_batch("next").expect("committed"), 2);
    assert_eq!(reader_ids(&path, spread(1)), Vec::<String>::new());
    assert_eq!(reader_ids(&path, spread(2)), ["old"]);
    assert_eq!(reader_ids(&path, spread(3)), Vec::<String>::new());
    assert_eq!(reader_ids(&path, spread(4)), ["new", "third"]);
    assert!(writer.commit_batch("next").is_err(), "it is not pending any more");
    sound(&path);
}

#[test]
fn a_cancelled_batch_leaves_nothing_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, mut writer) = create(&folder);
    writer.insert(document("old", spread(1))).expect("taken");
    writer.label("bad", true).expect("a batch");
    let mut load = writer.bulk_load().expect("a load");
    for index in 0..100 {
        load.push(document(&format!("bad-{index}"), spread(index))).expect("taken");
    }
    load.push(document("old", spread(200))).expect("taken");
    load.finish().expect("loaded");
    assert_eq!(reader_ids(&path, spread(1)), ["old"]);
    assert_eq!(writer.cancel_batch("bad").expect("cancelled"), 101);
    assert_eq!(reader_ids(&path, spread(200)), Vec::<String>::new());
    assert_eq!(reader_ids(&path, spread(1)), ["old"]);
    assert!(writer.label("bad", true).is_err(), "its name is used up");
    let plan = writer.plan_full_compaction().expect("something to drop");
    assert_eq!(writer.compact(&plan).expect("compacted").documents_dropped, 101);
    writer.close().expect("closed");
    assert_eq!(reader_ids(&path, spread(1)), ["old"]);
    sound(&path);
}

#[test]
fn merging_takes_over_documents_and_batches_and_leaves_the_source_as_it_is() {
    let (ours, theirs) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let (path, mut writer) = create(&ours);
    let (source, mut other) = create(&theirs);
    writer.label("day", false).expect("a batch");
    for (id, index) in [("both", 1), ("mine", 2)] {
        writer.insert(document(id, spread(index))).expect("taken");
    }
    writer.commit().expect("durable");
    other.insert(document("gone", spread(9))).expect("taken");
    other.commit().expect("durable");
    other.label("day", false).expect("a batch");
    for (id, index) in [("both", 3), ("yours", 4)] {
        other.insert(document(id, spread(index))).expect("taken");
    }
    other.commit().expect("durable");
    other.delete("gone").expect("deleted");
    other.label("secret", true).expect("a batch");
    other.insert(document("hidden", spread(5))).expect("taken");
    other.commit().expect("durable");
    let merged = writer.merge(&source).expect("merged");
    assert_eq!((merged.documents, merged.replaced), (2, 1));
    for (index, want) in
        [(1, vec![]), (2, vec!["mine"]), (3, vec!["both"]), (4, vec!["yours"]), (5, vec![]), (9, vec![])]
    {
        assert_eq!(ids(&writer.view(), spread(index), 0), want, "fingerprint {index}");
        assert_eq!(reader_ids(&path, spread(index)), want, "fingerprint {index}");
    }
    assert_eq!(writer.delete_batch("day").expect("deleted"), 3);
    assert_eq!(reader_ids(&source, spread(4)), ["yours"]);
    assert!(writer.merge(&path).is_err(), "itself");
    sound(&path);
    sound(&source);
}

/// What became of each document of a load is counted alike however often the load commits.
#[test]
fn what_comes_again_under_an_id_is_counted_alike_however_a_load_is_cut() {
    let none = document_of_page("none", &Page::text(""), &Recipe::default()).expect("a good id");
    for every in [1, 2, 9] {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, mut writer) = create(&folder);
        for (id, index) in [("old", 1), ("same", 2)] {
            writer.insert(document(id, spread(index))).expect("taken");
        }
        let mut load = writer.bulk_load().expect("a load");
        let pushed = [("old", 3), ("same", 2), ("new", 4), ("old", 5), ("new", 4), ("old", 6), ("new", 4)]
            .map(|(id, index)| document(id, spread(index)));
        let len = pushed.len() as u64 + 2;
        for (count, document) in (1..).zip(pushed.into_iter().chain([none.clone(), document("none", spread(7))])) {
            load.push(document).expect("taken");
            if count % every == 0 {
                load.checkpoint().expect("committed");
            }
        }
        let loaded = load.finish().expect("loaded");
        let counts = [loaded.documents, loaded.replaced, loaded.unchanged, loaded.repeated, loaded.unprinted];
        assert_eq!(counts, [3, 1, 3, 3, 0], "a commit after {every}");
        assert_eq!(loaded.documents + loaded.unchanged + loaded.repeated, len);
        assert_eq!(writer.view().stats().expect("counted").documents, 4);
        drop(writer);
        sound(&path);
    }
}

/// Two databases that take over each other's documents again and again give out a number for each document that is new
/// to them, and no other.
#[test]
fn merging_back_and_forth_takes_no_number_twice_for_the_same_document() {
    const LEN: u64 = 500;
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let mut paths = Vec::new();
    for (folder, name) in folders.iter().zip(["a", "b"]) {
        let (path, mut writer) = create(folder);
        writer.label(name, false).expect("a batch");
        for index in 0..LEN {
            let id = if index < 100 { format!("both {index}") } else { format!("{name} {index}") };
            writer.insert(document(&id, spread(index))).expect("taken");
        }
        writer.close().expect("closed");
        paths.push(path);
    }
    for round in 0..6 {
        for (to, from) in [(0, 1), (1, 0)] {
            let mut writer = Writer::open(&paths[to]).expect("opened");
            let before = writer.view().stats().expect("counted").next_number;
            let merged = writer.merge(&paths[from]).expect("merged");
            let stats = writer.view().stats().expect("counted");
            assert_eq!((stats.documents, stats.next_number), (2 * LEN - 100, before + merged.documents));
            assert_eq!(merged.documents, if round == 0 { LEN - 100 } else { 0 }, "round {round}");
            writer.close().expect("closed");
            sound(&paths[to]);
        }
    }
    let writer = Writer::open(&paths[0]).expect("opened");
    let counts: Vec<_> = writer.batches().expect("listed").into_iter().map(|(name, _, count)| (name, count)).collect();
    assert_eq!(counts, [("a".to_owned(), LEN), ("b".to_owned(), LEN - 100)]);
}

/// Asserts that the check of a database finds no fault.
fn sound(path: &Path) {
    let report = nddb::check(path, &nddb::CheckOptions::default(), &mut |_| true).expect("it can be checked");
    assert!(report.faults.is_empty(), "{:#?}", report.faults);
}
