//! The registry of methods, and the public view of each.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use nddb_page::sketch::Recipe;

use super::definition::{Besides, Definition, Keys};
use super::rules::Threshold;

/// Generates the enum of all methods, in the order in which they are listed, and maps each to its definition.
macro_rules! methods {
    ($($(#[doc = $doc:literal])* $name:ident => $module:ident,)*) => {
        /// A detection method: a source of candidate pairs and a decision rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Method {
            $($(#[doc = $doc])* $name,)*
        }

        impl Method {
            /// All methods, in the order in which they are listed.
            pub const ALL: [Method; [$(stringify!($name)),*].len()] = [$(Method::$name),*];

            /// Returns the definition of the method.
            pub fn definition(self) -> &'static Definition {
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
    /// Candidate pairs of B whose projections agree in at least 355 of 384 bits (Henzinger 2006, 4).
    Combined => combined,
    /// C for pairs on different sites, combined for pairs on the same site (Henzinger 2006, 4).
    Split => split,
    /// At least 36 of 84 equal min-values, for pairs that share a band of four (Henzinger 2006, 2: the share of equal
    /// min-values estimates the resemblance; the threshold is in [`Rules`](super::rules::Rules)).
    MinHash => min_hash,
    /// Probability from the traits of two profiles, for pairs that share a band of short shingles
    /// ([`Model`](super::traits::Model)).
    Model => model,
    /// Trustable longest common subsequence, in perhaps-similar sets (Huang et al. 2008).
    Lcs => lcs,
    /// Cosine of term frequencies, in perhaps-similar sets (the baseline of Huang et al. 2008, 4).
    Cosine => cosine,
    /// Resemblance by shingles, sampled or not (Ye et al. 2007).
    Shingles => shingles,
}

impl Method {
    /// The default method, with the constants of [`Rules::default`](super::rules::Rules) and sketches of the content:
    /// the most accurate method on labelled pages, and the baseline for the evaluation of others.
    pub const DEFAULT: Method = Method::Model;

    /// Returns the default method of a recipe: [`Method::DEFAULT`] if the recipe keeps an index for it, else
    /// simhash.
    pub fn default_of(recipe: Option<&Recipe>) -> Method {
        match recipe {
            Some(recipe) if recipe.has_profile() => Method::DEFAULT,
            _ => Method::Simhash,
        }
    }

    /// Returns the name on the command line and in pair lines.
    pub fn name(self) -> &'static str {
        self.definition().name
    }

    /// Returns a short description for help texts.
    pub fn help(self) -> &'static str {
        self.definition().help
    }

    /// Returns whether the method reads texts in addition to the sketches in the catalog.
    pub fn needs_text(self) -> bool {
        self.definition().needs_text()
    }

    /// Returns whether candidate pairs share a piece of the projection; then
    /// the option `complete` finds more of them.
    pub fn has_pieces(self) -> bool {
        self.definition().keys().contains(&Keys::Pieces)
    }

    /// Returns whether candidate pairs share a key of their sketches.
    pub fn has_keys(self) -> bool {
        !self.definition().keys().is_empty()
    }

    /// Returns the thresholds of the decision rule.
    pub fn thresholds(self) -> &'static [Threshold] {
        self.definition().thresholds
    }

    /// Returns the size in bytes of the sketches of a document that the method compares; `None` if it reads texts.
    pub fn bytes_per_document(self) -> Option<u64> {
        let definition = self.definition();
        (!definition.needs_text()).then(|| definition.compares.iter().map(|sketch| sketch.size()).sum())
    }

    /// Returns whether a decision depends on the site, and whether on the title and first heading.
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

/// Error: a name that is not the name of a method.
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
