//! Bad input: a named error with the position and the next step, the right exit code, an untouched database.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::helper::Dir;

#[test]
fn what_is_no_database_is_named() {
    let dir = Dir::new();
    dir.write("file", b"words");
    fs::create_dir(dir.path("folder")).expect("folders can be made");
    for (command, more) in [("stats", &[][..]), ("check", &[]), ("compact", &[]), ("get", &["a"]), ("rm", &["a"])] {
        let run = |db: &str| dir.nddb([&[command, db], more].concat());
        run("none").tells(
            10,
            &["none: not an nddb database", "no such file or directory", "'nddb create none' creates a database"],
        );
        run("file").tells(10, &["file: not an nddb database", "it is a file, a database is a folder"]);
        run("folder").tells(10, &["folder: not an nddb database", "no MANIFEST"]);
    }
    assert_eq!(dir.read("file"), b"words");
    dir.nddb(["query", "none", "--fp", "00000000000000ff"]).tells(10, &["none"]);
    dir.write_prints("p.u64le", &[1]);
    dir.nddb(["load", "none", "p.u64le"]).tells(10, &["none"]);
    dir.nddb(["add", "none"]).tells(10, &["none"]);
}

#[test]
fn a_database_is_made_once_and_where_there_is_room() {
    let dir = Dir::new();
    dir.nddb(["create", "db"]).tells(0, &["db: made, 64 bits, k = 3", "recipe main/1"]);
    dir.nddb(["create", "db"]).tells(1, &["db: exists already", "choose another path"]);
    dir.write("file", b"words");
    dir.nddb(["create", "file"]).tells(1, &["file: exists already"]);
    dir.nddb(["create", "no/such/folder"]).tells(1, &["no/such/folder", "No such file"]);
    let made = dir.nddb(["create", "b", "--bits", "32", "-k", "2", "--tables", "4", "--json"]).done().json();
    assert_eq!((&made["bits"], &made["k"], &made["recipe"]), (&32.into(), &2.into(), &"main/1".into()));
    assert!(made["levels"].is_array(), "{made}");
}

#[test]
fn parameters_that_make_no_sense_are_wrong_usage() {
    let dir = Dir::new();
    for (option, value, word) in [
        ("--k", "8", "0..=7"),
        ("--bits", "7", "8..=64"),
        ("--bits", "many", "invalid digit"),
        ("--tables", "0", "1 to 512"),
        ("--recipe", "none", "the bases of recipes are main, web, 1e0ng"),
        ("--restart", "1", "restart"),
    ] {
        dir.nddb(["create", "db", option, value]).tells(2, &[word]);
        assert!(!dir.path("db").exists(), "{option} {value}");
    }
    dir.nddb(["create", "db", "--k", "7", "--bits", "8", "--nonsense"]).tells(2, &["--nonsense"]);
    dir.nddb(["load", "db", "x", "--memory-limit", "lots"]).tells(2, &["512M"]);
    dir.nddb(["load", "db", "x", "--memory-limit", "1000K"]).tells(2, &["at least 1M"]);
    dir.nddb(["stats", "db", "--tmp-dir", "none"]).tells(2, &["--tmp-dir none: not a folder"]);
}

#[test]
fn a_sort_that_cannot_write_temporary_files_is_told_where_to_choose_a_folder() {
    let dir = Dir::with_documents();
    let none = dir.path("none").to_string_lossy().into_owned();
    dir.nddb(["pairs", "db"]).env("TMPDIR", &none).tells(1, &[&none, "temporary file", "--tmp-dir"]);
    dir.nddb(["pairs", "db", "--tmp-dir", "."]).env("TMPDIR", &none).done();
}

#[test]
fn a_folder_that_lacks_the_one_above_it_says_what_to_create() {
    let dir = Dir::with_database();
    dir.nddb(["create", "nowhere/new"]).tells(1, &["nowhere/new", "create nowhere first"]);
    dir.nddb(["backup", "db", "nowhere/copy"]).tells(1, &["cannot create the folder", "nowhere first"]);
}

#[test]
fn a_recipe_is_a_base_and_flags_or_a_label() {
    let dir = Dir::new();
    for (number, (args, label)) in [
        (&[][..], "main/1"),
        (&["--pieces"], "main-c/1"),
        (&["--pieces", "--psl"], "main-c/1"),
        (&["--offline"], "main-offline/1"),
        (&["--recipe", "web", "--pieces", "--psl"], "web-psl-c/1"),
        (&["--recipe", "web", "--phrases", "2", "--pieces"], "web-2grams-c/1"),
        (&["--recipe", "1e0ng"], "1e0ng/1"),
        (&["--recipe", "main-c"], "main-c/1"),
        (&["--recipe", "web-3grams/1"], "web-3grams/1"),
        (&["--recipe", "web/1", "--psl"], "web-psl/1"),
    ]
    .into_iter()
    .enumerate()
    {
        let db = format!("db{number}");
        let made = dir.nddb([&["create", &db, "--json"], args].concat()).done().json();
        assert_eq!(made["recipe"], label, "{args:?}");
    }
    for (args, why) in [
        (&["--recipe", "1e0ng", "--pieces"][..], "--pieces is no flag of recipe '1e0ng'"),
        (&["--recipe", "web", "--offline"], "--offline is no flag of recipe 'web'"),
        (&["--recipe", "main-c", "--offline"], "--offline is no flag of recipe 'main-c'"),
        (&["--recipe", "main-offline", "--pieces"], "--pieces is no flag of recipe 'main-offline'"),
        (&["--phrases", "2"], "--phrases is no flag of recipe 'main'"),
        (&["--recipe", "web", "--phrases", "4"], "2..=3"),
        (&["--recipe", "web-c-psl"], "there is no recipe 'web-c-psl'"),
        (&["--recipe", "main-psl"], "there is no recipe 'main-psl'"),
        (&["--recipe", "main/2"], "there is no recipe 'main/2'"),
    ] {
        dir.nddb([&["create", "db"], args].concat()).tells(2, &[why]);
    }
    dir.write("page.txt", b"The quick brown fox jumps over the lazy dog");
    let fp = |args: &[&str]| dir.nddb([&["fp", "page.txt"], args].concat()).done().stdout;
    assert_eq!(fp(&["--recipe", "web", "--phrases", "3"]), fp(&["--recipe", "web-3grams"]));
    assert_ne!(fp(&["--recipe", "web", "--phrases", "3"]), fp(&["--recipe", "web"]));
}

#[test]
fn a_newer_format_is_told_from_damage() {
    let dir = Dir::with_documents();
    let mut bytes = dir.read("db/MANIFEST");
    bytes[8..12].copy_from_slice(&[9, 0, 9, 0]);
    dir.write("db/MANIFEST", &bytes);
    dir.nddb(["get", "db", "a"]).tells(12, &["MANIFEST", "newer", "hint: use the newer nddb"]);
    bytes[8..12].copy_from_slice(&[1, 0, 1, 0]);
    bytes[30] ^= 1;
    dir.write("db/MANIFEST", &bytes);
    dir.nddb(["get", "db", "a"]).tells(13, &["MANIFEST", "checksum", "hint: 'nddb rebuild db'"]);
    dir.nddb(["rm", "db", "a"]).tells(13, &["MANIFEST"]);
}

#[test]
fn a_damaged_segment_is_damage_and_not_an_answer() {
    let dir = Dir::with_documents();
    let runs: Vec<_> = fs::read_dir(dir.path("db/runs")).expect("a folder").flatten().collect();
    let segments = runs.iter().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "seg"));
    for path in segments {
        let mut bytes = fs::read(&path).expect("a file");
        bytes[1024 + 500] ^= 4;
        fs::write(&path, bytes).expect("the file is writable");
    }
    let words = ["corrupt", "damaged"];
    let ran = dir.nddb(["query", "db", "--fp", "00000000000000ff"]).tells(13, &["block", "hint:"]);
    assert!(words.iter().any(|word| ran.stderr.contains(word)), "{}", ran.stderr);
}

#[test]
fn another_recipe_is_refused() {
    let dir = Dir::with_documents();
    dir.nddb(["create", "other", "--recipe", "1e0ng"]).done();
    dir.nddb(["merge", "db", "other"]).tells(12, &["recipe", "main/1", "1e0ng/1", "hint:"]);
}

#[test]
fn a_full_disk_is_over_a_limit() {
    let dir = Dir::with_documents();
    dir.write_prints("q.u64le", &[255]);
    let words = ["/dev/full: cannot be written", "No space left", "hint: free some space"];
    dir.nddb(["query", "db", "--format", "tsv", "--fp-file", "q.u64le", "-o", "/dev/full"]).tells(14, &words);
    dir.write("p.jsonl", b"{}\n");
    dir.nddb(["load", "db", "p.jsonl", "--skipped", "/dev/full"]).tells(14, &words);
}

#[test]
fn what_may_not_be_read_is_named() {
    let dir = Dir::with_documents();
    fs::set_permissions(dir.path("three.tsv"), fs::Permissions::from_mode(0o000)).expect("a file of ours");
    if fs::read(dir.path("three.tsv")).is_ok() {
        say("permissions do not hold this user back: nothing to see");
        return;
    }
    dir.nddb(["load", "db", "three.tsv"]).tells(1, &["three.tsv", "Permission denied"]);
    fs::set_permissions(dir.path("db/MANIFEST"), fs::Permissions::from_mode(0o000)).expect("a file of ours");
    dir.nddb(["get", "db", "a"]).tells(1, &["MANIFEST", "Permission denied", "hint: look at who owns"]);
}

#[expect(clippy::print_stderr, reason = "a test tells what it leaves out")]
fn say(text: &str) {
    eprintln!("{text}");
}

#[test]
fn options_without_effect_where_they_stand_are_refused() {
    let dir = Dir::with_documents();
    dir.write("docs.jsonl", b"{\"id\":\"x\",\"text\":\"one two three\"}\n");
    dir.write("page.html", b"<p>one two three");
    for (args, why) in [
        (&["load", "db", "docs.jsonl", "--id", "url"][..], "--id is an option of WARC, WET and ARC inputs"),
        (&["load", "db", "docs.jsonl", "--id", "row", "--id-field", "x"], "--id row and --id-field exclude each other"),
        (&["load", "db", "docs.jsonl", "--id", "path", "--select", "x"], "--id path and --select exclude each other"),
        (
            &["load", "db", "three.tsv", "--text-field", "body"],
            "--text-field is an option of JSONL, CSV, Parquet and Arrow inputs",
        ),
        (
            &["load", "db", "-", "--format", "warc", "--fp-field", "f"],
            "--fp-field is an option of JSONL, CSV, Parquet and Arrow inputs",
        ),
        (&["load", "db", "page.html", "--id", "url"], "--id is an option of"),
        (&["cluster", "db", "--format", "tsv"], "--output <DIR>"),
        (&["check", "db", "--seed", "2"], "--sample-recall <N>"),
        (&["query", "db", "--id", "a", "--set", "k=1", "-k", "2"], "--set does not apply to"),
        (&["query", "db", "--id", "a", "--set", "complete=true"], "has no parameter \"complete\"; it has k"),
        (
            &["query", "db", "--id", "a", "--method", "hamming", "--set", "probability=0.9"],
            "--set probability=0.9: hamming has no parameter \"probability\"; it has k",
        ),
        (
            &["query", "db", "--id", "a", "--method", "hamming", "--model", "no.json"],
            "--model applies to the method model, not to hamming",
        ),
        (
            &["query", "db", "--fp", "00000000000000ff", "--group-limit", "3"],
            "--group-limit does not apply to queries by distance alone",
        ),
        (&["query", "db", "--id", "a", "--url", "http://a.org/"], "--url"),
        (&["query", "db", "--html", "page.html", "-k", "1", "--url", "http://a.org/"], "--url does not apply to"),
        (&["pairs", "db", "--method", "b", "--set", "probability=0.9"], "b has no parameter \"probability\"; it has b"),
        (&["cluster", "db", "--level", "loose"], "known levels: same, strict, standard"),
        (&["pairs", "db", "-k", "1", "--set", "complete=true"], "hamming has no parameter \"complete\"; it has k"),
        (&["add", "db", "--group-limit", "3"], "--group-limit is about judging what is new"),
    ] {
        dir.nddb(args.iter()).tells(2, &[why]);
    }
    // Of several inputs one that looks at it is enough, and so is one that cannot be told.
    dir.nddb(["load", "db", "docs.jsonl", "three.tsv", "--id-prefix", "p-"]).done();
    dir.nddb(["load", "db", "-", "--id-field", "id"]).stdin("{\"id\":\"y\",\"text\":\"one two\"}\n").done();
}
