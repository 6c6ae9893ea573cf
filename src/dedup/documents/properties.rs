//! The keys and properties by which documents are joined, and the decision about a pair.

use nddb_format::record::Record;
use nddb_index::{Document, Result};
use nddb_verdict::{Decision, Measures, Verdict};
use xxhash_rust::xxh3::xxh3_128;

use super::near::NearTables;
use crate::candidates::source::{keys_of, lacks};
use crate::collection::Collection;
use crate::collection::classes::class_key;
use crate::options::PairOptions;

/// The properties by which an engine joins a document with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    /// Digest of the text; documents with equal digests are an identity set. `None` for an empty text.
    pub text: Option<[u64; 2]>,
    /// Key of the class. The oldest documents of identity sets form a class if their keys are equal.
    pub class: Option<u128>,
    /// Keys by which candidate pairs are found: those of the method, or of the given tables of fingerprints.
    pub keys: Vec<u64>,
    /// Fingerprint; `None` with fewer than two tokens.
    pub fingerprint: Option<u64>,
    /// Whether hamming decides about the document, because it lacks a sketch of the method.
    pub lacks: bool,
    /// Whether the text is known to have no token.
    pub is_empty: bool,
}

/// Returns the properties by which a document of a collection is joined. The keys are those of the tables of
/// fingerprints if these are given, else those of the method.
pub fn properties(
    collection: &Collection,
    options: &PairOptions,
    near: Option<&NearTables>,
    ordinal: u32,
) -> Properties {
    let row = collection.row(ordinal);
    let fingerprint = row.fingerprint.map(|fingerprint| fingerprint.0);
    let mut keys = Vec::new();
    match near {
        Some(tables) => keys.extend(fingerprint.into_iter().flat_map(|fingerprint| tables.keys(fingerprint))),
        None => keys_of(collection, options, ordinal, &mut keys),
    }
    Properties {
        text: row.digest,
        class: class_key(collection, options, ordinal),
        keys,
        fingerprint,
        lacks: options.decider().or_hamming.is_some() && lacks(collection, options, ordinal),
        is_empty: row.is_empty,
    }
}

/// A pair with the decision made from the stored sketches of both documents.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// Whether the token sequences are equal.
    pub identical: bool,
    /// Similarities of the two documents, by name.
    pub measures: Measures,
    /// The decision.
    pub decision: Decision,
    /// How near the two are. A document joins the founder with the greatest score.
    pub score: u64,
}

/// Decides about a pair by a method that compares sketches.
///
/// # Errors
/// [`nddb_index::Error::Method`] if the method compares texts.
pub fn decided(options: &PairOptions, a: &Document, b: &Document) -> Result<Decided> {
    super::keys::needs_no_text(&*options.method)?;
    Ok(super::compared(a, b, |pair| {
        let Verdict { decision, score } = options.decider().judge(pair);
        Decided { identical: pair.identical(), measures: Measures::of(pair, &*options.method), decision, score }
    }))
}

/// Returns a hash of those parts of a document that users can see. Two documents have equal hashes if a load would
/// count the later one as unchanged.
pub fn content_hash(document: &Document) -> u128 {
    let Record { digest, profile, url, site, .. } = document.record().clone();
    let mut bytes = document.print().encode().to_vec();
    Record { digest, profile, url, site, ..Record::default() }.encode_into(&mut bytes);
    xxh3_128(&bytes)
}
