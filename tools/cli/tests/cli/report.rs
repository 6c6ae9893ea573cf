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
pub(crate) fn stands_alone(page: &str) {
    for word in ["<script", "<link", "<img", "<iframe", "<image", "<use", "href", "src=", "url(", "@import", "xmlns"] {
        // But for links to its own sections.
        assert!(!page.replace("href=\"#section-", "").contains(word), "the page holds {word:?}");
    }
    assert!(page.starts_with("<!DOCTYPE html>\n") && page.ends_with("</html>\n"));
    for tag in ["svg", "table", "div", "p", "h1", "h2", "h3", "tr", "nav", "a", "details", "summary", "body"] {
        let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

pub(crate) fn row(cells: &[&str]) -> String {
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
    assert_eq!(methods, ["identity", "hamming", "b", "c", "combined", "split", "min-hash"]);
    let refused = numbers["refused"].as_array().expect("refused");
    // Sketches of whole pages have no profiles.
    let (model, refused) = refused.split_first().expect("refused");
    assert_eq!(model["method"], "model");
    for (refused, method) in refused.iter().zip(["lcs", "cosine", "shingles"]) {
        let why = format!("it reads the texts of all documents: nddb pairs db --method {method}");
        assert_eq!((&refused["method"], &refused["why"]), (&json!(method), &json!(why)));
        assert!(page.contains(&why), "the command that answers is named");
    }
    assert_eq!(refused.len(), 3);
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
        assert_eq!(kept["pairs"], u64::from(kept["c"].as_u64() <= Some(c)), "{kept}");
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
        all.iter().enumerate().map(|(index, print)| format!("n{index}\t{print:016x}\n")).collect();
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
    assert_eq!(why, ["identity", "b", "c", "combined", "split", "min-hash", "model", "lcs", "cosine", "shingles"]);
    assert_eq!((&numbers["b_similar"], &numbers["combined"]), (&Value::Null, &Value::Null));
    assert!(page.contains("No document has a text") && numbers["texts"]["drawn_from"] == 0);
    assert!(page.contains("loaded as fingerprints") && page.contains("neither supershingles nor projections"));
}

#[test]
fn the_same_database_gives_the_same_bytes() {
    let dir = with_pages();
    // But for the line that says when and how it was made.
    let without_date = |page: &str| {
        let (start, rest) = page.split_once("<p class=\"key\">").expect("a line");
        let (made, end) = rest.split_once("</p>").expect("its end");
        assert!(made.contains(" UTC, made by nddb ") && made.contains(" report db"), "{made}");
        format!("{start}{end}")
    };
    let (page, numbers) = report(&dir);
    let page = without_date(&page);
    for options in [&["--threads", "1"][..], &["--threads", "8"], &["--memory-limit", "1M"]] {
        let again = dir.nddb([&["report", "db"], options].concat()).done().stdout;
        assert!(without_date(&again) == page, "{options:?}");
    }
    let again = dir.nddb(["report", "db", "--json"]).done().json();
    assert_eq!(again, numbers, "without -o only the numbers are printed");
}

/// Four texts in three copies each, of which two have a sentence of nine words replaced by one of eleven.
#[test]
fn texts_are_measured_where_they_were_loaded_from() {
    let dir = crate::texts::dir();
    let (page, numbers) = report(&dir);
    stands_alone(&page);
    let texts = &numbers["texts"];
    assert_eq!((&texts["drawn_from"], &texts["drawn"], &texts["documents"]), (&json!(12), &json!(12), &json!(12)));
    assert_eq!((&texts["lack"], &texts["unread"]["moved"]), (&Value::Null, &json!(0)));
    for (index, method) in ["b", "c"].into_iter().enumerate() {
        let pairs = dir.nddb(["pairs", "db", "--method", method]).done().lines();
        let ends = |line: &Value| ["a", "b"].map(|key| line[key].as_str().and_then(|id| id.chars().nth(8)));
        // Copy 0 differs from each other one by a sentence, copies 1 and 2 by two.
        let terms = |line: &Value| if ends(line).contains(&Some('0')) { 20 } else { 40 };
        let mut wanted: Vec<u64> = pairs.iter().filter(|line| line.get("a").is_some()).map(terms).collect();
        wanted.sort_unstable();
        let found = &texts["term_differences"]["by_method"][index];
        let mut counts = wanted.clone();
        counts.dedup();
        let count = |terms: &u64| json!([terms, wanted.iter().filter(|other| *other == terms).count()]);
        assert_eq!(found["counts"], counts.iter().map(count).collect::<Value>(), "{method}: {found}");
        assert_eq!(found["mean"], json!(wanted.iter().sum::<u64>() as f64 / wanted.len() as f64), "{method}");
        assert_eq!((&found["method"], &found["unread"]), (&json!(method), &json!(0)));
    }
    // Each of twelve documents is near to two of the other eleven.
    let signatures = &texts["signatures"];
    assert_eq!((&signatures["selected"], &signatures["compared"]), (&json!(12), &json!(132)));
    assert_eq!(signatures["similar"], 24);
    for (step, count) in signatures["by_signatures"].as_array().expect("steps").iter().zip((7..).step_by(7)) {
        assert_eq!((&step["signatures"], &step["signed"]), (&json!(count), &json!(1.0)));
        let share = |key: &str| step[key].as_f64().expect("a share");
        let (coverage, trustable) = (share("coverage"), share("trustable"));
        let [perhaps, similar] = ["perhaps", "similar"].map(|key| step[key].as_u64().expect("a count"));
        assert_eq!((coverage, trustable), (similar as f64 / 24.0, similar as f64 / perhaps as f64));
        let numbers = [count.to_string(), "1.000".into(), format!("{coverage:.3}"), format!("{trustable:.3}")];
        let cells = [&numbers[..], &[perhaps.to_string(), similar.to_string()]].concat();
        assert!(page.contains(&row(&cells.iter().map(String::as_str).collect::<Vec<_>>())), "{step}");
    }
    assert_eq!(signatures["by_signatures"][15]["coverage"], 1.0);
    assert_eq!(texts["windows"]["similar"], 12);
    for step in texts["windows"]["by_window"].as_array().expect("windows") {
        let share = |key: &str| step[key].as_f64().map_or_else(|| "-".into(), |share| format!("{share:.3}"));
        let cells = [step["window"].to_string(), share("strained"), share("reserved")];
        assert!(page.contains(&row(&cells.each_ref().map(String::as_str))), "{step}");
        assert!(step["reserved"].as_f64().is_some_and(|share| share > 0.7), "{step}");
    }
    let steps = texts["sampled"]["by_resemblance"].as_array().expect("thresholds");
    let resembling = |threshold: f64| {
        let args = ["eval", "--docs", "pages.warc.gz", "--pairs", "none.tsv", "--recipe", "web", "--json", "--methods"];
        dir.write("none.tsv", b"id1\tid2\tlabel\n");
        let method = format!("shingles:resemblance={threshold}");
        dir.nddb([&args[..], &[method.as_str()]].concat()).done().json()["pairs"].clone()
    };
    for step in steps {
        assert_eq!(step["pairs"], resembling(step["resemblance"].as_f64().expect("a threshold")), "{step}");
        let has = step["pairs"] != 0;
        assert!(!has || step["precision"][0] == 1.0 && step["recall"][0] == 1.0, "{step}");
        assert_eq!(step["by_group"][0]["pairs"], step["pairs"], "all are short");
    }
    assert_eq!(steps[0]["pairs"], 12);
}

#[test]
fn a_sample_is_what_its_seed_says_and_what_cannot_be_read_is_told() {
    let dir = crate::texts::dir();
    let numbers = |args: &[&str]| dir.nddb([&["report", "db", "--json"], args].concat()).done().json();
    let few = numbers(&["--sample", "4"]);
    let texts = &few["texts"];
    assert_eq!((&texts["sample"], &texts["drawn"]), (&json!(4), &json!(4)));
    assert!(texts["documents"].as_u64().is_some_and(|documents| documents > 4 && documents < 12), "{texts}");
    assert_eq!(few, numbers(&["--sample", "4", "--threads", "8", "--memory-limit", "1M"]));
    assert_ne!(few, numbers(&["--sample", "4", "--seed", "2"]));
    let none = numbers(&["--sample", "0"]);
    assert!(none["texts"]["lack"].as_str().is_some_and(|lack| lack.contains("--sample 0")), "{none}");
    std::fs::remove_file(dir.path("pages.warc.gz")).expect("there");
    let (page, gone) = report(&dir);
    stands_alone(&page);
    assert_eq!(gone["texts"]["unread"]["moved"], 12);
    let lack = gone["texts"]["lack"].as_str().expect("a reason");
    assert!(lack.contains("12 documents in an archive that was moved") && page.contains(lack), "{lack}");
    let unread = &gone["texts"]["term_differences"]["by_method"][0];
    assert!(unread["unread"].as_u64() > Some(0) && unread["mean"].is_null(), "{unread}");
    // What came by itself has no archive.
    let dir = with_pages();
    let (page, _) = report(&dir);
    assert!(page.contains("without a source"), "{page}");
}

#[test]
fn documents_are_counted_by_the_language_of_their_texts() {
    let english = "The river rose after three days of rain, and the village had to leave its houses in the valley. \
                   Nobody was hurt, but the old bridge, which had stood for two hundred years, was carried away.";
    let german = "Nach drei Tagen Regen trat der Fluss ueber die Ufer, und das Dorf musste seine Haeuser im Tal \
                  verlassen. Niemand wurde verletzt, aber die alte Bruecke, die seit zweihundert Jahren stand, ist fort.";
    let dir = Dir::with_database();
    let line = |(index, text): (usize, &str)| json!({"id": format!("d{index}"), "text": text}).to_string();
    let lines: Vec<String> = [english, german, english, english, german].into_iter().enumerate().map(line).collect();
    dir.write("pages.jsonl", lines.join("\n").as_bytes());
    dir.nddb(["load", "db", "pages.jsonl"]).done();
    let (page, numbers) = report(&dir);
    let languages = &numbers["texts"]["languages"];
    let share =
        |name: &str, documents: u64, removed: u64| json!({"name": name, "documents": documents, "removed": removed});
    assert_eq!(languages, &json!([share("English", 3, 2), share("German", 2, 1)]));
    let cells = "<td class=\"text\">English</td><td>3</td><td>2</td><td>66.7%</td>";
    assert!(page.contains(cells), "{page}");
}

#[test]
fn the_page_opens_with_what_cluster_would_remove() {
    let dir = crate::audit::dir();
    // Thin pages: two copies, and two that differ in a word.
    let thin =
        |words: &str| format!("<html><head><title>404 Not here</title></head><body><p>{words}</p></body></html>");
    let pages = ["Please log in first", "Please log in first", "Please log in once", "Please log in now"].map(thin);
    let pages: Vec<(String, &str)> =
        pages.iter().enumerate().map(|(index, page)| (format!("http://t.org/{index}"), page.as_str())).collect();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(url, page)| (url.as_str(), *page)).collect();
    dir.write_warc("thin.warc.gz", &pages);
    dir.nddb(["load", "db", "thin.warc.gz", "--id", "url"]).done();
    let (page, numbers) = report(&dir);
    stands_alone(&page);
    let made = dir.nddb(["cluster", "db", "-o", "out", "--json"]).done().json();
    let removals = &numbers["removals"];
    let text = |name: &str| String::from_utf8(dir.read(name)).expect("text");
    let gone: Vec<String> = text("out/remove.txt").lines().map(str::to_owned).collect();
    let count = |value: &Value| value.as_u64().expect("a count");
    assert_eq!((&removals["removed"], &removals["method"]), (&made["removed"], &json!("model")));
    assert_eq!((count(&removals["removed"]), count(&removals["documents"])), (gone.len() as u64, 60));
    assert_eq!((&removals["clusters"], &removals["clustered"]), (&made["clusters"], &made["clustered"]));
    assert_eq!(removals["members"]["removed"], made["removed"]);
    assert!(page.contains(&format!("{} of 60 documents would be removed", gone.len())), "{page}");
    for site in removals["sites"].as_array().expect("sites") {
        let name = format!("http://{}/", site["name"].as_str().expect("a name"));
        assert_eq!(count(&site["removed"]), gone.iter().filter(|id| id.starts_with(&name)).count() as u64, "{site}");
    }
    let sum =
        |list: &str, key: &str| removals[list].as_array().expect(list).iter().map(|it| count(&it[key])).sum::<u64>();
    assert_eq!((sum("sites", "documents"), sum("sites", "removed")), (60, gone.len() as u64));
    assert_eq!((sum("batches", "documents"), sum("batches", "removed")), (60, gone.len() as u64));
    assert_eq!(removals["batches"][0]["name"], "day");
    assert_eq!((&removals["batches"][1]["name"], &removals["batches"][1]["documents"]), (&Value::Null, &json!(4)));
    assert_eq!(sum("scores", "removed"), gone.len() as u64);
    assert_eq!((&removals["keep"], &removals["level"]), (&made["keep"], &made["level"]));
    assert!(page.contains("chosen by: never removed, earlier load, whole before truncated, sound before garbled"));
    // The removals that lose most come first, with the words that they lose.
    let worst = removals["worst"].as_array().expect("removals");
    let shares: Vec<f64> = worst.iter().map(|lossy| lossy["loss"].as_f64().expect("a share")).collect();
    assert!(shares.iter().all(|share| *share > 0.0) && shares.is_sorted_by(|a, b| a >= b), "{shares:?}");
    for lossy in worst {
        assert!(gone.contains(&lossy["id"].as_str().expect("an id").to_owned()), "{lossy}");
        assert!(lossy["lost"].as_array().is_some_and(|lost| !lost.is_empty()), "{lossy}");
    }
    assert_eq!(removals["unverified"], made["unverified"]);
    assert!(page.contains("What is lost") && page.contains("nddb audit db -o audit.html"));
    let largest = &removals["largest"][0];
    let first = &largest["members"][0];
    assert!(
        first["title"].as_str().is_some_and(|title| title.starts_with("Title ") && title.ends_with(" <b>")),
        "{first}"
    );
    assert!(first["snippet"].as_str().is_some_and(|snippet| snippet.split(' ').count() > 8), "{first}");
    let url = first["url"].as_str().expect("an address");
    assert!(page.contains(&format!("<td class=\"text\">{url}</td>")) && !gone.contains(&url.to_owned()), "{first}");
    assert_eq!(largest["members"][1]["removed"], true);
    // Thin pages stand apart.
    let thin = &removals["thin"];
    assert_eq!((count(&thin["documents"]), count(&thin["removed"])), (4, 1), "{thin}");
    assert!(page.contains("class=\"warning\">4 of 60 documents have fewer than 30 words"), "{page}");
    let is_thin = |cluster: &Value| cluster["members"][0]["title"] == "404 Not here";
    assert!(thin["largest"].as_array().expect("clusters").iter().all(is_thin), "{thin}");
    assert!(!removals["largest"].as_array().expect("clusters").iter().any(is_thin), "{removals}");
    assert!(page.contains("<td class=\"text\">404 Not here</td>"), "a title is a text, whatever it begins with");
    assert!(page.contains("model (the default)"));
}

#[test]
fn an_empty_database_has_a_page() {
    let dir = Dir::with_database();
    let (page, numbers) = report(&dir);
    stands_alone(&page);
    assert_eq!((&numbers["documents"], &numbers["fingerprints"]["distinct"]), (&json!(0), &json!(0)));
    assert!(page.contains("0 documents") && page.contains("No document has a text"));
    assert!(page.contains("No pair has B-similarity 2") && page.contains("No pair has C-similarity 372"));
    let texts = &numbers["texts"];
    assert_eq!((&texts["documents"], &texts["signatures"]["compared"]), (&json!(0), &json!(0)));
    assert!(texts["signatures"]["by_signatures"][15]["coverage"].is_null() && texts["lack"].is_string());
    dir.nddb(["report", "none"]).tells(10, &["none"]);
    dir.nddb(["report", "db", "-o", "no/such/report.html"]).ends(1).says(&["report.html"]);
}
