//! The features of the default model: what speaks for and against two pages being near-duplicates.
//!
//! To add a feature, add it to [`FEATURES`], fit the constants again (`benches/fit.sh`) and copy them to
//! [`Constants::MAIN`](crate::Constants::MAIN). Nothing else names single features.

use nddb_page::sketch::Profile;

use crate::evidence::{Evidence, NEARLY, log_odds};

/// Number of features.
pub const FEATURE_COUNT: usize = 6;

/// A feature: a number that follows from the profiles of two pages, and its meaning.
#[derive(Clone, Copy, Debug)]
pub struct Feature {
    /// Name in machine-readable output, and of the parameter that is its weight.
    pub name: &'static str,
    /// What its value is.
    pub meaning: &'static str,
    /// Whether a greater value is evidence for near-duplicates; otherwise it is evidence against them.
    pub speaks_for: bool,
    /// Whether it compares what the pages are called and their numbers, not their words. Nearly equal texts limit what
    /// such features subtract.
    pub is_bounded: bool,
    /// The weight, if it is chosen and not fitted.
    pub chosen: Option<f64>,
    value: fn(&Evidence<'_>) -> f64,
    words: fn(f64) -> String,
}

/// The features, in the order of [`FeatureValues::values`].
pub const FEATURES: [Feature; FEATURE_COUNT] = [
    Feature {
        name: "content",
        meaning: "log-odds of the resemblance of the contents, from shingles of two terms",
        speaks_for: true,
        is_bounded: false,
        chosen: None,
        value: |evidence| log_odds(evidence.content),
        words: |value| {
            let share = ((1.0 + NEARLY) * value.exp() - NEARLY) / (1.0 + value.exp());
            format!("{} of the short word sequences of both texts are common", percent(share.clamp(0.0, 1.0)))
        },
    },
    Feature {
        name: "missing",
        meaning: "share of the words of the longer content that are absent from the other, minus a tenth; at least 0",
        speaks_for: false,
        is_bounded: false,
        chosen: None,
        value: |evidence| (evidence.missing - SMALL).max(0.0),
        words: |value| match value > 0.0 {
            true => {
                format!("about {} of the words of the longer text are missing from the other", percent(value + SMALL))
            }
            false => "at most a tenth of the words of the longer text are missing from the other".to_owned(),
        },
    },
    Feature {
        name: "siblings",
        meaning: "1 for siblings, else 0: two pages of one host with different addresses, whose titles name different \
                  things (each title has a word that occurs in its page and does not name the other page), or whose \
                  file names do where there are neither titles nor headings",
        speaks_for: false,
        is_bounded: true,
        chosen: None,
        value: |evidence| f64::from(u8::from(evidence.names.are_siblings)),
        words: |value| match value > 0.0 {
            true => "their titles (without titles, their addresses) name two different things".to_owned(),
            false => "their titles or addresses do not name two different things".to_owned(),
        },
    },
    Feature {
        name: "names",
        meaning: "share of the smaller set of title and heading words that is absent from the larger one, at most 0.6; \
                  for siblings the share among the words of the titles if that is greater, because headings that occur \
                  on every page name none of them; half of it for pages with the same file name; 0 for a page and a \
                  plain text, whose first line need not be its title",
        speaks_for: false,
        is_bounded: true,
        chosen: None,
        value: |evidence| evidence.names.lacking,
        words: |value| {
            let share = percent(value);
            format!("{share} of the words that name one page (in title, headings or address) do not name the other")
        },
    },
    Feature {
        name: "numbers",
        meaning: "of the numbers of the page with fewer numbers, the count of those absent from the other page, \
                  relative to a count that is high for a page of this length",
        speaks_for: false,
        is_bounded: true,
        chosen: None,
        value: |evidence| evidence.numbers(),
        words: |value| format!("numbers on only one page: {} of a very high count", percent(value)),
    },
    Feature {
        name: "rest",
        meaning: "share of the shorter whole text that is absent from the longer one, times the greater of the two \
                  shares of text outside the content",
        speaks_for: false,
        is_bounded: false,
        // Labelled pages hardly ever have much differing text outside their content, yet a verdict must not rest on a
        // small part of a page. With this weight, two pages of equal content are not near-duplicates if most of their
        // text is outside the content and differs.
        chosen: Some(-4.0),
        value: |evidence| evidence.rest(),
        words: |value| format!("text outside the content on only one page: {} of the maximum", percent(value)),
    },
];

impl Feature {
    /// Returns a description of a value.
    pub fn describe(&self, value: f64) -> String {
        (self.words)(value)
    }
}

/// The values of the features of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeatureValues {
    /// One value for each of [`FEATURES`].
    pub values: [f64; FEATURE_COUNT],
    /// The resemblance of the whole texts, 0 to 1.
    pub whole: f64,
    /// The log-odds that the whole texts alone are worth ([`Evidence::of_whole`]).
    pub(crate) of_whole: f64,
    /// The greatest amount by which bounded features may lower the log-odds ([`Evidence::bound`]).
    pub(crate) bound: f64,
}

impl FeatureValues {
    /// Returns the features of two profiles; `agreement` is the number of equal min-values of long shingles, 0 to 84.
    pub fn of(a: &Profile, b: &Profile, agreement: u32) -> Self {
        Self::of_evidence(&Evidence::of(a, b, agreement))
    }

    pub(crate) fn of_evidence(evidence: &Evidence<'_>) -> Self {
        Self {
            values: FEATURES.map(|feature| (feature.value)(evidence)),
            whole: evidence.whole,
            of_whole: evidence.of_whole(),
            bound: evidence.bound(),
        }
    }

    /// Returns features with these values of a pair whose whole texts have nothing in common.
    pub fn from_values(values: [f64; FEATURE_COUNT]) -> Self {
        Self { values, whole: 0.0, of_whole: f64::NEG_INFINITY, bound: f64::INFINITY }
    }
}

/// Share of words that may be absent without counting: a small edit.
const SMALL: f64 = 0.1;

fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}

#[cfg(test)]
mod tests;
