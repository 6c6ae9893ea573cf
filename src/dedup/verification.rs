//! The comparison of texts that verifies the near-duplicates of another method.

use nddb_verdict::Method;
use nddb_verdict::methods::Lcs;

/// The comparison of texts that verifies the near-duplicates of another method, and the pairs that it verifies.
///
/// Pages of one site share much that is not their content, so the methods that compare sketches err there more often
/// than between sites (Henzinger 2006, 4.2 and 4.3). A slower method can be used for these pairs alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verification {
    /// The method.
    pub lcs: Lcs,
    /// Whether only pairs of one site are verified; others, and those without a known site, are not.
    pub same_site: bool,
}

impl From<Lcs> for Verification {
    fn from(lcs: Lcs) -> Self {
        Self { lcs, same_site: false }
    }
}

impl Verification {
    /// Returns the verification of pairs of one site alone.
    pub fn of_same_site(lcs: Lcs) -> Self {
        Self { lcs, same_site: true }
    }

    /// Returns its name, as options and outputs have it.
    pub fn name(&self) -> &'static str {
        if self.same_site { "same-site" } else { self.lcs.name() }
    }

    /// Returns the verification, unless its method is the one that found the pairs, and so would reject nothing.
    pub(crate) fn of<'a>(verify: Option<&'a Self>, method: &dyn Method) -> Option<&'a Self> {
        verify.filter(|verification| verification.lcs.name() != method.name())
    }

    /// Returns whether a pair is verified, given whether the sites of its documents are equal (`None`: not known).
    pub(crate) fn concerns(&self, same_site: Option<bool>) -> bool {
        !self.same_site || same_site == Some(true)
    }
}
