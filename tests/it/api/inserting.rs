//! The outcomes and effects of insertion.

use nddb::Fingerprint;
use nddb::detect::{Judgement, document_of_page};
use nddb::sketch::Recipe;
use nddb::text::Page;

use super::*;

fn ids(writer: &Writer, fingerprint: u64, k: u8) -> Vec<String> {
    let found = writer.view().find(&[Fingerprint(fingerprint)], Within(k));
    found.expect("answered").remove(0).matches.into_iter().map(|found| found.id).collect()
}

#[test]
fn the_same_id_again_replaces_unless_nothing_differs() {
    let folder = folder();
    let mut writer = create(&folder.path().join("db"));
    let recipe = Recipe::default();
    let page = |text: &'static str| document_of_page("page", &Page::text(text), &recipe).expect("a good id");
    for commits in [false, true] {
        let id = format!("bare {commits}");
        for (document, outcome) in [
            (bare(&id, 1), Outcome::New),
            (bare(&id, 1), Outcome::Unchanged),
            (bare(&id, 1).with_date(Some(5)), Outcome::Unchanged),
            (bare(&id, 2), Outcome::Replaced),
            (bare(&id, 2).with_url("http://a.example/x", recipe.site_of("http://a.example/x")), Outcome::Replaced),
            (bare(&id, 2).with_url("http://a.example/x", recipe.site_of("http://a.example/x")), Outcome::Unchanged),
            (bare(&id, 2).with_url("http://a.example/y", recipe.site_of("http://a.example/y")), Outcome::Replaced),
            (bare(&id, 2), Outcome::Replaced),
        ] {
            assert_eq!(writer.insert(document).expect("inserted"), outcome, "{id}");
            if commits {
                writer.commit().expect("committed");
            }
        }
        for (document, outcome) in [
            (page("one page of words"), if commits { Outcome::Unchanged } else { Outcome::New }),
            (page("one page of words"), Outcome::Unchanged),
            (page("word"), Outcome::Replaced),
            (page("word"), Outcome::Unchanged),
            (page("other"), Outcome::Replaced),
            (page("one page of words"), Outcome::Replaced),
        ] {
            assert_eq!(writer.insert(document).expect("inserted"), outcome, "{id}");
            if commits {
                writer.commit().expect("committed");
            }
        }
        writer.commit().expect("committed");
        assert_eq!(ids(&writer, 2, 0), if commits { vec!["bare false", "bare true"] } else { vec!["bare false"] });
        assert_eq!(ids(&writer, 1, 0), [""; 0]);
    }
}

#[test]
fn insert_if_new_sees_its_own_group_and_not_its_own_id() {
    let folder = folder();
    let mut writer = create(&folder.path().join("db"));
    let far = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let if_new = |writer: &mut Writer, id: &str, print: u64| match hamming(3).insert_if_new(writer, bare(id, print)) {
        Ok(Judgement::Inserted { outcome, complete: true }) => format!("{outcome:?}"),
        Ok(Judgement::Duplicate { of, complete: true }) => {
            format!("{} at {}", of.id, of.measures.count("distance").expect("two fingerprints"))
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(if_new(&mut writer, "a", far(1)), "New");
    assert_eq!(if_new(&mut writer, "b", far(1) ^ 7), "a at 3");
    assert_eq!(if_new(&mut writer, "c", far(1) ^ 15), "New");
    assert_eq!(if_new(&mut writer, "d", far(1) ^ 7), "c at 1");
    assert_eq!(if_new(&mut writer, "a", far(1) ^ 3), "c at 2", "its own earlier version is passed over");
    writer.commit().expect("committed");
    assert_eq!(if_new(&mut writer, "d", far(1) ^ 1), "a at 1");
    assert_eq!(if_new(&mut writer, "d", far(1) ^ 3), "a at 2", "of the equally near the oldest");
    assert!(writer.delete("a").expect("deleted"));
    assert_eq!(if_new(&mut writer, "d", far(1)), "New", "a staged deletion counts");
    writer.commit().expect("committed");
    assert_eq!(ids(&writer, far(1), 3), ["d"]);

    // Many staged deletions of one fingerprint must not hide a document that is not deleted.
    for number in 0..50 {
        writer.insert(bare(&format!("hot {number:02}"), far(2))).expect("inserted");
    }
    writer.commit().expect("committed");
    for number in 0..49 {
        assert!(writer.delete(&format!("hot {number:02}")).expect("deleted"));
    }
    assert_eq!(if_new(&mut writer, "e", far(2)), "hot 49 at 0");
    assert_eq!(if_new(&mut writer, "hot 49", far(2)), "Unchanged");
    assert_eq!(if_new(&mut writer, "hot 48", far(2) ^ 1), "hot 49 at 1");
}

#[test]
fn insert_if_new_never_sees_a_pending_batch_of_others() {
    let folder = folder();
    let mut writer = create(&folder.path().join("db"));
    writer.label("night", true).expect("labelled");
    writer.insert(bare("pending", 1)).expect("inserted");
    writer.unlabel().expect("unlabelled");
    let judgement = hamming(3).insert_if_new(&mut writer, bare("visible", 1)).expect("inserted");
    assert_eq!(judgement, Judgement::Inserted { outcome: Outcome::New, complete: true });
    writer.commit().expect("committed");
    assert_eq!(ids(&writer, 1, 3), ["visible"]);
    assert_eq!(writer.commit_batch("night").expect("committed"), 1);
    assert_eq!(ids(&writer, 1, 3), ["pending", "visible"]);
}

#[test]
fn documents_of_fewer_than_two_tokens_are_recorded_and_never_matched() {
    let folder = folder();
    let mut writer = create(&folder.path().join("db"));
    let recipe = Recipe::default();
    for (id, text) in [("empty", ""), ("one", "word"), ("two", "two words")] {
        let document = document_of_page(id, &Page::text(text), &recipe).expect("a good id");
        assert_eq!(document.is_unprinted(), id != "two");
        let fingerprint = document.fingerprint().0;
        let judgement = hamming(3).insert_if_new(&mut writer, document).expect("inserted");
        assert_eq!(judgement, Judgement::Inserted { outcome: Outcome::New, complete: true });
        writer.commit().expect("committed");
        for _ in 0..2 {
            assert_eq!(ids(&writer, fingerprint, 3), if id == "two" { vec!["two"] } else { vec![] });
            let stored = writer.view().get(id).expect("answered").expect("stored");
            assert_eq!(stored.unprinted, id != "two");
            assert!(stored.record.digest.is_some());
            writer.flush().expect("flushed");
        }
    }
    writer.insert(bare("raw zero", 0)).expect("inserted");
    writer.commit().expect("committed");
    assert_eq!(ids(&writer, 0, 0), ["raw zero"]);
}
