//! What is found of one document.

use crate::detect::method::evidence::Evidence;
use crate::detect::method::pair::{Verified, verdict};
use crate::store::Stored;

/// A stored document that is a near-duplicate.
#[derive(Clone, Debug, PartialEq)]
pub struct NearDuplicate {
    /// The document.
    pub stored: Stored,
    /// What is known of it and the one that was asked for.
    pub evidence: Evidence,
    /// The probability that they are near-duplicates, by the model; absent where one has no profile.
    pub probability: Option<f64>,
    /// The rule that decided.
    pub rule: &'static str,
    /// What the comparison of the texts says, if it was asked for.
    pub verified: Option<Verified>,
}

impl NearDuplicate {
    /// The rules that decided, in words: that of the method, and that of the comparison of texts.
    pub fn verdict(&self) -> std::borrow::Cow<'static, str> {
        verdict(self.rule, self.verified)
    }
}

/// The near-duplicates of one document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NearDuplicates {
    /// Identical ones first, then by the method's own similarity (simhash: the least distance; b: supershingles;
    /// c, combined, split: bits of the projection; min-hash: min-values), then the older. What simhash decided in
    /// index of another method comes behind.
    pub matches: Vec<NearDuplicate>,
    /// How many there are, at least; by simhash exactly, if no more than the group limit are identical.
    pub count: u64,
    /// All of them are in `matches`. If not, some key has more documents than the group limit, and only the
    /// oldest of these (by simhash, the nearest and oldest) were compared.
    pub complete: bool,
}
