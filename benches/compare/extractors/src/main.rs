//! Runs several extractors of main content on pages, and measures their time.
//!
//! `nddb-extractors < pages.jsonl` reads JSON lines of `id`, `html` and `url`. For each page and extractor it writes a
//! JSON line of `extractor`, `id`, `text` and `seconds`, the processor time of the fastest of three runs. Every
//! extractor gets the address and its default options, and leaves comments out. `benches/content_fit.py extractors`
//! prints a table of the results.

use std::error::Error;
use std::io::{BufRead, BufWriter, Write};

use dom_smoothie::{Config, Readability, TextMode};
use nddb_page::text::{BlockKind, Page, text_blocks};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use trafilatura::Options;
use url::Url;

/// An extractor: its name, and a function from the markup and address of a page to its text; empty if it finds none.
type Extractor = (&'static str, fn(&str, &str) -> String);

const EXTRACTORS: [Extractor; 5] = [
    ("nddb", by_nddb),
    ("rs-trafilatura", by_rs_trafilatura),
    ("dom_smoothie", by_dom_smoothie),
    ("trafilatura", by_trafilatura),
    ("trafilatura, with fallback", by_trafilatura_with_fallback),
];

const RUNS: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let mut output = BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let page: Value = serde_json::from_str(&line?)?;
        let (Some(html), Some(url)) = (page["html"].as_str(), page["url"].as_str()) else {
            return Err(format!("{}: neither html nor url", page["id"]).into());
        };
        for (name, extract) in EXTRACTORS {
            let mut seconds = f64::INFINITY;
            let mut text = String::new();
            for _ in 0..RUNS {
                let before = processor_seconds();
                text = extract(html, url);
                seconds = seconds.min(processor_seconds() - before);
            }
            writeln!(output, "{}", json!({"extractor": name, "id": page["id"], "text": text, "seconds": seconds}))?;
        }
    }
    Ok(output.flush()?)
}

/// Returns the processor time of this thread so far, in seconds.
fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn by_nddb(html: &str, url: &str) -> String {
    let blocks = text_blocks(&Page { url: Some(url), ..Page::html(html) });
    let content = blocks.into_iter().filter(|block| block.kind == BlockKind::Content);
    content.map(|block| block.text).collect::<Vec<_>>().join("\n")
}

fn by_rs_trafilatura(html: &str, url: &str) -> String {
    let options = rs_trafilatura::Options { url: Some(url.to_owned()), ..Default::default() };
    rs_trafilatura::extract_with_options(html, &options).map(|found| found.content_text).unwrap_or_default()
}

fn by_dom_smoothie(html: &str, url: &str) -> String {
    let config = Config { text_mode: TextMode::Formatted, ..Config::default() };
    let found = Readability::new(html, Some(url), Some(config)).and_then(|mut page| page.parse());
    found.map(|article| article.text_content.to_string()).unwrap_or_default()
}

fn by_trafilatura(html: &str, url: &str) -> String {
    trafilatura(html, url, false)
}

fn by_trafilatura_with_fallback(html: &str, url: &str) -> String {
    trafilatura(html, url, true)
}

fn trafilatura(html: &str, url: &str, with_fallback: bool) -> String {
    let mut options = Options::default().with_exclude_comments(true).with_fallback(with_fallback);
    options = match Url::parse(url) {
        Ok(url) => options.with_url(url),
        Err(_) => options,
    };
    trafilatura::extract(html, &options).map(|found| found.content_text).unwrap_or_default()
}
