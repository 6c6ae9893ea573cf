//! Rules for the kept document of a cluster.

use std::cmp::{Ordering, Reverse};

use crate::collection::Collection;

nddb_format::named! {
    /// A rule of preference between two documents.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Keep {
        /// The document stored first, so a later clustering never removes what an earlier one kept. Within one load:
        /// whole before truncated, sound before garbled, then the one with most distinct words, then the oldest, then
        /// the one with the lower id.
        Stored = "stored",
        /// The document whose batch was named first; documents with a batch come before those without.
        Batch = "batch",
        /// The document fetched last; documents with a date come before those without.
        Newest = "newest",
        /// The document fetched first; documents with a date come before those without.
        Oldest = "oldest",
        /// The document with more tokens.
        Longest = "longest",
        /// The document with the shorter URL, in bytes; documents with a URL come before those without.
        ShortestUrl = "shortest-url",
        /// The document whose id is bytewise lower.
        Id = "id",
    }
    unknown UnknownKeep: "keep rule", "rules"
}

impl Keep {
    /// Returns which document of a cluster the rule keeps, for people.
    pub fn keeps(self) -> &'static str {
        match self {
            Keep::Stored => {
                "the first of the earliest load, so no later run removes what an earlier one kept; of one load \
                 whole before truncated, sound before garbled, then most distinct words, oldest, id"
            }
            Keep::Batch => "of the batch named first; without a batch last",
            Keep::Newest => "fetched last; without a date last",
            Keep::Oldest => "fetched first; without a date last",
            Keep::Longest => "most tokens",
            Keep::ShortestUrl => "the shortest address; without one last",
            Keep::Id => "the lowest id",
        }
    }

    /// Returns by what the kept document of a cluster is chosen under these rules, most important first.
    pub fn order(rules: &[Keep]) -> Vec<&'static str> {
        let quality = ["whole before truncated", "sound before garbled"];
        let mut order = vec!["never removed"];
        match rules.first() {
            Some(Keep::Stored) => {
                order.push("earlier load");
                order.extend(quality);
                order.extend(["most distinct words", "oldest"]);
            }
            _ => {
                order.extend(quality);
                order.extend(rules.iter().filter(|rule| **rule != Keep::Id).map(|rule| rule.name()));
            }
        }
        order.push("id");
        order
    }

    /// Returns the order of two documents by this rule; the lesser is kept.
    fn compare(self, collection: &Collection, a: u32, b: u32) -> Ordering {
        let (one, other) = (collection.row(a), collection.row(b));
        match self {
            Keep::Stored => a.cmp(&b),
            Keep::Batch => (one.batch.is_none(), one.batch).cmp(&(other.batch.is_none(), other.batch)),
            Keep::Newest => other.date.cmp(&one.date),
            Keep::Oldest => (one.date.is_none(), one.date).cmp(&(other.date.is_none(), other.date)),
            Keep::Longest => Reverse(one.tokens).cmp(&Reverse(other.tokens)),
            Keep::ShortestUrl => {
                (one.url_size.is_none(), one.url_size).cmp(&(other.url_size.is_none(), other.url_size))
            }
            Keep::Id => one.rank.cmp(&other.rank),
        }
    }
}

/// Returns the order of two documents by the first rule that distinguishes them, then by id; the lesser is kept.
/// Unless the first rule is [`Keep::Stored`], which has the same for the documents of one load, whole documents come
/// before truncated ones, then sound ones before garbled ones.
pub(crate) fn compare(rules: &[Keep], collection: &Collection, a: u32, b: u32) -> Ordering {
    let quality = |ordinal: u32| {
        let row = collection.row(ordinal);
        if rules.first() == Some(&Keep::Stored) { (false, false) } else { (row.is_truncated, row.is_garbled) }
    };
    let told = rules.iter().map(|rule| rule.compare(collection, a, b)).find(|order| order.is_ne());
    quality(a).cmp(&quality(b)).then_with(|| told.unwrap_or_else(|| Keep::Id.compare(collection, a, b)))
}
