//! Lists which documents of a database to remove, because of an earlier database or of each other.
//!
//! `cargo run --features jobs --example removed`
#![expect(clippy::print_stdout, reason = "an example says what it found")]

use std::path::Path;

use nddb::detect::{ClusterOptions, MethodChoice, PairOptions, document_of_page};
use nddb::jobs::removed::RemovalSearch;
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::{Config, Federation, Reader, Result, Writer};

const FOX: &str = "The quick brown fox jumped over the lazy dog that slept in the sun. Nobody in the village had ever \
                   seen a fox so bold, and the dog, when it woke, did not believe a word of what the hens told it.";
const WHALE: &str = "Blue whales eat krill, four tonnes a day. They swim alone or in pairs, spend the summer in cold \
                     waters, and call so loudly that others hear them hundreds of miles away. Most were killed \
                     before hunting was banned; since then their number has grown slowly, by some per cent a year.";

fn store(path: &Path, pages: &[(&str, &str)]) -> Result<Reader> {
    let mut writer = Writer::create(path, &Config::within(3)?)?;
    for (id, text) in pages {
        writer.insert(document_of_page(id, &Page::text(text), &Recipe::default())?)?;
    }
    writer.close()?;
    Reader::open(path)
}

fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let january = store(&folder.path().join("january.nddb"), &[("a", FOX)])?;
    let path = folder.path().join("february.nddb");
    let february = store(&path, &[("b", FOX), ("c", WHALE), ("d", WHALE)])?;

    let (view, earlier) = (february.view(), Federation::of(january.view()));
    let options = ClusterOptions::new(PairOptions::chosen(MethodChoice::usual(view)));
    let (earlier, contained) = (Some(&earlier), None);
    let search = RemovalSearch { path: &path, view, earlier, options, contained, threads: 2, has_origins: false };
    let mut removed = Vec::new();
    let found = search.each(&mut |_| true, &mut |document| {
        println!("remove {}, keep {}: {}", document.id, document.kept.unwrap_or("none"), document.rule);
        removed.push(document.id.to_owned());
        Ok(())
    })?;
    assert_eq!((removed.join(" ").as_str(), found.earlier), ("b d", 1));
    Ok(())
}
