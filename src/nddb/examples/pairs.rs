//! Lists all pairs of near-duplicates in a database, with their evidence.
//!
//! `cargo run --example pairs`
#![expect(clippy::print_stdout, reason = "an example says what it found")]

use nddb::detect::{
    Collection, Group, Line, MethodChoice, NearPairs, Pair, PairOptions, PairSummary, Resources, WordsFrom,
    document_of_page,
};
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::{Config, Result, Writer};

const FOX: &str = "The quick brown fox jumped over the lazy dog that slept in the sun. Nobody in the village had ever \
                   seen a fox so bold, and the dog, when it woke, did not believe a word of what the hens told it.";

fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = Writer::create(folder.path().join("crawl.nddb"), &Config::within(3)?)?;
    let other =
        "Blue whales eat four tonnes of krill a day, which they filter out of the sea with their baleen plates.";
    for (id, text) in [("a", FOX.into()), ("b", FOX.replace("bold", "brave")), ("c", other.into())] {
        writer.insert(document_of_page(id, &Page::text(&text), &Recipe::default())?)?;
    }
    writer.commit()?;

    // The default method of the database's recipe, its thresholds, and half a gigabyte of memory.
    let chosen = PairOptions::chosen(MethodChoice::usual(writer.view()));
    let options = PairOptions { words: Some(WordsFrom::Auto), ..chosen };
    let collection = Collection::build(writer.view(), &Resources::default(), &mut |_| true)?;
    let mut found = NearPairs::find(writer.view(), &collection, &options, None)?;
    for line in &mut found {
        match line? {
            Line::Pair(Pair { a, b, rule, measures, loss, .. }) => {
                let probability = measures.share("probability").unwrap_or(0.0);
                println!("{} and {}: {rule} ({probability:.3})", collection.id(a), collection.id(b));
                assert!(loss.is_some(), "what either has alone");
            }
            Line::Group(Group { kind, members, .. }) => println!("{}: {} documents", kind.name(), members.len()),
        }
    }
    let summary: &PairSummary = found.summary();
    assert_eq!(summary.pairs, 1);
    Ok(())
}
