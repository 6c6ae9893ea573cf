//! What a method is: everything that differs from one to another.
//!
//! Each method fills one [`Definition`] in a file of its own, and [`Method`](super::registry::Method) lists them. What
//! stands here says *which* keys, sketches and texts a method takes; how these are read and joined is the business of
//! `collection`, `candidates` and `online`.

use super::evidence::{Bound, Evidence};
use super::rules::{Decision, Rules, Threshold};
use super::sketches::Sketch;
use crate::Result;

/// A method.
pub(crate) struct Definition {
    /// The name on the command line and in pair lines.
    pub(crate) name: &'static str,
    /// The method in a few words, for help texts.
    pub(crate) help: &'static str,
    /// The sketches that both documents of a pair must have.
    pub(crate) compares: &'static [Sketch],
    /// Where candidate pairs come from.
    pub(crate) candidates: Candidates,
    /// The sketches by which documents are one to the method: where all are equal, they cannot be told apart, but for
    /// [`Definition::besides`].
    pub(crate) class: &'static [Sketch],
    /// What the decision depends on besides.
    pub(crate) besides: Besides,
    /// The thresholds that decide, as `nddb eval` names them.
    pub(crate) thresholds: &'static [Threshold],
    /// Refuses thresholds that candidates do not reach down to; the second argument is the k of the database.
    pub(crate) check: fn(&Rules, u32) -> Result<()>,
    /// What a candidate with a key of this kind must have for its pair to be one of the method's.
    pub(crate) least: fn(&Rules, Keys) -> Least,
    /// Decides a pair that is not identical.
    pub(crate) decide: fn(&Rules, &Evidence) -> Decision,
    /// How similar two near-duplicates are: more is nearer.
    pub(crate) score: fn(&Rules, &Evidence) -> u64,
    /// The greatest score of what is not identical; the greatest number there is, if none is sure.
    pub(crate) perfect: u64,
    /// The numbers that the rule looks at.
    pub(crate) bounds: fn(&Rules, &Evidence) -> Vec<Bound>,
}

/// Where the candidate pairs of a method come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Candidates {
    /// Equal texts alone.
    Identical,
    /// Fingerprints within k bits, which the runs find.
    Near,
    /// Documents that share a key of one of these kinds.
    Sharing(&'static [Keys]),
    /// Perhaps-similar sets of texts, which are compared in this way.
    Sets(Comparison),
    /// Texts that share one of their rarest shingles.
    Shingles,
}

/// Keys that are made of a sketch; the catalog finds the documents of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keys {
    /// Pairs of supershingles.
    Megashingles,
    /// Pieces of the projection.
    Pieces,
    /// Bands of min-values: of short shingles in a database whose recipe makes profiles, else of long ones.
    Bands,
}

/// How two texts are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// Trustable longest common subsequence.
    Lcs,
    /// Cosine of term frequencies.
    Cosine,
}

/// What a decision depends on besides the sketches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Besides {
    /// Nothing.
    Nothing,
    /// The site. Documents of different sites are one to the method all the same: what is said of a class is said by the
    /// sites of the two that are named.
    Site,
    /// Site, title and first heading. Only documents that agree in these are one to the method.
    SiteAndHeadings,
}

/// The least numbers that a candidate must have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Least {
    /// Equal supershingles.
    pub(crate) b: u32,
    /// Equal bits of the projections.
    pub(crate) c: u32,
    /// Equal min-values of long shingles.
    pub(crate) agreement: u32,
}

impl Definition {
    /// Whether the method reads texts, and not only what the catalog keeps of them.
    pub(crate) fn needs_text(&self) -> bool {
        matches!(self.candidates, Candidates::Sets(_) | Candidates::Shingles)
    }

    /// The kinds of keys that candidates share.
    pub(crate) fn keys(&self) -> &'static [Keys] {
        match self.candidates {
            Candidates::Sharing(keys) => keys,
            _ => &[],
        }
    }
}

/// No bound of the thresholds.
pub(super) fn any_rules(_: &Rules, _: u32) -> Result<()> {
    Ok(())
}

/// Nothing that a candidate must have.
pub(super) fn no_least(_: &Rules, _: Keys) -> Least {
    Least::default()
}

/// A share of one as a score, in steps far below what any share is exact to.
pub(super) fn share(value: Option<f64>) -> u64 {
    (value.unwrap_or(0.0) * (1u64 << 40) as f64) as u64
}

/// No numbers.
pub(super) fn no_bounds(_: &Rules, _: &Evidence) -> Vec<Bound> {
    Vec::new()
}
