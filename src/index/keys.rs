//! The data that a database keeps for a document in addition to print and record: the keys by which it is found, and
//! its summary. Both follow from the record and from the kinds of keys of the database.

use nddb_format::document_keys::{self, KeyKinds, content_key, megashingles, pieces};
use nddb_format::profile::{BandParts, Profile};
use nddb_format::record::Record;
use nddb_format::summaries::Summary;

use crate::catalog::DocumentKeys;

/// Usual greatest number of megashingles, bands and contents of a document.
const KEYS: usize = 48;

/// Returns the keys by which a stored document can be found besides its fingerprint.
pub(crate) fn keys_of(record: &Record, kinds: KeyKinds) -> DocumentKeys {
    let megashingles = record.supershingles.iter().filter(|_| kinds.megashingles).flat_map(megashingles);
    let mut all = Vec::with_capacity(KEYS);
    all.extend(megashingles.chain(bands_of(record, kinds)).chain(content_of(record, kinds)));
    let parts = record.parts.iter().filter(|_| kinds.parts).flat_map(|parts| &parts.selected);
    all.extend(parts.map(|part| document_keys::part(part.hash)));
    DocumentKeys {
        megashingles: all,
        pieces: record.projection.iter().filter(|_| kinds.pieces).flat_map(pieces).collect(),
        digest: record.digest,
    }
}

/// The bands of a document's profile, if the database keeps them.
pub fn bands_of(record: &Record, kinds: KeyKinds) -> impl Iterator<Item = u64> {
    let profile = record.profile.iter().filter(move |_| kinds.bands);
    profile.flat_map(|profile| BandParts::of_bytes(profile).bands())
}

/// The key of a document's content, if the database keeps it.
pub fn content_of(record: &Record, kinds: KeyKinds) -> Option<u64> {
    let profile = record.profile.as_ref().filter(|_| kinds.bands)?;
    Some(content_key(Profile::from_bytes(profile).content))
}

/// Returns the summary of a printed document. It includes the sketches that algorithms B and C compare only if the
/// database finds documents by them.
pub(crate) fn summary_of<'a>(fingerprint: u64, record: &'a Record, kinds: KeyKinds) -> Summary<'a> {
    let mut summary = Summary::of(fingerprint, record);
    if !kinds.megashingles {
        (summary.supershingles, summary.projection) = (None, None);
    }
    summary
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SPEC 9.1.
    #[test]
    fn pieces_are_the_bytes_of_the_projection_as_the_record_has_it() {
        let projection = std::array::from_fn(|word| 0x0123_4567_89ab_cdef_u64.rotate_left(7 * word as u32));
        let record = Record { id: "a".into(), projection: Some(projection), ..Record::default() };
        let encoded = record.encode();
        let bytes = &encoded[encoded.len() - 48..];
        for label in ["main-c/1", "web-c/1", "main/1", "web/1", "mine"] {
            let keys = keys_of(&record, KeyKinds::of_label(label));
            let is_kept = label.ends_with("-c/1");
            assert_eq!(keys.pieces.as_flattened(), if is_kept { bytes } else { &[] }, "{label}");
        }
    }
}
