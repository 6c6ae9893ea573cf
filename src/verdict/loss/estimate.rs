//! The loss that two profiles allow: an upper bound, if the texts themselves cannot be read.
//!
//! The whole text is all text outside links. Profiles sketch its shingles of three words, and of the content those of
//! two and of eight words. If two texts of a and b words have resemblance r, they share `r (a + b) / (1 + r)` shingles
//! (Broder 1997, 2). A word without a counterpart changes up to three shingles of three words: all three if it stands
//! alone, but only about one if it is part of a long stretch. Which case holds is estimated from the contents. If a
//! common word is followed by another common word with probability c, the share of common shingles of n words is the
//! share of common words times c^(n - 1). So c is the sixth root of the quotient of the shares of long and of short
//! shingles, and `s / c²` of the words are common if a share s of the shingles of three words is. If the content is
//! only a part of the text, a value nearer to 1 is used for c.
//!
//! A resemblance is estimated from a sample of min-values: 40 of the whole text, 84 of the content. The bound takes the
//! least resemblance that is plausible for its sample.

use nddb_page::sketch::{MIN_VALUES, Profile, WHOLE, resemblance_of};

use crate::known::Known;
use crate::resemblances::{resemblance, shared, shared_wholes};

/// Words in a shingle of the whole text.
const OF_WHOLE: i32 = 3;
/// Words in a short shingle of the content.
const SHORT: i32 = 2;
/// Difference in words between the long and the short shingles of contents.
const FURTHER: f64 = 6.0;
/// Margin in standard errors of the estimated resemblance: a one-sided confidence of 95%.
const MARGIN: f64 = 1.645;

/// An estimate of what is lost if one document is removed and another one kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The greatest share of the words of the removed text that may plausibly be lost, 0 to 1: of its content or of its
    /// whole text, whichever is smaller.
    pub most: f64,
    /// Number of words of the removed text.
    pub words: u32,
}

impl Estimate {
    /// Returns the estimate for two documents; `None` if either has no profile.
    pub fn of(removed: &Known, kept: &Known) -> Option<Self> {
        Overlap::of(removed, kept).map(|overlap| overlap.estimates()[0])
    }

    /// Returns the share of the words of both texts together that the other one has, without a margin of error; `None`
    /// if either document has no profile.
    pub(crate) fn equal_share(a: &Known, b: &Known) -> Option<f64> {
        let overlap = Overlap::of(a, b)?;
        let [x, y] = overlap.words().map(|words| f64::from(words.max(1)));
        Some(1.0 - (x * overlap.lost(0, 0.0) + y * overlap.lost(1, 0.0)) / (x + y))
    }
}

/// What the profiles of two documents say of the words that both have: all that the estimates need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Numbers of terms of the two contents.
    contents: [u32; 2],
    /// Numbers of terms of the two whole texts.
    wholes: [u32; 2],
    /// Resemblance of the contents by long shingles.
    long: f64,
    /// Resemblance of the contents by short shingles.
    short: f64,
    /// Resemblance of the whole texts.
    whole: f64,
}

impl Overlap {
    /// Returns the overlap of two documents; `None` if either has no profile.
    pub fn of(a: &Known, b: &Known) -> Option<Self> {
        let agreement = a.min_bytes.as_ref().zip(b.min_bytes.as_ref());
        let long = agreement.map(|(a, b)| resemblance_of(nddb_page::sketch::agreement(a, b)))?;
        let (a, b) = (a.profile.as_ref()?, b.profile.as_ref()?);
        let short = resemblance(a, b).unwrap_or(long);
        let wholes = [a.whole_terms, b.whole_terms];
        Some(Self { contents: [a.terms, b.terms], wholes, long, short, whole: of_wholes(a, b) })
    }

    /// Returns the estimate of what is lost with the first document if the second one is kept, and the other way round.
    pub fn estimates(&self) -> [Estimate; 2] {
        let words = self.words();
        [0, 1].map(|removed| Estimate { most: self.lost(removed, MARGIN), words: words[removed] })
    }

    /// Returns the number of words of each text.
    fn words(&self) -> [u32; 2] {
        [0, 1].map(|index| self.wholes[index].max(self.contents[index]))
    }

    /// Returns the share of words that are lost with one of the two, with a margin in standard errors of the
    /// resemblance.
    fn lost(&self, removed: usize, margin: f64) -> f64 {
        let kept_share = |resemblance: f64, words: [u32; 2]| {
            let [one, other] = [words[removed], words[1 - removed]].map(|words| f64::from(words.max(1)));
            (shared(resemblance, one, other) / one).min(1.0)
        };
        let of_contents = |resemblance| kept_share(resemblance, self.contents);
        // At least one equal min-value of 84 is assumed, so that neither share is zero.
        let least = 1.0 / MIN_VALUES as f64;
        let continues = of_contents(self.long).max(least) / of_contents(self.short).max(least);
        let continues = continues.min(1.0).powf(1.0 / FURTHER);
        let part = (f64::from(self.contents[removed]) / f64::from(self.wholes[removed].max(1))).min(1.0);
        let whole = kept_share(least_plausible(self.whole, WHOLE, margin), self.wholes);
        let of_whole = lacking(whole, 1.0 - (1.0 - continues) * part, OF_WHOLE);
        let content = of_contents(least_plausible(self.short, MIN_VALUES, margin));
        of_whole.min(lacking(content, continues, SHORT))
    }
}

/// Returns the resemblance of the whole texts.
fn of_wholes(a: &Profile, b: &Profile) -> f64 {
    let [a_words, b_words] = [a, b].map(|profile| f64::from(profile.whole_terms));
    let both = shared_wholes(a, b)[0] * a_words;
    both / (a_words + b_words - both).max(1.0)
}

/// Returns the share of words that are not common. `common` is the share of common shingles of `words` words, and
/// `continues` the probability that a common word is followed by another common word.
fn lacking(common: f64, continues: f64, words: i32) -> f64 {
    let lost = 1.0 - common;
    (1.0 - common / continues.powi(words - 1)).clamp(lost / f64::from(words), lost)
}

/// Returns the lower bound of a share that was estimated from a sample (Wilson 1927).
fn least_plausible(share: f64, sample: usize, margin: f64) -> f64 {
    let (n, square) = (sample as f64, margin * margin);
    let spread = margin * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
    ((share + square / (2.0 * n) - spread) / (1.0 + square / n)).max(0.0)
}

#[cfg(test)]
mod tests {
    use nddb_page::sketch::Recipe;
    use nddb_page::text::{Page, compared_text};
    use nddb_test_support::{Random, say};

    use super::super::{Comparison, Words};
    use super::*;

    /// Words with frequencies as in a real text: half of all occurrences are of a few hundred words.
    fn words(random: &mut Random, len: usize) -> Vec<String> {
        let word = |random: &mut Random| match random.percent(50) {
            true => format!("w{}x", random.below(200)),
            false => format!("v{}x", random.below(20_000)),
        };
        (0..len).map(|_| word(random)).collect()
    }

    /// Ways to edit a text.
    const EDITS: [&str; 5] = ["single words", "one stretch", "some stretches", "more text", "less text"];

    /// Returns another version of a text, in which about this share of the words differs.
    fn edited(text: &[String], how: &str, share: f64, random: &mut Random) -> Vec<String> {
        let (mut made, len) = (text.to_vec(), (share * text.len() as f64) as usize);
        let mut replace = |at: usize, count: usize, random: &mut Random| {
            let at = at.min(text.len() - count);
            made.splice(at..at + count, words(random, count));
        };
        match how {
            "single words" => (0..len).for_each(|_| replace(random.index(text.len()), 1, random)),
            "one stretch" => replace(random.index(text.len()), len, random),
            "some stretches" => (0..4).for_each(|_| replace(random.index(text.len()), len / 4, random)),
            "more text" => made.splice(text.len() / 2..text.len() / 2, words(random, len)).for_each(drop),
            _ => made.drain(text.len() / 3..text.len() / 3 + len).for_each(drop),
        }
        made
    }

    /// The estimate of the loss, and the exact one.
    fn compared(removed: &[String], kept: &[String]) -> (f64, f64) {
        let [removed, kept] = [removed, kept].map(|words| words.join(" "));
        let known = |text: &str| Known::of(&Recipe::default().sketch(&Page::text(text)).record("a", None), None);
        let words = |text: &str| Words::of(&compared_text(&Page::text(text)));
        let exact = Comparison::of(&words(&removed), &words(&kept)).lost.whole.share();
        (Estimate::of(&known(&removed), &known(&kept)).expect("profiles").most, exact)
    }

    /// The bound is rarely below the loss, and not far above it.
    #[test]
    fn the_bound_is_above_most_losses() {
        const TRIALS: u64 = 60;
        let mut random = Random(1);
        for how in EDITS {
            for (share, above) in [(0.0, 0.05), (0.05, 0.12), (0.2, 0.2)] {
                let (mut below, mut excess) = (0, 0.0);
                let first = random.next() >> 1;
                for seed in first..first + TRIALS {
                    let mut random = Random(seed);
                    let len = 200 + random.index(600);
                    let text = words(&mut random, len);
                    let (most, exact) = compared(&text, &edited(&text, how, share, &mut random));
                    below += u32::from(most < exact - 0.005);
                    excess += (most - exact) / TRIALS as f64;
                }
                say(&format!("{how}, {share}: below in {below} of {TRIALS}, above by {excess:.3}, seeds from {first}"));
                assert!(below <= 12 && excess <= above, "{how}, {share}: {below}, {excess}, seeds from {first}");
            }
        }
    }
}
