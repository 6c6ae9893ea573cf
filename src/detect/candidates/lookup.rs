//! The keys under which the catalog finds what is near a document: those that candidates share offline, too.

use nddb_format::record::Record;

use crate::detect::method::definition::Keys;
use crate::detect::method::known::digest_of;
use crate::detect::method::registry::Method;
use crate::sketch::{PIECES, Recipe};
use crate::store::{Key, bands_of};

/// Returns the keys of a document by a method, in a database of a recipe: one of the method's, or the digest, since what
/// is identical is a near-duplicate by every method.
pub(crate) fn keys_of(record: &Record, recipe: Option<&Recipe>, method: Method, complete: bool) -> Vec<Key> {
    let mut keys: Vec<Key> = digest_of(record).copied().map(Key::Digest).into_iter().collect();
    for kind in method.definition().keys() {
        match kind {
            Keys::Megashingles => {
                keys.extend(record.supershingles.iter().flat_map(Recipe::megashingles).map(Key::Megashingle));
            }
            Keys::Pieces => keys.extend(pieces(record, complete)),
            Keys::Bands => keys.extend(bands_of(record, recipe).map(Key::Megashingle)),
        }
    }
    keys
}

/// The pieces of a projection by their indexes. Of 12 different bits each can be in another of the 12 pieces; then
/// there is just one in the first, so that it is among the 32 that differ from it in one bit (13
/// pieces for this, of which the catalog holds none).
fn pieces(record: &Record, complete: bool) -> Vec<Key> {
    let Some(projection) = &record.projection else { return Vec::new() };
    let pieces: [[u8; 4]; PIECES] = Recipe::pieces(projection);
    let mut keys: Vec<Key> = (0u8..).zip(pieces).map(|(index, bytes)| Key::Piece(index, bytes)).collect();
    if complete {
        let first = u32::from_le_bytes(pieces[0]);
        keys.extend((0..u32::BITS).map(|bit| Key::Piece(0, (first ^ 1 << bit).to_le_bytes())));
    }
    keys
}
