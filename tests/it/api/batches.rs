//! Batches that are committed, cancelled, or whose load is interrupted.

use nddb::Fingerprint;

use super::*;

fn ids(writer: &Writer, fingerprint: u64) -> Vec<String> {
    let found = writer.view().find(&[Fingerprint(fingerprint)], Within(0));
    found.expect("answered").remove(0).matches.into_iter().map(|found| found.id).collect()
}

fn assert_sound(path: &Path) {
    let report = nddb::check(path, &nddb::CheckOptions::default(), &mut |_| true).expect("checked");
    assert!(report.is_sound(), "{report:#?}");
}

#[test]
fn a_batch_committed_or_cancelled_does_not_end_the_label_of_another() {
    let folder = folder();
    let mut writer = create(&folder.path().join("db"));
    for name in ["first", "second", "third"] {
        writer.label(name, true).expect("labelled");
        writer.insert(bare(name, 1)).expect("inserted");
    }
    writer.commit_batch("first").expect("committed");
    writer.insert(bare("after", 1)).expect("inserted");
    writer.cancel_batch("second").expect("cancelled");
    writer.insert(bare("after that", 1)).expect("inserted");
    writer.commit().expect("committed");
    assert_eq!(ids(&writer, 1), ["first"], "the others belong to a pending batch");
    writer.commit_batch("third").expect("committed");
    assert_eq!(ids(&writer, 1), ["after", "after that", "first", "third"]);
    writer.insert(bare("of no batch", 1)).expect("inserted");
    writer.commit().expect("committed");
    assert_eq!(ids(&writer, 1).len(), 5);
}

#[test]
fn what_a_batch_replaces_is_not_counted_off_again_when_it_was_deleted_and_dropped_before() {
    let folder = folder();
    let path = folder.path().join("db");
    let mut writer = create(&path);
    for id in ["a", "b", "c"] {
        writer.insert(bare(id, 1)).expect("inserted");
    }
    writer.label("night", true).expect("labelled");
    writer.insert(bare("a", 2)).expect("inserted");
    writer.unlabel().expect("unlabelled");
    assert!(writer.delete("a").expect("deleted"));
    writer.commit().expect("committed");
    writer.flush().expect("flushed");
    if let Some(plan) = writer.plan_full_compaction() {
        writer.compact(&plan).expect("compacted");
    }
    writer.close().expect("closed, and what was dropped is gone");
    let mut writer = Writer::open(&path).expect("opened");
    assert_eq!(writer.commit_batch("night").expect("committed"), 1);
    assert_eq!((ids(&writer, 1), ids(&writer, 2)), (vec!["b".into(), "c".into()], vec!["a".into()]));
    assert_eq!(writer.view().stats().expect("counted").documents, 3);
    drop(writer);
    assert_sound(&path);
}

#[test]
fn a_load_that_was_stopped_is_not_made_visible_by_the_commit_of_its_batch() {
    for reopened in [false, true] {
        for (phase, pending) in
            ["sort ids", "write records", "write run"].map(|phase| [(phase, true), (phase, false)]).concat()
        {
            let folder = folder();
            let path = folder.path().join("db");
            let mut writer = create(&path);
            writer.label("night", pending).expect("labelled");
            writer.insert(bare("before", 1)).expect("inserted");
            writer.commit().expect("committed");
            // Of the runs that are written, that of the load is meant.
            writer.flush().expect("flushed");
            writer.watch(Box::new(move |progress| progress.phase != phase));
            let mut load = writer.bulk_load().expect("a load begins");
            for number in 0..100 {
                load.push(bare(&number.to_string(), 1)).expect("taken");
            }
            load.push(bare("before", 3)).expect("taken");
            let error = load.finish().err();
            assert!(matches!(error, Some(Error::Cancelled)), "{phase}: {error:?}");
            writer.watch(Box::new(|_| true));
            if reopened {
                drop(writer);
                writer = Writer::open(&path).expect("opened");
                assert_sound(&path);
            }
            assert_eq!(writer.batches().expect("listed")[0].2, 1, "{phase}");
            if pending {
                assert_eq!(ids(&writer, 1), [""; 0], "{phase}");
                assert_eq!(writer.commit_batch("night").expect("committed"), 1, "{phase}");
            }
            assert_eq!(ids(&writer, 1), ["before"], "{phase}");
            assert_eq!(writer.view().stats().expect("counted").documents, 1, "{phase}");
            writer.flush().expect("flushed");
            writer.unlabel().expect("unlabelled");
            writer.insert(bare("5", 1)).expect("inserted");
            assert_eq!(writer.delete_batch("night").expect("deleted"), 1, "{phase}");
            assert_eq!(ids(&writer, 1), ["5"], "{phase}");
            assert_eq!(writer.view().stats().expect("counted").documents, 1, "{phase}");
            writer.close().expect("closed");
            let writer = Writer::open(&path).expect("opened");
            assert_eq!(ids(&writer, 1), ["5"], "{phase}");
            writer.close().expect("closed");
            assert_sound(&path);
        }
    }
}
