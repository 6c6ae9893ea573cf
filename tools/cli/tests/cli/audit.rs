//! `audit`: the page for judging by hand, and what the answers say.

use std::process::Command;

use serde_json::{Value, json};

use crate::helper::Dir;

/// What a hostile page says.
const HOSTILE: &str = "&lt;script&gt;document.title = 'run'&lt;/script&gt; \u{202e}gnp.exe &amp;amp; \"quoted\" 'single' \
                       </script><img src=x onerror=alert(1)>";

/// Pages of a dozen texts, each with a copy under another address, one with a sentence more, and one with a section
/// more; and of four texts with a copy alone.
fn pages() -> Vec<(String, String)> {
    let words = |text: usize, from: usize, len: usize| {
        let word = |index: usize| format!("w{}", ((from + index) * 7919 + text * 104_729) % 50_021);
        (0..len).map(word).collect::<Vec<_>>().join(" ")
    };
    let mut pages = Vec::new();
    for text in 0..16 {
        let page = |title: &str, body: &str| {
            format!(
                "<html><head><title>{title}</title></head><body><main><h1>{title}</h1><p>{body}.</p></main></body></html>"
            )
        };
        let body = words(text, 0, 240);
        let title = format!("Title {text} &lt;b&gt;");
        pages.push((format!("http://a.org/{text}"), page(&title, &body)));
        pages.push((format!("http://b.org/{text}"), page(&title, &body)));
        if text >= 12 {
            continue;
        }
        pages.push((format!("http://a.org/print/{text}"), page(&title, &format!("{body} {HOSTILE}"))));
        pages.push((format!("http://c.org/{text}"), page(&title, &format!("{body} {}", words(text, 500, 60)))));
    }
    pages
}

pub(crate) fn dir() -> Dir {
    let dir = Dir::with_database();
    let pages = pages();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(url, html)| (url.as_str(), html.as_str())).collect();
    dir.write_warc("pages.warc.gz", &pages);
    dir.nddb(["load", "db", "pages.warc.gz", "--id", "url", "--batch", "day"]).done();
    dir
}

fn text(dir: &Dir, name: &str) -> String {
    String::from_utf8(dir.read(name)).expect("text")
}

/// A page with its scripts and styles taken out.
fn without_code(page: &str) -> String {
    let (head, rest) = page.split_once("<style>").expect("a style");
    let (_, rest) = rest.split_once("</style>").expect("the end of it");
    let (body, rest) = rest.split_once("<script>").expect("a script");
    let (_, end) = rest.split_once("</script>").expect("the end of it");
    [head, body, end].concat()
}

#[test]
fn the_page_stands_alone_and_text_stays_text() {
    let dir = dir();
    let told = dir.nddb(["audit", "db", "-o", "audit.html", "--sample", "30", "--json"]).done();
    let numbers = told.json();
    told.says(&["30 questions", "open audit.html in a browser"]);
    let clusters = dir.nddb(["cluster", "db", "-o", "out", "--json"]).done().json();
    assert_eq!(numbers["removals"], clusters["removed"], "drawn from what cluster removes");
    assert!(numbers["removals"].as_u64() >= Some(24), "{numbers}");
    assert_eq!((&numbers["questions"], &numbers["left_out"]), (&json!(30), &json!(0)));
    let strata = numbers["strata"].as_array().expect("strata");
    let sum = |kind: &str, key: &str| {
        let of = strata.iter().filter(|it| it["kind"] == kind);
        of.map(|it| it[key].as_u64().expect("a count")).sum::<u64>()
    };
    assert_eq!(json!(sum("removed", "pairs")), numbers["removals"]);
    assert!(strata.iter().any(|it| it["score"] == "equal texts" && it["sites"] == "different sites"), "{numbers}");
    assert!(strata.iter().filter(|it| it["kind"] == "removed").all(|it| it["drawn"].as_u64() >= Some(1)), "{numbers}");
    let page = text(&dir, "audit.html");
    let bare = without_code(&page);
    for word in ["<script", "<link", "<img", "<iframe", "href", " src=", "url(", "@import", "onerror=\"", " style="] {
        assert!(!bare.contains(word), "the page holds {word:?}");
    }
    assert!(page.contains("default-src 'none'; script-src 'sha256-") && page.contains("form-action 'none'"));
    assert!(!page.contains("unsafe") && !page.contains("\u{202e}"), "directions are shown, not obeyed");
    assert!(bare.contains("&lt;script&gt;document.title = 'run'&lt;/script&gt; gnp.exe &amp;amp;"), "{bare}");
    let titled = bare.split("<p dir=\"auto\">Title ").skip(1).any(|rest| rest.contains(" &lt;b&gt;</p>"));
    assert!(titled && bare.contains("http://a.org/"), "titles and addresses are shown");
    // The same seed draws the same, whatever else.
    let again = dir.nddb(["audit", "db", "--sample", "30", "--threads", "1", "--memory-limit", "1M"]).done().stdout;
    assert!(again == page);
    assert_ne!(dir.nddb(["audit", "db", "--sample", "30", "--seed", "2"]).done().stdout, page);
}

#[test]
fn as_many_pairs_are_drawn_at_each_distance() {
    let dir = Dir::new();
    // Pages that drift apart word by word, or by several words at once.
    let drifting = |name: &str, step: usize| {
        let page = |page: usize| {
            let words =
                (0..300).map(|word| if word < step * page { format!("new{word} ") } else { format!("word{word} ") });
            (format!("http://a.org/{page}"), format!("<p>{}", words.collect::<String>()))
        };
        let made: Vec<(String, String)> = (0..40).map(page).collect();
        let pages: Vec<(&str, &str)> = made.iter().map(|(url, html)| (&**url, &**html)).collect();
        dir.write_warc("pages.warc.gz", &pages);
        dir.nddb(["create", name, "--k", "5"]).done();
        dir.nddb(["load", name, "pages.warc.gz", "--id", "url"]).done();
    };
    drifting("near", 1);
    let args = ["audit", "near", "--distances", "5", "--sample", "8", "-o", "audit.html", "--json"];
    let told = dir.nddb(args).done().json();
    let strata = told["strata"].as_array().expect("strata");
    assert!(strata.len() >= 4, "{told}");
    let expected = dir.nddb(["pairs", "near", "--method", "hamming", "-k", "5"]).done().stdout;
    let mut counts = std::collections::BTreeMap::<String, u64>::new();
    for line in expected.lines() {
        let pair: Value = serde_json::from_str(line).expect("JSON");
        // A line of a group has no distance.
        if let Some(distance) = pair["distance"].as_u64().filter(|distance| *distance > 0) {
            *counts.entry(format!("distance {distance}")).or_default() += 1;
        }
    }
    let (mut most, mut least) = (0, 1000);
    for stratum in strata {
        let [pairs, drawn] = ["pairs", "drawn"].map(|key| stratum[key].as_u64().expect("a count"));
        assert_eq!(Some(&pairs), counts.get(stratum["score"].as_str().expect("a score")), "{told}");
        if drawn < pairs {
            (most, least) = (most.max(drawn), least.min(drawn));
        }
    }
    assert!(most > 0 && most <= least + 1, "as many at each distance that has enough: {told}");
    assert_eq!((&told["method"], strata.len()), (&json!("hamming"), counts.len()));
    assert!(text(&dir, "audit.html").contains("whose fingerprints differ in 1 to 5 bits"));
    dir.nddb(["audit", "near", "--distances", "0"]).ends(2);
    dir.nddb(["audit", "near", "--distances", "17"]).tells(2, &["k is 17, the limit is 16"]);
    // Beyond the k of the database, too.
    drifting("far", 4);
    let told = dir.nddb(["audit", "far", "--distances", "10", "--sample", "60", "--json"]).done().json();
    let mut prints: Vec<u64> = dir
        .nddb(["query", "far", "--all", "-k", "0"])
        .done()
        .lines()
        .iter()
        .map(|answer| u64::from_str_radix(answer["fp"].as_str().expect("hex"), 16).expect("hex"))
        .collect();
    prints.sort_unstable();
    prints.dedup();
    let mut counts = std::collections::BTreeMap::<String, u64>::new();
    for (index, a) in prints.iter().enumerate() {
        for distance in prints[index + 1..].iter().map(|b| (a ^ b).count_ones()).filter(|distance| *distance <= 10) {
            *counts.entry(format!("distance {distance}")).or_default() += 1;
        }
    }
    let strata = told["strata"].as_array().expect("strata").iter();
    let found: std::collections::BTreeMap<String, u64> = strata
        .map(|it| (it["score"].as_str().expect("a score").to_owned(), it["pairs"].as_u64().expect("a count")))
        .collect();
    assert_eq!(found, counts, "{told}");
    assert!((6..=10).any(|distance| counts.contains_key(&format!("distance {distance}"))), "{counts:?}");
    dir.nddb(["audit", "--score", "x", "--distances", "3"]).ends(2);
}

#[test]
fn the_policy_names_the_script_and_the_style_of_the_page() {
    let Some(mut python) = nddb_test_support::python("hashes of a page's script and style") else { return };
    let dir = dir();
    dir.nddb(["audit", "db", "-o", "audit.html", "--sample", "5"]).done();
    let check = "import base64, hashlib, re, sys\n\
                 page = open(sys.argv[1], newline='').read()\n\
                 for tag in ('script', 'style'):\n\
                 \x20   source = re.search('<%s>(.*?)</%s>' % (tag, tag), page, re.S).group(1)\n\
                 \x20   print('%s-src \\'sha256-%s\\'' % (tag, base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()))\n";
    let output = python.args(["-c", check]).arg(dir.path("audit.html")).output().expect("python runs");
    let sources = String::from_utf8(output.stdout).expect("text");
    assert_eq!(sources.lines().count(), 2, "{}", String::from_utf8_lossy(&output.stderr));
    let page = text(&dir, "audit.html");
    sources.lines().for_each(|source| assert!(page.contains(source), "{source}"));
}

/// The label file that the page writes if every pair is answered alike.
fn labels(dir: &Dir, same: &str, lost: &str, good: &str) -> String {
    let page = text(dir, "audit.html");
    let value = |text: &str, name: &str| {
        let (_, rest) = text.split_once(&format!(" {name}=\"")).expect("an attribute");
        rest.split_once('"').expect("its end").0.replace("&quot;", "\"").replace("&lt;", "<").replace("&amp;", "&")
    };
    let mut lines = vec![value(&page, "data-columns")];
    for section in page.split("<section id=\"p").skip(1) {
        let [first, second, more] = ["data-id1", "data-id2", "data-more"].map(|name| value(section, name));
        let label = if same == "y" { "1" } else { "0" };
        let guess = value(section, "data-guess");
        lines.push([&first, &second, label, same, lost, good, "", "", "", &guess, &more].join("\t"));
    }
    lines.join("\n") + "\n"
}

#[test]
fn answers_are_weighed_and_eval_reads_them() {
    let dir = dir();
    let numbers = dir.nddb(["audit", "db", "-o", "audit.html", "--sample", "20", "--json"]).done().json();
    dir.write("right.tsv", labels(&dir, "y", "n", "y").as_bytes());
    let score = dir.nddb(["audit", "--score", "right.tsv", "--json"]).done().json();
    assert_eq!((&score["removals"], &score["all"]["pairs"]), (&numbers["removals"], &numbers["removals"]));
    assert_eq!((&score["all"]["share"], &score["undecided"]), (&json!(1.0), &json!(0)));
    let [low, high] = [0, 1].map(|end| score["all"]["interval"][end].as_f64().expect("an interval"));
    assert!(low > 0.5 && low < 1.0 && high == 1.0, "{score}");
    let by: Vec<&Value> = score["parts"].as_array().expect("parts").iter().map(|part| &part["by"]).collect();
    assert_eq!(by, ["rule", "score", "sites", "documents in the cluster", "stratum"]);
    let differences = score["differences"].as_array().expect("kinds");
    let pairs: u64 = differences.iter().map(|it| it["pairs"].as_u64().expect("a count")).sum();
    assert_eq!((json!(pairs), &score["reasons"]), (score["guessed"].clone(), &json!([])), "the guesses were taken");
    assert!(pairs >= score["judged"].as_u64().expect("a count") && pairs > 0, "{score}");
    dir.write("wrong.tsv", labels(&dir, "n", "y", "y").as_bytes());
    let ran = dir.nddb(["audit", "--score", "wrong.tsv"]).done();
    assert!(ran.stdout.contains("as good): 0.0% (95%: 0.0% to "), "{}", ran.stdout);
    assert!(ran.stdout.contains("the same text on both pages: 0.0% (95%: "), "{}", ran.stdout);
    assert_eq!(score["near"]["share"], 1.0);
    let args = ["eval", "--docs", "pages.warc.gz", "--pairs", "right.tsv", "--methods", "model", "--json"];
    let read = dir.nddb(args).done().json();
    assert_eq!((&read["unknown_ids"], &read["left_out"]), (&json!(0), &json!(0)));
    assert!(read["found"]["correct"].as_u64() > Some(0), "{read}");
    dir.write("other.tsv", b"id1\tid2\tlabel\na\tb\t1\n");
    dir.nddb(["audit", "--score", "other.tsv"]).tells(1, &["other.tsv: line 1", "\"same\"", "nddb audit downloaded"]);
    dir.nddb(["audit", "--score", "none.tsv"]).tells(1, &["none.tsv"]);
    dir.nddb(["audit", "--score", "right.tsv", "--sample", "5"]).tells(2, &["--sample"]);
}

#[test]
fn what_cannot_be_judged_is_told() {
    let dir = dir();
    std::fs::remove_file(dir.path("pages.warc.gz")).expect("there");
    dir.nddb(["audit", "db"]).tells(1, &["no text could be read", "that was moved", "put the archives back"]);
    let dir = Dir::with_documents();
    dir.nddb(["audit", "db"]).tells(1, &["no text could be read", "without a source"]);
    let dir = Dir::with_database();
    dir.nddb(["audit", "db"]).tells(1, &["cluster would remove no document", "nddb report"]);
    dir.nddb(["audit", "none"]).tells(10, &["none"]);
    dir.nddb(["audit"]).ends(2);
    dir.nddb(["audit", "db", "--sample", "0"]).ends(2);
}

/// The Chromium that there is; none is told.
pub(crate) fn chromium() -> Option<&'static str> {
    let there = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|out| out.status.success());
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(there);
    if found.is_none() {
        nddb_test_support::say("left out: an audit in a browser, for there is no Chromium");
    }
    found
}

/// The page as a browser makes it.
fn shown(browser: &str, dir: &Dir, page: &str) -> String {
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=4000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", dir.path("profile").display()))
        .arg(format!("file://{}", dir.path(page).display()))
        .output()
        .expect("the browser runs");
    String::from_utf8(output.stdout).expect("text")
}

/// Presses keys, and shows what is downloaded.
const KEYS: &str = "<script>
  const press = (key) => document.dispatchEvent(new KeyboardEvent('keydown', { key }));
  let blob;
  URL.createObjectURL = (made) => { blob = made; return '#'; };
  const places = document.getElementById('pairs').dataset.order.split(' ').length;
  press('y'); press('Backspace'); for (const key of 'yny') press(key); press('ArrowLeft'); press('ArrowRight');
  for (let at = 1; at < places; at++) { press('y'); press(at % 3 ? 'n' : 'y'); press('y'); }
  press('d');
  blob.text().then((text) => {
    const out = document.createElement('pre');
    out.id = 'out';
    out.textContent = text;
    document.body.append(out);
  });
</script>";

#[test]
fn a_browser_takes_keys_and_writes_labels() {
    let Some(browser) = chromium() else { return };
    let dir = dir();
    dir.nddb(["audit", "db", "-o", "audit.html", "--sample", "20"]).done();
    let page = text(&dir, "audit.html");
    let as_it_is = shown(browser, &dir, "audit.html");
    assert!(!page.contains("id=\"differs\""), "kinds are asked for on request");
    assert!(as_it_is.contains("<span id=\"where\">1 of 20</span>"), "its policy lets the script run: {as_it_is}");
    assert!(
        as_it_is.contains("<title>Audit of db</title>") && !as_it_is.contains("<img"),
        "the page's texts run nothing"
    );
    // What presses the keys is no script of the page, so its policy must go.
    let policy = page.find("<meta http-equiv").expect("a policy")..page.find("<meta name=\"viewport\"").expect("more");
    let mut open = page.clone();
    open.replace_range(policy, "");
    dir.write("open.html", open.replace("</body>", &format!("{KEYS}</body>")).as_bytes());
    let dom = shown(browser, &dir, "open.html");
    let (_, out) = dom.split_once("<pre id=\"out\">").unwrap_or_else(|| panic!("nothing was downloaded: {dom}"));
    let labels =
        out.split_once("</pre>").expect("its end").0.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    assert_eq!(labels.lines().count() - 1, page.matches("<section id=\"p").count(), "{labels}");
    assert!(dom.contains("20 of 20 answered") && dom.contains("the end"), "{dom}");
    dir.write("labels.tsv", labels.as_bytes());
    let score = dir.nddb(["audit", "--score", "labels.tsv", "--json"]).done().json();
    assert!(score["all"]["share"].as_f64().is_some_and(|share| share > 0.2 && share < 1.0), "{score}");
    assert_eq!(score["again"]["pairs"], 1);
    let args = ["eval", "--docs", "pages.warc.gz", "--pairs", "labels.tsv", "--methods", "model", "--json"];
    let read = dir.nddb(args).done().json();
    assert_eq!(read["unknown_ids"], 0);
}
