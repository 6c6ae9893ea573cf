//! Contradicting rows, which disk damage would not cause: each is reported.

use nddb_format::Fingerprint;
use nddb_format::document_keys::KeyKinds;
use nddb_format::record::{Batch, BatchState, Print, Range, RangeState, Record};

use super::*;
use crate::catalog::{Commit, DocumentKeys};
use crate::keys::keys_of as keys_by;
use crate::write::writer::Writer;
use crate::{Config, Document};

/// A recipe whose documents have megashingles and bands.
const RECIPE: &str = "web/1";
const LEN: u64 = 400;
/// A document that is in no run.
const UNPRINTED: u64 = 60;

/// Returns the faults of a database of two runs and a memtable in which some rows were rewritten by `change`.
fn faults_after(change: impl FnOnce(&mut Commit<'_>, &Catalog)) -> Vec<Fault> {
    faults_under(RECIPE, change)
}

/// Returns the faults of such a database with this recipe.
fn faults_under(recipe: &str, change: impl FnOnce(&mut Commit<'_>, &Catalog)) -> Vec<Fault> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("db");
    let mut writer = Writer::create(&path, &Config::within(3).expect("k").recipe(recipe)).expect("a new database");
    for index in 0..LEN {
        let fingerprint = Fingerprint(index * 0x0123_4567_89ab);
        let mut document = Document::bare(&format!("id {index}"), fingerprint).expect("a good id");
        document.unprinted = index == UNPRINTED;
        writer.insert(document.with_keys([index; 6], [index as u8; 16])).expect("taken");
        if index == 100 || index == 300 {
            writer.commit().expect("committed");
            writer.flush().expect("flushed");
        }
    }
    writer.close().expect("closed");
    let catalog = Catalog::open(&Dir::open(&path).expect("a database")).expect("opened");
    let mut commit = catalog.begin();
    change(&mut commit, &catalog);
    commit.write().expect("written");
    drop(catalog);
    let report = |threads: usize| {
        check(&path, &CheckOptions { threads, ..CheckOptions::default() }, &mut |_| true).expect("a report")
    };
    let on_one = report(1);
    [2, 7, 16].into_iter().for_each(|threads| assert_eq!(report(threads), on_one, "{threads} threads"));
    on_one.faults
}

impl Document {
    fn with_keys(mut self, supershingles: [u64; 6], digest: [u8; 16]) -> Self {
        self.record.min_bytes =
            Some(Box::new(std::array::from_fn(|position| (supershingles[0] as u8).wrapping_add(position as u8))));
        self.record.supershingles = Some(supershingles);
        self.record.projection = Some(supershingles);
        self.record.digest = Some(digest);
        self
    }
}

/// Fails unless there are faults, and all of them have one of these locations and texts.
fn assert_says(faults: &[Fault], says: &[(&str, &str)]) {
    for (location, what) in says {
        let found = faults.iter().any(|fault| fault.location.contains(location) && fault.what.contains(what));
        assert!(found, "nothing says '{what}' of '{location}': {faults:?}");
    }
    for fault in faults {
        let wanted = says.iter().any(|(location, what)| fault.location.contains(location) && fault.what.contains(what));
        assert!(wanted, "not wanted: {fault}");
    }
}

fn keys_of(record: &Record) -> DocumentKeys {
    keys_by(record, KeyKinds::of_label(RECIPE))
}

fn stored(catalog: &Catalog, number: u64) -> (Print, Record) {
    let (print, record) = (catalog.print(number).expect("read"), catalog.record(number).expect("read"));
    (print.expect("a print"), record.expect("a record"))
}

#[test]
fn what_is_not_changed_has_no_fault() {
    assert_says(&faults_after(|_, _| ()), &[]);
}

#[test]
fn a_fingerprint_that_differs_is_named_with_both_values() {
    let faults = faults_after(|commit, catalog| {
        let (print, record) = stored(catalog, 50);
        let print = Print { fingerprint: print.fingerprint ^ 1, ..print };
        commit.document(50, &print, &record.id, &record.encode());
    });
    assert_says(&faults, &[("document 50", "the catalog under"), ("document 50", "its summary has another")]);
    assert!(faults[0].path.extension().is_some_and(|end| end == "post"), "{faults:?}");
}

#[test]
fn a_document_whose_rows_are_gone_is_named_by_the_run_that_holds_it() {
    let faults = faults_after(|commit, catalog| {
        let (_, record) = stored(catalog, 200);
        commit.purge(200, &record.id);
    });
    assert_says(
        &faults,
        &[
            ("document 200", "the catalog does not know it"),
            ("document 200", "its run has a key for it"),
            ("document 200", "it has a summary but no fingerprint"),
            ("document 200", "it has a summary but no record"),
            ("counters", "there are 399"),
        ],
    );
}

#[test]
fn documents_that_no_run_holds_and_none_should_are_named() {
    let faults = faults_after(|commit, catalog| {
        let (print, record) = stored(catalog, 40);
        let print = Print { unprinted: true, ..print };
        commit.document(40, &print, &record.id, &record.encode());
        commit.keys(40, &keys_of(&record));
    });
    assert_says(&faults, &[("document 40", "has no fingerprint of it"), ("document 40", "its run has a key for it")]);
    let faults = faults_after(|commit, catalog| {
        // The runs do not contain this document.
        let (_, record) = stored(catalog, UNPRINTED);
        let print = Print { fingerprint: 1, unprinted: false };
        commit.document(UNPRINTED, &print, &record.id, &record.encode());
        commit.forget_keys(UNPRINTED, &keys_of(&record));
    });
    let location = format!("document {UNPRINTED}");
    assert_says(
        &faults,
        &[
            (&location, "its fingerprint is 0000000000000001, and it is in no run"),
            (&location, "a key of its record is not in its run"),
        ],
    );
}

#[test]
fn ids_that_lead_nowhere_or_astray_and_ids_of_several_live_documents_are_named() {
    let faults = faults_after(|commit, catalog| {
        let (print, mut record) = stored(catalog, 350);
        record.id = "id 7".into();
        commit.document(350, &print, "id 7", &record.encode());
    });
    assert_says(&faults, &[("ids, 'id 7'", "several live documents"), ("ids, document 350", "that its record lacks")]);
    let faults = faults_after(|commit, catalog| {
        let (print, mut record) = stored(catalog, 350);
        record.id = "other".into();
        commit.document(350, &print, "id 350", &record.encode());
    });
    let (none, stray) = ("does not refer to it", "that its record lacks");
    assert_says(&faults, &[("ids, document 350", none), ("ids, document 350", stray)]);
}

#[test]
fn rows_of_keys_that_are_missing_or_too_many_are_named() {
    let location = |family: &str| format!("{family}, document {UNPRINTED}");
    let (digests, megashingles, pieces) = (location("digests"), location("megashingles"), location("pieces"));
    let (missing, too_many) = ("no row for a key", "that its record lacks");
    let faults = faults_after(|commit, catalog| {
        let (print, mut record) = stored(catalog, UNPRINTED);
        record.digest = Some([77; 16]);
        commit.document(UNPRINTED, &print, &record.id, &record.encode());
    });
    assert_says(&faults, &[(&digests, missing), (&digests, too_many)]);
    let faults = faults_after(|commit, catalog| {
        let (_, record) = stored(catalog, UNPRINTED);
        let keys = DocumentKeys { megashingles: vec![9], pieces: vec![[1, 2, 3, 4]], ..keys_of(&record) };
        commit.keys(UNPRINTED, &keys);
    });
    assert_says(&faults, &[(&megashingles, too_many), (&pieces, too_many)]);
    let faults = faults_after(|commit, catalog| {
        let (_, record) = stored(catalog, UNPRINTED);
        let keys = keys_of(&record);
        assert_eq!(keys.megashingles.len(), 15);
        let last = DocumentKeys { megashingles: keys.megashingles[14..].to_vec(), ..DocumentKeys::default() };
        commit.forget_keys(UNPRINTED, &last);
    });
    assert_says(&faults, &[(&megashingles, missing)]);
}

#[test]
fn keys_that_a_run_lacks_or_has_too_many_of_are_named() {
    let faults = faults_after(|commit, catalog| {
        let (print, mut record) = stored(catalog, 200);
        record.digest = Some([77; 16]);
        commit.document(200, &print, &record.id, &record.encode());
    });
    let (lacks, too_many) = ("a key of its record is not in its run", "its run has a key for it");
    let summary = "its summary is not that of its record";
    assert_says(&faults, &[("document 200", lacks), ("document 200", too_many), ("document 200", summary)]);
    let faults = faults_after(|commit, catalog| {
        let (print, mut record) = stored(catalog, 200);
        record.digest = None;
        commit.document(200, &print, &record.id, &record.encode());
    });
    assert_says(&faults, &[("document 200", too_many), ("document 200", summary)]);
    // A printed document has no rows of keys.
    let faults = faults_after(|commit, catalog| commit.keys(200, &keys_of(&stored(catalog, 200).1)));
    assert_says(
        &faults,
        &[("megashingles, document 200", "that its record lacks"), ("digests, document 200", "that its record lacks")],
    );
}

#[test]
fn pieces_are_wanted_where_the_recipe_keeps_them_and_only_there() {
    let (all, plain) = (KeyKinds::of_label("web-c/1"), KeyKinds::of_label("web/1"));
    let location = format!("pieces, document {UNPRINTED}");
    let rewrite = |commit: &mut Commit<'_>, catalog: &Catalog, old: KeyKinds, new: KeyKinds| {
        let (_, record) = stored(catalog, UNPRINTED);
        commit.forget_keys(UNPRINTED, &keys_by(&record, old));
        commit.keys(UNPRINTED, &keys_by(&record, new));
    };
    assert_says(&faults_under("web-c/1", |_, _| ()), &[]);
    let faults = faults_under("web-c/1", |commit, catalog| rewrite(commit, catalog, all, plain));
    assert_says(&faults, &[(&location, "no row for a key")]);
    let faults = faults_under("web/1", |commit, catalog| rewrite(commit, catalog, plain, all));
    assert_says(&faults, &[(&location, "that its record lacks")]);
}

#[test]
fn counters_ranges_batches_and_deletions_that_cannot_be_are_named() {
    let faults = faults_after(|commit, _| {
        commit.range(10, &Range { high: 20, state: RangeState::Committed, batch: 9 });
        commit.range(15, &Range { high: 30, state: RangeState::Committed, batch: 0 });
        commit.range(390, &Range { high: 4000, state: RangeState::Committed, batch: 0 });
        commit.batch("never", &Batch { number: 70, state: BatchState::Open });
        commit.replaced(70, &[3].into());
        commit.delete(999, &[5].into());
        commit.delete(1, &[5000].into());
    });
    assert_says(
        &faults,
        &[
            ("numbers 10..20", "belongs to batch 9"),
            ("numbers 15..30", "overlaps"),
            ("numbers 390..4000", "overlaps"),
            ("'never'", "was never assigned"),
            ("what batch 70 replaces", "not exist"),
            ("deleted", "document 5 was deleted at generation 999"),
            ("deleted", "document 5000 is deleted but never existed"),
            ("counters", "there are 399"),
        ],
    );
}

#[test]
fn records_that_name_what_is_not_there_are_named() {
    let faults = faults_after(|commit, catalog| {
        let (print, mut record) = stored(catalog, 350);
        record.batch = Some(5);
        record.source = Some(nddb_format::record::SourcePosition { archive: 8, offset: 0, inner: 0, length: 1 });
        commit.document(350, &print, &record.id, &record.encode());
    });
    assert_says(&faults, &[("document 350", "batch 5"), ("document 350", "archive 8")]);
}

#[test]
fn many_differences_are_counted_and_a_few_named() {
    let faults = faults_after(|commit, catalog| {
        for number in 0..LEN {
            let (print, record) = stored(catalog, number);
            let print = Print { fingerprint: print.fingerprint ^ 4, ..print };
            commit.document(number, &print, &record.id, &record.encode());
        }
    });
    assert!(faults.len() > 3 && faults.len() < 30, "{} faults", faults.len());
}
