//! `report`: the page of measurements.

use serde_json::{Value, json};

use crate::helper::{Dir, keys, prints};
use crate::pairs::with_pages;

/// The page of the database, and the numbers.
fn report(dir: &Dir) -> (String, Value) {
    let numbers = dir.nddb(["report", "db", "-o", "report.html", "--json"]).done().json();
    (String::from_utf8(dir.read("report.html")).expect("text"), numbers)
}

/// Whether a page asks for nothing outside of itself, and runs nothing.
#[track_caller]
fn stands_alone(page: &str) {
    for word in ["<script", "<link", "<img", "<iframe", "<image", "<use", "href", "src=", "url(", "@import", "xmlns"] {
        assert!(!page.contains(word), "the page holds {word:?}");
    }
    assert!(page.starts_with("<!DOCTYPE html>\n") && page.ends_with("</html>\n"));
    for tag in ["svg", "table", "div", "p", "h1", "h2", "h3", "tr", "body"] {
        let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

fn row(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| format!("<td>{cell}</td>")).collect();
    format!("<tr>{}</tr>", cells.concat())
}

#[test]
fn the_page_holds_what_comparing_everything_counts() {
    let dir = with_pages();
    let (page, numbers) = report(&dir);
    stands_alone(&page);
    let methods: Vec<&str> =
        numbers["methods"].as_array().expect("methods").iter().filter_map(|it| it["method"].as_str()).collect();
    assert_eq!(methods, ["identity", "simhash", "b", "c", "combined", "split", "min-hash"]);
    let refused = numbers["refused"].as_array().expect("refused");
    assert!(refused.iter().all(|it| it["why"].as_str().is_some_and(|why| why.contains("texts"))), "{refused:?}");
    for measured in numbers["methods"].as_array().expect("methods") {
        let method = measured["method"].as_str().expect("a name");
        // Copies of one text are one node; the lone word and the pages without text are near to nothing.
        let pairs = dir.nddb(["pairs", "db", "--method", method]).done().lines();
        let pairs = pairs.iter().filter(|line| line.get("a").is_some());
        let near: Vec<(&str, &str)> =
            pairs.map(|line| (line["a"].as_str().expect("an id"), line["b"].as_str().expect("an id"))).collect();
        let expected = if method == "identity" { vec![] } else { vec![("a\t\"1\"", "b")] };
        assert_eq!(near, expected, "{method}");
        let (edges, nodes) = (near.len() as u64, 4 - 2 * near.len() as u64);
        let mut degrees = vec![json!([0, nodes])];
        degrees.extend((edges > 0).then(|| json!([1, 2])));
        assert_eq!(measured["degrees"], json!(degrees), "{method}");
        assert_eq!((&measured["nodes"], &measured["near"]), (&json!(4), &json!(2 * edges)), "{method}");
        assert_eq!((&measured["pairs"], &measured["same_site"]), (&json!(edges), &json!(edges)), "{method}");
        assert_eq!((&measured["documents"], &measured["documents_near"]), (&json!(5), &json!(2 + edges)), "{method}");
        assert_eq!(measured["clusters"], json!([[2 + edges, 1]]), "{method}");
    }
    let pair = &dir.nddb(["pairs", "db", "--method", "b"]).done().lines()[2];
    let (b, c) = (pair["b_sim"].as_u64().expect("known"), pair["c_sim"].as_u64().expect("known"));
    for grid in ["b_similar", "c_similar"] {
        assert_eq!(numbers[grid]["cells"], json!([[b, c, 1]]), "{grid}");
        assert_eq!((&numbers[grid]["pairs"], &numbers[grid]["correlation"]), (&json!(1), &Value::Null));
    }
    for kept in numbers["combined"].as_array().expect("thresholds") {
        assert_eq!(kept["pairs"], u64::from(kept["r"].as_u64() <= Some(c)), "{kept}");
    }
    for least in 330..=384 {
        let cells = if least <= c { ["1", "100.0%"] } else { ["0", "0.0%"] };
        assert!(page.contains(&row(&[&least.to_string(), cells[0], cells[1]])), "R = {least}");
    }
    assert!(page.contains(&row(&[&b.to_string(), "1", "100.0%", &format!("{c}.00")])));
    let text = "<td class=\"text\">combined</td><td>4</td><td>2 (50.0%)</td><td>1</td><td>1.00</td><td>100.0%</td>";
    assert!(page.contains(text), "{page}");
}

#[test]
fn fingerprints_are_measured_by_their_values() {
    let dir = Dir::with_database();
    let mut all = prints(500);
    all.sort_unstable();
    let (hot, id) = (all[77], "<b>&\"http://example.org/\"");
    let mut lines: Vec<String> =
        all.iter().enumerate().map(|(place, print)| format!("n{place}\t{print:016x}\n")).collect();
    lines[77] = format!("{id}\t{hot:016x}\n");
    lines.extend((0..6).map(|copy| format!("~{copy}\t{hot:016x}\n")));
    dir.write("all.tsv", lines.concat().as_bytes());
    dir.nddb(["load", "db", "all.tsv"]).done();
    let (page, numbers) = report(&dir);
    stands_alone(&page);
    let found = &numbers["fingerprints"];
    assert_eq!((&found["documents"], &found["distinct"], &found["bits"]), (&json!(506), &json!(500), &json!(64)));
    let mut leading = vec![0u64; 64];
    all.windows(2).for_each(|pair| leading[63 - (pair[0] ^ pair[1]).leading_zeros() as usize] += 1);
    assert_eq!(found["leading"], json!(leading));
    for (position, count) in leading.iter().enumerate() {
        assert!(page.contains(&row(&[&position.to_string(), &count.to_string()])), "position {position}");
    }
    for bucket in 0..128u64 {
        let distinct = all.iter().filter(|&&print| print / (1 << 57) == bucket).count();
        let documents = distinct + if hot / (1 << 57) == bucket { 6 } else { 0 };
        let cells = [bucket, documents as u64, distinct as u64].map(|cell| cell.to_string());
        assert!(page.contains(&row(&cells.each_ref().map(String::as_str))), "bucket {bucket}");
        assert_eq!(found["documents_in"][bucket as usize], documents);
    }
    let hottest = &found["hottest"][0];
    assert_eq!(keys(hottest), ["fingerprint", "documents", "example"]);
    assert_eq!((&hottest["fingerprint"], &hottest["documents"]), (&json!(format!("{hot:016x}")), &json!(7)));
    assert_eq!(found["hottest"].as_array().map(Vec::len), Some(1));
    let example = hottest["example"].as_str().expect("an id");
    assert!(example == id || example.starts_with('~'), "{example}");
    assert!(!page.contains("<b>"), "ids are text");
    let why: Vec<&str> =
        numbers["refused"].as_array().expect("refused").iter().filter_map(|it| it["method"].as_str()).collect();
    assert_eq!(why, ["identity", "b", "c", "combined", "split", "min-hash", "lcs", "cosine", "shingles"]);
    assert_eq!((&numbers["b_similar"], &numbers["combined"]), (&Value::Null, &Value::Null));
    assert!(page.contains("loaded as fingerprints") && page.contains("neither supershingles nor projections"));
}

#[test]
fn the_same_database_gives_the_same_bytes() {
    let dir = with_pages();
    let (page, numbers) = report(&dir);
    for options in [&["--threads", "1"][..], &["--threads", "8"], &["--memory-limit", "1M"]] {
        let again = dir.nddb([&["report", "db"], options].concat()).done().stdout;
        assert!(again == page, "{options:?}");
    }
    let again = dir.nddb(["report", "db", "--json"]).done().json();
    assert_eq!(again, numbers, "without -o only the numbers are printed");
}

#[test]
fn an_empty_database_has_a_page() {
    let dir = Dir::with_database();
    let (page, numbers) = report(&dir);
    stands_alone(&page);
    assert_eq!((&numbers["documents"], &numbers["fingerprints"]["distinct"]), (&json!(0), &json!(0)));
    assert!(page.contains("0 documents"));
    dir.nddb(["report", "none"]).tells(10, &["none"]);
    dir.nddb(["report", "db", "-o", "no/such/report.html"]).ends(1).says(&["report.html"]);
}
