//! What a database keeps of a document besides print and record, by its record and the recipe of the database: the keys
//! that it is found by, and its summary.

use nddb_format::record::Record;
use nddb_format::summaries::Summary;

use crate::sketch::{Profile, Recipe};
use crate::store::catalog::DocumentKeys;

/// Most megashingles and bands of a document, as a rule.
const KEYS: usize = 40;

/// Returns the keys by which a stored document can be found besides its fingerprint, in a database with this
/// recipe, if it is known.
pub(crate) fn keys_of(record: &Record, recipe: Option<&Recipe>) -> DocumentKeys {
    let pieces = recipe.is_some_and(Recipe::has_pieces);
    let has_megashingles = recipe.is_none_or(Recipe::has_megashingles);
    let megashingles = record.supershingles.iter().filter(|_| has_megashingles).flat_map(Recipe::megashingles);
    let mut all = Vec::with_capacity(KEYS);
    all.extend(megashingles.chain(bands_of(record, recipe)));
    DocumentKeys {
        megashingles: all,
        pieces: record.projection.iter().filter(|_| pieces).flat_map(Recipe::pieces).collect(),
        digest: record.digest,
    }
}

/// The bands of a document's profile, if the recipe of its database has profiles.
pub(crate) fn bands_of(record: &Record, recipe: Option<&Recipe>) -> impl Iterator<Item = u64> {
    let has_profile = recipe.is_some_and(Recipe::has_profile);
    let profile = record.profile.iter().filter(move |_| has_profile);
    profile.flat_map(|profile| Profile::from_bytes(profile).bands())
}

/// Returns whether summaries have what algorithms B and C compare: in databases where documents are found by it.
pub(crate) fn summarizes_b_and_c(recipe: Option<&Recipe>) -> bool {
    recipe.is_none_or(Recipe::has_megashingles)
}

/// Returns the summary of a printed document in a database with this recipe.
pub(crate) fn summary_of<'a>(fingerprint: u64, record: &'a Record, recipe: Option<&Recipe>) -> Summary<'a> {
    let mut summary = Summary::of(fingerprint, record);
    if !summarizes_b_and_c(recipe) {
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
        for recipe in Recipe::all() {
            let keys = keys_of(&record, Some(&recipe));
            let is_kept = recipe.name().ends_with("-c");
            assert_eq!(keys.pieces.as_flattened(), if is_kept { bytes } else { &[] }, "{recipe}");
        }
        assert!(keys_of(&record, None).pieces.is_empty());
    }
}
