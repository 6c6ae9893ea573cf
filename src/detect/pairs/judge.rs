//! Decision about a pair of documents, from evidence and texts.

use super::text_cache::TextCache;
use crate::Result;
use crate::detect::candidates::source::Verifier;
use crate::detect::collection::Collection;
use crate::detect::frames::Frameless;
use crate::detect::method::evidence::Evidence;
use crate::detect::method::options::PairOptions;
use crate::detect::method::pair::{Pair, Verified};
use crate::detect::method::rules::Decision;

/// The judge of pairs: gathers the evidence of a pair and decides.
pub struct Judge<'a> {
    collection: &'a Collection,
    options: &'a PairOptions,
    /// Text evidence of the method.
    decider: Option<Box<dyn Verifier + 'a>>,
    /// Text evidence for the verification of near-duplicates found by the method.
    verifier: Option<Box<dyn Verifier + 'a>>,
    /// Evidence without the frames of sites.
    frameless: Option<Frameless<'a>>,
}

/// Result of judging a pair.
#[expect(
    clippy::large_enum_variant,
    reason = "made and taken apart at once: a box would be an allocation for each pair"
)]
pub enum Judged {
    /// Near-duplicates.
    Near(Pair),
    /// Near-duplicates by the method, rejected by a second look.
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
        let verifies = options.verify.applies_to(options.method);
        Self {
            collection,
            options,
            decider: text_cache.decider(options),
            verifier: if verifies { text_cache.verifier(options) } else { None },
            frameless: text_cache.frameless(collection),
        }
    }

    /// Returns the result for a pair. Judging pairs in the order of ids is fastest.
    pub fn pair(&mut self, a: u32, b: u32) -> Result<Judged> {
        let mut evidence = self.collection.evidence(a, b);
        // Equal texts are decided earlier (Huang et al. 2008, 3.3).
        if !evidence.identical
            && let Some(decider) = &mut self.decider
        {
            decider.add(a, b, &mut evidence)?;
        }
        let Decision::Near(rule) = self.options.decider().decide(&evidence) else { return Ok(Judged::Apart) };
        let looks = self.options.takes(&evidence) && (self.verifier.is_some() || self.frameless.is_some());
        let verified = if looks { self.look_again(a, b, &mut evidence)? } else { None };
        if looks && verified.is_none() {
            return Ok(Judged::Rejected);
        }
        let probability = self.options.rules.probability_of(&evidence);
        Ok(Judged::Near(Pair { a, b, evidence, probability, rule, verified }))
    }

    /// Looks at the texts of near-duplicates, adds what they say to the evidence, and returns what can be said of the
    /// pair; `None` if it is rejected.
    fn look_again(&mut self, a: u32, b: u32, evidence: &mut Evidence) -> Result<Option<Verified>> {
        let PairOptions { verify, rules, .. } = self.options;
        if let Some(frameless) = &mut self.frameless {
            let looked = frameless.look(a, b, evidence);
            let is_near = matches!(self.options.decider().decide(evidence), Decision::Near(_));
            return Ok(is_near.then_some(looked));
        }
        if let Some(verifier) = &mut self.verifier {
            verifier.add(a, b, evidence)?;
        }
        Ok(Verified::of(verify.decide(evidence, rules)))
    }
}
