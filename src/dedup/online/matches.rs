//! Near-duplicates found for one document.

use nddb_format::Fingerprint;
use nddb_verdict::{Measures, Overlap};

use crate::pair::{Verified, verdict};
use crate::pair_loss::PairLoss;

/// A stored near-duplicate of the queried document.
#[derive(Clone, Debug, PartialEq)]
pub struct NearDuplicate {
    /// Number of the stored document, in the order of commits.
    pub number: u64,
    /// Id of the stored document; [`View::get`](nddb_index::View::get) returns its record.
    pub id: String,
    /// The address its page was fetched from.
    pub url: Option<String>,
    /// Its site, by the rule of the recipe.
    pub site: Option<String>,
    /// Its fingerprint; `None` with fewer than two tokens.
    pub fingerprint: Option<Fingerprint>,
    /// Whether the token sequences of the stored and the queried document are equal.
    pub identical: bool,
    /// Similarities of the stored and the queried document, by name.
    pub measures: Measures,
    /// How near the two are by the method, or by hamming instead of it; greater is nearer.
    pub score: u64,
    /// Name of the rule that decided.
    pub rule: &'static str,
    /// Result of the verification by text comparison; `None` if verification is off.
    pub verified: Option<Verified>,
    /// What both have in common, from which the losses are estimated.
    pub(crate) both: Option<Overlap>,
}

impl NearDuplicate {
    /// Returns the names of the rules that decided: the rule of the method and, if any, that of the text comparison.
    pub fn verdict(&self) -> std::borrow::Cow<'static, str> {
        verdict(self.rule, self.verified)
    }

    /// Returns what the queried document loses if it is removed, and what the stored one, estimated from sketches.
    pub fn loss(&self) -> PairLoss {
        PairLoss::estimated(self.both, self.identical)
    }
}

/// The near-duplicates of one document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NearDuplicates {
    /// Matches in order: identical documents first, then by descending similarity of the method (hamming: ascending
    /// distance; b: equal supershingles; c, combined, split: equal bits of the projection; min-hash: equal min-values),
    /// then by age, oldest first. Matches decided by hamming instead of the method come last.
    pub matches: Vec<NearDuplicate>,
    /// Lower bound of the number of near-duplicates; exact for hamming if at most the group limit of documents are
    /// identical.
    pub count: u64,
    /// Whether `matches` has all near-duplicates. If not, a key has more postings than the group limit, and only the
    /// oldest of its documents (for hamming, the nearest and oldest) were compared.
    pub complete: bool,
}
