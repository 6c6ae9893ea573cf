//! Asks which stored pages are near-duplicates of a page, and why.
//!
//! `cargo run --example query`
#![expect(clippy::print_stdout, reason = "an example says what it found")]

use nddb::detect::{NearDuplicate, NearDuplicates, OnlineDetector, document_of_page};
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::{Config, Reader, Result, Writer};

const STORY: &str = "The quick brown fox jumped over the lazy dog that slept in the sun. Nobody in the village had ever \
                     seen a fox so bold, and the dog, when it woke, did not believe a word of what the hens told it.";

fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("crawl.nddb");
    let recipe = Recipe::default();
    let mut writer = Writer::create(&path, &Config::within(3)?)?;
    let page = format!("<title>The fox</title><nav><a href=/>Home</a></nav><p>{STORY}</p>");
    writer.insert(document_of_page("http://example.org/fox", &Page::html(&page), &recipe)?)?;
    writer.commit()?;

    let reader = Reader::open(&path)?;
    let copy = format!("<title>The fox</title><p>{}</p>", STORY.replace("lazy", "sleepy"));
    let query = document_of_page("query", &Page::html(&copy), &recipe)?;
    let found: NearDuplicates = OnlineDetector::usual(reader.view()).ask(reader.view(), &query)?;
    for NearDuplicate { id, measures, .. } in &found.matches {
        println!("{id}: probability {:.3}", measures.share("probability").unwrap_or(0.0));
    }
    assert_eq!(found.matches.len(), 1);
    Ok(())
}
