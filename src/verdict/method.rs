//! The trait of a method: everything in which methods differ.
//!
//! A method is a value whose fields are its parameters. It names the candidate pairs, sketches and texts that it needs;
//! nddb-dedup reads and joins them. The result for a pair has the same form for all methods: a [`Verdict`], and
//! measures by name.

use std::fmt;
use std::ops::RangeInclusive;

use nddb_page::sketch::FingerprintKind;

use crate::column::{Bound, Column};
use crate::pair::DocumentPair;
use crate::parameter::{Parameter, ParameterError, Setting};
use crate::perhaps_similar::SetOptions;
use crate::shingles::Shingles;
use crate::sketches::Sketch;
use crate::text_comparer::TextComparer;
use crate::verdict::Verdict;

/// A detection method: a source of candidate pairs and a decision rule, with its parameters.
pub trait Method: fmt::Debug + Send + Sync + CloneMethod {
    /// Returns the name on the command line and in pair lines.
    fn name(&self) -> &'static str;

    /// Returns a short description for help texts.
    fn help(&self) -> &'static str;

    /// Returns the parameters of the method, to be read or set.
    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        Vec::new()
    }

    /// Returns the source of candidate pairs.
    fn candidates(&self) -> Candidates;

    /// Returns the sketches that both documents of a pair must have.
    fn compares(&self) -> &'static [Sketch] {
        &[]
    }

    /// Returns the sketches that define a class: documents with equal values of all of them are indistinguishable to
    /// the method, except by [`Method::besides`].
    fn class(&self) -> &'static [Sketch] {
        &[]
    }

    /// Returns the further properties on which the decision depends.
    fn besides(&self) -> Besides {
        Besides::Nothing
    }

    /// Returns the method with this greatest distance; `None` unless it compares distances of fingerprints.
    fn within(&self, _k: u32) -> Option<Box<dyn Method>> {
        None
    }

    /// Returns the only kind of fingerprints that the method compares, if it was named by it.
    fn only(&self) -> Option<FingerprintKind> {
        None
    }

    /// Rejects parameters beyond the reach of the candidate source, in a database that finds fingerprints within `k`
    /// bits.
    ///
    /// # Errors
    /// The parameter, its value and its limit.
    fn check(&self, k: u32) -> Result<(), OutOfReach> {
        let _ = k;
        Ok(())
    }

    /// Judges a pair that is not identical by its sketches. A method that compares texts does not decide here.
    fn judge(&self, pair: &DocumentPair<'_>) -> Verdict {
        let _ = pair;
        Verdict::UNKNOWN
    }

    /// Returns the greatest score of a pair that is not identical; `u64::MAX` if there is no known bound.
    fn perfect(&self) -> u64 {
        u64::MAX
    }

    /// Returns the measures that the method adds to the output of every pair, whichever method decides.
    fn columns(&self) -> &'static [Column] {
        &[]
    }

    /// Appends the measures that the rule compares with its parameters; those of [`Method::columns`] come first, in
    /// that order. An identical pair is a near-duplicate pair regardless of these.
    fn bounds(&self, pair: &DocumentPair<'_>, out: &mut Vec<Bound>) {
        let _ = (pair, out);
    }

    /// Returns the pieces of evidence about a pair; empty if the method does not add up evidence, or the pair has none.
    fn explain(&self, pair: &DocumentPair<'_>) -> Vec<Piece> {
        let _ = pair;
        Vec::new()
    }

    /// Returns the comparison of texts by which the method judges. `None` if the method judges by sketches, or by the
    /// shingles that its candidate source keeps.
    fn texts(&self) -> Option<Box<dyn TextComparer>> {
        None
    }
}

/// The source of the candidate pairs of a method.
#[derive(Clone, Debug, PartialEq)]
pub enum Candidates {
    /// Equal texts only.
    Identical,
    /// Fingerprints within this number of bits, found by the runs.
    Near(u32),
    /// Pairs of documents that share a key of one of these kinds.
    Sharing(Vec<Keys>),
    /// Perhaps-similar sets of texts, compared by [`Method::texts`].
    Sets(SetOptions),
    /// Pairs of texts that share one of their rarest shingles.
    Shingles(Shingles),
}

/// A kind of keys derived from a sketch, with the least similarities that a pair which shares a key must have. The
/// index keeps the posting lists of these keys, and the method finds no other pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Pairs of supershingles.
    Megashingles {
        /// Least number of equal supershingles, 0 to 6.
        supershingles: u32,
        /// Least number of equal bits of the projections, 0 to 384.
        bits: u32,
    },
    /// Pieces of the projection.
    Pieces {
        /// Whether there are 13 pieces instead of 12, so that no pair with 12 different bits is missed.
        complete: bool,
        /// Least number of equal bits of the projections, 0 to 384.
        bits: u32,
    },
    /// Bands of min-values: of short shingles if the recipe of the database makes profiles, else of long shingles.
    Bands {
        /// Least number of equal min-values of long shingles, 0 to 84.
        agreement: u32,
    },
    /// The digest of the content.
    Contents,
}

/// Properties on which a decision depends in addition to the sketches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Besides {
    /// Nothing.
    Nothing,
    /// The number of tokens. Documents of one class have the same number.
    Length,
    /// The site. Documents of different sites can still be in the same class; a decision about two classes uses the
    /// sites of the two documents that represent them.
    Site,
    /// Site, title and first heading. Documents of one class have the same three.
    SiteAndHeadings,
}

/// Error: a parameter would accept pairs that the candidate source of the method does not find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfReach {
    /// The parameter.
    pub what: &'static str,
    /// Its value as requested.
    pub requested: u64,
    /// The limit.
    pub limit: u64,
}

/// A piece of evidence about a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Name.
    pub name: &'static str,
    /// Its meaning, as a sentence for users.
    pub says: String,
    /// Its value; `None` for a constant.
    pub value: Option<f64>,
    /// Its contribution to the log-odds that the two documents are near-duplicates.
    pub adds: f64,
}

/// A method that can be copied; each method that implements `Clone` can.
pub trait CloneMethod {
    /// Returns a copy.
    fn boxed(&self) -> Box<dyn Method>;
}

impl<M: Method + Clone + 'static> CloneMethod for M {
    fn boxed(&self) -> Box<dyn Method> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Method> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

impl<M: Method + 'static> From<M> for Box<dyn Method> {
    fn from(method: M) -> Self {
        Box::new(method)
    }
}

/// Makes `==` borrow both boxes; without this implementation it would move the content of one.
impl PartialEq<&Self> for Box<dyn Method> {
    fn eq(&self, other: &&Self) -> bool {
        **self == ***other
    }
}

/// Two methods are equal if they have the same name and the same values of all parameters.
impl PartialEq for dyn Method + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name() && self.settings() == other.settings()
    }
}

impl fmt::Display for dyn Method + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl dyn Method + '_ {
    /// Returns whether the method reads texts in addition to the sketches in the catalog.
    pub fn needs_text(&self) -> bool {
        matches!(self.candidates(), Candidates::Sets(_) | Candidates::Shingles(_))
    }

    /// Returns whether the method compares distances of fingerprints.
    pub fn is_by_distance(&self) -> bool {
        matches!(self.candidates(), Candidates::Near(_))
    }

    /// Returns whether only equal texts are near-duplicates.
    pub fn is_identity(&self) -> bool {
        self.candidates() == Candidates::Identical
    }

    /// Returns the kinds of keys that candidate pairs share.
    pub fn keys(&self) -> Vec<Keys> {
        match self.candidates() {
            Candidates::Sharing(keys) => keys,
            _ => Vec::new(),
        }
    }

    /// Returns whether candidate pairs share a key of their sketches.
    pub fn has_keys(&self) -> bool {
        matches!(self.candidates(), Candidates::Sharing(_))
    }

    /// Returns the size in bytes of the sketches of a document that the method compares; `None` if it reads texts.
    pub fn bytes_per_document(&self) -> Option<u64> {
        (!self.needs_text()).then(|| self.compares().iter().map(|sketch| sketch.size()).sum())
    }

    /// Returns whether a decision depends on the site, and whether it depends on the title and first heading.
    pub fn looks_at(&self) -> (bool, bool) {
        match self.besides() {
            Besides::Nothing | Besides::Length => (false, false),
            Besides::Site => (true, false),
            Besides::SiteAndHeadings => (true, true),
        }
    }

    /// Returns the values of the parameters, in the order of [`Method::parameters`].
    pub fn settings(&self) -> Vec<Setting> {
        self.boxed().parameters().iter().map(Parameter::setting).collect()
    }

    /// Returns whether the method has a parameter of this name.
    pub fn has_parameter(&self, name: &str) -> bool {
        self.settings().iter().any(|setting| setting.name == name)
    }

    /// Sets a parameter, as `nddb --set` does.
    ///
    /// # Errors
    /// [`ParameterError`] for a name that the method does not have, or a value out of the range of the parameter; the
    /// method is unchanged.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ParameterError> {
        let method = self.name();
        let mut parameters = self.parameters();
        match parameters.iter_mut().find(|parameter| parameter.name == name) {
            Some(parameter) => parameter.set(value),
            None => {
                let known = parameters.iter().map(|parameter| parameter.name).collect();
                Err(ParameterError::Unknown { method, name: name.into(), known })
            }
        }
    }

    /// Returns the range of a parameter that is a whole number, for instance to try all its values; `None` for other
    /// parameters.
    ///
    /// # Errors
    /// [`ParameterError::Unknown`] for a name that the method does not have.
    pub fn counts(&self, name: &str) -> Result<Option<RangeInclusive<u64>>, ParameterError> {
        let mut copy = self.boxed();
        let parameters = copy.parameters();
        match parameters.iter().find(|parameter| parameter.name == name) {
            Some(parameter) => Ok(parameter.counts()),
            None => {
                let known = parameters.iter().map(|parameter| parameter.name).collect();
                Err(ParameterError::Unknown { method: self.name(), name: name.into(), known })
            }
        }
    }
}
