//! Loads many documents at once, deletes some, merges the runs and says what there is.
//!
//! `cargo run --example bulk_load`
#![expect(clippy::print_stdout, reason = "an example says what it found")]

use nddb::{
    BulkLoad, Compacted, CompactionPlan, Config, Document, Error, Fingerprint, Loaded, Outcome, Progress, Reader,
    Repeat, Result, ShownId, Stats, Stored, Verify, View, Watch, WorkFolder, Writer, digits_of, number_id,
    raise_open_files,
};

fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("crawl.nddb");
    println!("{} files may be open", raise_open_files().expect("a limit"));
    let mut writer = Writer::create(&path, &Config::within(3)?)?;
    let watch: Watch = Box::new(|progress: &Progress| progress.done < u64::MAX); // `false` would stop long work
    writer.watch(watch);
    for month in 0..2u64 {
        let mut load: BulkLoad<'_> = writer.bulk_load()?;
        for number in month * 1000..month * 1000 + 1000 {
            load.push(Document::bare(&number_id(number), Fingerprint(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)))?)?;
        }
        load.push(Document::bare(&number_id(month * 1000), Fingerprint(7))?)?; // the last one of an id counts
        let loaded: Loaded = load.finish()?;
        let repeat: Option<Repeat> = loaded.repeat;
        println!("{} documents, one of them given twice: {:?}", loaded.documents, repeat.map(|repeat| repeat.id));
    }
    assert!(writer.delete(&number_id(17))?);
    assert_eq!(writer.insert(Document::bare("17", Fingerprint(1))?)?, Outcome::New, "a text, not the number");
    writer.commit()?;
    let plan: Option<CompactionPlan> = writer.plan_full_compaction();
    let merged: Compacted = writer.compact(&plan.expect("two runs"))?;
    println!("{} runs became {}", merged.runs_before, merged.runs_after);
    writer.close()?;

    let reader = Reader::open_with(&path, Verify::Always)?;
    let view: View<'_> = reader.view();
    let stats: Stats = view.stats()?;
    println!("{} documents, {} bytes", stats.documents, stats.bytes.total());
    let first: Option<Stored> = view.documents().next().transpose()?;
    let id = first.expect("a document").record.id;
    assert_eq!(digits_of(&id), Some(&*ShownId(&id).to_string()), "the number was stored first");
    // A place for files about this database; another process that does the same work is told.
    let own = WorkFolder::beside(&path, "report")?;
    assert!(own.path().is_dir() && matches!(WorkFolder::beside(&path, "report"), Err(Error::Locked { .. })));
    Ok(())
}
