//! Parameters of perhaps-similar sets, the candidate source of the methods lcs and cosine.

use nddb_page::sketch::SignatureRules;

use crate::parameter::Parameter;

/// Parameters of perhaps-similar sets; the defaults are those of Huang et al. 2008, where the paper gives a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetOptions {
    /// Rules by which signatures are made.
    pub signatures: SignatureRules,
    /// Greatest number of documents with one signature; more frequent signatures are dropped.
    pub most: u64,
    /// The same limit for signatures for which more than half of the documents are on one site.
    pub most_of_site: u64,
    /// Whether all pairs of a set are compared, instead of each member with the leader only. All pairs are always
    /// compared with `expand` and for clusters.
    pub exhaustive: bool,
    /// Greatest number of comparisons in a set, per document of the set. Further pairs are not compared, and the set is
    /// reported.
    pub comparisons: u64,
}

impl Default for SetOptions {
    fn default() -> Self {
        Self {
            signatures: SignatureRules::default(),
            most: 10_000,
            most_of_site: 400,
            exhaustive: false,
            comparisons: 1000,
        }
    }
}

impl SetOptions {
    /// Returns the default limits, with all pairs of each set compared.
    pub fn exhaustive() -> Self {
        Self { exhaustive: true, comparisons: u64::MAX, ..Self::default() }
    }

    /// Returns the parameters of the signatures and the sets.
    pub(crate) fn parameters(&mut self) -> Vec<Parameter<'_>> {
        let Self { signatures, most, most_of_site, exhaustive, comparisons } = self;
        let SignatureRules { groups, rotations, smallest, min_in_group, min_gap } = signatures;
        let any = 1..=u64::MAX;
        vec![
            Parameter::flag(
                "exhaustive",
                "compare all pairs of a perhaps-similar set, not only those with a leader",
                exhaustive,
            ),
            Parameter::count("comparisons", "most comparisons in a set, per document", comparisons, any.clone()),
            Parameter::count("signature-limit", "drop signatures of more documents than this", most, any.clone()),
            Parameter::count(
                "site-signature-limit",
                "the same limit if most of these are on one site",
                most_of_site,
                any.clone(),
            ),
            Parameter::count("groups", "m: groups of sentences", groups, 1..=1 << 16),
            Parameter::count("rotations", "n: sets of fingerprints of sentences", rotations, 1..=16),
            Parameter::count("smallest", "s: sentences of a signature", smallest, any.clone()),
            Parameter::count("min-in-group", "least number of sentences of a signature", min_in_group, any),
            Parameter::count("min-gap", "least distance of two sentences of a signature", min_gap, 0..=u64::MAX),
        ]
    }
}
