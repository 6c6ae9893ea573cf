//! Decision about a pair of documents, from evidence and texts.

use nddb_index::Result;
use nddb_verdict::{Decision, Verification};

use super::text_cache::TextCache;
use crate::candidates::source::Verifier;
use crate::collection::Collection;
use crate::options::PairOptions;
use crate::pair::{Pair, Verified};

/// The judge of pairs: gathers the evidence of a pair and decides.
pub struct Judge<'a> {
    collection: &'a Collection,
    options: &'a PairOptions,
    /// Text evidence of the method.
    decider: Option<Box<dyn Verifier + 'a>>,
    /// Text evidence for the verification of near-duplicates found by the method.
    verifier: Option<Box<dyn Verifier + 'a>>,
    /// The words of the texts that are verified, to tell how much of them differs.
    differences: Option<Box<dyn Verifier + 'a>>,
}

/// Result of judging a pair.
#[expect(
    clippy::large_enum_variant,
    reason = "made and taken apart at once: a box would be an allocation for each pair"
)]
pub enum Judged {
    /// Near-duplicates.
    Near(Pair),
    /// Near-duplicates by the method, rejected by their texts or because too much of them differs.
    Rejected,
    /// Not near-duplicates by the method.
    Apart,
}

/// Returns the pair of two documents that are near-duplicates by what is stored of them. A method that needs their
/// texts decides only about equal ones here.
pub fn stored_pair(collection: &Collection, options: &PairOptions, a: u32, b: u32) -> Option<Pair> {
    let evidence = collection.evidence(a, b);
    match options.decider().decide(&evidence) {
        Decision::Near(rule) => {
            let probability = options.rules.probability_of(&evidence);
            Some(Pair { a, b, evidence, probability, rule, verified: None })
        }
        _ => None,
    }
}

impl<'a> Judge<'a> {
    /// Returns a judge that uses the texts that were read.
    pub fn new(collection: &'a Collection, options: &'a PairOptions, text_cache: &'a TextCache) -> Self {
        Self {
            collection,
            options,
            decider: text_cache.decider(options),
            verifier: if options.verifies() { text_cache.verifier(options) } else { None },
            differences: if options.compares_words() { text_cache.differences(options) } else { None },
        }
    }

    /// Returns the result for a pair. Judging pairs in the order of ids is fastest.
    pub fn pair(&mut self, a: u32, b: u32) -> Result<Judged> {
        let PairOptions { verify, rules, .. } = self.options;
        let mut evidence = self.collection.evidence(a, b);
        // Equal texts are decided earlier (Huang et al. 2008, 3.3).
        if !evidence.identical
            && let Some(decider) = &mut self.decider
        {
            decider.add(a, b, &mut evidence)?;
        }
        let Decision::Near(rule) = self.options.decider().without_limit().decide(&evidence) else {
            return Ok(Judged::Apart);
        };
        let mut verified = None;
        if let Some(verifier) = &mut self.verifier
            && verify.takes(&evidence)
        {
            verifier.add(a, b, &mut evidence)?;
            verified = Verified::of(Verification::decide(&evidence, rules));
            if verified.is_none() {
                return Ok(Judged::Rejected);
            }
            if let Some(differences) = &mut self.differences {
                differences.add(a, b, &mut evidence)?;
            }
        }
        if rules.differ_too_much(&evidence) {
            return Ok(Judged::Rejected);
        }
        let probability = rules.probability_of(&evidence);
        Ok(Judged::Near(Pair { a, b, evidence, probability, rule, verified }))
    }
}
