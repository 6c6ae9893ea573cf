//! The documents that are removed, and why: what `cluster`, `filter` and `dedup` list, and what the Python package
//! returns.

mod clusters;
mod earlier;
mod origins;
mod search;
mod table;

use std::borrow::Cow;

use nddb::detect::{Measures, NearDuplicate, Pair};

use self::origins::Origin;

pub(crate) use self::clusters::of_clusters;
pub use self::earlier::Earlier;
pub use self::search::{Removals, Search};
pub(crate) use self::table::{Because, Place, RemoveTsv, RemovedRows};

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
    /// The share of the words of the longer text that differs, estimated from sketches, if these tell.
    pub difference: Option<f64>,
    /// Where it stands, and how long it is; empty unless asked for.
    pub(crate) origin: Origin,
}

impl<'a> Removed<'a> {
    /// Of two documents of one database; `method` is that of a pair that sketches say nothing of.
    fn of_pair(id: &'a str, kept: &'a str, pair: Option<&Pair>, method: &'static str) -> Self {
        let rule = pair.map_or(Cow::Borrowed(method), Pair::verdict);
        let is_identical = pair.is_some_and(|pair| pair.identical);
        Self::measured(id, kept, None, is_identical, rule, pair.map(|pair| &pair.measures))
    }

    /// Of a document that a list removes.
    fn listed(id: &'a str) -> Self {
        let rule = Cow::Borrowed("listed");
        let origin = Origin::default();
        Self { id, kept: None, part: None, identical: false, rule, probability: None, difference: None, origin }
    }

    /// Of a document that is near to one of an earlier database.
    fn of_earlier(id: &'a str, part: usize, alike: &'a NearDuplicate) -> Self {
        Self::measured(id, &alike.id, Some(part), alike.identical, alike.verdict(), Some(&alike.measures))
    }

    fn measured(
        id: &'a str,
        kept: &'a str,
        part: Option<usize>,
        identical: bool,
        rule: Cow<'static, str>,
        measures: Option<&Measures>,
    ) -> Self {
        let share = |name| measures.and_then(|measures| measures.share(name));
        let (probability, difference) = (share("probability"), share("difference"));
        let origin = Origin::default();
        Self { id, kept: Some(kept), part, identical, rule, probability, difference, origin }
    }

    /// Adds where the document stands.
    fn at(self, origin: Origin) -> Self {
        Self { origin, ..self }
    }
}
