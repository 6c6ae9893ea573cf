//! Resemblances of two profiles, estimated from their min-values, and what follows from them.

use nddb_page::sketch::{Profile, WHOLE, resemblance_of, resemblance_of_many};

/// Returns the size of the intersection of two sets of these sizes, given their resemblance (Broder 1997, 2).
pub fn shared(resemblance: f64, a: f64, b: f64) -> f64 {
    resemblance * (a + b) / (1.0 + resemblance)
}

/// Returns the resemblance of the contents by short shingles, estimated from eight bits of each min-value and corrected
/// for chance agreement (Li and Koenig 2010); `None` if the shingles of the two have different lengths.
pub fn resemblance(a: &Profile, b: &Profile) -> Option<f64> {
    if a.classes[0] != b.classes[0] {
        return None;
    }
    // Bytes are counted in a byte, so that the compiler adds 32 at a time.
    let equal = a.short.iter().zip(&b.short).fold(0u8, |equal, (a, b)| equal + u8::from(a == b));
    Some(resemblance_of(equal.into()))
}

/// Returns the resemblance of the whole texts. If their shingles have different lengths, returns the least resemblance
/// that follows from the resemblance of the contents.
pub(crate) fn whole_resemblance(a: &Profile, b: &Profile) -> f64 {
    if a.classes[1] != b.classes[1] {
        let terms = |profile: &Profile| f64::from(profile.terms.min(profile.whole_terms));
        let both = resemblance(a, b).map_or(0.0, |resemblance| shared(resemblance, terms(a), terms(b)));
        return both / (f64::from(a.whole_terms) + f64::from(b.whole_terms) - both).max(1.0);
    }
    let equal = a.whole.iter().zip(&b.whole).fold(0u8, |equal, (a, b)| equal + u8::from(a == b));
    resemblance_of_many(equal.into(), WHOLE)
}

/// Returns the share of the whole text of the first page that occurs in the second, and the share of the second that
/// occurs in the first, 0 to 1, estimated from their shingles.
pub fn shared_wholes(a: &Profile, b: &Profile) -> [f64; 2] {
    wholes_sharing(whole_resemblance(a, b), a, b)
}

/// Like [`shared_wholes`], given the resemblance of the whole texts.
pub(crate) fn wholes_sharing(resemblance: f64, a: &Profile, b: &Profile) -> [f64; 2] {
    let [x, y] = [a.whole_terms, b.whole_terms].map(f64::from);
    // If the lengths differ, a high estimate could exceed the shorter text.
    let shared = shared(resemblance, x, y).min(x).min(y);
    [x, y].map(|terms| shared / terms.max(1.0))
}

/// Numbers of terms of the shorter and the longer content.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lengths {
    pub(crate) few: f64,
    pub(crate) many: f64,
}

impl Lengths {
    pub(crate) fn of(a: &Profile, b: &Profile) -> Self {
        Self { few: f64::from(a.terms.min(b.terms)), many: f64::from(a.terms.max(b.terms)) }
    }

    /// Returns the share of the longer content that both have, given the resemblance.
    pub(crate) fn kept(self, resemblance: f64) -> f64 {
        (shared(resemblance, self.few, self.many) / self.many.max(1.0)).min(1.0)
    }

    /// Returns the resemblance, given the share of the longer content that both have.
    pub(crate) fn resemblance(self, kept: f64) -> f64 {
        let both = kept * self.many;
        (both / (self.few + self.many - both).max(1.0)).clamp(0.0, 1.0)
    }

    /// Returns the share of the words of the longer content that are absent from the shorter one, 0 to 1, estimated
    /// from the resemblances by short and long shingles.
    ///
    /// If a stretch of w words is absent, w + n - 1 shingles of n terms are absent: those that begin in the stretch,
    /// and n - 1 that reach into it. So each difference costs six more long shingles (n = 8) than short ones (n = 2).
    pub(crate) fn missing(self, short: f64, long: f64) -> f64 {
        let (short, long) = (self.kept(short), self.kept(long));
        1.0 - (short + (short - long).max(0.0) / 6.0).min(1.0)
    }
}

/// Returns the greatest plausible share of common short shingles of two contents, given the share of common long
/// shingles and the number of terms of the shorter content.
///
/// A long shingle remains if four disjoint short ones remain. If single words are replaced at random, the share of long
/// shingles is therefore the fourth power of the share of short ones; other kinds of differences leave fewer short
/// shingles for the same number of long ones. If a pair has more common short shingles, the vocabulary of both texts is
/// small, and common pairs of words are no evidence. The allowance covers sampling errors, and short texts, in which
/// one word belongs to half of the shingles.
pub(crate) fn most_kept(long: f64, few: f64) -> f64 {
    (long + 0.05 + 4.0 / few.max(1.0)).min(1.0).sqrt().sqrt()
}

/// Returns a high estimate of the number of terms of one whole text that are absent from the other: it assumes a
/// resemblance one standard error and 0.03 below the estimate.
pub(crate) fn absent(whole: f64, a: &Profile, b: &Profile) -> f64 {
    let error = (whole * (1.0 - whole) / WHOLE as f64).sqrt() + 0.03;
    let least = (whole - error).max(0.0);
    let [x, y] = [a.whole_terms, b.whole_terms].map(f64::from);
    (x.max(y) - shared(least, x, y)).max(0.0)
}

#[cfg(test)]
mod tests {
    use nddb_page::sketch::agreement;

    use super::*;
    use crate::methods::testing::page;

    /// Scattered replaced words count as many missing words as the same number in one stretch.
    #[test]
    fn missing_words_are_counted_by_both_lengths_of_shingles() {
        const LENGTHS: Lengths = Lengths { few: 200.0, many: 200.0 };
        let original = page("", "", "", &[]);
        let scattered: Vec<usize> = (0..20).map(|index| 10 * index + 3).collect();
        for (replaced, share) in [(scattered, 0.1), ((60..80).collect(), 0.1), ((60..120).collect(), 0.3)] {
            let other = page("", "", "", &replaced);
            let long = resemblance_of(agreement(&original.1, &other.1));
            let found = LENGTHS.missing(resemblance(&original.0, &other.0).expect("lengths are equal"), long);
            assert!((found - share).abs() < 0.08, "{share} {found}");
        }
        assert_eq!(LENGTHS.missing(1.0, 1.0), 0.0);
        assert_eq!(Lengths { few: 0.0, many: 0.0 }.missing(0.0, 0.0), 1.0);
    }

    #[test]
    fn estimates_of_resemblance_are_corrected_for_chance() {
        let (a, b) = (page("", "", "", &[]), page("", "", "", &(0..200).collect::<Vec<_>>()));
        assert_eq!((resemblance(&a.0, &a.0), whole_resemblance(&a.0, &a.0)), (Some(1.0), 1.0));
        assert!(resemblance(&a.0, &b.0) < Some(0.03) && whole_resemblance(&a.0, &b.0) < 0.08);
    }
}
