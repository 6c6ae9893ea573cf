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
fn a_plan_tells_the_whole_of_eight_billion_pages() {
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
    for words in ["estimated from", "recipe main, k = 3, in one run of 10 tables", "\nmachine   16.0 GB of memory, "] {
        assert!(text.contains(words), "lacks {words}: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    let text = dir.nddb(["plan", "--docs", "8e9", "--recipe", "web-c"]).done().stdout;
    let is_other = |recipe: &str| text.lines().any(|line| line.starts_with(&format!("{recipe} ")));
    assert!(text.contains("recipe web-c") && is_other("main") && !is_other("web-c"), "{text}");
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
fn more_tables_take_more_disk_and_decode_less() {
    let dir = Dir::new();
    let plan = |tables: &str| dir.nddb(["plan", "--docs", "8e9", "--json", "--tables", tables]).done().json();
    let [one, four, auto, twenty] = ["1", "5", "auto", "20"].map(plan);
    let count = |plan: &Value| plan["tables"].as_u64();
    assert_eq!([&one, &four, &auto, &twenty].map(count), [1, 4, 10, 20].map(Some));
    assert_eq!((&one["levels"], &auto["levels"], &auto["docs"]), (&json!([]), &json!([5]), &json!(8_000_000_000_u64)));
    for (few, many) in [(&one, &four), (&four, &auto), (&auto, &twenty)] {
        let [few, many] = [few, many].map(|plan| total(plan, "bare"));
        assert!(few["bytes"]["segments"].as_u64() < many["bytes"]["segments"].as_u64(), "{few} {many}");
        assert!(few["verdict_us"].as_f64() >= many["verdict_us"].as_f64(), "{few} {many}");
    }
    dir.nddb(["plan", "--docs", "many"]).tells(2, &["8e9"]);
    dir.nddb(["plan"]).tells(2, &["--docs"]);
}
