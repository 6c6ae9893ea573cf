//! `get`, and how the database is named.

use crate::helper::{Dir, keys};

#[test]
fn get_prints_what_is_stored_of_each_document() {
    let dir = Dir::with_documents();
    let found = dir.nddb(["get", "db", "c", "a"]).done().lines();
    assert_eq!(found.iter().map(|found| found["id"].as_str()).collect::<Vec<_>>(), [Some("c"), Some("a")]);
    let expected = [
        "id",
        "number",
        "fp",
        "unprinted",
        "url",
        "site",
        "date",
        "tokens",
        "digest",
        "min_values",
        "supershingles",
        "projection",
        "source",
        "batch",
        "truncated",
        "profile",
    ];
    assert_eq!(keys(&found[0]), expected);
    let ran = dir.nddb(["get", "db", "a", "z"]).ends(1);
    assert_eq!(ran.lines().len(), 1);
    ran.says(&["db: no document 'z'"]);
}

#[test]
fn the_environment_may_name_the_database() {
    let dir = Dir::with_documents();
    dir.nddb(["get", "a"]).env("NDDB_DB", "db").done();
    dir.nddb(["query", "--fp", "00000000000000ff"]).env("NDDB_DB", "db").done();
    dir.write("more.tsv", b"d\t0f0f0f0f0f0f0f0f\n");
    dir.nddb(["load", "more.tsv"]).env("NDDB_DB", "db").done();
    dir.nddb(["get", "db", "d"]).done();
    // What is given goes before the environment.
    dir.nddb(["get", "db", "a"]).env("NDDB_DB", "elsewhere").done();
    dir.nddb(["batch", "ls"]).tells(2, &["DB"]);
    dir.nddb(["get"]).tells(2, &["DB"]);
}

#[test]
fn help_teaches_with_examples() {
    let dir = Dir::new();
    let commands = [
        "create",
        "load",
        "add",
        "query",
        "batch-query",
        "get",
        "rm",
        "stats",
        "check",
        "compact",
        "reshape",
        "rebuild",
        "merge",
        "batch",
        "plan",
        "segment",
        "scan",
        "fp",
        "completions",
        "man",
    ];
    let all = dir.nddb(["--help"]).done().stdout;
    for command in commands {
        assert!(all.contains(&format!("\n  {command} ")), "{command}");
        let help = dir.nddb([command, "--help"]).done().stdout;
        assert!(help.contains("Examples:\n  ") && help.contains(&format!("nddb {command}")), "{help}");
    }
    let shell = dir.nddb(["completions", "bash"]).done().stdout;
    assert!(shell.contains("_nddb()"));
    assert_eq!(dir.nddb(["help", "pairs"]).done().stdout, dir.nddb(["pairs", "--help"]).done().stdout);
    dir.nddb(["compleet"]).tells(2, &["unrecognized subcommand"]);
    dir.nddb(["--version"]).done();
}
