//! Finds the passages that a text has in common with stored ones.
//!
//! `cargo run --example passages`
#![expect(clippy::print_stdout, reason = "an example says what it found")]

use nddb::detect::document_of_page;
use nddb::format::Parts;
use nddb::sketch::{Recipe, page_words};
use nddb::text::Page;
use nddb::{Config, Passage, PassageLimits, PassageMatch, Passages, Reader, Result, Writer};

const FOX: &str = "The quick brown fox jumped over the lazy dog that slept in the sun. Nobody in the village had ever \
                   seen a fox so bold, and the dog, when it woke, did not believe a word of what the hens told it.";

fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("crawl.nddb");
    let recipe = Recipe::default().with_parts(16).expect("a window");
    let mut writer = Writer::create(&path, &Config::within(3)?.recipe(&recipe.label()))?;
    writer.insert(document_of_page("fox", &Page::text(FOX), &recipe)?)?;
    writer.close()?;

    let quoting = "As my grandfather told it: nobody in the village had ever seen a fox so bold, and that is why.";
    let parts: Parts = page_words(&Page::text(quoting)).parts();
    let limits = PassageLimits { min_words: 8, ..PassageLimits::default() };
    let found: Passages = Reader::open(&path)?.view().parts(&parts, None, &limits)?;
    let near: &PassageMatch = &found.matches[0];
    let passage: &Passage = &near.passages[0];
    println!("{}: words {:?}", near.id, passage.stored);
    assert!(near.id == "fox" && passage.words >= limits.min_words);
    Ok(())
}
