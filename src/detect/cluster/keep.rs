//! Rules for the kept document of a cluster.

use std::cmp::{Ordering, Reverse};
use std::error::Error;
use std::fmt;
use std::str::FromStr;

use crate::detect::collection::Collection;

/// A rule of preference between two documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The document fetched first; of two without a date, the lower number; a document with a date before one
    /// without.
    Oldest,
    /// The document with more tokens.
    Longest,
    /// The document with the shorter URL, in bytes; a document with a URL before one without.
    ShortestUrl,
    /// The document whose id is bytewise lower.
    Id,
}

impl Keep {
    /// All rules, in the default order of application.
    pub const ALL: [Keep; 4] = [Keep::Oldest, Keep::Longest, Keep::ShortestUrl, Keep::Id];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Keep::Oldest => "oldest",
            Keep::Longest => "longest",
            Keep::ShortestUrl => "shortest-url",
            Keep::Id => "id",
        }
    }

    /// Returns the order of two documents by this rule; the lesser is kept.
    fn compare(self, collection: &Collection, a: u32, b: u32) -> Ordering {
        let (a, b) = (collection.row(a), collection.row(b));
        match self {
            Keep::Oldest => match (a.date, b.date) {
                (None, None) => a.number.cmp(&b.number),
                _ => (a.date.is_none(), a.date).cmp(&(b.date.is_none(), b.date)),
            },
            Keep::Longest => Reverse(a.tokens).cmp(&Reverse(b.tokens)),
            Keep::ShortestUrl => (a.url_size.is_none(), a.url_size).cmp(&(b.url_size.is_none(), b.url_size)),
            Keep::Id => a.rank.cmp(&b.rank),
        }
    }
}

/// Returns the order of two documents by the first rule that distinguishes them, then by number; the lesser is kept.
pub(crate) fn compare(rules: &[Keep], collection: &Collection, a: u32, b: u32) -> Ordering {
    let told = rules.iter().map(|rule| rule.compare(collection, a, b)).find(|order| order.is_ne());
    told.unwrap_or_else(|| a.cmp(&b))
}

/// Error: a name that is not the name of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKeep(pub String);

impl fmt::Display for UnknownKeep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Keep::ALL.map(Keep::name).join(", ");
        write!(f, "nothing is kept by {:?} (there are {names})", self.0)
    }
}

impl Error for UnknownKeep {}

impl FromStr for Keep {
    type Err = UnknownKeep;

    fn from_str(name: &str) -> Result<Self, UnknownKeep> {
        Keep::ALL.into_iter().find(|rule| rule.name() == name).ok_or_else(|| UnknownKeep(name.into()))
    }
}
