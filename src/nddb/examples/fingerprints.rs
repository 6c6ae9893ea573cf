//! Fingerprints that another program has made, such as perceptual hashes of images: an index that is built once, and
//! which images lie near another. Lines are `name,hex`; names stay in memory, by their numbers.
//!
//! `cargo run --example fingerprints --no-default-features -- hashes.csv db3b8a3616cda6ec`
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "an example reads a file and says what it found")]

use nddb::{Config, Fingerprint, StaticIndex, StaticIndexBuilder, Within};

/// Of pHash: a picture, smaller copies of it, and another picture.
const SAMPLE: &str = "cat.jpg,db3b8a3616cda6ec
cat-small.jpg,db3b8a3616cda6ed
cat-cropped.jpg,db3f8a1616cde6e0
dog.jpg,8f0e1d2c3b4a5968
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (lines, query) = match &arguments[..] {
        [file, query] => (std::fs::read_to_string(file)?, query.as_str()),
        _ => (SAMPLE.to_owned(), "db3b8a3616cda6ec"),
    };
    let folder = tempfile::tempdir()?;
    // The tables are made for 3 bits; larger distances are answered too.
    let mut builder: StaticIndexBuilder = StaticIndex::builder(folder.path().join("images"), &Config::within(3)?)?;
    let mut names = Vec::new();
    for line in lines.lines() {
        let (name, hash) = line.rsplit_once(',').ok_or_else(|| format!("'{line}' has no comma"))?;
        builder.push(Fingerprint(u64::from_str_radix(hash.trim(), 16)?), names.len() as u64)?;
        names.push(name);
    }
    let index = builder.finish()?;
    let query = Fingerprint(u64::from_str_radix(query, 16)?);
    let within = Within(10); // what users of pHash take for the same picture
    for found in index.nearest(query, 10, within)? {
        println!("{} differs in {} bits", names[found.number as usize], found.distance);
    }
    Ok(())
}
