//! Clusters near-duplicates and says which documents to keep.
//!
//! `cargo run --example cluster`
#![expect(clippy::print_stdout, reason = "an example says what it found")]

use nddb::detect::{
    Cluster, ClusterOptions, ClusterSummary, Clusters, Collection, Keep, MethodChoice, PairOptions, Resources,
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
    for (id, word) in [("a", "bold"), ("b", "brave"), ("c", "daring")] {
        writer.insert(document_of_page(id, &Page::text(&FOX.replace("bold", word)), &Recipe::default())?)?;
    }
    writer.commit()?;

    let options = ClusterOptions::new(PairOptions::chosen(MethodChoice::usual(writer.view())));
    let options = ClusterOptions { keep: vec![Keep::Stored], ..options };
    let collection = Collection::with_deleted(writer.view(), &Resources::default(), &mut |_| true)?;
    let clusters = Clusters::find(writer.view(), &collection, &options, None)?;
    for Cluster { members, kept, removed, .. } in clusters.iter(&collection)? {
        let ids: Vec<&str> = members.iter().map(|&member| collection.id(member)).collect();
        println!("{} near-duplicates ({}): keep {}", members.len(), ids.join(", "), collection.id(kept));
        assert_eq!((collection.id(kept), removed), ("a", 2));
    }
    let summary: &ClusterSummary = &clusters.summary;
    assert_eq!((summary.clusters, summary.kept), (1, 1));
    Ok(())
}
