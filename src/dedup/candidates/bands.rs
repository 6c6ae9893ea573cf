//! Bands of min-values as candidate keys.

use nddb_format::digest::mix;
use nddb_format::profile::{BANDS as PROFILE_BANDS, BandParts};
use nddb_format::record::MIN_VALUES;
use nddb_page::sketch::agreement;

use super::keyed::KeyMaker;
use crate::collection::Collection;
use crate::collection::row::Row;

/// Min-values in a band.
const BAND: usize = 4;
/// Bands of a page.
const BANDS: usize = MIN_VALUES / BAND;

/// The 21 bands of the bytes of min-values as keys: runs of four. Two pages with 64 of 84 equal bytes always share a
/// band. Pages of resemblance r share one with probability 1 - (1 - r^4)^21: nearly always for r = 0.8, three times in
/// four for 0.5, once in thirty for 0.2. Megashingles find nine in ten pages of resemblance 0.95, and one in forty of
/// 0.8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bands {
    /// Least number of equal min-values of a candidate pair.
    pub agreement: u32,
}

impl KeyMaker for Bands {
    type Sketch = [u8; MIN_VALUES];

    #[inline]
    fn sketch(self, collection: &Collection, ordinal: u32) -> Self::Sketch {
        collection.min_bytes(ordinal)
    }

    fn is_known(self, row: &Row) -> bool {
        row.has_min_values
    }

    fn indexes(self) -> u8 {
        BANDS as u8
    }

    fn parts(self, sketch: &Self::Sketch, out: &mut Vec<u64>) {
        out.clear();
        out.extend(hashes(sketch));
    }

    fn possible(self, repeats: &dyn Fn(usize) -> bool) -> u32 {
        (0..BANDS).filter(|&index| repeats(index)).fold(0, |mask, index| mask | 1 << index)
    }

    fn keys(self, sketch: &Self::Sketch, mask: u32, mut key: impl FnMut(u8, u64)) {
        let kept = (0..).zip(hashes(sketch)).filter(|(index, _)| mask >> index & 1 == 1);
        kept.for_each(|(index, hash)| key(index, hash));
    }

    #[inline]
    fn shared(self, a: &Self::Sketch, b: &Self::Sketch) -> u32 {
        let equal = runs(a).zip(runs(b)).map(|(a, b)| a == b);
        (0..).zip(equal).fold(0, |mask, (index, equal)| mask | u32::from(equal) << index)
    }

    #[inline]
    fn passes(self, a: &Self::Sketch, b: &Self::Sketch) -> bool {
        agreement(a, b) >= self.agreement
    }
}

/// The bands of profiles as candidate keys, of content and of whole text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProfileBands {
    /// Least number of equal min-values of long shingles of a candidate pair; may be 0.
    pub(crate) agreement: u32,
}

impl KeyMaker for ProfileBands {
    /// The second part is there only if an agreement is asked for.
    type Sketch = (BandParts, Option<Box<[u8; MIN_VALUES]>>);

    #[inline]
    fn sketch(self, collection: &Collection, ordinal: u32) -> Self::Sketch {
        let min_bytes = (self.agreement > 0).then(|| Box::new(collection.min_bytes(ordinal)));
        (collection.profile(ordinal).band_parts(), min_bytes)
    }

    fn is_known(self, row: &Row) -> bool {
        row.has_profile
    }

    fn indexes(self) -> u8 {
        PROFILE_BANDS as u8
    }

    fn parts(self, sketch: &Self::Sketch, out: &mut Vec<u64>) {
        out.clear();
        out.extend(sketch.0.bands());
    }

    fn possible(self, repeats: &dyn Fn(usize) -> bool) -> u32 {
        (0..PROFILE_BANDS).filter(|&index| repeats(index)).fold(0, |mask, index| mask | 1 << index)
    }

    fn keys(self, sketch: &Self::Sketch, mask: u32, mut key: impl FnMut(u8, u64)) {
        if mask != 0 {
            let kept = (0..).zip(sketch.0.bands()).filter(|(index, _)| mask >> index & 1 == 1);
            kept.for_each(|(index, hash)| key(index, hash));
        }
    }

    #[inline]
    fn shared(self, a: &Self::Sketch, b: &Self::Sketch) -> u32 {
        a.0.shared(&b.0)
    }

    #[inline]
    fn passes(self, a: &Self::Sketch, b: &Self::Sketch) -> bool {
        let agreement = a.1.as_deref().zip(b.1.as_deref()).map_or(0, |(a, b)| agreement(a, b));
        agreement >= self.agreement
    }
}

/// Returns the bands of a page as numbers.
fn runs(min_bytes: &[u8; MIN_VALUES]) -> impl Iterator<Item = u32> {
    min_bytes.as_chunks::<BAND>().0.iter().map(|run| u32::from_le_bytes(*run))
}

/// Returns a hash of each band and its index.
fn hashes(min_bytes: &[u8; MIN_VALUES]) -> impl Iterator<Item = u64> {
    runs(min_bytes).zip(0..).map(|(run, index)| mix(index << 32 | u64::from(run)))
}

#[cfg(test)]
mod tests {
    use nddb_format::profile::{LeadingWords, NUMBER, Profile, WHOLE};
    use nddb_format::record::PROFILE as PROFILE_SIZE;

    use super::*;

    #[test]
    fn two_profiles_share_the_bands_that_are_equal() {
        let words = |words: &[u32]| LeadingWords::of(words.iter().copied());
        let names = [words(&[]), words(&[1]), words(&[1, 2]), words(&[1 | NUMBER]), words(&[2, 1])];
        for seed in 0..600u64 {
            let profile = |of: u64| {
                let mut bytes = [0; PROFILE_SIZE];
                let of_text = MIN_VALUES + WHOLE;
                bytes[..of_text].iter_mut().zip(0..).for_each(|(byte, at)| *byte = (mix(mix(seed) + at) & 1) as u8);
                (0..of * seed % 13).for_each(|change| bytes[mix(seed * 64 + change) as usize % of_text] ^= 1);
                let [title, headings] = [2 * of, 2 * of + 1].map(|of| names[mix(seed * 8 + of) as usize % names.len()]);
                Profile { title, headings, ..Profile::from_bytes(&bytes) }
            };
            let (a, b) = (profile(0), profile(1));
            let equal = a.bands().into_iter().zip(b.bands()).map(|(a, b)| a == b);
            let expected = (0..).zip(equal).fold(0, |mask, (index, equal)| mask | u32::from(equal) << index);
            assert_eq!(a.band_parts().shared(&b.band_parts()), expected, "seed {seed}");
        }
    }

    #[test]
    fn keys_are_equal_exactly_where_bands_are() {
        let bands = Bands { agreement: 36 };
        for seed in 0..300u64 {
            let a: [u8; MIN_VALUES] = std::array::from_fn(|at| mix(mix(seed) + at as u64) as u8);
            let mut b = a;
            (0..seed % 60).for_each(|change| {
                let at = mix(seed * 64 + change);
                b[(at % 84) as usize] ^= 1 << (at >> 8 & 7);
            });
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            bands.keys(&a, u32::MAX, |index, key| ours.push((index, key)));
            bands.keys(&b, u32::MAX, |index, key| theirs.push((index, key)));
            let mut parts = Vec::new();
            bands.parts(&a, &mut parts);
            assert_eq!(parts, ours.iter().map(|(_, key)| *key).collect::<Vec<_>>());
            let equal = ours.iter().zip(&theirs).filter(|(a, b)| a == b).map(|((index, _), _)| 1 << index);
            assert_eq!(bands.shared(&a, &b), equal.sum::<u32>(), "seed {seed}");
            let agree = (0..84).filter(|&index| a[index] == b[index]).count();
            assert_eq!(bands.passes(&a, &b), agree >= 36);
            assert!(agree < 64 || bands.shared(&a, &b) != 0);
        }
        assert_eq!(bands.possible(&|_| true), (1 << 21) - 1);
        assert_eq!(bands.possible(&|index| index == 3), 1 << 3);
    }
}
