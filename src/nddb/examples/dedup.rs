//! Copies a file without its near-duplicates: in one call, by a list of ids, and by the lists of a clustering.
//!
//! `cargo run --features jobs --example dedup`
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "an example makes its input, and says what it did"
)]

use std::error::Error;

use nddb::detect::Collection;
use nddb::ingest::Loader;
use nddb::jobs::JobError;
use nddb::jobs::clusters::ClusterLists;
use nddb::jobs::dedup::{Dedup, DedupWatch};
use nddb::jobs::filter::{Filter, FilterNote, RemovalLists};
use nddb::jobs::output::Outputs;
use nddb::{Config, Progress, Reader, Writer};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    let page = |id, text| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    let (fox, whale) = ("The quick brown fox jumped over the lazy dog.", "Blue whales eat krill, four tonnes a day.");
    let (inputs, kept) = ([path("pages.jsonl")], path("kept.jsonl"));
    std::fs::write(&inputs[0], page("a", fox) + &page("b", fox) + &page("c", whale))?;

    // In one call, with a temporary database.
    let (progress, note) = (&mut |_: &Progress| true, &mut |note: FilterNote| println!("{note:?}"));
    let dedup = Dedup::new(&inputs, &kept);
    let plan = dedup.plan(&Outputs::default(), note)?;
    let watch = DedupWatch { progress, loading: &mut |_| {}, stop: &|| false, note };
    let done = plan.run(&|view| Ok::<_, JobError>(Dedup::usual(view)), watch)?;
    assert_eq!((done.summary.counts.rows, done.summary.counts.removed), (3, 1));
    drop((done, plan));

    // By a list of ids, of a database that the file was loaded into.
    let database = path("pages.nddb");
    let mut writer = Writer::create(&database, &Config::within(3)?)?;
    Loader::new(&mut writer).load(&inputs)?;
    writer.close()?;
    std::fs::write(path("remove.txt"), "c\n")?;
    let lists = RemovalLists { remove: Some(path("remove.txt")), clusters: None };
    let filter = Filter::new(&database, lists, &inputs, &kept);
    let done = filter.run(&Outputs::default(), &mut |_| true, &mut |note| println!("{note:?}"))?;
    assert_eq!(std::fs::read_to_string(&kept)?, page("a", fox) + &page("b", fox));
    println!("{} documents, {} removed", done.counts.rows, done.counts.removed);

    // By the lists of a clustering.
    let reader = Reader::open(&database)?;
    let options = Dedup::usual(reader.view());
    let collection = Collection::with_deleted(reader.view(), &options.pairs.resources, &mut |_| true)?;
    let lists = ClusterLists::open(&Outputs::default(), "clusters", &path("clusters"))?;
    let made = lists.write(reader.view(), &collection, &options, &mut |_| true)?;
    assert_eq!((made.summary.kept, made.summary.removed), (2, 1));
    let lists = RemovalLists { clusters: Some(path("clusters")), remove: None };
    let filter = Filter::new(&database, lists, &inputs, &kept);
    filter.run(&Outputs::default(), &mut |_| true, &mut |note| println!("{note:?}"))?;
    assert_eq!(std::fs::read_to_string(&kept)?, page("a", fox) + &page("c", whale));
    Ok(())
}
