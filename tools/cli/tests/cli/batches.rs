//! `batch`, and loads under a label.

use serde_json::{Value, json};

use crate::helper::Dir;

fn count(dir: &Dir, fp: &str) -> Value {
    dir.nddb(["query", "db", "--fp", fp]).done().json()["count"].clone()
}

#[test]
fn a_pending_batch_is_invisible_until_it_is_committed() {
    let dir = Dir::with_documents();
    dir.write("more.tsv", b"d\t00000000000000fd\na\t0f0f0f0f0f0f0f0f\n");
    dir.nddb(["load", "db", "more.tsv", "--batch", "may", "--pending"]).done();
    assert_eq!(count(&dir, "00000000000000ff"), 2);
    dir.nddb(["get", "db", "d"]).tells(1, &["no document"]);
    let listed = dir.nddb(["batch", "ls", "db", "--json"]).done().json();
    assert_eq!(listed, json!({"batch": "may", "number": 1, "state": "pending", "documents": 2}));
    let dry = dir.nddb(["batch", "commit", "db", "may", "--dry-run", "--json"]).done();
    assert_eq!(dry.json(), json!({"batch": "may", "documents": 2, "dry_run": true}));
    assert_eq!(count(&dir, "00000000000000ff"), 2);
    dir.nddb(["batch", "commit", "db", "may"]).done().says(&["2 documents made visible"]);
    // d is new, and a is elsewhere now.
    assert_eq!(count(&dir, "00000000000000ff"), 2);
    assert_eq!(count(&dir, "0f0f0f0f0f0f0f0f"), 1);
    dir.nddb(["batch", "commit", "db", "may"]).tells(1, &["batch 'may' is not pending"]);
}

#[test]
fn a_cancelled_batch_leaves_everything_as_it_was() {
    let dir = Dir::with_documents();
    dir.write_warc("page.warc", &[("http://example.org/", "<p>some words of a page")]);
    dir.nddb(["load", "db", "page.warc", "--batch", "may", "--pending"]).done();
    dir.nddb(["batch", "cancel", "db", "may"]).done().says(&["1 document deleted"]);
    let table = dir.nddb(["batch", "ls", "db"]).done().stdout;
    assert_eq!(table.lines().collect::<Vec<_>>(), ["batch  state      documents", "may    cancelled          0"]);
    dir.nddb(["get", "db", "http://example.org/"]).tells(1, &["no document"]);
    // The archive has been read, but nothing of it is left: it is read again.
    let again = dir.nddb(["load", "db", "page.warc", "--json"]).done().json();
    assert_eq!((&again["documents"], &again["unchanged"]), (&json!(1), &json!(0)));
    dir.nddb(["load", "db", "page.warc", "--batch", "may", "--pending"]).tells(1, &["may", "cancelled"]);
}

#[test]
fn a_label_tells_what_came_together() {
    let dir = Dir::with_documents();
    dir.nddb(["add", "db", "--batch", "daily"]).stdin(r#"{"id":"x","fp":"0f0f0f0f0f0f0f0f"}"#).done();
    assert_eq!(dir.nddb(["batch", "ls", "db", "--json"]).done().json()["state"], "open");
    assert_eq!(dir.nddb(["get", "db", "x"]).done().json()["batch"], 1);
    dir.nddb(["rm", "db", "--batch", "daily", "--dry-run"]).done().says(&["1 document would be deleted"]);
    dir.nddb(["rm", "db", "--batch", "daily"]).done().says(&["1 document deleted"]);
    dir.nddb(["get", "db", "x"]).tells(1, &[]);
    dir.nddb(["rm", "db", "--batch", "weekly"]).tells(1, &["batch 'weekly' does not exist"]);
}

#[test]
fn pending_needs_a_name() {
    let dir = Dir::with_database();
    dir.write_prints("p.u64le", &[1]);
    dir.nddb(["load", "db", "p.u64le", "--pending"]).tells(2, &["--batch"]);
    dir.nddb(["batch", "commit", "db"]).tells(2, &["missing argument: NAME"]);
    dir.nddb(["batch", "cancel", "db", "none"]).tells(1, &["batch 'none' does not exist"]);
}
