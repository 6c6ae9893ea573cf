//! Asks for many fingerprints at once, of one database and of several.
//!
//! `cargo run --example many_queries`
#![expect(clippy::print_stdout, reason = "an example says what it found")]

use nddb::{
    Answer, BatchMatch, BatchMatches, Config, Document, Federation, Fingerprint, Match, Matches, Neighbor, Part,
    PartedAnswer, Reader, Resources, Result, Search, Within, Work, Writer,
};

fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let paths = ["january.nddb", "february.nddb"].map(|name| folder.path().join(name));
    for (path, first) in paths.iter().zip([0, 500]) {
        let mut writer = Writer::create(path, &Config::within(3)?)?;
        for number in first..first + 500u64 {
            writer.insert(Document::bare(&format!("page-{number}"), Fingerprint(number << 10))?)?;
        }
        writer.close()?;
    }
    let [january, february] = paths.each_ref().map(Reader::open);
    let (january, february) = (january?, february?);
    let queries = [Fingerprint(3 << 10 | 1), Fingerprint(510 << 10)];

    // With ids; and with numbers alone, which is cheaper.
    let mut work = Work::default();
    let answers: Vec<Answer> = january.view().find(&queries, Search::within(Within(3)).limit(10).count(&mut work))?;
    let nearest: &Neighbor = &answers[0].matches[0];
    assert_eq!((nearest.id.as_str(), nearest.distance), ("page-3", 1));
    let found: Vec<Matches> = january.view().probe(&queries, Search::within(Within(3)).limit(1).count(&mut work))?;
    let least: &Match = &found[0].matches[0];
    assert_eq!((least.number, found[0].count), (nearest.number, answers[0].count));
    println!("{} queries decoded {} blocks, {} bytes", work.queries, work.blocks, work.bytes());

    // Of several databases, as if they were one.
    let mut both = Federation::of(january.view());
    both.join(february.view())?;
    let answers: Vec<PartedAnswer<Neighbor>> = both.find(&queries, Search::within(Within(0)).count(&mut work))?;
    let (part, found): &Part<Neighbor> = &answers[1].matches[0];
    assert_eq!((*part, found.id.as_str()), (1, "page-510"));

    // A million at a time: in one pass over the database, where that is cheaper.
    let resources = Resources { threads: 2, memory_limit: 64 << 20, ..Resources::default() };
    let matches: BatchMatches<'_> = january.view().batch_query(&queries, Within(8), &resources, None)?;
    assert_eq!(matches.stored(), 500);
    for found in matches {
        let found: BatchMatch = found?;
        println!("query {}: {} at {} bits", found.query, found.id, found.distance);
    }
    Ok(())
}
