//! Postings: the document numbers of each fingerprint of a run.

use std::ops::Range;

use nddb_cli::frame::Output;
use nddb_format::FormatError;
use nddb_format::postings::Postings;
use serde_json::{Map, Value, json};

use super::file::{self, List, WriteError, extend, start};
use nddb_jobs::quantity::bytes;

/// An opened postings file.
pub(super) struct DecodedPostings<'a>(Postings<&'a [u8]>);

impl<'a> DecodedPostings<'a> {
    /// Opens it and checks every rule that needs no other file.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, FormatError> {
        let postings = Postings::open(bytes)?;
        postings.verify()?;
        Ok(Self(postings))
    }
}

/// Nothing has to be done before bytes are read: they are in memory and checked.
fn touch(_: Range<u64>) -> Result<(), FormatError> {
    Ok(())
}

impl file::DecodedFile for DecodedPostings<'_> {
    fn head(&self) -> Map<String, Value> {
        let header = self.0.header();
        let mut head = start("postings", self.0.data());
        let fields = json!({
            "block_size": nddb_format::block::BLOCK_SIZE,
            "restart": header.restart,
            "low": header.low,
            "high": header.high,
            "fingerprints": header.fingerprints,
            "documents": header.documents,
            "blocks": header.blocks,
            "sparse_groups": header.sparse,
            "set_digest": format!("{:032x}", header.set_digest.0),
            "pair_digest": format!("{:032x}", header.pair_digest.0),
            "identity": format!("{:016x}", header.identity),
        });
        extend(&mut head, fields);
        head
    }

    fn write_long_parts(&self, output: &mut Output) -> Result<(), WriteError> {
        let postings = &self.0;
        let mut ranks = List::begin(output, "ranks")?;
        for block in 0..postings.header().blocks {
            ranks.push(&postings.first_rank(block, &touch)?.to_string())?;
        }
        ranks.end()?;
        let mut lists = List::begin(output, "lists")?;
        let mut text = String::new();
        for rank in 0..postings.header().fingerprints {
            text.clear();
            for index in postings.list(rank, &touch)? {
                text.push(if text.is_empty() { '[' } else { ',' });
                text += &postings.number(index, &touch)?.to_string();
            }
            text.push(']');
            lists.push(&text)?;
        }
        lists.end()?;
        Ok(())
    }

    fn summary(&self) -> Vec<(&'static str, String)> {
        let (size, header) = (self.0.data().len() as u64, self.0.header());
        let each = size as f64 * 8.0 / header.documents as f64;
        vec![("size", format!("{}, {each:.2} bits a document", bytes(size)))]
    }
}
