//! `report`: the page for the owner of pages.

use std::process::Command;

use serde_json::{Value, json};

use crate::helper::Dir;
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
        // But for links to its own sections, and for what it holds itself.
        let own = page.replace("href=\"#section-", "").replace("href=\"data:text/", "");
        assert!(!own.contains(word), "the page holds {word:?}");
    }
    assert!(page.starts_with("<!DOCTYPE html>\n") && page.ends_with("</html>\n"));
    for tag in ["svg", "table", "div", "p", "h1", "h2", "h3", "tr", "nav", "a", "details", "summary", "body"] {
        let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
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
    let [clusters, clustered] = ["clusters", "clustered"].map(|name| removals[name].as_u64().expect("a count"));
    assert!(page.contains(&format!("{clustered} documents are in {clusters} clusters")), "{page}");
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
    assert!(page.contains("What is lost") && page.contains("<del>"), "{page}");
    // What to type next, and the list of removals.
    assert!(
        page.replace("<span>", "")
            .replace("</span>", "")
            .contains("nddb cluster db -o clusters\nnddb filter db INPUT -o kept/ --clusters clusters\nnddb audit")
    );
    let (_, list) = page.split_once("download=\"removed.tsv\" href=\"data:text/").expect("a list");
    let (list, label) = list.split_once("\">").expect("its end");
    assert!(label.starts_with(&format!("Download the list of {} removals", gone.len())), "{label}");
    assert!(list.contains("removed%09kept%09rule%09probability%09loss%0A"), "{list}");
    assert_eq!(list.matches("%0A").count(), gone.len() + 1);
    // Doubtful ones have the least probability, and each says why the other is kept.
    for lossy in removals["doubtful"].as_array().expect("removals").iter().chain(worst) {
        assert!(lossy["chosen"].as_str().is_some_and(|why| why.starts_with("it ")), "{lossy}");
    }
    let doubtful = removals["doubtful"].as_array().expect("removals");
    assert!(doubtful.iter().all(|lossy| lossy["probability"].as_f64() < Some(0.9)), "{doubtful:?}");
    let folders = removals["folders"].as_array().expect("folders");
    let of = |name: &str| folders.iter().find(|folder| folder["name"] == name).map(|folder| count(&folder["removed"]));
    let printed = gone.iter().filter(|id| id.starts_with("http://a.org/print/")).count() as u64;
    assert_eq!(of("a.org/print/").unwrap_or(0), printed, "{folders:?}");
    assert!(!page.contains("(no title)"));
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
    assert!(page.contains("by the method model"));
}

#[test]
fn an_empty_database_has_a_page() {
    let dir = Dir::with_database();
    let (page, numbers) = report(&dir);
    stands_alone(&page);
    assert_eq!((&numbers["removals"]["documents"], &numbers["removals"]["removed"]), (&json!(0), &json!(0)));
    assert!(page.contains("0 of 0 documents would be removed") && page.contains("Nothing is removed"));
    dir.nddb(["report", "none"]).tells(10, &["none"]);
    dir.nddb(["report", "db", "-o", "no/such/report.html"]).ends(1).says(&["report.html"]);
}

/// The width of a page in a browser whose window has this width; `None` without a browser.
pub(crate) fn width_in_browser(dir: &Dir, page: &str, width: u32) -> Option<u32> {
    measured_in_browser(dir, page, width, "d.documentElement.scrollWidth")
}

/// What a script says of a page `d`, in pixels, in a browser whose window has this width and a height of 800.
fn measured_in_browser(dir: &Dir, page: &str, width: u32, script: &str) -> Option<u32> {
    let browser = crate::audit::chromium()?;
    let text = String::from_utf8(dir.read(page)).expect("text");
    // A frame, because a window has a least width; and what measures is no script of the page.
    let policy = |text: String| match (text.find("<meta http-equiv"), text.find("<meta name=\"viewport\"")) {
        (Some(from), Some(to)) => text[..from].to_owned() + &text[to..],
        _ => text,
    };
    dir.write("inner.html", policy(text).as_bytes());
    let frame = format!(
        "<!DOCTYPE html><body style=\"margin:0\"><iframe id=\"f\" src=\"inner.html\" style=\"border:0;width:{width}px;\
         height:800px\"></iframe><script>onload = () => {{ const d = document.getElementById('f').contentDocument; \
         document.title = 'width ' + Math.round({script}); }};</script>"
    );
    dir.write("frame.html", frame.as_bytes());
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--dump-dom"])
        .args(["--virtual-time-budget=4000", "--window-size=1500,900"])
        .arg(format!("--user-data-dir={}", dir.path("profile").display()))
        .arg(format!("file://{}", dir.path("frame.html").display()))
        .output()
        .expect("the browser runs");
    let dom = String::from_utf8(output.stdout).expect("text");
    let (_, rest) = dom.split_once("<title>width ").unwrap_or_else(|| panic!("nothing was measured: {dom}"));
    Some(rest.split_once("</title>").expect("its end").0.parse().expect("a number"))
}

#[test]
fn pages_are_as_wide_as_the_window() {
    let dir = crate::audit::dir();
    report(&dir);
    dir.nddb(["audit", "db", "-o", "audit.html", "--sample", "20"]).done();
    dir.nddb(["show", "db", "http://a.org/1", "http://c.org/1", "--html", "show.html"]).done();
    for page in ["report.html", "audit.html", "show.html"] {
        for width in [390, 1400] {
            let Some(found) = width_in_browser(&dir, page, width) else { return };
            assert!(found <= width, "{page} is {found} wide in a window of {width}");
        }
    }
    // On a phone more than half of the window shows both pages, and the questions are below them.
    let place = |of: &str| format!("d.querySelector('{of}').getBoundingClientRect().top");
    let top = |of: &str| measured_in_browser(&dir, "audit.html", 390, &place(of));
    let (Some(from), Some(to)) = (top("section:not([hidden]) .diff"), top("footer")) else { return };
    assert!(to >= from + 400, "the pages are shown from {from} to {to}");
}
