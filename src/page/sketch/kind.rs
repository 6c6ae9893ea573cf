//! The kinds of fingerprints.

nddb_format::named! {
    /// How a fingerprint follows from a page. Only fingerprints of one recipe, and so of one kind, can be compared.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FingerprintKind {
        /// Each bit is the sign of a sum of weighted features (Charikar 2002; Manku et al. 2007, 2).
        Simhash = "simhash",
        /// One bit of each of 64 min-values (Li and Koenig 2010).
        OneBitMinHash = "minhash-1bit",
        /// Made by another program, of which nddb knows no more.
        Given = "given",
    }
}

impl FingerprintKind {
    /// Returns how such a fingerprint is made, for people.
    pub fn help(self) -> &'static str {
        match self {
            Self::Simhash => "signs of sums of weighted features",
            Self::OneBitMinHash => "one bit of each of 64 min-values",
            Self::Given => "made by another program",
        }
    }
}
