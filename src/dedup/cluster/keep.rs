//! Rules for the kept document of a cluster.

use std::cmp::{Ordering, Reverse};
use std::error::Error;
use std::fmt;
use std::str::FromStr;

use crate::collection::Collection;

/// A rule of preference between two documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The document stored first; within one load, the one with the older date, then with the lower id. So a later
    /// clustering never removes what an earlier one kept.
    Stored,
    /// The document whose batch was named first; documents with a batch come before those without.
    Batch,
    /// The document fetched last; documents with a date come before those without.
    Newest,
    /// The document fetched first; documents with a date come before those without.
    Oldest,
    /// The document with more tokens.
    Longest,
    /// The document with the shorter URL, in bytes; documents with a URL come before those without.
    ShortestUrl,
    /// The document whose id is bytewise lower.
    Id,
}

impl Keep {
    /// All rules.
    pub const ALL: [Keep; 7] =
        [Keep::Stored, Keep::Batch, Keep::Newest, Keep::Oldest, Keep::Longest, Keep::ShortestUrl, Keep::Id];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Keep::Stored => "stored",
            Keep::Batch => "batch",
            Keep::Newest => "newest",
            Keep::Oldest => "oldest",
            Keep::Longest => "longest",
            Keep::ShortestUrl => "shortest-url",
            Keep::Id => "id",
        }
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
pub(crate) fn compare(rules: &[Keep], collection: &Collection, a: u32, b: u32) -> Ordering {
    let told = rules.iter().map(|rule| rule.compare(collection, a, b)).find(|order| order.is_ne());
    told.unwrap_or_else(|| Keep::Id.compare(collection, a, b))
}

/// Error: no rule has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKeep(pub String);

impl fmt::Display for UnknownKeep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Keep::ALL.map(Keep::name).join(", ");
        write!(f, "unknown keep rule {:?}; known rules: {names}", self.0)
    }
}

impl Error for UnknownKeep {}

impl FromStr for Keep {
    type Err = UnknownKeep;

    fn from_str(name: &str) -> Result<Self, UnknownKeep> {
        Keep::ALL.into_iter().find(|rule| rule.name() == name).ok_or_else(|| UnknownKeep(name.into()))
    }
}
