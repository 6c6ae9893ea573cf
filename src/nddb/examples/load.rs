//! Loads a file of pages, one JSON object a line. WARC, WET, ARC, text and HTML files load the same way.
//!
//! `cargo run --example load`
#![expect(clippy::print_stdout, reason = "an example says what it found")]
#![expect(clippy::disallowed_methods, reason = "it makes its own input")]

use nddb::ingest::{Event, Loader};
use nddb::{Config, Writer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let pages = folder.path().join("pages.jsonl");
    std::fs::write(
        &pages,
        r#"{"id": "a", "url": "http://example.org/a", "text": "The quick brown fox jumps over the lazy dog."}
{"id": "b", "url": "http://example.org/b", "html": "<h1>Whales</h1><p>Blue whales eat krill, four tonnes a day."}
{"text": "no id and no address"}
"#,
    )?;

    let mut writer = Writer::create(folder.path().join("crawl.nddb"), &Config::within(3)?)?;
    let report = Loader::new(&mut writer)
        .threads(2)
        .on_event(|event| {
            if let Event::Skipped(skipped) = event {
                println!("skipped: {}", skipped.detail);
            }
        })
        .load(&[&pages])?;
    // Every entry is counted: stored, unchanged, repeated, skipped or of another kind.
    println!("{} entries read, {} documents stored", report.entries, report.loaded.documents);
    Ok(())
}
