//! Stores a page only if no near-duplicate is stored: verdict and insertion are one step. The words of the pages are
//! kept, so that what would be lost is known exactly; without them, texts of fewer than 30 words are always stored.
//!
//! `cargo run --example insert_if_new`
#![expect(clippy::print_stdout, reason = "an example says what it found")]

use nddb::detect::{Judgement, OnlineDetector, document_with_words};
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::{Config, Result, Writer};

fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = Writer::create(folder.path().join("crawl.nddb"), &Config::within(3)?.keep_words(true))?;
    let detector = OnlineDetector::usual(writer.view());
    let pages = [
        ("a", "Rain is expected in the north on Monday, with sun in the south and wind along the coast."),
        ("b", "The council voted on the new bridge: nine members were for it, and four against."),
        ("c", "RAIN is expected in the North on Monday, with sun in the South and wind along the coast!"),
    ];
    let mut new = 0;
    for (id, text) in pages {
        let document = document_with_words(id, &Page::text(text), &Recipe::default())?;
        match detector.insert_if_new(&mut writer, document)? {
            Judgement::Inserted { .. } => new += 1,
            Judgement::Duplicate { of, .. } => println!("{id} is a near-duplicate of {}", of.id),
        }
    }
    writer.commit()?; // durable, and visible to readers that refresh
    assert_eq!(new, 2);
    Ok(())
}
