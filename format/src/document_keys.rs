//! The keys by which documents are found besides their fingerprints (SPEC 9.1, 9.7): which kinds a database keeps, and
//! how each is computed from the sketches in a record.

use xxhash_rust::xxh3::xxh3_64;

use crate::parts::HASH_BYTES;

/// Supershingles of a document.
pub const SUPERSHINGLES: usize = 6;
/// Pieces of a projection.
pub const PIECES: usize = 12;

/// The kinds of keys that a database keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyKinds {
    /// Megashingles: pairs of supershingles.
    pub megashingles: bool,
    /// Pieces of projections.
    pub pieces: bool,
    /// Bands of profiles, and the contents of profiles.
    pub bands: bool,
    /// Parts: runs of words.
    pub parts: bool,
}

impl KeyKinds {
    /// Returns the kinds of keys in databases of a recipe, given its label: a base, flags after hyphens, and a version
    /// after a slash (SPEC 9.1). A recipe of another program has no base that is known here; its databases keep the
    /// keys that their documents have.
    ///
    /// ```
    /// use nddb_format::document_keys::KeyKinds;
    ///
    /// let kinds = KeyKinds::of_label("main-c/1");
    /// assert_eq!(kinds, KeyKinds { megashingles: true, pieces: true, bands: true, parts: false });
    /// ```
    pub fn of_label(label: &str) -> Self {
        let name = label.split_once('/').map_or(label, |(name, _)| name);
        let flags = name.split('-').skip(1);
        let has = |flag: &str| flags.clone().any(|part| part == flag);
        let (is_main, pieces) = (name.split('-').next() == Some("main"), has("c"));
        let is_window = |window: &str| window.bytes().all(|byte| byte.is_ascii_digit());
        let parts = is_main && flags.clone().any(|flag| flag.strip_prefix("parts").is_some_and(is_window));
        Self { megashingles: !is_main || pieces, pieces, bands: is_main && !has("offline"), parts }
    }
}

/// Returns the megashingles of six supershingles (Henzinger 2006, 2): one for each pair of indexes, in the order
/// (0,1), (0,2) .. (4,5). Two pages share one exactly if they are B-similar. A megashingle is XXH3 (64 bits, seed
/// 0) of the two supershingles, 8 bytes each, little-endian, and the two indexes, one byte each.
pub fn megashingles(supershingles: &[u64; SUPERSHINGLES]) -> [u64; 15] {
    let mut megashingles = [0; 15];
    let mut next = megashingles.iter_mut();
    for first in 0..SUPERSHINGLES {
        for second in first + 1..SUPERSHINGLES {
            let mut bytes = [0; 18];
            bytes[..8].copy_from_slice(&supershingles[first].to_le_bytes());
            bytes[8..16].copy_from_slice(&supershingles[second].to_le_bytes());
            bytes[16..].copy_from_slice(&[first as u8, second as u8]);
            if let Some(megashingle) = next.next() {
                *megashingle = xxh3_64(&bytes);
            }
        }
    }
    megashingles
}

/// Returns the key of a [part](crate::parts::Part) with this hash: XXH3 (64 bits, seed 0) of `part` in ASCII and the
/// bytes of the hash, little-endian.
pub fn part(hash: u64) -> u64 {
    let mut bytes = *b"part\0\0\0\0\0";
    bytes[4..].copy_from_slice(&hash.to_le_bytes()[..HASH_BYTES]);
    xxh3_64(&bytes)
}

/// Returns the pieces of a projection (Henzinger 2): piece p is dimensions 32p to 32p + 31, dimension 32p the
/// lowest bit of the first byte. Projections that differ in fewer than 12 dimensions share a piece.
pub fn pieces(projection: &[u64; PIECES / 2]) -> [[u8; 4]; PIECES] {
    std::array::from_fn(|piece| ((projection[piece / 2] >> (32 * (piece % 2))) as u32).to_le_bytes())
}

/// Returns the key of a content: XXH3 (64 bits, seed 0) of `content` and its digest, 8 bytes, little-endian.
pub fn content_key(digest: u64) -> u64 {
    let mut bytes = *b"content........";
    bytes[7..].copy_from_slice(&digest.to_le_bytes());
    xxh3_64(&bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn megashingles_agree_exactly_where_two_supershingles_do(
            left in prop::array::uniform6(0u64..3),
            right in prop::array::uniform6(0u64..3),
        ) {
            let equal = left.iter().zip(&right).filter(|(a, b)| a == b).count();
            let (a, b) = (megashingles(&left), megashingles(&right));
            let shared = a.iter().filter(|mega| b.contains(mega)).count();
            prop_assert_eq!(shared, equal * equal.saturating_sub(1) / 2);
        }
    }

    #[test]
    fn pieces_are_the_projection_four_bytes_each() {
        let projection: [u64; 6] = std::array::from_fn(|word| 0x0123_4567_89ab_cdef_u64.rotate_left(7 * word as u32));
        let bytes: Vec<u8> = projection.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(pieces(&projection).as_flattened(), bytes);
    }

    #[test]
    fn the_base_main_and_its_flags_decide_what_is_kept() {
        let kinds = |megashingles, pieces, bands| KeyKinds { megashingles, pieces, bands, parts: false };
        for (label, expected) in [
            ("main/1", kinds(false, false, true)),
            ("main-c/1", kinds(true, true, true)),
            ("main-offline/1", kinds(false, false, false)),
            ("main-parts/1", KeyKinds { parts: true, ..kinds(false, false, true) }),
            ("main-offline-parts8/1", KeyKinds { parts: true, ..kinds(false, false, false) }),
            ("web-parts/1", kinds(true, false, false)),
            ("web-3grams-psl/1", kinds(true, false, false)),
            ("web-3grams-psl-c/1", kinds(true, true, false)),
            ("mine", kinds(true, false, false)),
            ("", kinds(true, false, false)),
        ] {
            assert_eq!(KeyKinds::of_label(label), expected, "{label}");
        }
    }
}
