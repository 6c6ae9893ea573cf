//! Rules for the removal of near-duplicates of the kept document, which may have content of their own.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use nddb_format::record::Record;
use nddb_page::sketch::{MIN_VALUES, Profile};
use nddb_verdict::{resemblance, shared, shared_wholes};

use crate::collection::Collection;
use crate::pair::Pair;

/// Number of content terms below which a page is thin.
pub(super) const THIN_TERMS: u32 = 30;

/// Number of content terms missing from the kept page at which, together with `MISSING_SHARE`, a page is not removed.
pub(super) const MISSING_TERMS: f64 = 10.0;
/// Share of the content missing from the kept page at which, together with [`MISSING_TERMS`], a page is not removed.
pub(super) const MISSING_SHARE: f64 = 0.2;

/// Share of the whole text of a page (content and boilerplate) that must occur in the kept page. The share is counted
/// in sequences of three words; one replaced word changes three of them.
const WHOLE_SHARE: f64 = 0.5;

/// Margin in standard errors of the estimated resemblance: a one-sided confidence of 95%.
const MARGIN: f64 = 1.645;

/// Rule for the removal of near-duplicates of the kept document of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Remove {
    /// All near-duplicates.
    Near,
    /// Near-duplicates whose content is almost all in the kept document: less than a fifth of it, or fewer than 10
    /// terms, are missing. Of the whole text, including boilerplate, less than half may be missing.
    #[default]
    Contained,
    /// Near-duplicates with the same text, including the title.
    Identical,
}

impl Remove {
    /// All rules.
    pub const ALL: [Remove; 3] = [Remove::Near, Remove::Contained, Remove::Identical];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Remove::Near => "near",
            Remove::Contained => "contained",
            Remove::Identical => "identical",
        }
    }

    /// Returns whether a document may be removed because of a near-duplicate of it that is kept, by what is stored of
    /// the two: of any databases of one recipe.
    pub fn removes(self, kept: &Record, other: &Record, is_identical: bool) -> bool {
        let [kept, other] = [kept, other].map(|record| record.profile.as_deref().map(Profile::from_bytes));
        self.decide(kept.as_ref(), other.as_ref(), is_identical) == MemberVerdict::Removed
    }

    /// Decides about a near-duplicate of the kept document. A thin page is removed only if its text is the same. If
    /// either profile is unknown, no content counts as missing.
    pub(crate) fn decide(self, kept: Option<&Profile>, other: Option<&Profile>, is_identical: bool) -> MemberVerdict {
        match (self, kept.zip(other)) {
            _ if is_identical => MemberVerdict::Removed,
            (Remove::Identical, _) => MemberVerdict::Different,
            (_, Some((_, other))) if is_thin(other) => MemberVerdict::Thin,
            (Remove::Contained, Some((kept, other))) if is_missing_much(kept, other) => MemberVerdict::Missing,
            _ => MemberVerdict::Removed,
        }
    }
}

/// Returns whether a document may be removed because of one that is kept. Every clustering asks this for every removal,
/// with or without a database. If a text of the pair could not be read, nothing is proved, and the answer is `false`.
pub(crate) fn may_remove(pair: &Pair) -> bool {
    !pair.is_unread()
}

/// Decision about a member of a cluster, from its comparison with the kept document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum MemberVerdict {
    /// Removed.
    Removed,
    /// Kept: near, but too much of its content may be missing from the kept document.
    Missing,
    /// Kept: near, but it has too little content to be distinguished from other pages.
    Thin,
    /// Kept: near, but its text differs, and the rule removes equal texts only.
    Different,
    /// Kept: near, but on the list of documents that are never removed.
    Listed,
    /// Kept: near by the method, but a text could not be read for the verification.
    Unverified,
    /// Kept: not near the kept document.
    Apart,
}

impl MemberVerdict {
    /// Returns the name in tables.
    pub fn name(self) -> &'static str {
        match self {
            MemberVerdict::Removed => "removed",
            MemberVerdict::Missing => "content missing",
            MemberVerdict::Thin => "thin",
            MemberVerdict::Different => "text differs",
            MemberVerdict::Listed => "listed",
            MemberVerdict::Unverified => "not verified",
            MemberVerdict::Apart => "not near",
        }
    }
}

/// Returns whether a document has too little content to be distinguished from others: it has text, but fewer than 30
/// terms of content, or no content was found in the page. `false` if the content is not known.
pub fn is_thin_document(collection: &Collection, ordinal: u32) -> bool {
    !collection.row(ordinal).is_empty && collection.profile_of(ordinal).as_ref().is_some_and(is_thin)
}

/// Returns whether a page has too little content to be distinguished from others.
pub(crate) fn is_thin(profile: &Profile) -> bool {
    profile.is_whole || profile.terms < THIN_TERMS
}

/// Returns whether too much of `other` may be missing from the kept page: a fifth and 10 terms of its content, or half
/// of its whole text. The missing content is estimated from the lower confidence bound of the resemblance and from the
/// lengths (Broder 1997, 2: the intersection of two sets follows from their resemblance and sizes).
fn is_missing_much(kept: &Profile, other: &Profile) -> bool {
    let [of_whole, _] = shared_wholes(other, kept);
    if f64::from(other.whole_terms) >= MISSING_TERMS && of_whole < WHOLE_SHARE {
        return true;
    }
    let Some(estimate) = resemblance(kept, other) else { return true };
    let error = (estimate * (1.0 - estimate) / MIN_VALUES as f64).sqrt();
    let least = (estimate - MARGIN * error).max(0.0);
    let [kept, other] = [kept, other].map(|profile| f64::from(profile.terms));
    let missing = other - shared(least, kept, other);
    missing >= MISSING_TERMS && missing >= MISSING_SHARE * other
}

impl fmt::Display for Remove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Error: a name that is not the name of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRemove(pub String);

impl fmt::Display for UnknownRemove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Remove::ALL.map(Remove::name).join(", ");
        write!(f, "unknown removal rule {:?}; known rules: {names}", self.0)
    }
}

impl Error for UnknownRemove {}

impl FromStr for Remove {
    type Err = UnknownRemove;

    fn from_str(name: &str) -> Result<Self, UnknownRemove> {
        Remove::ALL.into_iter().find(|rule| rule.name() == name).ok_or_else(|| UnknownRemove(name.into()))
    }
}

#[cfg(test)]
mod tests {
    use nddb_page::sketch::Recipe;
    use nddb_page::text::Page;

    use super::*;

    fn profile(words: std::ops::Range<u32>) -> Profile {
        let text: String = words.map(|word| format!("word{}x ", word * 7919 % 100_003)).collect();
        Recipe::default().sketch(&Page::text(&text)).profile.expect("a profile")
    }

    fn allows(rule: Remove, kept: Option<&Profile>, other: Option<&Profile>, is_identical: bool) -> bool {
        rule.decide(kept, other, is_identical) == MemberVerdict::Removed
    }

    #[test]
    fn a_page_with_a_section_that_the_kept_one_lacks_stays() {
        let (short, same, long) = (profile(0..400), profile(0..400), profile(0..800));
        let removed = |rule: Remove, kept: &Profile, other: &Profile| allows(rule, Some(kept), Some(other), false);
        for (rule, kept, other, expected) in [
            (Remove::Contained, &short, &same, true),
            (Remove::Contained, &short, &long, false),
            // The longer text contains all of the shorter one.
            (Remove::Contained, &long, &short, true),
            (Remove::Near, &short, &long, true),
            (Remove::Identical, &short, &same, false),
        ] {
            assert_eq!(removed(rule, kept, other), expected, "{rule}, {} {}", kept.terms, other.terms);
        }
        for rule in Remove::ALL {
            assert!(allows(rule, Some(&short), Some(&long), true), "{rule}: identical");
            assert_eq!(rule.name().parse(), Ok(rule));
            assert_eq!(allows(rule, None, Some(&short), false), rule != Remove::Identical);
        }
        let why = |rule: Remove| rule.decide(Some(&short), Some(&long), false);
        assert_eq!(
            (why(Remove::Contained), why(Remove::Identical)),
            (MemberVerdict::Missing, MemberVerdict::Different)
        );
        assert!("some".parse::<Remove>().is_err_and(|error| error.to_string().contains("contained")));
    }

    #[test]
    fn a_thin_page_is_removed_only_if_its_text_is_that_of_the_kept_one() {
        let thin = profile(0..29);
        let enough = profile(0..30);
        for rule in Remove::ALL {
            assert!(!allows(rule, Some(&enough), Some(&thin), false) && allows(rule, Some(&enough), Some(&thin), true));
        }
        assert!(allows(Remove::Near, Some(&thin), Some(&enough), false));
        assert_eq!(Remove::Contained.decide(Some(&enough), Some(&thin), false), MemberVerdict::Thin);
        let whole = Profile { is_whole: true, ..enough };
        assert!(is_thin(&thin) && is_thin(&whole) && !is_thin(&enough));
    }
}
