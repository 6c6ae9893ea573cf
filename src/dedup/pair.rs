//! Results of a method: pairs, groups and their counts.

use nddb_verdict::{Decision, Measures};

use crate::pair_loss::PairLoss;
use crate::text_summary::{SetSummary, ShingleSummary, UnreadTexts};

/// A pair of near-duplicates.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// Ordinal of the document whose id is bytewise lower.
    pub a: u32,
    /// Ordinal of the other document.
    pub b: u32,
    /// Whether the token sequences are equal.
    pub identical: bool,
    /// Similarities of the two documents, by name.
    pub measures: Measures,
    /// How near the two are by the method, or by hamming instead of it; greater is nearer.
    pub score: u64,
    /// Name of the rule that decided.
    pub rule: &'static str,
    /// Result of the verification by texts; `None` if there was none.
    pub verified: Option<Verified>,
    /// What either document loses if it is removed and the other one kept; `None` unless asked for.
    pub loss: Option<Box<PairLoss>>,
}

/// Result of the verification of a pair by its texts, by trustable LCS (Huang et al. 2008, 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verified {
    /// The texts are near-duplicates, too, by the rule of this name.
    Near(&'static str),
    /// The text of either document cannot be read: the pair is decided by its method alone.
    Unread,
}

impl Verified {
    /// Returns whether the pair is decided by its method alone, because a text cannot be read.
    pub fn is_unread(self) -> bool {
        self == Self::Unread
    }

    /// Returns the verification result of a decision about the texts; `None` if the texts are not near-duplicates.
    pub(crate) fn of(decision: Decision) -> Option<Self> {
        match decision {
            Decision::Near(rule) => Some(Self::Near(rule)),
            Decision::Unknown => Some(Self::Unread),
            Decision::Apart => None,
        }
    }
}

impl Pair {
    /// Returns whether the pair is decided by its method alone, because a text cannot be read.
    pub(crate) fn is_unread(&self) -> bool {
        self.verified.is_some_and(Verified::is_unread)
    }

    /// Returns the names of the rules that decided: the rule of the method and, if any, that of the verification.
    pub fn verdict(&self) -> std::borrow::Cow<'static, str> {
        verdict(self.rule, self.verified)
    }
}

/// Returns the rule of a method joined with the result of the verification.
pub(crate) fn verdict(rule: &'static str, verified: Option<Verified>) -> std::borrow::Cow<'static, str> {
    match verified {
        None => rule.into(),
        Some(Verified::Near(by)) => format!("{rule}; {by}").into(),
        Some(Verified::Unread) => format!("{rule}; lcs: text not read").into(),
    }
}

nddb_format::named! {
    /// Property shared by the members of a group.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum GroupKind {
        /// Equal token sequences (Henzinger 2006, 2). Only the founder is compared with other documents.
        Identity = "identity",
        /// Equal sketches, with different or unknown texts. Only the founder is compared with other documents. With
        /// verification, the group has only members whose text is near that of the founder, or cannot be read.
        Hot = "hot",
        /// A candidate key shared by too many documents. They are compared with the founder only, as far as this key is
        /// concerned; those near it are in pairs.
        Star = "star",
        /// Empty texts. Such documents have no evidence, so they are in no pair.
        Empty = "empty",
    }
}

/// A group of documents, written as one line because its pairs would be too many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Property shared by the members.
    pub kind: GroupKind,
    /// Ordinal of the member with the lowest document number.
    pub founder: u32,
    /// Ordinals of all members, including the founder, in bytewise order of their ids; empty for a star.
    pub members: Vec<u32>,
    /// Number of members.
    pub len: u64,
    /// Whether the number of members exceeds the group limit.
    pub flagged: bool,
    /// Number of members of a hot group that could not be verified against the founder, because a text could not be
    /// read.
    pub unverified: u64,
}

/// One line of the result.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// A group; all groups precede all pairs.
    Group(Group),
    /// A pair.
    Pair(Pair),
}

/// A candidate key shared by more documents than are compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cut {
    pub(crate) founder: u32,
    pub(crate) len: u64,
    pub(crate) index: u8,
}

/// Totals of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairSummary {
    /// Documents examined.
    pub documents: u64,
    /// Of these, documents without a sketch that the method needs.
    pub unsketched: u64,
    /// Of these, documents without any token.
    pub empty: u64,
    /// Documents that remain if each identity set and each hot group counts as one document.
    pub compared: u64,
    /// Candidate pairs of these documents (with `expand`, of all documents), each counted once. The candidate pairs
    /// depend on the method: pairs of sketches that share a key; for hamming, pairs of fingerprints within k bits,
    /// because the runs return no others; for shingles, pairs of texts that share one of their rarest shingles; for lcs
    /// and cosine, pairs of texts that were compared, counted once in each set. With `expand`, pairs of equal texts or
    /// equal sketches are included.
    pub candidates: u64,
    /// Pairs written.
    pub pairs: u64,
    /// Identity sets of two documents and more.
    pub identity_groups: u64,
    /// Hot groups of two documents and more.
    pub hot_groups: u64,
    /// Groups with more members than the group limit.
    pub flagged: u64,
    /// Candidate keys whose documents were compared only with the oldest of them, so that pairs may be missing.
    pub stars: u64,
    /// Documents whose texts were needed and could not be read.
    pub unread: UnreadTexts,
    /// Documents whose words were asked for and could not be read.
    pub words_unread: UnreadTexts,
    /// Of the pairs written, those that could not be verified, because a text could not be read.
    pub unverified: u64,
    /// Members of hot groups that could not be verified against the founder, because a text could not be read.
    pub unverified_members: u64,
    /// Pairs of the method that are not written, because verification rejected them or their texts differ too much.
    pub rejected: u64,
    /// Counts of perhaps-similar sets, for the methods lcs and cosine.
    pub sets: SetSummary,
    /// Counts of shingles, for the method shingles.
    pub shingles: ShingleSummary,
}
