//! The evidence of a pair: what two stored profiles say of each other, from which the features of the model follow.
//!
//! It is computed from the two profiles alone, so the verdict on two documents does not depend on other documents of
//! the database.

use nddb_page::sketch::{Profile, resemblance_of};

use crate::names::{Difference, Names};
use crate::resemblances::{Lengths, absent, most_kept, resemblance, shared, whole_resemblance, wholes_sharing};

/// What two profiles say of each other.
#[derive(Clone, Debug)]
pub(crate) struct Evidence<'a> {
    a: &'a Profile,
    b: &'a Profile,
    /// Number of terms of the shorter content.
    few: f64,
    /// Resemblance of the contents.
    pub(crate) content: f64,
    /// Share of the words of the longer content that are absent from the other.
    pub(crate) missing: f64,
    /// Resemblance of the whole texts.
    pub(crate) whole: f64,
    /// The difference of the names of the pages.
    pub(crate) names: Difference,
}

impl<'a> Evidence<'a> {
    /// Returns the evidence of two profiles; `agreement` is the number of equal min-values of long shingles, 0 to 84.
    pub(crate) fn of(a: &'a Profile, b: &'a Profile, agreement: u32) -> Self {
        Self::of_texts(a, b, agreement).with(&Names::of(a), &Names::of(b))
    }

    /// Returns the evidence of two texts, as if the names of the pages were equal.
    pub(crate) fn of_texts(a: &'a Profile, b: &'a Profile, agreement: u32) -> Self {
        let (lengths, long) = (Lengths::of(a, b), resemblance_of(agreement));
        let Lengths { few, many } = lengths;
        // If a content has only one short shingle, all low bits of its min-values agree with those of one in 256 other
        // contents, so they are no evidence.
        let short = if few <= ONE_SHINGLE && long < 1.0 { 0.0 } else { resemblance(a, b).unwrap_or(long) };
        let most = most_kept(lengths.kept(long), few);
        let short = lengths.resemblance(lengths.kept(short).min(most)).min(short);
        let [x, y] = [a.whole_terms, b.whole_terms].map(f64::from);
        let whole = whole_resemblance(a, b);
        // Words that are absent from the other content may occur elsewhere in the other page, if the contents of the
        // two pages were delimited differently.
        let absent = (absent(whole, a, b) / many.max(1.0)).clamp(1.0 - most, 1.0);
        let missing = lengths.missing(short, long).min(absent);
        let content = short.max((1.0 - absent) / (1.0 + absent));
        // A resemblance is at most the ratio of the lengths; one term of difference may be a sampling error.
        let whole = whole.min((x.min(y) + 1.0) / (x.max(y) + 1.0));
        Self { a, b, few, content, missing, whole, names: Difference::default() }
    }

    /// Returns this evidence with the names of the two pages.
    pub(crate) fn with(mut self, a: &Names, b: &Names) -> Self {
        self.names = Names::difference((self.a, a), (self.b, b));
        self
    }

    /// Returns the value of the feature `numbers`, 0 to 1.
    pub(crate) fn numbers(&self) -> f64 {
        let (a, b) = (&self.a.numbers, &self.b.numbers);
        let Some(resemblance) = a.resemblance(b) else { return 0.0 };
        let [x, y] = [a.total, b.total].map(f64::from);
        ((x.min(y) - shared(resemblance, x, y)).max(0.0) / (MANY_NUMBERS + self.few / TERMS_OF_NUMBER)).min(1.0)
    }

    /// Returns the value of the feature `rest`, 0 to 1.
    pub(crate) fn rest(&self) -> f64 {
        let left_out =
            |profile: &Profile| 1.0 - (f64::from(profile.terms) / f64::from(profile.whole_terms.max(1))).min(1.0);
        let [one, other] = wholes_sharing(self.whole, self.a, self.b);
        (1.0 - one.max(other)) * left_out(self.a).max(left_out(self.b))
    }

    /// Returns the log-odds that the whole texts alone are worth, whatever counts as content: above 0 from a
    /// resemblance of about 0.85. A small edit can change what counts as content, and then the contents differ although
    /// the pages hardly do.
    pub(crate) fn of_whole(&self) -> f64 {
        2.0 * log_odds(self.whole) - 3.0
    }

    /// Returns the greatest amount by which names and numbers may lower the log-odds: the less, the more equal the
    /// texts are and the longer they are. If 1,500 words are equal, another headline does not make another page. Two
    /// short texts may differ in the name alone and still be about two things.
    pub(crate) fn bound(&self) -> f64 {
        let words = f64::from(self.a.whole_terms.min(self.b.whole_terms));
        let differ = (MOSTLY_EQUAL - self.whole.min(self.content)).max(0.0);
        2.0 + 40.0 * differ + (300.0 / words.max(1.0)).powi(2)
    }
}

/// Number of terms up to which a content has at most one shingle of two terms.
const ONE_SHINGLE: f64 = 2.0;

/// Resemblance of nearly equal texts.
const MOSTLY_EQUAL: f64 = 0.95;

/// A high count of absent numbers for a page with few terms. The numbers of one date, time and version are half of it.
const MANY_NUMBERS: f64 = 12.0;

/// Number of terms of a page that raise the high count by one.
const TERMS_OF_NUMBER: f64 = 20.0;

/// Offset that keeps the log-odds of shares 0 and 1 finite.
pub(crate) const NEARLY: f64 = 0.05;

/// Returns the log-odds of a resemblance, kept finite.
pub(crate) fn log_odds(resemblance: f64) -> f64 {
    ((resemblance + NEARLY) / (1.0 + NEARLY - resemblance)).ln()
}
