//! Decisions about the members of a cluster.

use nddb_page::sketch::Profile;
use nddb_verdict::{Comparison, Estimate, Level, Loss, Reason};

use crate::collection::Collection;
use crate::words::{Compared, DocumentWords};

/// Number of content terms below which a page is thin.
const THIN_TERMS: u32 = 30;

/// Decision about a member of a cluster, from its comparison with the kept document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum MemberVerdict {
    /// Removed.
    Removed,
    /// Kept: near, but more would be lost than the level allows.
    Loses(Reason),
    /// Kept: near, but on the list of documents that are never removed.
    Listed,
    /// Kept: near by the method, but a text could not be read.
    Unverified,
    /// Kept: not near the kept document.
    Apart,
}

impl MemberVerdict {
    /// Returns the name in tables.
    pub fn name(self) -> &'static str {
        match self {
            MemberVerdict::Removed => "removed",
            MemberVerdict::Loses(reason) => reason.name(),
            MemberVerdict::Listed => "listed",
            MemberVerdict::Unverified => "not verified",
            MemberVerdict::Apart => "not near",
        }
    }
}

/// What is known of the loss of a removal.
#[derive(Clone, Debug, PartialEq)]
pub enum KnownLoss {
    /// The loss, from the words of both documents.
    Loss(Box<Loss>),
    /// The greatest plausible share of the words, estimated from sketches; `None` if these say nothing.
    Estimate(Option<f64>),
}

impl KnownLoss {
    /// Returns the share of the words that is lost, or that may be lost.
    pub fn share(&self) -> Option<f64> {
        match self {
            KnownLoss::Loss(loss) => Some(loss.share()),
            KnownLoss::Estimate(share) => *share,
        }
    }
}

/// Decides about a near-duplicate of the kept document, by what would be lost.
pub(crate) fn decide(
    level: Level,
    collection: &Collection,
    words: &mut DocumentWords,
    [removed, kept]: [u32; 2],
    identical: bool,
) -> (MemberVerdict, Option<KnownLoss>) {
    let verdict = |allowed: Result<(), Reason>| allowed.map_or_else(MemberVerdict::Loses, |()| MemberVerdict::Removed);
    match words.compare(collection, removed, kept, identical) {
        Compared::Exactly(compared) => {
            let allowed = level.allows(&compared);
            let Comparison { lost, .. } = compared;
            (verdict(allowed), Some(KnownLoss::Loss(Box::new(lost))))
        }
        Compared::Estimated => {
            let estimate = collection.compared(removed, kept, |pair| Estimate::of(pair.a, pair.b));
            let share = if identical { Some(0.0) } else { estimate.map(|estimate| estimate.most) };
            (verdict(level.allows_estimate(identical, estimate)), Some(KnownLoss::Estimate(share)))
        }
        Compared::Unread => (MemberVerdict::Unverified, None),
    }
}

/// Returns whether a document has too little content to be distinguished from others: it has text, but fewer than 30
/// terms of content, or no content was found in the page. `false` if the content is not known.
pub fn is_thin_document(collection: &Collection, ordinal: u32) -> bool {
    !collection.row(ordinal).is_empty && collection.profile_of(ordinal).as_ref().is_some_and(is_thin)
}

/// Returns whether a page has too little content to be distinguished from others.
pub(super) fn is_thin(profile: &Profile) -> bool {
    profile.is_whole || profile.terms < THIN_TERMS
}
