//! Clusters near-duplicates and says which documents to keep.
//!
//! `cargo run --example cluster`
#![expect(clippy::print_stdout, reason = "an example says what it found")]

use nddb::detect::{ClusterOptions, Collection, MethodChoice, PairOptions, Resources, cluster, document_of_page};
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::{Config, Result, Writer};

const FOX: &str = "The quick brown fox jumped over the lazy dog that slept in the sun. Nobody in the village had ever \
                   seen a fox so bold, and the dog, when it woke, did not believe a word of what the hens told it.";

fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = Writer::create(folder.path().join("crawl.nddb"), &Config::within(3)?)?;
    for (id, word) in [("a", "bold"), ("b", "brave"), ("c", "daring")] {
        writer.insert(document_of_page(id, &Page::text(&FOX.replace("bold", word)), &Recipe::default())?)?;
    }
    writer.commit()?;

    let choice = MethodChoice::usual(writer.view());
    let options = ClusterOptions::new(PairOptions::chosen(choice));
    let collection = Collection::with_deleted(writer.view(), &Resources::default(), &mut |_| true)?;
    let clusters = cluster(writer.view(), &collection, &options, &mut |_| true, &mut |_| Ok(()))?;
    clusters.each(&collection, &mut |found| {
        let members: Vec<&str> = found.members.iter().map(|&member| collection.id(member)).collect();
        println!("{} near-duplicates ({}): keep {}", members.len(), members.join(", "), collection.id(found.kept));
        assert_eq!((collection.id(found.kept), found.removed), ("a", 2));
        Ok(())
    })
}
