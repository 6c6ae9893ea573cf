//! Finds the pages of a crawl that have a question of a test set in common, and lists their ids.
//!
//! `cargo run --features jobs --example against`
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "an example makes its input, and says what it found"
)]

use std::error::Error;

use nddb::detect::OnlineDetector;
use nddb::ingest::{Event, LoadReport};
use nddb::jobs::JobError;
use nddb::jobs::against::{Against, AgainstWatch};
use nddb::jobs::answers::PassageOptions;
use nddb::jobs::opened_documents::FileLoading;
use nddb::jobs::output::Outputs;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    let line = |id, text: &str| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    let question = "If a train leaves at noon and travels at sixty miles an hour, when does it reach the coast?";
    let page = format!("Here is what our teacher asked us. {question} Nobody in the whole class had an answer.");
    std::fs::write(path("crawl.jsonl"), line("quiz", &page) + &line("other", "Blue whales eat krill all day long."))?;
    std::fs::write(path("test.jsonl"), line("train", question))?;

    let (outputs, mut lines) = (Outputs::default(), Vec::new());
    let list = outputs.file("list", &path("leaked.txt"))?;
    let (event, loaded) = (&mut |_: Event<'_>| {}, &mut |_: &LoadReport| {});
    let mut files = FileLoading::new(&outputs, event, loaded, &|| false);
    let watch = AgainstWatch {
        files: &mut files,
        noticed: &mut |_| {},
        emit: &mut |bytes| {
            lines.extend_from_slice(bytes);
            Ok(())
        },
    };
    let (crawl, test) = (path("crawl.jsonl"), [path("test.jsonl")]);
    let against = Against { parts: Some(PassageOptions::default()), ..Against::new(&crawl, &test) };
    let found = against.run(Some(&list), &|view| Ok::<_, JobError>(OnlineDetector::usual(view)), watch)?;
    println!("{} of {} pages: {}", found.matched, found.documents, String::from_utf8(lines)?);
    assert_eq!(std::fs::read_to_string(path("leaked.txt"))?, "quiz\n");
    Ok(())
}
