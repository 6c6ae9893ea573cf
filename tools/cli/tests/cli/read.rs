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
        "kind",
        "no_fingerprint",
        "url",
        "site",
        "date",
        "tokens",
        "digest",
        "min_bytes",
        "supershingles",
        "projection",
        "source",
        "batch",
        "truncated",
        "garbled",
        "distinct",
        "profile",
        "parts",
    ];
    assert_eq!(keys(&found[0]), expected);
    assert_eq!(found[0]["kind"], "given");
    dir.write("page.jsonl", b"{\"id\": \"page\", \"text\": \"some words of a page\"}\n");
    dir.nddb(["load", "db", "page.jsonl"]).done();
    assert_eq!(dir.nddb(["get", "db", "page"]).done().json()["kind"], "minhash-1bit");
    assert_eq!(dir.nddb(["stats", "db", "--json"]).done().json()["kind"], "minhash-1bit");
    let stats = dir.nddb(["stats", "db"]).done().stdout;
    assert!(stats.contains("kind           minhash-1bit: one bit of each of 64 min-values"), "{stats}");
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
        "create", "load", "add", "query", "get", "export", "rm", "stats", "check", "compact", "rebuild", "backup",
        "merge", "batch", "plan", "fp", "text", "pairs", "cluster", "filter", "report", "audit", "eval", "show",
    ];
    let all = dir.nddb(["--help"]).done().stdout;
    for heading in ["documents", "duplicates", "upkeep", "single pages"] {
        assert!(all.contains(&format!("\n\nCommands for {heading}:\n")), "{all}");
    }
    let listed = all.lines().filter(|line| {
        line.starts_with("  ") && commands.contains(&line.split_whitespace().next().unwrap_or_default())
    });
    assert_eq!(listed.count(), commands.len(), "{all}");
    for command in commands {
        assert!(all.contains(&format!("\n  {command} ")), "{command}");
        let help = dir.nddb([command, "--help"]).done().stdout;
        assert!(help.contains("Examples:\n  ") && help.contains(&format!("nddb {command}")), "{help}");
    }
    let lab = dir.lab(["--help"]).done().stdout;
    for command in ["fit", "tune", "segment", "scan", "resolve"] {
        assert!(lab.contains(&format!("\n  {command} ")), "{command}");
        let help = dir.lab([command, "--help"]).done().stdout;
        assert!(help.contains("Examples:\n  ") && help.contains(&format!("nddb-lab {command}")), "{help}");
    }
    let shell = dir.nddb(["generate", "completions", "bash"]).done().stdout;
    assert!(shell.contains("_nddb()"));
    assert_eq!(dir.nddb(["help", "pairs"]).done().stdout, dir.nddb(["pairs", "--help"]).done().stdout);
    dir.nddb(["compleet"]).tells(2, &["unrecognized subcommand"]);
    let version = dir.nddb(["--version"]).done().stdout;
    let is_told = version.starts_with(concat!("nddb ", env!("CARGO_PKG_VERSION"), " ("))
        && version.contains(if cfg!(feature = "cloud") { ", cloud, parquet, " } else { ", without cloud, parquet, " });
    assert!(is_told && version.contains(nddb_format::cpu::version()), "{version}");
    dir.lab(["--version"]).done();
}

#[test]
fn released_packages_reach_stores_and_a_build_of_the_sources_compiles_less() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let has = |file: &str, what: &str| {
        assert!(std::fs::read_to_string(root.join(file)).expect("read").contains(what), "{file}: {what}");
    };
    has("tools/cli/Cargo.toml", "\ndefault = [\"parquet\"]\n");
    has(".ci/dist", "-p nddb-cli --features cloud ");
    has("tools/python/Cargo.toml", "nddb-cli = { workspace = true, features = [\"cloud\"], ");
    if !cfg!(feature = "cloud") {
        let dir = Dir::with_documents();
        dir.nddb(["load", "d.nddb", "s3://bucket/pages.warc.gz"]).tells(1, &["a released package", "--features cloud"]);
    }
}

#[test]
fn names_that_people_try_are_aliases() {
    let dir = Dir::with_documents();
    let same = |one: &[&str], other: &[&str]| {
        assert_eq!(dir.nddb(one).done().stdout, dir.nddb(other).done().stdout, "{one:?}");
    };
    same(&["list", "db"], &["export", "db"]);
    same(&["info", "db"], &["stats", "db"]);
    dir.nddb(["delete", "db", "a"]).done();
    dir.nddb(["get", "db", "a"]).ends(1);
}

#[test]
fn numbers_that_must_not_be_zero_say_so() {
    let dir = Dir::with_documents();
    dir.nddb(["stats", "db", "--threads", "0"]).tells(2, &["'0' for '--threads <N>': must be at least 1"]);
    dir.nddb(["stats", "db", "--threads", "x"]).tells(2, &["invalid digit"]);
}
