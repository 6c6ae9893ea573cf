//! Decides pairs of documents.

use super::text_cache::TextCache;
use crate::Result;
use crate::detect::candidates::source::Verifier;
use crate::detect::collection::Collection;
use crate::detect::method::options::PairOptions;
use crate::detect::method::pair::{Pair, Verified};
use crate::detect::method::registry::Method;
use crate::detect::method::rules::Decision;

/// Decides pairs.
pub struct Judge<'a> {
    collection: &'a Collection,
    options: &'a PairOptions,
    /// Adds what the method compares of texts.
    decider: Option<Box<dyn Verifier + 'a>>,
    /// Compares the texts of what the method finds.
    verifier: Option<Box<dyn Verifier + 'a>>,
}

/// What became of a pair.
#[expect(
    clippy::large_enum_variant,
    reason = "made and taken apart at once: a box would be an allocation for each pair"
)]
pub enum Judged {
    /// It is one of near-duplicates.
    Near(Pair),
    /// The method says so, and the texts do not.
    Rejected,
    /// The method does not say so.
    Apart,
}

impl<'a> Judge<'a> {
    /// With what was read of texts.
    pub fn new(collection: &'a Collection, options: &'a PairOptions, text_cache: &'a TextCache) -> Self {
        let verifies = options.verify_lcs && options.method != Method::Lcs;
        Self {
            collection,
            options,
            decider: text_cache.decider(options),
            verifier: if verifies { text_cache.verifier(options) } else { None },
        }
    }

    /// Decides a pair. Pairs are best asked for in the order of ids.
    pub fn pair(&mut self, a: u32, b: u32) -> Result<Judged> {
        let mut evidence = self.collection.evidence(a, b);
        // Equal texts are decided before (Huang et al. 2008, 3.3).
        if !evidence.identical
            && let Some(decider) = &mut self.decider
        {
            decider.add(a, b, &mut evidence)?;
        }
        let rules = &self.options.rules;
        let Decision::Near(rule) = self.options.decider().decide(&evidence) else { return Ok(Judged::Apart) };
        let mut verified = None;
        if !evidence.identical
            && let Some(verifier) = &mut self.verifier
        {
            verifier.add(a, b, &mut evidence)?;
            verified = Verified::of(rules.decide(Method::Lcs, &evidence));
            if verified.is_none() {
                return Ok(Judged::Rejected);
            }
        }
        let probability = rules.probability_of(&evidence);
        Ok(Judged::Near(Pair { a, b, evidence, probability, rule, verified }))
    }
}
