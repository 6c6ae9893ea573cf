//! Which document of a cluster is kept.

use std::cmp::{Ordering, Reverse};
use std::error::Error;
use std::fmt;
use std::str::FromStr;

use crate::detect::collection::Collection;

/// A rule that prefers one of two documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The one fetched first; of two without a date, the one with the lower number; one with a date before
    /// one without.
    Oldest,
    /// The one with more tokens.
    Longest,
    /// The one with the shorter address, in bytes; one with an address before one without.
    ShortestUrl,
    /// The one whose id comes first, bytewise.
    Id,
}

impl Keep {
    /// All rules, in the order in which they are applied unless another is asked for.
    pub const ALL: [Keep; 4] = [Keep::Oldest, Keep::Longest, Keep::ShortestUrl, Keep::Id];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Keep::Oldest => "oldest",
            Keep::Longest => "longest",
            Keep::ShortestUrl => "shortest-url",
            Keep::Id => "id",
        }
    }

    /// Says which of two documents is kept: the lesser.
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

/// Says which of two documents is kept, by the first rule that tells them apart, then by number.
pub(crate) fn compare(rules: &[Keep], collection: &Collection, a: u32, b: u32) -> Ordering {
    let told = rules.iter().map(|rule| rule.compare(collection, a, b)).find(|order| order.is_ne());
    told.unwrap_or_else(|| a.cmp(&b))
}

/// A name that is no rule's.
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
