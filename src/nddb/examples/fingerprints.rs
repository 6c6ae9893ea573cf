//! The index alone: 64-bit fingerprints of any origin, and which of them are within k bits of another.
//!
//! `cargo run --example fingerprints --no-default-features`
#![expect(clippy::print_stdout, reason = "an example says what it found")]

use nddb::{Config, Document, Fingerprint, Reader, Result, Within, Writer};

fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("images.nddb");

    // Tables for queries within 3 bits. The label names the program that computes the fingerprints.
    let mut writer = Writer::create(&path, &Config::within(3)?.recipe("my-image-hash/1"))?;
    for (id, fingerprint) in
        [("cat.jpg", 0xdb3b_8a36_16cd_a6ec), ("cat-small.jpg", 0xdb3b_8a36_16cd_a6ed), ("dog.jpg", 7)]
    {
        writer.insert(Document::bare(id, Fingerprint(fingerprint))?)?;
    }
    writer.commit()?;

    let reader = Reader::open(&path)?; // in any process
    let found = reader.probe(Fingerprint(0xdb3b_8a36_16cd_a6ec), Within(3))?;
    for neighbor in &found {
        println!("{} differs in {} bits", neighbor.id, neighbor.distance);
    }
    assert_eq!(found.len(), 2);
    Ok(())
}
