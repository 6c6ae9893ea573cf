//! Numbered commits, each of which determines all that a database contains: a view is that of one commit, as a whole.

use std::path::Path;

use nddb::{Fingerprint, View, Within, Writer};

use super::{Random, bare};

/// Number of documents that each commit adds.
pub(crate) const ADDED: u64 = 60;
/// Number of documents that each commit replaces, all of them.
pub(crate) const REPLACED: u64 = 20;
/// A commit deletes the first document that this many commits before it added.
const DELETED_AFTER: u64 = 10;

/// Returns the fingerprint of a document of a commit.
pub(crate) fn mixed(kind: u64, commit: u64, index: u64) -> u64 {
    Random::fixed(kind << 60 ^ commit << 20 ^ index).next()
}

/// The documents of a commit: the added ones, and the new versions of the replaced ones.
fn documents(commit: u64) -> impl Iterator<Item = (String, u64)> {
    let added = (0..ADDED).map(move |index| (format!("added {commit} {index}"), mixed(1, commit, index)));
    added.chain((0..REPLACED).map(move |index| (format!("replaced {index}"), mixed(2, commit, index))))
}

/// Whether a commit is a bulk load.
pub(crate) fn is_load(commit: u64) -> bool {
    commit % 7 == 5
}

/// The document that a commit deletes.
fn gone(commit: u64) -> Option<String> {
    commit.checked_sub(DELETED_AFTER).map(|old| format!("added {old} 0"))
}

/// Stages the changes of a commit, one by one.
pub(crate) fn stage(writer: &mut Writer, commit: u64) {
    for (id, print) in documents(commit) {
        writer.insert(bare(&id, print)).expect("inserted");
    }
    if let Some(id) = gone(commit) {
        assert!(writer.delete(&id).expect("deleted"));
    }
}

/// Makes a commit, the next one of the database.
pub(crate) fn make(writer: &mut Writer, commit: u64) {
    if !is_load(commit) {
        stage(writer, commit);
        writer.commit().expect("committed");
        return;
    }
    let mut load = writer.bulk_load().expect("a load begins");
    documents(commit).for_each(|(id, print)| load.push(bare(&id, print)).expect("taken"));
    let loaded = load.finish().expect("loaded");
    assert_eq!((loaded.documents, loaded.replaced), (ADDED + REPLACED, if commit == 0 { 0 } else { REPLACED }));
    assert!(complete(writer, commit) || commit < DELETED_AFTER, "it is deleted once");
}

/// Deletes what a load deletes, if it has not done so: a load deletes nothing by itself, and views account for that.
/// Returns whether it has.
pub(crate) fn complete(writer: &mut Writer, commit: u64) -> bool {
    let deleted = is_load(commit) && gone(commit).is_some_and(|id| writer.delete(&id).expect("deleted"));
    if deleted {
        writer.commit().expect("committed");
    }
    deleted
}

/// Does some of the work that does not change what is visible, as a random number says.
pub(crate) fn keep_up(mut writer: Writer, path: &Path, commit: u64, random: &mut Random) -> Writer {
    match random.below(12) {
        0..4 => writer.flush().expect("flushed"),
        4..6 => {
            while let Some(plan) = writer.plan_compaction() {
                writer.compact(&plan).expect("compacted");
            }
        }
        6 => {
            if let Some(plan) = writer.plan_full_compaction() {
                writer.compact(&plan).expect("compacted");
            }
        }
        7 => drop(writer.reshape(Some(&[4 + (commit % 3) as u8])).expect("reshaped")),
        8 => {
            writer.close().expect("closed");
            writer = Writer::open(path).expect("opened");
            writer.merge_in_background(random.percent(70));
        }
        9 => writer.begin_flush().expect("begun"),
        _ => (),
    }
    writer
}

/// Returns the commit of which the replaced documents are, which is `least` or a later one, and at most `most`.
pub(crate) fn newest(view: &View<'_>, least: u64, most: u64) -> u64 {
    let first = view.get("replaced 0").expect("answered").expect("is always there").fingerprint.0;
    let found = (least..=most).find(|&commit| first == mixed(2, commit, 0));
    found.unwrap_or_else(|| panic!("the view is of no commit from {least} to {most}"))
}

/// Asserts that a view is the state after this commit, by all replaced and some other documents.
pub(crate) fn assert_whole(view: &View<'_>, commit: u64, random: &mut Random) {
    let ask = |print: u64, within: u8| {
        let found = view.find(&[Fingerprint(print)], Within(within)).expect("answered");
        found[0].matches.iter().map(|found| found.id.clone()).collect::<Vec<_>>()
    };
    for index in 0..REPLACED {
        let id = format!("replaced {index}");
        let stored = view.get(&id).expect("answered").expect("is always there");
        assert_eq!(stored.fingerprint.0, mixed(2, commit, index), "{id} at commit {commit}");
        assert_eq!(ask(mixed(2, commit, index) ^ 5, 3), [id.as_str()], "at commit {commit}");
        for old in commit.saturating_sub(4)..commit {
            assert_eq!(ask(mixed(2, old, index), 2), [""; 0], "{id} of commit {old} at commit {commit}");
        }
        assert_eq!(ask(mixed(2, commit + 1, index), 2), [""; 0], "{id} of the future at commit {commit}");
    }
    for _ in 0..20 {
        let (old, index) = (random.below(commit + 1), random.below(ADDED));
        let id = format!("added {old} {index}");
        let gone = index == 0 && old + DELETED_AFTER <= commit;
        // After a load the deletion is a commit of its own.
        if gone && old + DELETED_AFTER == commit && is_load(commit) {
            continue;
        }
        let wanted: &[&str] = if gone { &[] } else { &[&id] };
        assert_eq!(ask(mixed(1, old, index) ^ 1 << random.below(64), 3), wanted, "at commit {commit}");
        assert_eq!(view.get(&id).expect("answered").is_some(), !gone, "{id} at commit {commit}");
    }
    for index in 0..3 {
        assert_eq!(ask(mixed(1, commit + 1, index), 0), [""; 0], "of the future at commit {commit}");
    }
}
