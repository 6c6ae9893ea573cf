//! Copies a file without its near-duplicates, and then without what a list names.
//!
//! `cargo run --features jobs --example dedup`
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "an example makes its input, and says what it did"
)]

use std::error::Error;

use nddb::ingest::Loader;
use nddb::jobs::JobError;
use nddb::jobs::dedup::{Dedup, DedupWatch};
use nddb::jobs::filter::{Filter, FilterNote, RemovalLists};
use nddb::jobs::output::Outputs;
use nddb::{Config, Progress, Writer};

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
    Ok(())
}
