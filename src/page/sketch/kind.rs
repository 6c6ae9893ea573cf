//! The kinds of fingerprints.

use std::fmt;

use super::Recipe;

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
    /// Returns the kind of the fingerprints of a database, by the label of its recipe.
    pub fn of_label(label: &str) -> Self {
        Recipe::of_any_version(label).map_or(Self::Given, |recipe| recipe.fingerprint_kind())
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_follows_from_the_label() {
        for (label, name) in [
            ("main/1", "minhash-1bit"),
            ("main-c/7", "minhash-1bit"),
            ("web/1", "simhash"),
            ("web-3grams-psl/1", "simhash"),
            ("1e0ng/1", "simhash"),
            ("imagehash/1", "given"),
            ("", "given"),
        ] {
            assert_eq!(FingerprintKind::of_label(label).to_string(), name, "{label}");
        }
    }
}
