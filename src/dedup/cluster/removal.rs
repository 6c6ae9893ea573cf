//! Decisions about the members of a cluster.

use nddb_format::record::Record;
use nddb_page::sketch::Profile;
use nddb_verdict::{Comparison, Estimate, Known, Level, Loss, PartLoss, Reason, Words};

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

    /// Returns the loss, if it is known from the words of both documents.
    pub fn exact(&self) -> Option<&Loss> {
        match self {
            KnownLoss::Loss(loss) => Some(loss),
            KnownLoss::Estimate(_) => None,
        }
    }

    /// Returns the part of the text whose share of lost words counts.
    pub fn part(&self) -> Option<&PartLoss> {
        self.exact().map(Loss::part)
    }
}

/// The decision about a near-duplicate of a kept document.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberDecision {
    /// The decision.
    pub verdict: MemberVerdict,
    /// What it has and the kept document lacks; `None` if a text could not be read.
    pub loss: Option<KnownLoss>,
    /// The least level that removes it; `None` if no level does.
    pub least: Option<Level>,
}

impl MemberDecision {
    /// A decision without a comparison of texts.
    pub(super) fn without_loss(verdict: MemberVerdict) -> Self {
        Self { verdict, loss: None, least: None }
    }

    pub(super) fn exactly(level: Level, compared: Comparison) -> Self {
        let (verdict, least) = (verdict(level.allows(&compared)), Level::least(&compared));
        Self { verdict, loss: Some(KnownLoss::Loss(Box::new(compared.lost))), least }
    }

    fn estimated(level: Level, estimate: Option<Estimate>, identical: bool) -> Self {
        let share = if identical { Some(0.0) } else { estimate.map(|estimate| estimate.most) };
        let verdict = verdict(level.allows_estimate(identical, estimate));
        Self { verdict, loss: Some(KnownLoss::Estimate(share)), least: Level::least_by_estimate(identical, estimate) }
    }
}

/// Decides about a near-duplicate of the kept document, by what would be lost. `in_full` tells whether the reason is
/// asked for why a document stays; without it the same documents stay, in less time.
pub(crate) fn decide(
    level: Level,
    collection: &Collection,
    words: &DocumentWords,
    pair: [u32; 2],
    identical: bool,
    in_full: bool,
) -> MemberDecision {
    let [removed, kept] = pair;
    match words.compare(collection, pair, identical, Some(level).filter(|_| !in_full)) {
        Compared::Exactly(compared) => MemberDecision::exactly(level, compared),
        Compared::Estimated => {
            let estimate = collection.compared(removed, kept, |pair| Estimate::of(pair.a, pair.b));
            MemberDecision::estimated(level, estimate, identical)
        }
        Compared::TooMuch => MemberDecision::without_loss(MemberVerdict::Loses(Reason::Share)),
        Compared::Unread => MemberDecision::without_loss(MemberVerdict::Unverified),
    }
}

/// Decides about a document that is a near-duplicate of one that is kept, perhaps in another database, by what would be
/// lost. Without the words of both the loss is estimated.
pub fn decide_stored(level: Level, removed: &Record, kept: &Record, identical: bool) -> MemberDecision {
    if identical {
        return MemberDecision::exactly(level, Comparison { is_equal: true, ..Comparison::default() });
    }
    if let (Some(removed), Some(kept)) = (removed.words.as_deref(), kept.words.as_deref()) {
        return MemberDecision::exactly(level, Comparison::of(&Words::of(removed), &Words::of(kept)));
    }
    let [removed, kept] = [removed, kept].map(|record| Known::of(record, None));
    MemberDecision::estimated(level, Estimate::of(&removed, &kept), false)
}

fn verdict(allowed: Result<(), Reason>) -> MemberVerdict {
    allowed.map_or_else(MemberVerdict::Loses, |()| MemberVerdict::Removed)
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
