//! Queries from several threads while a writer commits: each thread takes the state that is current, and one keeps it so.
//!
//! `cargo run --example threads`
#![expect(clippy::print_stdout, reason = "an example says what it found")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use nddb::{Config, Document, Fingerprint, Result, SharedReader, Within, Writer};

fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("crawl.nddb");
    let mut writer = Writer::create(&path, &Config::within(3)?)?;
    writer.insert(Document::bare("first", Fingerprint(1))?)?;
    writer.commit()?;

    let (shared, done) = (SharedReader::open(&path)?, AtomicBool::new(false));
    thread::scope(|scope| {
        let watching = scope.spawn(|| -> Result<()> {
            while !done.load(Ordering::Relaxed) {
                if shared.watch_commits(Duration::from_millis(100))? {
                    println!("{} documents", shared.current().view().stats()?.documents);
                }
            }
            Ok(())
        });
        let asking = scope.spawn(|| -> Result<()> {
            // Nothing locks: this thread keeps the state that it has taken.
            while shared.current().probe(Fingerprint(0), Within(3))?.len() < 2 {
                thread::sleep(Duration::from_millis(10));
            }
            done.store(true, Ordering::Relaxed);
            Ok(())
        });
        writer.insert(Document::bare("second", Fingerprint(2))?)?;
        writer.commit()?;
        asking.join().expect("no panic")?;
        watching.join().expect("no panic")
    })
}
