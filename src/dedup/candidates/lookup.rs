//! Candidate keys of a document for look-up in the catalog: the same keys that candidate pairs share offline.

use nddb_format::document_keys::{self, KeyKinds, PIECES};
use nddb_format::record::Record;
use nddb_index::{Key, bands_of, content_of};
use nddb_verdict::{Keys, digest_of};

/// Returns the keys by which a database with these kinds of keys finds the candidates of a document: the keys of the
/// method, `of_method`, and the digest, since identical documents are near-duplicates by every method.
pub(crate) fn keys_of(record: &Record, kinds: KeyKinds, of_method: &[Keys]) -> Vec<Key> {
    let mut keys: Vec<Key> = digest_of(record).copied().map(Key::Digest).into_iter().collect();
    for kind in of_method {
        match kind {
            Keys::Megashingles { .. } => {
                keys.extend(record.supershingles.iter().flat_map(document_keys::megashingles).map(Key::Megashingle));
            }
            Keys::Pieces { complete, .. } => keys.extend(pieces(record, *complete)),
            Keys::Bands { .. } => keys.extend(bands_of(record, kinds).map(Key::Megashingle)),
            Keys::Contents => keys.extend(content_of(record, kinds).map(Key::Megashingle)),
        }
    }
    keys
}

/// Returns the pieces of a projection by index. If two projections differ in 12 bits, each of the 12 pieces may differ
/// in one bit, so that no piece is equal. With `complete`, the 32 values at one bit from the first piece are added,
/// which finds these pairs. The offline search uses 13 pieces instead, for which the catalog has no keys.
fn pieces(record: &Record, complete: bool) -> Vec<Key> {
    let Some(projection) = &record.projection else { return Vec::new() };
    let pieces: [[u8; 4]; PIECES] = document_keys::pieces(projection);
    let mut keys: Vec<Key> = (0u8..).zip(pieces).map(|(index, bytes)| Key::Piece(index, bytes)).collect();
    if complete {
        let first = u32::from_le_bytes(pieces[0]);
        keys.extend((0..u32::BITS).map(|bit| Key::Piece(0, (first ^ 1 << bit).to_le_bytes())));
    }
    keys
}
