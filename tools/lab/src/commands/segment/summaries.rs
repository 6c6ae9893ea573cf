//! Summaries: the data of each document of a run that comparisons and answers need.

use std::ops::Range;

use nddb_cli::frame::Output;
use nddb_format::FormatError;
use nddb_format::summaries::{Summaries, Summary};
use nddb_jobs::json::{Id, hex_of};
use serde_json::{Map, Value, json};

use super::file::{self, List, WriteError, extend, start};
use nddb_jobs::quantity::bytes;

/// An opened file of summaries.
pub(super) struct DecodedSummaries<'a>(Summaries<&'a [u8]>);

impl<'a> DecodedSummaries<'a> {
    /// Opens it and checks every rule that needs no other file.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, FormatError> {
        let summaries = Summaries::open(bytes)?;
        summaries.verify()?;
        Ok(Self(summaries))
    }
}

/// Nothing has to be done before bytes are read: they are in memory and checked.
fn touch(_: Range<u64>) -> Result<(), FormatError> {
    Ok(())
}

/// Returns a summary with the parts that it has.
fn shown(number: u64, summary: &Summary<'_>) -> Value {
    let words = |words: &[u64]| words.iter().map(|word| format!("{word:016x}")).collect::<Vec<_>>();
    let mut fields = Map::new();
    fields.insert("number".into(), number.into());
    fields.insert("fingerprint".into(), format!("{:016x}", summary.fingerprint).into());
    fields.insert("id".into(), json!(Id(summary.id)));
    let parts = [
        ("url", summary.url.map(Value::from)),
        ("site", summary.site.map(Value::from)),
        ("without_terms", summary.is_without_terms.then_some(Value::Bool(true))),
        ("digest", summary.digest.map(|digest| hex_of(&digest).into())),
        ("min_bytes", summary.min_bytes.map(|bytes| hex_of(&bytes).into())),
        ("supershingles", summary.supershingles.map(|values| words(&values).into())),
        ("projection", summary.projection.map(|values| words(&values).into())),
        ("profile", summary.profile.map(|profile| hex_of(&profile).into())),
        ("tokens", summary.tokens.map(Value::from)),
    ];
    fields.extend(parts.into_iter().filter_map(|(name, part)| Some((name.to_owned(), part?))));
    Value::Object(fields)
}

impl file::DecodedFile for DecodedSummaries<'_> {
    fn head(&self) -> Map<String, Value> {
        let header = self.0.header();
        let mut head = start("summaries", self.0.source());
        let fields = json!({
            "low": header.low,
            "high": header.high,
            "documents": header.documents,
            "size": header.size,
            "digest": format!("{:032x}", header.digest.0),
            "identity": format!("{:016x}", header.identity),
        });
        extend(&mut head, fields);
        head
    }

    fn write_long_parts(&self, output: &mut Output) -> Result<(), WriteError> {
        let header = self.0.header();
        let mut list = List::begin(output, "summaries")?;
        for number in header.low..header.high {
            if let Some(summary) = self.0.get(number, &touch)? {
                list.push(&shown(number, &summary).to_string())?;
            }
        }
        list.end()?;
        Ok(())
    }

    fn summary(&self) -> Vec<(&'static str, String)> {
        let (size, header) = (self.0.source().len() as u64, self.0.header());
        let each = size as f64 / header.documents as f64;
        vec![("bytes", format!("{}, {each:.1} a document", bytes(size)))]
    }
}
