//! Candidate keys derived from sketches.

use nddb_format::document_keys;
use nddb_verdict::{b_similarity, c_similarity};

use crate::collection::Collection;
use crate::collection::row::Row;

/// Derives keys from a sketch. Two documents that share a key are a candidate pair if their sketches pass
/// [`KeyMaker::passes`].
pub(crate) trait KeyMaker: Copy + Send + Sync {
    /// The sketch from which keys are derived, and by which pairs are compared.
    type Sketch: Send + Sync;

    /// Returns the sketch of a document.
    fn sketch(self, collection: &Collection, ordinal: u32) -> Self::Sketch;

    /// Returns whether a document has the sketch.
    fn is_known(self, row: &Row) -> bool;

    /// Returns the number of key indexes, at most 32.
    fn indexes(self) -> u8;

    /// Collects the parts of a sketch, each (index, value) packed into one number. Two documents share a key only if
    /// they share the parts from which it is made.
    fn parts(self, sketch: &Self::Sketch, out: &mut Vec<u64>);

    /// Returns the mask of the indexes at which another document may have the same key. `repeats` tells which parts
    /// several documents may have.
    fn possible(self, repeats: &dyn Fn(usize) -> bool) -> u32;

    /// Calls `key` with each of the indexes in the mask and the key there.
    fn keys(self, sketch: &Self::Sketch, mask: u32, key: impl FnMut(u8, u64));

    /// Returns the mask of indexes at which two sketches share a key.
    fn shared(self, a: &Self::Sketch, b: &Self::Sketch) -> u32;

    /// Returns whether two sketches reach the minimum similarities of the method.
    fn passes(self, a: &Self::Sketch, b: &Self::Sketch) -> bool;
}

/// Six supershingles and six projection words.
pub(crate) type Sketch = [[u64; 6]; 2];

/// Kinds of keys. Two documents are a candidate pair if their keys at one index are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keyed {
    /// The 15 megashingles: two pages share one exactly if two of their supershingles are equal. So every shared key is
    /// a result, and a single supershingle that many pages have gives no candidates (Henzinger 2006, 2).
    Megashingles,
    /// Pieces of the projection. With 12 pieces of 32 bits, two projections that differ in up to 11 bits share at least
    /// one; with 13 pieces of 30 and 29 bits, this holds for up to 12 bits (Henzinger 2006, 2).
    Pieces {
        /// Whether there are 13 pieces instead of 12.
        complete: bool,
    },
}

/// The two supershingle indexes of each megashingle.
const PLACES: [(u8, u8); 15] = {
    let mut indexes = [(0, 0); 15];
    let (mut first, mut next) = (0, 0);
    while first < 6 {
        let mut second = first + 1;
        while second < 6 {
            indexes[next] = (first, second);
            (second, next) = (second + 1, next + 1);
        }
        first += 1;
    }
    indexes
};

impl Keyed {
    /// Collects the parts of a sketch, each (index, value) packed into one number. Two documents share a key only if
    /// they share the parts from which it is made.
    pub(crate) fn parts(self, sketch: &Sketch, out: &mut Vec<u64>) {
        out.clear();
        match self {
            Self::Megashingles => out.extend((0..).zip(&sketch[0]).map(|(index, value)| value.wrapping_add(index))),
            Self::Pieces { complete } => {
                out.extend((0..self.indexes()).map(|index| piece_key(&sketch[1], complete, index)))
            }
        }
    }

    /// Returns the number of key indexes.
    pub(crate) fn indexes(self) -> u8 {
        match self {
            Self::Megashingles => 15,
            Self::Pieces { complete: false } => 12,
            Self::Pieces { complete: true } => 13,
        }
    }

    /// Returns the mask of the indexes at which another document may have the same key. `repeats` tells which parts
    /// several documents may have.
    pub(crate) fn possible(self, repeats: &dyn Fn(usize) -> bool) -> u32 {
        match self {
            Self::Megashingles => {
                let both = |&(a, b): &(u8, u8)| repeats(a.into()) && repeats(b.into());
                (0..).zip(&PLACES).filter(|(_, indexes)| both(indexes)).fold(0, |mask, (index, _)| mask | 1 << index)
            }
            Self::Pieces { .. } => {
                (0..self.indexes()).filter(|&index| repeats(index.into())).fold(0, |mask, index| mask | 1 << index)
            }
        }
    }

    /// Calls `key` with each of the indexes in the mask and the key there.
    pub(crate) fn keys(self, sketch: &Sketch, mask: u32, mut key: impl FnMut(u8, u64)) {
        match self {
            Self::Megashingles => {
                let megashingles = document_keys::megashingles(&sketch[0]);
                (0..15)
                    .filter(|index| mask >> index & 1 == 1)
                    .for_each(|index| key(index, megashingles[usize::from(index)]));
            }
            Self::Pieces { complete } => {
                let indexes = (0..self.indexes()).filter(|index| mask >> index & 1 == 1);
                indexes.for_each(|index| key(index, piece_key(&sketch[1], complete, index)));
            }
        }
    }

    /// Returns the mask of indexes at which two sketches share a key.
    #[inline]
    pub(crate) fn shared(self, a: &Sketch, b: &Sketch) -> u32 {
        match self {
            Self::Megashingles => {
                let equal = |index: u8| a[0][usize::from(index)] == b[0][usize::from(index)];
                let both = |&(first, second): &(u8, u8)| equal(first) && equal(second);
                (0..).zip(&PLACES).filter(|(_, indexes)| both(indexes)).fold(0, |mask, (index, _)| mask | 1 << index)
            }
            Self::Pieces { complete } => {
                let equal = |&index: &u8| piece(&a[1], complete, index) == piece(&b[1], complete, index);
                (0..self.indexes()).filter(equal).fold(0, |mask, index| mask | 1 << index)
            }
        }
    }
}

/// Returns a piece of a projection. Bit d mod 64 of word d / 64 is dimension d.
#[inline]
fn piece(projection: &[u64; 6], complete: bool, index: u8) -> u64 {
    let index = u32::from(index);
    // Of 13 pieces, the first seven have 30 bits, the others 29.
    let (start, width) = match complete {
        false => (32 * index, 32),
        true => (30 * index - index.saturating_sub(7), if index < 7 { 30 } else { 29 }),
    };
    let (word, shift) = ((start / 64) as usize, start % 64);
    let behind = projection.get(word + 1).copied().unwrap_or(0);
    let both = u128::from(behind) << 64 | u128::from(projection[word]);
    (both >> shift) as u64 & ((1 << width) - 1)
}

/// Returns index and piece as one number: two numbers are equal only if indexes and pieces are.
fn piece_key(projection: &[u64; 6], complete: bool, index: u8) -> u64 {
    u64::from(index) << 32 | piece(projection, complete, index)
}

/// Supershingles and projection as keys, with the minimum similarities of a candidate pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filtered {
    pub keyed: Keyed,
    /// Least number of equal supershingles, 0 to 6.
    pub supershingles: u32,
    /// Least number of equal bits of the projections, 0 to 384.
    pub bits: u32,
}

impl KeyMaker for Filtered {
    type Sketch = Sketch;

    #[inline]
    fn sketch(self, collection: &Collection, ordinal: u32) -> Sketch {
        collection.halves(ordinal)
    }

    fn is_known(self, row: &Row) -> bool {
        match self.keyed {
            Keyed::Megashingles => row.has_supershingles,
            Keyed::Pieces { .. } => row.has_projection,
        }
    }

    fn indexes(self) -> u8 {
        self.keyed.indexes()
    }

    fn parts(self, sketch: &Sketch, out: &mut Vec<u64>) {
        self.keyed.parts(sketch, out);
    }

    fn possible(self, repeats: &dyn Fn(usize) -> bool) -> u32 {
        self.keyed.possible(repeats)
    }

    fn keys(self, sketch: &Sketch, mask: u32, key: impl FnMut(u8, u64)) {
        self.keyed.keys(sketch, mask, key);
    }

    #[inline]
    fn shared(self, a: &Sketch, b: &Sketch) -> u32 {
        self.keyed.shared(a, b)
    }

    /// The method `split` decides by site later; here all pairs need only as many equal bits as pairs on the same site.
    #[inline]
    fn passes(self, a: &Sketch, b: &Sketch) -> bool {
        let Self { supershingles, bits, .. } = self;
        (supershingles == 0 || b_similarity(&a[0], &b[0]) >= supershingles)
            && (bits == 0 || c_similarity(&a[1], &b[1]) >= bits)
    }
}

#[cfg(test)]
mod tests {
    use nddb_format::digest::mix;

    use super::*;

    fn sketch(seed: u64) -> Sketch {
        std::array::from_fn(|half| std::array::from_fn(|word| mix(mix(seed) + 6 * half as u64 + word as u64)))
    }

    fn keys(keyed: Keyed, sketch: &Sketch) -> Vec<(u8, u64)> {
        let mut keys = Vec::new();
        keyed.keys(sketch, u32::MAX, |index, key| keys.push((index, key)));
        keys
    }

    const ALL: [Keyed; 3] = [Keyed::Megashingles, Keyed::Pieces { complete: false }, Keyed::Pieces { complete: true }];

    #[test]
    fn pieces_cover_the_projection_without_overlap() {
        for complete in [false, true] {
            let mut covered = 0;
            for bit in 0..384 {
                let mut projection = [0u64; 6];
                projection[bit / 64] |= 1 << (bit % 64);
                let indexes = Keyed::Pieces { complete }.indexes();
                let values: Vec<u64> = (0..indexes).map(|index| piece(&projection, complete, index)).collect();
                assert_eq!(values.iter().map(|value| value.count_ones()).sum::<u32>(), 1, "bit {bit}");
                covered |= 1 << values.iter().position(|&value| value != 0).expect("one has it");
            }
            assert_eq!(covered, if complete { 0x1fffu32 } else { 0xfff });
        }
    }

    #[test]
    fn keys_are_equal_exactly_where_sketches_share_them() {
        for keyed in ALL {
            for seed in 0..200 {
                let a = sketch(seed);
                let mut b = a;
                for change in 0..seed % 9 {
                    let at = mix(seed * 31 + change);
                    b[0][(at % 6) as usize] ^= at;
                    b[1][(at % 6) as usize] ^= 1 << (at >> 8 & 63);
                }
                let shared = keyed.shared(&a, &b);
                let equal = keys(keyed, &a).iter().zip(&keys(keyed, &b)).filter(|(a, b)| a == b).count();
                assert_eq!(shared.count_ones() as usize, equal, "{keyed:?}, seed {seed}");
                if keyed == Keyed::Megashingles {
                    assert_eq!(shared != 0, b_similarity(&a[0], &b[0]) >= 2);
                }
            }
        }
    }

    #[test]
    fn eleven_different_bits_leave_a_piece_of_twelve_and_twelve_one_of_thirteen() {
        for seed in 0..500 {
            let a = sketch(seed);
            for complete in [false, true] {
                let mut b = a;
                for change in 0..if complete { 12 } else { 11 } {
                    let at = mix(seed * 64 + change) % 384;
                    b[1][(at / 64) as usize] ^= 1 << (at % 64);
                }
                assert_ne!(Keyed::Pieces { complete }.shared(&a, &b), 0);
            }
        }
    }

    #[test]
    fn where_no_part_repeats_no_key_can_be_shared() {
        for keyed in ALL {
            let mut parts = Vec::new();
            keyed.parts(&sketch(1), &mut parts);
            assert_eq!(keyed.possible(&|_| true).count_ones(), u32::from(keyed.indexes()));
            assert_eq!(keyed.possible(&|part| part == 0).count_ones() > 0, keyed != Keyed::Megashingles);
            assert_eq!(parts.len(), if keyed == Keyed::Megashingles { 6 } else { usize::from(keyed.indexes()) });
        }
    }
}
