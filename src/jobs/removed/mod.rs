//! The documents that are removed, and why: because of each other ([`of_clusters`]), because of earlier databases
//! ([`Earlier`]), because they stand within others ([`Contained`]), or all of it ([`RemovalSearch`]).

mod clusters;
mod contained;
mod copies;
mod earlier;
mod list;
mod origins;
mod search;

use std::borrow::Cow;

use nddb_dedup::{KnownLoss, MemberDecision, NearDuplicate, Pair};
use nddb_verdict::Level;

pub use self::clusters::of_clusters;
pub use self::contained::{CONTAINED_TEXTS, Contained};
pub use self::copies::copies_of_clusters;
pub(crate) use self::copies::{add_copy, copies_of_folder};
pub use self::earlier::Earlier;
pub use self::list::{Because, CutAt, More, RemoveTsv, RemovedRows};
pub use self::origins::{Origin, Place};
pub use self::search::{RemovalSearch, Removals};

/// A document that is removed, and the one that is kept instead, if there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Removed<'a> {
    /// Its id.
    pub id: &'a str,
    /// The id of the document that is kept; `None` if a list removes this one (`--always-remove`).
    pub kept: Option<&'a str>,
    /// Which of the earlier databases stores that one; `None` if it is in the same database.
    pub part: Option<usize>,
    /// Whether both have the same text.
    pub identical: bool,
    /// The name of the rule that decided, or `listed`.
    pub rule: Cow<'static, str>,
    /// The probability that they are near-duplicates, if the method gives one.
    pub probability: Option<f64>,
    /// What it has and the kept one lacks; `None` if that is not known, or a list removes it.
    pub loss: Option<KnownLoss>,
    /// The least level that removes it; `None` if a list does.
    pub level: Option<Level>,
    /// Whether it stands within the other one ([`Contained`]).
    pub contained: bool,
    /// Whether it is not removed, although it stands within the other one.
    pub stays: bool,
    /// Where it stands, and how long it is; empty unless asked for.
    pub origin: Origin,
}

impl<'a> Removed<'a> {
    /// Of two documents of one database; `method` is that of a pair that sketches say nothing of. Without a known loss
    /// nothing is lost.
    fn of_pair(
        id: &'a str,
        kept: &'a str,
        pair: Option<&Pair>,
        (loss, level): (Option<&KnownLoss>, Option<Level>),
        method: &'static str,
    ) -> Self {
        let rule = pair.map_or(Cow::Borrowed(method), Pair::verdict);
        let identical = pair.is_some_and(|pair| pair.identical);
        let probability = pair.and_then(|pair| pair.measures.share("probability"));
        let loss = Some(loss.cloned().unwrap_or_else(|| KnownLoss::Loss(Box::default())));
        Self { kept: Some(kept), identical, rule, probability, loss, level, ..Self::listed(id) }
    }

    /// Of a document that a list removes.
    fn listed(id: &'a str) -> Self {
        Self {
            id,
            kept: None,
            part: None,
            identical: false,
            rule: Cow::Borrowed("listed"),
            probability: None,
            loss: None,
            level: None,
            contained: false,
            stays: false,
            origin: Origin::default(),
        }
    }

    /// Of a document that is near to one of an earlier database.
    fn of_earlier(id: &'a str, part: usize, alike: &'a NearDuplicate, decided: MemberDecision) -> Self {
        let (kept, identical, rule) = (Some(&*alike.id), alike.identical, alike.verdict());
        let (probability, loss, level) = (alike.measures.share("probability"), decided.loss, decided.least);
        Self { kept, part: Some(part), identical, rule, probability, loss, level, ..Self::listed(id) }
    }

    /// Of a document that stands within another one.
    fn within(id: &'a str, kept: &'a str, decided: &MemberDecision) -> Self {
        let (rule, loss) = (Cow::Borrowed("contained"), decided.loss.clone());
        Self { kept: Some(kept), rule, loss, level: decided.least, contained: true, ..Self::listed(id) }
    }

    /// Returns what is lost, as text: `12 words: 1 number, 2 names`, `none`, or `estimated`; `None` if it is not known.
    pub fn lost(&self) -> Option<String> {
        self.loss.as_ref().map(crate::fields::lost)
    }

    /// Adds where the document stands.
    fn at(self, origin: Origin) -> Self {
        Self { origin, ..self }
    }
}
