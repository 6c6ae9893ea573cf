//! `rm`, `stats`, `check`, `compact`, `rebuild`, `merge` and `backup`.

use serde_json::{Value, json};

use crate::helper::{Dir, ids, prints};

#[test]
fn documents_are_deleted_by_id() {
    let dir = Dir::with_documents();
    let dry = dir.nddb(["rm", "db", "a", "nobody", "--dry-run", "--json"]).ends(1);
    assert_eq!(dry.json(), json!({"deleted": 1, "missing": 1, "dry_run": true}));
    dir.nddb(["get", "db", "a"]).done();
    let ran = dir.nddb(["rm", "db", "a", "nobody", "--json"]).ends(1);
    assert_eq!(ran.json(), json!({"deleted": 1, "missing": 1, "dry_run": false}));
    ran.says(&["rm: 1 document deleted, 1 id not stored"]);
    assert_eq!(ids(&dir.nddb(["query", "db", "--fp", "00000000000000ff"]).done().json()), ["b"]);
    dir.write("ids.txt", b"b\nc\n\n");
    dir.nddb(["rm", "db", "--ids-from", "ids.txt"]).done().says(&["2 documents deleted"]);
    dir.nddb(["rm", "db", "--ids-from", "-"]).stdin("b\n").ends(1);
    dir.nddb(["rm", "db"]).tells(2, &["missing argument: ID"]);
    dir.nddb(["rm", "db", "a", "--site", "example.org"]).tells(2, &["--site"]);
}

#[test]
fn documents_are_deleted_by_site() {
    let dir = Dir::with_database();
    let pages = [("http://www.example.org/1", "<p>one two three"), ("http://a.example.org/2", "<p>four five six")];
    dir.write_warc("p.warc", &[pages[0], pages[1], ("http://example.com/", "<p>seven eight nine")]);
    dir.nddb(["load", "db", "p.warc"]).done();
    let which = "of site example.org: a.example.org (1), www.example.org (1)";
    dir.nddb(["rm", "db", "--site", "example.org", "--dry-run"]).done().says(&["2 documents would be deleted", which]);
    dir.nddb(["rm", "db", "--site", "example.org"]).done().says(&["2 documents deleted", which]);
    dir.nddb(["get", "db", "http://example.com/"]).done();
    dir.nddb(["rm", "db", "--site", "example.org"]).tells(1, &["no document is of site example.org"]);
}

#[test]
fn shops_of_one_suffix_are_sites_of_their_own_and_a_host_is_deleted_alone() {
    let dir = Dir::with_database();
    let pages = [
        ("http://www.one.co.uk/", "<p>one two three"),
        ("http://two.co.uk/", "<p>four five six"),
        ("http://Kafka.two.co.uk:8080/a", "<p>seven eight nine"),
        ("http://kafka.two.co.uk/b", "<p>ten eleven twelve"),
    ];
    dir.write_warc("p.warc", &pages);
    dir.nddb(["load", "db", "p.warc"]).done();
    dir.nddb(["rm", "db", "--site", "co.uk"]).tells(1, &["no document is of site co.uk"]);
    let hints =
        ["no document is of site kafka.two.co.uk", "--host kafka.two.co.uk is of 2", "--site two.co.uk is of 3"];
    dir.nddb(["rm", "db", "--site", "kafka.two.co.uk"]).tells(1, &hints);
    dir.nddb(["rm", "db", "--site", "kafka.two.co.uk", "--dry-run"]).tells(1, &hints);
    let dry = dir.nddb(["rm", "db", "--host", "https://KAFKA.two.co.uk/x", "--dry-run", "--json"]).done();
    let hosts = json!({"kafka.two.co.uk": 2});
    assert_eq!(dry.json(), json!({"deleted": 2, "missing": 0, "dry_run": true, "hosts": hosts}));
    dir.nddb(["rm", "db", "--host", "kafka.two.co.uk"]).done().says(&["2 documents deleted of host kafka.two.co.uk"]);
    dir.nddb(["rm", "db", "--host", "kafka.two.co.uk"])
        .tells(1, &["no document is of host", "--site two.co.uk is of 1"]);
    dir.nddb(["rm", "db", "--site", "two.co.uk"]).done().says(&["1 document deleted"]);
    dir.nddb(["get", "db", "http://www.one.co.uk/"]).done();
}

#[test]
fn stats_say_what_is_in_the_database() {
    let dir = Dir::with_database();
    dir.write_prints("p.u64le", &prints(5000));
    dir.nddb(["load", "db", "p.u64le"]).done();
    dir.nddb(["rm", "db", "17"]).done();
    let stats = dir.nddb(["stats", "db", "--json"]).done().json();
    assert_eq!((&stats["documents"], &stats["deleted"]), (&json!(4999), &json!(1)));
    assert_eq!((&stats["fingerprints"], &stats["recipe"]), (&json!(5000), &json!("main/1")));
    assert_eq!((&stats["bits"], &stats["k"], &stats["format"]), (&json!(64), &json!(3), &json!(1)));
    let runs = stats["runs"].as_array().expect("a list");
    assert_eq!(runs.iter().filter_map(|run| run["fingerprints"].as_u64()).sum::<u64>(), 5000);
    for each in stats["bits_per_fingerprint"].as_array().expect("a list") {
        assert!((50.0..80.0).contains(&each.as_f64().unwrap_or(0.0)), "{stats}");
    }
    assert!(stats["bytes"]["segments"].as_u64() > Some(30_000), "{stats}");
    let text = dir.nddb(["stats", "db"]).done().stdout;
    for word in ["documents", "4,999", "deleted", "recipe", "main/1"] {
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn a_sound_database_passes_the_check() {
    let dir = Dir::with_documents();
    let summary = dir.nddb(["check", "db", "--json", "--sample-recall", "10"]).done().json();
    assert_eq!((&summary["sound"], &summary["faults"]), (&json!(true), &json!(0)));
    dir.nddb(["check", "db"]).tells(0, &["check: sound: 3 documents in 1 run"]);
}

#[test]
fn stats_say_when_the_database_was_checked_and_with_what_result() {
    let dir = Dir::with_documents();
    let checked = || dir.nddb(["stats", "db", "--json"]).done().json()["checked"].take();
    assert_eq!(checked(), Value::Null);
    assert!(dir.nddb(["stats", "db"]).done().stdout.contains("last checked   never, as far as known\n"));
    dir.nddb(["check", "db"]).done();
    let (check, stats) = (checked(), dir.nddb(["stats", "db", "--json"]).done().json());
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("after 1970").as_secs();
    let time = check["time"].as_u64().expect("a time");
    assert!(time <= now && time + 600 > now, "{time}, and it is {now}");
    assert_eq!((&check["faults"], &check["generation"]), (&json!(0), &stats["generation"]));
    std::fs::write(dir.path("db/MANIFEST"), b"no manifest").expect("the file is writable");
    dir.nddb(["check", "db"]).ends(13);
    let recorded = String::from_utf8(dir.read("db/CHECKED")).expect("text");
    let numbers: Vec<u64> = recorded.trim_end().split(' ').map(|number| number.parse().expect("a number")).collect();
    assert!(numbers[0] >= time && numbers[1] == 0 && numbers[2] > 0, "{recorded}");
    // What is not a check is passed over, and a backup does not have it.
    dir.nddb(["rebuild", "db"]).done();
    dir.write("db/CHECKED", b"yesterday");
    assert_eq!(checked(), Value::Null);
    dir.nddb(["backup", "db", "copy"]).done();
    assert!(!dir.path("copy/database/CHECKED").exists() && dir.path("copy/database/MANIFEST").exists());
}

#[test]
fn every_fault_stands_on_a_line_and_a_rebuild_repairs_runs() {
    let dir = Dir::with_documents();
    let runs = std::fs::read_dir(dir.path("db/runs")).expect("a folder").flatten().map(|entry| entry.path());
    let segment = runs.filter(|path| path.extension().is_some_and(|e| e == "seg")).min().expect("a segment");
    let mut bytes = std::fs::read(&segment).expect("a file");
    bytes[1024 + 300] ^= 1;
    std::fs::write(&segment, bytes).expect("the file is writable");
    let ran = dir.nddb(["check", "db"]).ends(13);
    let name = segment.file_name().and_then(|name| name.to_str()).expect("a name");
    assert!(ran.stdout.contains(name), "{}", ran.stdout);
    ran.says(&["rebuild"]);
    let lines = dir.nddb(["check", "db", "--json"]).ends(13).lines();
    let (summary, faults) = lines.split_last().expect("a summary");
    assert_eq!((&summary["sound"], &summary["faults"]), (&json!(false), &json!(faults.len())));
    assert!(faults[0]["file"].as_str().is_some_and(|file| file.contains(name)), "{}", faults[0]);
    let rebuilt = dir.nddb(["rebuild", "db", "--json"]).done();
    // Three documents stand in one table: there is no sibling to make it from.
    assert_eq!((&rebuilt.json()["changed"], &rebuilt.json()["runs"]), (&json!(true), &json!(1)));
    rebuilt.says(&["rebuild: made again: 1 run; 0 runs kept"]);
    dir.nddb(["check", "db"]).done();
    assert_eq!(ids(&dir.nddb(["query", "db", "--fp", "00000000000000ff"]).done().json()), ["a", "b"]);
    dir.nddb(["rebuild", "db"]).done().says(&["rebuild: nothing to do, 1 run sound"]);
    dir.nddb(["rebuild", "db", "--all"]).done().says(&["made again: 1 run; "]);
    dir.nddb(["check", "db"]).done();
}

#[test]
fn compaction_makes_one_run_and_gives_space_back() {
    let dir = Dir::with_database();
    let all = prints(3000);
    for part in 0..3 {
        dir.write_prints("p.u64le", &all[part * 1000..][..1000]);
        dir.nddb(["load", "db", "p.u64le", "--id-prefix", &format!("{part}-")]).done();
    }
    let ids: String = (0..1000).map(|n| format!("1-{n}\n")).collect();
    dir.nddb(["rm", "db", "--ids-from", "-"]).stdin(ids).done();
    dir.nddb(["compact", "db", "--all", "--dry-run"]).done().says(&["would merge 3 runs"]);
    let done = dir.nddb(["compact", "db", "--all", "--json"]).done().json();
    assert_eq!((&done["runs_before"], &done["runs_after"]), (&json!(3), &json!(1)));
    assert_eq!(done["documents_dropped"], 1000);
    assert!(done["bytes_after"].as_u64() < done["bytes_before"].as_u64(), "{done}");
    let again = dir.nddb(["compact", "db", "--all", "--json"]).done();
    assert_eq!(again.json()["merges"], 0);
    again.says(&["compact: nothing to do"]);
    dir.nddb(["check", "db"]).done();
    dir.nddb(["get", "db", "0-0", "2-999"]).done();
}

#[test]
fn a_database_is_reshaped_to_other_tables() {
    let dir = Dir::with_database();
    dir.write_prints("p.u64le", &prints(3000));
    dir.nddb(["load", "db", "p.u64le"]).done();
    let done = dir.nddb(["compact", "db", "--tables", "10", "--json"]).done().json();
    assert_eq!((&done["levels"], &done["runs"]), (&json!([5]), &json!(1)));
    let stats = dir.nddb(["stats", "db", "--json"]).done().json();
    assert_eq!(stats["runs"][0]["tables"], 10);
    dir.nddb(["check", "db"]).done();
    dir.nddb(["compact", "db", "--tables", "auto"]).done().says(&["compact: tables chosen by size; 1 run rewritten"]);
    dir.nddb(["compact", "db", "--tables", "0"]).tells(2, &["--tables"]);
    dir.nddb(["compact", "db", "--tables", "10", "--all"]).tells(2, &["--all"]);
}

#[test]
fn a_merge_takes_the_documents_of_another_database() {
    let dir = Dir::with_documents();
    dir.nddb(["create", "other"]).done();
    dir.write("more.tsv", b"c\t0f0f0f0f0f0f0f0f\nd\t00000000000000fd\n");
    dir.nddb(["load", "other", "more.tsv"]).done();
    let merged = dir.nddb(["merge", "db", "other", "--json"]).done().json();
    assert_eq!(merged, json!({"documents": 2, "replaced": 1, "unchanged": 0}));
    assert_eq!(ids(&dir.nddb(["query", "db", "--fp", "00000000000000ff"]).done().json()), ["a", "b", "d"]);
    assert_eq!(ids(&dir.nddb(["query", "other", "--fp", "00000000000000ff"]).done().json()), ["d"]);
    dir.nddb(["merge", "db", "none"]).tells(10, &["none"]);
    dir.nddb(["check", "db"]).done();
}

#[test]
fn a_database_is_backed_up_checked_and_restored() {
    let dir = Dir::with_documents();
    dir.nddb(["backup", "db", "https://example.org/monday"]).tells(1, &["cannot be written", "HTTP server"]);
    let made = dir.nddb(["backup", "db", "monday", "--json"]).done();
    made.says(&["backup: 3 documents", "in monday"]);
    assert_eq!((&made.json()["documents"], &made.json()["generation"].is_number()), (&json!(3), &true));
    dir.nddb(["rm", "db", "a"]).done();
    dir.nddb(["backup", "verify", "monday"]).tells(0, &["backup verify: sound: 3 documents in "]);
    dir.nddb(["backup", "restore", "monday", "db"]).tells(1, &["db: exists already", "hint: "]);
    dir.nddb(["backup", "restore", "monday", "again"]).tells(0, &["backup restore: 3 documents", "in again"]);
    dir.nddb(["get", "again", "a"]).done();
    dir.nddb(["check", "again"]).done();
    dir.nddb(["get", "db", "a"]).ends(1);
    dir.nddb(["backup", "db", "monday"]).tells(1, &["monday: exists already"]);
    dir.nddb(["backup", "nowhere", "tuesday"]).ends(10);
    dir.nddb(["backup", "restore", "db", "new"]).tells(10, &["db: not a backup", "hint: "]);
    dir.nddb(["stats", "monday"]).tells(10, &["it is a backup", "nddb backup restore"]);
    dir.nddb(["backup", "tuesday"]).env("NDDB_DB", "db").done();
    dir.nddb(["backup", "verify", "tuesday"]).env("NDDB_DB", "db").done().says(&["sound"]);
    dir.nddb(["backup", "db"]).tells(2, &["missing argument: DIR after the database db"]);
    let current = dir.path("monday/database/catalog/CURRENT");
    std::fs::write(&current, "MANIFEST-999999\n").expect("writable");
    let ran = dir.nddb(["backup", "verify", "monday"]).ends(13);
    assert!(ran.stdout.contains("catalog/CURRENT: the whole file: "), "{}", ran.stdout);
    ran.says(&["1 fault found"]);
    let lines = dir.nddb(["backup", "verify", "monday", "--json"]).ends(13).lines();
    assert_eq!((&lines[1]["sound"], &lines[1]["faults"]), (&json!(false), &json!(1)));
    dir.nddb(["backup", "restore", "monday", "broken"]).tells(13, &["catalog/CURRENT", "hint: "]);
    assert!(!dir.path("broken").exists());
}

/// A folder of backups of two databases, one of which keeps the newest two of its own.
#[test]
fn old_backups_of_the_same_database_are_removed() {
    let dir = Dir::with_documents();
    dir.nddb(["create", "other"]).done();
    std::fs::create_dir_all(dir.path("all/unrelated/database")).expect("writable");
    for (db, name) in [("db", "9"), ("other", "a"), ("db", "8"), ("other", "b"), ("db", "7")] {
        dir.nddb(["backup", db, &format!("all/{name}")]).done();
    }
    let made = dir.nddb(["backup", "db", "all/1", "--keep", "2", "--json"]).done();
    made.says(&["in all/1; removed all/9, all/8"]);
    assert_eq!(made.json()["removed"], json!(["all/9", "all/8"]));
    let left = || {
        let names =
            std::fs::read_dir(dir.path("all")).expect("a folder").map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().expect("text")).collect();
        names.sort();
        names.join(" ")
    };
    assert_eq!(left(), "1 7 a b unrelated");
    dir.nddb(["backup", "verify", "all/7"]).done();
    // One that failed removes nothing, and a restored database has a series of its own.
    dir.nddb(["backup", "db", "all/1", "--keep", "1"]).tells(1, &["exists already", "hint: ", "'nddb backup DB all/'"]);
    dir.nddb(["backup", "restore", "all/1", "again"]).done();
    dir.nddb(["backup", "again", "all/2", "--keep", "1"]).done().says(&["in all/2; left 4 backups of other databases"]);
    assert_eq!(left(), "1 2 7 a b unrelated");
    dir.nddb(["backup", "db", "all/3", "--keep", "0"]).ends(2);
}

/// The same command can be run every day: a folder of backups gets a new one, named by database and date.
#[test]
fn a_folder_of_backups_gets_a_dated_one() {
    let dir = Dir::with_documents();
    let names = |folder: &str| {
        let entries = std::fs::read_dir(dir.path(folder)).expect("a folder").map(|entry| entry.expect("an entry"));
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().expect("text")).collect();
        names.sort();
        names
    };
    std::fs::create_dir(dir.path("made")).expect("writable");
    for (folder, name) in [("made", "made"), ("slash/", "slash")] {
        for day in 1..=4 {
            let made = dir.nddb(["backup", "db", folder, "--keep", "2", "--json"]).done().json();
            let path = made["path"].as_str().expect("a path").to_owned();
            assert!(path.starts_with(&format!("{name}/db-20")) && dir.path(&path).join("BACKUP").is_file(), "{path}");
            assert_eq!(names(name).len(), day.min(2), "{:?}", names(name));
            assert!(names(name).contains(&path.split_once('/').expect("in the folder").1.to_owned()));
        }
        dir.nddb(["backup", "verify", &format!("{name}/{}", names(name)[0])]).done();
    }
    // A backup, a database or a file is no folder for backups.
    let backup = format!("made/{}/", names("made")[0]);
    dir.nddb(["backup", "db", &backup]).tells(1, &["exists already", "hint: "]);
    dir.nddb(["backup", "db", "db/"]).ends(1);
    dir.nddb(["backup", "db", "nowhere/none/"]).ends(1);
}

/// Without a folder for temporary files a database can be read and checked: only sorting needs one.
#[test]
fn a_missing_folder_for_temporary_files_is_no_damage() {
    let dir = Dir::with_documents();
    std::fs::write(dir.path("file"), "").expect("writable");
    for tmp in ["nowhere", "file"] {
        let backup = format!("backup without {tmp}");
        for command in
            [&["check", "db"][..], &["stats", "db"], &["backup", "db", &backup], &["backup", "verify", &backup]]
        {
            dir.nddb(command).env("TMPDIR", &dir.path(tmp).to_string_lossy()).done();
        }
    }
    assert_eq!(dir.nddb(["stats", "db", "--json"]).done().json()["checked"]["faults"], json!(0));
}

#[test]
fn a_backup_is_not_made_inside_of_what_it_copies() {
    let dir = Dir::with_documents();
    std::os::unix::fs::symlink(dir.path("db"), dir.path("link")).expect("writable");
    for target in ["db/backup", "db/runs/backup", "link/backup", "db/../db/new/backup"] {
        dir.nddb(["backup", "db", target]).tells(1, &["is inside of", "hint: choose a path outside of"]);
    }
    dir.nddb(["check", "db"]).done();
    dir.nddb(["backup", "db", "db-backup"]).done();
    dir.nddb(["backup", "restore", "db-backup", "db-backup/database/again"]).tells(1, &["is inside of"]);
    dir.nddb(["backup", "verify", "db-backup"]).done();
}

#[test]
fn statistics_are_written_for_prometheus() {
    let dir = Dir::new();
    dir.write("three.tsv", b"doc-1\t00d1f2a3b4c5e697\ndoc-2\t00d1f2a3b4c5e696\n");
    dir.nddb(["create", "a \"db\""]).done();
    dir.nddb(["load", "a \"db\"", "three.tsv"]).done();
    dir.nddb(["check", "a \"db\""]).done();
    let told = dir.nddb(["stats", "a \"db\"", "--json"]).done().json();
    let age = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("after 1970").as_secs();
    for name in ["committed", "published"] {
        let time = told[name].as_u64().expect("a time");
        assert!(time <= age && time + 600 > age, "{name} {time}, and it is {age}");
    }
    dir.nddb(["stats", "a \"db\"", "--format", "prometheus", "-o", "db.prom"]).done();
    let text = String::from_utf8(dir.read("db.prom")).expect("text");
    let sample = |name: &str| format!("nddb_{name}{{db=\"a \\\"db\\\"\"}} ");
    assert!(text.contains(&format!("# TYPE nddb_documents gauge\n{}2\n", sample("documents"))), "{text}");
    let committed = format!("{}{}\n", sample("committed_timestamp_seconds"), told["committed"]);
    assert!(text.contains(&committed) && text.contains(",kind=\"catalog\"} "), "{text}");
    let checked = format!("{}{}\n", sample("checked_timestamp_seconds"), told["checked"]["time"]);
    assert!(text.contains(&checked) && text.contains(&format!("{}0\n", sample("checked_faults"))), "{text}");
    for line in text.lines().filter(|line| !line.starts_with("# ")) {
        let (_, value) = line.rsplit_once(' ').expect("a sample");
        assert!(value.parse::<f64>().is_ok(), "{line}");
    }
    let text = dir.nddb(["stats", "a \"db\""]).done().stdout;
    assert!(text.contains("last written   catalog ") && text.contains(" ago, runs "), "{text}");
}

#[test]
fn what_a_creation_left_without_a_catalog_is_no_damaged_database() {
    let dir = Dir::new();
    dir.nddb(["create", "whole", "-q"]).done();
    for folder in ["db/catalog", "db/runs"] {
        std::fs::create_dir_all(dir.path(folder)).expect("made");
    }
    dir.write("db/LOCK", b"");
    for entry in std::fs::read_dir(dir.path("whole/catalog")).expect("a folder") {
        let name = entry.expect("an entry").file_name().into_string().expect("text");
        if !name.ends_with(".sst") {
            std::fs::copy(dir.path(&format!("whole/catalog/{name}")), dir.path(&format!("db/catalog/{name}")))
                .expect("copied");
        }
    }
    let told = ["no database was ever completed here", "'nddb create db' starts again"];
    dir.nddb(["check", "db"]).tells(10, &told);
    dir.nddb(["rebuild", "db"]).tells(10, &told);
    // Files of others are never removed.
    for other in ["db/notes.txt", "db/catalog/books.xml", "db/runs/monday"] {
        dir.write(other, b"mine");
        dir.nddb(["create", "db"]).tells(1, &["exists already"]);
        std::fs::remove_file(dir.path(other)).expect("removed");
    }
    dir.nddb(["create", "db", "-q"]).done();
    dir.nddb(["check", "db", "-q"]).done();
    // A database that has lost its MANIFEST and its catalog is damaged.
    dir.nddb(["add", "db"]).stdin("{\"id\":\"a\",\"fp\":\"00000000000000ff\"}\n").done();
    dir.nddb(["compact", "db", "-q"]).done();
    for lost in ["db/MANIFEST", "db/catalog/CURRENT"] {
        std::fs::remove_file(dir.path(lost)).expect("removed");
    }
    dir.nddb(["rebuild", "db"]).tells(13, &["beyond repair"]);
}
