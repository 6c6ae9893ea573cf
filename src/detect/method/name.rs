//! The methods by name.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use crate::sketch::Recipe;

/// A method: where its candidates come from, and how they are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// Equal token sequences (Henzinger 2006, 2).
    Identity,
    /// Fingerprints within k bits (Manku et al. 2007, 3).
    Simhash,
    /// At least two equal supershingles (Henzinger 2006, algorithm B).
    B,
    /// At least 372 of 384 equal bits of the projections (Henzinger 2006, algorithm C).
    C,
    /// Candidates of B whose projections agree in at least 355 bits (Henzinger 2006, 4).
    Combined,
    /// C for pairs on different sites, combined for pairs on one (Henzinger 2006, 4).
    Split,
    /// At least 36 of 84 equal min-values, of pairs that share a band of four (Henzinger 2006, 2: the share of equal
    /// min-values is the resemblance; near-duplicates by the threshold of [`Rules`](super::rules::Rules)).
    MinHash,
    /// The evidence of two profiles, weighed to a probability, of pairs that share a band of short shingles
    /// ([`Model`](super::model::Model)).
    Model,
    /// Trustable longest common subsequence, in perhaps-similar sets (Huang et al. 2008).
    Lcs,
    /// Cosine of term frequencies, in perhaps-similar sets (Huang et al. 2008, 4: its baseline).
    Cosine,
    /// Resemblance by shingles, sampled or not (Ye et al. 2007).
    Shingles,
}

impl Method {
    /// All methods, in the order in which they are listed.
    pub const ALL: [Method; 11] = [
        Method::Identity,
        Method::Simhash,
        Method::B,
        Method::C,
        Method::Combined,
        Method::Split,
        Method::MinHash,
        Method::Model,
        Method::Lcs,
        Method::Cosine,
        Method::Shingles,
    ];

    /// The method to take, with the constants of [`Rules::default`](super::rules::Rules) and sketches of the content: the
    /// best on labelled pages. Other methods are measured against it.
    pub const DEFAULT: Method = Method::Model;

    /// The method that documents of a recipe are judged by if no other is named: [`Method::DEFAULT`] where they are
    /// found by it, min-hash where they are by that (`main/2`), else simhash.
    pub fn default_of(recipe: Option<&Recipe>) -> Method {
        match recipe {
            Some(recipe) if recipe.has_profile() => Method::DEFAULT,
            Some(recipe) if recipe.has_bands() => Method::MinHash,
            _ => Method::Simhash,
        }
    }

    /// The name on the command line and in pair lines.
    pub fn name(self) -> &'static str {
        match self {
            Method::Identity => "identity",
            Method::Simhash => "simhash",
            Method::B => "b",
            Method::C => "c",
            Method::Combined => "combined",
            Method::Split => "split",
            Method::MinHash => "min-hash",
            Method::Model => "model",
            Method::Lcs => "lcs",
            Method::Cosine => "cosine",
            Method::Shingles => "shingles",
        }
    }

    /// Whether the method needs the texts, and not only what the catalog keeps of them.
    pub fn needs_text(self) -> bool {
        matches!(self, Method::Lcs | Method::Cosine | Method::Shingles)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no method's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownMethod(pub String);

impl fmt::Display for UnknownMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Method::ALL.map(Method::name).join(", ");
        write!(f, "there is no method {:?} (there are {names})", self.0)
    }
}

impl Error for UnknownMethod {}

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        Method::ALL.into_iter().find(|method| method.name() == name).ok_or_else(|| UnknownMethod(name.into()))
    }
}
