//! The definition of a method: everything in which methods differ.
//!
//! Each method fills in one [`Definition`] in its own file, and [`Method`](super::registry::Method) lists them. A
//! definition names the keys, sketches and texts that a method takes; `collection`, `candidates` and `online` read and
//! join them.

use super::evidence::{Bound, Evidence};
use super::rules::{Decision, Rules, Threshold};
use super::sketches::Sketch;

/// The definition of a method.
pub struct Definition {
    /// Name on the command line and in pair lines.
    pub name: &'static str,
    /// Short description for help texts.
    pub(crate) help: &'static str,
    /// Sketches that both documents of a pair must have.
    pub compares: &'static [Sketch],
    /// Source of candidate pairs.
    pub candidates: Candidates,
    /// Sketches that define a class: documents with equal values of all of them are indistinguishable to the method,
    /// except by [`Definition::besides`].
    pub class: &'static [Sketch],
    /// Further properties that the decision depends on.
    pub besides: Besides,
    /// Thresholds of the decision rule, as `nddb eval` names them.
    pub(crate) thresholds: &'static [Threshold],
    /// Rejects thresholds beyond the reach of the candidate source; the second argument is the k of the database.
    pub check: fn(&Rules, u32) -> Result<(), OutOfReach>,
    /// Minimum similarities of a candidate pair that shares a key of this kind.
    pub least: fn(&Rules, Keys) -> Least,
    /// Decision about a pair that is not identical.
    pub(crate) decide: fn(&Rules, &Evidence) -> Decision,
    /// Similarity score of two near-duplicates; greater is nearer.
    pub(crate) score: fn(&Rules, &Evidence) -> u64,
    /// Greatest score of a pair that is not identical; `u64::MAX` if there is no known bound.
    pub(crate) perfect: u64,
    /// Numbers that the rule compares with its thresholds.
    pub(crate) bounds: fn(&Rules, &Evidence) -> Vec<Bound>,
}

/// The source of the candidate pairs of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Candidates {
    /// Equal texts only.
    Identical,
    /// Fingerprints within k bits, found by the runs.
    Near,
    /// Pairs of documents that share a key of one of these kinds.
    Sharing(&'static [Keys]),
    /// Perhaps-similar sets of texts, compared by this measure.
    Sets(Comparison),
    /// Pairs of texts that share one of their rarest shingles.
    Shingles,
}

/// Keys derived from a sketch; the catalog keeps the postings of each key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Pairs of supershingles.
    Megashingles,
    /// Pieces of the projection.
    Pieces,
    /// Bands of min-values: of short shingles if the recipe of the database makes profiles, else of long shingles.
    Bands,
}

/// Measure by which two texts are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Trustable longest common subsequence.
    Lcs,
    /// Cosine of term frequencies.
    Cosine,
}

/// Properties that a decision depends on in addition to the sketches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Besides {
    /// Nothing.
    Nothing,
    /// The site. Documents of different sites can still be in the same class: a decision about two classes uses the
    /// sites of the two documents named in the pair.
    Site,
    /// Site, title and first heading. Documents of one class agree in all three.
    SiteAndHeadings,
}

/// A threshold beyond what the candidate source of a method finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfReach {
    /// The threshold.
    pub what: &'static str,
    /// Its value as requested.
    pub requested: u64,
    /// The limit.
    pub limit: u64,
}

/// Minimum similarities of a candidate pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Least {
    /// Equal supershingles, 0 to 6.
    pub b: u32,
    /// Equal bits of the projections, 0 to 384.
    pub c: u32,
    /// Equal min-values of long shingles, 0 to 84.
    pub agreement: u32,
}

impl Definition {
    /// Returns whether the method reads texts in addition to the sketches in the catalog.
    pub fn needs_text(&self) -> bool {
        matches!(self.candidates, Candidates::Sets(_) | Candidates::Shingles)
    }

    /// Returns the kinds of keys that candidate pairs share.
    pub fn keys(&self) -> &'static [Keys] {
        match self.candidates {
            Candidates::Sharing(keys) => keys,
            _ => &[],
        }
    }
}

/// Accepts any thresholds.
pub(super) fn any_rules(_: &Rules, _: u32) -> Result<(), OutOfReach> {
    Ok(())
}

/// Returns no minimum similarities.
pub(super) fn no_least(_: &Rules, _: Keys) -> Least {
    Least::default()
}

/// Returns a share, 0 to 1, as an integer score, in steps far finer than the precision of any share.
pub(super) fn share(value: Option<f64>) -> u64 {
    (value.unwrap_or(0.0) * (1u64 << 40) as f64) as u64
}

/// Returns no bounds.
pub(super) fn no_bounds(_: &Rules, _: &Evidence) -> Vec<Bound> {
    Vec::new()
}
