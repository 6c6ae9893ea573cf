//! Queries from several threads while a writer commits: each thread takes the state that is current.
//!
//! `cargo run --example threads`
#![expect(clippy::print_stdout, reason = "an example says what it found")]

use std::thread;

use nddb::{Config, Document, Fingerprint, Result, SharedReader, Within, Writer};

fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("crawl.nddb");
    let mut writer = Writer::create(&path, &Config::within(3)?)?;
    writer.insert(Document::bare("first", Fingerprint(1))?)?;
    writer.commit()?;

    let shared = SharedReader::open(&path)?;
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                // Nothing locks: this thread keeps its state while another refreshes.
                let reader = shared.current();
                println!("{} stored within 3 bits", reader.probe(Fingerprint(0), Within(3)).expect("an answer").len());
            });
        }
    });
    writer.insert(Document::bare("second", Fingerprint(2))?)?;
    writer.commit()?;
    assert!(shared.refresh()?, "there is something new");
    assert_eq!(shared.current().probe(Fingerprint(0), Within(3))?.len(), 2);
    Ok(())
}
