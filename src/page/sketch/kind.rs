//! The kinds of fingerprints.

use std::fmt;

/// How a fingerprint follows from a page. Only fingerprints of one recipe, and so of one kind, can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FingerprintKind {
    /// Each bit is the sign of a sum of weighted features (Charikar 2002; Manku et al. 2007, 2).
    Simhash,
    /// One bit of each of 64 min-values (Li and Koenig 2010).
    OneBitMinHash,
    /// Made by another program, of which nddb knows no more.
    Given,
}

impl FingerprintKind {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Simhash => "simhash",
            Self::OneBitMinHash => "minhash-1bit",
            Self::Given => "given",
        }
    }

    /// Returns how such a fingerprint is made, for people.
    pub fn help(self) -> &'static str {
        match self {
            Self::Simhash => "signs of sums of weighted features",
            Self::OneBitMinHash => "one bit of each of 64 min-values",
            Self::Given => "made by another program",
        }
    }
}

impl fmt::Display for FingerprintKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
