//! What is found: pairs, groups, and how many of each.

use super::evidence::Evidence;
use super::rules::Decision;
use super::text_summary::UnreadTexts;
use super::text_summary::{SetSummary, ShingleSummary};

/// Two near-duplicates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Ordinal of the one whose id comes first, bytewise.
    pub a: u32,
    /// Ordinal of the other.
    pub b: u32,
    /// What is known of them.
    pub evidence: Evidence,
    /// The probability that they are near-duplicates, by the model; absent where one has no profile.
    pub probability: Option<f64>,
    /// The rule that decided.
    pub rule: &'static str,
    /// What the comparison of their texts says, where one was asked for besides.
    pub verified: Option<Verified>,
}

/// What trustable longest common subsequence says of a pair of another method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verified {
    /// Near-duplicates by it, too, by the rule of this name.
    Near(&'static str),
    /// The text of one cannot be read: only the method has been asked.
    Unread,
}

impl Verified {
    /// What follows from the decision about the texts; nothing if they are not near.
    pub(crate) fn of(decision: Decision) -> Option<Self> {
        match decision {
            Decision::Near(rule) => Some(Self::Near(rule)),
            Decision::Unknown => Some(Self::Unread),
            Decision::Apart => None,
        }
    }
}

impl Pair {
    /// The rules that decided, in words: that of the method, and that of the comparison of texts.
    pub fn verdict(&self) -> std::borrow::Cow<'static, str> {
        verdict(self.rule, self.verified)
    }
}

/// The rule of a method, and that of the comparison of texts.
pub(crate) fn verdict(rule: &'static str, verified: Option<Verified>) -> std::borrow::Cow<'static, str> {
    match verified {
        None => rule.into(),
        Some(Verified::Near(by)) => format!("{rule}; {by}").into(),
        Some(Verified::Unread) => format!("{rule}; lcs: text not read").into(),
    }
}

/// What a group has in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// One token sequence (Henzinger 2006, 2). Only the founder is compared with other documents.
    Identity,
    /// One sketch, different texts, or texts of which only the sketch is known. Only the founder is
    /// compared with other documents. If pairs are verified, only members whose texts are near to the founder's, or
    /// cannot be read, are in the group.
    Hot,
    /// A key of candidates. Those that were found near to the founder are pairs; the others were not
    /// compared for this key.
    Star,
    /// No text at all. Nothing can be said of these documents, so they are in no pair.
    Empty,
}

impl Kind {
    /// The name in group lines.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Identity => "identity",
            Kind::Hot => "hot",
            Kind::Star => "star",
            Kind::Empty => "empty",
        }
    }
}

/// Documents that are written as one line, because their pairs would be too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group<'a> {
    /// What they have in common.
    pub kind: Kind,
    /// The one with the least number.
    pub founder: u32,
    /// All of them, the founder included, by id bytewise; of a star none.
    pub members: &'a [u32],
    /// How many they are.
    pub len: u64,
    /// They are more than the group limit.
    pub flagged: bool,
    /// Members of a hot group that were to be verified against the founder and could not be, because a text could not
    /// be read.
    pub unverified: u64,
}

/// One line of the result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Line<'a> {
    /// A group; all of them come first.
    Group(Group<'a>),
    /// A pair.
    Pair(Pair),
}

/// A key that more candidates share than are compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cut {
    pub(crate) founder: u32,
    pub(crate) len: u64,
    pub(crate) index: u8,
}

/// What was found in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairSummary {
    /// Documents looked at.
    pub documents: u64,
    /// Of these, documents of which the method knows nothing: without the sketch that it needs.
    pub unsketched: u64,
    /// Of these, documents without any token.
    pub empty: u64,
    /// Documents that are left when one stands for each identity set and each hot group.
    pub compared: u64,
    /// Pairs of them (or of all documents, if all were asked for) that the method's source of candidates brought
    /// together, each once: whose sketches share a key; whose fingerprints are within k bits, for nothing else leaves
    /// the runs; whose texts share one of their rarest shingles; whose texts were compared, once in each set, for lcs and
    /// cosine. With all pairs, those of one text or one sketch are among them.
    pub candidates: u64,
    /// Pairs written.
    pub pairs: u64,
    /// Identity sets of two documents and more.
    pub identity_groups: u64,
    /// Hot groups of two documents and more.
    pub hot_groups: u64,
    /// Groups with more members than the limit.
    pub flagged: u64,
    /// Candidates of these were compared with the oldest of their group only: there may be more pairs.
    pub stars: u64,
    /// Documents whose texts were wanted and could not be read.
    pub unread: UnreadTexts,
    /// Of the pairs written, those that were to be verified and could not be, because a text could not be read.
    pub unverified: u64,
    /// Members of hot groups that were to be verified against the founder, and could not be for the same reason.
    pub unverified_members: u64,
    /// Pairs of the method that the comparison of texts did not find to be near; they are not written.
    pub rejected: u64,
    /// Perhaps-similar sets, for the methods lcs and cosine.
    pub sets: SetSummary,
    /// Shingles, for the method of that name.
    pub shingles: ShingleSummary,
}
