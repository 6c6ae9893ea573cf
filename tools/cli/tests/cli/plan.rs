//! `plan`: its tables, and its prediction beside a real database.

use serde_json::{Value, json};

use crate::helper::{Dir, keys, prints};

/// Texts of 150 made words that share nothing, with ids of 12 bytes, addresses of 28 and sites of 12.
fn documents(len: usize) -> String {
    let words = prints(150 * len);
    let text = |words: &[u64]| words.iter().map(|word| format!("w{:x}", word % 50_000)).collect::<Vec<_>>().join(" ");
    let line = |(number, words)| {
        let (id, url) = (format!("document{number:04}"), format!("http://site.example/page{number:04}"));
        json!({"id": id, "url": url, "text": text(words)}).to_string() + "\n"
    };
    words.chunks(150).enumerate().map(line).collect()
}

fn total<'a>(plan: &'a Value, recipe: &str) -> &'a Value {
    let all = plan["totals"].as_array().expect("totals");
    all.iter().find(|total| total["recipe"] == recipe).expect("the recipe")
}

/// Expects `predicted` to differ from `real` by this share at most.
#[track_caller]
fn near(what: &str, predicted: &Value, real: u64, share: f64) {
    let (predicted, real) = (predicted.as_f64().expect("a number"), real as f64);
    assert!((predicted / real - 1.0).abs() <= share, "{what}: {predicted} predicted, {real} there");
}

#[test]
fn a_plan_predicts_the_bytes_of_a_real_database_by_kind() {
    const LEN: usize = 3_000;
    let dir = Dir::new();
    dir.write("documents.jsonl", documents(LEN).as_bytes());
    let plan = ["plan", "--docs", "3000", "--id-bytes", "12", "--url-bytes", "28", "--json"];
    let plan = dir.nddb(plan).done().json();
    assert_eq!(plan["estimate"], false);
    for recipe in ["main", "main-c", "main-offline", "web", "web-c", "text-dedup"] {
        dir.nddb(["create", recipe, "--recipe", recipe]).done();
        dir.nddb(["load", recipe, "documents.jsonl"]).done();
        let bytes = dir.nddb(["stats", recipe, "--json"]).done().json()["bytes"].clone();
        let predicted = total(&plan, if recipe == "text-dedup" { "conventions" } else { recipe });
        let real = |kind: &str| bytes[kind].as_u64().expect("bytes");
        let predicted = |kind: &str| &predicted["bytes"][kind];
        near(recipe, predicted("segments"), real("segments"), 0.02);
        // Where no two documents have one fingerprint, postings need no flags and no directory.
        near(recipe, predicted("postings"), real("postings"), 0.2);
        near(recipe, predicted("keys"), real("keys"), 0.05);
        // The pages that were measured have titles.
        near(recipe, predicted("summaries"), real("summaries"), 0.1);
        near(recipe, predicted("catalog"), real("catalog"), 0.15);
        near(recipe, predicted("total"), real("total"), 0.15);
    }
    let bare: Vec<u64> = prints(LEN);
    let lines: String = (0..).zip(bare).map(|(number, print)| format!("document{number:04}\t{print:016x}\n")).collect();
    dir.write("prints.tsv", lines.as_bytes());
    dir.nddb(["create", "bare"]).done();
    dir.nddb(["load", "bare", "prints.tsv"]).done();
    let bytes = dir.nddb(["stats", "bare", "--json"]).done().json()["bytes"].clone();
    near("bare", &total(&plan, "bare")["bytes"]["total"], bytes["total"].as_u64().expect("bytes"), 0.15);
    let plan = dir.nddb(["plan", "--docs", "20000", "--json"]).done().json();
    let bare: Vec<u8> = prints(20_000).into_iter().flat_map(u64::to_le_bytes).collect();
    dir.write("prints.u64le", &bare);
    dir.nddb(["create", "ordinals"]).done();
    dir.nddb(["load", "ordinals", "prints.u64le"]).done();
    let bytes = dir.nddb(["stats", "ordinals", "--json"]).done().json()["bytes"].clone();
    let planned = &total(&plan, "ordinals")["bytes"];
    for kind in ["segments", "catalog", "total"] {
        near(kind, &planned[kind], bytes[kind].as_u64().expect("bytes"), 0.15);
    }
}

#[test]
fn a_plan_tells_the_whole_of_eight_billion_pages_and_how_it_comes_about() {
    let dir = Dir::new();
    let plan = dir.nddb(["plan", "--docs", "8e9", "--json"]).done().json();
    assert_eq!(plan["estimate"], true);
    let expected = [
        "recipe",
        "bytes",
        "bytes_while_merging",
        "reader_bytes",
        "writer_bytes",
        "index_bytes",
        "load_cpu_hours",
        "verdict_us",
        "verdict_disk_us",
        "reads_per_query",
        "machine",
    ];
    assert_eq!(keys(&plan["totals"][0]), expected);
    assert_eq!(keys(&plan["totals"][0]["bytes"]), ["segments", "postings", "keys", "summaries", "catalog", "total"]);
    let (bare, main) = (total(&plan, "bare"), total(&plan, "main"));
    let terabytes = |total: &Value| total["bytes"]["total"].as_f64().expect("bytes") / (1_u64 << 40) as f64;
    assert!((0.5..2.0).contains(&terabytes(bare)) && (6.0..9.0).contains(&terabytes(main)), "{plan}");
    assert!(main["machine"]["disk"].as_u64() > main["bytes_while_merging"].as_u64(), "{main}");
    assert!(main["verdict_us"].as_f64() > bare["verdict_us"].as_f64(), "{plan}");

    let text = dir.nddb(["plan", "--docs", "8e9"]).done().stdout;
    for words in ["estimated from", "how the figures of main come about", "32 keys a document", "by chance"] {
        assert!(text.contains(words), "lacks {words}: {text}");
    }
    let text = dir.nddb(["plan", "--docs", "8e9", "--recipe", "web-c"]).done().stdout;
    assert!(text.contains("how the figures of web-c come about") && text.contains("28 keys a document"), "{text}");
    dir.nddb(["plan", "--docs", "8e9", "--recipe", "mine"])
        .tells(2, &["bare, ordinals, main, main-c, main-offline, main-parts, web, web-c, conventions"]);
    let short = ["plan", "--docs", "8e9", "--id-bytes", "10", "--url-bytes", "20", "--page-bytes", "1K", "--json"];
    let short = dir.nddb(short).done().json();
    assert!(total(&short, "main")["bytes"]["catalog"].as_u64() < main["bytes"]["catalog"].as_u64());
    assert!(total(&short, "main")["load_cpu_hours"].as_f64() < main["load_cpu_hours"].as_f64());
    for docs in ["0", "1", "1e17", "9e17"] {
        dir.nddb(["plan", "--docs", docs]).done();
        dir.nddb(["plan", "--docs", docs, "--json", "--page-bytes", "1e17", "--id-bytes", "1e17"]).done();
    }
}

#[test]
fn a_plan_compares_designs() {
    let dir = Dir::new();
    let text = dir.nddb(["plan", "--docs", "8e9", "--k", "3"]).done().stdout;
    let first: Vec<&str> = text.lines().map(|line| line.split_whitespace().next().unwrap_or_default()).collect();
    assert!(["tables", "4", "10", "16", "20"].iter().all(|tables| first.contains(tables)), "{text}");
    assert_eq!(text.lines().filter(|line| line.ends_with('*')).count(), 1, "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    let plan = dir.nddb(["plan", "--docs", "8e9", "--json"]).done().json();
    assert_eq!(plan["docs"], 8_000_000_000_u64);
    let expected = [
        "tables",
        "levels",
        "prefix_min",
        "bits_per_fingerprint",
        "bytes",
        "matches_per_probe",
        "resident_us",
        "disk_us",
        "auto",
    ];
    assert_eq!(keys(&plan["designs"][0]), expected);
    let few = dir.nddb(["plan", "--docs", "1M", "--tables-max", "4", "--json"]).done().json();
    assert!(few["designs"].as_array().is_some_and(|all| all.iter().all(|one| one["tables"].as_u64() <= Some(4))));
    dir.nddb(["plan", "--docs", "many"]).tells(2, &["8e9"]);
    dir.nddb(["plan"]).tells(2, &["--docs"]);
}
