//! The list of methods, and what is asked of each by name.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use super::definition::{Besides, Definition, Keys};
use super::rules::Threshold;

/// Makes the enum of all methods, in the order in which they are listed, and leads each to its definition.
macro_rules! methods {
    ($($(#[doc = $doc:literal])* $name:ident => $module:ident,)*) => {
        /// A method: where its candidates come from, and how they are decided.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Method {
            $($(#[doc = $doc])* $name,)*
        }

        impl Method {
            /// All methods, in the order in which they are listed.
            pub const ALL: [Method; [$(stringify!($name)),*].len()] = [$(Method::$name),*];

            /// Returns all that makes the method what it is.
            pub(crate) fn definition(self) -> &'static Definition {
                match self {
                    $(Method::$name => &super::$module::DEFINITION,)*
                }
            }
        }
    };
}

methods! {
    /// Equal token sequences (Henzinger 2006, 2).
    Identity => identity,
    /// Fingerprints within k bits (Manku et al. 2007, 3).
    Simhash => simhash,
    /// At least two equal supershingles (Henzinger 2006, algorithm B).
    B => b_similarity,
    /// At least 372 of 384 equal bits of the projections (Henzinger 2006, algorithm C).
    C => c_similarity,
    /// Candidates of B whose projections agree in at least 355 bits (Henzinger 2006, 4).
    Combined => combined,
    /// C for pairs on different sites, combined for pairs on one (Henzinger 2006, 4).
    Split => split,
    /// At least 36 of 84 equal min-values, of pairs that share a band of four (Henzinger 2006, 2: the share of equal
    /// min-values is the resemblance; near-duplicates by the threshold of [`Rules`](super::rules::Rules)).
    MinHash => min_hash,
    /// The evidence of two profiles, weighed to a probability, of pairs that share a band of short shingles
    /// ([`Model`](super::traits::Model)).
    Model => model,
    /// Trustable longest common subsequence, in perhaps-similar sets (Huang et al. 2008).
    Lcs => lcs,
    /// Cosine of term frequencies, in perhaps-similar sets (Huang et al. 2008, 4: its baseline).
    Cosine => cosine,
    /// Resemblance by shingles, sampled or not (Ye et al. 2007).
    Shingles => shingles,
}

impl Method {
    /// Returns the name on the command line and in pair lines.
    pub fn name(self) -> &'static str {
        self.definition().name
    }

    /// Returns the method in a few words, for help texts.
    pub fn help(self) -> &'static str {
        self.definition().help
    }

    /// Returns whether the method needs the texts, and not only what the catalog keeps of them.
    pub fn needs_text(self) -> bool {
        self.definition().needs_text()
    }

    /// Returns whether candidates share a piece of the projection, so that [`complete`](super::options::PairOptions::complete)
    /// finds more of them.
    pub fn has_pieces(self) -> bool {
        self.definition().keys().contains(&Keys::Pieces)
    }

    /// Returns whether candidates share a key of their sketches.
    pub fn has_keys(self) -> bool {
        !self.definition().keys().is_empty()
    }

    /// Returns the thresholds that decide.
    pub fn thresholds(self) -> &'static [Threshold] {
        self.definition().thresholds
    }

    /// Returns the bytes of sketches of each document that the method compares; `None` if it reads texts.
    pub fn bytes_per_document(self) -> Option<u64> {
        let definition = self.definition();
        (!definition.needs_text()).then(|| definition.compares.iter().map(|sketch| sketch.size()).sum())
    }

    /// Returns what a decision depends on besides sketches and texts: the site, title and first heading.
    pub fn looks_at(self) -> (bool, bool) {
        match self.definition().besides {
            Besides::Nothing => (false, false),
            Besides::Site => (true, false),
            Besides::SiteAndHeadings => (true, true),
        }
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
