//! Keeps inserting while background threads write and merge runs.
//!
//! `cargo run --example background_merging`
#![expect(clippy::print_stdout, reason = "an example says what it found")]

use nddb::{Config, Document, Fingerprint, Reader, Result, Writer};

fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("crawl.nddb");
    let mut writer = Writer::create(&path, &Config::within(3)?)?;
    writer.merge_in_background(true);
    for number in 0..20_000u64 {
        let fingerprint = Fingerprint(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        writer.insert(Document::bare(&format!("page-{number}"), fingerprint)?)?;
        if number % 1_000 == 999 {
            writer.commit()?; // durable and visible; publishes what background threads have finished
            writer.begin_flush()?; // moves what is committed into a run, meanwhile
        }
    }
    writer.close()?; // waits for the last merge
    let stats = Reader::open(&path)?.view().stats()?;
    println!("{} documents in {} runs", stats.documents, stats.runs.len());
    Ok(())
}
