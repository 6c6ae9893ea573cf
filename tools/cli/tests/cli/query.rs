//! `query`.

use serde_json::{Value, json};

use crate::helper::{Dir, ids, keys, prints};

/// Why a database of fingerprints of another program refuses texts.
const WHY: &str = "made by imagehash, and nddb cannot make them of a text; give fingerprints";

#[test]
fn a_query_prints_its_fingerprint_the_count_and_the_matches() {
    let dir = Dir::with_documents();
    let answer = dir.nddb(["query", "db", "--fp", "00000000000000ff"]).done().json();
    let expected = json!({"fp": "00000000000000ff", "count": 2, "matches": [
        {"id": "a", "fp": "00000000000000ff", "distance": 0, "url": null, "site": null},
        {"id": "b", "fp": "00000000000000fe", "distance": 1, "url": null, "site": null},
    ]});
    assert_eq!(answer, expected);
    assert_eq!(keys(&answer), ["fp", "count", "matches"]);
    assert_eq!(keys(&answer["matches"][0]), ["id", "fp", "distance", "url", "site"]);
}

#[test]
fn a_table_for_each_query_is_for_people() {
    let dir = Dir::with_documents();
    let table =
        dir.nddb(["query", "db", "--fp", "00000000000000ff", "0000ffffffff0000", "--format", "table"]).done().stdout;
    assert_eq!(
        table,
        "00000000000000ff: 2 matches\nid  distance\na          0\nb          1\n\n0000ffffffff0000: 0 matches\n\n"
    );
    let table = dir.nddb(["query", "db", "--id", "a", "none", "--format", "table"]).ends(1).stdout;
    assert!(
        table.starts_with("a: 1 match\nid  distance") && table.ends_with("none: 0 matches (no such document)\n\n"),
        "{table}"
    );
}

#[test]
fn queries_are_answered_in_their_order() {
    let dir = Dir::with_documents();
    let hex = ["ffffffff00000001", "0f0f0f0f0f0f0f0f", "00000000000000fe"];
    let answers = dir.nddb(["query", "db", "--fp", hex[0], hex[1], hex[2]]).done().lines();
    assert_eq!(answers.iter().map(|answer| answer["fp"].as_str()).collect::<Vec<_>>(), hex.map(Some));
    assert_eq!(answers.iter().map(ids).collect::<Vec<_>>(), [vec!["c"], vec![], vec!["b", "a"]]);
}

#[test]
fn matches_stand_by_distance_then_by_the_bytes_of_their_ids() {
    let dir = Dir::with_database();
    dir.write("d.tsv", b"z\t0000000000000000\n\xc3\xa9\t0000000000000000\nB\t0000000000000000\nb\t0000000000000001\n");
    dir.nddb(["load", "db", "d.tsv"]).done();
    let answer = dir.nddb(["query", "db", "--fp", "0000000000000000"]).done().json();
    assert_eq!(ids(&answer), ["B", "z", "é", "b"]);
}

#[test]
fn a_limit_keeps_the_nearest_and_counts_all() {
    let dir = Dir::with_documents();
    let answer = dir.nddb(["query", "db", "--fp", "00000000000000fe", "--limit", "1"]).done().json();
    assert_eq!((answer["count"].as_u64(), ids(&answer)), (Some(2), vec!["b"]));
    let answer = dir.nddb(["query", "db", "--fp", "00000000000000fe", "--limit", "0"]).done().json();
    assert_eq!((answer["count"].as_u64(), ids(&answer)), (Some(2), vec![]));
}

#[test]
fn the_distance_is_chosen_up_to_sixteen() {
    let dir = Dir::with_documents();
    let near = |k: &str| ids(&dir.nddb(["query", "db", "--fp", "00000000000000fc", "-k", k]).done().json()).len();
    assert_eq!(["0", "1", "2", "3", "16"].map(near), [0, 1, 2, 2, 2]);
    dir.nddb(["query", "db", "--fp", "00000000000000fc", "-k", "17"])
        .tells(2, &["-k 17 is above 16, the greatest distance of a query", "hint: give -k 16 or less"]);
}

#[test]
fn bad_hex_is_named() {
    let dir = Dir::with_documents();
    for bad in ["ff", "00000000000000fg", "0x000000000000ff", ""] {
        dir.nddb(["query", "db", "--fp", bad]).tells(2, &["16 hexadecimal digits"]);
    }
}

#[test]
fn a_query_by_id_finds_the_others_and_not_the_document_itself() {
    let dir = Dir::with_documents();
    let ran = dir.nddb(["query", "db", "--id", "a", "nobody", "c"]).ends(1);
    ran.says(&["no document 'nobody'"]);
    let answers = ran.lines();
    assert_eq!(answers.iter().map(ids).collect::<Vec<_>>(), [vec!["b"], vec![], vec![]]);
    assert_eq!(answers.iter().map(|answer| &answer["count"]).collect::<Vec<_>>(), [1, 0, 0]);
    assert_eq!(answers[1]["error"], "no such document");
    for how in [&["-k", "1"][..], &["--method", "hamming"], &["-k", "1", "--limit", "1"]] {
        let answer = dir.nddb([&["query", "db", "--id", "a"], how].concat()).done().json();
        assert_eq!((ids(&answer), &answer["count"]), (vec!["b"], &1.into()), "{how:?}");
    }
    let number = dir.nddb(["query", "db", "--id", "b", "--ids", "none"]).done().json();
    assert_eq!((&number["matches"][0]["number"], &number["count"]), (&0.into(), &1.into()));
    dir.nddb(["query", "db", "--id", "c", "-q"]).ends(1);
    // Of more copies than are listed, it is one that is left out of the list.
    let copies: String = (0..8).map(|id| format!("copy{id}\t0123456789abcdef\n")).collect();
    dir.write("copies.tsv", copies.as_bytes());
    dir.nddb(["load", "db", "copies.tsv"]).done();
    for how in [&["-k", "0", "--limit", "3"][..], &["--method", "hamming", "--group-limit", "3"]] {
        let answer = dir.nddb([&["query", "db", "--id", "copy7"], how].concat()).done().json();
        assert_eq!((ids(&answer), &answer["count"]), (vec!["copy0", "copy1", "copy2"], &7.into()), "{how:?}");
    }
    let answer = dir.nddb(["query", "db", "--id", "copy1", "-k", "0", "--limit", "2"]).done().json();
    assert_eq!((ids(&answer), &answer["count"]), (vec!["copy0", "copy2"], &7.into()));
}

#[test]
fn a_file_of_queries_gives_a_line_each_and_statistics() {
    let dir = Dir::with_database();
    let stored = prints(3000);
    dir.write_prints("stored.u64le", &stored);
    dir.nddb(["load", "db", "stored.u64le"]).done();
    let queries: Vec<u64> = stored.iter().map(|print| print ^ 5).collect();
    dir.write_prints("q.u64le", &queries);
    let ran = dir.nddb(["query", "db", "--fp-file", "q.u64le", "--stats"]).done();
    let answers = ran.lines();
    assert_eq!(answers.len(), 3000);
    for (index, answer) in answers.iter().enumerate() {
        assert_eq!(answer["fp"], format!("{:016x}", queries[index]));
        assert!(ids(answer).contains(&index.to_string().as_str()), "{answer}");
    }
    let stats: Value = serde_json::from_str(&ran.stderr).expect("one line of JSON on stderr");
    let expected = [
        "queries",
        "matches",
        "seconds",
        "cpu_seconds",
        "p50_us",
        "p99_us",
        "predicted_us",
        "probes",
        "excluded",
        "blocks",
        "bytes",
        "entries",
        "from_disk",
    ];
    assert_eq!(keys(&stats), expected);
    assert_eq!(stats["queries"], 3000);
    let count: u64 = answers.iter().filter_map(|answer| answer["count"].as_u64()).sum();
    assert_eq!(stats["matches"], count);
    assert!(stats["p99_us"].as_f64() >= stats["p50_us"].as_f64(), "{stats}");
    let of = |k: &str| -> Value {
        let ran = dir.nddb(["query", "db", "--fp", "00000000000000ff", "-k", k, "--stats"]).done();
        serde_json::from_str(&ran.stderr).expect("one line of JSON on stderr")
    };
    let (near, far) = (of("3"), of("10"));
    assert!(far["predicted_us"].as_f64() > near["predicted_us"].as_f64(), "{far} and {near}");
    // Far away one table is scanned, by one probe.
    assert!(["blocks", "bytes", "entries"].iter().all(|key| far[*key].as_u64() >= near[*key].as_u64()), "{far} {near}");
    for threads in ["1", "4"] {
        let again = dir.nddb(["query", "db", "--fp-file", "q.u64le", "--threads", threads]).done();
        assert_eq!(again.stdout, ran.stdout, "{threads} threads");
    }
}

#[test]
fn everything_can_be_asked_against_everything() {
    let dir = Dir::with_documents();
    let answers = dir.nddb(["query", "db", "--all"]).done().lines();
    assert_eq!(answers.iter().map(ids).collect::<Vec<_>>(), [vec!["b"], vec!["a"], vec![]]);
    let limited = dir.nddb(["query", "db", "--all", "--limit", "1", "--threads", "3"]).done().lines();
    assert_eq!(limited.iter().map(ids).collect::<Vec<_>>(), [vec!["b"], vec!["a"], vec![]]);
}

#[test]
fn without_ids_the_matches_are_document_numbers() {
    let dir = Dir::with_documents();
    let answer = dir.nddb(["query", "db", "--fp", "00000000000000ff", "--ids", "none"]).done().json();
    let expected = json!({"fp": "00000000000000ff", "count": 2, "matches": [
        {"number": 0, "fp": "00000000000000ff", "distance": 0},
        {"number": 1, "fp": "00000000000000fe", "distance": 1},
    ]});
    assert_eq!(answer, expected);
}

#[test]
fn a_quiet_query_answers_with_its_exit_code() {
    let dir = Dir::with_documents();
    let silent = dir.nddb(["query", "db", "--fp", "00000000000000ff", "-q"]).ends(0);
    assert_eq!((&*silent.stdout, &*silent.stderr), ("", ""));
    let nothing = dir.nddb(["query", "db", "--fp", "0f0f0f0f0f0f0f0f", "-q"]).ends(1);
    assert_eq!((&*nothing.stdout, &*nothing.stderr), ("", ""));
    assert_eq!(dir.nddb(["query", "db", "--fp", "0f0f0f0f0f0f0f0f"]).ends(0).json()["count"], 0);
}

#[test]
fn a_query_says_what_to_look_for_in_one_way() {
    let dir = Dir::with_documents();
    dir.nddb(["query", "db"]).tells(2, &["required"]);
    dir.nddb(["query", "db", "--fp", "00000000000000ff", "--id", "a"]).tells(2, &["cannot be used with"]);
    dir.write("odd.u64le", b"12345678123");
    dir.nddb(["query", "db", "--fp-file", "odd.u64le"]).tells(1, &["odd.u64le", "3 bytes after"]);
    dir.nddb(["query", "db", "--fp-file", "none.u64le"]).tells(1, &["none.u64le", "No such file"]);
}

#[test]
fn a_query_wider_than_the_fingerprints_is_refused() {
    let dir = Dir::new();
    dir.nddb(["create", "db", "--bits", "32", "--k", "2"]).done();
    dir.nddb(["query", "db", "--fp", "0000000100000000"]).tells(2, &["has more than the database's 32 bits"]);
    dir.nddb(["query", "db", "--fp", "00000000ffffffff"]).done();
}

#[test]
fn batch_mode_finds_what_single_queries_find() {
    let dir = Dir::with_database();
    let stored = prints(2000);
    dir.write_prints("stored.u64le", &stored);
    dir.nddb(["load", "db", "stored.u64le", "--id-prefix", "d"]).done();
    let queries: Vec<u64> = stored.iter().step_by(3).flat_map(|print| [print ^ 0x11, !print]).collect();
    dir.write_prints("q.u64le", &queries);
    let mut expected = String::new();
    for (index, answer) in dir.nddb(["query", "db", "--fp-file", "q.u64le"]).done().lines().iter().enumerate() {
        for found in answer["matches"].as_array().expect("matches") {
            let text = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
            expected += &format!("{index}\t{}\t{}\t{}\n", text("fp"), found["distance"], text("id"));
        }
    }
    assert!(expected.lines().count() >= queries.len() / 2, "{expected}");
    let ran = dir.nddb(["query", "db", "--format", "tsv", "--fp-file", "q.u64le"]).done();
    assert_eq!(ran.stdout, expected);
    ran.says(&["1,334 queries against 2,000 stored fingerprints"]);
    for threads in ["1", "3"] {
        let ran = dir
            .nddb([
                "query",
                "db",
                "--format",
                "tsv",
                "--fp-file",
                "q.u64le",
                "-o",
                "out.tsv",
                "--threads",
                threads,
                "--json",
            ])
            .done();
        assert_eq!(keys(&ran.json()), ["queries", "matches", "stored", "seconds", "cpu_seconds"]);
        assert_eq!(String::from_utf8(dir.read("out.tsv")), Ok(expected.clone()), "{threads} threads");
    }
    dir.nddb(["query", "db", "--format", "tsv", "--fp-file", "q.u64le", "-k", "4"]).done();
    dir.nddb(["query", "db", "--format", "tsv", "--fp-file", "q.u64le", "-k", "17"])
        .tells(2, &["-k 17 is above 16, the greatest distance of a query"]);
    let lines = dir.nddb(["query", "db", "--fp-file", "q.u64le"]).done().stdout;
    dir.nddb(["query", "db", "--fp-file", "q.u64le", "-o", "out.jsonl"]).done();
    assert_eq!(String::from_utf8(dir.read("out.jsonl")), Ok(lines));
    // With -q the exit code says whether there is a match.
    dir.write_prints("far.u64le", &[!stored[0] ^ 0x5555]);
    dir.nddb(["query", "db", "--fp-file", "far.u64le", "--format", "tsv", "-q"]).ends(1);
    dir.nddb(["query", "db", "--fp-file", "q.u64le", "--format", "tsv", "-q"]).ends(0);
}

#[test]
fn queries_reach_beyond_the_k_of_the_database_and_find_the_nearest() {
    let dir = Dir::new();
    let print = |bits: u32| (1u64 << bits) - 1;
    dir.write_prints("stored.u64le", &[0, 0, 5, 8, 8, 12, 16, 17].map(print));
    dir.nddb(["create", "db"]).done();
    dir.nddb(["load", "db", "stored.u64le"]).done();
    let asked = |args: &[&str]| {
        let all = [&["query", "db", "--fp", "0000000000000000"][..], args].concat();
        let line = dir.nddb(all).done().json();
        let found = line["matches"].as_array().expect("a list").iter();
        let found: Vec<(u64, String)> =
            found.map(|one| (one["distance"].as_u64().expect("a number"), one["id"].to_string())).collect();
        assert!(found.is_sorted());
        (line["count"].as_u64().expect("a number"), found.into_iter().map(|one| one.0).collect::<Vec<_>>())
    };
    assert_eq!(asked(&[]), (2, vec![0, 0]));
    assert_eq!(asked(&["-k", "8"]), (5, vec![0, 0, 5, 8, 8]));
    assert_eq!(asked(&["-k", "16", "--limit", "3"]), (7, vec![0, 0, 5]));
    assert_eq!(asked(&["--nearest", "4"]), (4, vec![0, 0, 5, 8]));
    assert_eq!(asked(&["--nearest", "40"]), (7, vec![0, 0, 5, 8, 8, 12, 16]));
    assert_eq!(asked(&["--nearest", "40", "-k", "7"]), (3, vec![0, 0, 5]));
    // A stored document is not one of its own nearest, whichever of its copies is older.
    let ids = dir.nddb(["query", "db", "--fp", "0000000000000000"]).done().json();
    for id in ids["matches"].as_array().expect("a list").iter().map(|one| one["id"].as_str().expect("a text")) {
        let line = dir.nddb(["query", "db", "--id", id, "--nearest", "2"]).done().json();
        let found = line["matches"].as_array().expect("a list");
        assert_eq!(line["count"], 2);
        assert!(found.iter().all(|one| one["id"] != id) && found[0]["distance"] == 0 && found[1]["distance"] == 5);
    }
    dir.write_prints("q.u64le", &[print(4), print(17)]);
    let rows = dir.nddb(["query", "db", "--fp-file", "q.u64le", "--format", "tsv", "-k", "9"]).done().stdout;
    let rows: Vec<(&str, &str)> = rows
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .map(|cells| (cells[0], cells[2]))
        .filter(|row| row.0 != "query")
        .collect();
    let wanted = [("0", "1"), ("0", "4"), ("0", "4"), ("0", "4"), ("0", "4"), ("0", "8")];
    assert_eq!(rows, [&wanted[..], &[("1", "0"), ("1", "1"), ("1", "5"), ("1", "9"), ("1", "9")]].concat());
    dir.nddb(["query", "db", "--fp", "0000000000000000", "-k", "17"]).tells(2, &["-k 17 is above 16"]);
    dir.nddb(["query", "db", "--fp", "0000000000000000", "-k", "12", "--max-cost", "0"])
        .tells(2, &["a query within 12 bits is predicted to take", "--max-cost is 0", "give a smaller -k"]);
    dir.nddb(["query", "db", "--fp", "0000000000000000", "-k", "12", "--max-cost", "1"]).done();
    for command in ["pairs", "cluster"] {
        dir.nddb([command, "db", "--method", "hamming", "-k", "9"]).tells(2, &["k is 9, the limit is 3"]);
    }
}

#[test]
fn a_row_for_each_match_refuses_what_it_cannot_have() {
    let dir = Dir::with_documents();
    dir.write_prints("q.u64le", &[0xff]);
    for (args, what) in [
        (&["--limit", "1"][..], "--limit"),
        (&["--stats"], "--stats"),
        (&["--nearest", "1"], "--nearest"),
        (&["--max-cost", "1"], "--max-cost"),
        (&["--ids", "none"], "--ids"),
        (&["--method", "hamming"], "--method"),
        (&["--verify", "lcs"], "--verify"),
        (&["--why"], "--why"),
        (&["db"], "several databases"),
    ] {
        let query = [&["query", "db", "--fp-file", "q.u64le", "--format", "tsv"], args].concat();
        dir.nddb(query).tells(2, &["--format tsv, csv and parquet cannot be combined with", what]);
    }
    dir.nddb(["query", "db", "--fp", "00000000000000ff", "--format", "tsv"]).tells(2, &["--fp-file"]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let dir = Dir::with_database();
    dir.write_prints("q.u64le", &prints(50_000));
    let mut child = dir.nddb(["query", "db", "--fp-file", "q.u64le"]).start();
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("nddb comes to an end");
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

#[test]
fn fingerprints_of_another_program_are_stored_and_texts_refused() {
    let dir = Dir::new();
    dir.nddb(["create", "db", "--recipe", "given/imagehash"]).done().says(&["recipe given/imagehash (given)"]);
    dir.write("prints.tsv", b"a\t00000000000000ff\nb\t00000000000000fe\nc\tff000000000000ff\n");
    dir.nddb(["load", "db", "prints.tsv"]).done().says(&["3 documents stored"]);
    dir.write("more.jsonl", b"{\"id\":\"d\",\"fp\":\"00000000000000fc\",\"url\":\"http://example.org/d\"}\n");
    dir.nddb(["load", "db", "more.jsonl"]).done();
    let answer = dir.nddb(["query", "db", "--fp", "00000000000000ff"]).done().json();
    assert_eq!(ids(&answer), ["a", "b", "d"], "{answer}");
    let stats = dir.nddb(["stats", "db", "--json"]).done().json();
    assert_eq!((&stats["recipe"], &stats["kind"]), (&json!("given/imagehash"), &json!("given")));
    let get = dir.nddb(["get", "db", "d"]).done().json();
    assert_eq!((&get["kind"], &get["site"]), (&json!("given"), &json!("example.org")));

    // A line with a fingerprint is judged and added, one with a text is refused.
    let lines = "{\"id\":\"e\",\"fp\":\"00000000000000fd\"}\n{\"id\":\"f\",\"text\":\"some words\"}\n";
    let added = dir.nddb(["add", "db", "--if-new"]).stdin(lines).ends(3).lines();
    assert_eq!((&added[0]["verdict"], &added[0]["of"]), (&json!("duplicate"), &json!("a")), "{added:?}");
    assert!(added[1]["error"].as_str().is_some_and(|why| why.contains(WHY)), "{added:?}");
    dir.write("page.txt", b"some words of a page");
    dir.nddb(["query", "db", "--text", "page.txt"]).tells(12, &[WHY]);
    dir.write("pages.jsonl", b"{\"id\":\"g\",\"text\":\"some words\"}\n");
    dir.nddb(["load", "db", "pages.jsonl"]).tells(12, &["pages.jsonl: it has texts", WHY]);
    dir.nddb(["pairs", "db", "--method", "lcs"]).ends(12);
    assert_eq!(dir.nddb(["pairs", "db"]).done().lines().len(), 3, "of a, b and d");
    dir.nddb(["check", "db"]).done();

    for (recipe, flags, why) in [
        ("given/imagehash", &["--pieces"][..], "recipe 'given/imagehash' has no flags"),
        ("given/", &[], "there is no recipe 'given/'"),
        ("given/a b", &[], "given/NAME"),
    ] {
        dir.nddb([&["create", "other", "--recipe", recipe], flags].concat()).tells(2, &[why]);
    }
}
