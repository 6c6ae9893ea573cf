//! Results do not depend on the number of threads.

use std::collections::BTreeMap;

use nddb_test_support::Random;
use serde_json::json;

use crate::helper::Dir;

/// Pages of which every fifth is new and the others are copies of it with some other words.
fn pages(len: usize, random: &mut Random) -> String {
    let (mut lines, mut words) = (String::new(), Vec::new());
    for page in 0..len {
        if page % 5 == 0 {
            words = (0..60).map(|_| format!("word{}", random.below(5000))).collect::<Vec<String>>();
        }
        let mut copy = words.clone();
        (0..random.index(4)).for_each(|_| copy[random.index(60)] = format!("other{}", random.below(5000)));
        let url = format!("http://site{}.example/{page}", random.below(20));
        let id = format!("p{}", (page * 7919) % len);
        lines += &json!({"id": id, "url": url, "text": copy.join(" ")}).to_string();
        lines.push('\n');
    }
    lines
}

/// The files of a folder by name, without those that name times or places.
fn files(dir: &Dir, folder: &str, left_out: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(dir.path(folder)).expect("a folder").map(|entry| entry.expect("an entry"));
    let files = entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()));
    let kept = files.filter(|(name, _)| !left_out.contains(&&**name));
    kept.map(|(name, path)| (name, std::fs::read(path).expect("a file"))).collect()
}

#[test]
fn files_and_outputs_are_the_same_on_any_number_of_threads() {
    let (dir, seed) = (Dir::new(), 57);
    let mut random = Random(seed);
    dir.write("a.jsonl", pages(500, &mut random).as_bytes());
    dir.write("b.jsonl", pages(200, &mut random).replace("\"p", "\"q").as_bytes());
    let made = |threads: &str| {
        let run = |arguments: &[&str]| dir.nddb(arguments.iter().copied().chain(["--threads", threads])).done();
        let named = |name: &str| format!("{name}{threads}");
        let (db, kept, clusters) = (&*named("db"), &*named("kept"), &*named("clusters"));
        let mut made = BTreeMap::new();
        run(&["create", db]);
        run(&["load", db, "a.jsonl", "b.jsonl"]);
        made.extend(files(&dir, &format!("{db}/runs"), &[]));
        for method in ["model", "b", "lcs"] {
            for form in [&["--format", "tsv", "--expand"][..], &["--group-limit", "3"]] {
                let ran = run(&[&["pairs", db, "--method", method], form].concat());
                made.insert(format!("pairs {method} {form:?}"), ran.stdout.into_bytes());
            }
        }
        run(&["cluster", db, "-o", clusters]);
        made.extend(files(&dir, clusters, &["summary.json"]));
        let mut checked = run(&["check", db, "--json"]).json();
        for time in ["seconds", "cpu_seconds", "busiest_thread"] {
            assert!(checked[time].take().as_f64().is_some_and(|value| value >= 0.0), "{time}");
        }
        made.insert("check".into(), checked.to_string().into_bytes());
        run(&["dedup", "a.jsonl", "b.jsonl", "-o", kept]);
        made.extend(files(&dir, kept, &[]));
        made
    };
    let want = made("1");
    assert!(want.len() > 20 && want.values().map(Vec::len).sum::<usize>() > 300_000, "seed {seed}");
    for threads in ["2", "7", "16"] {
        let found = made(threads);
        assert!(found.keys().eq(want.keys()), "{threads} threads, seed {seed}: {:?}", found.keys());
        for (name, bytes) in &want {
            assert!(found[name] == *bytes, "{threads} threads, seed {seed}: {name} differs");
        }
    }
}
