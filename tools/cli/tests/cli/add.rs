//! `add`: a verdict for each line.

use serde_json::{Value, json};

use crate::helper::{Dir, keys};

fn verdicts(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["verdict"].as_str().expect("a verdict")).collect()
}

#[test]
fn each_line_gets_a_verdict_in_order() {
    let dir = Dir::with_database();
    let input = concat!(
        r#"{"id":"a","fp":"00000000000000ff"}"#,
        "\n",
        r#"{"id":"b","fp":"00000000000000fe","url":"http://www.example.org/b"}"#,
        "\n",
        r#"{"id":"a","fp":"00000000000000ff"}"#,
        "\n",
        r#"{"id":"a","fp":"0f00000000000000"}"#,
        "\n",
        r#"{"id":7,"text":"some words of a page"}"#,
    );
    let ran = dir.nddb(["add", "db", "--json"]).stdin(input).done();
    ran.says(&["4 documents added (1 replaced), 1 unchanged, 0 errors", r#"{"documents":4,"#]);
    let lines = ran.lines();
    assert_eq!(verdicts(&lines), ["new", "new", "unchanged", "replaced", "new"]);
    let expected = json!({"id": "a", "verdict": "new", "of": null, "distance": null, "fp": "00000000000000ff"});
    assert_eq!(lines[0], expected);
    assert_eq!(keys(&lines[0]), ["id", "verdict", "of", "distance", "fp"]);
    assert_eq!(lines[4]["id"], 7);
    let stored = dir.nddb(["get", "db", "b"]).done().json();
    assert_eq!((&stored["url"], &stored["site"]), (&json!("http://www.example.org/b"), &json!("example.org")));
}

#[test]
fn documents_of_one_word_are_near_if_it_is_the_same() {
    let dir = Dir::with_database();
    let input = ["1", "2"].map(|id| json!({"id": id, "text": "hello"}).to_string()).join("\n");
    let lines = dir.nddb(["add", "db", "--if-new"]).stdin(input).done().lines();
    assert_eq!(verdicts(&lines), ["new", "duplicate"]);
    assert_eq!((&lines[1]["of"], &lines[1]["rule"]), (&json!("1"), &json!("identical")));
}

#[test]
fn only_what_is_new_is_stored_on_request() {
    let dir = Dir::with_documents();
    let input = concat!(
        r#"{"id":"d","fp":"00000000000000fc"}"#,
        "\n",
        r#"{"id":"e","fp":"0f0f0f0f00000000"}"#,
        "\n",
        r#"{"id":"f","fp":"0f0f0f0f00000001"}"#,
        "\n",
        r#"{"id":"a","fp":"00000000000000f0"}"#,
        "\n",
    );
    let lines = dir.nddb(["add", "db", "--if-new"]).stdin(input).done().lines();
    assert_eq!(verdicts(&lines), ["duplicate", "new", "duplicate", "duplicate"]);
    // The nearest, then the oldest; and what came earlier in the same input counts.
    let partner = |line: &Value| (line["of"].clone(), line["distance"].clone());
    assert_eq!(partner(&lines[0]), (json!("b"), json!(1)));
    assert_eq!(partner(&lines[2]), (json!("e"), json!(1)));
    // Its own old version is no partner.
    assert_eq!(partner(&lines[3]), (json!("b"), json!(3)));
    dir.nddb(["get", "db", "d"]).tells(1, &["no document 'd'"]);
    let lines = dir.nddb(["add", "db", "--if-new", "-k", "0"]).stdin(r#"{"id":"d","fp":"00000000000000fc"}"#).done();
    assert_eq!(verdicts(&lines.lines()), ["new"]);
    dir.nddb(["add", "db", "--if-new", "-k", "9"]).stdin("").tells(2, &["k is 9"]);
}

#[test]
fn a_line_that_makes_no_sense_gets_an_error_and_the_others_their_verdict() {
    let dir = Dir::with_database();
    let input = concat!(
        r#"{"id":"a","fp":"xyz"}"#,
        "\n\nno json\n",
        r#"{"id":"b","ulr":"http://example.org/","text":"some words"}"#,
        "\n",
        r#"{"id":"","text":"some words"}"#,
        "\n",
        r#"{"id":"c","text":"some words"}"#,
        "\n",
    );
    let ran = dir.nddb(["add", "db"]).stdin(input).ends(3);
    let lines = ran.lines();
    assert_eq!(verdicts(&lines), ["error", "error", "error", "error", "error", "new"]);
    assert_eq!(lines[0]["id"], "a");
    let words = ["16 hexadecimal digits", "empty", "not JSON", "unknown field 'ulr'", "document ''"];
    for (line, word) in lines.iter().zip(words) {
        assert!(line["error"].as_str().is_some_and(|why| why.contains(word)), "{line} lacks {word}");
    }
    ran.says(&["1 document added (0 replaced), 0 unchanged, 5 errors"]);
    let known = r#"{"id":"b","ulr":"http://example.org/","text":"some words"}"#;
    dir.nddb(["add", "db", "--ignore-unknown"]).stdin(known).done();
}

#[test]
fn a_document_of_one_word_is_kept_and_never_matched_by_fingerprint() {
    let dir = Dir::with_database();
    let input = "{\"id\":\"one\",\"text\":\"word\"}\n{\"id\":\"none\",\"text\":\"\"}\n{\"id\":\"two\",\"text\":\"\"}\n";
    let lines = dir.nddb(["add", "db", "--if-new"]).stdin(input).done().lines();
    assert_eq!(verdicts(&lines), ["new", "new", "new"]);
    let stored = dir.nddb(["get", "db", "none"]).done().json();
    assert_eq!([&stored["no_fingerprint"], &stored["fp"], &stored["tokens"]], [&json!(true), &Value::Null, &json!(0)]);
    assert!(stored["digest"].is_string());
    let answer = dir.nddb(["query", "db", "--id", "none"]).done().json();
    assert_eq!(answer["count"], 0);
    // What is kept instead of its fingerprint is none.
    assert!(lines.iter().all(|line| line["fp"].is_null()), "{lines:?}");
    assert_eq!(dir.nddb(["query", "db", "--fp", "0000000000000000"]).done().json()["count"], 0);
}

#[test]
fn a_fingerprint_of_zero_is_an_ordinary_one() {
    let dir = Dir::with_database();
    dir.nddb(["add", "db"]).stdin(r#"{"id":"zero","fp":"0000000000000000"}"#).done();
    assert_eq!(dir.nddb(["query", "db", "--fp", "0000000000000000"]).done().json()["count"], 1);
}

#[test]
fn many_lines_at_once_are_all_answered() {
    let dir = Dir::with_database();
    let input: String = (0..5000u64).map(|n| format!("{{\"id\":{n},\"fp\":\"{:016x}\"}}\n", n * 0x0101_0101)).collect();
    for durable in [&["add", "db"][..], &["add", "db", "--durable"]] {
        let lines = dir.nddb(durable).stdin(input.as_str()).done().lines();
        assert_eq!(lines.len(), 5000);
        assert!(lines.iter().enumerate().all(|(index, line)| line["id"] == index));
    }
    let lines = dir.nddb(["add", "db"]).stdin(input).done().lines();
    assert!(verdicts(&lines).iter().all(|&verdict| verdict == "unchanged"));
}

#[test]
fn a_line_above_the_limit_gets_one_answer() {
    let dir = Dir::with_database();
    let mut lines = String::from("{\"id\":\"a\",\"text\":\"");
    lines.push_str(&"words of a long text ".repeat((65 << 20) / 21));
    lines.push_str("\"}\n{\"id\":\"b\",\"fp\":\"00000000000000ff\"}\n");
    let answers = dir.nddb(["add", "db"]).stdin(lines).ends(3).lines();
    let verdicts: Vec<_> = answers.iter().map(|answer| (&answer["id"], &answer["verdict"])).collect();
    assert_eq!(verdicts, [(&Value::Null, &json!("error")), (&json!("b"), &json!("new"))]);
    assert_eq!(answers[0]["error"], "the line is longer than 64.0 MB");
}
